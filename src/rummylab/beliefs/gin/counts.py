"""The belief from counting cards: up-cards the opponent took and kept are certain, the rest of its hand is uniform."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.gin.uniform import HAND_SIZE, Floats, spread_evenly, unseen
from rummylab.cards.bits import popcount


@helper
def fill(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the belief of the seat that holds *mine* to *out* (see :mod:`~rummylab.beliefs.gin.uniform`)."""
    for i in range(52):
        out[i] = 0.0
    known = table.known[1 - mine.seat]
    spread_evenly(known, popcount(known), out)
    spread_evenly(unseen(table, mine) & ~known, HAND_SIZE - popcount(known), out)
