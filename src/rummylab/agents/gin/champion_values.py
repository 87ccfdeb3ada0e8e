"""The values of `champion`: three small networks that say what a choice is worth, in points of the hand.

`AFTER` values the position after a discard, `STOCK` a draw from the stock (or passing the first upcard) and `KNOCK` a
knock. No suit is special in Gin, so a network has one set of weights for all four: the inputs of each suit go through
the same units, and what these say is added up over the suits. Further units, `COMMON`, see all suits at once, as the
sum of their inputs; they tell groups. An inner layer and the output follow.

Nearly all inputs are 0, so the first layer adds up the rows of those that are not. Inputs that all candidates of a
decision share are added up once, and a candidate pays for the one or two suits that it changes.

What a seat knows is a `Sight`: masks of cards, and how the opponent has knocked in this match. The chance that the
opponent holds an unseen card comes from a logistic model of what they took, declined and threw near it
(`write_chances`); it is learned together with the values.

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
    stack_array,
)
from rummylab.cards.melds import best_discards, dearest, in_groups, in_runs, min_deadwood
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.melds import can_lay_off, safest_spread
from rummylab.games.gin.rules import KNOCK_CODE, OFFER, can_take, discards, own_turn, step
from rummylab.games.gin.showdown import showdown_code

Ints = npt.NDArray[np.int64]

# --- 1. Inputs ----------------------------------------------------------------------------------------------------

N_PLANES = 14
HAND, SHOWN, DEAD, THEIRS, REFUSED, THROWN, RECENT, CHANCE, UP, RUN, RUN_OPEN, OUT, GROUP, PAIR = range(
    0, N_PLANES * 13, 13
)
"""Inputs of a suit, with one number a rank: held; held and known to the opponent; in the pile; known to be the
opponent's; declined by them; thrown by them; thrown in their last two turns; the chance that they hold it; on top of
the pile; lowest card of a three-card run held, or of one that lacks one unseen card; an unseen card that would be part
of a meld, less the chance that they hold it; held in a group, or in a pair that an unseen card completes."""
N_SUIT = N_PLANES * 13
CONTEXT = 4 * N_SUIT
"""Inputs that every suit's units see as well as the common ones. They do not depend on the discard."""
STOCK_LEFT = CONTEXT
TAKEN = STOCK_LEFT + 32
N_TAKEN = 6
SITUATION = TAKEN + N_TAKEN
ORDINARY, FIRST_OFFER, SECOND_OFFER, FORCED = range(4)
KNOCKS = SITUATION + 4
N_KNOCKS = 4
(C_GINS, C_KEPT, C_KNOCK_TURN, C_OFTEN, C_THEIR_DEADWOOD, C_STOCK, C_TURN, C_LIMIT) = range(
    KNOCKS + N_KNOCKS, KNOCKS + N_KNOCKS + 8
)
"""How the opponent knocked in this match: the share of gins, the mean deadwood kept and the mean turn, and in how many
of the hands; their expected deadwood; stock, turn, knock limit."""
PLAIN = C_LIMIT + 1
"""Inputs that only the common units see."""
DEADWOOD = PLAIN
N_DEADWOOD = 51
(
    D_DEADWOOD,
    D_KNOCK_OUTS,
    D_GIN_OUTS,
    D_OUTS,
    D_SAVING,
    D_DANGER,
    D_PAIRS,
    D_MATES_GONE,
    D_MATES_UNWANTED,
    D_LOOSE,
    D_MELDED,
    D_DEAREST,
    D_EXPOSED,
    D_SWAPS,
) = range(DEADWOOD + N_DEADWOOD, DEADWOOD + N_DEADWOOD + 14)
"""Plain numbers: deadwood; chances that the next stock card lets us knock, gives gin, melds; the deadwood it saves;
the chance that the opponent melds the discard; pairs they may hold for it; cards of its rank that they cannot hold, and
that they threw or declined; loose cards, melded cards, dearest loose card; what the opponent could lay off on our
melds; low swaps."""
N_INPUTS = D_SWAPS + 1
MOST_ACTIVE = 320

# --- 2. Places of the numbers -------------------------------------------------------------------------------------

SUIT, COMMON, INNER = 96, 64, 32
"""Units for each suit, units common to all, and units of the inner layer."""
ROW = SUIT + COMMON
SUMS = 4 * SUIT + COMMON
"""Sums of the first layer: those of the four suits, then the common ones."""
POINTS = 10.0
"""The networks count in tens of points."""
N_CONTEXT, N_PLAIN = PLAIN - CONTEXT, N_INPUTS - PLAIN
BIAS = (N_SUIT + N_CONTEXT) * ROW + N_PLAIN * COMMON
"""Where a network's first biases are: after the rows of the suits, of the context and of the plain inputs."""
LAYER_2 = BIAS + ROW
BIAS_2 = LAYER_2 + ROW * INNER
LAYER_3 = BIAS_2 + INNER
N_NETWORK = LAYER_3 + INNER + 1
N_STAGES, N_CHANCE = 5, 32
"""Stages of the hand in the model of the chances, and its weights for each: 12 relations, 13 ranks, 2 others."""
CHANCES = 0
AFTER = N_STAGES * N_CHANCE
STOCK = AFTER + N_NETWORK
KNOCK = STOCK + N_NETWORK
N_WEIGHTS = KNOCK + N_NETWORK

