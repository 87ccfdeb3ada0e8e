"""The belief of a card counter: upcards that the opponent took and kept are certain, other cards uniform.

This is the opponent's hand as a fuzzy card collection (`rummylab.beliefs.fuzzy`), so it is also called ``fuzzy``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.fuzzy import Floats, write_chances
from rummylab.beliefs.gin.uniform import HAND_SIZE, unseen


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the belief of the seat that holds *mine* to *out* (see `rummylab.beliefs.gin.uniform`)."""
    known = table.known[1 - mine.seat]
    write_chances(known, unseen(table, mine) & ~known, HAND_SIZE, out)
