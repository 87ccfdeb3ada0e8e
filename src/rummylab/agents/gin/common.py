"""Shared kernels of the Gin Rummy agents: the draw, big gin, and what is left to the showdown solver."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import bit
from rummylab.cards.melds import melded, min_deadwood
from rummylab.games.gin.rules import DRAW, OFFER, TAKE_UP_CARD, WALL, decline
from rummylab.games.gin.showdown import at_the_wall, showdown_code


@helper
def is_draw(table: np.void) -> bool:
    """Return whether the actor takes the upcard or declines it: at a draw, or when it is offered."""
    return table.phase == DRAW or table.phase == OFFER


@helper
def draw_code(table: np.void, takes: bool) -> int:
    """Return the move that takes the upcard, or declines it."""
    return np.int64(TAKE_UP_CARD) if takes else decline(table)


@helper
def upcard_melds(table: np.void, mine: np.void) -> bool:
    """Return whether the upcard becomes part of a meld of the hand."""
    up = bit(table.up)
    return melded(mine.hand | up) & up != 0


@helper
def has_big_gin(table: np.void, mine: np.void) -> bool:
    """Return whether the hand can be shown as big gin: all eleven cards are melded, and the rules know it."""
    return table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0


@helper
def closing_code(table: np.void, mine: np.void) -> int:
    """Return the move after the last draw: the solver's at the wall or in the showdown."""
    return at_the_wall(table, mine) if table.phase == WALL else showdown_code(table, mine)
