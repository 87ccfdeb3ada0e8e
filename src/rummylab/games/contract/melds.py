"""Sets and runs with wild cards, on bitboards: their codes, and whether a contract can be laid down.

A hand is a mask of cards and a number of jokers. All twos are wild: *naturals* are the cards without them. At least
half of every meld that is laid down is natural. A run lies on places 0 (ace low) to 13 (ace high) of its suit.

Every meld that can be laid down has a code. A set: rank, which suits, which wilds. A run: suit, lowest natural, which
of the three places above it are natural, which wilds; so four cards are the longest, and longer ones grow by lay-offs.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, LANE, lowest, popcount
from rummylab.cards.card import JOKER_ID

JOKER_BIT = 1 << JOKER_ID
TWOS = EACH_SUIT << 1
TENS = 0b1_1110_0000_0001 * EACH_SUIT
"""Cards that cost ten points: 10 J Q K A."""
TOP = 13
"""The place of an ace above the king."""

MAX_WILDS = 2
"""Most wilds of a meld that is laid down."""
WILD_SETS = [(twos, jokers) for jokers in range(3) for twos in range(16) if twos.bit_count() + jokers <= MAX_WILDS]
"""The ways to choose up to two wilds: which twos (by suit), how many jokers."""
N_WILD_SETS = len(WILD_SETS)
_TWOS_OF = np.array([twos for twos, _ in WILD_SETS], np.int8)
_JOKERS_OF = np.array([jokers for _, jokers in WILD_SETS], np.int8)
_NUMBER_OF = np.full(48, -1, np.int8)
for _number, (_twos, _jokers) in enumerate(WILD_SETS):
    _NUMBER_OF[16 * _jokers + _twos] = _number

N_SETS = 13 * 16
N_RUNS = 4 * 13 * 8
NO_CARDS = -1
"""Not within any hand: what a number that means no meld gives."""


# --- Codes --------------------------------------------------------------------------------------------------------


@helper
def over_suits(four: int) -> int:
    """Return four bits as the aces of four suits."""
    return (four & 1) | (four & 2) << 15 | (four & 4) << 30 | (four & 8) << 45


@helper
def suits_of(cards: int, rank: int) -> int:
    """Return in which suits *cards* has *rank*, as four bits."""
    aces = cards >> rank & EACH_SUIT
    return (aces | aces >> 15 | aces >> 30 | aces >> 45) & 15


@helper
def set_naturals(number: int) -> int:
    """Return the natural cards of set number 16 * rank + suits."""
    rank = number >> 4
    return np.int64(NO_CARDS) if rank == 1 else over_suits(number & 15) << rank


@helper
def run_naturals(number: int) -> int:
    """Return the natural cards of run number 8 * (13 * suit + lowest place) + the three places above it."""
    suit, low = number // 104, number % 104 >> 3
    places = (1 | (number & 7) << 1) << low
    if places >> (TOP + 1) or places & 2:  # beyond the ace, or a natural two
        return np.int64(NO_CARDS)
    return ((places & LANE) | places >> TOP) << 16 * suit


@helper
def wild_twos(wilds: int) -> int:
    """Return the twos among the choice of wilds number *wilds*."""
    return over_suits(np.int64(_TWOS_OF[wilds])) << 1


@helper
def wild_jokers(wilds: int) -> int:
    return np.int64(_JOKERS_OF[wilds])


@helper
def some_wilds(hand: int, jokers: int, n: int) -> int:
    """Return the number of a choice of *n* wilds from a hand that has them: twos first."""
    held = suits_of(hand, 1)
    twos, jokers_used = np.int64(0), np.int64(0)
    for _ in range(n):
        if held:
            twos |= held & -held
            held &= held - 1
        elif jokers_used < jokers:
            jokers_used += 1
    return np.int64(_NUMBER_OF[16 * jokers_used + twos])


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

    Cheapest first is best: each rank gives one set, four cards of a rank (with *same_rank*) also a second one.
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
def can_complete(
    naturals: int, wilds: int, sets: int, set_size: int, runs: int, run_size: int, same_rank: bool, barred: int
) -> bool:
    """Return whether *sets* sets and *runs* runs can be laid side by side from these cards.

    A depth-first search over the runs; the sets are then a matter of counting.
    """
    if runs == 0:
        return wilds_for_sets(naturals, sets, set_size, same_rank, barred) <= wilds
    depth, run, path = np.int64(0), np.int64(0), np.int64(0)
    while True:
        if depth == runs and wilds_for_sets(naturals, sets, set_size, same_rank, barred) <= wilds:
            return True
        if depth < runs and run < N_RUNS:
            cards = run_naturals(run)
            spent = run_size - popcount(cards)
            if is_run_from(run, naturals, run_size) and spent <= wilds:
                naturals, wilds = naturals & ~cards, wilds - spent
                depth, path = depth + 1, path << 10 | run
            run += 1
            continue
        if depth == 0:
            return False
        run = path & 1023
        depth, path = depth - 1, path >> 10
        cards = run_naturals(run)
        naturals, wilds = naturals | cards, wilds + run_size - popcount(cards)
        run += 1


@helper
def is_run_from(run: int, naturals: int, size: int) -> bool:
    """Return whether the naturals of run number *run* are among *naturals* and make, with wilds, a run of *size*."""
    above = run & 7
    return above != 0 and above >> (size - 1) == 0 and run_naturals(run) & ~naturals == 0


@helper
def dearest_rank(ranks: int) -> int:
    """Return a rank of the non-empty *ranks* whose cards cost most: the highest, the ace counting as such."""
    tens = ranks & (TENS & LANE)
    return lowest(tens if tens else ranks)
