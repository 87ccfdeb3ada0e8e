"""The belief from counting cards: up-cards the opponent took and kept are certain, the rest of its hand is uniform.

That is the opponent's hand as a fuzzy card collection (:mod:`rummylab.beliefs.fuzzy`), so it also goes by the name
``fuzzy``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.fuzzy import Floats, write_chances
from rummylab.beliefs.gin.uniform import HAND_SIZE, unseen


@helper
def fill(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the belief of the seat that holds *mine* to *out* (see :mod:`~rummylab.beliefs.gin.uniform`)."""
    known = table.known[1 - mine.seat]
    write_chances(known, unseen(table, mine) & ~known, HAND_SIZE, out)
