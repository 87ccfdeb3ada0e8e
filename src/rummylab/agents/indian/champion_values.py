"""The values of `indian-champion`: two small networks that say what a choice is worth, in points of the deal.

`AFTER` values the thirteen cards that a discard leaves, together with what the discard may give away. `STOCK` values a
draw from the stock. Both see the player's own hand (`write_hand`) and the public table (`write_table`); `AFTER` also
sees the discard (`write_discard`). The inputs are plain numbers, most of them between 0 and 1.

`rummylab train indian-champion` learns the networks (:mod:`rummylab.learning.trainers.indian_champion`). Their numbers
follow the options of the agent in ``params``, from place *at* on: how many sets of the two networks there are, then one
set after another. A choice is worth the mean over the sets. The places below count from the first number of a set.
"""

from __future__ import annotations

from collections import namedtuple
from math import sqrt
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import at_step, next_seat
from rummylab.agents.indian.mindist_outs import N_FEATURES, write_features
from rummylab.agents.network import INNER, WIDTH, network, network_size
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import take_away
from rummylab.engine.rows import Floats, Params
from rummylab.games.indian.melds import card_points, paired_ranks, rank_points
from rummylab.games.indian.mindist import discard_outs, discards14, live_outs
from rummylab.games.indian.minscore import PAPER, min_score, pure_windows
from rummylab.games.indian.rules import PLAYING, is_joker

# --- 1. Inputs ----------------------------------------------------------------------------------------------------

N_DISTANCES = 7
"""Distances that the networks tell apart; the last one stands for anything above."""
DISTANCE = 0
OUTS_AT = DISTANCE + N_DISTANCES
N_OUTS_AT = 5
(
    OUTS,
    ROOT_OUTS,
    SOON,
    SCORE,
    FULL_SCORE,
    IS_FULL,
    HAS_PURE,
    TWO_PURE,
    JOKERS,
    NO_JOKER,
    MANY_JOKERS,
    PRINTED,
    WEIGHT,
    SCORE_WHEN_NEAR,
    RUN_CHANCE,
    FIRST_RUN,
    ROOT_FIRST_RUN,
    LINKS,
    LONE,
    PAIRS,
) = range(OUTS_AT + N_OUTS_AT, OUTS_AT + N_OUTS_AT + 20)
"""The hand: chance that the next card lowers the distance (by distance, plain, its root, within three cards); MinScore
up to the cap, beyond it, and whether it is the cap; pure runs; jokers; points of all cards; MinScore near the end;
chance that the next card makes a pure run (any; the first one, and its root) or lies near a card in suit; cards that
lie near no other; ranks held more than once."""
TABLE = PAIRS + 1
(
    DRAWS,
    ROOT_DRAWS,
    THEIR_DRAWS,
    THEIR_PICKS,
    THEIR_KNOWN,
    THEIR_REFUSALS,
    THEIR_THROWS,
    THEIR_LAST_THROW,
    THEY_JUST_PICKED,
    STOCK_LEFT,
    RESHUFFLES,
    STARTED,
    OTHERS,
    IS_DUEL,
    MOST_PICKS,
    TWO_DECKS,
    IS_STRICT,
    PILE_JOKERS,
    LIVE,
    LIVE_JOKERS,
) = range(TABLE, TABLE + 20)
"""The table: draws so far, what the next player took, declined and threw, cards left, the players and the rules."""
N_HAND = TABLE + 20
THROW = N_HAND
(THROW_POINTS, THROW_JOKER, THROW_DRAWN_UP) = range(THROW, THROW + 3)
DANGER = THROW + 3
N_AFTER = DANGER + N_FEATURES
"""Inputs of `AFTER`: the hand, the table, the discard and its danger. `STOCK` has the first `N_HAND` of them."""

_DANGER_SCALE = 0.25
"""Counts of cards near the discard become numbers near 1."""

# --- 2. Places of the numbers -------------------------------------------------------------------------------------

POINTS = 20.0
"""The networks count in units of twenty points."""


AFTER = 0
STOCK = AFTER + network_size(N_AFTER)
N_WEIGHTS = STOCK + network_size(N_HAND)
"""How many numbers a set has."""

Work = namedtuple("Work", ("inputs", "first", "second", "danger", "found", "values"))
"""Working arrays of an evaluation. ``values[card]`` is the value of a discard, ``found[card]`` its outs."""
NOTHING = -1e9
"""The value of what cannot be done."""


@helper
def new_work() -> Any:
    """Return working arrays."""
    return Work(
        np.zeros(N_AFTER, np.float32),
        np.empty(WIDTH, np.float32),
        np.empty(INNER, np.float32),
        np.empty(N_FEATURES, np.float32),
        np.empty(JOKER_ID + 1, np.int64),
        np.empty(JOKER_ID + 1, np.float32),
    )


# --- 3. What the networks see -------------------------------------------------------------------------------------


