"""The joint belief: whole hands of the opponent, drawn from a proposal and weighted by a trained network.

A belief that gives each card a probability of its own cannot say that cards come in melds. Here a sample is a whole
hand. It takes two steps.

1. *Propose* a hand: the cards that the opponent is known to hold; zero to three melds, as many as hands have at this
   turn; then single cards, some of them next to cards that are already there. The odds of cards and melds come from a
   small logistic model of what the opponent took, passed and discarded.
2. *Weigh* it by exp(S), where the network S (96 and 24 units) sees the public cards, the last four discards, the
   opponent's knocks in this match, the hand's cards, deadwood and melds, and how the hand fits what was passed, taken
   and discarded. S is trained to tell the true hand from eleven proposed ones (``rummylab train gin-joint-belief``), so
   exp(S) is the ratio of the true distribution to the proposal, whatever the proposal is.

The network adapts to the opponent: agents of every kind played the games it learned from, and what the opponent did in
this match, hand after hand, is among its inputs. A second, smaller network says how likely this opponent is to knock
with a given deadwood.

Everything comes from ``table`` and ``mine``: the public cards and the player's own. An agent appends `Joint.flat` to
its parameters and tells the helpers where the weights start.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import (
    ALL_CARDS,
    EACH_SUIT,
    IDS_52,
    bit,
    highest,
    index_of,
    lowest,
    noinline,
    points,
    popcount,
    ranks_of,
)
from rummylab.cards.melds import MAX_MELDS, MELDS, Masks, in_groups, in_runs, min_deadwood
from rummylab.cards.rng import below, scramble, unit
from rummylab.engine.artifacts import Trained
from rummylab.engine.rows import Rows

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

BUNDLED = "joint.safetensors"
"""The trained networks that come with the package."""
HAND_SIZE = 10

# --- Inputs -------------------------------------------------------------------------------------------------------

N_RECENT = 4
"""Discards of the opponent that are told apart by their order."""
N_TURNS = 16
OWN, PILE, RECENT = 0, 52, 104
OLDER = RECENT + 52 * N_RECENT
KNOWN = OLDER + 52
PASSED = KNOWN + 52
TURN = PASSED + 52
STATISTICS = TURN + N_TURNS
N_STATISTICS = 15
N_PUBLIC = STATISTICS + N_STATISTICS
"""Inputs that do not depend on the opponent's hand."""

DEADWOOD_BINS = (0, 3, 6, 10, 14, 18, 23, 28, 34, 42, 52)
"""The most deadwood of every bin but the last."""
CARDS, BINS = 0, 52
DENSE = BINS + len(DEADWOOD_BINS) + 1
N_DENSE = 16 + 3 * N_RECENT
N_HAND = DENSE + N_DENSE
"""Inputs that describe a hand of the opponent."""
WIDTHS = (96, 24)

# Facts about a position that the inputs of every hand need.
F_KNOWN, F_HIDDEN, F_RECENT, F_OLDER, F_PASSED_LATE, F_PASSED, F_TURN, F_GONE, F_LIMIT = 0, 1, 2, 6, 7, 8, 9, 10, 11
N_FACTS = 12

N_ODDS = 14
"""Inputs of the logistic model of single cards."""
N_STAGES, MAX_PLANTED = 13, 3
"""Turns with a share of planted melds of their own, and the most melds."""
N_THREES = 96
"""Melds of exactly three cards: 52 groups and 44 runs."""
STICKINESS = 0.35
"""The share of single cards that are drawn next to a card of the hand, if one is found soon."""
_TRIES = 6

N_KNOCK, KNOCK_WIDTH = 22, 16
"""Inputs and units of the network that says how likely the opponent is to knock."""

