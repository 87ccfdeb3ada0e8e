"""Two players of basic rummy: one makes random moves, one lays down what it can and keeps what melds."""

from __future__ import annotations

import numpy as np

from basic_rummy.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    DRAW_UPCARD,
    LAY_OFF_CODE,
    MAX_LEGAL,
    is_legal,
    legal_codes,
)
from rummylab._jit import kernel_of
from rummylab.cards.bits import bit, highest
from rummylab.cards.melds import melded
from rummylab.cards.rng import below
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.rows import Params


@kernel_of(ACT)
def _random(table: np.void, mine: np.void, params: Params) -> int:
    codes = np.empty(MAX_LEGAL, np.int16)
    return np.int64(codes[below(mine, legal_codes(table, mine, codes))])


@kernel_of(ACT)
def _quick(table: np.void, mine: np.void, params: Params) -> int:
    if table.phase == DRAW:
        melds = table.up >= 0 and melded(mine.hand | bit(table.up)) >> table.up & 1
        return np.int64(DRAW_UPCARD) if melds else np.int64(DRAW_STOCK)
    codes = np.empty(MAX_LEGAL, np.int16)
    last = np.int64(codes[legal_codes(table, mine, codes) - 1])
    if last >= LAY_OFF_CODE:  # a meld, or else a layoff
        return last
    cards = mine.hand & ~melded(mine.hand)
    if cards and is_legal(table, mine, DISCARD_CODE + highest(cards)):
        return DISCARD_CODE + highest(cards)
    return last


AGENTS = (CompiledAgent("random", _random), CompiledAgent("quick", _quick))
"""Every player of the game."""
