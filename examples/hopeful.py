"""A belief plugged into an agent: ``melder`` that keeps the cards it can hope to meld.

The fuzzy collections of :mod:`rummylab.beliefs.gin_pass.fuzzy` give the chance of every card in the stock and in
every other hand. A card's hope is the expected number of three-card melds around it, if other cards in the agent's
hand are certain and unseen ones as likely as they are in the stock. The agent discards the unmelded card with the
highest value, less its hope, less the melds that the next player could make of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab import AgentOptions, match, option, register_agent
from rummylab._jit import helper
from rummylab.agents.gin_pass.common import throw_or_knock
from rummylab.agents.gin_pass.keats import cheapest_card, is_in_meld, strip_melds
from rummylab.beliefs.gin_pass import fuzzy
from rummylab.cards.bits import bit, index_of, lowest
from rummylab.cards.melds import MELDS
from rummylab.games.gin_pass import rules as r

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


@dataclass(frozen=True, kw_only=True)
class HopefulOptions(AgentOptions):
    """Options of the agent."""

    own_hope: float = option(1.0, "Points that an expected meld of the player's own hand is worth.")
    their_hope: float = option(1.0, "Points that an expected meld of the next player is worth.")


P = HopefulOptions.indices()


@register_agent(game="gin_pass", source="an example", options=HopefulOptions)
def hopeful(table: Any, mine: Any, params: Any) -> int:
    """Play like ``melder``, but keep the cards that may still meld."""
    if table.phase == r.DRAW:
        return r.TAKE_UP_CARD if is_in_meld(table.up, mine.hand | bit(table.up)) else r.DRAW_STOCK
    belief = np.zeros((fuzzy.PLACES, 52), np.float32)
    fuzzy.fill(table, mine, params, len(params), belief)
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
            - params[P.own_hope] * expected_melds(candidate, own)
            - params[P.their_hope] * expected_melds(candidate, belief[taker])
        )
        if worth > best:
            best, card = worth, candidate
    return r.PASS_CODE + card if table.phase == r.PASS else throw_or_knock(table, mine, card)


if __name__ == "__main__":
    result = match("gin_pass", hopeful, "melder", games=4000, seed=7)
    print(f"hopeful: {result.points_per_hand} points a hand over melder, {result.hands / result.seconds:,.0f} hands/s")