SHAPES = {
    "public.weight": (N_PUBLIC, WIDTHS[0]),
    "hand.weight": (N_HAND, WIDTHS[0]),
    "layer1.bias": (WIDTHS[0],),
    "layer2.weight": (WIDTHS[0], WIDTHS[1]),
    "layer2.bias": (WIDTHS[1],),
    "layer3.weight": (WIDTHS[1],),
    "odds": (N_ODDS,),
    "planted": (N_STAGES, MAX_PLANTED + 1),
    "knock.layer1.weight": (N_KNOCK, KNOCK_WIDTH),
    "knock.layer1.bias": (KNOCK_WIDTH,),
    "knock.layer2.weight": (KNOCK_WIDTH,),
    "knock.layer2.bias": (1,),
}
_SIZES = [int(np.prod(shape)) for shape in SHAPES.values()]
(_PUBLIC, _HAND, _BIAS1, _LAYER2, _BIAS2, _LAYER3, _ODDS, _PLANTED, _KNOCK1, _KNOCK_BIAS1, _KNOCK2, _KNOCK_BIAS2) = (
    sum(_SIZES[:k]) for k in range(len(_SIZES))
)
N_WEIGHTS = sum(_SIZES)

STREAM = np.dtype([("rng", "u8")])
"""A random stream of its own, for callers that have no player's stream."""


def _threes() -> Masks:
    return np.array([meld for meld in MELDS.tolist() if meld.bit_count() == 3], np.int64)


THREES = _threes()


class Joint(Trained):
    """The networks of the belief."""

    FORMAT, SHAPES, HALF = "rummylab-gin-joint-belief", SHAPES, True

    @classmethod
    def untrained(cls) -> Joint:
        """Return networks of zeros: every proposed hand has the same weight, every card the same odds."""
        tensors = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
        tensors["planted"][:, 0] = 1
        return cls(tensors, {})


@cache
def bundled() -> Joint:
    """Return the trained networks that come with the package."""
    return Joint.load(Path(str(files("rummylab.beliefs.gin") / BUNDLED)))


# --- What a position says -----------------------------------------------------------------------------------------


@helper
def write_facts(table: np.void, mine: np.void, out: Ints) -> None:
    """Write what the inputs of every hand need to *out*."""
    opponent = 1 - mine.seat
    thrown = table.thrown[opponent]
    last = np.int64(0)
    left = thrown
    while left:
        last = max(last, np.int64(table.threw[opponent, index_of(lowest(left))]))
        left &= left - 1
    for k in range(N_RECENT):
        out[F_RECENT + k] = 0
    older, left = np.int64(0), thrown
    while left:
        card = left & -left
        left ^= card
        age = last - table.threw[opponent, index_of(lowest(card))]
        if age < N_RECENT:
            out[F_RECENT + age] |= card
        else:
            older |= card
    late, left = np.int64(0), table.refused[opponent]
    while left:
        card = left & -left
        left ^= card
        if table.passed[opponent, index_of(lowest(card))] >= last - 1:
            late |= card
    out[F_OLDER] = older
    out[F_PASSED_LATE] = late
    out[F_PASSED] = table.refused[opponent] & ~late
    known = table.known[opponent]
    for k in range(MAX_MELDS):  # melds on the table; cards that this seat laid off on them are its own
        known |= table.spread[opponent, k]
    out[F_KNOWN] = known & ~mine.hand
    out[F_HIDDEN] = ALL_CARDS & ~(mine.hand | table.pile)
    out[F_TURN] = last
    out[F_GONE] = mine.hand | table.pile
    out[F_LIMIT] = table.limit


@helper
def _add_cards(mask: int, start: int, which: Ints, values: Floats, n: int) -> int:
    """List the inputs of the cards of *mask*, those from *start* on; return how many inputs are listed now."""
    while mask:
        which[n] = start + index_of(lowest(mask))
        values[n] = 1.0
        mask &= mask - 1
        n += 1
    return n


