"""MinScore: the points a hand would cost if the deal ended now.

Source: Saha et al., sections IV-A and V; decisions: rules page, rows 4-7 and 13.

Without a pure run every card counts. With one, but no second run, the pure run's cards do not count (`paper`),
every card counts (`platform`), or the pure run and all groups do not count (`pure_run_opens`). With both, everything
else may be grouped. Jokers cost nothing, so only the cards that are no jokers matter, and a wild card is natural to any
use in the pure run alone.

For each pure window: at most two groups (13 cards hold no more beside two runs), and for each choice of
groups the suits are independent (see `melds`). A group of two cards takes one joker, of three or four none.
"""

from __future__ import annotations

from rummylab._jit import helper, kernel
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, LANE, cards_of_rank, lowest, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, take_away
from rummylab.games.indian.melds import (
    GROUP,
    HAS_RUN,
    MOST_SUBSTITUTES,
    N_WINDOWS,
    WINDOWS,
    Ints,
    better_points,
    card_points,
    field_points,
    join_points,
    later_ranks,
    next_group,
    paired_ranks,
    point_reel,
    rank_points,
    run_reel,
    split_wilds,
    without_group,
)

CAP = 80  # rules, row 13
PAPER, PLATFORM, PURE_RUN_OPENS = range(3)
"""What a pure run without a second run saves: the places of the score rules in ``options.SCORE_RULES``."""
MOST_MELDS = 5  # melds that `grouping` writes at most
ACES = EACH_SUIT


@helper
def _pair_points(once: int, twice: int, suit: int, jokers: int) -> int:
    """Return the point reel of *suit* and its partner."""
    one, two = 16 * suit, 16 * (suit ^ 1)
    return join_points(
        point_reel((once >> one) & LANE, (twice >> one) & LANE),
        point_reel((once >> two) & LANE, (twice >> two) & LANE),
        jokers,
        0,
    )


@helper
def _pair_run(once: int, twice: int, suit: int, jokers: int) -> int:
    """Return the point reel of *suit* and its partner with at least one run in them."""
    best = 0
    for one in range(suit, suit + 2):
        at, other = 16 * one, 16 * (one ^ 1)
        run = run_reel((once >> at) & LANE, (twice >> at) & LANE)
        if run:
            beside = point_reel((once >> other) & LANE, (twice >> other) & LANE)
            best = better_points(best, join_points(run, beside, jokers, HAS_RUN))
    return best


@helper
def _runs_cover(once: int, twice: int, jokers: int) -> int:
    """Return the most points that runs with *jokers* substitutes cover."""
    left = _pair_points(once, twice, 0, jokers)
    right = _pair_points(once, twice, 2, jokers)
    best = 0
    for j in range(jokers + 1):
        best = max(best, field_points(left, j) + field_points(right, jokers - j))
    return best


@helper
def _some_run_covers(once: int, twice: int, jokers: int) -> int:
    """Return the most points that runs, at least one, with *jokers* substitutes cover; -1 if none is possible."""
    best = 0
    for suit in range(0, 4, 2):
        run = _pair_run(once, twice, suit, jokers)
        if run:
            across = _pair_points(once, twice, suit ^ 2, jokers)
            for j in range(jokers + 1):
                points = field_points(run, j)
                if points >= HAS_RUN:
                    best = max(best, points + field_points(across, jokers - j))
    return best - HAS_RUN if best else -1


@helper
def cover_after_pure(once: int, twice: int, jokers: int, floor: int) -> int:
    """Return the most points that melds, one of them a run, cover beside the pure run; *floor* if not more.

    At most ten cards, none wild, and at most six jokers.
    """
    best = floor
    limit = _runs_cover(once, twice, jokers)
    first = 0
    while first >= 0:
        # 1. The first group, or none; the second in turn.
        first_suits = (first >> 4) & 15
        first_points = popcount(first_suits) * rank_points((first >> 8) - 1)
        left = jokers - (popcount(first_suits) == 2)
        once1, twice1 = without_group(once, twice, first)
        higher = later_ranks(once1, twice, first)
        second = 0
        while second >= 0:
            suits = (second >> 4) & 15
            points = first_points + popcount(suits) * rank_points((second >> 8) - 1)
            jokers2 = left - (popcount(suits) == 2)
            # 2. Enough jokers, and hope even if the groups took nothing from the runs?
            if jokers2 >= 0 and points + limit > best:
                once2, twice2 = without_group(once1, twice1, second)
                if points + _runs_cover(once2, twice2, jokers2) > best:
                    covered = _some_run_covers(once2, twice2, jokers2)
                    if covered >= 0:
                        best = max(best, points + covered)
            second = next_group(once1, second, higher)
        first = next_group(once, first, paired_ranks(once))
    return best


