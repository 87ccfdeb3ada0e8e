"""The study of the Chinese Rummy AI beyond its experiment file: self-play with every order of its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.agents.contract.heuristic import AVOID, CHOSEN_ORDER, DEAR, SINGLETONS
from rummylab.arena import plots
from rummylab.arena.markdown import share_words, table
from rummylab.arena.statistics import Estimate, mean, quantile, wilson
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.steps import CommonOpponentsResult, MatchStepResult
from rummylab.lab.experiment.verdicts import Measured

CHOSEN = str(CHOSEN_ORDER)
TEXT_ORDER = "12345"
COUNTER, HEURISTIC = "chinese-counter", "chinese-heuristic"
_BEFORE, _BETWEEN, _AFTER = "rule 2 before 4", "rule 2 between 4 and 5", "rule 2 after 5"
_COLORS = (plots.BLUE, plots.VERMILION, plots.ORANGE)


@dataclass(frozen=True)
class SelfPlay:
    """An agent against itself: one round of every deal, since both games of a pair are the same."""

    tallies: Any

    @classmethod
    def of(cls, results: Results, step: str) -> SelfPlay:
        """Return the rounds of an experiment step."""
        found = results.steps[step]
        assert isinstance(found, MatchStepResult)
        return cls(found.match.tallies[::2])

    @cached_property
    def ended(self) -> Any:
        """Rounds that somebody won."""
        return self.tallies[self.tallies["winner"] >= 0]

    @property
    def median_turns(self) -> Estimate:
        """Median of the turns of a round."""
        return quantile(self.tallies["turns"], 0.5)

    @property
    def p90_turns(self) -> Estimate:
        """90th percentile of the turns of a round."""
        return quantile(self.tallies["turns"], 0.9)

    @property
    def first_wins(self) -> Estimate:
        """Share of the rounds won by who moved first."""
        return _share(self.ended["winner"] == self.ended["starter"])

    @property
    def not_laid_down(self) -> Estimate:
        """Return the share of rounds in which the loser has not laid down."""
        return _share(self.ended["unready"] > 0)

    @property
    def mean_loss(self) -> Estimate:
        """Mean of the losers' points."""
        return mean(self.ended["scores"].sum(axis=1).astype(np.float64))

    @property
    def never_end(self) -> Estimate:
        """Return the share of rounds that end at the cap on turns or reshuffles."""
        return _share(self.tallies["winner"] < 0)


def _share(is_so: Any) -> Estimate:
    return wilson(float(np.mean(is_so)), len(is_so))


FIGURES = {
    "median_turns": "median turns",
    "p90_turns": "90th percentile",
    "first_wins": "first player wins",
    "not_laid_down": "loser has not laid down",
    "mean_loss": "mean loss",
    "never_end": "unfinished",
}


def _derived(figure: str) -> Callable[[Results], Measured]:
    return lambda results: Measured.of(getattr(SelfPlay.of(results, CHOSEN), figure))


DERIVED: Mapping[str, Callable[[Results], Measured]] = {figure: _derived(figure) for figure in FIGURES}


# --- The report ---------------------------------------------------------------------------------------------------


ready = plots.need_matplotlib
"""A figure that cannot be drawn is an error before anything is played."""


def report(results: Results, out: Path) -> str:
    """Draw the figure below *out* and return the report's sections."""
    _draw(results, out / "orders.svg")
    return "\n".join(section(results) for section in (_orders, _strength))


def _steps(results: Results) -> list[str]:
    return [step.name for step in results.experiment.steps if step.KIND == "match"]


def _label(step: str) -> str:
    notes = {CHOSEN: " (*chosen*)", TEXT_ORDER: " (as in the text)"}
    return f"`{step}`{notes[step]}" if step in notes else f"`{step}`" if step.isdigit() else f"`{CHOSEN}`, {step}"


def _agent(results: Results, step: str) -> str:
    found = results.steps[step]
    assert isinstance(found, MatchStepResult)
    return found.match.agents[0]


def _fits(results: Results, step: str) -> int:
    """Return the number of known figures that an order's self-play does not contradict."""
    played = SelfPlay.of(results, step)
    expectations = {wanted.derived: wanted for wanted in results.experiment.expectations}
    found = {name: expectations[name].verdict(Measured.of(getattr(played, name))) for name in FIGURES}
    return sum(verdict in ("reproduced", "open") for verdict in found.values())


def _groups(results: Results) -> dict[str, list[str]]:
    """Return the orders by the place of rule 2 among rules 4 and 5; within a group they play nearly alike."""
    groups: dict[str, list[str]] = {words: [] for words in (_BEFORE, _BETWEEN, _AFTER)}
    for step in _steps(results):
        if step.isdigit():
            avoid, single, dear = (step.index(str(rule)) for rule in (AVOID, SINGLETONS, DEAR))
            groups[_BEFORE if avoid < single else _BETWEEN if avoid < dear else _AFTER].append(step)
    return groups


