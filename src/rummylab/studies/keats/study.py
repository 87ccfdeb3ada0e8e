"""The study of Keats' AI beyond its experiment file: ratios of scores, tables, figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena import plots
from rummylab.arena.markdown import share_words, signed_words, table
from rummylab.arena.match import MatchResult
from rummylab.arena.statistics import Z95, Estimate, ratio
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.steps import MatchStepResult
from rummylab.lab.experiment.verdicts import Measured

PAIRS = {
    "melder-different": "`melder` against `keats-different-suit`",
    "melder-keats": "`melder` against `keats`",
    "melder-whiteboard": "`melder` against `keats-whiteboard`",
    "keats-different": "`keats` against `keats-different-suit`",
}
"""The steps for which the rules page has points a hand."""
OWN_SIGN_0 = {
    "melder-different": "melder-written",
    "melder-keats": "melder-keats, own sign 0",
    "melder-whiteboard": "melder-whiteboard, own sign 0",
    "keats-different": "keats-written, own sign 0",
}
"""The steps with the other reading: the upcard does not count as a sign against itself."""
OPPONENTS = {
    "dummy": "draws from the stock only (*chosen*)",
    "dummy(knock_at=5)": "knocks with 5 or less",
    "dummy(knock_at=0)": "waits for gin",
    "melder": "takes what melds",
    "dummy(takes_melds=1 knock_at=0)": "takes what melds, waits for gin",
    "dummy(takes_melds=1 throws=1)": "takes what melds, discards a random unmelded card",
    "dummy(throws=1)": "discards a random unmelded card",
    "dummy(throws=2)": "discards a random card",
    "random": "moves at random",
}
"""Candidates for the course's test Dummy."""
SEATS, CARDS = (2, 3, 4), (10, 7)
_Z99 = 2.576
_LARGE_RATIO, _FEWEST_SCORES = 20, 20


def played(results: Results, step: str) -> MatchResult:
    found = results.steps[step]
    assert isinstance(found, MatchStepResult)
    return found.match


# --- Numbers beyond those of a match ------------------------------------------------------------------------------


def between(results: Results, first: str, second: str) -> MatchResult | None:
    """Return the match of two agents under the game's first preset, if there is one."""
    steps = (step.name for step in results.experiment.steps if step.rules == "course")
    return next((found for name in steps if (found := played(results, name)).agents == (first, second)), None)


def score_ratio(match: MatchResult) -> Estimate:
    """Return the first agent's total score over the mean total of the others."""
    scores = np.asarray(match.tallies["scores"], np.float64)
    own, others = match.by_deal(scores[:, 0]), match.by_deal(scores[:, 1:].mean(axis=1))
    return ratio(own.sum(axis=1), others.sum(axis=1))


def _ratio(results: Results, seats: int) -> Estimate:
    return score_ratio(played(results, f"dummy {seats}"))


def _margin(results: Results, seats: int) -> Measured:
    """Return the score ratio at *seats* seats over that at two seats.

    The two are independent, so the squares of their log errors add up.
    """
    many, two = _ratio(results, seats), _ratio(results, 2)
    value = many.value / two.value
    error = math.hypot(*(math.log(found.high / found.low) / 2 for found in (many, two)))
    return Measured(value, value * math.exp(-error), value * math.exp(error))


DERIVED: Mapping[str, Callable[[Results], Measured]] = {
    "ratio_2": lambda results: Measured.of(_ratio(results, 2)),
    "margin_3": lambda results: _margin(results, 3),
    "margin_4": lambda results: _margin(results, 4),
}


# --- The report ---------------------------------------------------------------------------------------------------


ready = plots.need_matplotlib
"""Figures that cannot be drawn are an error before anything is played."""


def report(results: Results, out: Path) -> str:
    """Draw the figures below *out* and return the report's sections."""
    _draw(results, out)
    return "\n".join(section(results) for section in (_points, _opponents, _pools, _line_ups, _washouts, _tuned))


def _printed(results: Results) -> dict[str, Estimate]:
    """Return the points a hand of the rules page, by step."""
    told = {e.step: e for e in results.experiment.expectations if e.step in PAIRS}
    return {step: Estimate(float(told[step].value or 0), *told[step].range) for step in PAIRS}