@helper
def pure_windows(once: int, size: int) -> int:
    """Return the lowest places of the pure windows of *size* cards; the ace is also place 13 of its lane."""
    places = once | (once & ACES) << 13
    starts = places & places >> 1 & places >> 2
    if size >= 4:
        starts &= places >> 3
    if size >= 5:
        starts &= places >> 4
    return starts


@helper
def window_cards(start: int, size: int) -> int:
    """Return the cards of the window of *size* places from *start* (suit*16 + place) on."""
    places = ((1 << size) - 1) << (start & 15)
    return ((places & LANE) | places >> 13) << (start & ~15)


# --- Groups beside the pure run alone: the score rule `pure_run_opens` ----------------------------------------------


@helper
def _groups_of_rank(once: int, twice: int, rank: int, n_groups: int) -> int:
    """Return how many jokers *n_groups* (1 or 2) of *rank* with all its cards need; -1: not that many groups."""
    n_once = popcount(once & (EACH_SUIT << rank))
    n_twice = popcount(twice & (EACH_SUIT << rank))
    if n_groups == 1:
        return max(GROUP - n_once, 0) if n_once else -1
    if n_twice == 0:
        return -1
    # A card held twice is in both groups, the others go to either: as even as that allows.
    smaller = (n_once + n_twice) // 2
    return max(GROUP - smaller, 0) + max(GROUP - (n_once + n_twice - smaller), 0)


@helper
def _groups_cover(once: int, twice: int, jokers: int, first_rank: int) -> int:
    """Return the most points that groups of *first_rank* and higher ranks with *jokers* substitutes cover."""
    covered = 0  # eight fields of eight bits: the most points by jokers spent
    for rank in range(first_rank, 13):
        if once & (EACH_SUIT << rank) == 0:
            continue
        before = covered
        for n_groups in range(1, 3):
            needed = _groups_of_rank(once, twice, rank, n_groups)
            if needed < 0:
                continue
            cards = popcount(once & (EACH_SUIT << rank))
            if n_groups == 2:
                cards += popcount(twice & (EACH_SUIT << rank))
            for spent in range(needed, jokers + 1):
                points = ((before >> (8 * (spent - needed))) & 255) + cards * rank_points(rank)
                if points > (covered >> (8 * spent)) & 255:
                    covered = (covered & ~(255 << (8 * spent))) | points << (8 * spent)
    best = 0
    for spent in range(jokers + 1):
        best = max(best, (covered >> (8 * spent)) & 255)
    return best


@helper
def _write_groups(once: int, twice: int, jokers: int, points: int, out: Ints) -> int:
    """Write groups after meld 0 that cover *points*; return the number of melds, or -1 if they cannot."""
    n_melds = 1
    for rank in range(13):
        column = EACH_SUIT << rank
        if points <= 0 or _groups_cover(once, twice, jokers, rank + 1) >= points:
            continue
        for n_groups in range(2, 0, -1):
            needed = _groups_of_rank(once, twice, rank, n_groups)
            cards = popcount(once & column) + (popcount(twice & column) if n_groups == 2 else 0)
            more = points - cards * rank_points(rank)
            if needed < 0 or needed > jokers or _groups_cover(once, twice, jokers - needed, rank + 1) < more:
                continue
            own, second = once & column, twice & column
            if n_groups == 2:  # single cards go over until the groups are even
                single = own & ~second
                while popcount(second) < popcount(own) - 1:
                    second |= single & -single
                    own ^= single & -single
                    single &= single - 1
                _write_places(second, column, n_melds + 1, out)
            _write_places(own, column, n_melds, out)
            n_melds += n_groups
            jokers -= needed
            points = more
            break
    return n_melds if points <= 0 else -1


