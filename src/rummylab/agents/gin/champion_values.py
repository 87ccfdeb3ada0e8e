"""The values of `champion`: three small networks that say what a choice is worth, in points of the hand.

`AFTER` values the position after a discard, `STOCK` a draw from the stock (or passing the first upcard) and `KNOCK` a
knock. Each has the same inputs, nearly all of them 0, so its first layer adds up the rows of the inputs that are not.
Inputs that all candidates of a decision share are added up once.

What a seat knows is a `Sight`: masks of cards. The chance that the opponent holds an unseen card comes from a logistic
model of what they took, declined and threw near it (`write_chances`); it is learned together with the values.

`rummylab train gin-champion` learns all of it (:mod:`rummylab.learning.trainers.gin_champion`). The numbers follow the
options of an agent in ``params``; the places below count from the first of them, *at*.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import (
    ALL_CARDS,
    EACH_SUIT,
    bit,
    in_next_suit,
    index_of,
    lowest,
    noinline,
    popcount,
)
from rummylab.cards.melds import best_discards, dearest, in_groups, in_runs, min_deadwood
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.melds import can_lay_off, safest_spread
from rummylab.games.gin.rules import KNOCK_CODE, OFFER, can_take, discards, own_turn, step
from rummylab.games.gin.showdown import showdown_code

Ints = npt.NDArray[np.int64]

# --- 1. Inputs ----------------------------------------------------------------------------------------------------

HAND, SHOWN, DEAD, THEIRS, REFUSED, THROWN, RECENT, CHANCE, UP = range(0, 9 * 52, 52)
"""Inputs with one number a card: held; held and known to the opponent; in the pile; known to be the opponent's;
declined by them; thrown by them; thrown in their last two turns; the chance that they hold it; on top of the pile."""
RUN, GROUP, RUN_OPEN, GROUP_OPEN = range(9 * 52, 13 * 52, 52)
"""Three-card melds held, and those that lack one unseen card: runs by lowest card, groups by the card they lack."""
DEADWOOD = 13 * 52
N_DEADWOOD = 51
STOCK_LEFT = DEADWOOD + N_DEADWOOD
TAKEN = STOCK_LEFT + 32
N_TAKEN = 6
SITUATION = TAKEN + N_TAKEN
ORDINARY, FIRST_OFFER, SECOND_OFFER, FORCED = range(4)
DENSE = SITUATION + 4
(
    D_DEADWOOD,
    D_KNOCK_OUTS,
    D_GIN_OUTS,
    D_OUTS,
    D_SAVING,
    D_DANGER,
    D_PAIRS,
    D_THEIR_DEADWOOD,
    D_LOOSE,
    D_MELDED,
    D_DEAREST,
    D_EXPOSED,
    D_STOCK,
    D_TURN,
    D_SWAPS,
    D_LIMIT,
) = range(DENSE, DENSE + 16)
"""Plain numbers: deadwood; chances that the next stock card lets us knock, gives gin, melds; the deadwood it saves;
the chance that the opponent melds the discard; pairs they may hold for it; their expected deadwood; loose cards, melded
cards, dearest loose card; what the opponent could lay off on our melds; stock, turn, low swaps, knock limit."""
N_INPUTS = DENSE + 16
MOST_ACTIVE = 320

# --- 2. Places of the numbers -------------------------------------------------------------------------------------

INNER = 32
AFTER_WIDTH, STOCK_WIDTH, KNOCK_WIDTH = 128, 128, 64
WIDEST = 128
POINTS = 10.0
"""The networks count in tens of points."""


def network_size(width: int) -> int:
    """Return how many numbers a network with a first layer of *width* has."""
    return N_INPUTS * width + width + width * INNER + INNER + INNER + 1


N_STAGES, N_CHANCE = 5, 32
"""Stages of the hand in the model of the chances, and its weights for each: 12 relations, 13 ranks, 2 others."""
CHANCES = 0
AFTER = N_STAGES * N_CHANCE
STOCK = AFTER + network_size(AFTER_WIDTH)
KNOCK = STOCK + network_size(STOCK_WIDTH)
N_WEIGHTS = KNOCK + network_size(KNOCK_WIDTH)

# --- 3. What a seat knows -----------------------------------------------------------------------------------------

Sight = namedtuple(
    "Sight", ("pile", "theirs", "refused", "thrown", "recent", "unseen", "shown", "stock", "turn", "limit")
)
"""What a seat knows of the table, as masks of cards and three numbers."""
Work = namedtuple("Work", ("index", "value", "base", "first", "active", "second", "chance"))
"""Working arrays of an evaluation."""

_PAD = 4
"""Where card id 0 stands in ``Work.chance``, which has zeros on both sides for the ends of runs."""


@helper
def new_work() -> Any:
    """Return working arrays."""
    return Work(
        np.empty(MOST_ACTIVE, np.int64),
        np.empty(MOST_ACTIVE, np.float32),
        np.empty(WIDEST, np.float32),
        np.empty(WIDEST, np.float32),
        np.empty(WIDEST + 4, np.int64),
        np.empty(INNER, np.float32),
        np.zeros(72, np.float32),
    )


@helper
def look(table: np.void, mine: np.void, memory: int) -> Any:
    """Return what the seat *mine* knows, with a memory of *memory* turns for the opponent's and its own discards."""
    me = mine.seat
    other = 1 - me
    turn = own_turn(table)
    pile, refused, thrown = table.pile, table.refused[other], table.thrown[other]
    if memory < 99:
        pile, refused, thrown = _remembered(table, other, turn - memory)
    recent = np.int64(0)
    left = thrown
    while left:
        card = lowest(left)
        left &= left - 1
        if table.threw[other, index_of(card)] >= turn - 2:
            recent |= bit(card)
    theirs = table.known[other]
    unseen = ALL_CARDS & ~(mine.hand | pile | theirs)
    return Sight(
        pile,
        theirs,
        refused,
        thrown,
        recent,
        unseen,
        np.int64(table.known[me]),
        np.int64(table.stock),
        np.int64(turn),
        np.int64(table.limit),
    )


