"""Random legal play.

Source: the yardstick of every study. Policy: a fair coin decides between the discard pile and the stock; then any legal
move: a discard, a lay-off, or a meld of a possible lay-down. Departures: none. Measured in docs/agents/chinese.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import any_card, below
from rummylab.games.contract.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    MAX_LEGAL,
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


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return DRAW_STOCK if can_draw_stock(table) and below(mine, np.int64(2)) else DRAW_PILE
    if has_laid_down(table, mine.seat) or can_lay_down(table, mine):
        return _any_legal(table, mine)
    return DISCARD_CODE + any_card(mine, discards(table, mine))
