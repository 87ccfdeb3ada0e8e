"""Simple: the official baseline of the EAAI-2021 Gin Rummy challenge.

Source: the "SimpleGinRummyPlayer" of the challenge, as described on the rules page. Policy: take the upcard only if it
becomes part of a meld; discard a random card among those that leave the least deadwood; knock as soon as possible; lay
down a random arrangement with the least deadwood. Departures: where layoffs are the defender's choice (presets
``classic`` and ``openspiel``), which the original does not have, it lays off every unmelded card that fits. Measured in
docs/results/gin-baselines.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.register import register_agent
from rummylab.cards import melds
from rummylab.cards.bits import always_inline, bit, choose, lowest, rare
from rummylab.cards.rng import any_card, below
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    DONE,
    DRAW,
    KNOCK_CODE,
    LAY_OFF,
    LAY_OFF_CODE,
    MELD_CODE,
    OFFER,
    PASS,
    TAKE_UP_CARD,
    WALL,
    can_knock,
    can_take,
    cards_to_play,
    decline,
    discards,
    place_for,
    unmelded,
)

# Memory of the repeat guard: every {drawn, discarded} pair of the hand, four to a word, and a mask of all cards in such
# pairs, so that the list is searched only when the drawn card is in one.
_IN_PAIRS, _N_PAIRS, _PAIRS = 0, 1, 2
_MAX_PAIRS = 30 * 4


@helper
def _melds(table: np.void, mine: np.void) -> bool:
    """Return whether the upcard becomes part of a meld of the hand."""
    up = bit(table.up)
    return melds.melded(mine.hand | up) & up != 0


@helper
def _discard(table: np.void, mine: np.void) -> int:
    always_inline()
    legal = discards(table, mine)
    allowed = legal & ~_repeats(mine)
    cards, left = melds.best_discards(mine.hand, allowed if allowed else legal)
    card = any_card(mine, cards)
    _remember(mine, card)
    return (KNOCK_CODE if left <= table.limit and _may_knock(table, mine, card) else DISCARD_CODE) + card


@helper
def _may_knock(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether low deadwood is enough to knock; under ``knock_by_eleven`` it may not be."""
    return table.rules.knock_by_eleven == 0 or can_knock(table, mine, card)


@helper
def _repeats(mine: np.void) -> int:
    """Return the discards that would repeat a {drawn, discarded} pair of this hand."""
    drawn = np.int64(mine.drawn)
    return _paired_with(mine, drawn) if mine.memory[_IN_PAIRS] & bit(drawn) else np.int64(0)


@helper
def _paired_with(mine: np.void, drawn: int) -> int:
    rare()
    cards = np.int64(0)
    for i in range(mine.memory[_N_PAIRS]):
        pair = mine.memory[_PAIRS + (i >> 2)] >> (16 * (i & 3))
        first, second = (pair >> 6) & 63, pair & 63
        if first == drawn:
            cards |= bit(second)
        elif second == drawn:
            cards |= bit(first)
    return cards


@helper
def _remember(mine: np.void, card: int) -> None:
    n = mine.memory[_N_PAIRS]
    if 0 <= n < _MAX_PAIRS:  # so that Numba needs no code for negative indexes
        pair = (np.int64(mine.drawn) << 6) | card
        mine.memory[_PAIRS + (n >> 2)] |= pair << (16 * (n & 3))
        mine.memory[_N_PAIRS] = n + 1
        mine.memory[_IN_PAIRS] |= bit(mine.drawn) | bit(card)


@helper
def _at_the_wall(table: np.void, mine: np.void) -> int:
    """Knock with the last upcard if that is possible (preset ``openspiel``)."""
    cards, left = melds.best_discards(cards_to_play(table, mine), discards(table, mine))
    if left > table.limit or not _may_knock(table, mine, lowest(cards)):
        return PASS
    return KNOCK_CODE + any_card(mine, cards)


@helper
def _lay_off(table: np.void, mine: np.void) -> int:
    """Lay off the first unmelded card that fits."""
    _, a, b, c = melds.arrangement(mine.hand, table.rules.max_run, np.int64(0))
    loose = unmelded(table, mine) & ~(a | b | c)
    while loose:
        card = lowest(loose)
        loose &= loose - 1
        if place_for(table, bit(card)) >= 0:
            return LAY_OFF_CODE + card
    return np.int64(DONE)


@helper
def _meld(table: np.void, mine: np.void) -> int:
    """Lay down a random arrangement with the least deadwood, one meld at a time."""
    left = unmelded(table, mine)
    n, meld, _, _ = melds.arrangement(left, table.rules.max_run, np.int64(0))
    if n > 1:
        _, meld, _, _ = melds.arrangement(left, table.rules.max_run, below(mine, n))
    return MELD_CODE + melds.meld_number(meld) if meld else np.int64(DONE)


@register_agent(
    game="gin",
    name="simple",
    summary="Takes an upcard that melds, discards what leaves the least deadwood, knocks at once",
    source="EAAI-2021 Gin Rummy challenge, SimpleGinRummyPlayer",
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Take what melds; discard for the least deadwood; knock as soon as possible."""
    if table.phase == DRAW or table.phase == OFFER:
        declined = decline(table)
        return choose(_melds(table, mine), TAKE_UP_CARD, declined) if can_take(table) else declined
    if table.phase == DISCARD:
        return _discard(table, mine)
    if table.phase == WALL:
        return _at_the_wall(table, mine)
    if table.phase == LAY_OFF:
        return _lay_off(table, mine)
    return _meld(table, mine)
