"""Melds of Gin Rummy: groups of three or four of a rank, runs of three or more in a suit.

Everything here is exact and works on masks (see :mod:`rummylab.cards.bits`). The readable twins are in
``tests/properties/reference.py``. Words: the *deadwood* of a hand are the cards outside melds and their points;
an *arrangement* is a set of disjoint melds; a *spread* is an arrangement laid on the table at a knock, in order.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, LANE, highest, lowest, points, popcount, ranks_of, stay_apart

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
    clubs, hearts, spades, diamonds = hand, hand >> 16, hand >> 32, hand >> 48
    three = (clubs & hearts & (spades | diamonds)) | (spades & diamonds & (clubs | hearts))
    return ((three & LANE) * EACH_SUIT) & hand


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
def _contested_deadwood(hand: int, contested: int) -> int:
    """Return the least deadwood of *hand* when the groups of *contested* ranks compete with runs.

    A card in a run and in a group is the only thing that needs a choice; so try every way to use the (at most
    three) ranks that hold such a card, and give the rest to the runs.
    """
    stay_apart()
    cards = hand & (contested * EACH_SUIT)
    first = cards & ((contested & -contested) * EACH_SUIT)
    rest = contested & (contested - 1)
    second = cards & ((rest & -rest) * EACH_SUIT)
    third = cards & ((rest & (rest - 1)) * EACH_SUIT)
    n_second = n_choices(second) if second else 1
    n_third = n_choices(third) if third else 1
    best = np.int64(1000)
    for i in range(n_choices(first)):
        with_first = hand & ~choice(first, i)
        for j in range(n_second):
            with_second = with_first & ~choice(second, j)
            for k in range(n_third):
                left = with_second & ~choice(third, k)
                best = min(best, points(left & ~in_runs(left)))
    return best


@kernel
def min_deadwood(hand: int) -> int:
    """Return the least deadwood points over all arrangements of *hand* (a mask of at most eleven cards)."""
    runs = in_runs(hand)
    groups = in_groups(hand)
    both = runs & groups
    if both == 0:
        return points(hand & ~(runs | groups))
    contested = ranks_of(both)
    return _contested_deadwood(hand & ~(groups & ~(contested * EACH_SUIT)), contested)


@helper
def dearest(cards: int) -> int:
    """Return the cards of the non-empty mask *cards* that count most points."""
    ranks = ranks_of(cards)
    if ranks >> 9:  # ten, jack, queen and king all count ten
        return cards & (np.int64(0x1E00) * EACH_SUIT)
    return cards & (EACH_SUIT << highest(ranks))


@helper
def best_discards(hand: int, allowed: int) -> tuple[int, int]:
    """Return the cards of *allowed* whose discard leaves least deadwood, and that deadwood.

    *allowed* is a non-empty part of the eleven cards *hand*: all of it, or all but the up-card just taken.
    """
    runs = in_runs(hand)
    groups = in_groups(hand)
    if runs & groups == 0:
        # Without contested cards the melds are what they are: breaking one cannot beat throwing a loose card.
        dead = hand & ~(runs | groups)
        loose = dead & allowed
        if loose:
            best = dearest(loose)
            return best, points(dead & ~(best & -best))
    return _best_discards_by_trial(hand, allowed)


@helper
def _best_discards_by_trial(hand: int, allowed: int) -> tuple[int, int]:
    stay_apart()
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
    stay_apart()
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

    An arrangement that splits a long run counts apart from the one that keeps it whole: lay-offs differ.
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
    stay_apart()
    found = np.empty(_MAX_MELD_LIST, np.int64)
    n_found = melds_in(hand, max_run, found)
    least = min_deadwood(hand)
    n = 0
    first = second = third = np.int64(0)
    if points(hand) == least:
        n = 1
    for i in range(n_found):
        without_first = hand & ~found[i]
        if points(without_first) == least:
            if n == which:
                first, second, third = found[i], np.int64(0), np.int64(0)
            n += 1
        for j in range(i + 1, n_found):
            if found[j] & ~without_first:
                continue
            without_second = without_first & ~found[j]
            if points(without_second) == least:
                if n == which:
                    first, second, third = found[i], found[j], np.int64(0)
                n += 1
            for k in range(j + 1, n_found):
                if found[k] & ~without_second == 0 and points(without_second & ~found[k]) == least:
                    if n == which:
                        first, second, third = found[i], found[j], found[k]
                    n += 1
    return n, first, second, third


# --- Lay-offs -----------------------------------------------------------------------------------------------------
# A spread is three masks; 0 stands for no meld.


@helper
def fits(meld: int, card: int) -> bool:
    """Return whether the single card mask *card* extends *meld*."""
    return meld != 0 and card & meld == 0 and meld_number(meld | card) >= 0


@helper
def official_lay_off(a: int, b: int, c: int, cards: int) -> tuple[int, int]:
    """Return the next lay-off of the official referee on the spread (*a*, *b*, *c*): the card's mask and the place.

    It scans the cards in ascending id, for each the melds in declared order, takes the first fit, and starts again
    (rules page, 9). Greedy, so the declared order can matter. ``(0, -1)`` when nothing fits.
    """
    cards = can_lay_off(a, b, c, cards)  # mostly nothing: the scan below costs ten times as much
    while cards:
        card = cards & -cards
        cards ^= card
        if fits(a, card):
            return card, 0
        if fits(b, card):
            return card, 1
        if fits(c, card):
            return card, 2
    return np.int64(0), -1


@helper
def after_official_lay_offs(a: int, b: int, c: int, cards: int) -> int:
    """Return which of the defender's unmelded *cards* stay after the referee has laid off all it can."""
    stay_apart()
    while True:
        card, place = official_lay_off(a, b, c, cards)
        if place < 0:
            return cards
        cards ^= card
        if place == 0:
            a |= card
        elif place == 1:
            b |= card
        else:
            c |= card


