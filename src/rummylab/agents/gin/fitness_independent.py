"""Independent heuristics: the four characteristics of card fitness, considered one by one instead of added up.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021: their
agent V2. Policy: candidates, draws and knocks are those of `fitness-cfr`; no points are added up, and ties are broken
at random. "V2 removed a candidate card as soon as it returned true on any one of the ranking considerations": read
literally, and so by default (option ``independent`` 0), V2 drops the cards that V4 finds fittest to discard and
chooses among those with none of the characteristics, or among all candidates if there are none. Two kinder readings: 1,
one consideration after the other, each keeps the cards that have it, if there are any; 2, any card with at least one of
them. Departures: those of `fitness-cfr`. Measured in docs/results/card-fitness.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.cfr_tables import bundled
from rummylab.agents.gin.common import closing_code, has_big_gin, is_draw
from rummylab.agents.gin.fitness import ANY, ONE_BY_ONE, FitnessOptions, P, candidates, having
from rummylab.agents.gin.fitness_cfr import draw, knocks
from rummylab.agents.register import register_agent
from rummylab.cards.bits import lowest, popcount
from rummylab.cards.rng import any_card
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, SHOW_BIG_GIN, can_knock


@helper
def remaining(table: np.void, mine: np.void, cards: int, left: int, params: Params) -> int:
    """Return those of *cards* that remain candidates after all considerations."""
    used, reading = np.int64(params[P.characteristics]), np.int64(params[P.average])
    some = np.int64(0)
    for k in range(4):
        if used >> k & 1:
            fit = having(table, mine, cards, left, 1 << k, reading)
            some |= fit
            if params[P.independent] == ONE_BY_ONE and fit:
                cards = fit
    if params[P.independent] == ONE_BY_ONE:
        return cards
    kept = some if params[P.independent] == ANY else cards & ~some
    return kept if kept else cards


@helper
def _discard_or_knock(table: np.void, mine: np.void, params: Params) -> int:
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    cards, left = candidates(table, mine)
    may_knock = knocks(table, mine, left, params) and can_knock(table, mine, lowest(cards))
    code = KNOCK_CODE if may_knock else DISCARD_CODE
    if popcount(cards) > 1:
        cards = remaining(table, mine, cards, left, params)
    return code + any_card(mine, cards)


@register_agent(
    game="gin",
    name="fitness-independent",
    summary="Removes candidates that have any of four characteristics, ties at random; draws and knocks by CFR tables",
    source="Gallucci et al., agent V2",
    options=FitnessOptions,
    weights=lambda _: bundled().flat,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw and knock by the CFR tables; discard a remaining candidate."""
    if is_draw(table):
        return draw(table, mine, params)
    if table.phase == DISCARD:
        return _discard_or_knock(table, mine, params)
    return closing_code(table, mine)
