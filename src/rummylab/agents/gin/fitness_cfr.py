"""Fitness with CFR: the fittest of the cheapest discards, ties broken by a table of counterfactual regret minimization.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021: their
agent V4. Policy: candidates are the cards whose discard leaves the least deadwood; each gets a point for each of four
characteristics (:mod:`rummylab.agents.gin.fitness`); among those with the most points the CFR table decides, and where
it has no entry, chance. Draws and knocks follow CFR tables, too (:mod:`rummylab.agents.gin.cfr_tables` describes their
information sets; the paper does not). Departures: the likelier action of an entry is always played, rather than drawn
at random (option ``pure``), because what training leaves of a bad action is mostly noise; gin is shown at once; melds
and layoffs are left to the showdown solver; the first characteristic is read so that it can rank cards. Measured in
docs/results/card-fitness.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.cfr_tables import bundled, table_discards, table_knocks, table_takes
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw, upcard_melds
from rummylab.agents.gin.fitness import AT_RANDOM, TABLES, FitnessOptions, P, candidates, fittest
from rummylab.agents.register import register_agent
from rummylab.cards.bits import lowest, popcount
from rummylab.cards.rng import any_card
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, SHOW_BIG_GIN, can_knock, can_take, decline


@helper
def draw(table: np.void, mine: np.void, params: Params) -> int:
    """Take the upcard or decline it."""
    if not can_take(table):
        return decline(table)
    if params[P.draw_melds]:
        takes = upcard_melds(table, mine)
    else:
        takes = table_takes(table, mine, params, TABLES, params[P.pure], params[P.blend])
    return draw_code(table, takes)


@helper
def knocks(table: np.void, mine: np.void, left: int, params: Params) -> bool:
    """Return whether to knock when the discard leaves *left* points."""
    if left > table.limit:
        return False
    if params[P.knock_at] and (left <= params[P.knock_at] or not params[P.table_above]):
        return left <= params[P.knock_at]
    return table_knocks(table, mine, left, params, TABLES, params[P.pure])


@helper
def best_candidates(table: np.void, mine: np.void, params: Params) -> tuple[int, int]:
    """Return the fittest candidates, and the deadwood they leave."""
    cards, left = candidates(table, mine)
    if popcount(cards) > 1:
        cards = fittest(table, mine, cards, left, np.int64(params[P.characteristics]), np.int64(params[P.average]))
    return cards, left


@helper
def discard_or_knock(table: np.void, mine: np.void, params: Params) -> int:
    """Decide about the knock, then choose among the best candidates."""
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    cards, left = best_candidates(table, mine, params)
    may_knock = knocks(table, mine, left, params) and can_knock(table, mine, lowest(cards))
    code = KNOCK_CODE if may_knock else DISCARD_CODE
    if params[P.ties] == AT_RANDOM:
        return code + any_card(mine, cards)
    return code + table_discards(table, mine, cards, params, TABLES, params[P.pure], params[P.blend])


@helper
def choose(table: np.void, mine: np.void, params: Params) -> int:
    """Return the agent's move."""
    if is_draw(table):
        return draw(table, mine, params)
    if table.phase == DISCARD:
        return discard_or_knock(table, mine, params)
    return closing_code(table, mine)


@register_agent(
    game="gin",
    name="fitness-cfr",
    summary="Discards the fittest of the cheapest cards by four characteristics; ties, draws and knocks by CFR tables",
    source="Gallucci et al., agent V4",
    options=FitnessOptions,
    weights=lambda _: bundled().flat,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw and knock by the CFR tables; discard the fittest card."""
    return choose(table, mine, params)
