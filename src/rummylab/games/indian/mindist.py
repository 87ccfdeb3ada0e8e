"""MinDist: how many cards of a hand must still be replaced before it can be declared.

Source: Saha et al., "Quantitative Rule-Based Strategy modeling in Classic Indian Rummy", sections IV-B and V;
decisions: rules page, "MinScore and MinDist".

A declaration is 13 places in melds. Let a plan hold N cards that are no jokers, let its pure run lack h
cards, and let the hand have J jokers (printed or wild). Jokers fill any place but those of the pure run, so
the plan keeps N + min(J, 13 - N - h) cards and costs max(13 - N - J, h). MinDist is the least cost; the pure
run matters only below 3, since three places with one card lack two. Jokers never need to be placed.

A plan is at most two groups and, in what is left of the 13 places, runs: at least six places, so always two
runs. For each choice of groups the suits are independent (see `melds`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rummylab._jit import helper, kernel
from rummylab.cards.bits import (
    ALL_CARDS,
    EACH_SUIT,
    LANE,
    cards_of_rank,
    lowest,
    popcount,
    stack_array,
    stack_table,
    suits_of,
)
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, take_away
from rummylab.games.indian.melds import (
    GROUP,
    MOST_GROUPS,
    SIZE_FULL,
    SIZE_ONES,
    SIZE_REEL,
    SIZE_SPARE,
    Ints,
    better_pure,
    field_size,
    join_pure,
    join_size,
    levers,
    list_groups,
    most_kept,
    pure_reel,
    reel,
    size_reel,
    split_wilds,
    without_group,
)

PLACES = 13  # cards in a declaration
MOST_PLANS = 1 + MOST_GROUPS + MOST_GROUPS * (MOST_GROUPS + 1) // 2  # no group, one, or two
CANNOT_DECLARE = 14  # distance when the live cards do not suffice
_NEVER = 15  # more cards than any reel holds

# What `_plan_marks` is asked for.
_SPARES, _OUTS = 0, 1


class Cards(NamedTuple):
    """Cards for runs: the planes of those that are no jokers, the wild kinds held, and the wild rank."""

    once: int
    twice: int
    wilds: int
    wild: int


class _Plan(NamedTuple):
    """Two groups (see `list_groups`), and the size reels of the two pairs of suits that are left (`_pair_reel`)."""

    first: int
    second: int
    low: int
    high: int


@helper
def _suit_reel(once: int, twice: int, suit: int) -> int:
    return size_reel((once >> (16 * suit)) & LANE, (twice >> (16 * suit)) & LANE)


@helper
def _suit_pure(cards: Cards, holes: int, live: int, suit: int) -> int:
    at, wild = 16 * suit, cards.wild
    lane, doubles, has_wild = (cards.once >> at) & LANE, (cards.twice >> at) & LANE, (cards.wilds >> (at + wild)) & 1
    return pure_reel(lane, doubles, has_wild, wild, holes, (live >> at) & LANE)


@helper
def _pair_reel(once: int, twice: int, suit: int, budget: int) -> int:
    """Return the size reel of *suit* and its partner (clubs and hearts, spades and diamonds)."""
    return join_size(_suit_reel(once, twice, suit), _suit_reel(once, twice, suit ^ 1), budget)


@helper
def _pair_pure(cards: Cards, holes: int, suit: int, budget: int, live: int) -> int:
    """Return the pure size reel of *suit* and its partner."""
    best = 0
    for one in range(suit, suit + 2):
        pure = _suit_pure(cards, holes, live, one)
        if pure:
            best = better_pure(best, join_pure(pure, _suit_reel(cards.once, cards.twice, one ^ 1), budget))
    return best


@helper
def _has_pure_plan(cards: Cards, holes: int, budget: int, goal: int, live: int) -> bool:
    """Return whether runs of *budget* places, one pure with at most *holes* missing, can hold *goal* cards."""
    for suit in range(0, 4, 2):
        pure = _pair_pure(cards, holes, suit, budget, live)
        if pure:
            if field_size(pure, budget) >= goal:
                return True
            across = _pair_reel(cards.once, cards.twice, suit ^ 2, budget)
            for size in range(3, budget - 2):
                if field_size(pure, size) + field_size(across, budget - size) >= goal:
                    return True
    return False


@helper
def _pure_comes_free(budget: int, goal: int, holes: int) -> bool:
    """Return whether runs of *budget* places that hold *goal* cards always have one with at most *holes* missing.

    There are two at least, so they cannot both lack more than half of what all of them lack. And three places
    with one card lack two only, so from 3 on it is no matter.
    """
    return holes >= 3 or budget - goal < 2 * (holes + 1)


@helper
def _plan_distance(cards: Cards, goal: int, budget: int, least: int, bound: int, live: int) -> int:
    """Return the least distance from *least* on with these groups, or *bound* if it is no better.

    The runs must hold *goal* cards, less the distance.
    """
    for distance in range(least, bound):
        if live == ALL_CARDS and _pure_comes_free(budget, goal - distance, distance):
            return distance
        if _has_pure_plan(cards, min(distance, 3), budget, goal - distance, live):
            return distance
    return bound


@helper
def _need(beside: int, goal: int, budget: int, pure_beside: bool) -> int:
    """Return, as a size reel, how many cards a suit must hold for the runs to hold *goal*."""
    if pure_beside and beside == 0:
        return _NEVER * SIZE_ONES
    need = _NEVER * SIZE_ONES
    for size in range(3, budget - 2):
        missing = max(goal - field_size(beside, budget - size), 0)
        need ^= (_NEVER ^ missing) << (5 * size - 15)
    if not pure_beside:
        need ^= (_NEVER ^ max(goal, 0)) << (5 * budget - 15)
    return need


@helper
def _reaches(reel: int, need: int) -> bool:
    return (((reel & SIZE_FULL) | SIZE_SPARE) - need) & SIZE_SPARE != 0


@helper
def _levers_at(lane: int, beside: int, level: int, budget: int, pure_beside: bool, flip: int) -> int:
    """Return the ranks that matter where a lane without doubles and *beside* hold exactly *level* cards.

    That is, the ranks whose card changes what the lane holds there; with *flip* (a lane), those whose card does not.
    All ranks if they hold more somewhere. One card changes what a lane holds by one at most, so this says which cards
    lift the plan above *level* or, with *flip*, which ones it can lose.
    """
    own = reel(lane, SIZE_REEL)
    found = 0
    for size in range(3, budget - 2):
        above = field_size(own, size) + field_size(beside, budget - size) - level
        if above > 0:
            return LANE
        if above == 0:
            found |= levers(lane, size) ^ flip
    if not pure_beside:
        above = field_size(own, budget) - level
        if above > 0:
            return LANE
        if above == 0:
            found |= levers(lane, budget) ^ flip
    return found


@helper
def _plan_marks(own: Cards, goal: int, budget: int, holes: int, low: int, high: int, cards: int, task: int) -> int:
    """Return the *cards* without which (`_SPARES`), or with which (`_OUTS`), the runs hold *goal* cards.

    *low* and *high* are the reels of the two pairs of suits (`_pair_reel`). For `_SPARES` the cards are held, and none
    is wild. One suit changes, so for each suit it is enough to know what the three others leave to it.
    """
    once, twice, wilds, wild = own
    marks = 0
    any_pure = _pure_comes_free(budget, goal, holes)
    wild_bit = 1 << wild
    for half in range(0, 4, 2):
        if (cards >> (16 * half)) & (LANE << 16 | LANE) == 0:
            continue
        # 1. The two suits across.
        across = low if half else high
        across_pure = 0
        if not any_pure:
            across_pure = _pair_pure(own, holes, half ^ 2, budget, ALL_CARDS)
        for suit in range(half, half + 2):
            at = 16 * suit
            asked = (cards >> at) & LANE
            if asked == 0:
                continue
            lane, doubles, has_wild = (once >> at) & LANE, (twice >> at) & LANE, (wilds >> (at + wild)) & 1
            # 2. The partner too: what this suit must hold, if it has the pure run and if it has not.
            partner = _suit_reel(once, twice, suit ^ 1)
            beside = join_size(partner, across, budget)
            pure = beside
            if not any_pure:
                partner_pure = _suit_pure(own, holes, ALL_CARDS, suit ^ 1)
                pure = better_pure(join_pure(partner_pure, across, budget), join_pure(across_pure, partner, budget))
            # The suit is not needed at all.
            if task == _SPARES and (any_pure or pure != 0) and field_size(pure, budget) >= goal:
                marks |= asked << at
                continue
            # 3. A wild card to come: a joker more, so a card less to hold, and natural in the pure run.
            if asked & wild_bit:
                asked ^= wild_bit
                if has_wild == 0:
                    changed = pure_reel(lane, doubles, 1, wild, holes, LANE)
                    if changed != 0 and _reaches(changed, _need(beside, goal - 1, budget, False)):
                        marks |= wild_bit << at
            # 4. The suit with or without each other card: by table, but for second copies and doubles.
            if doubles == 0:
                level, flip, simple = goal - 1, 0, asked & ~lane
                if task == _SPARES:
                    level, flip, simple = goal, LANE, asked
                could = _levers_at(lane, beside, level, budget, False, flip) & simple
                sure = could
                if not any_pure:
                    sure = _levers_at(lane, pure, level, budget, True, flip) & simple if pure != 0 else 0
                marks |= sure << at
                asked = asked & ~simple | could & ~sure
            if asked == 0:
                continue
            # 5. What is left, card by card.
            need = _need(beside, goal, budget, False)
            need_no_pure = need if any_pure else _need(pure, goal, budget, True)
            while asked:
                card = asked & -asked
                asked ^= card
                if task == _OUTS:
                    lane1, doubles1 = lane | card, doubles | (lane & card)
                else:
                    lane1, doubles1 = take_away(lane, doubles, card)
                changed = size_reel(lane1, doubles1)
                if _reaches(changed, need_no_pure):
                    marks |= card << at
                elif not any_pure and _reaches(changed, need):
                    changed = pure_reel(lane1, doubles1, has_wild, wild, holes, LANE)
                    if changed != 0 and _reaches(changed, need):
                        marks |= card << at
    return marks


@helper
def _waits_for(choice: int) -> int:
    """Return the cards that a group with a place free waits for."""
    suits = (choice >> 4) & 15
    if choice & 15 <= popcount(suits):
        return 0
    return cards_of_rank(15 ^ suits, (choice >> 8) - 1)


@helper
def _is_only_for_outs(choice: int) -> bool:
    """Return whether the group is tried only for what it waits for; a run does as well with its cards."""
    n_cards = popcount((choice >> 4) & 15)
    return n_cards == 1 or (n_cards == 3 and choice & 15 == 4)


@helper
def hand_limits(once: int, twice: int) -> int:
    """Return the size reel of the whole hand: what runs can hold if groups take nothing from them."""
    return join_size(_pair_reel(once, twice, 0, PLACES), _pair_reel(once, twice, 2, PLACES), PLACES)


@helper
def runs_keep(once: int, twice: int, budget: int) -> int:
    """Return the most cards that runs of *budget* places hold, pure or not."""
    return most_kept(_pair_reel(once, twice, 0, budget), _pair_reel(once, twice, 2, budget), budget)


@helper
def _places_left(first: int, second: int) -> int:
    """Return the places that two groups leave to runs."""
    return PLACES - (first & 15) - (second & 15)


@helper
def _n_grouped(first: int, second: int) -> int:
    """Return how many cards of the hand two groups hold."""
    return popcount((first >> 4) & 15) + popcount((second >> 4) & 15)


@helper
def _plan_holds(plan: _Plan, goal: int) -> bool:
    """Return whether a plan holds *goal* cards, the pure run aside."""
    budget, n_cards = _places_left(plan.first, plan.second), _n_grouped(plan.first, plan.second)
    return n_cards + most_kept(plan.low, plan.high, budget) >= goal


@helper
def _plan_outs(own: Cards, goal: int, distance: int, cards: int, plan: _Plan) -> int:
    """Return the *cards* that bring a plan, with its *own* cards for runs, to *goal* cards.

    With `JOKER_BIT` if one card is lacking, no matter which: then a joker, and what a group waits for, will do.
    """
    first, second, low, high = plan
    awaited = (_waits_for(first) | _waits_for(second)) & cards
    only_groups = _is_only_for_outs(first) or _is_only_for_outs(second)
    if (only_groups and awaited == 0) or not _plan_holds(plan, goal - 1):
        return 0
    marks = 0
    holes, budget = min(distance - 1, 3), _places_left(first, second)
    goal -= _n_grouped(first, second)
    if _pure_comes_free(budget, goal - 1, holes) or _has_pure_plan(own, holes, budget, goal - 1, ALL_CARDS):
        marks = JOKER_BIT | awaited | (EACH_SUIT << own.wild) & cards
    if not only_groups:
        marks |= _plan_marks(own, goal, budget, holes, low, high, cards & ~marks, _OUTS)
    return marks


@helper
def _suit_outs(lane: int, doubles: int, asked: int, beside: int, goal: int, budget: int) -> int:
    """Return the cards of *asked* with which a suit, with *beside* of the others, holds *goal*, the pure run aside."""
    marks = 0
    if doubles == 0:
        marks = _levers_at(lane, beside, goal - 1, budget, False, 0) & asked & ~lane
        asked &= lane  # only second copies are left
    if asked == 0:
        return marks
    need = _need(beside, goal, budget, False)
    while asked:
        card = asked & -asked
        asked ^= card
        if _reaches(size_reel(lane | card, doubles | (lane & card)), need):
            marks |= card
    return marks


@helper
def _outs_of_spares(
    own: Cards, goal: int, budget: int, asked: int, everywhere: int, low: int, high: int, spares: int, out: Ints
) -> None:
    """Add to out[card] the outs of a plan's runs without each of *spares*, where the pure run comes free.

    These are *everywhere* and some of *asked*, the same as `_plan_outs` for each of them. But a spare changes its own
    suit only, and often leaves what the suit can hold as it was: then the other suits have the same outs as for the
    spare before.
    """
    once, twice = own.once, own.twice
    suit, reel_before, partner, across, beside = -1, -1, 0, 0, 0
    holds, elsewhere = False, 0
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        # 1. A new suit: what the three others leave to it.
        if card >> 4 != suit:
            suit, reel_before = card >> 4, -1
            partner, across = _suit_reel(once, twice, suit ^ 1), low if suit >= 2 else high
            beside = join_size(partner, across, budget)
        # 2. The suit without the spare, and the outs of the other suits then.
        at = 16 * suit
        lane, doubles = take_away((once >> at) & LANE, (twice >> at) & LANE, 1 << (card & 15))
        size = size_reel(lane, doubles)
        if size != reel_before:
            reel_before = size
            pair = join_size(size, partner, budget)
            holds = most_kept(pair, across, budget) >= goal - 1
            elsewhere = _outs_elsewhere(once, twice, suit, size, pair, across, goal, budget, asked) if holds else 0
        # 3. The outs of its own suit.
        if holds:
            left = (asked & ~out[card]) >> at & LANE
            out[card] |= everywhere | elsewhere | _suit_outs(lane, doubles, left, beside, goal, budget) << at


@helper
def _outs_elsewhere(
    once: int, twice: int, suit: int, own: int, pair: int, across: int, goal: int, budget: int, asked: int
) -> int:
    """Return which of *asked* in the three suits beside *suit* let the runs hold *goal* cards.

    *own* is the size reel of the suit, *pair* that of the suit and its partner, *across* that of the other two.
    """
    marks = 0
    for other in range(4):
        at = 16 * other
        if other != suit and (asked >> at) & LANE:
            if other == suit ^ 1:
                beside = join_size(own, across, budget)
            else:
                beside = join_size(_suit_reel(once, twice, other ^ 1), pair, budget)
            lane, doubles = (once >> at) & LANE, (twice >> at) & LANE
            marks |= _suit_outs(lane, doubles, (asked >> at) & LANE, beside, goal, budget) << at
    return marks


@helper
def _add_outs(own: Cards, goal: int, distance: int, cards: int, plan: _Plan, spares: int, out: Ints) -> None:
    """Add to out[card] the `_plan_outs` of a plan without each of *spares*, a card of its runs."""
    once, twice, wilds, wild = own
    first, second, low, high = plan
    awaited = (_waits_for(first) | _waits_for(second)) & cards
    only_groups = _is_only_for_outs(first) or _is_only_for_outs(second)
    if only_groups and awaited == 0:
        return
    holes, budget = min(distance - 1, 3), _places_left(first, second)
    plan_goal = goal - _n_grouped(first, second)
    if _pure_comes_free(budget, plan_goal - 1, holes):
        everywhere = JOKER_BIT | awaited | (EACH_SUIT << wild) & cards
        asked = np.int64(0) if only_groups else cards & ~everywhere
        _outs_of_spares(own, plan_goal, budget, asked, everywhere, low, high, spares, out)
        return
    suit, size_before, pure_before, holds, elsewhere = -1, -1, -1, False, 0
    left_plan = plan
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        # 1. The suit without the spare. If it can hold as much as without the last one, the other suits have its outs.
        at = card & ~15
        lane, doubles = take_away((once >> at) & LANE, (twice >> at) & LANE, 1 << (card & 15))
        size = size_reel(lane, doubles)
        pure = pure_reel(lane, doubles, (wilds >> (at + wild)) & 1, wild, holes, LANE)
        once1, twice1 = take_away(once, twice, 1 << card)
        own1 = Cards(once1, twice1, wilds, wild)
        if at != suit or size != size_before or pure != pure_before:
            suit, size_before, pure_before = at, size, pure
            changed = join_size(size, _suit_reel(once, twice, (at >> 4) ^ 1), budget)
            left_plan = _Plan(first, second, changed, high) if at < 32 else _Plan(first, second, low, changed)
            holds = _plan_holds(left_plan, goal - 1)
            others = cards if only_groups else cards & ~(LANE << at)
            elsewhere = _plan_outs(own1, goal, distance, others, left_plan) if holds else 0
        # 2. The outs of its own suit.
        if holds:
            marks = elsewhere
            if marks & JOKER_BIT:
                marks |= awaited | (EACH_SUIT << wild) & cards
            left = cards & (LANE << at) & ~(marks | out[card])
            if left and not only_groups:
                low1, high1 = left_plan.low, left_plan.high
                marks |= _plan_marks(own1, plan_goal, budget, holes, low1, high1, left, _OUTS)
            out[card] |= marks


@helper
def _next_plan(
    groups: Ints, n_plain: int, n_all: int, twice: int, goal: int, bound: int, limits: int, i: int, j: int, repeat: bool
) -> tuple[int, int]:
    """Return the places in *groups* (see `list_groups`) of the two to try after *i* and *j*, or (-1, 0) at the end.

    Place 0 is "no group". Only what can come nearer than *bound*. At most one of the two only waits; two of the same
    rank need two decks (*repeat*).
    """
    while True:
        first = groups[i]
        n_first = popcount((first >> 4) & 15)
        # 1. The next second group, if there is hope for one at all.
        if j == 0:
            hope = n_first + GROUP + max(field_size(limits, PLACES - 6), field_size(limits, PLACES - 7) + 1)
            j = i - repeat if 0 < i <= n_plain and goal - hope < bound else n_all
        j += 1
        # 2. Else the next first one.
        if j > n_all:
            i += 1
            j = 0
            if i > n_all:
                return -1, 0
            first = groups[i]
            n_first = popcount((first >> 4) & 15)
        second = groups[j]
        if j > 0 and second >> 8 == first >> 8:
            shared = (first & second) >> 4 & 15
            if not repeat or shared & ~suits_of(twice, (first >> 8) - 1):
                continue
        # 3. Places for two runs, and cards enough if the groups took none from them?
        n_second = popcount((second >> 4) & 15)
        budget = _places_left(first, second)
        if budget >= 2 * GROUP and goal - n_first - n_second - field_size(limits, budget) < bound:
            return i, j
        # 4. Lone cards come last and are all alike: if one does not do, none does.
        if n_second == 1:
            j = n_all
        elif n_first == 1:
            return -1, 0


@helper
def _without_groups(once: int, twice: int, first: int, second: int) -> tuple[int, int]:
    """Return the planes without the cards of two groups."""
    once, twice = without_group(once, twice, first)
    return without_group(once, twice, second)


@helper
def _distance(once: int, twice: int, wilds: int, wild: int, goal: int, least: int, bound: int, live: int) -> int:
    """Return the distance if it is below *bound*, else bound; the pure run may lack cards of *live* only.

    *goal*: how many cards that are no jokers a declaration without replacements holds. *least*: the distance is known
    to be no lower, so the first plan that attains it ends the search.
    """
    best = bound
    limits = hand_limits(once, twice)
    groups = stack_array(MOST_GROUPS, np.int64)
    n_plain, n_all = list_groups(once, False, groups)
    i, j = 0, 0
    while i >= 0:
        first, second = groups[i], groups[j]
        once1, twice1 = _without_groups(once, twice, first, second)
        budget, missing = _places_left(first, second), goal - _n_grouped(first, second)
        lacking = max(missing - runs_keep(once1, twice1, budget), least)
        best = _plan_distance(Cards(once1, twice1, wilds, wild), missing, budget, lacking, best, live)
        if best <= least:
            break
        i, j = _next_plan(groups, n_plain, n_all, twice, goal, best, limits, i, j, twice != 0)
    return best


@helper
def _list_plans(once: int, twice: int, goal: int, distance: int, all_sizes: bool, repeat: bool, out: Ints) -> int:
    """Write the plans that hold all but *distance* of *goal* cards, the pure run aside; return how many there are.

    A plan is its two groups, first | second << 16, and the reels of the two pairs of suits. *all_sizes*: as in
    `list_groups`; *repeat*: as in `_next_plan`.
    """
    n = 0
    limits = hand_limits(once, twice)
    groups = stack_array(MOST_GROUPS, np.int64)
    n_plain, n_all = list_groups(once, all_sizes, groups)
    i, j = 0, 0
    while i >= 0:
        first, second = groups[i], groups[j]
        once1, twice1 = _without_groups(once, twice, first, second)
        budget = _places_left(first, second)
        low, high = _pair_reel(once1, twice1, 0, budget), _pair_reel(once1, twice1, 2, budget)
        if _plan_holds(_Plan(first, second, low, high), goal - distance):
            out[n, 0], out[n, 1], out[n, 2] = first | second << 16, low, high
            n += 1
        i, j = _next_plan(groups, n_plain, n_all, twice, goal, distance + 1, limits, i, j, repeat)
    return n


@helper
def _read_plan(hand: Cards, plans: Ints, i: int) -> tuple[Cards, _Plan]:
    """Return what the groups of plan number *i* of `_list_plans` leave of *hand*, and the plan."""
    first, second = plans[i, 0] & 0xFFFF, plans[i, 0] >> 16
    once, twice = _without_groups(hand.once, hand.twice, first, second)
    return Cards(once, twice, hand.wilds, hand.wild), _Plan(first, second, plans[i, 1], plans[i, 2])


@helper
def _spares(hand: Cards, goal: int, distance: int, plans: Ints, n_plans: int) -> int:
    """Return the cards, wild ones aside, that can go from a hand without changing its distance."""
    spares = 0
    for i in range(n_plans):
        first, second = plans[i, 0] & 0xFFFF, plans[i, 0] >> 16
        is_doubled = hand.twice == 0 and 0 < first >> 8 == second >> 8
        if is_doubled or _is_only_for_outs(first) or _is_only_for_outs(second):
            continue
        own, plan = _read_plan(hand, plans, i)
        asked = own.once & ~spares
        if asked:
            goal1, holes = goal - distance - _n_grouped(first, second), min(distance, 3)
            budget = _places_left(first, second)
            spares |= _plan_marks(own, goal1, budget, holes, plan.low, plan.high, asked, _SPARES)
    return spares


@helper
def _joker_spares(
    plain: int, plain_twice: int, wilds: int, twice: int, jokers: int, wild: int, goal: int, distance: int
) -> int:
    """Return the jokers, printed and wild, that can go from a hand without changing its distance."""
    spares = 0
    # A joker is spare only if it is the pure run that holds the hand up, never from distance 4 on.
    if distance <= 3 and goal < PLACES:
        choices = wilds
        if jokers:
            choices |= JOKER_BIT
        while choices:
            card = choices & -choices
            choices ^= card
            left = wilds & ~(card & ~twice)
            if _distance(plain, plain_twice, left, wild, goal + 1, distance, distance + 1, ALL_CARDS) == distance:
                spares |= card
    return spares


@kernel
def min_dist(once: int, twice: int, jokers: int, wild: int) -> int:
    """Return the MinDist of 13 cards, or the least after discarding one of 14; any card may come."""
    once, twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    return _distance(once, twice, wilds, wild, PLACES - n_jokers, 0, CANNOT_DECLARE, ALL_CARDS)


@helper
def distance_with_live_pure(once: int, twice: int, wilds: int, wild: int, goal: int, live: int) -> int:
    """Return the MinDist if the pure run may lack cards of *live* only, and the other melds anything."""
    return _distance(once, twice, wilds, wild, goal, 0, CANNOT_DECLARE, live)


@kernel
def outs(once: int, twice: int, jokers: int, wild: int, distance: int, cards: int) -> int:
    """Return which of *cards* bring 13 cards of MinDist *distance* one step nearer, best discard assumed.

    *cards* is a mask of kinds, none of them held twice: with one deck leave out what is held, with the live
    cards known leave out the dead. `JOKER_BIT` in the answer says whether a printed joker helps. Nothing
    helps a hand of distance 0.
    """
    if distance == 0:
        return 0
    once, twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    goal = PLACES - n_jokers
    cards &= ALL_CARDS
    repeat = twice != 0 or once & cards != 0
    found, hand = 0, Cards(once, twice, wilds, wild)
    plans = stack_table(MOST_PLANS, 3, np.int64)
    for i in range(_list_plans(once, twice, goal, distance, True, repeat, plans)):
        own, plan = _read_plan(hand, plans, i)
        found |= _plan_outs(own, goal - distance + 1, distance, cards & ~found, plan)
    return found


@kernel
def min_dist_after_draw(once: int, twice: int, jokers: int, wild: int, before: int) -> int:
    """Return the least MinDist after one discard from 14 cards that had MinDist *before* without one of them.

    A card is worth one replacement at most, so there are two answers only.
    """
    if before == 0:
        return 0
    once, twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    return _distance(once, twice, wilds, wild, PLACES - n_jokers, before - 1, before, ALL_CARDS)


@kernel
def spares14(once: int, twice: int, jokers: int, wild: int, distance: int) -> int:
    """Return the mask of all discards from 14 cards that leave *distance*, which is the least possible MinDist."""
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    goal = PLACES - n_jokers
    plans = stack_table(MOST_PLANS, 3, np.int64)
    n_plans = _list_plans(plain, plain_twice, goal, distance, False, plain_twice != 0, plans)
    spares = _spares(Cards(plain, plain_twice, wilds, wild), goal, distance, plans, n_plans)
    return spares | _joker_spares(plain, plain_twice, wilds, twice, jokers, wild, goal, distance)


@kernel
def discards14(once: int, twice: int, jokers: int, wild: int) -> tuple[int, int]:
    """Return the least MinDist after one discard from 14 cards, and the mask of all discards that attain it.

    Any other discard costs exactly one more: a card is worth one replacement at most.
    """
    distance = min_dist(once, twice, jokers, wild)
    return distance, spares14(once, twice, jokers, wild, distance)


@kernel
def declarations14(once: int, twice: int, jokers: int, wild: int) -> int:
    """Return the discards from 14 cards that leave a valid declaration, as a mask of kinds; 0 if there is none."""
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    if _distance(plain, plain_twice, wilds, wild, PLACES - n_jokers, 0, 1, ALL_CARDS) > 0:
        return 0
    return spares14(once, twice, jokers, wild, 0)


@helper
def _clear(out: Ints) -> None:
    for card in range(JOKER_ID + 1):
        out[card] = 0


@helper
def _write_outs(
    once: int,
    twice: int,
    jokers: int,
    wild: int,
    distance: int,
    spares: int,
    cards: int,
    plans: Ints,
    n_plans: int,
    out: Ints,
) -> None:
    """Write to out[card id] the outs of what is left of 14 cards after each of *spares*."""
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    goal = PLACES - n_jokers - distance + 1
    # 1. Jokers: a hand of its own each, and rare.
    odd = spares & (wilds | JOKER_BIT)
    while odd:
        card = lowest(odd)
        odd &= odd - 1
        if card == JOKER_ID:
            out[card] = outs(once, twice, jokers - 1, wild, distance, cards)
        else:
            once1, twice1 = take_away(once, twice, 1 << card)
            out[card] = outs(once1, twice1, jokers, wild, distance, cards)
    # 2. Any other card: the plans of the 14 cards, without it.
    hand = Cards(plain, plain_twice, wilds, wild)
    for i in range(n_plans):
        own, plan = _read_plan(hand, plans, i)
        if spares & own.once:
            _add_outs(own, goal, distance, cards, plan, spares & own.once, out)


@kernel
def discard_outs(
    once: int, twice: int, jokers: int, wild: int, distance: int, spares: int, cards: int, out: Ints
) -> None:
    """Write to out[card id] the `outs` among *cards* of what is left of 14 cards after each of *spares*.

    *distance* and *spares* are those of `discards14`; `out` has `JOKER_ID` + 1 entries, the others are set to 0.
    """
    _clear(out)
    if distance == 0:
        return
    plain, plain_twice, _, n_jokers = split_wilds(once, twice, jokers, wild)
    cards &= ALL_CARDS
    plans = stack_table(MOST_PLANS, 3, np.int64)
    repeat = plain_twice != 0 or plain & cards != 0
    n_plans = _list_plans(plain, plain_twice, PLACES - n_jokers, distance, True, repeat, plans)
    _write_outs(once, twice, jokers, wild, distance, spares, cards, plans, n_plans, out)


@kernel
def spares_and_outs(once: int, twice: int, jokers: int, wild: int, distance: int, cards: int, out: Ints) -> int:
    """Return `spares14` and do what `discard_outs` does, in less time: the plans are listed once."""
    _clear(out)
    if distance == 0:
        return spares14(once, twice, jokers, wild, distance)
    plain, plain_twice, wilds, n_jokers = split_wilds(once, twice, jokers, wild)
    goal = PLACES - n_jokers
    cards &= ALL_CARDS
    plans = stack_table(MOST_PLANS, 3, np.int64)
    repeat = plain_twice != 0 or plain & cards != 0
    n_plans = _list_plans(plain, plain_twice, goal, distance, True, repeat, plans)
    spares = _spares(Cards(plain, plain_twice, wilds, wild), goal, distance, plans, n_plans)
    spares |= _joker_spares(plain, plain_twice, wilds, twice, jokers, wild, goal, distance)
    if spares & (spares - 1):
        _write_outs(once, twice, jokers, wild, distance, spares, cards, plans, n_plans, out)
    return spares


@kernel
def live_outs(found: int, live_once: int, live_twice: int, live_jokers: int) -> int:
    """Return how many live cards are among the kinds of an out mask."""
    n_live = popcount(found & live_once) + popcount(found & live_twice)
    if found & JOKER_BIT:
        n_live += live_jokers
    return n_live


@kernel
def min_dist_many(hands: Ints, out: Ints) -> None:
    """Write the MinDist of each line (once, twice, jokers, wild) of *hands*."""
    for i in range(len(hands)):
        out[i] = min_dist(hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3])


@kernel
def discards14_many(hands: Ints, cards: Ints, distances: Ints, spares: Ints, found: Ints) -> None:
    """Write, for lines of 14 cards, `discards14` and, line by line of *found*, `discard_outs` among cards[i]."""
    for i in range(len(hands)):
        once, twice, jokers, wild = hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3]
        distances[i], spares[i] = discards14(once, twice, jokers, wild)
        discard_outs(once, twice, jokers, wild, distances[i], spares[i], cards[i], found[i])


@kernel
def outs_many(hands: Ints, cards: Ints, distances: Ints, found: Ints) -> None:
    """Write, for lines of 13 cards of known distance, the `outs` among cards[i]."""
    for i in range(len(hands)):
        found[i] = outs(hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3], distances[i], cards[i])
