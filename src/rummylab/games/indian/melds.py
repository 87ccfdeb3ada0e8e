"""What one suit can do: runs of a 13-card hand, looked up and joined.

A hand is three integers: `once` (kinds held at least once), `twice` (kinds held twice) and `jokers`
(printed jokers); `wild` is the wild rank 0..12. Card id = suit*16 + rank, so a suit is a *lane* of 16 bits
and bits 13..15 of a lane are empty. Hard limits: 13 or 14 cards, two decks, four printed jokers.

**Windows.** A run of six or more is two runs, so every run is cut into *windows* of 3, 4 or 5 places
(paper, section V). A lane has 14 places, the ace at both ends, and so 33 windows.

**Reels.** What a lane can do depends on what it may spend, so an answer is a row of small numbers, one per
budget, packed into one int64 (a *reel*). Two kinds:

- *size reel* (MinDist): 11 fields of 5 bits; field t-3 = most cards of the lane that windows of t places in
  all can hold, t = 3..13. The top bit of a field is spare: it carries the comparison in `better_size`.
- *point reel* (MinScore): 7 fields of 9 bits; field j = most points that runs with at most j substitutes
  can cover, j = 0..6, plus `HAS_RUN` where at least one run is asked for and possible.

Both grow from field to field. Once the groups (sets) of a declaration are fixed, suits no longer meet, and a
hand is four table look-ups and three joins. The tables know lanes without doubles and without wild cards;
both exceptions are worked out from the tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from rummylab._jit import helper, kernel
from rummylab.cards.bits import EACH_SUIT, LANE, cards_of_rank, lowest, popcount, suits_of
from rummylab.cards.planes import take_away

Ints = npt.NDArray[np.int64]

GROUP = 3  # places of the smallest meld

# Size reels: field t-3 for t = 3..13.
SIZE_ONES = sum(1 << (5 * i) for i in range(11))
SIZE_SPARE = SIZE_ONES << 4
SIZE_FULL = (1 << 55) - 1
PURE_FITS = 1 << 60  # flag of a pure size reel: the lane can hold a pure window at all

# Point reels: field j for j = 0..6.
POINT_ONES = sum(1 << (9 * j) for j in range(7))
POINT_SPARE = POINT_ONES << 8
POINT_FULL = (1 << 63) - 1
MOST_SUBSTITUTES = 6
HAS_RUN = 128  # above all points ten cards can be worth

SIZE_REEL, PURE_0, PURE_1, PURE_2 = range(4)  # columns of REELS
POINT_REEL, RUN_REEL = 4, 5
N_COLUMNS = 8  # a line of the table is a line of the processor's cache
N_SIZES = 16  # entries of a line of LEVERS

_TEN_POINTS = 0b1_1110_0000_0001  # A T J Q K (rules, row 4)


@helper
def rank_points(rank: int) -> int:
    """Return the points of a card that is not wild (rules, row 4)."""
    return 10 if rank == 0 or rank >= 9 else rank + 1


@helper
def card_points(cards: int) -> int:
    """Return the points of a mask of cards, none of them wild."""
    ten = cards & (_TEN_POINTS * EACH_SUIT)
    low = cards ^ ten
    return (
        10 * popcount(ten)
        + popcount(low)
        + popcount(low & (0b0_1010_1010 * EACH_SUIT))
        + 2 * popcount(low & (0b0_1100_1100 * EACH_SUIT))
        + 4 * popcount(low & (0b0_1111_0000 * EACH_SUIT))
        + 8 * popcount(low & (0b1_0000_0000 * EACH_SUIT))
    )


@helper
def better_size(a: int, b: int) -> int:
    """Return the greater of two size reels, field by field."""
    wins = ((a | SIZE_SPARE) - b) & SIZE_SPARE
    wins -= wins >> 4
    return (a & wins) | (b & ~wins)


@helper
def better_points(a: int, b: int) -> int:
    """Return the greater of two point reels, field by field."""
    wins = ((a | POINT_SPARE) - b) & POINT_SPARE
    wins -= wins >> 8
    return (a & wins) | (b & ~wins)


@helper
def window_size(n_cards: int, size: int, rest: int) -> int:
    """Return the size reel of a window of *size* places with *n_cards* cards, beside what *rest* can do."""
    cut = 5 * size
    return n_cards * ((SIZE_ONES << (cut - 15)) & SIZE_FULL) + ((rest << cut) & SIZE_FULL)


@helper
def window_points(points: int, substitutes: int, rest: int) -> int:
    """Return the point reel of a run of *points* with *substitutes*, beside what *rest* can do."""
    cut = 9 * substitutes
    return points * ((POINT_ONES << cut) & POINT_FULL) + ((rest << cut) & POINT_FULL)


@helper
def field_size(reel: int, size: int) -> int:
    """Return the entry of a size reel for windows of *size* places (3..13)."""
    return (reel >> (5 * size - 15)) & 15


def _windows() -> Ints:
    """Return the 33 windows of a lane as rank mask | size << 16."""
    found = []
    for size in (3, 4, 5):
        for start in range(15 - size):
            places = ((1 << size) - 1) << start
            found.append((places & LANE) | (places >> 13) | size << 16)
    return np.array(found, np.int64)


WINDOWS = _windows()
N_WINDOWS = len(WINDOWS)


def _windows_at() -> Ints:
    """Return, per rank, the windows that hold it, filled up with 0."""
    table = np.zeros((13, 12), np.int64)
    for rank in range(13):
        here = [int(w) for w in WINDOWS if int(w) >> rank & 1]
        table[rank, : len(here)] = here
    return table


WINDOWS_AT = _windows_at()


@kernel
def _fill_reels(windows: Ints, reels: Ints) -> None:
    """Work out the reels of all 8192 lanes; a lane needs only smaller ones."""
    for lane in range(1, LANE + 1):
        size_reel = 0
        point_reel = 0
        run_reel = 0
        for i in range(len(windows)):
            window = windows[i]
            held = lane & window & LANE
            if held == 0:
                continue
            size = window >> 16
            n_cards = popcount(held)
            points = card_points(held)
            rest = lane & ~held
            size_reel = better_size(size_reel, window_size(n_cards, size, reels[rest, 0]))
            point_reel = better_points(point_reel, window_points(points, size - n_cards, reels[rest, 4]))
            run_reel = better_points(run_reel, window_points(points + HAS_RUN, size - n_cards, reels[rest, 4]))
            for holes in range(size - n_cards, 3):
                pure = window_size(n_cards, size, reels[rest, 0])
                reels[lane, 1 + holes] = better_size(reels[lane, 1 + holes] & SIZE_FULL, pure) | PURE_FITS
        reels[lane, 0] = size_reel
        reels[lane, 4] = point_reel
        reels[lane, 5] = run_reel


def _reels() -> Ints:
    table = np.zeros(((LANE + 1) * N_COLUMNS + 7,), np.int64)
    start = (-table.ctypes.data // 8) % 8  # so that each line begins where a line of the cache does
    table = table[start : start + (LANE + 1) * N_COLUMNS].reshape(LANE + 1, N_COLUMNS)
    _fill_reels(WINDOWS, table)
    return table


@kernel
def _fill_levers(reels: Ints, levers: npt.NDArray[np.int16]) -> None:
    """Write, for each lane and size, the ranks whose card, once it comes or goes, changes the size reel there."""
    for lane in range(LANE + 1):
        for rank in range(13):
            changed = reels[lane, SIZE_REEL] ^ reels[lane ^ (1 << rank), SIZE_REEL]
            for size in range(3, 14):
                if field_size(changed, size):
                    levers[lane, size] |= 1 << rank


def _levers() -> npt.NDArray[np.int16]:
    table = np.zeros((LANE + 1, N_SIZES), np.int16)
    _fill_levers(REELS, table)
    return table


REELS = _reels()
LEVERS = _levers()


def _reader(table: npt.NDArray[Any], symbol: str) -> Any:
    """Return ``read(line, column)`` for kernels: an entry of *table*, unsigned.

    A kernel keeps a copy of every array it names, on disk too; 400 KB in each of a hundred kernels is too much. So the
    table is given a name for the linker, and kernels read it in place.
    """
    binding.add_symbol(symbol, table.ctypes.data)
    number, int64 = ir.IntType(8 * table.itemsize), ir.IntType(64)
    kind = ir.ArrayType(ir.ArrayType(number, table.shape[1]), table.shape[0])

    def _read(typingctx: Any, line: Any, column: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = builder.module.globals.get(symbol) or ir.GlobalVariable(builder.module, kind, symbol)
            entry = builder.load(builder.gep(place, [int64(0), args[0], args[1]]))
            return entry if number == int64 else builder.zext(entry, int64)

        return types.int64(types.int64, types.int64), codegen

    return intrinsic(_read)


reel = _reader(REELS, "rummylab_indian_reels")
"""``reel(lane, column)``: an entry of the table of reels."""
levers = _reader(LEVERS, "rummylab_indian_levers")
"""``levers(lane, size)``: the ranks whose card, once it comes or goes, changes what windows of *size* places hold."""


@helper
def field_points(reel: int, substitutes: int) -> int:
    """Return the entry of a point reel for *substitutes* (0..6)."""
    return (reel >> (9 * substitutes)) & 255


@helper
def rises(reel: int, budget: int) -> int:
    """Return the fields for 3 to *budget* - 3 places in which a size reel holds more than with a place less."""
    changed = reel ^ (reel << 5)
    changed |= changed >> 1
    return (changed | changed >> 2) & SIZE_ONES & ((1 << max(5 * budget - 25, 0)) - 1)


@helper
def join_size(a: int, b: int, budget: int) -> int:
    """Return the size reel of two suits together, right up to *budget* places.

    Only the fields in which *a* rises count: between them *b* makes more of a place. So it is faster with the reel of
    fewer cards first.
    """
    best = better_size(a, b)
    steps = rises(a, budget)
    while steps:
        at = lowest(steps)
        steps &= steps - 1
        n_cards = (a >> at) & 15
        cut = at + 15
        best = better_size(best, n_cards * ((SIZE_ONES << cut) & SIZE_FULL) + ((b << cut) & SIZE_FULL))
    return best


@helper
def join_pure(pure: int, other: int, budget: int) -> int:
    """Return the pure size reel of two suits together; the first holds the pure run."""
    if pure == 0:
        return 0
    reel = pure & SIZE_FULL
    best = reel
    for size in range(3, budget - 2):
        cut = 5 * size
        n_cards = (other >> (cut - 15)) & 15
        best = better_size(best, n_cards * ((SIZE_ONES << cut) & SIZE_FULL) + ((reel << cut) & SIZE_FULL))
    return best | PURE_FITS


@helper
def better_pure(a: int, b: int) -> int:
    """Return the greater of two pure size reels; 0 means "no pure run possible"."""
    return better_size(a & SIZE_FULL, b & SIZE_FULL) | ((a | b) & PURE_FITS)


@helper
def most_kept(a: int, b: int, budget: int) -> int:
    """Return how many cards runs of *budget* places can hold, given the size reels of two parts of the hand.

    As `join_size`, it is faster with the reel of fewer cards first.
    """
    best = max(field_size(a, budget), field_size(b, budget))
    steps = rises(a, budget)
    while steps:
        at = lowest(steps)
        steps &= steps - 1
        best = max(best, ((a >> at) & 15) + ((b >> (5 * budget - 30 - at)) & 15))
    return best


@helper
def paired_ranks(once: int) -> int:
    """Return the ranks held in two suits or more, as a lane."""
    c, h, s, d = once & LANE, (once >> 16) & LANE, (once >> 32) & LANE, (once >> 48) & LANE
    return (c & h) | ((c | h) & (s | d)) | (s & d)


@helper
def split_wilds(once: int, twice: int, jokers: int, wild: int) -> tuple[int, int, int, int]:
    """Return the planes without wild cards, the wild kinds held, and the number of jokers of both sorts."""
    column = EACH_SUIT << wild
    wilds = once & column
    return once & ~column, twice & ~column, wilds, jokers + popcount(wilds) + popcount(twice & column)


@helper
def next_group(cards: int, choice: int, ranks: int) -> int:
    """Return the group to try after *choice* (start with 0, "no group"), or -1.

    A choice is (rank + 1) << 8 | suits << 4 | places. Two cards with a place free, three, or four: a lone card
    does as well in a run, and a place more is worth no less in a run.
    """
    rank = (choice >> 8) - 1
    suits = (choice >> 4) & 15
    held = suits_of(cards, rank) if rank >= 0 else 0
    while True:
        if suits == 0:
            ranks &= -1 << (rank + 1)
            if ranks == 0:
                return -1
            rank = lowest(ranks)
            held = suits_of(cards, rank)
            suits = held
        else:
            suits = (suits - 1) & held
        n_cards = popcount(suits)
        if n_cards >= 2:
            return (rank + 1) << 8 | suits << 4 | max(n_cards, GROUP)


@helper
def later_ranks(once: int, twice: int, choice: int) -> int:
    """Return the ranks of a second group beside *choice*, whose cards *once* is without: none if that is no group."""
    return paired_ranks(once) & (-1 << ((choice >> 8) - (twice != 0))) if choice > 0 else np.int64(0)


MOST_GROUPS = 64  # more than fourteen cards have: three ranks of four suits and a pair have 60, all sizes counted


@helper
def list_groups(once: int, all_sizes: bool, out: Ints) -> tuple[int, int]:
    """Write "no group" and the choices of `next_group` to *out*; return the last place of the plain ones, and of all.

    For outs the plain choices are not enough: *all_sizes* adds the groups that a card joins to make four out of three,
    and then those it makes of a lone card.
    """
    out[0] = 0
    n = 0
    ranks = paired_ranks(once)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        held = suits_of(once, rank)
        suits = held
        while suits:
            n_cards = popcount(suits)
            if n_cards >= 2:
                n += 1
                out[n] = (rank + 1) << 8 | suits << 4 | max(n_cards, GROUP)
            suits = (suits - 1) & held
    n_plain = n
    if all_sizes:
        for i in range(1, n_plain + 1):  # three cards and a place free
            if popcount((out[i] >> 4) & 15) == 3:
                n += 1
                out[n] = out[i] + 1
        lone = once
        while lone:
            card = lowest(lone)
            lone &= lone - 1
            n += 1
            out[n] = ((card & 15) + 1) << 8 | 16 << (card >> 4) | GROUP
    return n_plain, n


@helper
def without_group(once: int, twice: int, choice: int) -> tuple[int, int]:
    """Return the planes without the cards of a group."""
    if choice == 0:
        return once, twice
    return take_away(once, twice, cards_of_rank((choice >> 4) & 15, (choice >> 8) - 1))


@helper
def size_reel_with_doubles(lane: int, doubles: int) -> int:
    """Return the size reel of a lane of two decks.

    No place is held more than twice to any use, so the windows fall into two layers, each without overlap.
    Thirteen places are at most four windows: one layer has at most two, and each of them holds a double
    (it could change layers otherwise). The other layer is a look-up.
    """
    best = reel(lane, SIZE_REEL)
    for i in range(N_WINDOWS):
        first = WINDOWS[i]
        if first & doubles == 0:
            continue
        rest = (lane & ~first) | doubles
        inner = reel(rest, SIZE_REEL)
        left = doubles & ~first
        if left:  # a second window in this layer pays only with a second double
            for k in range(i + 1, N_WINDOWS):
                second = WINDOWS[k]
                if second & left != 0 and second & first & LANE == 0:
                    under = (rest & ~second) | doubles
                    inner = better_size(
                        inner, window_size(popcount(second & rest), second >> 16, reel(under, SIZE_REEL))
                    )
        best = better_size(best, window_size(popcount(first & lane), first >> 16, inner))
    return best


@helper
def size_reel(lane: int, doubles: int) -> int:
    """Return the size reel of a lane: most cards that windows of 3..13 places in all can hold."""
    if doubles == 0:
        return reel(lane, SIZE_REEL)
    return size_reel_with_doubles(lane, doubles)


@helper
def pure_reel(lane: int, doubles: int, has_wild: int, wild: int, holes: int, live: int) -> int:
    """Return the pure size reel of a lane: as `size_reel`, one window a run with at most *holes* (0..3) missing.

    A wild card of the suit stands for itself in that window (rules, row 5), but is not counted: it is a joker
    that is kept in any case. What is missing must be in the lane *live*. 0 if no window fits.
    """
    best = 0
    own = lane | has_wild << wild
    if doubles == 0 and live == LANE and holes < 3:
        best = reel(lane, PURE_0 + holes)
        if has_wild == 0:
            return best
        for i in range(12):  # what the wild card adds
            window = WINDOWS_AT[wild, i]
            size = window >> 16
            if size - popcount(window & own) <= holes and size:
                rest = reel(lane & ~window, SIZE_REEL)
                best = better_pure(best, window_size(popcount(window & lane), size, rest) | PURE_FITS)
        return best
    for i in range(N_WINDOWS):
        window = WINDOWS[i]
        missing = window & LANE & ~own
        if popcount(missing) <= holes and missing & ~live == 0:
            rest = size_reel((lane & ~window) | (doubles & window), doubles & ~window)
            best = better_pure(best, window_size(popcount(window & lane), window >> 16, rest) | PURE_FITS)
    return best


@helper
def point_reel(lane: int, doubles: int) -> int:
    """Return the point reel of a lane: most points that runs with at most 0..6 substitutes cover.

    With doubles, for at most ten cards: three runs, so one layer (see `size_reel_with_doubles`) is one run.
    """
    return _covered(lane, doubles, POINT_REEL, 0)


@helper
def run_reel(lane: int, doubles: int) -> int:
    """Return the point reel of a lane with at least one run in it: `HAS_RUN` + points, 0 where impossible."""
    return _covered(lane, doubles, RUN_REEL, HAS_RUN)


@helper
def _covered(lane: int, doubles: int, column: int, more: int) -> int:
    best = reel(lane, column)
    if doubles:
        for i in range(N_WINDOWS):
            window = WINDOWS[i]
            if window & doubles:
                held = window & lane
                under = reel((lane & ~held) | doubles, POINT_REEL)
                points = card_points(held) + more
                best = better_points(best, window_points(points, (window >> 16) - popcount(held), under))
    return best


@helper
def join_points(a: int, b: int, substitutes: int, least: int) -> int:
    """Return the point reel of two suits together, right up to *substitutes*; the first covers *least* points.

    With `HAS_RUN` as the least, the first must have its run.
    """
    best = 0
    for j in range(substitutes + 1):
        cut = 9 * j
        points = (a >> cut) & 255
        if points >= least:
            best = better_points(best, points * ((POINT_ONES << cut) & POINT_FULL) + ((b << cut) & POINT_FULL))
    return best
