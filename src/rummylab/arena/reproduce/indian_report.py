"""The report on Saha et al.: the paper's figure, ours, and what follows."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.reproduce.indian import OUR_DROPPER, Results, Side, paper
from rummylab.arena.reproduce.indian_analysis import (
    LEVEL,
    SEVEN,
    example_value,
    name_of,
    numbers,
    p_words,
    paper_adjusted,
    paper_entry_error,
    paper_skill,
    share_words,
    signed_words,
    skill_tests,
    sweep_sides,
    table,
    turned,
    z_score,
)
from rummylab.arena.reproduce.indian_claims import claims_section
from rummylab.arena.reproduce.indian_figures import draw
from rummylab.arena.statistics import holm, p_value
from rummylab.cards.hand import Hand
from rummylab.games.indian.hand import evaluate, wild_rank


def write(results: Results, out: Path) -> Path:
    """Write the report, its figures and ``results.json``; return the report's path."""
    draw(results, out)
    (out / "results.json").write_text(json.dumps(numbers(results), indent=1) + "\n")
    report = out / "README.md"
    sections = [
        _head,
        claims_section,
        _examples,
        _distributions,
        _win_rates,
        _skill,
        _gains,
        _drops,
        _rounds,
        _beyond,
        _how,
    ]
    report.write_text("\n".join(section(results) for section in sections))
    return report


def _head(results: Results) -> str:
    source = paper()
    scale = results.scale
    return f"""# Classic Indian Rummy: the experiments of Saha et al. again

{source["authors"]}: *{source["title"]}*, {source["where"]}. Every experiment of sections IV and VIII, with the paper's
figure beside ours. {scale.games:,} deals per ordered pair of agents (the paper: {source["games_a_pair"]:,}),
{scale.hands:,} random hands (the paper: {source["hands"]:,}), seed {scale.seed}; rules `paper`: one deck,
one printed joker (hands: two). Intervals are 95 %. Nothing was tuned to match.

All pairs of agents play the same deals, so line-ups are compared deal by deal. Figures 1-3, 5 and 6 of the paper are
pictures whose numbers are not in its text: there the comparison is with what the text says about them.
"""


def _examples(results: Results) -> str:
    a, b, seven = example_value("iv_a"), example_value("iv_b"), evaluate(Hand.parse(SEVEN), wild_rank("7")).value
    melds = " · ".join(f"`{meld}`" for meld in a.grouping)
    aim = " · ".join(f"`{meld}`" for meld in b.target)
    return f"""## The examples of section IV

- **IV-A.** `{a.hand}`, threes wild: the paper says 27 = 10 + 10 + 7. By its own rules it is {a.min_score}:
  four clubs are not needed for the pure run, so the wild `3c` completes the kings:
  {melds}, and only `{a.loose}` is left.
- **IV-B.** `{b.hand}`, sevens wild (suits chosen so that it can come from a deck; our copy of the paper shows
  spades throughout): the values add up to {b.min_score}, not 80. The paper's MinDist of 1 is right: {aim},
  or `4s` for the nine.
- **The highest MinDist.** `{seven.hand}`, sevens wild, has MinDist {seven.min_dist}.
"""


def _distributions(results: Results) -> str:
    n = max(sample.highest for sample in results.samples.values()) + 1
    rows = []
    for name, sample in results.samples.items():
        cards = f"{sample.decks} deck{'s' * (sample.decks > 1)} + {sample.printed_jokers}"
        rows.append(
            (
                f"{cards}, {sample.n:,} hands" + (" (the paper's size)" if name == "small" else ""),
                *(f"{share:.4f}" for share in sample.distances[:n]),
                f"{float((sample.distances * np.arange(len(sample.distances))).sum()):.3f}",
                f"{sample.at_cap():.3f}",
                f"{sample.at_cap('platform'):.3f}",
            )
        )
    large = results.samples["large"]
    at_cap = large.distances_at_cap()
    head = ("hands", *(str(k) for k in range(n)), "mean", "MinScore 80", "by the platform rule")
    spread = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(at_cap) if share >= 0.0005)
    return f"""## Fig. 1-3: MinScore and MinDist of random hands

Share of random hands by MinDist, and of those whose MinScore is 80:

{table(head, rows)}
![Fig. 1](fig1-minscore-ecdf.png)
![Fig. 2](fig2-minscore-histogram.png)
![Fig. 3](fig3-mindist-histogram.png)

The point of the paper's section IV-B, in numbers: hands at the cap of 80 all look alike to MinScore, but their MinDist
is spread ({spread}).
The peak at 80 is made by the cap, which gathers every higher score; without it the most frequent score is
{int(np.argmax(large.points()))} (Fig. 2).
"""


