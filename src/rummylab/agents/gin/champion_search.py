"""Champion search: the champion's values, corrected by one turn of play in sampled worlds where moves are close.

Source: ours, on the values of `champion` and the joint belief (:mod:`rummylab.beliefs.gin.joint`).

Policy. Make the champion's move unless another one is worth nearly as much. Then look ahead:

- *Discards.* Sample hands of the opponent from the joint belief: each is a world, and all candidates are tried in the
  same worlds. In a world the opponent takes the discard if it melds, and otherwise draws from the stock. With any card
  that lets them knock they may do so, and the score of that knock counts. If not, they make their cheapest discard, and
  the champion's networks value the draw that follows. The mean over the worlds makes up two fifths of the value of a
  discard, the networks' own value the rest.
- *Draws.* The value of the stock is, to three quarters, the mean over the cards that may come, each with its best
  discard or knock.
- *Knocks.* Going on is worth what the best discard is worth, worlds included. The rest is as for `champion`.

How likely the opponent is to knock depends on their knocks and gins in this match, and above all on whether they could
have knocked before: players who wait keep waiting.

The mean over worlds is noisy, and the networks see single cards of the opponent's hand rather than whole hands;
together they are better than either. The shares come from a regression on play-outs of real deals.

Departures: none. Measured in docs/results/champion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin import champion
from rummylab.agents.gin.champion import EQUITY, TARGET, prefers_knock
from rummylab.agents.gin.champion_values import (
    WORK,
    candidates,
    draw_values,
    look,
    melding_cards,
    stock_value,
    take_value,
    turn_values,
    write_chances,
)
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw
from rummylab.agents.gin.utility_search import begin
from rummylab.agents.register import register_agent
from rummylab.beliefs.gin import counts, joint
from rummylab.beliefs.gin import sampling as by_card
from rummylab.beliefs.gin.uniform import unseen
from rummylab.cards.bits import bit, lowest, noinline, popcount, stack_array, stack_record
from rummylab.cards.melds import Masks, arrangement, best_discards, melded, min_deadwood
from rummylab.cards.rng import any_card, unit
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.melds import best_lay_off
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    KNOCK_CODE,
    RECORD,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    can_knock,
    can_take,
    decline,
    discards,
    step,
)

ALL_TURNS = 99
"""A memory that forgets nothing."""
MAX_CANDIDATES = 8
N_CHANCES = 11
"""Chances of a knock: with 0 to 10 points of deadwood."""
FRESH, FRESH_TURN, FRESH_DEADWOOD, FRESH_KNOCK, FRESH_GIN = 0.5, -0.22, 0.05, 0.6, -0.37
"""Log-odds that an opponent knocks as soon as they can: at the start, and for each turn of the hand, point of deadwood,
knock of theirs in this match without gin, and gin."""
WAITED = 0.04
"""The chance that an opponent knocks who could have done so before and did not."""
JOINT, MARGINALS, COUNTS = range(3)
"""Beliefs that hands are sampled from: the joint belief; each card by itself, as likely as the joint belief says; all
unseen cards alike. The last two are for measurements."""
_TRIES = 8


@dataclass(frozen=True, kw_only=True)
class SearchOptions(AgentOptions):
    """Options of the search."""

    worlds: int = option(64, "Sampled worlds: a hand of the opponent and the card that they draw.", low=1, high=10_000)
    proposed: int = option(640, "Hands proposed by the belief, from which the worlds are drawn.", low=1, high=100_000)
    candidates: int = option(3, "Discards that are tried at most.", low=1, high=MAX_CANDIDATES)
    margin: float = option(1.5, "Moves this many points below the best are tried.", low=0)
    share: float = option(0.4, "Share of the worlds in the value of a discard.", low=0, high=1)
    draw_share: float = option(0.75, "Share of the look at all cards in the value of the stock.", low=0, high=1)
    depth: int = option(1, "Turns played in a world after a discard: 0, 1 (the opponent's) or 2.", low=0, high=2)
    belief: int = option(JOINT, "Sampled hands: 0 whole hands, 1 card by card, 2 all alike.", low=JOINT, high=COUNTS)


P = SearchOptions.indices()
CHAMPION = len(P)
"""Where the options and the trained numbers of `champion` begin in ``params``."""
VALUES = CHAMPION + champion.WEIGHTS
BELIEF = CHAMPION + EQUITY + TARGET * TARGET
"""Where the weights of the joint belief begin."""


def weights(options: SearchOptions) -> Floats:
    """Return the champion's options and trained numbers, then those of the joint belief."""
    return np.concatenate([champion.act.params, joint.bundled().flat])


# --- 1. The opponent's turn ---------------------------------------------------------------------------------------


