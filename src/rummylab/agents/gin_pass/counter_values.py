"""The values of `pass-counter`: four small networks that say what a choice is worth, in points of the hand.

`AFTER` values the cards that a discard leaves, together with what the discard gives the next player. `STOCK` values a
draw from the stock, `KNOCK` a knock and `PASS` the card to hand on. Each number of seats has its own four networks. All
see the player's own hand (`write_hand`) and the public table (`write_table`); `AFTER` and `PASS` also see the card that
is given away (`write_gift`). The inputs are plain numbers, most of them between 0 and 1.

A hand is described by what the next card can do for it: for every unseen card, the least deadwood that it leads to. So
the agent counts outs of every kind, runs with a gap included.

`rummylab train pass-counter` learns the networks (:mod:`rummylab.learning.trainers.pass_counter`). Their numbers follow
the options of the agent in ``params``; the places below count from the first of them, *at*.
"""

from __future__ import annotations

from collections import namedtuple
from math import sqrt
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.agents.network import INNER, WIDTH, network, network_size
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, highest, lowest, noinline, points, popcount, ranks_of
from rummylab.cards.melds import best_discards, melded, min_deadwood
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin_pass.rules import MAX_SEATS, known_cards, next_seat, passes_to

# --- 1. Inputs ----------------------------------------------------------------------------------------------------

LEVELS = (0, 3, 6, 10, 14, 20, 27, 36)
"""Upper ends of the ranges of deadwood that the networks tell apart; there is one more above the last."""
N_LEVELS = len(LEVELS) + 1
DEADWOOD_RANGE = 0
(
    DEADWOOD,
    KNOCK_CHANCE,
    ROOT_KNOCK,
    GIN_CHANCE,
    ROOT_GIN,
    GAIN,
    OUTS,
    ROOT_OUTS,
    LOOSE,
    DEAREST,
    LONELY,
    LONELY_POINTS,
    FAR,
) = range(DEADWOOD_RANGE + N_LEVELS, DEADWOOD_RANGE + N_LEVELS + 13)
"""The hand: deadwood; chances that the next card lets us knock, gives gin, melds; the deadwood it saves; the unmelded
cards, the dearest of them, those that no single card can meld; deadwood above the knock limit."""
TABLE = FAR + 1
(
    TURN,
    ROOT_TURN,
    STOCK_LEFT,
    STOCK_SHORT,
    NEXT_PICKS,
    NEXT_KNOWN,
    NEXT_REFUSALS,
    NEXT_THROWS,
    NEXT_LAST_THROW,
    NEXT_JUST_PICKED,
    MOST_PICKS,
    LOWEST_LAST_THROW,
    LOWEST_THROWS,
    CARDS,
    STARTED,
    PASSED_ON,
) = range(TABLE, TABLE + 16)
"""The table: turns, cards left, what the next player and all others took and threw, cards dealt, who started, and
whether this seat passed its card to the next player."""
N_HAND = TABLE + 16
GIFT = N_HAND
(
    GIFT_POINTS,
    GIFT_RANK,
    KNOWN_BESIDE,
    KNOWN_BEYOND,
    KNOWN_RANK,
    THROWN_BESIDE,
    THROWN_RANK,
    REFUSED_BESIDE,
    REFUSED_RANK,
    LIVE_RUNS,
    LIVE_GROUPS,
    KNOWN_RUNS,
    KNOWN_GROUPS,
) = range(GIFT, GIFT + 13)
"""A card given away: its points and rank; cards near it that the receiver is known to hold, threw and declined; melds
with it of cards that they may hold, and those with a card that they are known to hold."""
N_AFTER = GIFT + 13

# --- 2. Places of the numbers -------------------------------------------------------------------------------------

POINTS = 20.0
"""The networks count in units of twenty points."""
AFTER = 0
STOCK = AFTER + network_size(N_AFTER)
KNOCK = STOCK + network_size(N_HAND)
PASS = KNOCK + network_size(N_HAND)
N_NUMBERS = PASS + network_size(N_AFTER)
"""Numbers of the four networks for one number of seats."""
N_SETS = MAX_SEATS - 1
"""Two, three and four seats."""

