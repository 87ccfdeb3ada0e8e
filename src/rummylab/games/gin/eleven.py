"""Whether a knock is possible, as OpenSpiel judges it (preset ``openspiel``).

It takes one best arrangement of the eleven cards, drops its highest loose card and compares the rest with the limit.
That overlooks knocks whose ten cards are better arranged otherwise (two in 1,500), and which arrangement it takes
where several are best depends on the order in which it finds them. To agree move by move we keep that order: groups
before runs, four of a kind first, runs of five before runs of four and three; suits spades, clubs, diamonds, hearts.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, LANE, highest, points, ranks_of, rare, stack_array
from rummylab.cards.melds import Masks, in_groups, popcount

_CLUBS, _HEARTS, _SPADES, _DIAMONDS = (LANE << 16 * suit for suit in range(4))
_SUITS_IN_ORDER = np.array([_SPADES, _CLUBS, _DIAMONDS, _HEARTS], dtype=np.int64)


@helper
def _groups_in_order(hand: int, out: Masks) -> int:
    """Write the groups of *hand*: of each four of a kind the whole and two triples, then the other triples."""
    groups = in_groups(hand)
    n = 0
    for sweep in range(2):
        ranks = ranks_of(groups)
        while ranks:
            group = groups & ((ranks & -ranks) * EACH_SUIT)
            ranks &= ranks - 1
            if popcount(group) == 3:
                if sweep == 1:
                    out[n] = group
                    n += 1
            else:
                out[n] = group if sweep == 0 else group & ~_HEARTS
                out[n + 1] = group & ~(_DIAMONDS if sweep == 0 else _SPADES)
                n += 2
                if sweep == 0:
                    out[n] = group & ~_CLUBS
                    n += 1
    return n


@helper
def _melds_in_order(hand: int, out: Masks) -> int:
    """Write all melds of *hand* in the order in which OpenSpiel lists them; return how many."""
    n = _groups_in_order(hand, out)
    for length in (5, 4, 3):
        starts = hand
        for i in range(1, length):
            starts &= hand >> i
        for suit in range(4):
            lows = starts & _SUITS_IN_ORDER[suit]
            while lows:
                out[n] = ((np.int64(1) << length) - 1) * (lows & -lows)
                n += 1
                lows &= lows - 1
    return n


@helper
def loose_cards(hand: int) -> int:
    """Return the cards outside the first best arrangement of *hand* in OpenSpiel's order."""
    melds = stack_array(64, np.int64)
    n = _melds_in_order(hand, melds)
    best = hand
    # Arrangements are completed one meld at a time, each from all melds that still fit: first come, first kept.
    for i in range(n):
        after_one = hand & ~melds[i]
        ends_here = True
        for j in range(n):
            if melds[j] & ~after_one:
                continue
            ends_here = False
            after_two = after_one & ~melds[j]
            ends_there = True
            for k in range(n):
                if melds[k] & ~after_two == 0:
                    ends_there = False
                    if points(after_two & ~melds[k]) < points(best):
                        best = after_two & ~melds[k]
            if ends_there and points(after_two) < points(best):
                best = after_two
        if ends_here and points(after_one) < points(best):
            best = after_one
    return best


@helper
def deadwood_by_eleven(hand: int) -> int:
    """Return the points of the loose cards of eleven, the highest of them thrown."""
    rare()
    loose = loose_cards(hand)
    if loose == 0:
        return np.int64(0)
    top = loose & (EACH_SUIT << highest(ranks_of(loose)))
    return points(loose & ~(top & -top))