@helper
def write_statistics(table: np.void, seat: int, out: Floats) -> None:
    """Write to *out* what *seat* has done in this match and, in public, in this hand: `N_STATISTICS` numbers."""
    n = np.int64(table.knocks[seat])
    per_knock = np.float32(1.0) / np.float32(max(n, 1))
    out[0] = n == 0
    out[1] = n == 1
    out[2] = n == 2
    out[3] = n > 2
    out[4] = np.float32(table.gins[seat]) * per_knock
    out[5] = np.float32(table.knocked_with[seat]) * per_knock * np.float32(0.1)
    out[6] = np.float32(table.knock_turns[seat]) * per_knock * np.float32(0.1)
    others = np.int64(table.knocks[1 - seat])
    out[7] = np.float32(min(table.hand_no - n - others, 5)) * np.float32(0.3)
    out[8] = np.float32(min(others, 5)) * np.float32(0.2)
    out[9] = np.float32(min(table.scores[seat], 200)) * np.float32(0.01)
    out[10] = np.float32(min(table.scores[1 - seat], 200)) * np.float32(0.01)
    out[11] = np.float32(popcount(table.known[seat])) * np.float32(0.3)
    thrown = table.thrown[seat]
    out[12] = np.float32(points(thrown)) * np.float32(0.1) / np.float32(max(popcount(thrown), 1))
    out[13] = np.float32(table.stock) * np.float32(1 / 31)
    out[14] = table.starter == seat


@helper
def write_public(table: np.void, mine: np.void, facts: Ints, which: Ints, values: Floats) -> int:
    """List the public inputs that are not 0: their numbers in *which*, their values in *values*; return how many."""
    n = _add_cards(mine.hand, OWN, which, values, np.int64(0))
    n = _add_cards(table.pile, PILE, which, values, n)
    for k in range(N_RECENT):
        n = _add_cards(facts[F_RECENT + k], RECENT + 52 * k, which, values, n)
    n = _add_cards(facts[F_OLDER], OLDER, which, values, n)
    n = _add_cards(facts[F_KNOWN], KNOWN, which, values, n)
    n = _add_cards(facts[F_PASSED_LATE] | facts[F_PASSED], PASSED, which, values, n)
    which[n] = TURN + min(facts[F_TURN], np.int64(N_TURNS - 1))
    values[n] = 1.0
    n += 1
    statistics = np.empty(N_STATISTICS, np.float32)
    write_statistics(table, 1 - mine.seat, statistics)
    for k in range(N_STATISTICS):
        if statistics[k] != 0:
            which[n] = STATISTICS + k
            values[n] = statistics[k]
            n += 1
    return n


MOST_PUBLIC = 52 * 3 + 1 + N_STATISTICS + 32
"""Room for the list of `write_public`."""

# --- What a hand looks like ---------------------------------------------------------------------------------------


@helper
def melding(hand: int) -> int:
    """Return the cards outside *hand* that would make a meld with two or more of its cards."""
    up, down = hand << 1, hand >> 1
    runs = (up & (hand << 2)) | (down & (hand >> 2)) | (up & down)
    ranks = ranks_of(hand)
    twice = np.int64(0)
    while ranks:
        rank = (ranks & -ranks) * np.int64(EACH_SUIT)
        ranks &= ranks - 1
        if popcount(hand & rank) >= 2:
            twice |= rank
    return (runs | twice) & ALL_CARDS & ~hand


@helper
def near(cards: int) -> int:
    """Return the cards next to one of *cards* in its suit, or of its rank."""
    return ((cards << 1) | (cards >> 1) | (ranks_of(cards) * np.int64(EACH_SUIT))) & ALL_CARDS


@helper
def _rank_pairs(cards: int) -> int:
    return popcount(cards & (cards >> 16)) + popcount(cards & (cards >> 32)) + popcount(cards & (cards >> 48))


