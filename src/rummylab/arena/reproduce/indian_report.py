"""The report on Saha et al.: the paper's figure, ours, and what follows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.reproduce import plots
from rummylab.arena.reproduce.indian import SWEEP, Results, Side, paper
from rummylab.arena.statistics import Estimate, holm, p_value
from rummylab.cards.hand import Hand
from rummylab.games.indian.hand import evaluate, wild_rank

LEVEL = 0.05
NAMES = {
    "random": "Random",
    "defeat-seeking": "Defeat-seeking",
    "minscore": "MinScore",
    "mindist": "MinDist",
    "mindist-score": "MinDist+Score",
    "mindist-opp": "MinDist+Opp",
    "mindist-drawn": "MinDist (drawn)",
    "mindist-outs": "MinDist+Outs",
}
SEVEN = "2s 8s Qs Ah 5h 9h Th 4d 9d Kd 3c 8c Tc"
"""A hand of MinDist 7 with sevens wild (rules page)."""
GOOD, BAD, WRONG = "confirmed", "**not confirmed**", "**error in the paper**"


def write(results: Results, out: Path) -> Path:
    """Write the report, its figures and ``results.json``; return the report's path."""
    draw(results, out)
    (out / "results.json").write_text(json.dumps(numbers(results), indent=1) + "\n")
    report = out / "README.md"
    sections = [_head, _claims, _examples, _distributions, _win_rates, _skill, _gains, _drops, _rounds, _beyond, _how]
    report.write_text("\n".join(section(results) for section in sections))
    return report


# --- Small things ---------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def _signed(estimate: Estimate) -> str:
    return f"{estimate.value:+.2f} ({estimate.low:+.2f} to {estimate.high:+.2f})"


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _name(agent: str) -> str:
    return NAMES.get(agent, agent)


def _error(estimate: Estimate) -> float:
    """Return the standard error behind a 95 % interval."""
    return max((estimate.high - estimate.low) / (2 * 1.959964), 1e-12)


def _z(estimate: Estimate, null: float) -> float:
    return (estimate.value - null) / _error(estimate)


# --- What the paper's own numbers say -------------------------------------------------------------------------------


def paper_adjusted(mover: str, other: str) -> float:
    """Return an entry of the paper's Table I."""
    table = paper()["table_1"]
    return float(table["rows"][table["agents"].index(mover)][table["agents"].index(other)])


def paper_entry_error() -> float:
    """Return the standard error of an entry of Table I: a difference of two shares of 1,000 games each."""
    return math.sqrt(2 * 0.25 / paper()["games_a_pair"])


def paper_skill(one: str, two: str) -> Estimate:
    """Return the paper's two entries for a pair as one order-averaged share, with its interval.

    It is (p12 - p11 + p22 - p21 + 1) / 2: four shares of 1,000 games.
    """
    value = (paper_adjusted(one, two) + 1 - paper_adjusted(two, one)) / 2
    half = 1.959964 * math.sqrt(4 * 0.25 / paper()["games_a_pair"]) / 2
    return Estimate(value, value - half, value + half)


def entries_inside(low: float, high: float) -> list[tuple[str, str, float]]:
    """Return the entries of Table I, off the diagonal, that are not outside the interval."""
    agents = paper()["table_1"]["agents"]
    return [
        (one, two, paper_adjusted(one, two))
        for one in agents
        for two in agents
        if one != two and low <= paper_adjusted(one, two) <= high
    ]


def skill_tests(results: Results) -> list[dict[str, Any]]:
    """Return the test "equal skill" for every pair of skilled agents, ours and on the paper's numbers."""
    pairs = list(combinations(results.skilled, 2))
    ours, theirs = [results.skill(*pair) for pair in pairs], [paper_skill(*pair) for pair in pairs]
    p_ours = holm([p_value(_z(estimate, 0.5)) for estimate in ours])
    p_theirs = holm([p_value(_z(estimate, 0.5)) for estimate in theirs])
    # Entries of Table I are rounded to two places: a little more error.
    gaps = [
        (them.value - us.value) / math.hypot(_error(them), _error(us), 0.01 / math.sqrt(24))
        for us, them in zip(ours, theirs, strict=True)
    ]
    p_gaps = holm([p_value(gap) for gap in gaps])
    return [
        {"pair": pair, "ours": ours[k], "paper": theirs[k], "p_ours": p_ours[k], "p_paper": p_theirs[k], "p_gap": p_gaps[k]}
        for k, pair in enumerate(pairs)
    ]


