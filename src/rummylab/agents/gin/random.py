"""Random legal play.

Source: the baseline of every study. Policy: a fair coin decides between the upcard and the stock and whether to accept
an offer; the discard is random; a coin decides whether to knock when that discard allows it; melds and layoffs are
random legal moves. Departures: none. Measured in docs/results/gin-baselines.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.register import register_agent
from rummylab.cards.bits import choose, rare
from rummylab.cards.rng import any_card, below
from rummylab.engine.rows import Params
from rummylab.games.gin import rules as r


@helper
def _any_legal(table: np.void, mine: np.void) -> int:
    rare()
    codes = np.empty(r.MAX_LEGAL, np.int16)
    return np.int64(codes[below(mine, r.legal_codes(table, mine, codes))])


@register_agent(game="gin", name="random", summary="Random legal moves", source="the baseline of every study")
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make a random legal move."""
    if table.phase == r.DRAW or table.phase == r.OFFER:
        declined = r.decline(table)
        return choose(below(mine, np.int64(2)) != 0, r.TAKE_UP_CARD, declined) if r.can_take(table) else declined
    if table.phase == r.DISCARD:
        cards = r.discards(table, mine)
        card = any_card(mine, cards)
        if r.can_knock(table, mine, card) and below(mine, np.int64(2)):
            return r.KNOCK_CODE + card
        return r.DISCARD_CODE + card
    return _any_legal(table, mine)
