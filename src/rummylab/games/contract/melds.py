"""Sets and runs with wild cards, on bitboards: their codes, and whether a contract can be laid down.

A hand is two planes of cards (:mod:`rummylab.cards.planes`) and a number of jokers. Jokers are wild, and so are twos
where the rules say so: *naturals* are the other cards. At least half of every meld that is laid down is natural. A
run lies on places 0 (ace low) to 13 (ace high) of its suit.

A meld is laid down with up to four cards at once, and every such meld has a code; larger ones grow card by card. A
set: rank, which suits, which wilds. A run: suit, lowest natural, which of the three places above it are natural, which
wilds. The sizes of several melds are packed in one number, four bits each, the next meld lowest.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, LANE, always_inline, cards_of_rank, lowest, noinline, popcount, suits_of
from rummylab.cards.planes import minus, n_in

Helper = Any
TWOS = EACH_SUIT << 1
TENS = 0b1_1110_0000_0001 * EACH_SUIT
"""Tens, court cards and aces."""
TOP = 13
"""The place of an ace above the king."""
AT_ONCE = 4
"""Most cards of a meld that are laid down at once; more follow one by one."""

MAX_WILDS = 2
"""Most wilds among them."""
WILD_SETS = [
    *((twos, 0, jokers) for jokers in range(3) for twos in range(16) if twos.bit_count() + jokers <= MAX_WILDS),
    *((1 << suit, 1 << suit, 0) for suit in range(4)),
]
"""The ways to choose up to two wilds: which twos (by suit), which of them twice, how many jokers."""
N_WILD_SETS = len(WILD_SETS)
_TWOS_OF, _TWICE_OF, _JOKERS_OF = (np.array(column, np.int8) for column in zip(*WILD_SETS, strict=True))
_ONE_DECK_WILDS = N_WILD_SETS - 4
_NUMBER_OF = np.full(48, -1, np.int8)
for _number, (_twos, _double, _jokers) in enumerate(WILD_SETS):
    if not _double:
        _NUMBER_OF[16 * _jokers + _twos] = _number

SET_PATTERNS = [
    *((suits, 0) for suits in range(16)),
    *(
        (sum(1 << suit for suit in range(4) if copies[suit]), sum(1 << suit for suit in range(4) if copies[suit] == 2))
        for copies in product(range(3), repeat=4)
        if 2 in copies and sum(copies) <= AT_ONCE
    ),
]
"""The naturals of a set: in which suits its rank is there, and in which of them twice."""
N_PATTERNS = len(SET_PATTERNS)
_SUITS_OF, _SUITS_TWICE_OF = (np.array(column, np.int8) for column in zip(*SET_PATTERNS, strict=True))

N_SETS = 13 * N_PATTERNS
N_RUNS = 4 * 13 * 8
NO_CARDS = -1
"""Not within any hand: what a number that means no run gives."""


# --- Codes --------------------------------------------------------------------------------------------------------


@helper
def pattern_cards(pattern: int, rank: int) -> tuple[int, int]:
    """Return the planes of the cards of *rank* in a pattern of suits."""
    once, twice = np.int64(_SUITS_OF[pattern]), np.int64(_SUITS_TWICE_OF[pattern])
    return cards_of_rank(once, rank), cards_of_rank(twice, rank)


@helper
def set_naturals(number: int) -> tuple[int, int]:
    """Return the planes of the natural cards of set number `N_PATTERNS` * rank + pattern."""
    return pattern_cards(number % N_PATTERNS, number // N_PATTERNS)


@helper
def run_naturals(number: int) -> int:
    """Return the natural cards of run number 8 * (13 * suit + lowest place) + the three places above it."""
    suit, low = number // 104, number % 104 >> 3
    places = (1 | (number & 7) << 1) << low
    if places >> (TOP + 1):  # beyond the ace
        return np.int64(NO_CARDS)
    return ((places & LANE) | places >> TOP) << 16 * suit


@helper
def wild_cards(wilds: int) -> tuple[int, int, int]:
    """Return the choice of wilds number *wilds*: the planes of its twos, and its jokers."""
    twos, twice = np.int64(_TWOS_OF[wilds]), np.int64(_TWICE_OF[wilds])
    return cards_of_rank(twos, 1), cards_of_rank(twice, 1), np.int64(_JOKERS_OF[wilds])


@helper
def some_wilds(twos: int, twice: int, jokers: int, n: int) -> int:
    """Return the number of a choice of *n* wilds from *twos*, those held *twice* and *jokers*: different twos first."""
    held = suits_of(twos, 1)
    chosen, jokers_used = np.int64(0), np.int64(0)
    for _ in range(n):
        if held:
            chosen |= held & -held
            held &= held - 1
        elif twice and jokers_used == 0:
            return _ONE_DECK_WILDS + lowest(suits_of(twice, 1))
        elif jokers_used < jokers:
            jokers_used += 1
    return np.int64(_NUMBER_OF[16 * jokers_used + chosen])


# --- Runs on their places -----------------------------------------------------------------------------------------


@helper
def on_places(cards: int, suit: int) -> int:
    """Return on which places *cards* has *suit*, the ace on both."""
    lane = cards >> 16 * suit & LANE
    return lane | (lane & 1) << TOP


@helper
def cards_on(places: int, suit: int) -> int:
    """Return the cards of *suit* that belong on *places*."""
    return ((places & LANE) | places >> TOP & 1) << 16 * suit


@helper
def are_apart(places: int, neighbors: bool) -> bool:
    """Return whether no two of *places* lie side by side, or *neighbors* may."""
    return neighbors or places & places >> 1 == 0


@helper
def can_lie(wild: int, low: int, size: int) -> bool:
    """Return whether wilds on these places from *low* on can be laid down.

    A run of three is laid down at once, so a wild lies below it only where the ace is on top; larger runs grow.
    """
    return size > 3 or wild & 1 == 0 or low + size > TOP


# --- Can the contract be laid down? -------------------------------------------------------------------------------


@helper
def at_least(naturals: int) -> tuple[int, int, int]:
    """Return the ranks that occur at least twice, at least three times, and four times, as masks of thirteen bits."""
    a, b, c, d = naturals & LANE, naturals >> 16 & LANE, naturals >> 32 & LANE, naturals >> 48 & LANE
    both_low, both_high, any_low, any_high = a & b, c & d, a | b, c | d
    two = both_low | both_high | (any_low & any_high)
    three = (both_low & any_high) | (both_high & any_low)
    return two, three, both_low & both_high


NEVER = 99


@helper
def wilds_for_sets(naturals: int, n: int, size: int, same_rank: bool, barred: int) -> int:
    """Return the fewest wilds that make *n* sets of *size* (3 or 4), none of a *barred* rank; `NEVER` if it cannot be.

    For one deck. Cheapest first is best: each rank gives one set, four cards of a rank (with *same_rank*) also a
    second one.
    """
    two, three, four = at_least(naturals)
    two, three, four = two & ~barred, three & ~barred, four & ~barred
    again = popcount(four) if same_rank else np.int64(0)
    if size == 3:
        none, one, both = popcount(three), popcount(two & ~three), again
        most = np.int64(0)
    else:
        none, one, both = popcount(four), popcount(three & ~four), popcount(two & ~three)
        most = again
    left = n - min(none, n)
    cost = min(one, left)
    left -= cost
    step = min(both, left)
    cost, left = cost + 2 * step, left - step
    step = min(most, left)
    cost, left = cost + 4 * step, left - step
    return cost if left == 0 else np.int64(NEVER)


@helper
def n_sizes(sizes: int) -> int:
    """Return how many melds the packed *sizes* are of."""
    n = 0
    while sizes:
        sizes >>= 4
        n += 1
    return n


@helper
def fewest_wilds(once: int, twice: int, sizes: int, same_rank: bool, barred: int) -> int:
    """Return the fewest wilds that make sets of the packed *sizes* from naturals; `NEVER` if it cannot be."""
    always_inline()
    if sizes == 0:
        return np.int64(0)
    size, n = sizes & 15, n_sizes(sizes)
    if twice == 0 and size <= 4 and sizes >> 4 * (n - 1) == size:  # the largest and the smallest are alike
        return wilds_for_sets(once, n, size, same_rank, barred)
    return _share_ranks(once, twice, sizes, n, same_rank, barred)


@helper
def _share_ranks(once: int, twice: int, sizes: int, n: int, same_rank: bool, barred: int) -> int:
    """Return the fewest wilds for any sizes: which sets each rank makes, rank by rank.

    Sets of one rank need half of their cards as naturals; wilds make up for the rest.
    """
    noinline()
    every = (1 << n) - 1
    best = np.full(1 << n, NEVER, np.int64)
    best[0] = 0
    for rank in range(13):
        cards = np.int64(EACH_SUIT) << rank
        held = n_in(once & cards, twice & cards)
        if held < 2 or barred >> rank & 1:
            continue
        for made in range(every, 0, -1):
            here = made
            while here:
                total, natural = _demand(sizes, here)
                alone = here & (here - 1) == 0
                if natural <= held and (same_rank or alone):
                    best[made] = min(best[made], best[made & ~here] + max(total - held, 0))
                here = (here - 1) & made
    return min(best[every], np.int64(NEVER))


@helper
def _demand(sizes: int, some: int) -> tuple[int, int]:
    """Return how many cards *some* of the sets have together, and how many of them must be natural."""
    total, natural = np.int64(0), np.int64(0)
    while some:
        if some & 1:
            size = sizes & 15
            total += size
            natural += (size + 1) >> 1
        some >>= 1
        sizes >>= 4
    return total, natural


class Supply(NamedTuple):
    """What melds are made from: the planes of natural cards, and a number of wilds."""

    once: int
    twice: int
    wilds: int


class Needs(NamedTuple):
    """The packed sizes of the melds to lay down, and what those that lie forbid them: ranks, and ends of runs."""

    sets: int
    runs: int
    barred: int
    starts: int
    stops: int


class Allowed(NamedTuple):
    """What the rules allow: two sets of a rank, two wilds of a run side by side, one run cut in two."""

    same_rank: bool
    neighbors: bool
    joined: bool


@helper
def _no_runs(supply: Supply, needs: Needs, first: int, allowed: Allowed) -> bool:
    """Return whether the sets can be made; what is left to search when all runs lie."""
    return fewest_wilds(supply.once, supply.twice, needs.sets, allowed.same_rank, needs.barred) <= supply.wilds


def _one_run_more(rest: Helper, runs_left: int) -> Helper:
    """Return the helper that tries every way to make the next run, and *rest* for what remains."""

    def can_make(supply: Supply, needs: Needs, first: int, allowed: Allowed) -> bool:
        noinline()
        if needs.runs == 0:
            return _no_runs(supply, needs, first, allowed)
        once, twice, wilds = supply
        sets, runs, barred, starts, stops = needs
        size = runs & 15
        full, windows = (1 << size) - 1, TOP + 2 - size
        after = runs >> 4
        for window in range(first, 4 * windows):
            suit, low = window // windows, window % windows
            free = on_places(once, suit) >> low & full
            limit = min(size >> 1, wilds)
            needed = full & ~free
            if popcount(needed) > limit or not (allowed.joined or is_separate(suit, low, size, starts, stops)):
                continue
            start, stop = np.int64(1) << (16 * suit + low), np.int64(1) << (16 * suit + low + size - 1)
            needs_after = Needs(sets, after, barred, starts | start, stops | stop)
            again = window if after & 15 == size else 0  # of two runs alike the order does not matter
            more = np.int64(0)
            while True:
                wild = needed | more
                spent = popcount(wild)
                if spent <= limit and are_apart(wild, allowed.neighbors) and can_lie(wild, low, size):
                    left, left_twice = minus(once, twice, cards_on((full & ~wild) << low, suit), np.int64(0))
                    if rest(Supply(left, left_twice, wilds - spent), needs_after, again, allowed):
                        return True
                more = (more - free) & free if popcount(needed) < limit else np.int64(0)
                if more == 0:
                    break
        return False

    # Machine code is linked by name: helpers that differ only in their closure need names of their own.
    can_make.__qualname__ = f"can_make_{runs_left}"
    return helper(can_make)


@helper
def is_separate(suit: int, low: int, size: int, starts: int, stops: int) -> bool:
    """Return whether a run joins none of those that start and stop at the given places (12)."""
    at = 16 * suit + low
    before = stops >> (at - 1) & 1 if low > 0 else np.int64(0)
    return before == 0 and (low + size > TOP or starts >> (at + size) & 1 == 0)


can_complete = _one_run_more(_one_run_more(_one_run_more(_no_runs, 1), 2), 3)
"""``can_complete(supply, needs, first, allowed)``.

Return whether all melds of *needs* can be laid side by side from *supply*. Runs are tried from window number *first*
on.
"""


@helper
def dearest_rank(ranks: int) -> int:
    """Return a rank of the non-empty *ranks* whose cards cost most: the highest, the ace counting as such."""
    tens = ranks & (TENS & LANE)
    return lowest(tens if tens else ranks)
