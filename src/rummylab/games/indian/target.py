"""A declaration to play for, and MinDist when some cards can no longer be had.

`min_dist` lets any card come. Here replacements come from a multiset of *live* cards: three more integers, as
for a hand. A declaration is then searched for meld by meld, cut short by what the reels promise. Slower than
`mindist`, so `min_dist_live` only does it where dead cards can matter.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper, kernel
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, LANE, popcount
from rummylab.cards.planes import JOKER_BIT, take_away
from rummylab.games.indian.melds import (
    GROUP,
    WINDOWS,
    Ints,
    field_size,
    later_ranks,
    next_group,
    paired_ranks,
    split_wilds,
    without_group,
)
from rummylab.games.indian.mindist import (
    CANNOT_DECLARE,
    PLACES,
    Cards,
    distance_with_live_pure,
    hand_limits,
    min_dist,
    outs,
    runs_keep,
)

# Entries of what `target` writes: four melds, the hand's own cards in each, and the hand's jokers kept.
MELDS_AT, OWN_AT, WILDS_ONCE_AT, WILDS_TWICE_AT, PRINTED_AT, TARGET_SIZE = 0, 4, 8, 9, 10, 11


def _all_melds() -> Ints:
    """Return the places of all runs of 3, 4 and 5 cards (suit by suit), then of all groups."""
    runs = [(int(w) & LANE) << (16 * suit) for suit in range(4) for w in WINDOWS]
    groups = [
        sum(1 << (16 * suit + rank) for suit in range(4) if suits >> suit & 1)
        for rank in range(13)
        for suits in (7, 11, 13, 14, 15)
    ]
    return np.array(runs + groups, np.int64)


ALL_MELDS = _all_melds()
N_MELDS = len(ALL_MELDS)
N_RUNS = 4 * len(WINDOWS)


@helper
def most_in_melds(once: int, twice: int, budget: int, least_runs: int) -> int:
    """Return the most cards that melds of *budget* places can hold, at least *least_runs* of them for runs."""
    best = 0
    limits = hand_limits(once, twice)
    first = 0
    while first >= 0:
        once1, twice1 = without_group(once, twice, first)
        higher = later_ranks(once1, twice, first)
        second = 0
        while second >= 0:
            n_cards = popcount((first >> 4) & 15) + popcount((second >> 4) & 15)
            places = budget - (first & 15) - (second & 15)
            if places >= GROUP and places >= least_runs:
                if n_cards + field_size(limits, places) > best:
                    once2, twice2 = without_group(once1, twice1, second)
                    best = max(best, n_cards + runs_keep(once2, twice2, places))
            elif places >= least_runs:
                best = max(best, n_cards)
            second = next_group(once1, second, higher)
        first = next_group(once, first, paired_ranks(once))
    return best


@helper
def _lay(
    meld: int, once: int, twice: int, live_once: int, live_twice: int, dead: int
) -> tuple[int, int, int, int, int]:
    """Return the planes of hand and live cards after *meld*, and the places so far that only a joker can fill."""
    once1, twice1 = take_away(once, twice, meld & once)
    missing = meld & ~once
    live_once1, live_twice1 = take_away(live_once, live_twice, missing & live_once)
    return once1, twice1, live_once1, live_twice1, dead + popcount(missing & ~live_once)


@helper
def _last_melds(
    once: int, twice: int, live_once: int, live_twice: int, dead: int, most_dead: int, goal: int, budget: int, out: Ints
) -> bool:
    """Find one or two melds of any kind with *budget* places that hold *goal* cards of the hand."""
    for i in range(N_MELDS):
        third = ALL_MELDS[i]
        left = budget - popcount(third)
        if left != 0 and left < GROUP:
            continue
        more = goal - popcount(third & once)
        once1, twice1, live1, live_twice1, dead1 = _lay(third, once, twice, live_once, live_twice, dead)
        if dead1 > most_dead or more > left:
            continue
        if left == 0:
            out[2] = third
            out[3] = 0
            return True
        for k in range(N_MELDS):
            fourth = ALL_MELDS[k]
            if popcount(fourth) == left and popcount(fourth & once1) >= more:
                _, _, _, _, dead2 = _lay(fourth, once1, twice1, live1, live_twice1, dead1)
                if dead2 <= most_dead:
                    out[2] = third
                    out[3] = fourth
                    return True
    return False


@helper
def _hopes(once: int, twice: int, budget: int, least_runs: int) -> int:
    """Return what the rest can hold at best after a run of 3, 4 or 5 places, four bits each."""
    hopes = 0
    for size in range(3, 6):
        hopes |= most_in_melds(once, twice, budget - size, least_runs) << (4 * size)
    return hopes


@helper
def _second_run(
    once: int, twice: int, live_once: int, live_twice: int, most_dead: int, goal: int, budget: int, out: Ints
) -> bool:
    """Find a run and then melds of any kind, *budget* places in all, that hold *goal* cards of the hand."""
    hopes = _hopes(once, twice, budget, 0)
    for i in range(N_RUNS):
        run = ALL_MELDS[i]
        size = popcount(run)
        more = goal - popcount(run & once)
        if more > hopes >> (4 * size) & 15:
            continue
        once1, twice1, live1, live_twice1, dead = _lay(run, once, twice, live_once, live_twice, 0)
        if dead > most_dead or more > most_in_melds(once1, twice1, budget - size, 0):
            continue
        if _last_melds(once1, twice1, live1, live_twice1, dead, most_dead, more, budget - size, out):
            out[1] = run
            return True
    return False


@helper
def _find_melds(
    own: Cards, n_jokers: int, distance: int, live_once: int, live_twice: int, live_jokers: int, out: Ints
) -> bool:
    """Write four melds (the last may be 0) that are *distance* replacements away; False if there are none.

    The planes of the hand are without wild cards, those of the live cards with them.
    """
    once, twice, wilds, wild = own
    column = EACH_SUIT << wild
    goal = PLACES - n_jokers - distance
    supply = n_jokers + live_jokers + popcount(live_once & column) + popcount(live_twice & column)
    hopes = _hopes(once, twice, PLACES, GROUP)
    for i in range(N_RUNS):
        pure = ALL_MELDS[i]
        size = popcount(pure)
        missing = pure & ~(once | wilds)
        more = goal - popcount(pure & once)
        if popcount(missing) > distance or missing & ~live_once or more > hopes >> (4 * size) & 15:
            continue
        once1, twice1 = take_away(once, twice, pure & once)
        if more > most_in_melds(once1, twice1, PLACES - size, GROUP):
            continue
        live1, live_twice1 = take_away(live_once, live_twice, missing)
        # A wild card in the pure run, own or to come, is a joker less for the other melds.
        most_dead = supply - ((pure & column) != 0)
        if _second_run(once1, twice1, live1 & ~column, live_twice1 & ~column, most_dead, more, PLACES - size, out):
            out[0] = pure
            return True
    return False


@kernel
def min_dist_live(
    once: int, twice: int, jokers: int, wild: int, live_once: int, live_twice: int, live_jokers: int, out: Ints
) -> int:
    """Return the MinDist of 13 or 14 cards if replacements must come from the live cards.

    `CANNOT_DECLARE` if they do not suffice. *out* is scratch of `TARGET_SIZE` entries. With one deck the
    live cards never contain what is held.
    """
    column = EACH_SUIT << wild
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    # 1. Dead cards first hurt the pure run, where no joker helps. Exact for it, a lower bound for all.
    distance = distance_with_live_pure(plain, plain_twice, wilds, wild, PLACES - n_jokers, live_once)
    # 2. As many live jokers as replacements: they can fill all other places.
    supply = live_jokers + popcount(live_once & column) + popcount(live_twice & column)
    if supply >= distance:
        return distance
    # 3. Search.
    own = Cards(plain, plain_twice, wilds, wild)
    while distance < CANNOT_DECLARE:
        if _find_melds(own, n_jokers, distance, live_once, live_twice, live_jokers, out):
            return distance
        distance += 1
    return distance


@kernel
def outs_live(
    once: int,
    twice: int,
    jokers: int,
    wild: int,
    distance: int,
    live_once: int,
    live_twice: int,
    live_jokers: int,
    scratch: Ints,
) -> int:
    """Return which live kinds bring 13 cards of live MinDist *distance* a step nearer, best discard assumed.

    `JOKER_BIT` in the answer says whether a printed joker helps. The card drawn is no longer among those that can
    still come. *scratch* has `TARGET_SIZE` entries. A hand that cannot be completed has no outs.
    """
    if distance == 0 or distance >= CANNOT_DECLARE:
        return 0
    # 1. While dead cards do not hurt, only what brings the hand nearer if any card may come can help.
    asked = live_once & ALL_CARDS
    joker_helps = live_jokers > 0
    if min_dist(once, twice, jokers, wild) == distance:
        found = outs(once, twice, jokers, wild, distance, asked & ~twice)
        asked &= found
        joker_helps = joker_helps and found & JOKER_BIT != 0
    # 2. Draw each kind in turn.
    marks = 0
    if joker_helps:
        near = min_dist_live(once, twice, jokers + 1, wild, live_once, live_twice, live_jokers - 1, scratch)
        marks = JOKER_BIT if near < distance else 0
    while asked:
        card = asked & -asked
        asked ^= card
        once1, twice1 = once | card, twice | (once & card)
        left_once, left_twice = take_away(live_once, live_twice, card)
        if min_dist_live(once1, twice1, jokers, wild, left_once, left_twice, live_jokers, scratch) < distance:
            marks |= card
    return marks


@kernel
def target(
    once: int,
    twice: int,
    jokers: int,
    wild: int,
    distance: int,
    live_once: int,
    live_twice: int,
    live_jokers: int,
    out: Ints,
) -> bool:
    """Write a declaration *distance* replacements away from the hand, and what of the hand it keeps.

    out[0:4]: places of the melds, the pure run first, another run second, the last may be 0. out[4:8]: the hand's own
    cards in them that stand for themselves. out[8:11]: its jokers that fill other places, all but those of
    the pure run: wild kinds once, wild kinds twice, printed ones. For replacements of any sort pass
    `ALL_CARDS`, `ALL_CARDS`, 13 as live cards. False if there is none so near.
    """
    for k in range(TARGET_SIZE):
        out[k] = 0
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    own = Cards(plain, plain_twice, wilds, wild)
    if not _find_melds(own, n_jokers, distance, live_once, live_twice, live_jokers, out):
        return False
    # 1. Own cards: the pure run may take a wild one.
    n_own = 0
    for k in range(4):
        there = out[k] & (plain | wilds) if k == 0 else out[k] & plain
        plain, plain_twice = take_away(plain, plain_twice, there & plain)
        once, twice = take_away(once, twice, there)
        out[OWN_AT + k] = there
        n_own += popcount(there)
    # 2. Jokers, as far as there are places outside the pure run.
    column = EACH_SUIT << wild
    free = PLACES - n_own - popcount(out[0] & ~out[OWN_AT])
    out[PRINTED_AT] = min(jokers, free)
    free -= out[PRINTED_AT]
    left = once & column
    while left and free:
        card = left & -left
        left ^= card
        out[WILDS_ONCE_AT] |= card
        free -= 1
        if twice & card and free:
            out[WILDS_TWICE_AT] |= card
            free -= 1
    return True
