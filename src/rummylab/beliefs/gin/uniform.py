"""The uniform belief: every card outside the own hand and the discard pile is equally likely in the opponent's hand.

Source: the opponent-hand paper ("Heuristic Utility Function"). It forgets even the up-cards the opponent was seen to
take; :mod:`~rummylab.beliefs.gin.counts` does not.

A belief is a helper ``fill(table, mine, par, at, out)``: it writes to ``out[13 * suit + rank]`` the probability that
the opponent holds each card. Its weights, if it has any, begin at ``par[at]``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, index_of, lowest, popcount

HAND_SIZE = 10

Floats = npt.NDArray[np.float32]


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards that are neither in the own hand nor in the pile: they lie in the stock or with the opponent."""
    return ALL_CARDS & ~(mine.hand | table.pile)


@helper
def spread_evenly(cards: int, n: int, out: Floats) -> None:
    """Share *n* held cards evenly among *cards*."""
    chance = np.float32(n / max(popcount(cards), 1))
    while cards:
        out[index_of(lowest(cards))] = chance
        cards &= cards - 1


@helper
def fill(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the uniform belief of the seat that holds *mine* to *out*."""
    for i in range(52):
        out[i] = 0.0
    spread_evenly(unseen(table, mine), np.int64(HAND_SIZE), out)