# --- Figures --------------------------------------------------------------------------------------------------------


def draw(results: Results, out: Path) -> None:
    """Draw every figure."""
    small, large = results.samples["small"], results.samples["large"]
    clipped = {
        f"ours, {small.n:,} hands": _clipped(small.points()),
        f"ours, {large.n:,} hands": _clipped(large.points()),
        f"platform rule, {large.n:,} hands": _clipped(large.points("platform")),
    }
    plots.steps(
        out / "fig1-minscore-ecdf.png",
        clipped,
        x="MinScore, at most 80",
        y="share of hands at or below",
        title="Fig. 1: MinScore of random hands",
        note=(80, "cap"),
    )
    plots.histogram(
        out / "fig2-minscore-histogram.png",
        large.points(),
        x="MinScore without the cap",
        title=f"Fig. 2: MinScore of {large.n:,} random hands",
        cap=80,
    )
    plots.bars(
        out / "fig3-mindist-histogram.png",
        {
            f"{small.n:,} hands": small.distances,
            f"{large.n:,} hands": large.distances,
            "of those with MinScore 80": large.distances_at_cap(),
            f"two decks, {results.samples['two-decks'].n:,} hands": results.samples["two-decks"].distances,
        },
        x="MinDist",
        title="Fig. 3: MinDist of random hands",
    )
    _draw_tables(results, out)
    tests = skill_tests(results)
    if tests:
        plots.forest(
            out / "table1-skill.png",
            [f"{_name(test['pair'][1])} against {_name(test['pair'][0])}" for test in tests],
            {
                f"paper, {paper()['games_a_pair']:,} games a pair": [_turned(test["paper"]) for test in tests],
                f"ours, {results.scale.games:,} games a pair": [_turned(test["ours"]) for test in tests],
            },
            x="win rate, first mover's advantage taken out (95 %)",
            title="Table I: who is better?",
            null=0.5,
        )
    _draw_sweep(results, out)


def _clipped(points: Any) -> Any:
    return np.append(np.cumsum(points[:80]), 1.0)


def _turned(estimate: Estimate) -> Estimate:
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)


def _matrix(results: Results, agents: Sequence[str], what: str) -> Any:
    return np.array([[float(getattr(results.of(one, two), what).mean()) for two in agents] for one in agents])


def _draw_tables(results: Results, out: Path) -> None:
    agents, skilled = results.agents, results.skilled
    groups = [("all agents", agents), *([("the skilled four", skilled)] if skilled else [])]
    for name, what, form, colors, limits in (
        ("fig5-win-rates.png", "wins", ".3f", "PuOr_r", [(-0.1, 1.1), (0.36, 0.64)]),
        ("fig6-rounds.png", "rounds", ".1f", "YlGnBu", [(0.0, 120.0), (5.0, 8.0)]),
    ):
        title = "Fig. 5: win rate of the first mover" if what == "wins" else "Fig. 6: mean rounds"
        panels = [
            (label, [_name(agent) for agent in group], _matrix(results, group, what))
            for label, group in groups
        ]
        plots.heat_maps(
            out / name,
            panels,
            title=title,
            limits=limits[: len(panels)],
            form=form,
            colors=colors,
            x="moves second",
            y="moves first",
        )


def _sweep(results: Results, opponent: str) -> list[tuple[int, Side]]:
    name = paper()["table_2"]["agent"]
    return [(k, Side(name, k)) for k in SWEEP if (Side(name, k).key, opponent) in results.series]


def _draw_sweep(results: Results, out: Path) -> None:
    name = paper()["table_2"]["agent"]
    curves = {}
    for opponent in (name, "minscore"):
        found = _sweep(results, opponent)
        if found:
            curves[f"against {_name(opponent)}"] = [results.drop_gain(side.key, name, opponent) for _, side in found]
    if curves:
        plots.dots(
            out / "table2-drop-sweep.png",
            SWEEP,
            curves,
            x="drops a first hand of MinDist ... or more",
            y="points a deal, beyond never dropping",
            title=f"Table II: what dropping is worth to {_name(name)}",
        )


# --- Numbers --------------------------------------------------------------------------------------------------------