@helper
def _write_places(own: int, column: int, meld: int, out: Ints) -> None:
    """Write the group of the cards *own* of a rank; suits are added up to three places."""
    places = own
    while popcount(places) < GROUP:
        places |= (column & ~places) & -(column & ~places)
    out[meld] = places
    out[meld + MOST_MELDS] = own


@kernel
def min_score(once: int, twice: int, jokers: int, wild: int, rule: int) -> int:
    """Return the MinScore of 13 cards, uncapped, by a score *rule*."""
    column = EACH_SUIT << wild
    plain, plain_twice, _, n_jokers = split_wilds(once, twice, jokers, wild)
    total = card_points(plain) + card_points(plain_twice)
    best = 0
    for size in range(3, 6):
        starts = pure_windows(once, size)
        while starts:
            start = lowest(starts)
            starts &= starts - 1
            window = window_cards(start, size)
            left = n_jokers - ((window & column) != 0)
            # Seven jokers cover the three cards that can be left.
            if left > MOST_SUBSTITUTES:
                return 0
            saved = card_points(window & ~column)
            once1, twice1 = take_away(plain, plain_twice, window & ~column)
            if rule == PAPER:
                best = max(best, saved)
            elif rule == PURE_RUN_OPENS:
                best = max(best, saved + _groups_cover(once1, twice1, left, 0))
            best = max(best, saved + cover_after_pure(once1, twice1, left, best - saved))
            if best == total:
                return 0
    return total - best


@kernel
def capped(score: int) -> int:
    """Return what a hand costs its holder (rules, row 13)."""
    return min(score, CAP)


@kernel
def scores14(once: int, twice: int, jokers: int, wild: int, rule: int, out: Ints) -> tuple[int, int]:
    """Write to out[card id] the uncapped MinScore after each discard from 14 cards; return the least and its mask.

    `out` has `JOKER_ID` + 1 entries; those of cards not held are set to -1.
    """
    best = -1
    mask = 0
    for card in range(JOKER_ID + 1):
        out[card] = -1
    todo = once
    if jokers:
        todo |= JOKER_BIT
    while todo:
        card = lowest(todo)
        bit = todo & -todo
        todo ^= bit
        once1, twice1 = take_away(once, twice, bit & ALL_CARDS)
        out[card] = min_score(once1, twice1, jokers - (card == JOKER_ID), wild, rule)
        if best < 0 or out[card] < best:
            best = out[card]
            mask = 0
        if out[card] == best:
            mask |= bit
    return best, mask


@helper
def _next_run(once: int, twice: int, jokers: int, points: int) -> int:
    """Return a window (suit << 24 | size << 16 | ranks) with which runs of *jokers* still cover *points*, or -1."""
    for suit in range(4):
        lane = (once >> (16 * suit)) & LANE
        for i in range(N_WINDOWS):
            window = WINDOWS[i]
            held = window & lane
            left = jokers - (window >> 16) + popcount(held)
            if held == 0 or left < 0:
                continue
            once1, twice1 = take_away(once, twice, held << (16 * suit))
            if card_points(held) + _runs_cover(once1, twice1, left) >= points:
                return int(suit << 24 | window)
    return -1


@helper
def _write_runs(once: int, twice: int, jokers: int, points: int, n_melds: int, out: Ints) -> int:
    """Write runs, at least one, that cover *points*; return the number of melds, or -1 if they cannot."""
    asked = True
    while asked or points > 0:
        window = _next_run(once, twice, jokers, points)
        if window < 0 or n_melds == MOST_MELDS:
            return -1
        at = 16 * (window >> 24)
        held = (once >> at) & window & LANE
        out[n_melds] = (window & LANE) << at
        out[n_melds + MOST_MELDS] = held << at
        n_melds += 1
        once, twice = take_away(once, twice, held << at)
        jokers -= ((window >> 16) & 15) - popcount(held)
        points -= card_points(held)
        asked = False
    return n_melds