@helper
def write_hand(facts: Ints, hand: int, out: Floats) -> int:
    """Write the inputs of *hand* that are not single cards to ``out[:N_DENSE]``; return the number of its bin."""
    deadwood = min_deadwood(hand)
    runs, groups = in_runs(hand), in_groups(hand)
    loose = hand & ~(runs | groups)
    outs = melding(hand)
    beside = near(loose)
    lonely = np.int64(0)
    left = loose
    while left:
        card = left & -left
        left ^= card
        if near(card) & hand & ~card == 0:
            lonely |= card
    known = facts[F_KNOWN]
    top = np.float32(min((highest(ranks_of(loose)) + 1), 10)) * np.float32(0.1) if loose else np.float32(0.0)
    out[0] = np.float32(deadwood) * np.float32(0.05)
    out[1] = np.float32(popcount(runs | groups)) * np.float32(0.1)
    out[2] = np.float32(popcount(loose & (loose >> 1))) * np.float32(0.3)
    out[3] = np.float32(_rank_pairs(loose)) * np.float32(0.3)
    out[4] = np.float32(popcount(loose & (loose >> 2))) * np.float32(0.3)
    out[5] = np.float32(popcount(lonely)) * np.float32(0.3)
    out[6] = top
    out[7] = np.float32(popcount(known & loose)) * np.float32(0.5)
    out[8] = np.float32(popcount(known & lonely)) * np.float32(0.5)
    out[9] = np.float32(popcount(outs & facts[F_PASSED_LATE])) * np.float32(0.7)
    out[10] = np.float32(popcount(outs & facts[F_PASSED])) * np.float32(0.5)
    out[11] = np.float32(popcount(beside & facts[F_PASSED_LATE])) * np.float32(0.5)
    out[12] = np.float32(popcount(outs & facts[F_OLDER])) * np.float32(0.5)
    out[13] = np.float32(popcount(beside & facts[F_OLDER])) * np.float32(0.2)
    out[14] = np.float32(popcount(outs & ~facts[F_GONE])) * np.float32(0.1)
    out[15] = np.float32(points(lonely)) * np.float32(0.05)
    for k in range(N_RECENT):
        card = facts[F_RECENT + k]
        at = 16 + 3 * k
        out[at] = np.float32(outs & card != 0)
        out[at + 1] = np.float32(popcount(near(card) & loose)) * np.float32(0.4) if card else np.float32(0.0)
        out[at + 2] = top - np.float32(points(card)) * np.float32(0.1) if card else np.float32(0.0)
    number = 0
    while number < len(DEADWOOD_BINS) and deadwood > DEADWOOD_BINS[number]:
        number += 1
    return number


# --- The proposal -------------------------------------------------------------------------------------------------


@helper
def write_odds_inputs(facts: Ints, card: int, out: Floats) -> None:
    """Write the inputs of the logistic model for one hidden *card* to *out*."""
    mask = bit(card)
    rank = (np.int64(EACH_SUIT) << (card & 15)) & ~mask
    beside = ((mask << 1) | (mask >> 1)) & ALL_CARDS
    apart = ((mask << 2) | (mask >> 2)) & ALL_CARDS
    thrown = facts[F_OLDER] | facts[F_RECENT] | facts[F_RECENT + 1] | facts[F_RECENT + 2] | facts[F_RECENT + 3]
    passed = facts[F_PASSED] | facts[F_PASSED_LATE]
    turn = np.float32(min(facts[F_TURN], np.int64(N_TURNS))) * np.float32(0.1)
    worth = np.float32(min((card & 15) + 1, 10)) * np.float32(0.1)
    known = facts[F_KNOWN]
    gone = facts[F_GONE]
    out[0] = 1.0
    out[1] = popcount(rank & known)
    out[2] = popcount(beside & known)
    out[3] = popcount(apart & known)
    out[4] = popcount(rank & thrown)
    out[5] = popcount(beside & thrown)
    out[6] = popcount(rank & passed)
    out[7] = popcount(beside & passed)
    out[8] = worth
    out[9] = worth * turn
    out[10] = popcount(rank & gone)
    out[11] = popcount(beside & gone)
    out[12] = turn
    out[13] = turn * np.float32(popcount(rank & thrown) + popcount(beside & thrown))