# --- 3. What a seat knows -----------------------------------------------------------------------------------------

Sight = namedtuple(
    "Sight",
    (
        "pile",
        "theirs",
        "refused",
        "thrown",
        "recent",
        "unseen",
        "shown",
        "stock",
        "turn",
        "limit",
        "hands",
        "knocks",
        "gins",
        "kept",
        "knock_turns",
    ),
)
"""What a seat knows of the table: masks of cards; stock, turn and limit; the hands of the match so far, and how many
the opponent ended, with gin, with how much deadwood in all, and after how many turns in all."""
WORK = np.dtype(
    [
        ("index", "i8", (MOST_ACTIVE,)),
        ("value", "f4", (MOST_ACTIVE,)),
        ("base", "f4", (SUMS,)),
        ("pooled", "f4", (SUIT,)),
        ("first", "f4", (SUMS,)),
        ("hidden", "f4", (ROW,)),
        ("second", "f4", (INNER,)),
        ("chance", "f4", (72,)),
    ]
)
"""Working arrays of an evaluation: `write_chances` first fills ``chance``."""

_PAD = 4
"""Where card id 0 stands in ``work.chance``, which has zeros on both sides for the ends of runs."""


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
        np.int64(table.hand_no),
        np.int64(table.knocks[other]),
        np.int64(table.gins[other]),
        np.int64(table.knocked_with[other]),
        np.int64(table.knock_turns[other]),
    )


@helper
def _remembered(table: np.void, other: int, since: int) -> tuple[int, int, int]:
    """Return the pile and what the opponent declined and threw, without what happened before the turn *since*."""
    noinline()
    pile = np.int64(0)
    left = table.pile
    while left:
        card = lowest(left)
        left &= left - 1
        i = index_of(card)
        latest = max(max(table.threw[0, i], table.threw[1, i]), max(table.passed[0, i], table.passed[1, i]))
        if latest >= since:
            pile |= bit(card)
    if table.up >= 0:
        pile |= bit(table.up)
    refused = _not_before(since, table.refused[other], table.passed[other])
    thrown = _not_before(since, table.thrown[other], table.threw[other])
    return pile, refused, thrown


@helper
def _not_before(since: int, cards: int, turns: Any) -> int:
    """Return those of *cards* whose latest turn, in *turns*, is not before *since*."""
    recent = np.int64(0)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if turns[index_of(card)] >= since:
            recent |= bit(card)
    return recent


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
def input_of(plane: int, card: int) -> int:
    """Return the number of the input of *card* in a *plane* of its suit."""
    return plane + (card >> 4) * N_SUIT + (card & 15)


@helper
def _add_cards(work: Any, n: int, plane: int, cards: int) -> int:
    while cards:
        work.index[n] = input_of(plane, lowest(cards))
        work.value[n] = 1.0
        cards &= cards - 1
        n += 1
    return n


@helper
def _add_change(work: Any, n: int, plane: int, before: int, after: int) -> int:
    """Add what changes in *plane* when the cards *before* become *after*."""
    left = before ^ after
    while left:
        card = lowest(left)
        left &= left - 1
        n = _add(work, n, input_of(plane, card), np.float32(1.0) if after >> card & 1 else np.float32(-1.0))
    return n


@helper
def _add_outs_change(work: Any, n: int, before: int, after: int) -> int:
    """Add what changes in the plane `OUT` when the outs *before* become *after*."""
    left = before ^ after
    while left:
        card = lowest(left)
        left &= left - 1
        in_stock = np.float32(1.0) - work.chance[_PAD + card]
        n = _add(work, n, input_of(OUT, card), in_stock if after >> card & 1 else -in_stock)
    return n


