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
from rummylab.games.contract import rules as r


@helper
def _any_legal(table: np.void, mine: np.void) -> int:
    codes = np.empty(r.MAX_LEGAL, np.int16)
    return np.int64(codes[below(mine, r.legal_codes(table, mine, codes))])


@register_agent(game="contract", name="random", summary="Random legal moves", source="the baseline of every study")
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make a random legal move."""
    if table.phase == r.DRAW:
        return r.DRAW_STOCK if r.can_draw_stock(table) and below(mine, np.int64(2)) else r.DRAW_PILE
    if table.phase != r.PLAY or r.has_laid_down(table, mine.seat) or r.can_lay_down(table, mine):
        return _any_legal(table, mine)
    return r.DISCARD_CODE + any_card(mine, r.discards(table, mine))
