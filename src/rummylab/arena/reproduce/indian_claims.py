"""The claims of Saha et al., one by one, with a verdict that follows from the numbers."""

from __future__ import annotations

from rummylab.arena.reproduce.indian import Results, Side, paper
from rummylab.arena.reproduce.indian_analysis import (
    LEVEL,
    SEVEN,
    entries_inside,
    example_value,
    share_words,
    signed_words,
    skill_tests,
    table,
)

GOOD, BAD, WRONG = "confirmed", "**not confirmed**", "**error in the paper**"


def claims_section(results: Results) -> str:
    rows = [*_claims_on_hands(results), *_claims_on_play(results)]
    """Return the section with every claim."""
    return "## What became of the paper's claims\n\n" + table(("claim", "source", "ours", "verdict"), rows)


def _claims_on_hands(results: Results) -> list[tuple[str, str, str, str]]:
    small, large = results.samples["small"], results.samples["large"]
    told = paper()["distributions"]
    low, high = told["likely_mindist"]
    likely = float(large.distances[low : high + 1].sum())
    ours_a, ours_b = example_value("iv_a"), example_value("iv_b")
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
                f"{100 * low:.1f} to {100 * high:.1f} in self-play of the skilled four; all intervals reach into it",
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
    printed = paper()["table_2"]
    name = printed["agent"]
    dropper = Side(name, printed["drop_from"]).key
    if (dropper, name) not in results.series:
        return []
    skill, gain = results.skill(dropper, name), results.net_gain(dropper, name)
    return [
        (
            "no significant difference between dropping from MinDist 5 and never",
            "Table II",
            f"it wins less, {share_words(skill)}, and earns {signed_words(gain)} points a deal",
            BAD if not skill.low < 0.5 < skill.high else GOOD,
        )
    ]
