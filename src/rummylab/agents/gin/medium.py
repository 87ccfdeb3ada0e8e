"""Medium: the intermediate control bot of the card-fitness paper.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021, section
"Other Agents Used in Evaluation". Policy. Draw: take the up-card if that and the best discard lower the deadwood by a
minimum (1 point; the paper does not say how much). Discard: of the cards that cannot be made into a meld with the known
cards or, if all can, of those that lower the deadwood most, keep the ones least likely to help the opponent with a meld
that is being made (fewest possible melds with an up-card the opponent has taken); throw the dearest, ties at random.
Knock: with "seven or nine deadwood" or gin, read literally; as a threshold, `medium(7)` knocks with seven or less.
Departures: melds and lay-offs are left to the showdown solver. Measured in docs/results/card-fitness.

par: [knock at this deadwood or less (0: seven, nine and gin), the minimum drop of a draw].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.fitness import candidates, unmeldable
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, popcount, stay_apart
from rummylab.cards.rng import any_card
from rummylab.games.gin.melds import best_discards, dearest, min_deadwood
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
    discards,
)
from rummylab.games.gin.showdown import at_the_wall, showdown_code

Floats = npt.NDArray[np.float32]

KNOCK_AT, MINIMUM_DROP = range(2)
OPTION_NAMES = ("knock_at", "minimum_drop")


@helper
def drops_deadwood(table: np.void, mine: np.void, minimum: int) -> bool:
    """Return whether the up-card lowers the deadwood by *minimum* or more after a card is discarded."""
    _, left = best_discards(mine.hand | bit(table.up), mine.hand)
    return min_deadwood(mine.hand) - left >= minimum


@helper
def helps_opponent(table: np.void, mine: np.void, card: int) -> int:
    """Return in how many ways *card* makes a three-card meld with an up-card the opponent took and one it may hold."""
    known = table.known[1 - mine.seat]
    his = ALL_CARDS & ~(table.pile | mine.hand)
    mask = bit(card)
    ways = 0
    for below in range(3):  # runs, by how many of their cards lie below this one
        others = (mask >> below) * 7 & ~mask
        if others & ~his == 0 and others & known:
            ways += 1
    rank = (EACH_SUIT << (card & 15)) & his & ~mask
    n, free = popcount(rank), popcount(rank & ~known)
    return ways + n * (n - 1) // 2 - free * (free - 1) // 2  # pairs, less those without a known card


@helper
def least_helpful(table: np.void, mine: np.void, cards: int) -> int:
    """Return those of *cards* that help the opponent least."""
    least = 1000
    chosen = np.int64(0)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        ways = helps_opponent(table, mine, card)
        if ways < least:
            least = ways
            chosen = np.int64(0)
        if ways == least:
            chosen |= bit(card)
    return chosen


@helper
def knocks(left: int, limit: int, par: Floats) -> bool:
    """Return whether *left* points are good for a knock: seven, nine and gin, or the threshold."""
    if left > limit:
        return False
    if par[KNOCK_AT]:
        return left <= par[KNOCK_AT]
    return left == 0 or left == 7 or left == 9


@helper
def _throw(table: np.void, mine: np.void) -> int:
    cards = unmeldable(table, mine, discards(table, mine))
    if cards == 0:
        cards, _ = candidates(table, mine)
    return any_card(mine, dearest(least_helpful(table, mine, cards)))


@helper
def _throw_or_knock(table: np.void, mine: np.void, par: Floats) -> int:
    stay_apart()
    if table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    cards, left = candidates(table, mine)
    if knocks(left, table.limit, par):
        return KNOCK_CODE + any_card(mine, cards)
    return DISCARD_CODE + _throw(table, mine)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    if table.phase == DRAW or table.phase == OFFER:
        takes = can_take(table) and drops_deadwood(table, mine, np.int64(par[MINIMUM_DROP]))
        return np.int64(TAKE_UP_CARD) if takes else decline(table)
    if table.phase == DISCARD:
        return _throw_or_knock(table, mine, par)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return showdown_code(table, mine)
