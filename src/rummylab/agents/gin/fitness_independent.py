"""Independent heuristics: the same four characteristics as Fitness + CFR, looked at one by one.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021: their
agent V2. Policy: candidates as in `fitness-cfr`, with the same draws and knocks; no points are added up, ties are
broken at random. "V2 removed a candidate card as soon as it returned true on any one of the ranking considerations":
read literally, and so by default (option ``independent`` 0), V2 throws away the cards that V4 finds fittest to discard,
and chooses among those that have none of the characteristics, or among all candidates if there are none. Two kinder
readings: 1, one consideration after the other, each keeps the cards that have it, if there are any; 2, any card that
has at least one of them.
Departures: as in `fitness-cfr`. Measured in docs/results/card-fitness.

par: :class:`~rummylab.agents.gin.fitness_options.FitnessOptions`, then the tables.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.cfr_tables import bundled
from rummylab.agents.gin.fitness import candidates, having
from rummylab.agents.gin.fitness_cfr import draw, knocks
from rummylab.agents.gin.fitness_options import (
    ANY,
    AVERAGE,
    CHARACTERISTICS,
    INDEPENDENT,
    NAMES,
    ONE_BY_ONE,
    check_options,
)
from rummylab.cards.bits import popcount
from rummylab.cards.rng import any_card
from rummylab.games.gin.melds import min_deadwood
from rummylab.games.gin.rules import ACT, DISCARD, DISCARD_CODE, DRAW, KNOCK_CODE, OFFER, SHOW_BIG_GIN, WALL
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
def remaining(table: np.void, mine: np.void, cards: int, left: int, par: Floats) -> int:
    """Return the candidates that remain of *cards* after the considerations."""
    used, reading = np.int64(par[CHARACTERISTICS]), np.int64(par[AVERAGE])
    some = np.int64(0)
    for k in range(4):
        if used >> k & 1:
            fit = having(table, mine, cards, left, 1 << k, reading)
            some |= fit
            if par[INDEPENDENT] == ONE_BY_ONE and fit:
                cards = fit
    if par[INDEPENDENT] == ONE_BY_ONE:
        return cards
    kept = some if par[INDEPENDENT] == ANY else cards & ~some
    return kept if kept else cards


@helper
def _throw_or_knock(table: np.void, mine: np.void, par: Floats) -> int:
    if table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    cards, left = candidates(table, mine)
    code = KNOCK_CODE if knocks(table, mine, left, par) else DISCARD_CODE
    if popcount(cards) > 1:
        cards = remaining(table, mine, cards, left, par)
    return code + any_card(mine, cards)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    if table.phase == DRAW or table.phase == OFFER:
        return draw(table, mine, par)
    if table.phase == DISCARD:
        return _throw_or_knock(table, mine, par)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return showdown_code(table, mine)