Work = namedtuple("Work", ("inputs", "first", "second"))
"""Working arrays of an evaluation."""
NOTHING = -1e9
"""The value of what cannot be done."""


@helper
def new_work() -> Any:
    """Return working arrays."""
    return Work(np.zeros(N_AFTER, np.float32), np.empty(WIDTH, np.float32), np.empty(INNER, np.float32))


# --- 3. What the networks see -------------------------------------------------------------------------------------


@helper
def write_range(deadwood: int, out: Floats, at: int) -> None:
    """Set the one of `N_LEVELS` inputs from *at* on that stands for *deadwood*."""
    level = 0
    while level < N_LEVELS - 1 and deadwood > LEVELS[level]:
        level += 1
    for i in range(N_LEVELS):
        out[at + i] = 0.0
    out[at + level] = 1.0


@helper
def next_card(hand: int, cards: int, limit: int) -> tuple[int, int, int, int, int]:
    """Return how many of *cards* let *hand* knock, give it gin and meld, the deadwood that all of them save together,
    and the cards of *hand* that one of them can meld.
    """
    before = min_deadwood(hand)
    knocks = gins = outs = saved = hopeful = np.int64(0)
    while cards:
        card = cards & -cards
        cards ^= card
        _, least = best_discards(hand | card, hand | card)
        knocks += least <= limit
        gins += least == 0
        in_melds = melded(hand | card)
        outs += in_melds & card != 0
        hopeful |= in_melds
        saved += max(before - least, 0)
    return knocks, gins, outs, saved, hopeful


@helper
def write_hand(hand: int, live: int, limit: int, out: Floats) -> None:
    """Write the inputs that describe *hand*, where *live* are the unseen cards."""
    noinline()
    deadwood = min_deadwood(hand)
    knocks, gins, outs, saved, hopeful = next_card(hand, live, limit)
    share = np.float32(1.0) / np.float32(max(popcount(live), 1))
    write_range(deadwood, out, DEADWOOD_RANGE)
    out[DEADWOOD] = np.float32(deadwood) * np.float32(0.02)
    out[KNOCK_CHANCE] = knocks * share
    out[ROOT_KNOCK] = sqrt(knocks * share)
    out[GIN_CHANCE] = 2 * gins * share
    out[ROOT_GIN] = sqrt(gins * share)
    out[GAIN] = saved * share * np.float32(0.1)
    out[OUTS] = 2 * outs * share
    out[ROOT_OUTS] = sqrt(outs * share)
    loose = hand & ~melded(hand)
    out[LOOSE] = np.float32(popcount(loose)) * np.float32(0.1)
    out[DEAREST] = np.float32(min(highest(ranks_of(loose)), 9) + 1) * np.float32(0.1) if loose else np.float32(0.0)
    lonely = loose & ~hopeful
    out[LONELY] = np.float32(popcount(lonely)) * np.float32(0.2)
    out[LONELY_POINTS] = np.float32(points(lonely)) * np.float32(0.03)
    out[FAR] = np.float32(max(deadwood - limit, 0)) * np.float32(0.03)


@helper
def card_value(card: int) -> int:
    """Return the points of *card*."""
    return min((card & 15) + 1, 10)


@helper
def mean_throw(thrown: int) -> float:
    """Return a tenth of the mean points of the cards *thrown*; those of a first discard before there is one."""
    n = popcount(thrown)
    return np.float32(points(thrown)) / np.float32(10 * n) if n else np.float32(0.9)


@helper
def last_throw(table: np.void, seat: int) -> float:
    """Return a tenth of the points of the last discard of *seat*; those of a first discard before there is one."""
    card = np.int64(table.last_discard[seat])
    return np.float32(card_value(card)) * np.float32(0.1) if card >= 0 else np.float32(0.9)