@helper
def knock_points(knocker: int, kept: int, defender: int, rules: Any) -> int:
    """Return the points that *knocker* gets with *kept* deadwood against *defender*; negative for an undercut."""
    noinline()
    if kept == 0:
        return rules.gin_bonus + min_deadwood(defender)
    _, a, b, c = arrangement(knocker, np.int64(rules.max_run), np.int64(0))
    caught = min_deadwood(defender & ~best_lay_off(a, b, c, defender))
    return caught - kept if kept < caught else -(rules.undercut_bonus + kept - caught)


@helper
def write_knock_chances(table: np.void, seat: int, out: Floats) -> None:
    """Write how likely *seat* is to knock with 0 to 10 points, in the first turn of a hand in which they can."""
    turn = popcount(table.thrown[seat]) + 1
    gins = np.int64(table.gins[seat])
    knocks = np.int64(table.knocks[seat]) - gins
    style = FRESH + FRESH_TURN * turn + FRESH_KNOCK * min(knocks, 4) + FRESH_GIN * min(gins, 4)
    out[0] = 1.0
    for deadwood in range(1, N_CHANCES):
        out[deadwood] = 1 / (1 + np.exp(-style - FRESH_DEADWOOD * deadwood))


@helper
def knock_chance(deadwood: int, theirs: int, limit: int, chances: Floats) -> float:
    """Return the chance of a knock with *deadwood* after a draw to the ten cards *theirs*."""
    if deadwood > limit:
        return 0.0
    if deadwood > 0 and min_deadwood(theirs) <= limit:
        return WAITED
    return float(chances[min(deadwood, N_CHANCES - 1)])


@helper
def _sight_and_stock_value(table: np.void, mine: np.void, params: Params, work: np.void) -> tuple[Any, float]:
    """Return what the player sees, and what a draw from the stock is worth to them."""
    sight = look(table, mine, ALL_TURNS)
    write_chances(sight, mine.hand, params, VALUES, work)
    return sight, stock_value(table, sight, mine.hand, params, VALUES, work)


@helper
def next_value(row: np.void, seat: int, params: Params, work: np.void, values: Floats) -> float:
    """Return what the position is worth to *seat*, whose turn it is to draw; 0 if the hand has ended without a winner.

    Taking an upcard that makes no meld is hardly ever best, so it is not considered.
    """
    table, mine = row.table, row.mine[seat]
    if table.actor < 0 or table.phase != DRAW:
        return 0.0
    sight, value = _sight_and_stock_value(table, mine, params, work)
    if bit(table.up) & melding_cards(mine.hand):
        value = max(value, take_value(table, sight, mine.hand, params, VALUES, work, values))
    return float(value)


@helper
def value_after_turn(row: np.void, seat: int, drawn: int, params: Params, work: np.void, values: Floats) -> float:
    """Return what the position is worth to *seat*, whose turn it is to draw, after that turn.

    They play it as the champion would, with *drawn* on top of the stock, and the networks value what follows from the
    opponent's side.
    """
    table, mine = row.table, row.mine[seat]
    if table.actor < 0 or table.phase != DRAW:
        return 0.0
    sight, stock = _sight_and_stock_value(table, mine, params, work)
    takes = bit(table.up) & melding_cards(mine.hand) != 0
    takes = takes and take_value(table, sight, mine.hand, params, VALUES, work, values) > stock
    row.deck[row.pos] = drawn
    step(row, TAKE_UP_CARD if takes else DRAW_STOCK)
    sight = look(table, mine, ALL_TURNS)
    card, value, knock, knock_value = turn_values(table, mine, sight, params, VALUES, work, values)
    kept = min_deadwood(mine.hand & ~bit(knock)) if knock >= 0 else np.int64(0)
    if knock >= 0 and (kept == 0 or knock_value > value):
        return float(knock_points(mine.hand & ~bit(knock), kept, row.mine[1 - seat].hand, table.rules))
    step(row, DISCARD_CODE + card)
    return -next_value(row, 1 - seat, params, work, values)


@helper
def value_of_rest(row: np.void, seat: int, stock: int, params: Params, work: np.void, values: Floats) -> float:
    """Return what the position is worth to *seat* after the opponent's turn; the cards *stock* are left."""
    if params[P.depth] < 2 or stock == 0:
        return next_value(row, seat, params, work, values)
    return value_after_turn(row, seat, any_card(row.mine[seat], stock), params, work, values)


