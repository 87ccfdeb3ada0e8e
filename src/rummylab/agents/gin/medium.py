"""Medium: the intermediate control bot of the card-fitness paper.

Source: Gallucci, Bowser, Kettell and Overton, "Estimating Card Fitness for Discard in Gin Rummy", AAAI 2021, section
"Other Agents Used in Evaluation". Policy. Draw: take the upcard if that and the best discard lower the deadwood by a
minimum (1 point; the paper does not say how much). Discard: start from the cards that cannot be made into a meld with
the known cards or, if there are none, from those that lower the deadwood most; keep the ones least likely to help the
opponent with a meld they are making (fewest possible melds with an upcard they have taken); discard the costliest,
breaking ties at random. Knock: with "seven or nine deadwood" or gin, read literally; with the option ``knock_at``, at
that deadwood or less. Departures: melds and layoffs are left to the showdown solver. Measured in
docs/results/card-fitness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw
from rummylab.agents.gin.fitness import candidates, unmeldable
from rummylab.agents.register import register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, popcount
from rummylab.cards.melds import best_discards, dearest, min_deadwood
from rummylab.cards.rng import any_card
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, SHOW_BIG_GIN, can_knock, can_take, discards


@dataclass(frozen=True, kw_only=True)
class MediumOptions(AgentOptions):
    """Options of Medium."""

    knock_at: int = option(0, "Knock with at most this deadwood; 0 knocks with seven, nine and gin.", low=0)
    minimum_drop: int = option(1, "Take the upcard if it lowers the deadwood by this much or more.")


P = MediumOptions.indices()


@helper
def drops_deadwood(table: np.void, mine: np.void, minimum: int) -> bool:
    """Return whether the upcard lowers the deadwood by *minimum* or more after a discard."""
    _, left = best_discards(mine.hand | bit(table.up), mine.hand)
    return min_deadwood(mine.hand) - left >= minimum


@helper
def helps_opponent(table: np.void, mine: np.void, card: int) -> int:
    """Count the three-card melds of *card*, an upcard that the opponent took and another that they may hold."""
    known = table.known[1 - mine.seat]
    theirs = ALL_CARDS & ~(table.pile | mine.hand)
    mask = bit(card)
    ways = 0
    for below in range(3):  # runs, by how many of their cards lie below this one
        others = (mask >> below) * 7 & ~mask
        if others & ~theirs == 0 and others & known:
            ways += 1
    rank = (EACH_SUIT << (card & 15)) & theirs & ~mask
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
def knocks(left: int, limit: int, knock_at: float) -> bool:
    """Return whether to knock with *left* points: seven, nine and gin, or the threshold."""
    if left > limit:
        return False
    if knock_at:
        return left <= knock_at
    return left == 0 or left == 7 or left == 9


@helper
def _discard(table: np.void, mine: np.void) -> int:
    cards = unmeldable(table, mine, discards(table, mine))
    if cards == 0:
        cards, _ = candidates(table, mine)
    return any_card(mine, dearest(least_helpful(table, mine, cards)))


@helper
def _discard_or_knock(table: np.void, mine: np.void, knock_at: float) -> int:
    noinline()
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    cards, left = candidates(table, mine)
    if knocks(left, table.limit, knock_at) and can_knock(table, mine, lowest(cards)):
        return KNOCK_CODE + any_card(mine, cards)
    return DISCARD_CODE + _discard(table, mine)


@register_agent(
    game="gin",
    name="medium",
    summary="Discards what it cannot meld and what helps the opponent least; knocks with seven, nine or gin",
    source="Gallucci et al., the intermediate control bot",
    options=MediumOptions,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw for less deadwood; discard what is useless to both; knock by the options."""
    if is_draw(table):
        takes = can_take(table) and drops_deadwood(table, mine, np.int64(params[P.minimum_drop]))
        return draw_code(table, takes)
    if table.phase == DISCARD:
        return _discard_or_knock(table, mine, params[P.knock_at])
    return closing_code(table, mine)
