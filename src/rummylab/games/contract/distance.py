"""Distance to a contract: how many cards a hand is short of a laydown, and which cards bring it nearer.

A *target* is a laydown of the contract in its smallest sizes, made of any cards of the pack: sets and runs of which at
most half is wild, no two wilds of a run side by side, no two runs of a suit end to end, no card more often than the
pack has it. The *distance* of a hand is the number of cards of the contract less the most cards of the hand that any
one target contains. At distance 0 the hand holds the contract. A card *helps* if drawing it lowers the distance.
Every target that contains the most cards lacks only cards that help, so one search finds both.

The search places the runs, those windows first that hold most naturals, then chooses the ranks of the sets, and skips
whatever cannot reach the best target so far. Where several melds ask for the same card it tries every order in which
they may be served. Wilds need no search: a target with *n* naturals of the hand and room for *k* wilds contains
n + min(wilds, k) of its cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, LANE, bit, lowest, noinline, nth_card, popcount
from rummylab.cards.planes import JOKER_BIT
from rummylab.games.contract.melds import TOP, n_sizes

Ints = npt.NDArray[np.int64]


class Terms(NamedTuple):
    """What the rules allow in a laydown, as numbers."""

    decks: int
    """One or two."""
    wild_ranks: int
    """Ranks that are wild, as a mask of thirteen bits."""
    wilds: int
    """Wilds in the pack, jokers included."""
    same_rank: int
    """Two sets may have the same rank."""
    neighbors: int
    """Two wilds of a run may lie side by side."""
    joined: int
    """Two runs may be one run cut in two."""


class _Case(NamedTuple):
    """A hand and a contract, and what follows from them."""

    once: int
    """Naturals of the hand: kinds, and kinds held twice."""
    twice: int
    wilds: int
    sets: int
    """Sizes of the sets and of the runs: four bits each, the largest lowest."""
    runs: int
    n_sets: int
    n_runs: int
    spare: int
    """Wilds of the hand that a target can take at most."""
    goal: int
    """Cards of the hand in a target at which the search stops."""
    natural: int
    """All cards that are not wild."""
    full: int
    """Cards of which the hand has every copy."""
    has_scarce_ranks: int
    """A set and the runs may need more cards of a rank than the pack has, or there are several wild ranks."""
    decks: int
    pack_wilds: int
    same_rank: int
    neighbors: int
    joined: int


class _Choice(NamedTuple):
    """Windows for the runs and ranks for the sets, which the scratch array names."""

    naturals: int
    """The most naturals of the hand that they can take."""
    cover: int
    """Cards of the windows."""
    contested: int
    """Cards that several melds ask for, so that it matters who is served first."""
    ranks: int
    """Ranks of the sets, as a mask of thirteen bits."""
    n_orders: int
    """Orders in which the melds can be served."""


# --- Scratch array ------------------------------------------------------------------------------------------------

_RUNS, _MELDS, _WINDOWS = 3, 5, 56
"""Most runs and melds of a contract (one to spare), and most windows of a run."""
_BEST, _HELP = 0, 1
"""The most cards of the hand in a target so far, and the cards that the best targets lack."""
_NEXT = 2
"""Where the search of each meld goes on: the place in its list of windows, or the rank."""
_GOT = _NEXT + _MELDS
"""Naturals of the hand in the melds before this one."""
_ONCE, _TWICE = _GOT + _MELDS, _GOT + 2 * _MELDS
"""Naturals that the runs before this one leave, as planes."""
_COVER, _SHARED = _TWICE + _MELDS, _TWICE + 2 * _MELDS
"""Cards of the runs before this one, and cards of two of them or more."""
_WINDOW = _SHARED + _MELDS
"""Where each run begins: 16 * suit + lowest place."""
_CARDS = _WINDOW + _RUNS
"""The cards of each run."""
_RANK = _CARDS + _RUNS
"""The rank of each set."""
_FILLED, _FORCED = _RANK + _MELDS, _RANK + _MELDS + _RUNS
"""Places of each run, from its lowest, that have a natural of the hand, and those that only a wild can take."""
_MOST = _FORCED + _RUNS
"""The most naturals that so many sets can have."""
_LIST, _END = _MOST + _MELDS, _MOST + _MELDS + _RUNS
"""Where the list of windows for each run begins and ends."""
_LISTS = _END + _RUNS
"""The lists, the windows with the most naturals first: 64 * naturals + window."""
ROOM = _LISTS + _RUNS * _WINDOWS
"""Entries of the scratch array."""
_EVEN = 0x5555
"""Every second place."""
_SETS = _RUNS
"""The number of the sets among the melds that ask for a card."""


# --- Sizes, windows, ranks ----------------------------------------------------------------------------------------


@helper
def _sum(sizes: int, shift: int) -> int:
    """Return the sum of the packed *sizes*, each shifted right first."""
    total = np.int64(0)
    while sizes:
        total += (sizes & 15) >> shift
        sizes >>= 4
    return total


@helper
def _size(sizes: int, number: int) -> int:
    return sizes >> 4 * number & 15


@helper
def _of_rank(once: int, twice: int, rank: int) -> int:
    """Return how many cards of *rank* the planes have."""
    return popcount(once >> rank & EACH_SUIT) + popcount(twice >> rank & EACH_SUIT)


@helper
def _on_window(cards: int, window: int, size: int) -> int:
    """Return which places of a window *cards* take, as bits from its lowest place."""
    lane = cards >> (window & 48) & LANE
    return (lane | (lane & 1) << TOP) >> (window & 15) & ((1 << size) - 1)


@helper
def _cards_of(places: int, window: int) -> int:
    """Return the cards that belong on *places* of a window."""
    lane = places << (window & 15)
    return ((lane & LANE) | lane >> TOP) << (window & 48)


@helper
def _can_be_wild(places: int, size: int, neighbors: int) -> bool:
    """Return whether *places* of a run may be wild: at most half, no two side by side unless *neighbors* may."""
    return popcount(places) <= size >> 1 and (neighbors != 0 or places & places >> 1 == 0)


@helper
def _most_wilds(filled: int, forced: int, size: int, neighbors: int) -> int:
    """Return the most wilds of a run, or -1: none on *filled* places, one on each that is *forced*."""
    if not _can_be_wild(forced, size, neighbors):
        return np.int64(-1)
    free = ~(filled | forced) & ((1 << size) - 1)
    if not neighbors:  # every second place of each gap, from its lowest on, is the most that fits
        free &= ~(forced << 1 | forced >> 1)
        from_even = free & ~(free + (free & ~(free << 1) & _EVEN))
        free = (from_even & _EVEN) | (free & ~from_even & ~_EVEN)
    return min(popcount(forced | free), size >> 1)


@helper
def _joins(window: int, size: int, other: int, other_size: int) -> bool:
    """Return whether two runs lie end to end in one suit."""
    same_suit = (window ^ other) & 48 == 0
    return same_suit and (window + size == other or other + other_size == window)


@helper
def _list_windows(once: int, size: int, start: int, room: Ints) -> int:
    """Write the windows of a run of *size*, those with the most naturals first; return where the list ends."""
    places = once | (once & EACH_SUIT) << TOP
    ones, twos, fours, eights = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for k in range(size):  # count in all windows at once: a number of four bits for each, one bit in each mask
        carry = places >> k
        ones, carry = ones ^ carry, ones & carry
        twos, carry = twos ^ carry, twos & carry
        fours, carry = fours ^ carry, fours & carry
        eights ^= carry
    every = ((1 << (TOP + 2 - size)) - 1) * EACH_SUIT
    at = start
    for n in range(size, -1, -1):
        windows = every & ~(ones ^ -(n & 1)) & ~(twos ^ -(n >> 1 & 1)) & ~(fours ^ -(n >> 2 & 1))
        windows &= ~(eights ^ -(n >> 3 & 1))
        while windows:
            room[at] = n << 6 | lowest(windows)
            windows &= windows - 1
            at += 1
    return at


@helper
def _bound_sets(case: _Case, room: Ints) -> None:
    """Write the most naturals that one set, two sets and so on can have, the largest sets first."""
    counts = np.int64(0)  # four bits for each rank
    if case.sets:
        for rank in range(13):
            counts |= _of_rank(case.once, case.twice, rank) << 4 * rank
    room[_MOST] = 0
    for number in range(case.n_sets):
        most, best = np.int64(0), np.int64(0)
        for rank in range(13):
            if counts >> 4 * rank & 15 > most:
                most, best = counts >> 4 * rank & 15, np.int64(rank)
        taken = min(most, _size(case.sets, number))
        counts -= taken << 4 * best
        room[_MOST + number + 1] = room[_MOST + number] + taken


@helper
def _ranks_held(once: int, twice: int, natural: int, least: int) -> int:
    """Return the natural ranks of which the planes have at least *least* cards; beyond four it does not look."""
    if least <= 0:
        return natural & LANE
    one, two, three, four = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for plane in (once, twice):
        for suit in range(4):
            lane = plane >> 16 * suit & LANE
            four |= three & lane
            three |= two & lane
            two |= one & lane
            one |= lane
    return one if least == 1 else two if least == 2 else three if least == 3 else four


# --- One choice of windows and ranks ------------------------------------------------------------------------------


@helper
def _orders(n: int) -> int:
    """Return in how many orders *n* melds can be served."""
    return 24 if n > 3 else 6 if n == 3 else n if n else 1


@helper
def _who_asks(case: _Case, card: int, ranks: int, room: Ints) -> int:
    """Return who asks for *card*: a bit for each run, and one for the sets."""
    who = np.int64(0)
    for i in range(case.n_runs):
        who |= (room[_CARDS + i] >> card & 1) << i
    return who | 1 << _SETS if ranks >> (card & 15) & 1 else who


@helper
def _serve(case: _Case, card: int, who: int, order: int, room: Ints) -> tuple[int, int]:
    """Serve those who ask for *card* in order number *order*; return how many the sets get and the runs must draw.

    First go the copies of the hand, then copies that must be drawn. Then only a wild can take the place. The sets
    take all copies that are left in the hand, and the only copy of one deck even where it must be drawn.
    """
    held = (case.once >> card & 1) + (case.twice >> card & 1)
    copies, given, to_draw = case.decks, np.int64(0), np.int64(0)
    while who:
        n = _orders(popcount(who) - 1)
        one = nth_card(who, order // n)
        order, who = order % n, who & ~bit(one)
        if one == _SETS:
            given, copies, held = held, copies - held, np.int64(0)
            if case.decks == 1:
                copies = np.int64(0)
            continue
        low = room[_WINDOW + one] & 15
        place = TOP if card & 15 == 0 and low > 0 else card & 15
        if held:
            room[_FILLED + one] |= bit(place - low)
            held, copies = held - 1, copies - 1
        elif copies:
            to_draw, copies = to_draw + 1, copies - 1
        else:
            room[_FORCED + one] |= bit(place - low)
    return given, to_draw


@helper
def _group(case: _Case, number: int, room: Ints) -> tuple[int, int]:
    """Return the cards and the most wilds of all sets with the rank of set *number*; none unless it is their first."""
    rank, cards, wild = room[_RANK + number], np.int64(0), np.int64(0)
    for j in range(case.n_sets):
        if room[_RANK + j] == rank:
            if j < number:
                return np.int64(0), np.int64(0)
            size = _size(case.sets, j)
            cards, wild = cards + size, wild + (size >> 1)
    return cards, wild


@helper
def _note(value: int, lacking: int, room: Ints) -> None:
    """Note a target with so many cards of the hand, and the cards that it lacks."""
    if value > room[_BEST]:
        room[_BEST], room[_HELP] = value, 0
    if value == room[_BEST]:
        room[_HELP] |= lacking


@helper
def _note_tight(case: _Case, left: int, left_twice: int, taken: int, room: Ints) -> None:
    """Note the cards that help where every place for a wild is taken: those that leave as many such places.

    *left* are the cards for the sets, *taken* those of which the runs must draw every copy.
    """
    noinline()
    roomy = np.int64(0)  # ranks of sets that lack more cards than can be wild
    for j in range(case.n_sets):
        cards, wild = _group(case, np.int64(j), room)
        if cards - _of_rank(left, left_twice, room[_RANK + j]) > wild:
            roomy |= bit(room[_RANK + j])
    room[_HELP] |= EACH_SUIT * roomy & ~taken
    for i in range(case.n_runs):
        window, size = room[_WINDOW + i], _size(case.runs, i)
        filled, forced = room[_FILLED + i], room[_FORCED + i]
        most = _most_wilds(filled, forced, size, case.neighbors)
        free = ~(filled | forced) & ((1 << size) - 1)
        while free:
            place = free & -free
            free &= free - 1
            card = _cards_of(place, window)
            # In the run; or in a set, and a wild in the run.
            helps = _most_wilds(filled | place, forced, size, case.neighbors) == most
            if not helps and card & EACH_SUIT * roomy:
                helps = _most_wilds(filled, forced | place, size, case.neighbors) == most
            if helps:
                room[_HELP] |= card


@helper
def _weigh_order(case: _Case, choice: _Choice, order: int, room: Ints) -> int:
    """Weigh the targets with one choice and one order of serving; return which order to try next.

    1. Serve the melds. 2. Count the naturals of the hand and the places for wilds. 3. Compare with the best.
    """
    for i in range(case.n_runs):
        window, size = room[_WINDOW + i], _size(case.runs, i)
        room[_FILLED + i] = _on_window(case.once & ~choice.contested, window, size)
        room[_FORCED + i] = _on_window(~case.natural, window, size)
    left, left_twice = case.once & ~choice.cover, case.twice & ~choice.cover
    lacked, lacked_twice = np.int64(0), np.int64(0)
    cards, like_it = choice.contested, choice.n_orders  # orders that are alike for the cards so far
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        who = _who_asks(case, card, choice.ranks, room)
        n = _orders(popcount(who))
        like_it //= n
        given, to_draw = _serve(case, card, who, order // like_it % n, room)
        for i in range(case.n_runs):
            if not _can_be_wild(room[_FORCED + i], _size(case.runs, i), case.neighbors):
                return (order // like_it + 1) * like_it
        left |= bit(card) if given > 0 else np.int64(0)
        left_twice |= bit(card) if given > 1 else np.int64(0)
        lacked |= bit(card) if to_draw > 0 else np.int64(0)
        lacked_twice |= bit(card) if to_draw > 1 else np.int64(0)

    got, places, forced, lacking = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(case.n_runs):
        size, taken = _size(case.runs, i), room[_FILLED + i] | room[_FORCED + i]
        most = _most_wilds(room[_FILLED + i], room[_FORCED + i], size, case.neighbors)
        if most < 0:
            return order + 1
        got += popcount(room[_FILLED + i])
        places += most
        forced += popcount(room[_FORCED + i])
        lacking |= _cards_of(~taken & ((1 << size) - 1), room[_WINDOW + i])
    for j in range(case.n_sets):
        n_cards, n_wild = _group(case, np.int64(j), room)
        if n_cards:
            rank = room[_RANK + j]
            in_sets = min(_of_rank(left, left_twice, rank), n_cards)
            drawable = 4 * case.decks - _of_rank(case.once, case.twice, rank) - _of_rank(lacked, lacked_twice, rank)
            if n_cards - n_wild - in_sets > drawable:
                return order + 1
            got += in_sets
            places += min(n_cards - in_sets, n_wild)
            forced += max(n_cards - in_sets - drawable, 0)
            if in_sets < n_cards:
                lacking |= np.int64(EACH_SUIT) << rank
    if forced > case.pack_wilds:
        return order + 1

    value = got + min(case.wilds, places)
    if places > case.wilds:
        _note(value, lacking | JOKER_BIT, room)
    else:
        _note(value, np.int64(0), room)
        if value == room[_BEST]:
            exhausted = lacked_twice | (lacked & (case.once if case.decks == 2 else np.int64(ALL_CARDS)))
            _note_tight(case, left, left_twice, exhausted, room)
    # Naturals and places to spare: another order has no more of the hand, and lacks no other cards.
    return choice.n_orders if places > case.wilds and got == choice.naturals else order + 1


@helper
def _incomplete(case: _Case, room: Ints) -> tuple[int, int]:
    """Return how many melds lack a card if the runs are served first, and the ranks of the sets that do."""
    n, ranks = np.int64(0), np.int64(0)
    for i in range(case.n_runs):
        n += room[_CARDS + i] & ~room[_ONCE + i] != 0
    for j in range(case.n_sets):
        rank = room[_RANK + j]
        if _of_rank(room[_ONCE + case.n_runs], room[_TWICE + case.n_runs], rank) < _size(case.sets, j):
            n, ranks = n + 1, ranks | bit(rank)
    return n, ranks


@helper
def _can_alternate(case: _Case, cover: int, shared: int) -> bool:
    """Return whether in one deck runs can take the cards that two of them ask for turn and turn about.

    The other run then has a wild there; with few such cards, away from wild ranks, that is legal.
    """
    wild, least = ~case.natural & ALL_CARDS, _size(case.runs, case.n_runs - 1)
    most = min(least & ~1, case.pack_wilds)
    if cover & wild:
        most = min(least - 2 - (least & 1), case.pack_wilds - case.n_runs)
    return shared & (wild | wild << 1 | wild >> 1) == 0 and popcount(shared) <= most


@helper
def _weigh(case: _Case, naturals: int, ranks: int, room: Ints) -> None:
    """Weigh all targets with the chosen windows and *ranks*, which take at most *naturals* of the hand."""
    noinline()
    cover, shared = room[_COVER + case.n_runs], room[_SHARED + case.n_runs]
    by_three = room[_CARDS] & room[_CARDS + 1] & room[_CARDS + 2] if case.n_runs == 3 else np.int64(0)
    is_simple = shared == 0 or (by_three == 0 and (case.decks == 2 or _can_alternate(case, cover, shared)))
    if is_simple and popcount(ranks) == case.n_sets and not case.has_scarce_ranks:
        n, wanting = _incomplete(case, room)
        if n > case.wilds:  # each has a place for a wild, so there are more places than wilds
            lacking = (cover & ~case.once) | (shared & ~case.full) | EACH_SUIT * wanting
            _note(naturals + case.wilds, lacking | JOKER_BIT, room)
            return
    if _sum(case.runs, 0) - case.decks * popcount(cover & case.natural) > _sum(case.runs, 1):
        return  # too many places that only a wild can take
    if case.decks == 2:  # two runs that ask for a card are served alike if the hand has no copy of it, or both
        shared &= by_three | (case.once & ~case.twice)
    contested = (shared | (cover & EACH_SUIT * ranks)) & case.natural
    n_orders = np.int64(1)
    cards = contested
    while cards:
        n_orders *= _orders(popcount(_who_asks(case, lowest(cards), ranks, room)))
        cards &= cards - 1
    choice = _Choice(naturals, cover, contested, ranks, n_orders)
    order = np.int64(0)
    while order < n_orders:
        order = _weigh_order(case, choice, order, room)


# --- The search ---------------------------------------------------------------------------------------------------


@helper
def _is_known(case: _Case, naturals: int, ranks: int, room: Ints) -> bool:
    """Return whether a choice is no better than the best targets, and lacks no cards but those known to help."""
    if naturals + case.spare > room[_BEST]:
        return False
    more_than_one = room[_SHARED + case.n_runs] | EACH_SUIT * ranks
    lacking = (room[_COVER + case.n_runs] & ~case.once) | (more_than_one & ~case.full)
    return (lacking & case.natural | JOKER_BIT) & ~room[_HELP] == 0


@helper
def _choose_ranks(case: _Case, room: Ints) -> None:
    """Try all ranks for the sets, the runs being placed; sets of equal size in ascending order of their ranks."""
    left, left_twice, first = room[_ONCE + case.n_runs], room[_TWICE + case.n_runs], case.n_runs
    j = np.int64(0)
    room[_NEXT + first] = 0
    while j >= 0:
        at, size = first + j, _size(case.sets, j)
        least = room[_BEST] - case.spare - room[_GOT + at] - room[_MOST + case.n_sets - j - 1]
        ranks = _ranks_held(left, left_twice, case.natural, least) >> room[_NEXT + at]
        if ranks == 0 or room[_BEST] >= case.goal:
            j -= 1
            continue
        rank = room[_NEXT + at] + lowest(ranks)
        room[_NEXT + at] = rank + 1
        before, chosen = np.int64(0), bit(rank)
        for k in range(j):
            chosen |= bit(room[_RANK + k])
            if room[_RANK + k] == rank:
                before += _size(case.sets, k)
        got = min(max(_of_rank(left, left_twice, rank) - before, 0), size)
        if got < least or (before and not case.same_rank):
            continue
        room[_RANK + j] = rank
        if j + 1 == case.n_sets:
            if not _is_known(case, room[_GOT + at] + got, chosen, room):
                _weigh(case, room[_GOT + at] + got, chosen, room)
            continue
        room[_GOT + at + 1] = room[_GOT + at] + got
        room[_NEXT + at + 1] = rank if _size(case.sets, j + 1) == size else 0
        j += 1


@helper
def _start(case: _Case, known: int, room: Ints) -> None:
    """Prepare the search: the lists of windows, the bounds for the sets."""
    room[_BEST], room[_HELP] = known, 0
    room[_GOT], room[_ONCE], room[_TWICE] = 0, case.once, case.twice
    room[_COVER], room[_SHARED] = 0, 0
    _bound_sets(case, room)
    for i in range(case.n_runs):
        if i > 0 and _size(case.runs, i) == _size(case.runs, i - 1):
            room[_LIST + i], room[_END + i] = room[_LIST + i - 1], room[_END + i - 1]
        else:
            room[_LIST + i] = _LISTS + i * _WINDOWS
            room[_END + i] = _list_windows(case.once, _size(case.runs, i), room[_LIST + i], room)


@helper
def _search(case: _Case, known: int, room: Ints) -> None:
    """Find the best targets that contain at least *known* cards of the hand; stop at one that reaches the goal."""
    _start(case, known, room)
    if case.n_runs == 0:
        _choose_ranks(case, room)
        return
    if case.n_runs > 1:  # a good target to start with
        _place_runs(case, True, room)
    _place_runs(case, False, room)


@helper
def _place_runs(case: _Case, is_greedy: bool, room: Ints) -> None:
    """Try all windows for the runs, or, if *is_greedy*, only the first that share no cards."""
    noinline()
    i = np.int64(0)
    room[_NEXT] = room[_LIST]
    in_sets = room[_MOST + case.n_sets] + case.spare
    while i >= 0:
        if room[_NEXT + i] >= room[_END + i] or room[_BEST] >= case.goal:
            i -= 1
            continue
        entry, size = room[room[_NEXT + i]], _size(case.runs, i)
        room[_NEXT + i] += 1
        window, later = entry & 63, in_sets
        for k in range(i + 1, case.n_runs):  # the windows that follow have at most as many naturals
            later += entry >> 6 if _size(case.runs, k) == size else room[room[_LIST + k]] >> 6
        if room[_GOT + i] + (entry >> 6) + later < room[_BEST]:
            i -= 1
            continue
        cards = _cards_of((1 << size) - 1, window)
        taken = cards & room[_ONCE + i]
        got = room[_GOT + i] + popcount(taken)
        joins = False
        for k in range(i):
            joins |= _joins(window, size, room[_WINDOW + k], _size(case.runs, k))
        if got + later < room[_BEST] or (joins and not case.joined) or (is_greedy and cards & room[_COVER + i]):
            continue
        room[_WINDOW + i], room[_CARDS + i], room[_GOT + i + 1] = window, cards, got
        room[_ONCE + i + 1] = (room[_ONCE + i] & ~taken) | (room[_TWICE + i] & taken)
        room[_TWICE + i + 1] = room[_TWICE + i] & ~taken
        room[_COVER + i + 1] = room[_COVER + i] | cards
        room[_SHARED + i + 1] = room[_SHARED + i] | (room[_COVER + i] & cards)
        if i + 1 < case.n_runs:
            room[_NEXT + i + 1] = room[_NEXT + i] - 1 if _size(case.runs, i + 1) == size else room[_LIST + i + 1]
            i += 1
            continue
        if case.n_sets:
            _choose_ranks(case, room)
        elif not _is_known(case, got, np.int64(0), room):
            _weigh(case, got, np.int64(0), room)
        if is_greedy:
            return


@helper
def _case_of(once: int, twice: int, jokers: int, sets: int, runs: int, terms: Terms, goal: int) -> _Case:
    wild = EACH_SUIT * terms.wild_ranks
    wilds = jokers + popcount(once & wild) + popcount(twice & wild)
    n_sets, n_runs = n_sizes(sets), n_sizes(runs)
    in_one_rank = (_size(sets, 0) + 1 >> 1) + n_runs if n_sets else np.int64(0)
    has_scarce_ranks = in_one_rank > 4 * terms.decks or popcount(terms.wild_ranks) > 1
    return _Case(
        once & ~wild,
        twice & ~wild,
        wilds,
        sets,
        runs,
        n_sets,
        n_runs,
        min(wilds, _sum(sets, 1) + _sum(runs, 1)),
        goal,
        ALL_CARDS & ~wild,
        once if terms.decks == 1 else twice,
        np.int64(has_scarce_ranks),
        terms.decks,
        terms.wilds,
        terms.same_rank,
        terms.neighbors,
        terms.joined,
    )


@helper
def measure(once: int, twice: int, jokers: int, sets: int, runs: int, terms: Terms, room: Ints) -> tuple[int, int]:
    """Return the distance of a hand to a contract, and the kinds of cards that help: `JOKER_BIT` for every wild.

    The hand is two planes, kinds and kinds held twice, and its jokers; *sets* and *runs* are packed sizes.
    """
    cards = _sum(sets, 0) + _sum(runs, 0)
    case = _case_of(once, twice, jokers, sets, runs, terms, cards)
    _search(case, np.int64(0), room)
    short = cards - room[_BEST]
    return short, room[_HELP] & (case.natural & ~case.full | JOKER_BIT) if short else np.int64(0)


@helper
def is_within(once: int, twice: int, jokers: int, sets: int, runs: int, terms: Terms, short: int, room: Ints) -> bool:
    """Return whether the distance of a hand is at most *short*: faster than `measure`."""
    goal = _sum(sets, 0) + _sum(runs, 0) - short
    _search(_case_of(once, twice, jokers, sets, runs, terms, goal), goal - 1, room)
    return room[_BEST] >= goal


@helper
def terms_of(rules: np.void) -> Terms:
    """Return the terms of the options at a table."""
    wild_ranks = rules.wild_kinds & LANE
    decks = np.int64(rules.decks)
    return Terms(
        decks,
        wild_ranks,
        decks * (rules.jokers + 4 * popcount(wild_ranks)),
        np.int64(rules.same_rank),
        np.int64(rules.wild_neighbors),
        np.int64(rules.joined_runs),
    )


@kernel
def measure_many(hands: Ints, sets: int, runs: int, terms: Terms, out: Ints) -> None:
    """Write the distance and the cards that help for lines of (once, twice, jokers)."""
    room = np.empty(ROOM, np.int64)
    for i in range(hands.shape[0]):
        out[i, 0], out[i, 1] = measure(hands[i, 0], hands[i, 1], hands[i, 2], sets, runs, terms, room)
