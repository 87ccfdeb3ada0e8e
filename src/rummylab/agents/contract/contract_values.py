"""The values of `contract-counter`: small networks that say what a choice is worth, in points of the round.

`AFTER` values the cards that a discard leaves, together with what the discard gives away. `STOCK` values a draw from
the stock, and `BUY` a hand while it is another player's turn: as it is, or with an upcard that it buys. Two seats and
more seats have their own three networks. All see the player's own hand (`write_hand`) and the public table
(`write_table`), which includes the contract; `AFTER` also sees the discard (`write_gift`). The inputs are plain
numbers, most of them between 0 and 1.

`rummylab train contract-counter` learns the networks (:mod:`rummylab.learning.trainers.contract_counter`). Their
numbers follow the options of the agent in ``params``; the places below count from the first of them, *at*.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from rummylab._jit import helper
from rummylab.agents.contract.greedy import discards_at_distance, live_outs, measure_hand
from rummylab.agents.contract.heuristic import near_in_suit
from rummylab.agents.network import INNER, WIDTH, network, network_size
from rummylab.cards.bits import EACH_SUIT, LANE, bit, lowest, noinline, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import minus, n_in, plus
from rummylab.cards.rng import nearly_normal
from rummylab.engine.rows import Params
from rummylab.games.contract.distance import ROOM
from rummylab.games.contract.melds import TOP
from rummylab.games.contract.rules import (
    cost,
    has_laid_down,
    is_wild,
    n_wilds,
    naturals_for,
    next_seat,
    place_for,
    round_of,
    total_of,
    unseen,
)

# --- 1. Inputs ----------------------------------------------------------------------------------------------------

N_DISTANCES = 7
DISTANCE = 0
(
    CHANCE,
    ROOT_CHANCE,
    COST,
    LOW_COST,
    CARDS,
    WILDS,
    SPARE_CARDS,
    TRIPLES,
    PAIRS,
    LIVE_RANKS,
    NEIGHBORS,
    GAPS,
    LIVE_NEAR,
    FITS,
    FIT_COST,
    LOOSE,
    LOOSE_COST,
    LIVE_FITS,
    IS_DOWN,
) = range(DISTANCE + N_DISTANCES, DISTANCE + N_DISTANCES + 19)
"""The hand: its distance to the contract; the chance that the next card brings it nearer; what it costs; its cards,
its wilds, its cards beyond the contract; ranks held three times and twice, unseen cards of the ranks held; neighbors in
suit, neighbors with a gap, unseen cards near; cards that fit a meld on the table and those that do not; the chance that
the next card fits; whether the player has laid down."""
TABLE = IS_DOWN + 1
(
    SETS,
    RUNS,
    CONTRACT_CARDS,
    HAND_SIZE,
    ONLY_SETS,
    ONLY_RUNS,
    COUNTS_FACES,
    TURN,
    ROOT_TURN,
    STOCK_LEFT,
    RESHUFFLES,
    LIVE_WILDS,
    NEXT_DOWN,
    NEXT_CARDS,
    NEXT_PICKS,
    NEXT_KNOWN,
    N_DOWN,
    LEAST_CARDS,
    MOST_PICKS,
    SUM_CARDS,
    SUM_KNOWN,
    BUYS,
    SEATS,
) = range(TABLE, TABLE + 23)
"""The table: the contract and the points; turns, cards left, unseen wilds; whether the next player has laid down, their
cards and what they took; the same of all others: how many are down, the fewest cards of these, the most cards taken;
how many play."""
N_HAND = TABLE + 23
(
    GIFT_HELD,
    GIFT_FITS,
    GIFT_SAFE,
    GIFT_DANGER,
    GIFT_LIVE,
    GIFT_WILD,
    GIFT_COST,
    OTHERS_HELD,
    OTHERS_FIT,
) = range(N_HAND, N_HAND + 9)
"""The discard: whether it goes with a card that the next player took, or can be laid off by them; goes with one that
they left or threw; cards they may hold and unseen cards that go with it; the same of the others."""
N_AFTER = N_HAND + 9

AFTER = 0
STOCK = AFTER + network_size(N_AFTER)
BUY_VALUE = STOCK + network_size(N_HAND)
N_NUMBERS = BUY_VALUE + network_size(N_HAND)
"""Where each network begins, and how many numbers there are for one number of seats."""
N_SETS = 2
"""Sets of networks: for two seats, and for three or more."""
POINTS = 50.0
"""Points in one unit of value."""
NOTHING = -1e9

WORK = np.dtype(
    [("room", "i8", (ROOM,)), ("inputs", "f4", (N_AFTER,)), ("first", "f4", (WIDTH,)), ("second", "f4", (INNER,))]
)
"""Room for the search of the distance, for the inputs and for the layers of a network. `clear` it first."""


@helper
def clear(work: np.void) -> None:
    """Set all inputs to 0."""
    for i in range(N_AFTER):
        work.inputs[i] = 0.0


class Unseen(NamedTuple):
    """The cards that a seat has not seen, as planes and jokers, and their number."""

    once: int
    twice: int
    jokers: int
    n: int


@helper
def unseen_by(table: np.void, mine: np.void) -> Unseen:
    """Return the cards that a seat has not seen."""
    once, twice, jokers = unseen(table, mine)
    return Unseen(once, twice, jokers, max(n_in(once, twice) + jokers, np.int64(1)))


@helper
def fitting(table: np.void) -> int:
    """Return the natural cards that fit a meld on the table."""
    fit = np.int64(0)
    for meld in range(table.n_melds):
        fit |= naturals_for(table, meld)
    return fit & ~table.rules.wild_kinds


@helper
def _share(part: int, whole: int) -> np.float32:
    return np.float32(part) / np.float32(whole)


@helper
def write_hand(
    table: np.void, down: bool, once: int, twice: int, jokers: int, left: Unseen, fit: int, work: np.void
) -> int:
    """Write the inputs of a hand, of a player who is *down* or not; return the cards that help."""
    noinline()
    out, rules = work.inputs, table.rules
    for i in range(TABLE):
        out[i] = 0.0
    number = round_of(table)
    asked = total_of(np.int64(rules.set_sizes[number])) + total_of(np.int64(rules.run_sizes[number]))
    cards = n_in(once, twice) + jokers
    wild = np.int64(rules.wild_kinds)
    points = cost(rules, once, twice, jokers)
    naturals, double = once & ~wild, twice & ~wild
    helps = np.int64(0)
    if down:
        out[IS_DOWN] = 1.0
        out[SPARE_CARDS] = np.float32(cards) * np.float32(0.25)
    else:
        short, helps = measure_hand(table, once, twice, jokers, work.room[:])
        out[DISTANCE + min(short, N_DISTANCES - 1)] = 1.0
        chance = _share(live_outs(table, helps, left.once, left.twice, left.jokers), left.n)
        out[CHANCE] = 2 * chance
        out[ROOT_CHANCE] = sqrt(chance)
        out[SPARE_CARDS] = np.float32(cards - asked) * np.float32(0.25)
    out[COST] = np.float32(points) * np.float32(0.01)
    out[LOW_COST] = np.float32(min(points, 30)) * np.float32(1 / 30)
    out[CARDS] = np.float32(cards) * np.float32(0.1)
    out[WILDS] = np.float32(n_wilds(rules, once, twice, jokers)) * np.float32(0.4)
    if rules.sets[number] and not down:
        held_twice, held_thrice = np.int64(0), np.int64(0)
        ranks = np.int64(0)
        for plane in (naturals, double):
            for suit in range(4):
                lane = plane >> 16 * suit & LANE
                held_thrice |= held_twice & lane
                held_twice |= ranks & lane
                ranks |= lane
        out[TRIPLES] = np.float32(popcount(held_thrice)) * np.float32(0.5)
        out[PAIRS] = np.float32(popcount(held_twice & ~held_thrice)) * np.float32(0.3)
        same = np.int64(EACH_SUIT) * (held_twice & ~held_thrice)
        out[LIVE_RANKS] = 4 * _share(popcount(left.once & same) + popcount(left.twice & same), left.n)
    if rules.runs[number] and not down:
        places = naturals | (naturals & EACH_SUIT) << TOP
        out[NEIGHBORS] = np.float32(popcount(places & places >> 1)) * np.float32(0.2)
        out[GAPS] = np.float32(popcount(places & places >> 2)) * np.float32(0.2)
        near = near_in_suit(naturals) & ~naturals
        out[LIVE_NEAR] = 2 * _share(popcount(left.once & near) + popcount(left.twice & near), left.n)
    if table.n_melds:
        fits, fits_twice = naturals & fit, double & fit
        out[FITS] = np.float32(n_in(fits, fits_twice)) * np.float32(0.3)
        out[FIT_COST] = np.float32(cost(rules, fits, fits_twice, np.int64(0))) * np.float32(0.03)
        loose, loose_twice = naturals & ~fit, double & ~fit
        out[LOOSE] = np.float32(n_in(loose, loose_twice)) * np.float32(0.25)
        out[LOOSE_COST] = np.float32(cost(rules, loose, loose_twice, np.int64(0))) * np.float32(0.02)
        n_fit = popcount(left.once & fit) + popcount(left.twice & fit)
        out[LIVE_FITS] = 2 * _share(n_fit, left.n)
    return helps


@helper
def write_table(table: np.void, seat: int, left: Unseen, work: np.void) -> None:
    """Write the inputs of the public table."""
    noinline()
    out, rules, number = work.inputs, table.rules, round_of(table)
    sets, runs = np.int64(rules.sets[number]), np.int64(rules.runs[number])
    asked = total_of(np.int64(rules.set_sizes[number])) + total_of(np.int64(rules.run_sizes[number]))
    out[SETS] = np.float32(sets) * np.float32(0.3)
    out[RUNS] = np.float32(runs) * np.float32(0.3)
    out[CONTRACT_CARDS] = np.float32(asked) * np.float32(0.1)
    out[HAND_SIZE] = np.float32(rules.hand_size[number] - asked) * np.float32(0.25)
    out[ONLY_SETS] = runs == 0
    out[ONLY_RUNS] = sets == 0
    out[COUNTS_FACES] = rules.face_value != 0
    out[TURN] = np.float32(table.turn) * np.float32(0.02)
    out[ROOT_TURN] = sqrt(np.float32(table.turn)) * np.float32(0.15)
    out[STOCK_LEFT] = np.float32(table.stock) * np.float32(0.02)
    out[RESHUFFLES] = np.float32(table.reshuffles)
    wild = np.int64(rules.wild_kinds)
    live = popcount(left.once & wild) + popcount(left.twice & wild) + left.jokers
    out[LIVE_WILDS] = 5 * _share(live, left.n)
    after = next_seat(table, seat)
    out[NEXT_DOWN] = has_laid_down(table, after)
    out[NEXT_CARDS] = np.float32(table.n_hand[after]) * np.float32(0.1)
    out[NEXT_PICKS] = np.float32(popcount(table.picked[after])) * np.float32(0.3)
    out[NEXT_KNOWN] = np.float32(popcount(table.known[after])) * np.float32(0.3)
    n_down, least, most, cards, known = 0, 15, 0, 0, 0
    for other in range(rules.seats):
        if other == seat:
            continue
        cards += table.n_hand[other]
        known += popcount(table.known[other])
        most = max(most, popcount(table.picked[other]))
        if has_laid_down(table, other):
            n_down += 1
            least = min(least, table.n_hand[other])
    out[N_DOWN] = np.float32(n_down) * np.float32(0.5)
    out[LEAST_CARDS] = np.float32(1.0) / np.float32(least) if n_down else np.float32(0.0)
    out[MOST_PICKS] = np.float32(most) * np.float32(0.3)
    out[SUM_CARDS] = np.float32(cards) * np.float32(0.1) / np.float32(rules.seats - 1)
    out[SUM_KNOWN] = np.float32(known) * np.float32(0.3) / np.float32(rules.seats - 1)
    out[SEATS] = np.float32(rules.seats - 2) * np.float32(0.5)
    out[BUYS] = np.float32(table.buys[seat]) * np.float32(0.5)


@helper
def goes_with(table: np.void, seat: int, card: int) -> int:
    """Return the natural cards that go with *card* in the contract that *seat* still has to lay down."""
    found = np.int64(0)
    if table.sets_left[seat]:
        found |= np.int64(EACH_SUIT) << (card & 15)
    if table.runs_left[seat]:
        found |= near_in_suit(bit(card))
    return found & ~table.rules.wild_kinds


@helper
def write_gift(table: np.void, seat: int, card: int, left: Unseen, work: np.void) -> None:
    """Write the inputs of the discard *card*: what it may give to the next player and to the others."""
    noinline()
    out, rules = work.inputs, table.rules
    for i in range(N_HAND, N_AFTER):
        out[i] = 0.0
    after = next_seat(table, seat)
    wild = is_wild(rules, card)
    out[GIFT_WILD] = wild
    if wild:
        out[GIFT_FITS] = has_laid_down(table, after)
        return
    out[GIFT_COST] = np.float32(cost(rules, bit(card), np.int64(0), np.int64(0))) * np.float32(0.05)
    fits = place_for(table, card) >= 0
    for other in range(rules.seats):
        if other == seat:
            continue
        if has_laid_down(table, other):
            if other == after:
                out[GIFT_FITS] = fits
            else:
                out[OTHERS_FIT] += np.float32(0.5) * fits
            continue
        partners = goes_with(table, other, card)
        if other != after:
            out[OTHERS_HELD] += np.float32(0.5) * (partners & table.known[other] != 0)
            continue
        out[GIFT_HELD] = np.float32(0.5) * popcount(partners & table.known[after])
        out[GIFT_SAFE] = np.float32(0.5) * popcount(partners & (table.refused[after] | table.thrown[after]))
        n = popcount(left.once & partners) + popcount(left.twice & partners)
        out[GIFT_LIVE] = np.float32(n) * np.float32(0.15)
        out[GIFT_DANGER] = np.float32(n * table.n_hand[after]) / np.float32(left.n)


# --- 2. Values ----------------------------------------------------------------------------------------------------


@helper
def network_set(table: np.void) -> int:
    """Return where the networks for this number of seats begin."""
    return N_NUMBERS * min(np.int64(table.rules.seats) - 2, np.int64(N_SETS - 1))


@helper
def with_upcard(table: np.void, mine: np.void) -> tuple[int, int, int]:
    """Return the hand with the upcard, as planes and jokers."""
    if table.up == JOKER_ID:
        return mine.hand, mine.twice, mine.jokers + 1
    once, twice = plus(mine.hand, mine.twice, bit(table.up), np.int64(0))
    return once, twice, mine.jokers


@helper
def spare_cards(table: np.void, seat: int, once: int, twice: int, jokers: int, allowed: int, work: np.void) -> int:
    """Return the discards worth a thought: naturals that the contract can spare, or a wild if there is nothing else."""
    naturals = allowed & ~table.rules.wild_kinds
    if naturals == 0:
        return allowed
    if has_laid_down(table, seat):
        return naturals
    short, _ = measure_hand(table, once, twice, jokers, work.room[:])
    return discards_at_distance(table, once, twice, jokers, naturals, short, work.room[:])


@helper
def write_after(
    table: np.void, seat: int, once: int, twice: int, jokers: int, card: int, left: Unseen, fit: int, work: np.void
) -> int:
    """Write the inputs of `AFTER` for the discard *card*, those of the table excepted; return the cards that help."""
    if card == JOKER_ID:
        jokers -= 1
    else:
        once, twice = minus(once, twice, bit(card), np.int64(0))
    write_gift(table, seat, card, left, work)
    return write_hand(table, has_laid_down(table, seat), once, twice, jokers, left, fit, work)


@helper
def best_discard(
    table: np.void,
    mine: np.void,
    once: int,
    twice: int,
    jokers: int,
    allowed: int,
    left: Unseen,
    params: Params,
    at: int,
    noise: float,
    work: np.void,
) -> tuple[float, int]:
    """Return the value of the best discard among *allowed*, with a random error of spread *noise*, and the card."""
    noinline()
    seat, fit = np.int64(mine.seat), fitting(table)
    cards = spare_cards(table, seat, once, twice, jokers, allowed, work)
    write_table(table, seat, left, work)
    best, most = np.int64(-1), np.float32(NOTHING)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        write_after(table, seat, once, twice, jokers, card, left, fit, work)
        value = network(params, at + AFTER, N_AFTER, work) * np.float32(POINTS)
        value += np.float32(nearly_normal(mine, noise))
        if value > most:
            best, most = card, value
    return most, best


@helper
def hand_value(
    table: np.void,
    mine: np.void,
    once: int,
    twice: int,
    jokers: int,
    left: Unseen,
    params: Params,
    at: int,
    work: np.void,
) -> float:
    """Return the value of a hand before a draw from the stock or in another player's turn, by the network *at*."""
    noinline()
    write_table(table, np.int64(mine.seat), left, work)
    write_hand(table, has_laid_down(table, mine.seat), once, twice, jokers, left, fitting(table), work)
    return network(params, at, N_HAND, work) * np.float32(POINTS)