@helper
def _remembered(table: np.void, other: int, since: int) -> tuple[int, int, int]:
    """Return the pile and what the opponent declined and threw, without what happened before the turn *since*."""
    noinline()
    pile = refused = thrown = np.int64(0)
    left = table.pile
    while left:
        card = lowest(left)
        left &= left - 1
        i = index_of(card)
        latest = max(max(table.threw[0, i], table.threw[1, i]), max(table.passed[0, i], table.passed[1, i]))
        if latest >= since:
            pile |= bit(card)
    left = table.refused[other]
    while left:
        card = lowest(left)
        left &= left - 1
        if table.passed[other, index_of(card)] >= since:
            refused |= bit(card)
    left = table.thrown[other]
    while left:
        card = lowest(left)
        left &= left - 1
        if table.threw[other, index_of(card)] >= since:
            thrown |= bit(card)
    if table.up >= 0:
        pile |= bit(table.up)
    return pile, refused, thrown


# --- 4. The chance that the opponent holds a card -----------------------------------------------------------------


@helper
def stage_of_chances(turn: int) -> int:
    """Return the stage of the hand, from 0, that the player's *turn* belongs to."""
    return min((turn - 1) // 2, N_STAGES - 1)


@helper
def write_relations(sight: Any, hand: int, card: int, out: Floats) -> None:
    """Write how many cards beside *card* are ours, were thrown or declined by the opponent, or are known theirs."""
    one = bit(card)
    mates = (EACH_SUIT << (card & 15)) & ~one
    next_to = (one << 1 | one >> 1) & ALL_CARDS
    two_off = (one << 2 | one >> 2) & ALL_CARDS
    declined = sight.refused & ~sight.thrown
    out[0], out[1] = popcount(mates & hand), popcount(mates & sight.thrown)
    out[2], out[3] = popcount(mates & declined), popcount(mates & sight.theirs)
    out[4], out[5] = popcount(next_to & hand), popcount(next_to & sight.thrown)
    out[6], out[7] = popcount(next_to & declined), popcount(next_to & sight.theirs)
    out[8], out[9] = popcount(two_off & hand), popcount(two_off & sight.thrown)
    out[10], out[11] = popcount(two_off & declined), popcount(two_off & sight.theirs)


@helper
def chance_of(sight: Any, card: int, relations: Floats, params: Params, at: int) -> float:
    """Return the chance that the opponent holds *card*, an unseen one with these *relations*."""
    row = at + CHANCES + N_CHANCE * stage_of_chances(sight.turn)
    total = params[row + 12 + (card & 15)] + params[row + 25]
    for k in range(12):
        total += params[row + k] * relations[k]
    return np.float32(1.0) / (np.float32(1.0) + np.exp(-total))


@helper
def write_chances(sight: Any, hand: int, params: Params, at: int, work: Any) -> None:
    """Write to ``work.chance`` the chance that the opponent holds each card; *hand* is the player's own."""
    noinline()
    chance = work.chance
    for i in range(72):
        chance[i] = 0.0
    relations = work.second  # free until a network is asked
    need = np.float32(10 - popcount(sight.theirs))
    total = np.float32(0.0)
    left = sight.unseen
    while left:
        card = lowest(left)
        left &= left - 1
        write_relations(sight, hand, card, relations)
        found = chance_of(sight, card, relations, params, at)
        chance[_PAD + card] = found
        total += found
    scale = need / max(total, np.float32(0.1))
    left = sight.unseen
    while left:
        card = lowest(left)
        left &= left - 1
        chance[_PAD + card] = min(chance[_PAD + card] * scale, np.float32(0.97))
    left = sight.theirs
    while left:
        chance[_PAD + lowest(left)] = 1.0
        left &= left - 1


@helper
def danger_of(card: int, chance: Floats) -> tuple[float, float]:
    """Return the chance that the opponent can meld *card*, and the expected number of pairs that would."""
    at = _PAD + card
    rank, suit = card & 15, card >> 4
    a = chance[_PAD + rank + 16 * ((suit + 1) & 3)]
    b = chance[_PAD + rank + 16 * ((suit + 2) & 3)]
    c = chance[_PAD + rank + 16 * ((suit + 3) & 3)]
    w, x, y, z = chance[at - 2], chance[at - 1], chance[at + 1], chance[at + 2]
    one = np.float32(1.0)
    none = (one - a * b) * (one - a * c) * (one - b * c) * (one - w * x) * (one - x * y) * (one - y * z)
    return one - none, a * b + a * c + b * c + w * x + x * y + y * z


@helper
def their_deadwood(sight: Any, chance: Floats) -> float:
    """Return an estimate of the opponent's deadwood: points of the cards they may hold, less what they may meld."""
    total = np.float32(0.0)
    left = sight.unseen | sight.theirs
    while left:
        card = lowest(left)
        left &= left - 1
        melds, _ = danger_of(card, chance)
        total += chance[_PAD + card] * (np.float32(1.0) - melds) * np.float32(min((card & 15) + 1, 10))
    return total


# --- 5. Active inputs ---------------------------------------------------------------------------------------------


@helper
def _add(work: Any, n: int, index: int, value: float) -> int:
    work.index[n] = index
    work.value[n] = value
    return n + 1


@helper
def _add_cards(work: Any, n: int, first: int, cards: int) -> int:
    while cards:
        work.index[n] = first + index_of(lowest(cards))
        work.value[n] = 1.0
        cards &= cards - 1
        n += 1
    return n


@helper
def write_shared(sight: Any, hand: int, shown: int, pile: int, work: Any) -> int:
    """Write the inputs that all candidates of a decision share; return how many. *hand* has ten or eleven cards."""
    noinline()
    n = _add_cards(work, 0, HAND, hand)
    n = _add_cards(work, n, SHOWN, shown & hand)
    n = _add_cards(work, n, DEAD, pile)
    n = _add_cards(work, n, THEIRS, sight.theirs)
    n = _add_cards(work, n, REFUSED, sight.refused)
    n = _add_cards(work, n, THROWN, sight.thrown)
    n = _add_cards(work, n, RECENT, sight.recent)
    left = sight.unseen & ~hand
    while left:
        card = lowest(left)
        left &= left - 1
        n = _add(work, n, CHANCE + index_of(card), work.chance[_PAD + card])
    n = _add(work, n, STOCK_LEFT + sight.stock, 1.0)
    n = _add(work, n, TAKEN + min(popcount(sight.theirs), N_TAKEN - 1), 1.0)
    n = _add(work, n, D_THEIR_DEADWOOD, their_deadwood(sight, work.chance) * np.float32(0.04))
    n = _add(work, n, D_STOCK, np.float32(sight.stock) * np.float32(1 / 31))
    n = _add(work, n, D_TURN, np.float32(min(sight.turn, 20)) * np.float32(0.1))
    return _add(work, n, D_LIMIT, np.float32(sight.limit) * np.float32(0.1))


@helper
def _add_melds(work: Any, n: int, hand: int, unseen: int) -> int:
    """Add the three-card melds that *hand* holds, and those that lack one of the cards *unseen*."""
    a, b, c = hand, hand >> 1, hand >> 2
    n = _add_cards(work, n, RUN, a & b & c & ALL_CARDS)
    both = hand | unseen
    inside = both & (both >> 1) & (both >> 2)
    two = ((a & b) | (a & c) | (b & c)) & ~(a & b & c)
    n = _add_cards(work, n, RUN_OPEN, two & inside & ALL_CARDS)
    a, b, c = in_next_suit(hand, 1), in_next_suit(hand, 2), in_next_suit(hand, 3)
    n = _add_cards(work, n, GROUP, a & b & c & ALL_CARDS)
    inside = in_next_suit(both, 1) & in_next_suit(both, 2) & in_next_suit(both, 3)
    two = ((a & b) | (a & c) | (b & c)) & ~(a & b & c)
    return _add_cards(work, n, GROUP_OPEN, two & inside & ALL_CARDS)


@helper
def melding_cards(hand: int) -> int:
    """Return the cards that would be part of a meld with *hand*."""
    a, b, c = in_next_suit(hand, 1), in_next_suit(hand, 2), in_next_suit(hand, 3)
    runs = ((hand << 1) & (hand << 2)) | ((hand >> 1) & (hand >> 2)) | ((hand << 1) & (hand >> 1))
    return ((a & b) | ((a | b) & c) | runs) & ALL_CARDS & ~hand


@helper
def _add_outs(sight: Any, work: Any, n: int, hand: int, deadwood: int) -> int:
    """Add what the next card of the stock may do for the ten cards *hand*."""
    chance = work.chance
    one = np.float32(1.0)
    live = np.float32(max(popcount(sight.unseen & ~hand) - (10 - popcount(sight.theirs)), 1))
    knock = gin = melds = saving = np.float32(0.0)
    left = melding_cards(hand) & sight.unseen
    outs = left
    while left:
        card = lowest(left)
        left &= left - 1
        in_stock = one - chance[_PAD + card]
        eleven = hand | bit(card)
        _, after = best_discards(eleven, eleven)
        melds += in_stock
        saving += in_stock * np.float32(deadwood - after)
        knock += in_stock if after <= sight.limit else np.float32(0.0)
        gin += in_stock if after == 0 else np.float32(0.0)
    loose = hand & ~(in_runs(hand) | in_groups(hand))
    swaps = 0
    top = 0
    if loose:
        top = min((lowest(dearest(loose)) & 15) + 1, 10)
        most = min(sight.limit - deadwood + top, top - 1)  # swapping the dearest card for one of at most this value
        if most > 0:
            low = ((np.int64(1) << min(most, 13)) - 1) * EACH_SUIT if most < 10 else ALL_CARDS
            swaps = popcount(low & sight.unseen & ~outs)
    n = _add(work, n, D_KNOCK_OUTS, 2 * knock / live)
    n = _add(work, n, D_GIN_OUTS, 4 * gin / live)
    n = _add(work, n, D_OUTS, 2 * melds / live)
    n = _add(work, n, D_SAVING, saving / live * np.float32(0.2))
    n = _add(work, n, D_SWAPS, np.float32(swaps) * np.float32(0.05))
    n = _add(work, n, D_LOOSE, np.float32(popcount(loose)) * np.float32(0.1))
    n = _add(work, n, D_MELDED, np.float32(10 - popcount(loose)) * np.float32(0.1))
    return _add(work, n, D_DEAREST, np.float32(top) * np.float32(0.1))


@helper
def write_hand(sight: Any, work: Any, n: int, hand: int) -> int:
    """Write the inputs that depend on the ten cards *hand* after the first *n*; return how many there are."""
    deadwood = min_deadwood(hand)
    n = _add(work, n, DEADWOOD + min(deadwood, N_DEADWOOD - 1), 1.0)
    n = _add(work, n, D_DEADWOOD, np.float32(deadwood) * np.float32(0.04))
    n = _add_melds(work, n, hand, sight.unseen)
    return _add_outs(sight, work, n, hand, deadwood)


@helper
def write_discard(sight: Any, work: Any, n: int, eleven: int, shown: int, card: int) -> int:
    """Write the inputs of discarding *card* from *eleven* cards after the *n* shared ones; return how many."""
    noinline()
    i = index_of(card)
    n = _add(work, n, HAND + i, -1.0)
    if shown >> card & 1:
        n = _add(work, n, SHOWN + i, -1.0)
    n = _add(work, n, DEAD + i, 1.0)
    n = _add(work, n, UP + i, 1.0)
    danger, pairs = danger_of(card, work.chance)
    n = _add(work, n, D_DANGER, danger)
    n = _add(work, n, D_PAIRS, pairs * np.float32(0.5))
    return write_hand(sight, work, n, eleven & ~bit(card))


# --- 6. A network -------------------------------------------------------------------------------------------------


@helper
def add_rows(params: Params, at: int, width: int, work: Any, first: int, last: int, out: Floats) -> None:
    """Add the rows of the inputs from number *first* to *last* to *out*."""
    for k in range(first, last):
        weight = work.value[k]
        row = params[at + work.index[k] * width : at + work.index[k] * width + width]
        for j in range(width):
            out[j] += weight * row[j]


@helper
def set_base(params: Params, at: int, width: int, work: Any, n: int) -> None:
    """Write the first layer's sums over the *n* shared inputs to ``work.base``."""
    noinline()
    bias = params[at + N_INPUTS * width : at + N_INPUTS * width + width]
    for j in range(width):
        work.base[j] = bias[j]
    add_rows(params, at, width, work, 0, n, work.base)


@helper
def output(params: Params, at: int, width: int, work: Any) -> float:
    """Return what the network says of the sums in ``work.first``, in points; ``work.second`` keeps its inner layer."""
    noinline()
    first, second, active = work.first, work.second, work.active
    n = 0
    for i in range(width):  # without a branch: nobody can foretell which sums are positive
        active[n] = i
        n += 1 if first[i] > 0 else 0
    start = at + N_INPUTS * width + width
    bias = params[start + width * INNER : start + width * INNER + INNER]
    for j in range(INNER):
        second[j] = bias[j]
    k = 0
    while k + 4 <= n:  # four rows at a time, so that the sums stay in registers for longer
        p, q, r, s = first[active[k]], first[active[k + 1]], first[active[k + 2]], first[active[k + 3]]
        a = params[start + active[k] * INNER : start + active[k] * INNER + INNER]
        b = params[start + active[k + 1] * INNER : start + active[k + 1] * INNER + INNER]
        c = params[start + active[k + 2] * INNER : start + active[k + 2] * INNER + INNER]
        d = params[start + active[k + 3] * INNER : start + active[k + 3] * INNER + INNER]
        for j in range(INNER):
            second[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
        k += 4
    while k < n:
        p = first[active[k]]
        a = params[start + active[k] * INNER : start + active[k] * INNER + INNER]
        for j in range(INNER):
            second[j] += p * a[j]
        k += 1
    last = start + width * INNER + INNER
    total = params[last + INNER]
    for j in range(INNER):
        total += max(second[j], np.float32(0.0)) * params[last + j]
    return total * np.float32(POINTS)


@helper
def value_from(params: Params, at: int, width: int, work: Any, first: int, last: int) -> float:
    """Return the network's value when the inputs *first* to *last* join those in ``work.base``."""
    for j in range(width):
        work.first[j] = work.base[j]
    add_rows(params, at, width, work, first, last, work.first)
    return output(params, at, width, work)


# --- 7. Values of choices -----------------------------------------------------------------------------------------


@helper
def write_discard_values(
    sight: Any, eleven: int, shown: int, pile: int, cards: int, params: Params, at: int, work: Any, out: Floats
) -> int:
    """Write the value of discarding each of *cards* from *eleven* to ``out[card]``; return the best card.

    ``work.chance`` must be written; *shown* are the player's own cards that the opponent has seen, *pile* the discard
    pile before the discard.
    """
    noinline()
    n = write_shared(sight, eleven, shown, pile, work)
    set_base(params, at + AFTER, AFTER_WIDTH, work, n)
    best, most = np.int64(0), np.float32(-1e9)
    left = cards
    while left:
        card = lowest(left)
        left &= left - 1
        last = write_discard(sight, work, n, eleven, shown, card)
        out[card] = value_from(params, at + AFTER, AFTER_WIDTH, work, n, last)
        if out[card] > most:
            best, most = card, out[card]
    return best


@helper
def situation_of(table: np.void) -> int:
    """Return which kind of declined upcard or stock draw the actor is considering."""
    if table.phase != OFFER:
        return ORDINARY
    return FIRST_OFFER + min(table.offers, 2)


@helper
def write_stock(table: np.void, sight: Any, hand: int, work: Any) -> int:
    """Write the inputs of declining the upcard with the ten cards *hand*; return how many."""
    n = write_shared(sight, hand, sight.shown, sight.pile, work)
    n = _add(work, n, SITUATION + situation_of(table), 1.0)
    if table.up >= 0:
        n = _add(work, n, UP + index_of(table.up), 1.0)
    return write_hand(sight, work, n, hand)


@helper
def stock_value(table: np.void, sight: Any, hand: int, params: Params, at: int, work: Any) -> float:
    """Return the value of declining the upcard: a draw from the stock, or passing the first upcard."""
    n = write_stock(table, sight, hand, work)
    set_base(params, at + STOCK, STOCK_WIDTH, work, n)
    return value_from(params, at + STOCK, STOCK_WIDTH, work, n, n)


@helper
def write_knock(sight: Any, eleven: int, shown: int, pile: int, card: int, max_run: int, work: Any) -> int:
    """Write the inputs of knocking with the discard *card*; return how many."""
    noinline()
    hand = eleven & ~bit(card)
    n = write_shared(sight, hand, shown, pile | bit(card), work)
    n = write_hand(sight, work, n, hand)
    a, b, c = safest_spread(hand, sight.unseen | sight.theirs, max_run)
    exposed = np.float32(0.0)
    left = can_lay_off(a, b, c, sight.unseen | sight.theirs)
    while left:
        laid = lowest(left)
        left &= left - 1
        exposed += work.chance[_PAD + laid] * np.float32(min((laid & 15) + 1, 10))
    return _add(work, n, D_EXPOSED, exposed * np.float32(0.04))


@helper
def knock_value(
    sight: Any, eleven: int, shown: int, pile: int, card: int, max_run: int, params: Params, at: int, work: Any
) -> float:
    """Return the expected score of knocking with the discard *card*, negative if an undercut is likely."""
    n = write_knock(sight, eleven, shown, pile, card, max_run, work)
    set_base(params, at + KNOCK, KNOCK_WIDTH, work, n)
    return value_from(params, at + KNOCK, KNOCK_WIDTH, work, n, n)


@helper
def knock_result(row: np.void, card: int) -> int:
    """Return the exact points of the actor of *row* if they knock with the discard *card*; *row* is played to its end.

    Both players meld and lay off as the showdown solver does.
    """
    seat = row.table.actor
    step(row, KNOCK_CODE + card)
    while row.table.actor >= 0:
        step(row, showdown_code(row.table, row.mine[row.table.actor]))
    if row.table.winner < 0:
        return 0
    return np.int64(row.table.points) if row.table.winner == seat else -np.int64(row.table.points)


NOTHING = -1e9
"""The value of what cannot be done."""
_SPARE = 8
"""A card of a meld is a candidate if throwing it costs at most this many points more than the cheapest discard."""


@helper
def candidates(eleven: int, cards: int) -> tuple[int, int, int]:
    """Return the discards worth a thought, those that leave the least deadwood, and that deadwood.

    Cards outside melds are; those in melds only if they cost little, such as the fourth card of a run.
    """
    lightest, least = best_discards(eleven, cards)
    melds = in_runs(eleven) | in_groups(eleven)
    chosen = (cards & ~melds) | lightest
    left = cards & melds & ~lightest
    while left:
        card = left & -left
        left ^= card
        if min_deadwood(eleven & ~card) <= least + _SPARE:
            chosen |= card
    return chosen, lightest, least


@helper
def weigh_discards(
    sight: Any,
    eleven: int,
    shown: int,
    pile: int,
    cards: int,
    max_run: int,
    params: Params,
    at: int,
    work: Any,
    out: Floats,
) -> tuple[int, float, int, float]:
    """Return the best of the discards *cards* with its value, and the best knock with its value (-1: none).

    ``out[card]`` gets the value of every discard worth a thought.
    """
    chosen, lightest, least = candidates(eleven, cards)
    best = write_discard_values(sight, eleven, shown, pile, chosen, params, at, work, out)
    if least > sight.limit:
        return best, out[best], np.int64(-1), np.float32(NOTHING)
    card = lowest(lightest)
    return best, out[best], card, knock_value(sight, eleven, shown, pile, card, max_run, params, at, work)


@helper
def take_value(table: np.void, sight: Any, hand: int, params: Params, at: int, work: Any, out: Floats) -> float:
    """Return the value of taking the upcard: that of the best discard or knock with it."""
    eleven, pile = hand | bit(table.up), sight.pile & ~bit(table.up)
    cards = eleven if table.rules.discard_taken else hand
    max_run = np.int64(table.rules.max_run)
    shown = sight.shown | bit(table.up)
    _, discard, _, knock = weigh_discards(sight, eleven, shown, pile, cards, max_run, params, at, work, out)
    return max(discard, knock)


@helper
def draw_values(table: np.void, mine: np.void, sight: Any, params: Params, at: int, work: Any) -> tuple[float, float]:
    """Return the value of taking the upcard (`NOTHING` if that is not possible) and of declining it."""
    values = np.empty(64, np.float32)
    write_chances(sight, mine.hand, params, at, work)
    stock = stock_value(table, sight, mine.hand, params, at, work)
    if not can_take(table):
        return np.float32(NOTHING), stock
    return take_value(table, sight, mine.hand, params, at, work, values), stock


@helper
def turn_values(
    table: np.void, mine: np.void, sight: Any, params: Params, at: int, work: Any, out: Floats
) -> tuple[int, float, int, float]:
    """Return the best discard with its value, and the best knock with its value (-1: none), for eleven cards."""
    write_chances(sight, mine.hand, params, at, work)
    max_run = np.int64(table.rules.max_run)
    cards = discards(table, mine)
    return weigh_discards(sight, mine.hand, sight.shown, sight.pile, cards, max_run, params, at, work, out)
