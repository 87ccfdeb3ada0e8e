"""Random legal play.

Source: the baseline of every study. Policy: a fair coin decides between the discard pile and the stock, and whether to
buy; then any legal move: a discard, a layoff, or a meld of a possible laydown. Departures: none. Measured in
docs/agents/contract.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.register import register_agent
from rummylab.cards.rng import any_card, below
from rummylab.engine.rows import Params
from rummylab.games.contract.rules import (
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    MAX_LEGAL,
    PLAY,
    can_draw_stock,
    can_lay_down,
    discards,
    has_laid_down,
    legal_codes,
)


@helper
def _any_legal(table: np.void, mine: np.void) -> int:
    codes = np.empty(MAX_LEGAL, np.int16)
    return np.int64(codes[below(mine, legal_codes(table, mine, codes))])


@register_agent(game="contract", name="random", summary="Random legal moves", source="the baseline of every study")
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make a random legal move."""
    if table.phase == DRAW:
        return DRAW_STOCK if can_draw_stock(table) and below(mine, np.int64(2)) else DRAW_PILE
    if table.phase != PLAY or has_laid_down(table, mine.seat) or can_lay_down(table, mine):
        return _any_legal(table, mine)
    return DISCARD_CODE + any_card(mine, discards(table, mine))
