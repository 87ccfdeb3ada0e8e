"""Camper: a patient player who keeps the hand with the most outs and waits for gin.

Source: ours, the "gin hunter" that many players know from the table.

Policy. Draw: take the upcard only if it becomes part of a meld. Discard: of the unmelded cards, the one that scores
most: its points, less the outs that go with it, less the melds that the opponent may make with it, above all those with
an upcard that they took. Knock: with gin; otherwise only with little deadwood, by a limit that falls from turn to turn.
Melds and layoffs are left to the showdown solver. The numbers were tuned against Simple: `rummylab tune gin camper
--trials 150 --games 1500 --objective win_rate --against simple --seed 1`.

Departures: none. Measured in docs/results/champion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.champion_values import melding_cards
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw, upcard_melds
from rummylab.agents.gin.medium import helps_opponent
from rummylab.agents.register import register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, popcount
from rummylab.cards.melds import arrangement, best_discards
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, SHOW_BIG_GIN, can_knock, can_take, discards


@dataclass(frozen=True, kw_only=True)
class CamperOptions(AgentOptions):
    """Options of the camper; the defaults are tuned."""

    points: float = option(2.785, "For each point of the discarded card.")
    outs: float = option(4.959, "Less this for each out that goes with it.")
    neighbors: float = option(1.679, "Less this for each unseen card beside it or of its rank.")
    danger: float = option(4.398, "Less this for each meld that the opponent may make with it and a card they took.")
    open_melds: float = option(1.577, "Less this for each meld that the opponent may make with it from unseen cards.")
    knock_from: float = option(4.277, "Knock with at most this deadwood in the first turn.")
    knock_fall: float = option(2.494, "How much that limit falls with every turn.")
    haste: float = option(0.496, "Added to the weight of points with every turn.")


P = CamperOptions.indices()


@helper
def open_melds(card: int, unseen: int) -> int:
    """Count the three-card melds of *card* and two cards of *unseen*."""
    one = bit(card)
    ways = 0
    for below in range(3):
        others = (one >> below) * 7 & ~one
        if others & ~unseen == 0:
            ways += 1
    n = popcount((EACH_SUIT << (card & 15)) & unseen)
    return ways + n * (n - 1) // 2


@helper
def _choice(table: np.void, mine: np.void, params: Params, lightest: int) -> int:
    """Return the discard with the highest score."""
    noinline()
    hand = mine.hand
    unseen = ALL_CARDS & ~(hand | table.pile)
    _, a, b, c = arrangement(hand, table.rules.max_run, np.int64(0))
    cards = discards(table, mine) & ~(a | b | c)
    if cards == 0:
        cards = lightest
    outs = popcount(melding_cards(hand) & unseen)
    weight = params[P.points] + params[P.haste] * (table.turn >> 1)
    best, most = lowest(cards), np.float32(-1e9)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        one = bit(card)
        lost = outs - popcount(melding_cards(hand & ~one) & unseen & ~one)
        beside = (one << 1 | one >> 1 | (EACH_SUIT << (card & 15))) & unseen
        score = weight * min((card & 15) + 1, 10) - params[P.outs] * lost
        score -= params[P.neighbors] * popcount(beside)
        score -= params[P.danger] * helps_opponent(table, mine, card) + params[P.open_melds] * open_melds(card, unseen)
        if score > most:
            best, most = card, np.float32(score)
    return best


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Show gin, knock with little deadwood, or discard."""
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    lightest, least = best_discards(mine.hand, discards(table, mine))
    limit = params[P.knock_from] - params[P.knock_fall] * (table.turn >> 1)
    if (least == 0 or least <= limit) and can_knock(table, mine, lowest(lightest)):
        return KNOCK_CODE + lowest(lightest)
    return DISCARD_CODE + _choice(table, mine, params, lightest)


@register_agent(
    game="gin",
    name="camper",
    summary="Keeps the hand with the most outs, guards its discards and waits for gin",
    source="ours: the patient gin hunter",
    options=CamperOptions,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Take what melds; discard by outs, points and danger; knock rarely."""
    if is_draw(table):
        return draw_code(table, can_take(table) and upcard_melds(table, mine))
    if table.phase == DISCARD:
        return _discard(table, mine, params)
    return closing_code(table, mine)