@helper
def value_of_taking(
    row: np.void, seat: int, stock: int, chances: Floats, params: Params, work: np.void, values: Floats
) -> float:
    """Return what the position is worth to *seat* if the opponent, to draw, takes the upcard and not one of *stock*."""
    table, ours = row.table, row.mine[seat].hand
    theirs, up = row.mine[1 - seat].hand, bit(table.up)
    cheapest, least = best_discards(theirs | up, theirs)
    chance = knock_chance(least, theirs, table.limit, chances)
    total = 0.0
    if chance > 0:
        total = -chance * knock_points((theirs | up) & ~(cheapest & -cheapest), least, ours, table.rules)
    if chance < 1:
        step(row, TAKE_UP_CARD)
        step(row, DISCARD_CODE + lowest(cheapest))
        total += (1 - chance) * value_of_rest(row, seat, stock, params, work, values)
    return total


@helper
def value_of_stock(
    row: np.void, seat: int, stock: int, drawn: int, chances: Floats, params: Params, work: np.void, values: Floats
) -> float:
    """Return what the position is worth to *seat* if the opponent draws from the stock, any of the cards *stock*.

    *drawn* is what they draw if they do not knock.
    """
    table, ours, theirs = row.table, row.mine[seat].hand, row.mine[1 - seat].hand
    n = popcount(stock)
    total, knocks = 0.0, 0.0
    left = stock
    while left:
        eleven = theirs | (left & -left)
        left &= left - 1
        cheapest, least = best_discards(eleven, eleven)
        chance = knock_chance(least, theirs, table.limit, chances)
        if chance > 0:
            knocks += chance
            total -= chance * knock_points(eleven & ~(cheapest & -cheapest), least, ours, table.rules)
    row.deck[row.pos] = drawn
    step(row, DRAW_STOCK)
    cheapest, _ = best_discards(theirs | bit(drawn), theirs | bit(drawn))
    step(row, DISCARD_CODE + lowest(cheapest))
    return total / n + (1 - knocks / n) * value_of_rest(row, seat, stock & ~bit(drawn), params, work, values)


@helper
def harmless_card(mine: np.void, stock: int, theirs: int, limit: int, chances: Floats) -> int:
    """Return a random card of *stock* with which the opponent goes on, if one is found soon."""
    card = np.int64(0)
    for _ in range(_TRIES):
        card = any_card(mine, stock)
        _, least = best_discards(theirs | bit(card), theirs | bit(card))
        if unit(mine) >= knock_chance(least, theirs, limit, chances):
            break
    return card


# --- 2. Moves in worlds -------------------------------------------------------------------------------------------


@helper
def sample_hands(table: np.void, mine: np.void, params: Params, hands: Masks) -> None:
    """Fill *hands* with equally likely hands of the opponent."""
    if params[P.belief] == JOINT:
        joint.sample_worlds(table, mine, mine, params, np.int64(BELIEF), np.int64(params[P.proposed]), hands)
        return
    belief = np.empty(52, np.float32)
    if params[P.belief] == MARGINALS:
        joint.fill(table, mine, params, np.int64(BELIEF), belief)
    else:
        counts.fill(table, mine, params, np.int64(BELIEF), belief)
    by_card.sample_hands(mine, unseen(table, mine), belief, np.empty(by_card.SHAPE, np.float64), hands, len(hands))


@helper
def score_discards(
    table: np.void, mine: np.void, cards: Masks, n: int, hands: Masks, params: Params, work: np.void, scores: Floats
) -> None:
    """Write to *scores* what each of the *n* discards *cards* is worth on average if the opponent holds *hands*."""
    noinline()
    rows = np.empty(2, RECORD)
    values = stack_array(64, np.float32)
    chances = stack_array(N_CHANCES, np.float32)
    seat, limit = np.int64(mine.seat), np.int64(table.limit)
    write_knock_chances(table, 1 - seat, chances)
    scores[:n] = 0.0
    for i in range(len(hands)):
        theirs = hands[i]
        begin(table, mine, theirs, mine.rng, rows[0])
        stock = unseen(table, mine) & ~theirs
        drawn = harmless_card(mine, stock, theirs, limit, chances)
        for k in range(n):
            rows[1] = rows[0]
            row = rows[1]
            step(row, DISCARD_CODE + cards[k])
            if row.table.actor < 0 or row.table.phase != DRAW:
                continue  # the last card of the stock: nobody wins
            up = bit(cards[k])
            if params[P.depth] == 0:
                scores[k] -= next_value(row, 1 - seat, params, work, values)
            elif melded(theirs | up) & up:
                scores[k] += value_of_taking(row, seat, stock, chances, params, work, values)
            else:
                scores[k] += value_of_stock(row, seat, stock, drawn, chances, params, work, values)
    scores[:n] /= len(hands)