def _washout(results: Results, agent: str, seats: int, cards: int) -> Estimate:
    found = results.steps[f"{agent} {seats} x {cards}"].measure("washout_rate", ())
    return Estimate(found.value, found.low, found.high)


def _draw(results: Results, out: Path) -> None:
    printed = _printed(results)
    games = played(results, next(iter(PAIRS))).games
    plots.forest(
        out / "points.svg",
        [words.replace("`", "") for words in PAIRS.values()],
        {
            "rules page": [printed[step] for step in PAIRS],
            f"ours, {games:,} games": [played(results, step).points_per_hand for step in PAIRS],
        },
        x="points a hand of the first (95%)",
        title="Points a hand, two seats",
        null=0.0,
    )
    _draw_washouts(results, out / "washouts.svg")


def _draw_washouts(results: Results, path: Path) -> None:
    looks = {("melder", 10): (plots.BLUE, ""), ("keats", 10): (plots.ORANGE, "")}
    looks |= {("melder", 7): (plots.SKY, "////"), ("keats", 7): (plots.VERMILION, "////")}
    with plots.figure(path, plots.WIDTH, 4.2) as (drawn, axes):
        for k, ((agent, cards), (color, hatch)) in enumerate(looks.items()):
            shares = [100 * _washout(results, agent, seats, cards).value for seats in SEATS]
            at = np.array(SEATS) + 0.21 * (k - 1.5)
            label = f"{agent}, {cards} cards"
            drawn_bars = axes.bar(at, shares, width=0.2, color=color, hatch=hatch, edgecolor="white", label=label)
            axes.bar_label(drawn_bars, [f"{share:.1f}" for share in shares], fontsize=9, padding=2)
        axes.set(
            xlabel="seats", ylabel="washouts, in % of hands", title="Washouts, one agent in every seat", xticks=SEATS
        )
        axes.grid(axis="x", visible=False)
        drawn.legend(loc="outside lower center", ncols=2, fontsize=10)


def _points(results: Results) -> str:
    printed = _printed(results)
    rows = [
        (
            words,
            f"{printed[step].value:+.2f} ± {(printed[step].high - printed[step].low) / 2:.2f}",
            signed_words(played(results, step).points_per_hand),
            signed_words(played(results, OWN_SIGN_0[step]).points_per_hand),
        )
        for step, words in PAIRS.items()
    ]
    written = signed_words(played(results, "keats-written").points_per_hand)
    swaps = f"{played(results, 'keats-keats, own sign 0').outcomes().get('washout', 0.0):.1%}"
    any_knock = signed_words(played(results, "melder-keats, any knock").points_per_hand)
    return f"""## Points a hand, two seats

{table(("pair", "rules page", "ours", "ours, `own_sign=0`"), rows)}
![Points a hand](points.svg)

`keats-as-written` is `keats-different-suit` with `own_sign=0`. `keats` wins {written} points a hand against it.

Three sentences can be read in two ways.

- **"A card of a different suit plus or minus one value."** Such a card cannot make a run. `keats` reads "the same
  suit", as the whiteboard does; `keats-as-written` and `keats-different-suit` keep the words.
- **"A card of the same value in a different suit."** With two seats the next opponent's last discard is the upcard
  itself. Read literally, a card is not a sign against itself (`own_sign=0`: `keats-as-written` and the last column).
  The rules page's restatement says only "the same rank", which the upcard has (`own_sign=1`: `keats`,
  `keats-different-suit`, `keats-whiteboard`). With `own_sign=0` the AI takes more cards that it cannot use; against
  itself, {swaps} of its hands end at the cap of 200 turns, with both players taking each other's discards. The
  figures of the rules page agree with `own_sign=1`, which is why it is the default: the agreement is *chosen*.
- **"Knock as soon as legal."** The score chooses the discard, and the AI knocks if the remaining hand allows it. If it
  chooses any discard that allows a knock (`knock_with_any=1`), `melder` against `keats` comes to
  {any_knock}: a smaller difference than the page's margin.
"""