@helper
def write_hand(
    table: np.void, once: int, twice: int, jokers: int, distance: int, found: int, live: Any, out: Floats
) -> None:
    """Write the inputs that describe thirteen cards of known *distance*, whose outs are *found*."""
    for i in range(TABLE):
        out[i] = 0.0
    wild = np.int64(table.wild)
    column = np.int64(EACH_SUIT) << wild
    score = min_score(once, twice, jokers, wild, np.int64(table.rules.score_rule))
    chance = np.float32(live_outs(found, live[0], live[1], live[2])) / np.float32(max(n_unseen(live), 1))
    out[DISTANCE + min(distance, N_DISTANCES - 1)] = 1.0
    out[OUTS_AT + min(distance, N_OUTS_AT - 1)] = 3 * chance
    out[OUTS] = 2 * chance
    out[ROOT_OUTS] = sqrt(chance)
    out[SOON] = 1 - (1 - chance) ** 3
    cap = np.int64(table.rules.cap)
    out[SCORE] = np.float32(min(score, cap)) * np.float32(1 / 80)
    out[FULL_SCORE] = np.float32(score) * np.float32(0.01)
    out[IS_FULL] = score >= cap
    pure = pure_windows(once, 3)
    out[HAS_PURE] = pure != 0
    out[TWO_PURE] = np.float32(min(popcount(pure), 4)) * np.float32(0.25)
    n_jokers = jokers + popcount(once & column) + popcount(twice & column)
    out[JOKERS] = np.float32(n_jokers) * np.float32(0.4)
    out[NO_JOKER] = n_jokers == 0
    out[MANY_JOKERS] = n_jokers >= 3
    out[PRINTED] = jokers
    out[WEIGHT] = np.float32(card_points(once & ~column) + card_points(twice & ~column)) * np.float32(0.01)
    if distance <= 2:
        out[SCORE_WHEN_NEAR] = out[SCORE]
    out[RUN_CHANCE] = 3 * chance_of(makes_run(once), live)
    if pure == 0:
        out[FIRST_RUN] = out[RUN_CHANCE]
        out[ROOT_FIRST_RUN] = sqrt(out[RUN_CHANCE])
    plain = once & ~column
    beside, pairs = at_step(plain, 1) | at_step(plain, 2), paired_ranks(plain)
    out[LINKS] = chance_of(beside & ~once, live)
    out[LONE] = np.float32(popcount(plain & ~beside & ~(np.int64(EACH_SUIT) * pairs))) * np.float32(0.25)
    out[PAIRS] = np.float32(popcount(pairs)) * np.float32(0.25)


@helper
def makes_run(once: int) -> int:
    """Return the cards that make a pure run of three with two of *once*."""
    aces = np.int64(EACH_SUIT)
    places = once | (once & aces) << 13
    found = places >> 1 & places >> 2 | places << 1 & places >> 1 | places << 1 & places << 2
    return (found | (found & aces << 13) >> 13) & ALL_CARDS & ~once


@helper
def chance_of(cards: int, live: Any) -> float:
    """Return the chance that the next card is one of *cards*, none of them a printed joker."""
    return np.float32(popcount(cards & live[0]) + popcount(cards & live[1])) / np.float32(max(n_unseen(live), 1))


@helper
def write_table(table: np.void, mine: np.void, live: Any, out: Floats) -> None:
    """Write the inputs that describe what everybody sees, from the seat *mine*."""
    me, other = np.int64(mine.seat), next_seat(table, mine)
    draws = np.float32(min(np.int64(table.draws[me]), 30))
    out[DRAWS] = draws * np.float32(0.1)
    out[ROOT_DRAWS] = sqrt(draws) * np.float32(0.3)
    out[THEIR_DRAWS] = np.float32(min(np.int64(table.draws[other]), 30)) * np.float32(0.1)
    out[THEIR_PICKS] = np.float32(popcount(table.picked[other])) * np.float32(0.25)
    out[THEIR_KNOWN] = np.float32(popcount(table.known[other]) + table.known_jokers[other]) * np.float32(0.25)
    out[THEIR_REFUSALS] = np.float32(popcount(table.refused[other])) * np.float32(0.1)
    thrown = table.thrown[other] & ALL_CARDS & ~(np.int64(EACH_SUIT) << np.int64(table.wild))
    n_thrown = popcount(thrown)
    out[THEIR_THROWS] = np.float32(card_points(thrown)) / np.float32(10 * n_thrown) if n_thrown else np.float32(0.8)
    last = np.int64(table.last_discard[other])
    out[THEIR_LAST_THROW] = throw_points(table, last) * np.float32(0.1) if last >= 0 else np.float32(0.8)
    out[THEY_JUST_PICKED] = table.last_draw[other] >= 0 and table.last_draw[other] <= JOKER_ID
    out[STOCK_LEFT] = np.float32(table.stock) * np.float32(0.03)
    out[RESHUFFLES] = np.float32(table.reshuffles)
    out[STARTED] = table.starter == me
    out[OTHERS] = np.float32(table.n_playing - 1) * np.float32(0.4)
    out[IS_DUEL] = table.n_playing == 2
    most = np.int64(0)
    for seat in range(table.rules.seats):
        if seat != me and table.status[seat] == PLAYING:
            most = max(most, popcount(table.picked[seat]))
    out[MOST_PICKS] = np.float32(most) * np.float32(0.25)
    out[TWO_DECKS] = table.rules.decks == 2
    out[IS_STRICT] = table.rules.score_rule != PAPER
    out[PILE_JOKERS] = table.rules.pile_jokers != 0
    out[LIVE] = np.float32(n_unseen(live)) * np.float32(0.02)
    out[LIVE_JOKERS] = np.float32(live[2]) * np.float32(0.25)