def numbers(results: Results) -> dict[str, Any]:
    """Return every figure of the report as plain values."""
    return {
        "scale": {key: value for key, value in asdict(results.scale).items() if key != "workers"},
        "rules": results.rules.options.to_dict(),
        "hands": {
            name: {
                "decks": sample.decks,
                "printed_jokers": sample.printed_jokers,
                "hands": sample.n,
                "mindist": sample.distances.tolist(),
                "mindist_at_cap": sample.distances_at_cap().tolist(),
                "minscore_80": {rule: sample.at_cap(rule) for rule in ("paper", "platform")},
                "minscore": {rule: sample.points(rule).tolist() for rule in ("paper", "platform")},
            }
            for name, sample in results.samples.items()
        },
        "pairs": [
            {
                "first": series.mover.key,
                "second": series.other.key,
                "games": series.n,
                "win_rate": series.win_rate.value,
                "win_rate_ci": list(series.win_rate.ci),
                "mean_gain": series.gain.value,
                "mean_gain_ci": list(series.gain.ci),
                "median_gain": series.median_gain.value,
                "median_gain_ci": list(series.median_gain.ci),
                "mean_rounds": float(series.rounds.mean()),
                "dropped": float(series.dropped.mean()),
            }
            for series in results.series.values()
        ],
    }


# --- Sections -------------------------------------------------------------------------------------------------------


def _head(results: Results) -> str:
    source = paper()
    scale = results.scale
    return f"""# Classic Indian Rummy: the experiments of Saha et al. again

{source["authors"]}: *{source["title"]}*, {source["where"]}. Every experiment of sections IV and VIII, with the paper's
figure beside ours. {scale.games:,} deals per ordered pair of agents (the paper: {source["games_a_pair"]:,}),
{scale.hands:,} random hands (the paper: {source["hands"]:,}), seed {scale.seed}; rules `paper`: one deck, one printed joker
(hands: two). Intervals are 95 %. Nothing was tuned to match.

All pairs of agents play the same deals, so line-ups are compared deal by deal. Figures 1-3, 5 and 6 of the paper are
pictures whose numbers are not in its text: there the comparison is with what the text says about them.
"""


def _claims(results: Results) -> str:
    rows = [*_claims_on_hands(results), *_claims_on_play(results)]
    return "## What became of the paper's claims\n\n" + _table(("claim", "source", "ours", "verdict"), rows)


def _claims_on_hands(results: Results) -> list[tuple[str, str, str, str]]:
    small, large = results.samples["small"], results.samples["large"]
    told = paper()["distributions"]
    low, high = told["likely_mindist"]
    likely = float(large.distances[low : high + 1].sum())
    ours_a, ours_b = _example("iv_a"), _example("iv_b")
    at_cap = large.at_cap()
    return [
        ("the example hand has MinScore 27", "IV-A", f"{ours_a.min_score}", GOOD if ours_a.min_score == 27 else WRONG),
        ("the example hand has MinScore 80", "IV-B", f"{ours_b.min_score}", GOOD if ours_b.min_score == 80 else WRONG),
        ("and MinDist 1", "IV-B", f"{ours_b.min_dist}", GOOD if ours_b.min_dist == 1 else WRONG),
        (
            "a peak of MinScore at 80",
            "Fig. 1, 2",
            f"{at_cap:.1%} of hands ({large.at_cap('platform'):.1%} by the platform rule)",
            GOOD if at_cap > 0.3 else BAD,
        ),
        (
            f"MinDist is between {low} and {high} with very high probability",
            "Fig. 3",
            f"{likely:.1%}",
            GOOD if likely > 0.9 else BAD,
        ),
        (
            "6 is the highest MinDist seen",
            "IV-B",
            f"{small.highest} in {small.n:,} hands, {large.highest} in {large.n:,}",
            GOOD if small.highest <= 6 else BAD,
        ),
        (
            "MinDist cannot exceed 9",
            "IV-B",
            f"true, but not sharp: 7 is the most with one deck, and it occurs (`{SEVEN}`, sevens wild)",
            GOOD,
        ),
    ]


