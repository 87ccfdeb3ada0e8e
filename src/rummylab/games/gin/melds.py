"""Layoffs of Gin Rummy, and the melds to lay down with layoffs in mind.

Melds and deadwood themselves are in :mod:`rummylab.cards.melds`. A *spread* is the arrangement that a player lays
on the table at a knock, in order. Readable twins are in ``tests/properties/reference.py``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, LANE, lowest, noinline, points, ranks_of
from rummylab.cards.melds import arrangement, is_group, meld_number, min_deadwood

# --- Layoffs -----------------------------------------------------------------------------------------------------
# A spread is three masks; 0 stands for no meld.


@helper
def fits(meld: int, card: int) -> bool:
    """Return whether the single card mask *card* extends *meld*."""
    return meld != 0 and card & meld == 0 and meld_number(meld | card) >= 0


@helper
def official_lay_off(a: int, b: int, c: int, cards: int) -> tuple[int, int]:
    """Return the next layoff of the official referee on the spread (*a*, *b*, *c*): the card's mask and the place.

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
    noinline()
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
    noinline()
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
    noinline()
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
    """Return the defender's melds that leave least after the official layoff on the spread (*a*, *b*, *c*).

    Melds come first and are never broken under that rule, so cards meant for the knocker's melds must be left
    out of the defender's own (Appendix B, 3, and beyond: these need not be minimal).
    """
    noinline()
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