@helper
def best_place(a: int, b: int, c: int, card: int) -> int:
    """Return the meld of the spread on which to lay off *card* (0 to 2), or -1.

    A run before a group: the longer run may take further cards, the complete group none, so nothing is lost.
    """
    in_a, in_b, in_c = fits(a, card), fits(b, card), fits(c, card)
    if in_a and not is_group(a):
        return 0
    if in_b and not is_group(b):
        return 1
    if in_c and not is_group(c):
        return 2
    if in_a:
        return 0
    if in_b:
        return 1
    return 2 if in_c else -1


@helper
def _reach(meld: int, cards: int) -> int:
    """Return the cards of *cards* that can be laid off on *meld*, one after the other."""
    if meld == 0:
        return np.int64(0)
    if is_group(meld):
        return cards & (ranks_of(meld) * EACH_SUIT) & ~meld
    lane = np.int64(LANE) << (lowest(meld) & 48)
    grown = meld
    while True:
        more = ((grown << 1) | (grown >> 1)) & lane & cards & ~grown
        if more == 0:
            return grown & ~meld
        grown |= more


@helper
def can_lay_off(a: int, b: int, c: int, cards: int) -> int:
    """Return the cards of *cards* that can be laid off on a spread. A card laid off can open the place for the next."""
    return _reach(a, cards) | _reach(b, cards) | _reach(c, cards)


@helper
def best_lay_off(a: int, b: int, c: int, hand: int) -> int:
    """Return the cards of *hand* to lay off so that the rest of it has least deadwood.

    The defender may break own melds to lay off, so every set of cards that can really be laid off is tried.
    """
    stay_apart()
    reach = can_lay_off(a, b, c, hand)
    best = np.int64(0)
    least = min_deadwood(hand)
    chosen = reach
    while chosen:
        if can_lay_off(a, b, c, chosen) == chosen:
            left = min_deadwood(hand & ~chosen)
            if left < least:
                least = left
                best = chosen
        chosen = (chosen - 1) & reach
    return best


@helper
def safest_spread(hand: int, unseen: int, max_run: int) -> tuple[int, int, int]:
    """Return the knocker's spread: least deadwood, then fewest points the defender could lay off.

    *unseen* are the cards the defender may hold (Appendix B, 4, of the opponent-hand paper).
    """
    stay_apart()
    n, a, b, c = arrangement(hand, max_run, np.int64(0))
    least = points(can_lay_off(a, b, c, unseen))
    for i in range(1, n):
        _, x, y, z = arrangement(hand, max_run, i)
        exposed = points(can_lay_off(x, y, z, unseen))
        if exposed < least:
            least = exposed
            a, b, c = x, y, z
    return a, b, c


@helper
def best_defence(a: int, b: int, c: int, hand: int, max_run: int) -> tuple[int, int, int]:
    """Return the defender's melds that leave least after the official lay-off on the spread (*a*, *b*, *c*).

    Melds come first and are never broken under that rule, so cards meant for the knocker's melds must be left
    out of the own ones (Appendix B, 3, and beyond: the own melds need not be minimal).
    """
    stay_apart()
    reach = can_lay_off(a, b, c, hand)
    least = np.int64(1000)
    best = (np.int64(0), np.int64(0), np.int64(0))
    chosen = reach
    while True:
        i, n = 0, 1
        while i < n:
            n, x, y, z = arrangement(hand & ~chosen, max_run, i)
            left = points(after_official_lay_offs(a, b, c, hand & ~(x | y | z)))
            if left < least:
                least = left
                best = (x, y, z)
            i += 1
        if chosen == 0:
            return best
        chosen = (chosen - 1) & reach


# --- Batches ------------------------------------------------------------------------------------------------------


@kernel
def min_deadwood_many(hands: Masks, out: npt.NDArray[np.int16]) -> None:
    """Write the least deadwood of every hand of *hands* to *out*."""
    for i in range(hands.shape[0]):
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
