"""The uniform belief: all cards outside the player's own hand and the discard pile are equally likely.

Source: the opponent-hand paper ("Heuristic Utility Function"). It ignores even the upcards that the opponent took;
`rummylab.beliefs.gin.counts` does not.

A belief is a helper ``fill(table, mine, params, at, out)`` that writes the probability that the opponent holds each
card to ``out[13 * suit + rank]``. Its weights, if it has any, start at ``params[at]``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.fuzzy import Floats, write_chances
from rummylab.cards.bits import ALL_CARDS

HAND_SIZE = 10


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards outside the player's own hand and the pile: those in the stock or with the opponent."""
    return ALL_CARDS & ~(mine.hand | table.pile)


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the uniform belief of the seat that holds *mine* to *out*."""
    write_chances(np.int64(0), unseen(table, mine), HAND_SIZE, out)