def _claims_on_play(results: Results) -> list[tuple[str, str, str, str]]:
    rows: list[tuple[str, str, str, str]] = []
    best = "mindist-opp"
    if best in results.agents and len(results.skilled) == 4:
        others = [agent for agent in results.agents if agent != best]
        rates = {(i, j): results.of(i, j).win_rate.value for i in results.agents for j in results.agents}
        row = sum(rates[best, j] >= rates[i, j] for i in others for j in results.agents)
        column = sum(rates[j, best] <= rates[j, i] for i in others for j in results.agents)
        of = len(others) * len(results.agents)
        over = sum(rates[best, j] > 0.6 for j in results.agents)
        edges = [results.edge(agent) for agent in results.skilled]
        low, high = min(e.value for e in edges), max(e.value for e in edges)
        told = paper()["first_mover"]["edge"]
        tests = skill_tests(results)
        firm = [test for test in tests if test["p_ours"] < LEVEL]
        inside = entries_inside(*paper()["table_1"]["interval"])
        rows += [
            (
                "MinDist+Opp beats all others: its row of Fig. 5 is the largest throughout, its column the smallest",
                "VIII",
                f"larger in {row} of {of} comparisons, smaller in {column} of {of}",
                GOOD if row == column == of else BAD,
            ),
            (
                "it wins over 60 % in most match-ups",
                "VIII",
                f"as first mover in {over} of {len(results.agents)}; against the skilled four in"
                f" {sum(rates[best, j] > 0.6 for j in results.skilled)}",
                GOOD if sum(rates[best, j] > 0.6 for j in results.skilled) > 2 else BAD,
            ),
            (
                "the first mover has an edge of 4 to 6 points",
                "VIII",
                f"{100 * low:.1f} to {100 * high:.1f} in self-play of the skilled four, each within its interval",
                GOOD if all(e.high >= told[0] and e.low <= told[1] for e in edges) else BAD,
            ),
            (
                "all entries of Table I are outside (0.47, 0.53)",
                "VIII",
                f"{len(inside)} of its own 12 are not: " + ", ".join(f"{value:.2f}" for *_, value in inside),
                WRONG if inside else GOOD,
            ),
            (
                "MinScore < MinDist < MinDist+Score < MinDist+Opp, significant",
                "Table I",
                f"{len(firm)} of {len(tests)} pairs differ after Holm's correction; see below",
                GOOD if all(test["ours"].high < 0.5 and test["p_ours"] < LEVEL for test in tests) else BAD,
            ),
        ]
        rows += _claims_on_drops(results)
    if {"random", "defeat-seeking"} <= set(results.agents):
        both = results.of("defeat-seeking", "defeat-seeking").rounds.mean()
        lucky = results.of("random", "random").rounds.mean()
        lost = results.skill("random", "defeat-seeking")
        rows += [
            (
                "Random beats Defeat-seeking, which loses to all",
                "VIII",
                f"{lost.value:.1%} of deals for Random",
                GOOD if lost.low > 0.5 else BAD,
            ),
            (
                "games among these two run close to 100 rounds, or 70 to 80 until Random declares (footnote 4)",
                "Fig. 6",
                f"{both:.1f} rounds among defeat-seekers, {lucky:.1f} among randoms",
                GOOD if both > 95 and lucky > 65 else BAD,
            ),
        ]
    return rows


def _claims_on_drops(results: Results) -> list[tuple[str, str, str, str]]:
    table = paper()["table_2"]
    name = table["agent"]
    dropper = Side(name, table["drop_from"]).key
    if (dropper, name) not in results.series:
        return []
    skill, gain = results.skill(dropper, name), results.net_gain(dropper, name)
    return [
        (
            "no significant difference between dropping from MinDist 5 and never",
            "Table II",
            f"it wins less, {_share(skill)}, and earns {_signed(gain)} points a deal",
            BAD if not skill.low < 0.5 < skill.high else GOOD,
        )
    ]


def _example(name: str) -> Any:
    example = paper()["examples"][name]
    return evaluate(Hand.parse(example["hand"]), wild_rank(example["wild"])).value


def _examples(results: Results) -> str:
    a, b, seven = _example("iv_a"), _example("iv_b"), evaluate(Hand.parse(SEVEN), wild_rank("7")).value
    melds = " · ".join(f"`{meld}`" for meld in a.grouping)
    aim = " · ".join(f"`{meld}`" for meld in b.target)
    return f"""## The examples of section IV

- **IV-A.** `{a.hand}`, threes wild: the paper says 27 = 10 + 10 + 7. By its own rules it is {a.min_score}: four clubs are not
  needed for the pure run, so the wild `3c` completes the kings: {melds}, and only `{a.loose}` is left.
- **IV-B.** `{b.hand}`, sevens wild (suits chosen so that it can come from a deck; our copy of the paper shows
  spades throughout): the values add up to {b.min_score}, not 80. The paper's MinDist of 1 is right: {aim}, or `4s` for the nine.
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

{_table(head, rows)}
![Fig. 1](fig1-minscore-ecdf.png)
![Fig. 2](fig2-minscore-histogram.png)
![Fig. 3](fig3-mindist-histogram.png)

The point of the paper's section IV-B, in numbers: hands at the cap of 80 all look alike to MinScore, but their MinDist
is spread ({spread}).
The peak at 80 is made by the cap, which gathers every higher score; without it the most frequent score is
{int(np.argmax(large.points()))} (Fig. 2).
"""


