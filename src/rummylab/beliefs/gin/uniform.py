"""The uniform belief: every card outside the own hand and the discard pile is equally likely in the opponent's hand.

Source: the opponent-hand paper ("Heuristic Utility Function"). It forgets even the up-cards the opponent was seen to
take; :mod:`~rummylab.beliefs.gin.counts` does not.

A belief is a helper ``fill(table, mine, par, at, out)``: it writes to ``out[13 * suit + rank]`` the probability that
the opponent holds each card. Its weights, if it has any, begin at ``par[at]``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.fuzzy import Floats, write_chances
from rummylab.cards.bits import ALL_CARDS

HAND_SIZE = 10


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards that are neither in the own hand nor in the pile: they lie in the stock or with the opponent."""
    return ALL_CARDS & ~(mine.hand | table.pile)


@helper
def fill(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the uniform belief of the seat that holds *mine* to *out*."""
    write_chances(np.int64(0), unseen(table, mine), HAND_SIZE, out)
