"""Defeat-seeking: breaks its own melds and keeps the cards that count most.

Source: Saha et al., section VII, agent 2. Policy: with a meld in hand, take the upcard if it forms no meld, else draw
from the stock; without a meld, always draw from the stock. Discard the cheapest card of a meld or, without a meld, the
cheapest card of all, so that the score grows. Declare if the hand has become declarable all the same (footnote 4).
Departures: only melds without jokers are considered, because a joker is the cheapest card of any meld it could
complete and goes first anyway; for the same reason a joker as the upcard counts as forming a meld. The agent never
drops: the paper calls that unproductive here. Measured in docs/agents/indian.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import between_deals, cheapest, draw_code
from rummylab.agents.register import register_agent
from rummylab.cards.bits import EACH_SUIT, bit, lowest, popcount
from rummylab.cards.rng import any_card
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import kinds
from rummylab.games.indian.melds import GROUP
from rummylab.games.indian.minscore import pure_windows, window_cards
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD_CODE, DRAW, OVER, can_take, declarable, is_joker


@helper
def _melded(cards: int) -> int:
    """Return the cards that are part of a run or group without jokers."""
    found = np.int64(0)
    starts = pure_windows(cards, GROUP)
    while starts:
        found |= window_cards(lowest(starts), GROUP)
        starts &= starts - 1
    for rank in range(13):
        group = cards & (np.int64(EACH_SUIT) << rank)
        if popcount(group) >= GROUP:
            found |= group
    return found


@helper
def _draw(table: np.void, mine: np.void) -> int:
    if not can_take(table) or is_joker(table, table.up) or _melded(mine.hand) == 0:
        return draw_code(False)
    up = bit(table.up)
    return draw_code(_melded(mine.hand | up) & up == 0)


@register_agent(
    game="indian",
    name="defeat-seeking",
    summary="Breaks its own melds and keeps the cards that count most",
    source="Saha et al., section VII",
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw away from melds; declare if that cannot be avoided, else discard the cheapest melded card."""
    if table.phase > OVER:
        return between_deals(table, mine)
    if table.phase == DRAW:
        return _draw(table, mine)
    good = declarable(table, mine)
    if good:
        return DECLARE_CODE + lowest(good)
    melded = _melded(mine.hand)
    return DISCARD_CODE + any_card(mine, cheapest(melded if melded else kinds(mine), np.int64(table.wild)))