@helper
def write_odds(facts: Ints, params: Floats, at: int, out: Floats) -> None:
    """Write the odds that the opponent holds each hidden card to ``out[13 * suit + rank]``; 0 for all others."""
    inputs = np.empty(N_ODDS, np.float32)
    known = facts[F_KNOWN]
    free = facts[F_HIDDEN] & ~known
    need = HAND_SIZE - popcount(known)
    prior = np.log(np.float32(max(need, 1)) / np.float32(max(popcount(free) - need, 1)))
    for i in range(52):
        out[i] = 0.0
    while free:
        card = lowest(free)
        free &= free - 1
        write_odds_inputs(facts, card, inputs)
        total = prior
        for k in range(N_ODDS):
            total += params[at + _ODDS + k] * inputs[k]
        out[index_of(card)] = np.exp(min(max(total, np.float32(-8.0)), np.float32(8.0)))


@helper
def write_meld_odds(facts: Ints, odds: Floats, out: Floats) -> None:
    """Write the running sum of the odds of all melds of three cards to *out*; the opponent may hold their cards."""
    total = np.float32(0.0)
    for k in range(N_THREES):
        meld = THREES[k]
        if meld & ~facts[F_HIDDEN] == 0 and meld & ~facts[F_KNOWN]:
            weight = np.float32(1.0)
            left = meld & ~facts[F_KNOWN]
            while left:
                weight *= odds[index_of(lowest(left))]
                left &= left - 1
            total += weight
        out[k] = total


@helper
def _pick(sums: Floats, n: int, at: float) -> int:
    """Return the first place whose running sum exceeds *at*."""
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) >> 1
        if sums[middle] > at:
            high = middle
        else:
            low = middle + 1
    return low


@helper
def write_card_odds(odds: Floats, out: Floats) -> None:
    """Write the running sum of the odds of all cards to *out*."""
    total = np.float32(0.0)
    for i in range(52):
        total += odds[i]
        out[i] = total


@helper
def propose(holder: np.void, facts: Ints, params: Floats, at: int, cards: Floats, melds: Floats) -> int:
    """Return a hand that the opponent may hold, drawn with ``holder.rng``; *cards* and *melds* are running sums."""
    hand = facts[F_KNOWN]
    need = HAND_SIZE - popcount(hand)
    # 1. The number of melds, and the melds; one that no longer fits is left out.
    row = at + _PLANTED + (MAX_PLANTED + 1) * min(facts[F_TURN], np.int64(N_STAGES - 1))
    chance = np.float32(unit(holder))
    planted = 0
    while planted < MAX_PLANTED and chance >= params[row + planted]:
        chance -= params[row + planted]
        planted += 1
    if melds[N_THREES - 1] > 0:
        for _ in range(planted):
            meld = THREES[_pick(melds, np.int64(N_THREES), np.float32(unit(holder)) * melds[N_THREES - 1])]
            new = popcount(meld & ~hand)
            if new <= need and (meld & hand & ~facts[F_KNOWN]) == 0:
                hand |= meld
                need -= new
    # 2. Single cards, by their odds; some of them next to the cards that are there.
    free = facts[F_HIDDEN] & ~hand
    while need > 0:
        wanted = near(hand) if unit(holder) < STICKINESS else free
        card = np.int64(0)
        for _ in range(_TRIES):
            found = bit(IDS_52[_pick(cards, np.int64(52), np.float32(unit(holder)) * cards[51])]) & free
            if found:
                card = found
                if card & wanted:
                    break
        if card == 0:  # the likely cards are all there: take any other
            left = free
            for _ in range(below(holder, popcount(free))):
                left &= left - 1
            card = left & -left
        hand |= card
        free ^= card
        need -= 1
    return hand


# --- The network --------------------------------------------------------------------------------------------------


