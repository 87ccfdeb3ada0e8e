"""Random errors that make an agent weaker on purpose, as a person is."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.rng import unit


@helper
def error(mine: np.void, spread: float) -> float:
    """Return a random error with the standard deviation *spread*: nearly normal, a sum of four uniform numbers."""
    if spread <= 0:
        return 0.0
    return spread * 1.7320508 * (unit(mine) + unit(mine) + unit(mine) + unit(mine) - 2.0)