@helper
def score_stock(table: np.void, mine: np.void, hands: Masks, params: Params, work: np.void) -> float:
    """Return what a card from the stock is worth if the opponent holds one of *hands*.

    That is the mean over the cards that may come, each with its best discard or knock.
    """
    noinline()
    rows = np.empty(2, RECORD)
    values = stack_array(64, np.float32)
    begin(table, mine, hands[0], mine.rng, rows[0])
    total, whole = 0.0, 0.0
    left = unseen(table, mine)
    while left:
        card = left & -left
        left ^= card
        chance = len(hands)
        for i in range(len(hands)):
            chance -= hands[i] & card != 0
        if chance == 0:
            continue
        rows[1] = rows[0]
        row = rows[1]
        row.deck[row.pos] = lowest(card)
        step(row, DRAW_STOCK)
        own = row.mine[mine.seat]
        sight = look(row.table, own, ALL_TURNS)
        _, value, knock, knock_value = turn_values(row.table, own, sight, params, VALUES, work, values)
        is_gin = knock >= 0 and min_deadwood(own.hand & ~bit(knock)) == 0
        total += chance * (knock_value if is_gin else max(value, knock_value))
        whole += chance
    return total / whole


# --- 3. Decisions -------------------------------------------------------------------------------------------------


@helper
def write_candidates(table: np.void, mine: np.void, values: Floats, best: int, params: Params, out: Masks) -> int:
    """Write the discards that are worth nearly as much as *best*, which comes first, to *out*; return how many."""
    left, _, _ = candidates(mine.hand, discards(table, mine))
    out[0] = best
    left &= ~bit(best)
    n = 1
    while left and n < params[P.candidates]:
        top = lowest(left)
        more = left & (left - 1)
        while more:
            if values[lowest(more)] > values[top]:
                top = lowest(more)
            more &= more - 1
        left &= ~bit(top)
        if values[top] < values[best] - params[P.margin]:
            break
        out[n] = top
        n += 1
    return n


@helper
def best_blend(cards: Masks, n: int, values: Floats, scores: Floats, share: float) -> tuple[int, float]:
    """Return the best of the *n* discards *cards*, and its value, of which *share* comes from the *scores*."""
    card, best = np.int64(-1), -1e9
    for k in range(n):
        worth = values[cards[k]] + share * (scores[k] - values[cards[k]])
        if worth > best:
            card, best = cards[k], float(worth)
    return card, best


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    """Take the upcard or decline it, whichever is worth more."""
    if not can_take(table):
        return decline(table)
    work = stack_record(WORK)
    take, stock = draw_values(table, mine, look(table, mine, ALL_TURNS), params, VALUES, work)
    if table.phase == DRAW and abs(take - stock) < params[P.margin]:
        hands = np.empty(np.int64(params[P.worlds]), np.int64)
        sample_hands(table, mine, params, hands)
        stock += params[P.draw_share] * (score_stock(table, mine, hands, params, work) - stock)
    return draw_code(table, take > stock)


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Knock or discard, whichever is worth most; show gin at once."""
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    work = stack_record(WORK)
    values = stack_array(64, np.float32)
    sight = look(table, mine, ALL_TURNS)
    card, value, knock, knock_value = turn_values(table, mine, sight, params, VALUES, work, values)
    may_knock = knock >= 0 and can_knock(table, mine, knock)
    if may_knock and min_deadwood(mine.hand & ~bit(knock)) == 0:
        return KNOCK_CODE + knock
    best = float(value)
    is_last = table.stock <= table.rules.wall  # then every discard ends the hand
    if not is_last and (not may_knock or knock_value < value + params[P.margin]):
        cards, scores = np.empty(MAX_CANDIDATES, np.int64), np.empty(MAX_CANDIDATES, np.float32)
        n = write_candidates(table, mine, values, card, params, cards)
        if n > 1 or (may_knock and abs(knock_value - value) < params[P.margin]):
            hands = np.empty(np.int64(params[P.worlds]), np.int64)
            sample_hands(table, mine, params, hands)
            score_discards(table, mine, cards, n, hands, params, work, scores)
            card, best = best_blend(cards, n, values, scores, params[P.share])
    if may_knock and prefers_knock(table, mine, float(knock_value), best, params[CHAMPION:]):
        return KNOCK_CODE + knock
    return DISCARD_CODE + card


@register_agent(
    game="gin",
    name="champion-search",
    summary="Champion that plays close moves one turn ahead in hands that the opponent may hold",
    source="ours: the champion's values and the joint belief",
    options=SearchOptions,
    weights=weights,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw, discard and knock by the learned values, close moves by worlds."""
    if is_draw(table):
        return _draw(table, mine, params)
    if table.phase == DISCARD:
        return _discard(table, mine, params)
    return closing_code(table, mine)