def _square(results: Results, agents: Sequence[str], cell: Any) -> str:
    head = ("moves first \\ second", *(name_of(agent) for agent in agents))
    return table(head, [(f"**{name_of(one)}**", *(cell(one, two) for two in agents)) for one in agents])


def _win_rates(results: Results) -> str:
    half = 1.96 * 0.5 / math.sqrt(results.scale.games)
    square = _square(results, results.agents, lambda i, j: f"{results.of(i, j).win_rate.value:.3f}")
    return f"""## Fig. 5: win rate of the first mover

Row moves first; half-width of the 95 % interval at most {half:.3f} (exact ones in `results.json`).

{square}
![Fig. 5](fig5-win-rates.png)
"""


def _skill(results: Results) -> str:
    if len(results.skilled) < 2:
        return ""

    def cell(one: str, two: str) -> str:
        if one == two:
            return f"0.5 (edge {results.edge(one).value:+.3f})"
        return f"{paper_adjusted(one, two):.2f} / {results.adjusted(one, two).value:.3f}"

    adjusted = [results.adjusted(i, j) for i in results.skilled for j in results.skilled]
    widest = max(estimate.high - estimate.value for estimate in adjusted)
    tests = skill_tests(results)
    rows = [
        (
            f"{name_of(test['pair'][1])} against {name_of(test['pair'][0])}",
            share_words(turned(test["paper"])),
            p_words(test["p_paper"]),
            share_words(turned(test["ours"])),
            p_words(test["p_ours"]),
            _verdict(test),
            p_words(test["p_gap"]),
        )
        for test in tests
    ]
    head = (
        "pair",
        "paper",
        "p (Holm)",
        "ours",
        "p (Holm)",
        "the difference is significant",
        "paper against ours, p (Holm)",
    )
    return f"""## Table I: skill without the first mover's advantage

The paper's way: p\\* = p_ij - (p_ii - 0.5), row moves first. Paper / ours, each of ours within {widest:.3f}. On the
diagonal: our first mover's edge in self-play.

{_square(results, results.skilled, cell)}
**The test.** The paper compares each entry with 0.5 +- 0.03, the error of one share of 1,000 games. An
entry of Table I is a difference of two such shares, so its standard error is
{paper_entry_error():.4f}, not 0.0158, and the interval is
(0.456, 0.544). It also makes twelve comparisons and corrects for none. Done right: one test per pair of
agents, both orders averaged, corrected by Holm's method over the six pairs.

{table(head, rows)}
![Table I](table1-skill.png)

{_reading(tests)}

{_drawn(results)}
"""


def _verdict(test: dict[str, Any]) -> str:
    firm, theirs = test["p_ours"] < LEVEL, test["p_paper"] < LEVEL
    if firm and test["ours"].value > 0.5:
        return "**the other way round**"
    if firm:
        return "in both" if theirs else "in ours only"
    return "**in the paper only**" if theirs else "in neither"