def _group_words(results: Results) -> str:
    """Return a line for each group: its orders, and the figures of the first of them."""
    lines = []
    for words, steps in _groups(results).items():
        play = SelfPlay.of(results, steps[0])
        listed = ", ".join(f"`{step}`" for step in steps)
        lines.append(
            f"- **{words[0].upper()}{words[1:]}** ({listed}): the loser has not laid down in"
            f" {play.not_laid_down.value:.1%} of the rounds, and a loss costs {play.mean_loss.value:.1f} points."
        )
    return "\n".join(lines)


def _orders(results: Results) -> str:
    rows = []
    for step in _steps(results):
        played = SelfPlay.of(results, step)
        rows.append(
            (
                _label(step),
                f"{played.median_turns.value:.0f} / {played.p90_turns.value:.0f}",
                share_words(played.first_wins),
                share_words(played.not_laid_down),
                share_words(played.mean_loss, 1),
                f"{(played.tallies['winner'] < 0).sum()}",
                f"{_fits(results, step)} of {len(FIGURES)}",
            )
        )
    known = {wanted.derived: wanted.figure for wanted in results.experiment.expectations}
    printed = (
        "rules page",
        f"{known['median_turns']} / {known['p90_turns']}",
        *(known[name] for name in ("first_wins", "not_laid_down", "mean_loss")),
        "about 5 in 30,000",
        "",
    )
    rounds = len(SelfPlay.of(results, CHOSEN).tallies)
    head = ("order", "turns, median / 90%", "first player wins", "loser has not laid down", "mean loss", "unfinished")
    return f"""## What does the order of the rules change?

An order lists the rules of discarding, most important first, after "never discard wilds": 1 protect three of a rank,
2 avoid cards that the opponent could lay off, 3 keep cards that fit one's own melds, 4 singletons first, 5 expensive
cards first. The order is an option of the agent: `chinese-heuristic(order={TEXT_ORDER})`. Self-play, {rounds:,} rounds
each; the last column counts the figures that the measurement does not contradict (reproduced or open). *Random ties*:
among cards that no rule tells apart, a random one is discarded, not the first.

{table((*head, "agree"), [printed, *rows])}
![Loss and laying down, by order](orders.svg)

Only one thing about the order matters: the place of rule 2. Figures of the first order of each group:

{_group_words(results)}
"""


def _strength(results: Results) -> str:
    field = results.steps["strength"]
    assert isinstance(field, CommonOpponentsResult)
    rows = [
        (_label(step), *(_against(field, _agent(results, step), opponent) for opponent in (HEURISTIC, COUNTER)))
        for step in _steps(results)
    ]
    return f"""## How strong is each order?

Rounds won, on the same duplicate deals.

{table(("order", f"against `{HEURISTIC}`", f"against `{COUNTER}`"), rows)}"""


def _against(field: CommonOpponentsResult, agent: str, opponent: str) -> str:
    found = field.measure("win_rate", (agent, opponent))
    return "-" if agent == opponent else share_words(Estimate(found.value, found.low, found.high))


def _draw(results: Results, path: Path) -> None:
    """Draw each order by the two figures that differ most, with the figures of the rules page."""
    known = {wanted.derived: wanted for wanted in results.experiment.expectations}
    loss, down = known["mean_loss"], known["not_laid_down"]
    with plots.figure(path, plots.WIDTH, 3.9) as (drawn, axes):
        axes.axhspan(*loss.range, color=plots.SKY, alpha=0.4, lw=0)
        axes.axvspan(
            *(100 * end for end in down.range), color=plots.SKY, alpha=0.4, lw=0, label="rules page, with its margin"
        )
        for (words, steps), color in zip(_groups(results).items(), _COLORS, strict=True):
            found = [SelfPlay.of(results, step) for step in steps]
            x, y = [one.not_laid_down for one in found], [one.mean_loss for one in found]
            axes.errorbar(
                [100 * e.value for e in x],
                [e.value for e in y],
                xerr=[100 * (e.value - e.low) for e in x],
                yerr=[e.value - e.low for e in y],
                fmt="o", ms=4, lw=0.8, color=color, label=words,
            )  # fmt: skip
        axes.set(xlabel="rounds whose loser has not laid down, in %", ylabel="mean loss, in points")
        axes.set(title="Self-play by order of the rules")
        drawn.legend(loc="outside lower center", ncols=1, fontsize=10)