def _opponents(results: Results) -> str:
    def ratio_of(agent: str, opponent: str) -> str:
        match = between(results, agent, opponent)
        if match is None:
            return "-"
        scored = np.count_nonzero(match.tallies["scores"][:, 1])
        return _ratio_words(score_ratio(match)) if scored >= _FEWEST_SCORES else f"opponent scored in {scored} matches"

    rows = [
        (f"`{opponent}`", words, ratio_of("keats", opponent), ratio_of("melder", opponent))
        for opponent, words in OPPONENTS.items()
    ]
    return f"""## Which opponent scores a half to a third as much?

The author gives one figure, 2-3 times the "test Dummy"'s total score, and does not say how the Dummy plays. So the
figure says more about the opponent than about the AI. `keats` reaches it against some poor players and not against
others, and `melder`, which only looks at its own melds, reaches it against `dummy` too. All matches have two seats.

{table(("opponent", "how it plays", "`keats`: score over the opponent's", "`melder`: the same ratio"), rows)}"""


def _ratio_words(found: Estimate) -> str:
    """Return a ratio with its interval; large ones need no decimals."""
    places = 2 if found.value < _LARGE_RATIO else 0
    return f"{found.value:,.{places}f} ({found.low:,.{places}f} to {found.high:,.{places}f})"


def _pools(results: Results) -> str:
    rows = []
    for seats in SEATS:
        match = played(results, f"dummy {seats}")
        ratio_words = share_words(score_ratio(match), 2)
        rows.append((str(seats), ratio_words, share_words(match.win_rate), signed_words(match.points_per_hand)))
    head = ("seats", "score of `keats` over a dummy's", "matches won", "points a hand")
    return f"""## Against the dummy, with two to four seats

{table(head, rows)}"""


def _line_ups(results: Results) -> str:
    parts = ["## Three and four seats\n"]
    for step in ("three", "four"):
        match = played(results, step)
        rows = [
            (f"`{name}`", share_words(match.win_rate_of(k)), signed_words(match.points_per_hand_of(k)))
            for k, name in enumerate(match.agents)
        ]
        parts.append(f"{match.seats} seats, {match.games:,} matches, {match.hands:,} hands:\n")
        parts.append(table(("agent", "matches won", "points a hand"), rows))
        parts.append("Points a hand by the player just before; all circular orders are played equally often:\n")
        parts.append(_neighbors(match))
    return "\n".join(parts)


def _neighbors(match: MatchResult) -> str:
    """Return a table of the points a hand of each agent (row) when it plays after each other one (column)."""

    def cell(number: int, other: int) -> str:
        return "-" if number == other else signed_words(match.points_per_hand_after(number, other))

    rows = [
        (f"`{name}`", *(cell(number, other) for other in range(match.seats)))
        for number, name in enumerate(match.labels)
    ]
    return table(("agent", *(f"after `{name}`" for name in match.labels)), rows)


def _washouts(results: Results) -> str:
    page = {
        tuple(map(int, e.step.split()[1::2])): e.figure
        for e in results.experiment.expectations
        if e.quantity == "washout_rate"
    }
    rows = [
        (
            str(seats),
            str(cards),
            page.get((seats, cards), "-"),
            *(share_words(_washout(results, agent, seats, cards), 4) for agent in ("melder", "keats")),
        )
        for cards in CARDS
        for seats in SEATS
    ]
    return f"""## Washouts by seats and cards

{table(("seats", "cards", "rules page", "`melder`", "`keats`"), rows)}
![Washouts](washouts.svg)
"""


def _tuned(results: Results) -> str:
    def row(step: str) -> tuple[str, ...]:
        match = played(results, step)
        others = ", ".join(f"`{name}`" for name in match.agents[1:])
        return others, _wider(match.points_per_hand), share_words(match.win_rate)

    rows = [row(step) for step in ("tuned-melder", "tuned-keats", "tuned three", "tuned four")]
    return f"""## Our numbers: keats-tuned

Keats' AI with numbers found by `rummylab tune` on other deals (docs/agents/gin_pass.md).

{table(("against", "points a hand (99%)", "matches won (95%)"), rows)}"""


def _wider(estimate: Estimate) -> str:
    """Return a 95% interval as a 99% interval."""
    half: Any = (estimate.high - estimate.low) / 2 * _Z99 / Z95
    return f"{estimate.value:+.2f} ({estimate.value - half:+.2f} to {estimate.value + half:+.2f})"