def _reading(tests: list[dict[str, Any]]) -> str:
    """Say what holds, pair by pair."""
    firm = [test for test in tests if test["p_ours"] < LEVEL and test["ours"].value < 0.5]
    loose = [test for test in tests if test["p_ours"] >= LEVEL]
    turned = [test for test in tests if test["p_ours"] < LEVEL and test["ours"].value > 0.5]
    lines = []
    if firm:
        pairs = ", ".join(f"{name_of(t['pair'][1])} over {name_of(t['pair'][0])}" for t in firm)
        lines.append(f"What holds: {pairs}.")
    if loose:
        pairs = ", ".join(f"{name_of(t['pair'][0])} and {name_of(t['pair'][1])}" for t in loose)
        lines.append(f"Not told apart: {pairs}.")
    if turned:
        pairs = ", ".join(f"{name_of(t['pair'][0])} over {name_of(t['pair'][1])}" for t in turned)
        lines.append(f"The other way round than in the paper: {pairs}.")
    gaps = [test for test in tests if test["p_gap"] < LEVEL]
    if gaps:
        pairs = ", ".join(f"{name_of(t['pair'][1])} against {name_of(t['pair'][0])}" for t in gaps)
        lines.append(f"Beyond chance the paper's numbers differ from ours in: {pairs}.")
    lines.append("")
    lines.append(
        "A likely reason, not tested here: the published program is known to have a defect in its two best agents,"
    )
    lines.append(
        "MinDist+Score and MinDist+Opp: taking a card from the pile sometimes doubled one card and destroyed another."
    )
    return "\n".join(lines)


def _drawn(results: Results) -> str:
    """Say what the other reading of the MinDist agent changes."""
    if "mindist-drawn" not in results.extra:
        return ""
    found = {other: results.skill(other, "mindist-drawn") for other in results.skilled if other != "mindist"}
    words = ", ".join(
        f"{name_of(other)} {share_words(skill)} (paper {paper_skill(other, 'mindist').value:.3f})"
        for other, skill in found.items()
    )
    return (
        "A second one: by its text the MinDist agent always throws the dearest card it does not"
        " need; in the published\n"
        "experiments it threw the drawn card when that gained nothing (`mindist-drawn`). Against that weaker one:\n"
        f"{words}.\nThis touches the pairs with MinDist only, not MinDist+Opp against the two others."
    )


def _gains(results: Results) -> str:
    agents = results.agents

    def cell(one: str, two: str) -> str:
        series = results.of(one, two)
        return f"{series.gain.value:+.1f} / {series.median_gain.value:+.0f}"

    widest = max(results.of(i, j).gain.high - results.of(i, j).gain.value for i in agents for j in agents)
    return f"""## Gains of the first mover

Points a deal, mean / median; the mean within {widest:.1f}. The paper prefers the median, "due to extreme values
(+-20 or +-40)"; but gains run from -80 to 80, nearly every deal is worth many points to one side, and the
median of such a
two-sided distribution jumps from one side to the other when the win rate crosses a half. The mean is what a
player takes home.

{_square(results, agents, cell)}
{_net(results)}"""


def _net(results: Results) -> str:
    """Return the points a deal between skilled agents, both orders averaged."""
    if len(results.skilled) < 2:
        return ""
    pairs = list(combinations(results.skilled, 2))
    gains = [results.net_gain(two, one) for one, two in pairs]
    corrected = holm([p_value(z_score(gain, 0)) for gain in gains])
    rows = [
        (f"{name_of(two)} against {name_of(one)}", share_words(results.skill(two, one)), signed_words(gain), p_words(p))
        for (one, two), gain, p in zip(pairs, gains, corrected, strict=True)
    ]
    lost = [
        f"{name_of(two)} against {name_of(one)}"
        for (one, two), gain in zip(pairs, gains, strict=True)
        if results.skill(two, one).low > 0.5 and gain.high < 0
    ]
    text = "\nBoth orders averaged: who wins more deals need not win more points.\n\n"
    text += table(("pair", "win rate", "points a deal", "p (Holm)"), rows)
    if lost:
        text += f"\nMore deals, but fewer points: {'; '.join(lost)}. The paper ranks by win rates.\n"
    return text


