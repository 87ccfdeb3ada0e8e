"""A belief plugged into an agent: ``melder``, which keeps the cards that it can hope to meld.

The fuzzy collections of :mod:`rummylab.beliefs.gin_course.fuzzy` give the chance of every card in the stock and in every
other hand. A card's hope is the expected number of three-card melds that it lacks one card of, that card being in the
stock. An unmelded card is thrown for its value, less its hope, less what the next player could hope of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab import compiled_agent, match
from rummylab._jit import helper
from rummylab.agents.gin_course.keats import cheapest_card, is_in_meld, strip_melds, throw_or_knock
from rummylab.beliefs.gin_course import fuzzy
from rummylab.cards.bits import bit, index_of, lowest
from rummylab.games.gin.melds import MELDS
from rummylab.games.gin_course import rules as r

THREE_CARD_MELDS = np.array([meld for meld in MELDS if int(meld).bit_count() == 3])


@helper
def expected_melds(card: int, chances: Any) -> float:
    """Return how many three-card melds with *card* are expected whose other cards have these *chances*."""
    total = 0.0
    for meld in THREE_CARD_MELDS:
        if meld & bit(card):
            others = meld & ~bit(card)
            total += chances[index_of(lowest(others))] * chances[index_of(lowest(others & (others - 1)))]
    return total


@compiled_agent("gin-course", par=[1.0, 1.0])
def hopeful(table: Any, mine: Any, par: Any) -> int:
    """``melder``; par: the points that an expected meld of the own hand is worth, and one of the next player."""
    if table.phase == r.DRAW:
        return r.TAKE_UP_CARD if is_in_meld(table.up, mine.hand | bit(table.up)) else r.DRAW_STOCK
    belief = np.zeros((fuzzy.PLACES, 52), np.float32)
    fuzzy.fill(table, mine, par, 2, belief)
    taker = r.passes_to(table, mine.seat) if table.phase == r.PASS else r.next_seat(table, mine.seat)
    best, loose = -np.inf, strip_melds(mine.hand)
    card = cheapest_card(mine.hand)
    own = belief[fuzzy.STOCK]
    left = loose
    while left:
        own[index_of(lowest(left))] = 1.0
        left &= left - 1
    while loose:
        candidate = lowest(loose)
        loose &= loose - 1
        worth = (
            min((candidate & 15) + 1, 10)
            + 0.01 * (candidate & 15)
            - par[0] * expected_melds(candidate, own)
            - par[1] * expected_melds(candidate, belief[taker])
        )
        if worth > best:
            best, card = worth, candidate
    return r.PASS_CODE + card if table.phase == r.PASS else throw_or_knock(table, mine, card)


if __name__ == "__main__":
    result = match("gin-course", hopeful, "melder", games=4000, seed=7)
    print(f"hopeful: {result.points_per_hand} points a hand over melder, {result.hands / result.seconds:,.0f} hands/s")