@helper
def throw_points(table: np.void, card: int) -> float:
    """Return the points of *card*; a joker counts none."""
    return np.float32(0.0) if is_joker(table, card) else np.float32(rank_points(card & 15))


@helper
def write_discard(table: np.void, mine: np.void, live: int, card: int, work: Any) -> None:
    """Write the inputs that describe discarding *card*; *live* are the unseen cards."""
    out = work.inputs
    out[THROW_POINTS] = throw_points(table, card) * np.float32(0.1)
    out[THROW_JOKER] = is_joker(table, card)
    out[THROW_DRAWN_UP] = popcount(bit(card) & table.picked[mine.seat])
    write_features(table, next_seat(table, mine), live, card, work.danger)
    for i in range(N_FEATURES):
        out[DANGER + i] = work.danger[i] * np.float32(_DANGER_SCALE)


@helper
def n_unseen(live: Any) -> int:
    """Return how many cards are unseen; *live* are their two planes and the number of jokers."""
    return popcount(live[0]) + popcount(live[1]) + live[2]


# --- 4. Values of choices -----------------------------------------------------------------------------------------


@helper
def mean_of_sets(params: Params, at: int, place: int, n_inputs: int, work: Any) -> float:
    """Return the value in points of ``work.inputs``: the mean of the networks at *place* of every set."""
    n, total = np.int64(params[at]), np.float32(0.0)
    for k in range(n):
        total += network(params, at + 1 + k * N_WEIGHTS + place, n_inputs, work)
    return total * np.float32(POINTS) / np.float32(n)


@helper
def weigh_discards(
    table: np.void, mine: np.void, cards: Any, distance: int, spares: int, live: Any, params: Params, at: int, work: Any
) -> int:
    """Write the value of discarding each of *spares* from fourteen *cards* to ``work.values``; return the best card.

    ``work.found[card]`` gets the outs that the discard leaves, among all cards that could ever come.
    """
    noinline()
    find_outs(table, cards, distance, spares, work)
    write_table(table, mine, live, work.inputs)
    best, most = np.int64(-1), np.float32(NOTHING)
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        write_after(table, mine, cards, distance, card, live, work)
        work.values[card] = mean_of_sets(params, at, AFTER, N_AFTER, work)
        if work.values[card] > most:
            best, most = card, work.values[card]
    return best


@helper
def find_outs(table: np.void, cards: Any, distance: int, spares: int, work: Any) -> None:
    """Write to ``work.found[card]`` the outs after each of *spares*, among all cards that could ever come."""
    once, twice, jokers = cards
    may_come = ALL_CARDS & ~(once if table.rules.decks == 1 else twice)
    discard_outs(once, twice, jokers, np.int64(table.wild), distance, spares, may_come, work.found)


@helper
def write_after(table: np.void, mine: np.void, cards: Any, distance: int, card: int, live: Any, work: Any) -> None:
    """Write the inputs of `AFTER` for discarding *card* from fourteen *cards*, those of the table excepted."""
    once, twice, jokers = cards
    if card == JOKER_ID:
        jokers -= 1
    else:
        once, twice = take_away(once, twice, bit(card))
    write_hand(table, once, twice, jokers, distance, work.found[card], live, work.inputs)
    write_discard(table, mine, live[0], card, work)


@helper
def stock_value(
    table: np.void, mine: np.void, distance: int, found: int, live: Any, params: Params, at: int, work: Any
) -> float:
    """Return the value of a draw from the stock; *found* are the outs of the thirteen cards."""
    write_hand(table, mine.hand, mine.twice, mine.jokers, distance, found, live, work.inputs)
    write_table(table, mine, live, work.inputs)
    return mean_of_sets(params, at, STOCK, N_HAND, work)


@helper
def take_value(table: np.void, mine: np.void, live: Any, params: Params, at: int, work: Any) -> tuple[float, int]:
    """Return the value of taking the upcard, and the least MinDist with it.

    The value is that of the best discard, or more than any if the hand can be declared.
    """
    once, twice, jokers = mine.hand, mine.twice, mine.jokers
    if table.up == JOKER_ID:
        jokers += 1
    else:
        up = bit(table.up)
        twice |= once & up
        once |= up
    distance, spares = discards14(once, twice, jokers, np.int64(table.wild))
    if distance == 0:
        return np.float32(-NOTHING), np.int64(0)
    best = weigh_discards(table, mine, (once, twice, jokers), distance, spares, live, params, at, work)
    return work.values[best], distance