@helper
def write_table(table: np.void, mine: np.void, out: Floats) -> None:
    """Write the inputs that describe what everybody sees, from the seat *mine*."""
    me, other = np.int64(mine.seat), next_seat(table, mine.seat)
    seats = np.int64(table.rules.seats)
    turn = np.float32(min(np.int64(table.turn) // seats, 20))
    out[TURN] = turn * np.float32(0.1)
    out[ROOT_TURN] = sqrt(turn) * np.float32(0.3)
    out[STOCK_LEFT] = np.float32(table.stock) * np.float32(0.03)
    out[STOCK_SHORT] = np.float32(max(3 * seats - table.stock, 0)) * np.float32(0.1)
    out[NEXT_PICKS] = np.float32(popcount(table.picked[other])) * np.float32(0.3)
    out[NEXT_KNOWN] = np.float32(popcount(known_cards(table, mine, other))) * np.float32(0.3)
    out[NEXT_REFUSALS] = np.float32(popcount(table.refused[other])) * np.float32(0.1)
    out[NEXT_THROWS] = mean_throw(table.thrown[other])
    out[NEXT_LAST_THROW] = last_throw(table, other)
    out[NEXT_JUST_PICKED] = table.last_draw[other] >= 0 and table.known[other] >> np.int64(table.last_draw[other]) & 1
    most, last, mean = np.int64(0), np.float32(1.0), np.float32(1.0)
    for seat in range(seats):
        if seat != me:
            most = max(most, popcount(table.picked[seat]))
            last = min(last, last_throw(table, seat))
            mean = min(mean, mean_throw(table.thrown[seat]))
    out[MOST_PICKS] = np.float32(most) * np.float32(0.3)
    out[LOWEST_LAST_THROW] = last
    out[LOWEST_THROWS] = mean
    out[CARDS] = np.float32(table.rules.cards - 7) * np.float32(0.3)
    out[STARTED] = table.starter == me
    out[PASSED_ON] = table.rules.pass_card and passes_to(table, me) == other


@helper
def n_pairs(cards: int, card: int) -> tuple[int, int]:
    """Return how many runs and groups of three *card* would complete with two of *cards*."""
    below, above = bit(card) >> 1, bit(card) << 1
    runs = np.int64(cards & below != 0 and cards & below >> 1 != 0)
    runs += cards & below != 0 and cards & above != 0
    runs += cards & above != 0 and cards & above << 1 != 0
    n = popcount(cards & (EACH_SUIT << (card & 15)))
    return runs, n * (n - 1) // 2


@helper
def write_gift(table: np.void, mine: np.void, receiver: int, live: int, card: int, out: Floats) -> None:
    """Write the inputs that describe giving *card* to *receiver*, where *live* are the unseen cards."""
    this = bit(card)
    beside = ((this << 1) | (this >> 1)) & ALL_CARDS
    beyond = ((this << 2) | (this >> 2)) & ALL_CARDS
    rank = (EACH_SUIT << (card & 15)) & ~this
    known = known_cards(table, mine, receiver) & ~this
    thrown, refused = table.thrown[receiver], table.refused[receiver]
    out[GIFT_POINTS] = np.float32(card_value(card)) * np.float32(0.1)
    out[GIFT_RANK] = np.float32(card & 15) * np.float32(0.08)
    out[KNOWN_BESIDE] = popcount(known & beside)
    out[KNOWN_BEYOND] = popcount(known & beyond)
    out[KNOWN_RANK] = popcount(known & rank)
    out[THROWN_BESIDE] = popcount(thrown & beside)
    out[THROWN_RANK] = popcount(thrown & rank)
    out[REFUSED_BESIDE] = popcount(refused & beside)
    out[REFUSED_RANK] = popcount(refused & rank)
    runs, groups = n_pairs(live | known, card)
    new_runs, new_groups = n_pairs(live, card)
    out[LIVE_RUNS] = np.float32(runs) * np.float32(0.33)
    out[LIVE_GROUPS] = np.float32(groups) * np.float32(0.33)
    out[KNOWN_RUNS] = np.float32(runs - new_runs) * np.float32(0.5)
    out[KNOWN_GROUPS] = np.float32(groups - new_groups) * np.float32(0.5)


# --- 4. Values of choices -----------------------------------------------------------------------------------------


@helper
def set_of(table: np.void) -> int:
    """Return where the networks for this number of seats begin."""
    return (np.int64(table.rules.seats) - 2) * N_NUMBERS


@helper
def candidates(hand: int, allowed: int) -> int:
    """Return those of *allowed* that are worth a thought: the cards outside melds, and any that cost nothing.

    Cards of melds come into it where the meld has four cards, or another meld can take its place.
    """
    lightest, _ = best_discards(hand, allowed)
    return (allowed & ~melded(hand)) | lightest


@helper
def write_after(table: np.void, mine: np.void, hand: int, card: int, live: int, work: Any) -> None:
    """Write the inputs of `AFTER` for discarding *card* from *hand*, those of the table excepted."""
    write_hand(hand & ~bit(card), live, np.int64(table.rules.knock_limit), work.inputs)
    write_gift(table, mine, next_seat(table, mine.seat), live, card, work.inputs)


@helper
def best_discard(
    table: np.void, mine: np.void, hand: int, allowed: int, live: int, params: Params, at: int, work: Any, out: Floats
) -> int:
    """Return the discard of *allowed* that is worth most; ``out[card]`` gets the value of every candidate."""
    noinline()
    write_table(table, mine, work.inputs)
    place = at + set_of(table) + AFTER
    left = candidates(hand, allowed)
    best, most = np.int64(-1), np.float32(NOTHING)
    while left:
        card = lowest(left)
        left &= left - 1
        write_after(table, mine, hand, card, live, work)
        out[card] = network(params, place, N_AFTER, work) * np.float32(POINTS)
        if out[card] > most:
            best, most = card, out[card]
    return best


@helper
def knock_value(
    table: np.void, mine: np.void, hand: int, card: int, live: int, params: Params, at: int, work: Any
) -> float:
    """Return the value of knocking with the discard *card*."""
    write_hand(hand & ~bit(card), live, np.int64(table.rules.knock_limit), work.inputs)
    write_table(table, mine, work.inputs)
    return network(params, at + set_of(table) + KNOCK, N_HAND, work) * np.float32(POINTS)


@helper
def stock_value(table: np.void, mine: np.void, live: int, params: Params, at: int, work: Any) -> float:
    """Return the value of a draw from the stock; without cards in it the hand ends and nobody scores."""
    if table.stock == 0:
        return np.float32(0.0)
    write_hand(mine.hand, live, np.int64(table.rules.knock_limit), work.inputs)
    write_table(table, mine, work.inputs)
    return network(params, at + set_of(table) + STOCK, N_HAND, work) * np.float32(POINTS)


@helper
def knock_card(table: np.void, hand: int) -> int:
    """Return the discard of *hand* to knock with: the one that leaves the least deadwood; -1 if none is low enough."""
    cards, least = best_discards(hand, hand)
    return lowest(cards) if least <= table.rules.knock_limit else np.int64(-1)


@helper
def take_value(table: np.void, mine: np.void, live: int, params: Params, at: int, work: Any, out: Floats) -> float:
    """Return the value of taking the upcard: that of the best discard or knock with it."""
    hand = mine.hand | bit(table.up)
    card = knock_card(table, hand)
    if card >= 0 and min_deadwood(hand & ~bit(card)) == 0:
        return np.float32(-NOTHING)
    value = out[best_discard(table, mine, hand, mine.hand, live, params, at, work, out)]
    if card >= 0:
        value = max(value, knock_value(table, mine, hand, card, live, params, at, work))
    return value


@helper
def write_pass(table: np.void, mine: np.void, card: int, live: int, work: Any) -> None:
    """Write the inputs of `PASS` for handing on *card*, those of the table excepted."""
    write_hand(mine.hand & ~bit(card), live, np.int64(table.rules.knock_limit), work.inputs)
    write_gift(table, mine, passes_to(table, mine.seat), live, card, work.inputs)


@helper
def best_pass(table: np.void, mine: np.void, live: int, params: Params, at: int, work: Any, out: Floats) -> int:
    """Return the card to hand on; ``out[card]`` gets the value of every candidate."""
    noinline()
    write_table(table, mine, work.inputs)
    place = at + set_of(table) + PASS
    left = candidates(mine.hand, mine.hand)
    best, most = np.int64(-1), np.float32(NOTHING)
    while left:
        card = lowest(left)
        left &= left - 1
        write_pass(table, mine, card, live, work)
        out[card] = network(params, place, N_AFTER, work) * np.float32(POINTS)
        if out[card] > most:
            best, most = card, out[card]
    return best
