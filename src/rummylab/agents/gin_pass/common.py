"""Shared kernels of the agents for Gin with a passed card."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.games.gin_pass.rules import DISCARD_CODE, DRAW_STOCK, KNOCK_CODE, TAKE_UP_CARD, can_knock


@helper
def draw_code(takes: bool) -> int:
    """Return the move that takes the upcard, or draws from the stock."""
    return np.int64(TAKE_UP_CARD if takes else DRAW_STOCK)


@helper
def throw_or_knock(table: np.void, mine: np.void, card: int) -> int:
    """Return the move that discards *card*, with a knock if that is possible."""
    return (KNOCK_CODE if can_knock(table, mine, card) else DISCARD_CODE) + card
