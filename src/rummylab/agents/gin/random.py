"""Random legal play.

Source: the yardstick of every study. Policy: a fair coin decides between the up-card and the stock and whether to
accept an offer; a random legal discard; a coin decides whether to knock when that discard allows it; melds and
lay-offs are random legal moves. Departures: none. Measured in docs/results/gin-baselines.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import any_card, below
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    MAX_LEGAL,
    OFFER,
    TAKE_UP_CARD,
    can_knock,
    can_take,
    decline,
    discards,
    legal_codes,
)


@helper
def _any_legal(table: np.void, mine: np.void) -> int:
    codes = np.empty(MAX_LEGAL, np.int16)
    return np.int64(codes[below(mine, legal_codes(table, mine, codes))])


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW or table.phase == OFFER:
        return TAKE_UP_CARD if can_take(table) and below(mine, np.int64(2)) else decline(table)
    if table.phase == DISCARD:
        cards = discards(table, mine)
        card = any_card(mine, cards)
        if can_knock(table, mine, card) and below(mine, np.int64(2)):
            return KNOCK_CODE + card
        return DISCARD_CODE + card
    return _any_legal(table, mine)