def _square(results: Results, agents: Sequence[str], cell: Any) -> str:
    head = ("moves first \\ second", *(_name(agent) for agent in agents))
    return _table(head, [(f"**{_name(one)}**", *(cell(one, two) for two in agents)) for one in agents])


def _win_rates(results: Results) -> str:
    half = 1.96 * 0.5 / math.sqrt(results.scale.games)
    table = _square(results, results.agents, lambda i, j: f"{results.of(i, j).win_rate.value:.3f}")
    return f"""## Fig. 5: win rate of the first mover

Row moves first; half-width of the 95 % interval at most {half:.3f} (exact ones in `results.json`).

{table}
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
            f"{_name(test['pair'][1])} against {_name(test['pair'][0])}",
            _share(_turned(test["paper"])),
            _p(test["p_paper"]),
            _share(_turned(test["ours"])),
            _p(test["p_ours"]),
            _verdict(test),
            _p(test["p_gap"]),
        )
        for test in tests
    ]
    head = ("pair", "paper", "p (Holm)", "ours", "p (Holm)", "the difference is significant", "paper against ours, p (Holm)")
    return f"""## Table I: skill without the first mover's advantage

The paper's way: p\\* = p_ij - (p_ii - 0.5), row moves first. Paper / ours, each of ours within {widest:.3f}. On the
diagonal: our first mover's edge in self-play.

{_square(results, results.skilled, cell)}
**The test.** The paper compares each entry with 0.5 +- 0.03, the error of one share of 1,000 games. An entry of Table I is
a difference of two such shares, so its standard error is {paper_entry_error():.4f}, not 0.0158, and the interval is
(0.456, 0.544). It also makes twelve comparisons and corrects for none. Done right: one test per pair of agents, both orders
averaged, corrected by Holm's method over the six pairs.

{_table(head, rows)}
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
        pairs = ", ".join(f"{_name(t['pair'][1])} over {_name(t['pair'][0])}" for t in firm)
        lines.append(f"What holds: {pairs}.")
    if loose:
        pairs = ", ".join(f"{_name(t['pair'][0])} and {_name(t['pair'][1])}" for t in loose)
        lines.append(f"Not told apart: {pairs}.")
    if turned:
        pairs = ", ".join(f"{_name(t['pair'][0])} over {_name(t['pair'][1])}" for t in turned)
        lines.append(f"The other way round than in the paper: {pairs}.")
    gaps = [test for test in tests if test["p_gap"] < LEVEL]
    if gaps:
        pairs = ", ".join(f"{_name(t['pair'][1])} against {_name(t['pair'][0])}" for t in gaps)
        lines.append(f"Beyond chance the paper's numbers differ from ours in: {pairs}.")
    lines.append("")
    lines.append("A likely reason, not tested here: the published program is known to have a defect in its two best agents,")
    lines.append("MinDist+Score and MinDist+Opp: taking a card from the pile sometimes doubled one card and destroyed another.")
    return "\n".join(lines)