@helper
def write_base(table: np.void, mine: np.void, facts: Ints, params: Floats, at: int, out: Floats) -> None:
    """Write the sums of the first layer over the public inputs to *out*."""
    noinline()
    which, values = np.empty(MOST_PUBLIC, np.int64), np.empty(MOST_PUBLIC, np.float32)
    n = write_public(table, mine, facts, which, values)
    for j in range(WIDTHS[0]):
        out[j] = params[at + _BIAS1 + j]
    for i in range(n):
        row, value = np.uint64(at + _PUBLIC + WIDTHS[0] * which[i]), values[i]
        for j in range(WIDTHS[0]):
            out[j] += value * params[row + np.uint64(j)]


@helper
def score(
    facts: Ints, base: Floats, hand: int, params: Floats, at: int, dense: Floats, first: Floats, second: Floats
) -> float:
    """Return S of *hand*; *dense*, *first* and *second* are working arrays for the inputs and the layers."""
    number = write_hand(facts, hand, dense)
    row = np.uint64(at + _HAND + WIDTHS[0] * (BINS + number))
    for j in range(WIDTHS[0]):
        first[j] = base[j] + params[row + np.uint64(j)]
    left = hand
    while left:
        row = np.uint64(at + _HAND + WIDTHS[0] * index_of(lowest(left)))
        left &= left - 1
        for j in range(WIDTHS[0]):
            first[j] += params[row + np.uint64(j)]
    for k in range(N_DENSE):
        value = dense[k]
        if value != 0:
            row = np.uint64(at + _HAND + WIDTHS[0] * (DENSE + k))
            for j in range(WIDTHS[0]):
                first[j] += value * params[row + np.uint64(j)]
    for j in range(WIDTHS[1]):
        second[j] = params[at + _BIAS2 + j]
    for i in range(WIDTHS[0]):
        value = first[i]
        if value > 0:
            row = np.uint64(at + _LAYER2 + WIDTHS[1] * i)
            for j in range(WIDTHS[1]):
                second[j] += value * params[row + np.uint64(j)]
    total = np.float32(0.0)
    for j in range(WIDTHS[1]):
        total += max(second[j], np.float32(0.0)) * params[at + _LAYER3 + j]
    return total


@helper
def sample_weighted(
    table: np.void, mine: np.void, holder: np.void, params: Floats, at: int, hands: Masks, weights: Floats
) -> None:
    """Fill *hands* with possible hands of the opponent and *weights* with their probabilities, which sum to 1.

    The random numbers come from ``holder.rng``: ``mine`` itself, or a stream of the caller's.
    """
    noinline()
    facts = np.empty(N_FACTS, np.int64)
    odds, cards, melds = np.empty(52, np.float32), np.empty(52, np.float32), np.empty(N_THREES, np.float32)
    base, dense = np.empty(WIDTHS[0], np.float32), np.empty(N_DENSE, np.float32)
    first, second = np.empty(WIDTHS[0], np.float32), np.empty(WIDTHS[1], np.float32)
    write_facts(table, mine, facts)
    write_odds(facts, params, at, odds)
    write_card_odds(odds, cards)
    write_meld_odds(facts, odds, melds)
    write_base(table, mine, facts, params, at, base)
    top = np.float32(-1e30)
    for i in range(len(hands)):
        hands[i] = propose(holder, facts, params, at, cards, melds)
        weights[i] = score(facts, base, hands[i], params, at, dense, first, second)
        top = max(top, weights[i])
    total = np.float32(0.0)
    for i in range(len(hands)):
        weights[i] = np.exp(weights[i] - top)
        total += weights[i]
    for i in range(len(hands)):
        weights[i] /= total


@helper
def sample_worlds(
    table: np.void, mine: np.void, holder: np.void, params: Floats, at: int, n_proposed: int, worlds: Masks
) -> None:
    """Fill *worlds* with equally likely hands: *n_proposed* hands, resampled by weight (systematically)."""
    hands, weights = np.empty(n_proposed, np.int64), np.empty(n_proposed, np.float32)
    sample_weighted(table, mine, holder, params, at, hands, weights)
    n = len(worlds)
    step = 1.0 / n
    goal = unit(holder) * step
    reached, k = np.float64(weights[0]), 0
    for i in range(n):
        while reached < goal and k + 1 < n_proposed:
            k += 1
            reached += weights[k]
        worlds[i] = hands[k]
        goal += step


