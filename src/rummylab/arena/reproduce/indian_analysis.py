"""What the results and the paper's own numbers say: tests, corrections, and words for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from rummylab.arena.reproduce.indian import SWEEP, Results, Side, paper
from rummylab.arena.statistics import Z95, Estimate, holm, p_value
from rummylab.cards.hand import Hand
from rummylab.games.indian.hand import Value, evaluate, wild_rank

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


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def share_words(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def signed_words(estimate: Estimate) -> str:
    return f"{estimate.value:+.2f} ({estimate.low:+.2f} to {estimate.high:+.2f})"


def p_words(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def name_of(agent: str) -> str:
    return NAMES.get(agent, agent)


def standard_error(estimate: Estimate) -> float:
    """Return the standard error behind a 95 % interval."""
    return max((estimate.high - estimate.low) / (2 * Z95), 1e-12)


def z_score(estimate: Estimate, null: float) -> float:
    return (estimate.value - null) / standard_error(estimate)


def turned(estimate: Estimate) -> Estimate:
    """Return a share from the other side."""
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)


def sweep_sides(results: Results, opponent: str) -> list[tuple[int, Side]]:
    name = paper()["table_2"]["agent"]
    return [(k, Side(name, k)) for k in SWEEP if (Side(name, k).key, opponent) in results.series]


def example_value(name: str) -> Value:
    """Return what a hand from the paper is worth."""
    example = paper()["examples"][name]
    return evaluate(Hand.parse(example["hand"]), wild_rank(example["wild"])).value


def paper_adjusted(mover: str, other: str) -> float:
    """Return an entry of the paper's Table I."""
    printed = paper()["table_1"]
    return float(printed["rows"][printed["agents"].index(mover)][printed["agents"].index(other)])


def paper_entry_error() -> float:
    """Return the standard error of an entry of Table I: a difference of two shares of 1,000 games each."""
    return math.sqrt(2 * 0.25 / paper()["games_a_pair"])


def paper_skill(one: str, two: str) -> Estimate:
    """Return the paper's two entries for a pair as one order-averaged share, with its interval.

    It is (p12 - p11 + p22 - p21 + 1) / 2: four shares of 1,000 games.
    """
    value = (paper_adjusted(one, two) + 1 - paper_adjusted(two, one)) / 2
    half = Z95 * math.sqrt(4 * 0.25 / paper()["games_a_pair"]) / 2
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
    p_ours = holm([p_value(z_score(estimate, 0.5)) for estimate in ours])
    p_theirs = holm([p_value(z_score(estimate, 0.5)) for estimate in theirs])
    # Entries of Table I are rounded to two places: a little more error.
    gaps = [
        (them.value - us.value) / math.hypot(standard_error(them), standard_error(us), 0.01 / math.sqrt(24))
        for us, them in zip(ours, theirs, strict=True)
    ]
    p_gaps = holm([p_value(gap) for gap in gaps])
    return [
        {
            "pair": pair,
            "ours": ours[k],
            "paper": theirs[k],
            "p_ours": p_ours[k],
            "p_paper": p_theirs[k],
            "p_gap": p_gaps[k],
        }
        for k, pair in enumerate(pairs)
    ]


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
