"""Fitness + CFR: the fittest of the cheapest discards, ties decided by a table of counterfactual regret.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021: their
agent V4. Policy: candidates are the cards whose discard leaves least deadwood; each gets a point for each of four
characteristics (:mod:`rummylab.agents.gin.fitness`); among those with most points the CFR table decides, and where it
has no entry, chance. Draws and knocks go by CFR tables, too (:mod:`rummylab.agents.gin.cfr_tables` says what they
look at; the paper does not). Departures: of an entry the likelier action is played, not lots drawn (option ``pure``):
what training leaves of a bad action is mostly noise; gin is shown at once; melds and lay-offs are left to the showdown
solver; the first characteristic is read so that it can rank. Measured in docs/results/card-fitness.

par: :class:`~rummylab.agents.gin.fitness_options.FitnessOptions`, then the tables.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.cfr_tables import bundled, table_knocks, table_takes, table_throws
from rummylab.agents.gin.fitness import candidates, fittest
from rummylab.agents.gin.fitness_options import (
    AT_RANDOM,
    AVERAGE,
    BLEND,
    CHARACTERISTICS,
    DRAW_MELDS,
    KNOCK_AT,
    NAMES,
    PURE,
    TABLE_ABOVE,
    TABLES,
    TIES,
    check_options,
)
from rummylab.cards.bits import bit, popcount
from rummylab.cards.rng import any_card
from rummylab.games.gin.melds import melded, min_deadwood
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    OFFER,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    WALL,
    can_take,
    decline,
)
from rummylab.games.gin.showdown import at_the_wall, showdown_code

Floats = npt.NDArray[np.float32]

OPTION_NAMES = NAMES
CHECK_OPTIONS = check_options


def __getattr__(name: str) -> Floats:
    """Read the trained tables when the agent is asked for: training, which makes them, does not need them."""
    if name == "WEIGHTS":
        return bundled().flat
    raise AttributeError(name)


@helper
def draw(table: np.void, mine: np.void, par: Floats) -> int:
    """Take the up-card or decline it."""
    if not can_take(table):
        return decline(table)
    if par[DRAW_MELDS]:
        takes = melded(mine.hand | bit(table.up)) & bit(table.up) != 0
    else:
        takes = table_takes(table, mine, par, TABLES, par[PURE], par[BLEND])
    return np.int64(TAKE_UP_CARD) if takes else decline(table)


@helper
def knocks(table: np.void, mine: np.void, left: int, par: Floats) -> bool:
    """Decide whether to knock when the discard leaves *left* points."""
    if left > table.limit:
        return False
    if par[KNOCK_AT] and (left <= par[KNOCK_AT] or not par[TABLE_ABOVE]):
        return left <= par[KNOCK_AT]
    return table_knocks(table, mine, left, par, TABLES, par[PURE])


@helper
def best_candidates(table: np.void, mine: np.void, par: Floats) -> tuple[int, int]:
    """Return the candidates of the highest fitness, and the deadwood they leave."""
    cards, left = candidates(table, mine)
    if popcount(cards) > 1:
        cards = fittest(table, mine, cards, left, np.int64(par[CHARACTERISTICS]), np.int64(par[AVERAGE]))
    return cards, left


@helper
def throw_or_knock(table: np.void, mine: np.void, par: Floats) -> int:
    """Decide about the knock, then choose among the best candidates."""
    if table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    cards, left = best_candidates(table, mine, par)
    code = KNOCK_CODE if knocks(table, mine, left, par) else DISCARD_CODE
    if par[TIES] == AT_RANDOM:
        return code + any_card(mine, cards)
    return code + table_throws(table, mine, cards, par, TABLES, par[PURE], par[BLEND])


@helper
def choose(table: np.void, mine: np.void, par: Floats) -> int:
    """Return the agent's move."""
    if table.phase == DRAW or table.phase == OFFER:
        return draw(table, mine, par)
    if table.phase == DISCARD:
        return throw_or_knock(table, mine, par)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return showdown_code(table, mine)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    return choose(table, mine, par)
