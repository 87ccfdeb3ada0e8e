"""The showdown solver: which melds to lay down and which cards to lay off, from what the actor may know.

Melding at a knock is a decision, but few agents want to think about it: they ask here. The knocker lays the
arrangement that leaves the defender least to lay off; the defender does what leaves itself least.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, bit, lowest, noinline
from rummylab.cards.melds import arrangement, best_discards, meld_number
from rummylab.games.gin import melds
from rummylab.games.gin.rules import (
    DONE,
    GIN,
    KNOCK_CODE,
    LAY_OFF,
    LAY_OFF_CODE,
    MELD_CODE,
    NO_OUTCOME,
    PASS,
    SPREAD,
    can_knock,
    cards_to_play,
    discards,
    place_for,
    settle,
    unmelded,
)


@helper
def showdown_code(table: np.void, mine: np.void) -> int:
    """Return the best next move of the actor in the phases spread, lay off and defend."""
    noinline()
    k = table.knocker
    a, b, c = table.spread[k, 0], table.spread[k, 1], table.spread[k, 2]
    cards = unmelded(table, mine)
    longest = table.rules.max_run
    if table.phase == LAY_OFF:
        return _next_lay_off(table, melds.best_lay_off(a, b, c, cards))
    if table.phase == SPREAD:
        meld, _, _ = melds.safest_spread(cards, ALL_CARDS & ~(mine.hand | table.pile), longest)
    elif table.outcome == NO_OUTCOME and not table.rules.defender_lays_off:  # not gin: layoffs will follow
        meld, _, _ = melds.best_defence(a, b, c, cards, longest)
    else:
        _, meld, _, _ = arrangement(cards, longest, 0)
    return MELD_CODE + meld_number(meld) if meld else np.int64(DONE)


@helper
def lay_down_all(row: np.void) -> None:
    """After a knock, lay down the melds of both players and settle: what `showdown_code` leads to, in one move.

    Only for rules by which the referee lays off.
    """
    noinline()
    table = row.table
    knocker, defender = table.knocker, 1 - table.knocker
    hand, longest = row.mine[knocker].hand, table.rules.max_run
    a, b, c = melds.safest_spread(hand, ALL_CARDS & ~(hand | table.pile), longest)
    if hand == a | b | c:
        table.outcome = GIN
        _, x, y, z = arrangement(row.mine[defender].hand, longest, 0)
    else:
        x, y, z = melds.best_defence(a, b, c, row.mine[defender].hand, longest)
    table.spread[knocker, 0], table.spread[knocker, 1], table.spread[knocker, 2] = a, b, c
    table.spread[defender, 0], table.spread[defender, 1], table.spread[defender, 2] = x, y, z
    settle(row)


@helper
def _next_lay_off(table: np.void, cards: int) -> int:
    """Return the layoff of the first of *cards* whose place is open, or that all is done."""
    while cards:
        card = lowest(cards)
        if place_for(table, bit(card)) >= 0:
            return LAY_OFF_CODE + card
        cards &= cards - 1
    return np.int64(DONE)


@helper
def at_the_wall(table: np.void, mine: np.void) -> int:
    """Knock with the last upcard if that is possible (preset openspiel)."""
    noinline()
    best, _ = best_discards(cards_to_play(table, mine), discards(table, mine))
    return KNOCK_CODE + lowest(best) if can_knock(table, mine, lowest(best)) else np.int64(PASS)