def _drops(results: Results) -> str:
    printed = paper()["table_2"]
    name = printed["agent"]
    dropper = Side(name, printed["drop_from"]).key
    if (dropper, name) not in results.series:
        return ""
    rows = []
    for label, told, one, two in (
        ("drops, moving first, against no drop", printed["drop_first"], dropper, name),
        ("no drop, moving first, against drops", printed["nodrop_first"], name, dropper),
    ):
        series = results.of(one, two)
        rows.append(
            (
                label,
                f"{told['win']:.2f}, {told['mean']:.2f}, {told['median']:.0f}",
                f"{series.win_rate.value:.3f}, {series.gain.value:.2f}, {series.median_gain.value:.0f}",
                f"{share_words(series.win_rate)}; {signed_words(series.gain)}",
            )
        )
    sweep = []
    for opponent in (name, "minscore"):
        if opponent != name and sweep_sides(results, opponent):
            sweep.append((name_of(opponent), "never", "0.0%", *_both(results, name, opponent)))
        for threshold, side in sweep_sides(results, opponent):
            dropped = (
                results.of(side.key, opponent).dropped.mean() + results.of(opponent, side.key).dropped.mean()
            ) / 2
            sweep.append((name_of(opponent), f"{threshold}", f"{dropped:.1%}", *_both(results, side.key, opponent)))
    return f"""## Table II: to drop or not to drop

{name_of(name)} with drop (first hand, MinDist > 4, 20 points) against itself without. Win rate, mean and
median gain of the first mover:

{table(("line-up", "paper", "ours", "ours, 95 %"), rows)}
The win rate is the wrong measure for a drop: it gives up a deal to save points. Both orders averaged, for every
threshold, and against a weaker opponent:

{table(("opponent", "drops from MinDist", "deals dropped", "win rate", "points a deal"), sweep)}
![Table II](table2-drop-sweep.png)

Section VII of the paper speaks of a threshold "say 3", section VIII of "> 4".
{_our_drops(results)}"""


def _our_drops(results: Results) -> str:
    """Return what our own rule for drops is worth."""
    dropper, same = OUR_DROPPER
    rows = [
        (
            name_of(opponent),
            f"{(results.of(dropper, opponent).dropped.mean() + results.of(opponent, dropper).dropped.mean()) / 2:.1%}",
            *_both(results, dropper, opponent),
            *(("",) if opponent == same else (signed_words(results.drop_gain(dropper, same, opponent)),)),
        )
        for opponent in (same, paper()["table_2"]["agent"])
        if (dropper, opponent) in results.series
    ]
    if not rows:
        return ""
    head = (f"`{dropper}` against", "deals dropped", "win rate", "points a deal", "beyond never dropping")
    return f"\nOur own rule for drops, in which a joker and the order of moves count:\n\n{table(head, rows)}"


def _both(results: Results, one: str, two: str) -> tuple[str, str]:
    return share_words(results.skill(one, two)), signed_words(results.net_gain(one, two))


def _rounds(results: Results) -> str:
    square = _square(results, results.agents, lambda i, j: f"{results.of(i, j).rounds.mean():.1f}")
    return f"""## Fig. 6: mean number of rounds

{square}
![Fig. 6](fig6-rounds.png)
"""


def _beyond(results: Results) -> str:
    if not results.extra:
        return ""
    text = "## Beyond the paper\n\nBoth orders averaged; p by Holm over the lines of a table.\n"
    for agent in results.extra:
        others = [other for other in results.agents if other != agent]
        skills = [results.skill(agent, other) for other in others]
        corrected = holm([p_value(z_score(skill, 0.5)) for skill in skills])
        rows = [
            (
                name_of(other),
                f"{results.of(agent, other).win_rate.value:.3f}",
                f"{1 - results.of(other, agent).win_rate.value:.3f}",
                share_words(skill),
                p_words(p),
                signed_words(results.net_gain(agent, other)),
            )
            for other, skill, p in zip(others, skills, corrected, strict=True)
        ]
        head = (f"`{agent}` against", "moving first", "moving second", "win rate", "p (Holm)", "points a deal")
        text += f"\n{table(head, rows)}"
        text += f"\nFirst mover's edge in self-play: {share_words(results.edge(agent))}.\n"
    return text


def _how(results: Results) -> str:
    scale = results.scale
    return f"""## How to run it

`rummylab reproduce indian --games {scale.games} --hands {scale.hands} --seed {scale.seed}` writes this
report. Raw results are kept in `raw/` and used again if nothing changed, so an interrupted
run continues. All numbers: `results.json`.
"""