@helper
def _add_knocks(sight: Any, work: Any, n: int) -> int:
    """Add how the opponent has knocked in this match."""
    n = _add(work, n, KNOCKS + min(sight.knocks, N_KNOCKS - 1), 1.0)
    if sight.knocks == 0:
        return n
    per_knock = np.float32(1.0) / np.float32(sight.knocks)
    n = _add(work, n, C_GINS, np.float32(sight.gins) * per_knock)
    n = _add(work, n, C_KEPT, np.float32(sight.kept) * per_knock * np.float32(0.1))
    n = _add(work, n, C_KNOCK_TURN, np.float32(sight.knock_turns) * per_knock * np.float32(0.1))
    return _add(work, n, C_OFTEN, np.float32(sight.knocks) / np.float32(max(sight.hands, 1)))


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
        n = _add(work, n, input_of(CHANCE, card), work.chance[_PAD + card])
    n = _add_melds(work, n, np.int64(0), hand, sight.unseen)
    n = _add(work, n, STOCK_LEFT + sight.stock, 1.0)
    n = _add(work, n, TAKEN + min(popcount(sight.theirs), N_TAKEN - 1), 1.0)
    n = _add_knocks(sight, work, n)
    n = _add(work, n, C_THEIR_DEADWOOD, their_deadwood(sight, work.chance) * np.float32(0.04))
    n = _add(work, n, C_STOCK, np.float32(sight.stock) * np.float32(1 / 31))
    n = _add(work, n, C_TURN, np.float32(min(sight.turn, 20)) * np.float32(0.1))
    return _add(work, n, C_LIMIT, np.float32(sight.limit) * np.float32(0.1))


@helper
def _runs(hand: int, unseen: int) -> tuple[int, int]:
    """Return the lowest cards of the three-card runs in *hand*, and of those that lack one of *unseen*."""
    a, b, c = hand, hand >> 1, hand >> 2
    whole = a & b & c
    both = hand | unseen
    lacking = ((a & b) | (a & c) | (b & c)) & ~whole & both & (both >> 1) & (both >> 2)
    return whole & ALL_CARDS, lacking & ALL_CARDS


@helper
def _mates(hand: int, unseen: int) -> tuple[int, int]:
    """Return the cards of *hand* in a group of three or more, and in pairs that one of *unseen* completes."""
    a, b, c = in_next_suit(hand, 1), in_next_suit(hand, 2), in_next_suit(hand, 3)
    group = (a & b) | (a & c) | (b & c)
    live = in_next_suit(unseen, 1) | in_next_suit(unseen, 2) | in_next_suit(unseen, 3)
    return hand & group, hand & (a | b | c) & ~group & live


@helper
def _add_melds(work: Any, n: int, before: int, after: int, unseen: int) -> int:
    """Add what changes in the melds, and in what would complete them, when the hand *before* becomes *after*."""
    run, open_run = _runs(before, unseen)
    new_run, new_open_run = _runs(after, unseen)
    n = _add_change(work, n, RUN, run, new_run)
    n = _add_change(work, n, RUN_OPEN, open_run, new_open_run)
    group, pair = _mates(before, unseen)
    new_group, new_pair = _mates(after, unseen)
    n = _add_change(work, n, GROUP, group, new_group)
    n = _add_change(work, n, PAIR, pair, new_pair)
    return _add_outs_change(work, n, melding_cards(before) & unseen, melding_cards(after) & unseen)


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
    return _add_outs(sight, work, n, hand, deadwood)


@helper
def write_discard(sight: Any, work: Any, n: int, eleven: int, shown: int, card: int) -> int:
    """Write the inputs of discarding *card* from *eleven* cards after the *n* shared ones; return how many."""
    noinline()
    n = _add(work, n, input_of(HAND, card), -1.0)
    if shown >> card & 1:
        n = _add(work, n, input_of(SHOWN, card), -1.0)
    n = _add(work, n, input_of(DEAD, card), 1.0)
    n = _add(work, n, input_of(UP, card), 1.0)
    n = _add_melds(work, n, eleven, eleven & ~bit(card), sight.unseen)
    danger, pairs = danger_of(card, work.chance)
    mates = (EACH_SUIT << (card & 15)) & ~bit(card)
    n = _add(work, n, D_DANGER, danger)
    n = _add(work, n, D_PAIRS, pairs * np.float32(0.5))
    n = _add(work, n, D_MATES_GONE, np.float32(popcount(mates & (eleven | sight.pile))) * np.float32(0.3))
    n = _add(work, n, D_MATES_UNWANTED, np.float32(popcount(mates & (sight.thrown | sight.refused))) * np.float32(0.5))
    return write_hand(sight, work, n, eleven & ~bit(card))


# --- 6. A network -------------------------------------------------------------------------------------------------


@helper
def row_of(index: int) -> int:
    """Return where the weights of an input are in its network: `ROW` numbers, or `COMMON` for a plain input."""
    if index < CONTEXT:
        return index % N_SUIT * ROW
    if index < PLAIN:
        return (N_SUIT + index - CONTEXT) * ROW
    return (N_SUIT + N_CONTEXT) * ROW + (index - PLAIN) * COMMON


@helper
def _add_row(out: Floats, start: int, n: int, weight: float, params: Params, row: int) -> None:
    """Add *weight* times the *n* numbers at *row* to those of *out* from *start* on."""
    sums, weights = out[start : start + n], params[row : row + n]
    for j in range(n):
        sums[j] += weight * weights[j]


