"""The chance to win a match of Gin from any score.

Hands are taken to be independent and alike: each ends as a random one of many recorded hands of an agent against
itself, whoever starts. From these points the chances follow exactly, from the end of the match backward.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from rummylab.agents.registry import agent
from rummylab.cards.rng import root_of
from rummylab.engine.rules import Rules
from rummylab.engine.tensors import Floats
from rummylab.errors import OptionError

HANDS: Final = 20_000
AGENT: Final = "simple"
SEED: Final = 18


@lru_cache(maxsize=8)
def match_equity(rules: Any) -> Floats:
    """Return the chance of seat 0 to win at each pair of scores, from 0 to the target.

    Raises:
        OptionError: If matches are not played to a target by two seats.
    """
    target = int(getattr(rules.options, "target", 0))
    if rules.seats != 2 or not hasattr(rules.options, "gin_bonus") or target <= 0:
        raise OptionError(f"The reward 'equity' needs a Gin match of two to a target, not {rules!r}.")
    return solve(points_per_hand(rules), target)


def points_per_hand(rules: Rules) -> Floats:
    """Return how often a hand that somebody wins is worth so many points: index 0 is never used."""
    options = rules.options.from_dict({**rules.options.to_dict(), "target": 1})
    single: Rules = rules.spec.rules(options)
    batch, player = rules.spec.batch, agent(rules.name, AGENT)
    tallies = np.zeros(2 * HANDS, batch.tally_for(2))
    acts, params = [player.kernel] * 2, [player.params] * 2
    batch.play_pairs(single.new_rows(1), root_of(SEED), 0, acts, params, tallies)  # type: ignore[attr-defined]
    won = tallies["scores"].max(axis=1)
    counts = np.bincount(won[won > 0]).astype(np.float64)
    return np.asarray(counts / counts.sum(), np.float32)


def solve(points: Floats, target: int) -> Floats:
    """Return the chances of seat 0, who wins each hand with chance 1/2 and *points* of the given frequency."""
    table = np.zeros((target + 1, target + 1))
    table[target, :] = 1.0
    values, chances = np.flatnonzero(points), points[points > 0].astype(np.float64)
    chances /= chances.sum()
    for total in range(2 * (target - 1), -1, -1):
        for mine in range(max(0, total - target + 1), min(total, target - 1) + 1):
            theirs = total - mine
            won = table[np.minimum(mine + values, target), theirs] @ chances
            lost = table[mine, np.minimum(theirs + values, target)] @ chances
            table[mine, theirs] = (won + lost) / 2
    return np.ascontiguousarray(table, np.float32)