@helper
def _write_group(choice: int, n_melds: int, out: Ints) -> int:
    """Write a group, a third suit added to two; return the number of melds."""
    if choice == 0:
        return n_melds
    suits = (choice >> 4) & 15
    rank = (choice >> 8) - 1
    out[n_melds + MOST_MELDS] = cards_of_rank(suits, rank)
    if popcount(suits) == 2:
        suits |= (15 ^ suits) & -(15 ^ suits)
    out[n_melds] = cards_of_rank(suits, rank)
    return n_melds + 1


@helper
def _write_rest(once: int, twice: int, jokers: int, points: int, out: Ints) -> int:
    """Write the melds after the pure run that cover *points*, one of them a run; return the number of melds or -1."""
    first = 0
    while first >= 0:
        once1, twice1 = without_group(once, twice, first)
        higher = later_ranks(once1, twice, first)
        second = 0
        while second >= 0:
            once2, twice2 = without_group(once1, twice1, second)
            n_first, n_second = popcount((first >> 4) & 15), popcount((second >> 4) & 15)
            left = jokers - (n_first == 2) - (n_second == 2)
            more = points - n_first * rank_points((first >> 8) - 1) - n_second * rank_points((second >> 8) - 1)
            if left >= 0 and _some_run_covers(once2, twice2, left) >= more:
                n_melds = _write_runs(once2, twice2, left, more, 1, out)
                if n_melds > 0:
                    return _write_group(second, _write_group(first, n_melds, out), out)
            second = next_group(once1, second, higher)
        first = next_group(once, first, paired_ranks(once))
    return -1


@helper
def _write_lone_cards(once: int, twice: int, wilds: int, out: Ints) -> int:
    """Write a run of its own for each card left, or for a wild card if none is; jokers abound."""
    n_melds = 1
    if once == 0:
        once = wilds & -wilds
    while once:
        card = lowest(once)
        once, twice = take_away(once, twice, once & -once)
        start = min(card & 15, 10)
        out[n_melds] = window_cards(card - (card & 15) + start, GROUP)
        out[n_melds + MOST_MELDS] = 1 << card
        n_melds += 1
    return n_melds


@kernel
def grouping(once: int, twice: int, jokers: int, wild: int, rule: int, out: Ints) -> int:
    """Write melds of 13 cards that leave exactly MinScore points; return how many (0: every card counts).

    out[k] holds the places of meld k, out[k + MOST_MELDS] the cards of the hand in them that stand for
    themselves; the other places are for jokers. Meld 0 is the pure run; meld 1, if any, is a run too, but for
    `PURE_RUN_OPENS`. Jokers left over may be laid to meld 1.
    """
    for k in range(2 * MOST_MELDS):
        out[k] = 0
    column = EACH_SUIT << wild
    plain, plain_twice, _, n_jokers = split_wilds(once, twice, jokers, wild)
    saved = card_points(plain) + card_points(plain_twice) - min_score(once, twice, jokers, wild, rule)
    for size in range(3, 6):
        starts = pure_windows(once, size)
        while starts:
            window = window_cards(lowest(starts), size)
            starts &= starts - 1
            out[0] = window
            out[MOST_MELDS] = window
            once1, twice1 = take_away(plain, plain_twice, window & ~column)
            left = n_jokers - ((window & column) != 0)
            if left > MOST_SUBSTITUTES:
                once2, _ = take_away(once, twice, window)
                return _write_lone_cards(once1, twice1, once2 & column, out)
            n_melds = _write_rest(once1, twice1, left, saved - card_points(window & ~column), out)
            if n_melds > 0:
                return n_melds
            for k in range(1, MOST_MELDS):
                out[k] = 0
                out[k + MOST_MELDS] = 0
            if rule == PAPER and card_points(window & ~column) == saved:
                return 1
            if rule == PURE_RUN_OPENS:
                n_melds = _write_groups(once1, twice1, left, saved - card_points(window & ~column), out)
                if n_melds > 0:
                    return n_melds
    out[0] = 0
    out[MOST_MELDS] = 0
    return 0


@kernel
def min_score_many(hands: Ints, rule: int, out: Ints) -> None:
    """Write the uncapped MinScore of each line (once, twice, jokers, wild) of *hands*."""
    for i in range(len(hands)):
        out[i] = min_score(hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3], rule)
