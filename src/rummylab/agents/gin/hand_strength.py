"""Hand strength: values a hand by the deadwood it may come to; knocks in its first turns or waits for gin.

Source: Ahmed et al., "A Heuristic Evaluation Function for Hand Strength Estimation in Gin Rummy" (MARJJ), AAAI 2021.

Policy. Draw: take the upcard if it becomes part of a meld and lowers the deadwood. Discard: of the dear unmelded cards
that leave little deadwood, the one with the least sum of three: the deadwood left; the mean deadwood after each of the
best next draws, which counts for less from turn to turn; the danger that the opponent melds the card. Neighbors and
cards of its rank that are gone make it safer, those that the opponent took make it more dangerous. Knock: in the first
turns if the chosen discard leaves a hand that may knock, later only with gin. Melds and layoffs are left to the
showdown solver.

Departures: among equal cards the lowest goes, not a random one; a card of the same rank that the opponent took counts
as dangerous once. The file that the authors published goes its own way in 5% of the discards: there a card that the
opponent took and threw later still counts as held, and queens and kings count as next to two gone cards. Neither
is done here. Measured in docs/agents/gin.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw, upcard_melds
from rummylab.agents.gin.medium import drops_deadwood
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, points, popcount
from rummylab.cards.melds import arrangement, best_discards, min_deadwood
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, SHOW_BIG_GIN, can_knock, can_take, discards

MOST_DRAWS = 16


@dataclass(frozen=True, kw_only=True)
class HandStrengthOptions(AgentOptions):
    """Options of hand strength; the defaults are those of the paper."""

    draws: int = option(6, "How many of the best next draws count.", low=1, high=MOST_DRAWS)
    future: float = option(20.0, "For each point of deadwood after them.")
    fade: float = option(0.9, "What is left of that weight after every turn.")
    margin: float = option(5.0, "Cards at most this much cheaper than the dearest, or worse than the best, may go.")
    early: int = option(3, "Turns in which it knocks if its discard leaves little enough.", low=0)
    safety: float = option(1.0, "For each point of danger of a discard.")


P = HandStrengthOptions.indices()
CAMPER = HandStrengthOptions(draws=10, fade=0.8)


@helper
def run_danger(one: int, open_cards: int, known: int) -> float:
    """Return the danger that the opponent melds the card *one* in a run; they may hold *open_cards*."""
    below, above, far_below, far_above = one >> 1, one << 1, one >> 2, one << 2
    near, far = below | above, far_below | far_above
    safe = 5 * (2 - popcount(near & open_cards)) + 3 * (2 - popcount(far & open_cards))
    if near & open_cards == 0 or (above | far_below) & open_cards == 0 or (below | far_above) & open_cards == 0:
        safe = 10
    if popcount(near & known) == 2 or popcount((above | far_above) & known) == 2:
        return 20.0 - safe
    if popcount((below | far_below) & known) == 2:
        return 20.0 - safe
    return float(5 * popcount(near & known) + 3 * popcount(far & known) - safe)


@helper
def group_danger(one: int, rank: int, open_cards: int, known: int) -> float:
    """Return the danger that the opponent melds the card *one* with others of the *rank*."""
    n_known, n_gone = popcount(rank & known & ~one), 3 - popcount(rank & open_cards & ~one)
    risk = 20 if n_known >= 2 else 4 * n_known
    safe = 10 if n_gone >= 2 else 4 * n_gone
    return float(risk - safe)


@helper
def deadwood_to_come(ten: int, unseen: int, draws: int) -> float:
    """Return the mean deadwood of *ten* cards after each of the best next *draws* and the best discard."""
    noinline()
    least = np.full(MOST_DRAWS, 100, np.int64)
    n = min(draws, popcount(unseen))
    if n == 0:
        return float(min_deadwood(ten))
    while unseen:
        eleven = ten | unseen & -unseen
        unseen &= unseen - 1
        _, left = best_discards(eleven, eleven)
        at = n - 1
        if left >= least[at]:
            continue
        while at > 0 and least[at - 1] > left:
            least[at] = least[at - 1]
            at -= 1
        least[at] = left
    return float(least[:n].sum()) / n


@helper
def _choice(table: np.void, mine: np.void, params: Params, least: int) -> int:
    """Return the discard with the least sum of deadwood now, deadwood to come and danger."""
    noinline()
    hand = mine.hand
    known = table.known[1 - mine.seat]
    unseen = ALL_CARDS & ~(hand | table.pile | known)
    _, a, b, c = arrangement(hand, table.rules.max_run, np.int64(0))
    allowed = discards(table, mine)
    cards = allowed & ~(a | b | c)
    if cards == 0:
        cards = allowed
    dearest = 0
    left = cards
    while left:
        dearest = max(dearest, points(left & -left))
        left &= left - 1
    weight = params[P.future] * params[P.fade] ** np.float32(table.turn >> 1)
    best, lowest_sum = lowest(cards), np.float32(1e9)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        one = bit(card)
        ten = hand & ~one
        deadwood = min_deadwood(ten)
        if points(one) < dearest - params[P.margin] or deadwood > least + params[P.margin]:
            continue
        danger = run_danger(one, unseen | known, known)
        danger += group_danger(one, EACH_SUIT << (card & 15), unseen | known, known)
        found = deadwood + weight * deadwood_to_come(ten, unseen, np.int64(params[P.draws])) + params[P.safety] * danger
        if found < lowest_sum:
            best, lowest_sum = card, np.float32(found)
    return best


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Show gin, knock in an early turn, or discard."""
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    lightest, least = best_discards(mine.hand, discards(table, mine))
    if least == 0 and can_knock(table, mine, lowest(lightest)):
        return KNOCK_CODE + lowest(lightest)
    card = _choice(table, mine, params, least)
    if table.turn >> 1 < params[P.early] and can_knock(table, mine, card):
        return KNOCK_CODE + card
    return DISCARD_CODE + card


@register_agent(
    game="gin",
    name="hand-strength",
    summary="Values a hand by the deadwood it may come to; knocks in its first turns or waits for gin",
    source="Ahmed et al., a heuristic of hand strength",
    options=HandStrengthOptions,
    variants={
        "camper": Variant(
            summary="Keeps the hand with the least deadwood to come, guards its discards and waits for gin",
            source="ours: the patient gin hunter",
            options=CAMPER,
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Take what melds and helps; discard by strength and danger; knock early or with gin."""
    if is_draw(table):
        takes = can_take(table) and upcard_melds(table, mine) and drops_deadwood(table, mine, np.int64(1))
        return draw_code(table, takes)
    if table.phase == DISCARD:
        return _discard(table, mine, params)
    return closing_code(table, mine)