# --- How likely the opponent is to knock ----------------------------------------------------------------------------


@helper
def write_knock_inputs(table: np.void, seat: int, deadwood: int, turn: int, out: Floats) -> None:
    """Write the inputs of the knock network to *out*: *seat* could knock with *deadwood* at their turn *turn*."""
    write_statistics(table, seat, out)
    t = np.float32(min(turn, 20)) * np.float32(0.1)
    d = np.float32(deadwood) * np.float32(0.1)
    at = N_STATISTICS
    out[at] = deadwood == 0
    out[at + 1] = d
    out[at + 2] = d * d
    out[at + 3] = t
    out[at + 4] = t * d
    out[at + 5] = out[4] * d
    out[at + 6] = out[5] - d if out[0] == 0 else np.float32(0.0)


@helper
def knock_chance(table: np.void, seat: int, deadwood: int, turn: int, params: Floats, at: int) -> float:
    """Return how likely *seat* is to knock when they can, with *deadwood*, at their turn *turn*."""
    if deadwood == 0:
        return np.float32(1.0)
    inputs = np.empty(N_KNOCK, np.float32)
    write_knock_inputs(table, seat, deadwood, turn, inputs)
    total = params[at + _KNOCK_BIAS2]
    for j in range(KNOCK_WIDTH):
        hidden = params[at + _KNOCK_BIAS1 + j]
        for i in range(N_KNOCK):
            hidden += inputs[i] * params[at + _KNOCK1 + KNOCK_WIDTH * i + j]
        total += max(hidden, np.float32(0.0)) * params[at + _KNOCK2 + j]
    return np.float32(1.0) / (np.float32(1.0) + np.exp(-total))


# --- From Python --------------------------------------------------------------------------------------------------

N_PROPOSED = 256
"""Hands that are proposed for one decision."""


@helper
def seed_stream(table: np.void, mine: np.void, seed: int, holder: np.void) -> None:
    """Start a stream from *seed* and what the seat sees, so that equal observations give equal samples."""
    z = scramble(np.uint64(seed) + np.uint64(mine.hand))
    z = scramble(z + np.uint64(table.pile))
    holder.rng = scramble(z + np.uint64(table.known[1 - mine.seat]) + np.uint64(table.turn))


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the belief of the seat that holds *mine* to *out* (see `rummylab.beliefs.gin.uniform`)."""
    streams = np.empty(1, STREAM)
    seed_stream(table, mine, np.int64(0), streams[0])
    hands, weights = np.empty(16 * N_PROPOSED, np.int64), np.empty(16 * N_PROPOSED, np.float32)
    sample_weighted(table, mine, streams[0], params, at, hands, weights)
    for i in range(52):
        out[i] = 0.0
    for k in range(len(hands)):
        left = hands[k]
        while left:
            out[index_of(lowest(left))] += weights[k]
            left &= left - 1


@kernel
def sample_many(views: Rows, params: Floats, seed: int, hands: npt.NDArray[np.int64], weights: Floats) -> None:
    """Write hands and their weights for each of *views*; the stream comes from *seed* and the view."""
    streams = np.empty(1, STREAM)
    for i in range(views.shape[0]):
        table, mine = views[i].table, views[i].mine
        seed_stream(table, mine, seed + i, streams[0])
        sample_weighted(table, mine, streams[0], params, np.int64(0), hands[i], weights[i])


@kernel
def knock_chances(views: Rows, params: Floats, out: Floats) -> None:
    """Write how likely each opponent is to knock next turn with 0 to 10 points to the rows of *out*."""
    for i in range(views.shape[0]):
        table, opponent = views[i].table, 1 - views[i].mine.seat
        turn = popcount(table.thrown[opponent]) + 1
        for deadwood in range(out.shape[1]):
            out[i, deadwood] = knock_chance(table, opponent, deadwood, turn, params, np.int64(0))