def _drawn(results: Results) -> str:
    """Say what the other reading of the MinDist agent changes."""
    if "mindist-drawn" not in results.extra:
        return ""
    found = {other: results.skill(other, "mindist-drawn") for other in results.skilled if other != "mindist"}
    words = ", ".join(
        f"{_name(other)} {_share(skill)} (paper {paper_skill(other, 'mindist').value:.3f})"
        for other, skill in found.items()
    )
    return (
        "A second one: by its text the MinDist agent always throws the dearest card it does not need; in the published\n"
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
(+-20 or +-40)"; but gains run from -80 to 80, nearly every deal is worth many points to one side, and the median of such a
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
    corrected = holm([p_value(_z(gain, 0)) for gain in gains])
    rows = [
        (f"{_name(two)} against {_name(one)}", _share(results.skill(two, one)), _signed(gain), _p(p))
        for (one, two), gain, p in zip(pairs, gains, corrected, strict=True)
    ]
    lost = [
        f"{_name(two)} against {_name(one)}"
        for (one, two), gain in zip(pairs, gains, strict=True)
        if results.skill(two, one).low > 0.5 and gain.high < 0
    ]
    text = "\nBoth orders averaged: who wins more deals need not win more points.\n\n"
    text += _table(("pair", "win rate", "points a deal", "p (Holm)"), rows)
    if lost:
        text += f"\nMore deals, but fewer points: {'; '.join(lost)}. The paper ranks by win rates.\n"
    return text


def _drops(results: Results) -> str:
    table = paper()["table_2"]
    name = table["agent"]
    dropper = Side(name, table["drop_from"]).key
    if (dropper, name) not in results.series:
        return ""
    rows = []
    for label, told, one, two in (
        ("drops, moving first, against no drop", table["drop_first"], dropper, name),
        ("no drop, moving first, against drops", table["nodrop_first"], name, dropper),
    ):
        series = results.of(one, two)
        rows.append(
            (
                label,
                f"{told['win']:.2f}, {told['mean']:.2f}, {told['median']:.0f}",
                f"{series.win_rate.value:.3f}, {series.gain.value:.2f}, {series.median_gain.value:.0f}",
                f"{_share(series.win_rate)}; {_signed(series.gain)}",
            )
        )
    sweep = []
    for opponent in (name, "minscore"):
        if opponent != name and _sweep(results, opponent):
            sweep.append((_name(opponent), "never", "0.0%", *_both(results, name, opponent)))
        for threshold, side in _sweep(results, opponent):
            dropped = (results.of(side.key, opponent).dropped.mean() + results.of(opponent, side.key).dropped.mean()) / 2
            sweep.append((_name(opponent), f"{threshold}", f"{dropped:.1%}", *_both(results, side.key, opponent)))
    return f"""## Table II: to drop or not to drop

{_name(name)} with drop (first hand, MinDist > 4, 20 points) against itself without. Win rate, mean and median gain of the
first mover:

{_table(("line-up", "paper", "ours", "ours, 95 %"), rows)}
The win rate is the wrong measure for a drop: it gives up a deal to save points. Both orders averaged, for every
threshold, and against a weaker opponent:

{_table(("opponent", "drops from MinDist", "deals dropped", "win rate", "points a deal"), sweep)}
![Table II](table2-drop-sweep.png)

Section VII of the paper speaks of a threshold "say 3", section VIII of "> 4".
"""


def _both(results: Results, one: str, two: str) -> tuple[str, str]:
    return _share(results.skill(one, two)), _signed(results.net_gain(one, two))


def _rounds(results: Results) -> str:
    table = _square(results, results.agents, lambda i, j: f"{results.of(i, j).rounds.mean():.1f}")
    return f"""## Fig. 6: mean number of rounds

{table}
![Fig. 6](fig6-rounds.png)
"""


def _beyond(results: Results) -> str:
    if not results.extra:
        return ""
    text = "## Beyond the paper\n\nBoth orders averaged; p by Holm over the lines of a table.\n"
    for agent in results.extra:
        others = [other for other in results.agents if other != agent]
        skills = [results.skill(agent, other) for other in others]
        corrected = holm([p_value(_z(skill, 0.5)) for skill in skills])
        rows = [
            (
                _name(other),
                f"{results.of(agent, other).win_rate.value:.3f}",
                f"{1 - results.of(other, agent).win_rate.value:.3f}",
                _share(skill),
                _p(p),
                _signed(results.net_gain(agent, other)),
            )
            for other, skill, p in zip(others, skills, corrected, strict=True)
        ]
        head = (f"`{agent}` against", "moving first", "moving second", "win rate", "p (Holm)", "points a deal")
        text += f"\n{_table(head, rows)}"
        text += f"\nFirst mover's edge in self-play: {_share(results.edge(agent))}.\n"
    return text


def _how(results: Results) -> str:
    scale = results.scale
    return f"""## How to run it

`rummylab reproduce indian --games {scale.games} --hands {scale.hands} --seed {scale.seed}` writes this report. Raw results are
kept in `raw/` and used again if nothing changed, so an interrupted run continues. All numbers: `results.json`.
"""