@helper
def set_base(params: Params, at: int, work: Any, n: int) -> None:
    """Write the first layer's sums over the *n* shared inputs to ``work.base``; pool those of the suits."""
    noinline()
    base, pooled = work.base, work.pooled
    context = work.hidden  # free until `output`
    for j in range(ROW):
        context[j] = params[at + BIAS + j]
    for k in range(n):
        if CONTEXT <= work.index[k] < PLAIN:
            _add_row(context, 0, ROW, work.value[k], params, at + row_of(work.index[k]))
    for suit in range(4):
        for j in range(SUIT):
            base[suit * SUIT + j] = context[j]
    for j in range(COMMON):
        base[4 * SUIT + j] = context[SUIT + j]
    for k in range(n):
        index = work.index[k]
        row = at + row_of(index)
        if index < CONTEXT:
            _add_row(base, index // N_SUIT * SUIT, SUIT, work.value[k], params, row)
            _add_row(base, 4 * SUIT, COMMON, work.value[k], params, row + SUIT)
        elif index >= PLAIN:
            _add_row(base, 4 * SUIT, COMMON, work.value[k], params, row)
    zero = np.float32(0.0)
    for j in range(SUIT):
        pooled[j] = max(base[j], zero) + max(base[SUIT + j], zero)
        pooled[j] += max(base[2 * SUIT + j], zero) + max(base[3 * SUIT + j], zero)


@helper
def output(params: Params, at: int, work: Any) -> float:
    """Return what the network says of ``work.hidden``, in points; ``work.second`` keeps the sums of its inner layer."""
    noinline()
    hidden, second = work.hidden, work.second
    for j in range(INNER):
        second[j] = params[at + BIAS_2 + j]
    for k in range(0, ROW, 4):  # four rows at a time, so that the sums stay in registers for longer
        p, q, r, s = hidden[k], hidden[k + 1], hidden[k + 2], hidden[k + 3]
        row = params[at + LAYER_2 + k * INNER : at + LAYER_2 + (k + 4) * INNER]
        for j in range(INNER):
            second[j] += (p * row[j] + q * row[INNER + j]) + (r * row[2 * INNER + j] + s * row[3 * INNER + j])
    total = params[at + LAYER_3 + INNER]
    for j in range(INNER):
        total += max(second[j], np.float32(0.0)) * params[at + LAYER_3 + j]
    return total * np.float32(POINTS)


@helper
def value_from(params: Params, at: int, work: Any, first: int, last: int) -> float:
    """Return the value when the inputs *first* to *last*, none of the context, join those in ``work.base``."""
    base, sums, hidden = work.base, work.first, work.hidden
    zero = np.float32(0.0)
    for j in range(4 * SUIT, SUMS):
        sums[j] = base[j]
    touched = 0
    for k in range(first, last):
        index = work.index[k]
        row = at + row_of(index)
        if index < CONTEXT:
            suit = index // N_SUIT
            if touched >> suit & 1 == 0:
                touched |= 1 << suit
                for j in range(suit * SUIT, suit * SUIT + SUIT):
                    sums[j] = base[j]
            _add_row(sums, suit * SUIT, SUIT, work.value[k], params, row)
            row += SUIT
        _add_row(sums, 4 * SUIT, COMMON, work.value[k], params, row)
    for j in range(SUIT):
        hidden[j] = work.pooled[j]
    for suit in range(4):
        if touched >> suit & 1:
            before, after = base[suit * SUIT : suit * SUIT + SUIT], sums[suit * SUIT : suit * SUIT + SUIT]
            for j in range(SUIT):
                hidden[j] += max(after[j], zero) - max(before[j], zero)
    for j in range(COMMON):
        hidden[SUIT + j] = max(sums[4 * SUIT + j], zero)
    return output(params, at, work)


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
    set_base(params, at + AFTER, work, n)
    best, most = np.int64(0), np.float32(-1e9)
    left = cards
    while left:
        card = lowest(left)
        left &= left - 1
        last = write_discard(sight, work, n, eleven, shown, card)
        out[card] = value_from(params, at + AFTER, work, n, last)
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
        n = _add(work, n, input_of(UP, table.up), 1.0)
    return write_hand(sight, work, n, hand)


@helper
def stock_value(table: np.void, sight: Any, hand: int, params: Params, at: int, work: Any) -> float:
    """Return the value of declining the upcard: a draw from the stock, or passing the first upcard."""
    n = write_stock(table, sight, hand, work)
    set_base(params, at + STOCK, work, n)
    return value_from(params, at + STOCK, work, n, n)


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
    set_base(params, at + KNOCK, work, n)
    return value_from(params, at + KNOCK, work, n, n)


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
    values = stack_array(64, np.float32)
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
