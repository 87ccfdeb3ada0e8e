"""Melds without wild cards: groups of three or four of a rank, runs of three or more in a suit.

Both Gin games use them. Everything here is exact and works on masks (see :mod:`rummylab.cards.bits`); readable twins
are in ``tests/properties/reference.py``. The *deadwood* of a hand is its cards outside melds, and their points; an
*arrangement* is a set of disjoint melds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import (
    ALL_CARDS,
    EACH_SUIT,
    LANE,
    always_inline,
    highest,
    in_next_suit,
    lowest,
    noinline,
    points,
    popcount,
    ranks_of,
    rare,
    stack_array,
)

Masks = npt.NDArray[np.int64]

MAX_MELDS = 3
"""Eleven cards make at most three melds."""
_MAX_MELD_LIST = 64


# --- Deadwood -----------------------------------------------------------------------------------------------------


@helper
def in_runs(hand: int) -> int:
    """Return the cards of *hand* that are part of some run."""
    starts = hand & (hand >> 1) & (hand >> 2)
    return starts | (starts << 1) | (starts << 2)


@helper
def in_groups(hand: int) -> int:
    """Return the cards of *hand* whose rank is held three or four times."""
    a, b, c = in_next_suit(hand, 1), in_next_suit(hand, 2), in_next_suit(hand, 3)
    return hand & ((a & b) | ((a | b) & c))  # at least two of the other three suits hold the rank


@helper
def melded(hand: int) -> int:
    """Return the cards of *hand* that are part of some meld (not necessarily all at once)."""
    return in_runs(hand) | in_groups(hand)


@helper
def n_choices(group: int) -> int:
    """Return in how many ways a rank can be used as a group, using none included."""
    return 2 if popcount(group) == 3 else 6


@helper
def choice(group: int, i: int) -> int:
    """Return the *i*-th way to use the cards *group* of one rank: none, all, or (of four) all but one."""
    if i == 0:
        return 0
    if i == 1:
        return group
    return group & ~(np.int64(LANE) << (16 * (i - 2)))


@helper
def _contested_deadwood(hand: int, groups: int, both: int) -> int:
    """Return the least deadwood of *hand* when the cards *both* are part of runs and of *groups*.

    They are the only cards that need a choice. So try every part of them to keep for the runs: the other cards of their
    ranks are grouped if enough are left, and what is not grouped may be in runs.
    """
    rare()
    best = np.int64(1000)
    kept = both
    while True:
        left = hand & ~in_groups(groups & ~kept)
        best = min(best, points(left & ~in_runs(left)))
        if kept == 0:
            return best
        kept = (kept - 1) & both


@kernel
def min_deadwood(hand: int) -> int:
    """Return the least deadwood points over all arrangements of *hand* (a mask of at most eleven cards)."""
    always_inline()
    runs = in_runs(hand)
    groups = in_groups(hand)
    both = runs & groups
    if both == 0:
        return points(hand & ~(runs | groups))
    return _contested_deadwood(hand, groups, both)


@helper
def dearest(cards: int) -> int:
    """Return the cards of the non-empty mask *cards* that count most points."""
    rank = min(highest(ranks_of(cards)), np.int64(9))  # ten, jack, queen and king all count ten
    return cards & ((EACH_SUIT << 13) - (EACH_SUIT << rank))


@helper
def knocks(hand: int, allowed: int, limit: int) -> int:
    """Return the cards of *allowed* whose discard leaves *hand* with a deadwood of at most *limit*.

    A hand without some card has at least the deadwood of the whole hand less the value of that card, so most cards need
    no look at the melds.
    """
    spare = min_deadwood(hand) - limit
    found = np.int64(0)
    while allowed and spare <= 10:
        card = allowed & -allowed
        allowed ^= card
        if points(card) >= spare and min_deadwood(hand & ~card) <= limit:
            found |= card
    return found


@helper
def best_discards(hand: int, allowed: int) -> tuple[int, int]:
    """Return the cards of *allowed* whose discard leaves least deadwood, and that deadwood.

    *allowed* is a non-empty part of the eleven cards *hand*: all of it, or all but the upcard just taken.
    """
    always_inline()
    runs = in_runs(hand)
    groups = in_groups(hand)
    dead = hand & ~(runs | groups)
    loose = dead & allowed
    if loose == 0:
        return _best_discards_by_trial(hand, allowed)
    if runs & groups:
        return _best_loose_discards(hand, allowed, groups, runs & groups)
    best = dearest(loose)
    return best, points(dead & ~(best & -best))


@helper
def _best_loose_discards(hand: int, allowed: int, groups: int, both: int) -> tuple[int, int]:
    """Return the best discards where the cards *both* are contested and an allowed card is in no meld.

    That card is deadwood in every arrangement, so throwing it beats breaking a meld. The best discards are thus the
    dearest deadwood of the arrangements, which are tried as in `_contested_deadwood`.
    """
    rare()
    least = np.int64(1000)
    discards = np.int64(0)
    kept = both
    while True:
        left = hand & ~in_groups(groups & ~kept)
        dead = left & ~in_runs(left)
        best = dearest(dead & allowed)
        count = points(dead & ~(best & -best))
        if count <= least:
            discards = best if count < least else discards | best
            least = count
        if kept == 0:
            return discards, least
        kept = (kept - 1) & both


@helper
def _best_discards_by_trial(hand: int, allowed: int) -> tuple[int, int]:
    """Return the best discards where every allowed card is part of some meld."""
    rare()
    least = np.int64(1000)
    discards = np.int64(0)
    cards = allowed
    while cards:
        card = cards & -cards
        cards ^= card
        left = min_deadwood(hand & ~card)
        if left < least:
            least = left
            discards = card
        elif left == least:
            discards |= card
    return discards, least


@helper
def knockable(hand: int, allowed: int, limit: int) -> int:
    """Return the cards of *allowed* whose discard leaves at most *limit* deadwood points."""
    discards = np.int64(0)
    cards = allowed
    while cards:
        card = cards & -cards
        cards ^= card
        if min_deadwood(hand & ~card) <= limit:
            discards |= card
    return discards


# --- Melds by number ----------------------------------------------------------------------------------------------
# 65 groups first (per rank: the four triples by the suit they lack, then the four of a kind), then the runs by
# length 3 to 13, suit and lowest rank.

N_GROUPS = 65


def _all_melds() -> Masks:
    melds = []
    for rank in range(13):
        four = EACH_SUIT << rank
        melds += [four & ~(LANE << 16 * suit) for suit in range(4)] + [four]
    for length in range(3, 14):
        for suit in range(4):
            melds += [((1 << length) - 1) << (16 * suit + low) for low in range(14 - length)]
    return np.array(melds, dtype=np.int64)


MELDS = _all_melds()
"""Every meld of one deck, by number."""
N_MELDS = len(MELDS)


@helper
def is_group(meld: int) -> bool:
    """Return whether *meld*, known to be a meld, is a group (and not a run)."""
    ranks = ranks_of(meld)
    return (ranks & (ranks - 1)) == 0


@helper
def meld_number(mask: int) -> int:
    """Return the number of the meld with the cards *mask*, or -1 if they are not one meld."""
    n = popcount(mask)
    if n < 3 or mask & ~np.int64(ALL_CARDS):
        return -1
    low = lowest(mask)
    if is_group(mask):
        lacking = (EACH_SUIT << (low & 15)) & ~mask
        return 5 * (low & 15) + (4 if lacking == 0 else lowest(lacking) >> 4)
    if mask != ((np.int64(1) << n) - 1) << low or (low & 15) + n > 13:
        return -1
    number = N_GROUPS
    for length in range(3, n):
        number += 4 * (14 - length)
    return number + (low >> 4) * (14 - n) + (low & 15)


@helper
def melds_in(hand: int, max_run: int, out: Masks) -> int:
    """Write every meld inside *hand* to *out*, runs of at most *max_run* cards; return how many."""
    noinline()
    n = 0
    groups = in_groups(hand)
    ranks = ranks_of(groups)
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        group = groups & (rank * EACH_SUIT)
        for i in range(1, n_choices(group)):
            out[n] = choice(group, i)
            n += 1
    starts = hand & (hand >> 1) & (hand >> 2)
    while starts:
        low = starts & -starts
        starts ^= low
        run = low | (low << 1) | (low << 2)
        length = 3
        while length <= max_run and hand & run == run:
            out[n] = run
            n += 1
            run |= run << 1
            length += 1
    return n


@helper
def _run_from(low: int, cards: int) -> int:
    """Return the whole run of *cards* that begins with the card mask *low*."""
    run = low
    while (run << 1) & cards & ~run:
        run |= (run << 1) & cards
    return run


@helper
def arrangement(hand: int, max_run: int, which: int) -> tuple[int, int, int, int]:
    """Return how many arrangements of least deadwood *hand* has, and the three melds (or 0) of number *which*.

    An arrangement that splits a long run counts apart from the one that keeps it whole: layoffs differ.
    """
    runs = in_runs(hand)
    groups = in_groups(hand)
    if runs & groups:
        return _arrangement_by_trial(hand, max_run, which)
    # Nine hands in ten have no contested card and no run long enough to be split: one arrangement, read off at once.
    first = second = third = np.int64(0)
    left = runs | groups
    while left:
        group = groups & left
        if group:
            meld = group & ((ranks_of(group) & -ranks_of(group)) * EACH_SUIT)
        else:
            meld = _run_from(left & -left, runs)
            if popcount(meld) >= 6 or popcount(meld) > max_run:
                return _arrangement_by_trial(hand, max_run, which)
        left &= ~meld
        if first == 0:
            first = meld
        elif second == 0:
            second = meld
        else:
            third = meld
    return 1, first, second, third


@helper
def _arrangement_by_trial(hand: int, max_run: int, which: int) -> tuple[int, int, int, int]:
    """Try every set of at most three disjoint melds."""
    noinline()
    found, worth = stack_array(_MAX_MELD_LIST, np.int64), stack_array(_MAX_MELD_LIST, np.int64)
    n_found = melds_in(hand, max_run, found)
    for i in range(n_found):
        worth[i] = points(found[i])
    most = points(hand) - min_deadwood(hand)  # that melds can be worth together
    n = 0
    first = second = third = np.int64(0)
    if most == 0:
        n = 1
    for i in range(n_found):
        without_first = hand & ~found[i]
        if worth[i] == most:
            if n == which:
                first, second, third = found[i], np.int64(0), np.int64(0)
            n += 1
        for j in range(i + 1, n_found):
            if found[j] & ~without_first:
                continue
            without_second = without_first & ~found[j]
            more = most - worth[i] - worth[j]
            if more == 0:
                if n == which:
                    first, second, third = found[i], found[j], np.int64(0)
                n += 1
            for k in range(j + 1, n_found):
                if found[k] & ~without_second == 0 and worth[k] == more:
                    if n == which:
                        first, second, third = found[i], found[j], found[k]
                    n += 1
    return n, first, second, third


# --- Batches ------------------------------------------------------------------------------------------------------


@kernel
def min_deadwood_many(hands: Masks, out: npt.NDArray[np.int16]) -> None:
    """Write the least deadwood of every hand of *hands* to *out*."""
    # 1. Without a branch, so that the processor does four hands at a time; hands with a choice to make are marked.
    for i in range(hands.shape[0]):
        runs, groups = in_runs(hands[i]), in_groups(hands[i])
        dead = points(hands[i] & ~(runs | groups))
        out[i] = dead if runs & groups == 0 else -1
    # 2. The few that are marked.
    for i in range(hands.shape[0]):
        if out[i] < 0:
            out[i] = min_deadwood(hands[i])


# --- From Python --------------------------------------------------------------------------------------------------


@kernel
def _arrangement_at(hand: int, which: int) -> tuple[int, int, int, int]:
    return arrangement(hand, np.int64(13), which)


@kernel
def _best_discards(hand: int) -> tuple[int, int]:
    return best_discards(hand, hand)


def best_arrangements(hand: int) -> list[list[int]]:
    """Return every arrangement of least deadwood of the mask *hand*, each a list of meld masks."""
    found: list[list[int]] = []
    n = 1
    while len(found) < n:
        n, *melds = _arrangement_at(hand, len(found))
        found.append([int(meld) for meld in melds if meld])
    return found


def best_throws(hand: int) -> tuple[int, int]:
    """Return the cards of eleven whose discard leaves least deadwood, and that deadwood."""
    discards, left = _best_discards(hand)
    return int(discards), int(left)
