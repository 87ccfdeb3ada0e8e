"""Contract rummy: the position, what each seat sees, the legal moves, a step, the score.

Play, batches, search and training all use this one implementation. The numbers are those of the rules page
(``docs/games/contract.md``). A position is one flat record in three parts: ``table`` is what everybody sees,
``mine[seat]`` what only that seat knows, and the rest (the stock's order, the seed of a reshuffle) what nobody knows.

Cards lie in planes, as in every game with two decks (:mod:`rummylab.engine.two_decks`).

The phase reveals nothing about a hand: a player who could lay down or lay off but does not want to simply discards.
Only a laydown that has begun is a phase of its own, until the contract is complete. A meld is laid down with up to four
cards at once; a larger one is ``short`` of some, which follow one by one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, always_inline, bit, lowest, noinline, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import holds, minus, n_in, plus
from rummylab.cards.rng import Root, reshuffle_seed, shuffle_first, swap_cards
from rummylab.engine.drivers import random_seat, table_kernels
from rummylab.engine.kernel_records import clearing, options_record, records_of
from rummylab.engine.two_decks import (
    FROM_STOCK,
    HIDDEN,
    MAX_CARDS,
    MINE,
    clear_mine,
    empty_pile,
    kinds,
    lay_open,
    shuffle_into,
    take_open,
    take_up,
    unplaced,
)
from rummylab.games.contract.melds import (
    AT_ONCE,
    N_PATTERNS,
    N_RUNS,
    N_SETS,
    N_WILD_SETS,
    NO_CARDS,
    TENS,
    TOP,
    Allowed,
    Needs,
    Supply,
    are_apart,
    can_complete,
    cards_on,
    fewest_wilds,
    is_separate,
    on_places,
    pattern_cards,
    run_naturals,
    set_naturals,
    wild_cards,
)
from rummylab.games.contract.options import MAX_MELDS, MAX_ROUNDS, MAX_SEATS, ContractOptions

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

ON_TABLE = MAX_SEATS * MAX_MELDS

_BY_ROUND = f"({MAX_ROUNDS},)i2"
OPTIONS = options_record(
    ContractOptions,
    wild_kinds="i8",  # cards that are wild, jokers as bit 62
    set_sizes=f"({MAX_ROUNDS},)i4",  # of the contract, packed: four bits each, the largest lowest
    run_sizes=f"({MAX_ROUNDS},)i4",
    sets=_BY_ROUND,  # how many the contract asks for
    runs=_BY_ROUND,
    hand_size=_BY_ROUND,
    buys=_BY_ROUND,  # discards that a player may buy
    n_contracts="i2",
    larger_sets="i2",
    discard_only="i2",
    all_non_hand="i2",
)

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # kinds in the discard pile
        ("pile_twice", "i8"),
        ("known", "i8", (MAX_SEATS,)),  # kinds a seat is known to hold: taken from the pile and still there
        ("known_twice", "i8", (MAX_SEATS,)),
        ("picked", "i8", (MAX_SEATS,)),  # kinds a seat has taken from the pile, jokers as bit 62
        ("refused", "i8", (MAX_SEATS,)),  # kinds it declined by drawing from the stock or passing, with bit 62
        ("thrown", "i8", (MAX_SEATS,)),  # kinds it has discarded, with bit 62
        ("melds", "i8", (ON_TABLE,)),  # kinds in each meld on the table, in the order they were laid; jokers beside it
        ("melds_twice", "i8", (ON_TABLE,)),
        ("scores", "i4", (MAX_SEATS,)),  # of the match: what the others were caught with, so high is good
        ("hand_no", "i4"),  # rounds finished
        ("paid", "i2", (MAX_SEATS,)),  # what each seat was caught with in this round
        ("turn", "i2"),  # completed turns of this round
        ("points", "i2"),  # what all losers of the round were caught with
        ("stack", "i1", (MAX_CARDS,)),  # the discard pile bottom to top, then -1
        ("n_pile", "i1"),
        ("pile_jokers", "i1"),
        ("known_jokers", "i1", (MAX_SEATS,)),
        ("n_hand", "i1", (MAX_SEATS,)),  # cards in each hand
        ("sets_left", "i1", (MAX_SEATS,)),  # sets of the contract that a seat has not laid down
        ("runs_left", "i1", (MAX_SEATS,)),
        ("buys", "i1", (MAX_SEATS,)),  # discards bought in this round
        ("n_melds", "i1"),
        ("meld_jokers", "i1", (ON_TABLE,)),
        ("meld_kind", "i1", (ON_TABLE,)),  # 0: no meld, 1: set, 2: run
        ("meld_of", "i1", (ON_TABLE,)),  # rank of a set, suit of a run
        ("meld_low", "i1", (ON_TABLE,)),  # lowest place of a run: 0 is the ace, 13 the ace above the king
        ("meld_high", "i1", (ON_TABLE,)),
        ("owner", "i1", (ON_TABLE,)),  # who laid the meld down
        ("short", "i1"),  # cards that the last meld still lacks during its laydown
        ("stock", "i1"),  # cards left
        ("reshuffles", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the round is over
        ("starter", "i1"),
        ("drawer", "i1"),  # in the phase buy, whose turn it is; else -1
        ("up", "i1"),  # top of the discard pile, -1 while there is none
        ("thrower", "i1"),  # who discarded it, -1: it was turned up, or lay below a card that was taken
        ("turned_up", "i1"),  # card turned up after a reshuffle by the last move, else -1
        ("last_draw", "i1", (MAX_SEATS,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (MAX_SEATS,)),
        ("outcome", "i1"),
        ("winner", "i1"),
        ("freed", "i1"),  # wild that a natural has replaced in this move and that must be laid off at once, else -1
    ],
    align=True,
)
"""What everybody sees."""

RECORD, VIEW, ACT, ACT_POINTER = records_of(TABLE, MINE, MAX_SEATS, HIDDEN)

DRAW, BUY, PLAY, LAY_DOWN, OVER = range(5)
PHASES = ("draw", "buy", "play", "lay down", "over")
NO_OUTCOME, DISCARDED, LAID_OFF, VOID = range(4)
OUTCOMES = ("none", "out by discard", "out by lay-off", "void")
NO_MELD, SET, RUN = range(3)

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, DRAW_PILE, BUY_UPCARD, PASS = range(4)
DISCARD_CODE, LAY_OFF_CODE = 64, 128
LAY_OFF_LOW_CODE = LAY_OFF_CODE + 64 * ON_TABLE
SET_CODE = LAY_OFF_LOW_CODE + 64 * ON_TABLE
RUN_CODE = SET_CODE + N_SETS * N_WILD_SETS
REPLACE_CODE = RUN_CODE + N_RUNS * N_WILD_SETS
N_CODES = REPLACE_CODE + 64 * ON_TABLE
MAX_LEGAL = 4096


# --- Questions about a table --------------------------------------------------------------------------------------


@helper
def is_wild(rules: np.void, card: int) -> bool:
    """Return whether *card* is a joker or a wild two (1)."""
    return rules.wild_kinds >> np.int64(card) & 1 != 0


@helper
def n_wilds(rules: np.void, hand: int, twice: int, jokers: int) -> int:
    """Return how many wilds a hand has."""
    return popcount(hand & rules.wild_kinds) + popcount(twice & rules.wild_kinds) + jokers


@helper
def round_of(table: np.void) -> int:
    """Return the place of this round's contract in the list; after the last one the list starts over."""
    number, n = np.int64(table.hand_no), np.int64(table.rules.n_contracts)
    return number if number < n else number % n  # to divide at every decision would cost a tenth of a round


@helper
def has_laid_down(table: np.void, seat: int) -> bool:
    """Return whether *seat* has laid down every meld of the contract, the last one perhaps not in full yet."""
    return table.sets_left[seat] == 0 and table.runs_left[seat] == 0


@helper
def can_draw_stock(table: np.void) -> bool:
    """Return whether the stock has a card, or a new stock can be made (7)."""
    return table.stock > 0 or table.n_pile > 1 or table.rules.all_non_hand != 0


@helper
def can_buy(table: np.void, seat: int) -> bool:
    """Return whether *seat*, whose turn it is not, may buy the upcard (14): it was declined and is not their own."""
    if seat == table.thrower or has_laid_down(table, seat) or table.stock == 0 or table.up < 0:
        return False
    return table.buys[seat] < table.rules.buys[round_of(table)]


@helper
def keeps_last(table: np.void, seat: int) -> bool:
    """Return whether the actor may not discard: it is the last card in the last round (15)."""
    rules = table.rules
    if rules.final_discard or table.n_hand[seat] != 1 or table.freed >= 0:
        return False
    return round_of(table) == rules.n_contracts - 1 and has_laid_down(table, seat)


@helper
def discards(table: np.void, mine: np.void) -> int:
    """Return the kinds the actor may discard (3); none if the last card must be kept or a wild be used at once."""
    if table.freed >= 0:
        return np.int64(0)
    cards = kinds(mine)
    if table.rules.discard_drawn and table.rules.final_discard:
        return cards
    if keeps_last(table, mine.seat):
        return np.int64(0)
    others = cards if table.rules.discard_drawn else cards & ~bit(mine.drawn)
    return others if others else cards


@helper
def cost(rules: np.void, hand: int, twice: int, jokers: int) -> int:
    """Return what a hand costs the player who is caught with it (9)."""
    total = _cost(rules, hand) + rules.wild_points * np.int64(jokers)
    return total + _cost(rules, twice) if twice else total


_ACES, _TENS, _COURT = EACH_SUIT, EACH_SUIT << 9, 0b1_1100_0000_0000 * EACH_SUIT


@helper
def _cost(rules: np.void, cards: int) -> int:
    naturals = cards & ~rules.wild_kinds
    n_high = popcount(naturals & TENS)
    total = rules.wild_points * popcount(cards & rules.wild_kinds)
    if rules.face_value:
        for rank in range(1, 10):
            total += (rank + 1) * popcount(naturals & np.int64(EACH_SUIT) << rank)
    else:
        total += rules.low_points * (popcount(naturals) - n_high) + rules.ten_points * popcount(naturals & _TENS)
    return total + rules.high_points * popcount(naturals & _COURT) + rules.ace_points * popcount(naturals & _ACES)


@helper
def unseen(table: np.void, mine: np.void) -> tuple[int, int, int]:
    """Return the cards a seat has not seen, as planes and number of jokers: what can still come.

    They are in the stock or hidden in other hands: not in the player's own hand, the pile or a meld, and not taken from
    the pile by another seat and kept.
    """
    once, twice, jokers = unplaced(table, mine, np.int64(table.rules.jokers) * table.rules.decks)
    for k in range(table.n_melds):
        once, twice = minus(once, twice, table.melds[k], table.melds_twice[k])
        jokers -= table.meld_jokers[k]
    return once, twice, jokers


@helper
def takes(table: np.void, meld: int, card: int) -> bool:
    """Return whether *card* can be laid off on meld number *meld* from 0 (5, 13)."""
    kind = table.meld_kind[meld]
    wild = is_wild(table.rules, card)
    if kind == SET:
        return wild or (card & 15) == table.meld_of[meld]
    if kind != RUN:
        return False
    low, high = table.meld_low[meld], table.meld_high[meld]
    if wild:
        return low > 0 or high < TOP
    if card >> 4 != table.meld_of[meld]:
        return False
    rank = card & 15
    return rank == low - 1 or rank == high + 1 or (rank == 0 and high == TOP - 1)


@helper
def takes_below(table: np.void, meld: int, card: int) -> bool:
    """Return whether *card* is a wild that can lengthen a run below although there is room above (13)."""
    if table.meld_kind[meld] != RUN or not is_wild(table.rules, card):
        return False
    return table.meld_low[meld] > 0 and table.meld_high[meld] < TOP


@helper
def is_above(table: np.void, meld: int, card: int) -> bool:
    """Return whether *card*, laid off on a run, lies above it: a wild does, unless the ace lies on top."""
    high = table.meld_high[meld]
    if is_wild(table.rules, card):
        return high < TOP
    rank = card & 15
    return rank == high + 1 or (rank == 0 and high == TOP - 1)


@helper
def place_for(table: np.void, card: int) -> int:
    """Return the first meld that takes *card*, or -1."""
    for meld in range(table.n_melds):
        if takes(table, meld, card):
            return meld
    return np.int64(-1)


@helper
def naturals_for(table: np.void, meld: int) -> int:
    """Return the cards that meld number *meld* takes by their nature."""
    of = np.int64(table.meld_of[meld])
    if table.meld_kind[meld] == SET:
        return np.int64(EACH_SUIT) << of
    low, high = np.int64(table.meld_low[meld]), np.int64(table.meld_high[meld])
    return cards_on((bit(low - 1) if low > 0 else 0) | (bit(high + 1) if high < TOP else 0), of)


@helper
def welcome(table: np.void, owner: int) -> int:
    """Return the natural cards that the melds of *owner* take."""
    cards = np.int64(0)
    for k in range(table.n_melds):
        if table.owner[k] == owner:
            cards |= naturals_for(table, k)
    return cards & ~table.rules.wild_kinds


@helper
def can_lay_off(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether the actor may lay *card* off if a meld takes it: after laying down (5), maybe not the last (6).

    A wild that was just replaced comes first (18).
    """
    if not has_laid_down(table, mine.seat) or not kinds(mine) & bit(card):
        return False
    if table.freed >= 0 and card != table.freed:
        return False
    return table.rules.discard_only == 0 or table.n_hand[mine.seat] > 1


# --- Wild replacement ---------------------------------------------------------------------------------------------


@helper
def replaceable(table: np.void, meld: int) -> int:
    """Return the naturals that can take the place of a wild in meld number *meld* from 0 (18).

    A run from the low to the high ace has one place for each of them; its aces are not told apart and stay.
    """
    wild_kinds, of = table.rules.wild_kinds, np.int64(table.meld_of[meld])
    cards, twice = table.melds[meld], table.melds_twice[meld]
    if n_wilds(table.rules, cards, twice, np.int64(table.meld_jokers[meld])) == 0:
        return np.int64(0)
    if table.meld_kind[meld] == SET:
        return np.int64(EACH_SUIT) << of
    places = wild_places(cards & ~wild_kinds, of, np.int64(table.meld_low[meld]), np.int64(table.meld_high[meld]))
    return cards_on(places, of) & ~wild_kinds


@helper
def wild_of(table: np.void, meld: int) -> int:
    """Return the wild that leaves a meld first: a joker, else a two, the suits in their order (18)."""
    if table.meld_jokers[meld]:
        return np.int64(JOKER_ID)
    return lowest(table.melds[meld] & table.rules.wild_kinds)


@helper
def can_replace(table: np.void, mine: np.void, meld: int, card: int) -> bool:
    """Return whether the actor may put *card* in a wild's place (18): after laying down, if a meld takes the wild."""
    noinline()
    if not table.rules.wild_replacement or table.phase != PLAY or table.freed >= 0 or meld >= table.n_melds:
        return False
    if not can_lay_off(table, mine, card) or is_wild(table.rules, card) or not replaceable(table, meld) & bit(card):
        return False
    return place_for(table, wild_of(table, meld)) >= 0


# --- Lay down -----------------------------------------------------------------------------------------------------


@helper
def sets_of(table: np.void, seat: int) -> int:
    """Return the packed sizes of the sets that *seat* has not laid down, the largest lowest."""
    number = round_of(table)
    laid = np.int64(table.rules.sets[number]) - table.sets_left[seat]
    return np.int64(table.rules.set_sizes[number]) >> 4 * laid


@helper
def runs_of(table: np.void, seat: int) -> int:
    """Return the packed sizes of the runs that *seat* has not laid down, the largest lowest."""
    number = round_of(table)
    laid = np.int64(table.rules.runs[number]) - table.runs_left[seat]
    return np.int64(table.rules.run_sizes[number]) >> 4 * laid


@helper
def total_of(sizes: int) -> int:
    """Return the sum of packed sizes."""
    total = np.int64(0)
    while sizes:
        total += sizes & 15
        sizes >>= 4
    return total


@helper
def barred_ranks(table: np.void, seat: int) -> int:
    """Return the ranks of the sets that *seat* has laid down, where two may not have the same (4)."""
    ranks = np.int64(0)
    if not table.rules.same_rank:
        for k in range(table.n_melds):
            if table.owner[k] == seat and table.meld_kind[k] == SET:
                ranks |= bit(table.meld_of[k])
    return ranks


@helper
def run_ends(table: np.void, seat: int, n: int) -> tuple[int, int]:
    """Return where the runs of *seat* among the first *n* melds start and stop, each suit in its lane."""
    starts, stops = np.int64(0), np.int64(0)
    if not table.rules.joined_runs:
        for k in range(n):
            if table.owner[k] == seat and table.meld_kind[k] == RUN:
                lane = 16 * table.meld_of[k]
                starts |= bit(lane + table.meld_low[k])
                stops |= bit(lane + table.meld_high[k])
    return starts, stops


@helper
def supply_of(rules: np.void, mine: np.void) -> Supply:
    """Return the natural cards of a hand and its number of wilds."""
    naturals = ~rules.wild_kinds
    return Supply(mine.hand & naturals, mine.twice & naturals, n_wilds(rules, mine.hand, mine.twice, mine.jokers))


@helper
def can_finish(table: np.void, supply: Supply, needs: Needs) -> bool:
    """Return whether all melds of *needs* can be laid down from *supply*."""
    rules = table.rules
    if needs.runs == 0:
        once, twice, wilds = supply
        return fewest_wilds(once, twice, needs.sets, rules.same_rank != 0, needs.barred) <= wilds
    allowed = Allowed(rules.same_rank != 0, rules.wild_neighbors != 0, rules.joined_runs != 0)
    return can_complete(supply, needs, np.int64(0), allowed)


@helper
def can_lay_down(table: np.void, mine: np.void) -> bool:
    """Return whether the actor can begin a laydown, or continue it with another meld."""
    always_inline()
    seat, rules = np.int64(mine.seat), table.rules
    if table.runs_left[seat]:
        return _can_lay_down_runs(table, mine)
    if table.sets_left[seat] == 0:
        return False
    once, twice, wilds = supply_of(rules, mine)
    return fewest_wilds(once, twice, sets_of(table, seat), rules.same_rank != 0, barred_ranks(table, seat)) <= wilds


@helper
def _can_lay_down_runs(table: np.void, mine: np.void) -> bool:
    """Return whether the actor can lay down a contract with runs; apart, so that contracts without stay quick."""
    noinline()
    seat = np.int64(mine.seat)
    starts, stops = run_ends(table, seat, np.int64(table.n_melds))
    needs = Needs(sets_of(table, seat), runs_of(table, seat), barred_ranks(table, seat), starts, stops)
    return can_finish(table, supply_of(table.rules, mine), needs)


@helper
def can_grow_set(
    table: np.void, seat: int, supply: Supply, sets: int, runs: int, rank: int, laid: int, short: int, size: int, n: int
) -> bool:
    """Return whether a set of *rank* with *laid* wilds, *short* of some cards, grows to *size* and the rest follows.

    *supply* is left in the hand; *sets* and *runs* are the sizes of the melds after it, *n* the melds on the table
    before it.
    """
    starts, stops = run_ends(table, seat, n if runs else np.int64(0))
    barred = barred_ranks(table, seat)
    if not table.rules.same_rank:
        barred |= bit(rank)
    needs = Needs(sets, runs, barred, starts, stops)
    if short == 0:
        return can_finish(table, supply, needs)
    return _can_grow_slowly(table, supply, needs, rank, laid, short, size)


@helper
def _can_grow_slowly(table: np.void, supply: Supply, needs: Needs, rank: int, laid: int, short: int, size: int) -> bool:
    """Return whether some naturals of *rank* and wilds make up for what a set is short of, and the rest follows."""
    noinline()
    once, twice, wilds = supply
    for pattern in range(N_PATTERNS):
        cards, double = pattern_cards(pattern, rank)
        spent = short - n_in(cards, double)
        if 0 <= spent <= wilds and laid + spent <= size >> 1 and holds(once, twice, cards, double):
            left, left_twice = minus(once, twice, cards, double)
            if can_finish(table, Supply(left, left_twice, wilds - spent), needs):
                return True
    return False


@helper
def can_grow_run(
    table: np.void,
    seat: int,
    supply: Supply,
    sets: int,
    runs: int,
    suit: int,
    low: int,
    high: int,
    laid: int,
    size: int,
    n: int,
) -> bool:
    """Return whether a run from *low* to *high*, with wilds on the places *laid*, grows to *size* and the rest follows.

    The other arguments are those of `can_grow_set`.
    """
    noinline()
    rules, barred = table.rules, barred_ranks(table, seat)
    once, twice, wilds = supply
    starts, stops = run_ends(table, seat, n)
    there = ((1 << (high - low + 1)) - 1) << low
    limit = min((size >> 1) - popcount(laid), wilds)
    for start in range(max(high + 1 - size, 0), min(low, TOP + 1 - size) + 1):
        lacking = (((1 << size) - 1) << start) & ~there
        free = on_places(once, suit) & lacking
        needed = lacking & ~free
        if popcount(needed) > limit or not (rules.joined_runs or is_separate(suit, start, size, starts, stops)):
            continue
        new_starts, new_stops = starts | bit(16 * suit + start), stops | bit(16 * suit + start + size - 1)
        needs = Needs(sets, runs, barred, new_starts, new_stops)
        more = np.int64(0)
        while True:
            wild = needed | more
            spent = popcount(wild)
            if spent <= limit and are_apart(wild | laid, rules.wild_neighbors != 0):
                left, left_twice = minus(once, twice, cards_on(lacking & ~wild, suit), np.int64(0))
                if can_finish(table, Supply(left, left_twice, wilds - spent), needs):
                    return True
            more = (more - free) & free if popcount(needed) < limit else np.int64(0)
            if more == 0:
                break
    return False


@helper
def meld_naturals(code: int) -> tuple[int, int]:
    """Return the planes of the natural cards of a meld by its code."""
    number = (code - SET_CODE) // N_WILD_SETS
    if number >= N_SETS:
        return run_naturals(number - N_SETS), np.int64(0)
    return set_naturals(number)


@helper
def meld_wilds(code: int) -> int:
    """Return the number of a meld's choice of wilds."""
    return (code - SET_CODE) % N_WILD_SETS


@helper
def run_span(code: int, size: int) -> tuple[int, int, int]:
    """Return suit, lowest and highest place of a run of *size* cards by its code.

    Wilds that fill no gap stand above it, below it only where the ace lies on top.
    """
    number = (code - RUN_CODE) // N_WILD_SETS
    high = min((number % 104 >> 3) + size - 1, TOP)
    return number // 104, high - size + 1, high


@helper
def wild_places(naturals: int, suit: int, low: int, high: int) -> int:
    """Return the places of a run on which wilds lie; it does not have both aces."""
    return ((1 << (high - low + 1)) - 1) << low & ~on_places(naturals, suit)


@helper
def can_meld(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor may lay down the meld *code* now: the rest of the contract must stay possible (4)."""
    noinline()
    seat, rules = np.int64(mine.seat), table.rules
    naturals, double = meld_naturals(code)
    twos, two_twice, jokers = wild_cards(meld_wilds(code))
    wild_kinds = rules.wild_kinds
    if naturals == NO_CARDS or naturals & wild_kinds or twos & ~wild_kinds or jokers > mine.jokers:
        return False
    if not holds(mine.hand, mine.twice, naturals | twos, double | two_twice):
        return False
    n_natural, n_wild = n_in(naturals, double), n_in(twos, two_twice) + jokers
    size = n_natural + n_wild
    sets, runs = sets_of(table, seat), runs_of(table, seat)
    is_run = code >= RUN_CODE
    asked = np.int64(runs & 15) if is_run else np.int64(sets & 15)
    if asked == 0 or n_natural < 2 or n_wild > max(size, asked) >> 1:
        return False
    sets, runs = (sets, runs >> 4) if is_run else (sets >> 4, runs)
    short = max(asked - size, np.int64(0))
    if table.n_hand[seat] - size - short < total_of(sets) + total_of(runs) + rules.discard_only:
        return False
    once, twice = minus(mine.hand & ~wild_kinds, mine.twice & ~wild_kinds, naturals, double)
    left = Supply(once, twice, n_wilds(rules, mine.hand, mine.twice, mine.jokers) - n_wild)
    n_melds = np.int64(table.n_melds)
    if is_run:
        above = (code - RUN_CODE) // N_WILD_SETS & 7
        if size < 3 or size > min(asked, AT_ONCE) or above >> (size - 1):
            return False
        suit, low, high = run_span(code, size)
        laid = wild_places(naturals, suit, low, high)
        if not are_apart(laid, rules.wild_neighbors != 0):
            return False
        return can_grow_run(table, seat, left, sets, runs, suit, low, high, laid, asked, n_melds)
    least, rank = min(asked, np.int64(AT_ONCE)), np.int64((code - SET_CODE) // N_WILD_SETS // N_PATTERNS)
    if size != least and not (size > least and rules.larger_sets):
        return False
    if barred_ranks(table, seat) >> rank & 1:
        return False
    return can_grow_set(table, seat, left, sets, runs, rank, n_wild, short, max(asked, size), n_melds)


@helper
def can_grow(table: np.void, mine: np.void, card: int, below: bool) -> bool:
    """Return whether the actor may add *card* to the meld that is being laid down; a wild perhaps *below* it."""
    noinline()
    seat, rules, meld = np.int64(mine.seat), table.rules, np.int64(table.n_melds) - 1
    fits = takes_below(table, meld, card) if below else takes(table, meld, card)
    if table.short == 0 or not kinds(mine) & bit(card) or not fits:
        return False
    wild_kinds, of, wild = rules.wild_kinds, np.int64(table.meld_of[meld]), is_wild(rules, card)
    once, twice, wilds = supply_of(rules, mine)
    if not wild:
        once, twice = minus(once, twice, bit(card), np.int64(0))
    left = Supply(once, twice, wilds - wild)
    on_table, on_table_twice = table.melds[meld], table.melds_twice[meld]
    laid = n_wilds(rules, on_table, on_table_twice, np.int64(table.meld_jokers[meld])) + wild
    size = n_in(on_table, on_table_twice) + table.meld_jokers[meld] + table.short
    sets, runs = sets_of(table, seat), runs_of(table, seat)
    if table.meld_kind[meld] == SET:
        short = np.int64(table.short) - 1
        return laid <= size >> 1 and can_grow_set(table, seat, left, sets, runs, of, laid, short, size, meld)
    low, high = np.int64(table.meld_low[meld]), np.int64(table.meld_high[meld])
    places = wild_places(on_table & ~wild_kinds, of, low, high)
    at = high + 1 if is_above(table, meld, card) and not below else low - 1
    if wild:
        places |= bit(at)
    if not are_apart(places, rules.wild_neighbors != 0):
        return False
    low, high = min(low, at), max(high, at)
    return can_grow_run(table, seat, left, sets, runs, of, low, high, places, size, meld)


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*."""
    always_inline()
    phase = table.phase
    if phase == DRAW:
        return (code == DRAW_PILE and table.up >= 0) or (code == DRAW_STOCK and can_draw_stock(table))
    if phase == BUY:
        return code == BUY_UPCARD or code == PASS
    if phase == OVER or code < PASS or code >= N_CODES:
        return False
    if code < LAY_OFF_CODE:
        if code == PASS:
            return phase == PLAY and keeps_last(table, mine.seat)
        return phase == PLAY and code >= DISCARD_CODE and discards(table, mine) >> (code - DISCARD_CODE) & 1 != 0
    if code >= REPLACE_CODE:
        return can_replace(table, mine, (code - REPLACE_CODE) >> 6, (code - REPLACE_CODE) & 63)
    if code >= SET_CODE:
        return table.short == 0 and not has_laid_down(table, mine.seat) and can_meld(table, mine, code)
    below = code >= LAY_OFF_LOW_CODE
    number = code - (LAY_OFF_LOW_CODE if below else LAY_OFF_CODE)
    return can_add(table, mine, number >> 6, number & 63, below)


@helper
def can_add(table: np.void, mine: np.void, meld: int, card: int, below: bool) -> bool:
    """Return whether the actor may lay *card* off on *meld*, or lay it down with the meld that still grows."""
    noinline()
    if meld >= table.n_melds:
        return False
    if table.phase == LAY_DOWN:
        return meld == table.n_melds - 1 and can_grow(table, mine, card, below)
    if not can_lay_off(table, mine, card):
        return False
    return takes_below(table, meld, card) if below else takes(table, meld, card)


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the actor's legal moves to *out* in ascending order and return how many there are."""
    noinline()
    n = 0
    if table.phase == DRAW or table.phase == BUY:
        for code in range(PASS + 1):
            if is_legal(table, mine, code):
                out[n] = code
                n += 1
        return n
    if table.phase == OVER:
        return n
    if table.phase == PLAY:
        if keeps_last(table, mine.seat):
            out[n] = PASS
            n += 1
        cards = discards(table, mine)
        while cards:
            out[n] = DISCARD_CODE + lowest(cards)
            cards &= cards - 1
            n += 1
    n = _legal_additions(table, mine, out, n)
    if table.rules.wild_replacement:
        n = _legal_replacements(table, mine, out, n)
    if table.short or not can_lay_down(table, mine):
        return n
    return _legal_melds(table, mine, out, n)


@helper
def _legal_additions(table: np.void, mine: np.void, out: Codes, n: int) -> int:
    """Append the layoffs, and the cards with which a meld of the laydown can grow."""
    for below in range(2):
        for meld in range(table.n_melds):
            cards = kinds(mine)
            while cards:
                card = lowest(cards)
                cards &= cards - 1
                if can_add(table, mine, meld, card, below == 1):
                    out[n] = (LAY_OFF_LOW_CODE if below else LAY_OFF_CODE) + 64 * meld + card
                    n += 1
    return n


@helper
def _legal_replacements(table: np.void, mine: np.void, out: Codes, n: int) -> int:
    """Append the naturals that can take the place of a wild. Only a seat that has laid down has any."""
    noinline()
    for meld in range(table.n_melds):
        cards = mine.hand & replaceable(table, meld)
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            if can_replace(table, mine, meld, card):
                out[n] = REPLACE_CODE + 64 * meld + card
                n += 1
    return n


@helper
def _legal_melds(table: np.void, mine: np.void, out: Codes, n: int) -> int:
    """Append the melds that can be laid down."""
    for number in range(N_SETS + N_RUNS):
        code = SET_CODE + number * N_WILD_SETS
        naturals, double = meld_naturals(code)
        if naturals > 0 and holds(mine.hand, mine.twice, naturals, double):
            for wilds in range(N_WILD_SETS):
                if can_meld(table, mine, code + wilds):
                    out[n] = code + wilds
                    n += 1
    return n


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def n_cards(rules: np.void) -> int:
    """Return how many cards are in play."""
    return np.int64(rules.decks) * (52 + rules.jokers)


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Shuffle a fresh deck into ``row.deck``."""
    rules = row.table.rules
    shuffle_into(row, rules.decks, rules.decks * rules.jokers, seed)


@helper
def next_seat(table: np.void, seat: int) -> int:
    """Return who sits next in the order of play."""
    return np.int64(0) if seat + 1 == table.rules.seats else np.int64(seat) + 1


clear_round = clearing(
    TABLE,
    ("rules", "scores", "hand_no", "starter"),
    ("stack", "drawer", "turned_up", "last_draw", "last_discard", "winner", "freed"),
)
_FIELDS = set(TABLE.names or ())
clear_match = clearing(TABLE, _FIELDS - {"scores", "hand_no"})
_OF_MELDS = {"melds", "melds_twice", "meld_jokers", "meld_kind", "meld_of", "meld_low", "meld_high", "owner"}
clear_melds = clearing(TABLE, _FIELDS - _OF_MELDS - {"n_melds", "short"})


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck`` one card at a time, ``table.starter`` (beside the dealer) first; turn up the next (2)."""
    table = row.table
    number = round_of(table)
    _clear(row)
    row.rng = 0
    dealt = np.int64(table.rules.seats) * table.rules.hand_size[number]
    seat = np.int64(table.starter)
    for i in range(dealt):
        _take_up(row, seat, row.deck[i])
        seat = next_seat(table, seat)
    # Where the first upcard must not be wild, it changes places with the next natural card (2).
    other = dealt
    while is_wild(table.rules, row.deck[other]) and not table.rules.wild_upcard:
        other += 1
    swap_cards(row, dealt, other)
    _lay_open(table, row.deck[dealt])
    row.pos = dealt + 1
    table.stock = n_cards(table.rules) - dealt - 1
    table.phase = DRAW
    table.actor = table.starter


@helper
def _clear(row: np.void) -> None:
    """Take all cards and notes of an earlier round off the table."""
    clear_round(row.table)
    for seat in range(row.table.rules.seats):
        clear_mine(row.mine[seat])
        row.mine[seat].seat = seat
    _ask_for_contract(row.table)


@helper
def _ask_for_contract(table: np.void) -> None:
    """Note that nobody has laid down."""
    number = round_of(table)
    for seat in range(table.rules.seats):
        table.sets_left[seat] = table.rules.sets[number]
        table.runs_left[seat] = table.rules.runs[number]


@helper
def open_match(row: np.void, starter: int) -> None:
    """Clear the scores and seat the first starter."""
    clear_match(row.table)
    row.table.starter = starter


@helper
def first_starter(table: np.void, root: Root, deal: int) -> int:
    """Return who starts the first round: drawn at random, or seat 0 where the options say so."""
    return random_seat(root, deal, table.rules.seats) if table.rules.random_starter else np.int64(0)


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next round: the deal goes round (2)."""
    return next_seat(table, table.starter)


@helper
def penalty(table: np.void, seat: int) -> int:
    """Return the penalty points of *seat* in the match: a score is what all others were caught with."""
    total = np.int64(0)
    for other in range(table.rules.seats):
        total += table.scores[other]
    return total // (table.rules.seats - 1) - table.scores[seat]


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether all rounds of the match are played, or somebody has reached the target (10)."""
    rules = table.rules
    if rules.rounds > 0 and table.hand_no >= rules.rounds:
        return True
    if rules.target > 0:
        for seat in range(rules.seats):
            if penalty(table, seat) >= rules.target:
                return True
    return False


# --- Moving cards -------------------------------------------------------------------------------------------------


@helper
def _take_up(row: np.void, seat: int, card: int) -> None:
    """Put *card* into a hand."""
    take_up(row.mine[seat], card)
    row.table.n_hand[seat] += 1


@helper
def _give_up(row: np.void, seat: int, cards: int, double: int, jokers: int) -> None:
    """Take *cards* and *jokers* out of a hand, for everybody to see.

    Nobody can tell which of two copies it was: a known one goes first.
    """
    table, mine = row.table, row.mine[seat]
    mine.hand, mine.twice = minus(mine.hand, mine.twice, cards, double)
    mine.jokers -= jokers
    table.n_hand[seat] -= n_in(cards, double) + jokers
    once, twice = table.known[seat], table.known_twice[seat]
    table.known[seat], table.known_twice[seat] = minus(once, twice, once & cards, twice & double)
    table.known_jokers[seat] = max(table.known_jokers[seat] - jokers, 0)


@helper
def _give_card(row: np.void, seat: int, card: int) -> None:
    """Take one *card* out of a hand, for everybody to see."""
    if card == JOKER_ID:
        _give_up(row, seat, np.int64(0), np.int64(0), np.int64(1))
    else:
        _give_up(row, seat, bit(card), np.int64(0), np.int64(0))


@helper
def _lay_open(table: np.void, card: int) -> None:
    """Put *card*, which nobody threw, on the discard pile."""
    lay_open(table, card)
    table.thrower = -1


@helper
def _take_open(row: np.void, seat: int) -> int:
    """Take the top card off the discard pile into a hand, for everybody to see."""
    card = take_open(row.table, seat)
    row.table.thrower = -1
    _take_up(row, seat, card)
    return card


@helper
def _to_deck(row: np.void, n: int, cards: int, jokers: int) -> int:
    """Append *cards* and *jokers* to the *n* cards of the deck; return how many it has now."""
    while cards:
        row.deck[n] = lowest(cards)
        cards &= cards - 1
        n += 1
    for _ in range(jokers):
        row.deck[n] = JOKER_ID
        n += 1
    return n


@helper
def _reshuffle(row: np.void) -> None:
    """Make a new stock (7) from the discards below the top, or from all cards that nobody holds."""
    noinline()
    table = row.table
    if table.reshuffles == 0:
        row.rng = reshuffle_seed(row, n_cards(table.rules))
    up, thrower = np.int64(table.up), np.int64(table.thrower)
    n = np.int64(0)
    if table.rules.all_non_hand:
        n = _to_deck(row, n, table.pile, table.pile_jokers)
        n = _to_deck(row, n, table.pile_twice, 0)
        for k in range(table.n_melds):
            n = _to_deck(row, n, table.melds[k], table.meld_jokers[k])
            n = _to_deck(row, n, table.melds_twice[k], 0)
        clear_melds(table)
        _ask_for_contract(table)
    else:
        for i in range(table.n_pile - 1):
            row.deck[n] = table.stack[i]
            n += 1
    for i in range(n, MAX_CARDS):
        row.deck[i] = -1
    shuffle_first(row, n)
    row.pos = 0
    if table.rules.all_non_hand:
        up, thrower = np.int64(row.deck[0]), np.int64(-1)
        row.pos = 1
        table.turned_up = up
    empty_pile(table)
    _lay_open(table, up)
    table.thrower = thrower
    table.stock = n - row.pos
    table.reshuffles += 1


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the actor's legal move *code* and return the card drawn from the stock, or -1."""
    always_inline()
    table = row.table
    table.turned_up = -1
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if code == DRAW_PILE:
        _draw_pile(row)
    elif code < DISCARD_CODE:
        return _buy_or_pass(row, code)
    elif code < LAY_OFF_CODE:
        _throw(row, code - DISCARD_CODE)
    elif code < LAY_OFF_LOW_CODE:
        _lay_off(row, (code - LAY_OFF_CODE) >> 6, (code - LAY_OFF_CODE) & 63, False)
    elif code < SET_CODE:
        _lay_off(row, (code - LAY_OFF_LOW_CODE) >> 6, (code - LAY_OFF_LOW_CODE) & 63, True)
    elif code < REPLACE_CODE:
        _lay_down(row, code)
    else:
        _replace(row, (code - REPLACE_CODE) >> 6, (code - REPLACE_CODE) & 63)
    return np.int64(-1)


@helper
def _buy_or_pass(row: np.void, code: int) -> int:
    """Buy the upcard or leave it to others; or keep the last card and end the turn (15)."""
    noinline()
    if row.table.phase == BUY:
        return _buy(row) if code == BUY_UPCARD else _decline(row.table)
    _end_turn(row)
    return np.int64(-1)


@helper
def _from_stock(row: np.void) -> int:
    """Take the top card off the stock."""
    card = np.int64(row.deck[row.pos])
    row.pos += 1
    row.table.stock -= 1
    return card


@helper
def _draw_stock(row: np.void) -> int:
    always_inline()
    table = row.table
    if table.up >= 0:
        table.refused[table.actor] |= bit(table.up)
    if table.stock == 0:
        _reshuffle(row)
    card = _from_stock(row)
    _take_up(row, table.actor, card)
    _drawn(row, card, FROM_STOCK)
    if table.rules.seats > 2 and table.turned_up < 0:
        _offer(table)
    return card


@helper
def _offer(table: np.void) -> None:
    """Ask the others whether they buy the upcard that the actor declined."""
    noinline()
    if table.rules.buys[round_of(table)]:
        table.drawer = table.actor
        _ask_next(table)


@helper
def _draw_pile(row: np.void) -> None:
    card = _take_open(row, row.table.actor)
    _drawn(row, card, card)


@helper
def _drawn(row: np.void, card: int, shown: int) -> None:
    table = row.table
    row.mine[table.actor].drawn = card
    table.last_draw[table.actor] = shown
    table.phase = PLAY


@helper
def _ask_next(table: np.void) -> None:
    """Let the next seat that may buy the upcard decide, or go on with the turn of the drawer (14)."""
    seat = next_seat(table, table.actor)
    while seat != table.drawer and not can_buy(table, seat):
        seat = next_seat(table, seat)
    table.actor = seat
    table.phase = BUY
    if seat == table.drawer:
        _resume(table)


@helper
def _resume(table: np.void) -> None:
    """Go on with the turn of the seat that drew from the stock."""
    table.actor = table.drawer
    table.drawer = -1
    table.phase = PLAY


@helper
def _buy(row: np.void) -> int:
    """Take the upcard and a penalty card from the stock (14)."""
    noinline()
    table = row.table
    seat = np.int64(table.actor)
    _take_open(row, seat)
    card = _from_stock(row)
    _take_up(row, seat, card)
    table.buys[seat] += 1
    _resume(table)
    return card


@helper
def _decline(table: np.void) -> int:
    """Leave the upcard to the seats after this one."""
    table.refused[table.actor] |= bit(table.up)
    _ask_next(table)
    return np.int64(-1)


@helper
def _throw(row: np.void, card: int) -> None:
    """Discard *card* and end the turn, or the round with the last one (3, 6)."""
    always_inline()
    table = row.table
    seat = table.actor
    _give_card(row, seat, card)
    table.thrown[seat] |= bit(card)
    table.last_discard[seat] = card
    _lay_open(table, card)
    table.thrower = seat
    if table.n_hand[seat] == 0:
        _go_out(row, DISCARDED)
    else:
        _end_turn(row)


@helper
def _end_turn(row: np.void) -> None:
    """Let the next player draw, unless the round has become void (8)."""
    table = row.table
    row.mine[table.actor].drawn = -1
    table.turn += 1
    table.actor = next_seat(table, table.actor)
    table.phase = DRAW
    dry = table.stock == 0 and table.reshuffles >= table.rules.max_reshuffles
    if table.turn >= table.rules.turn_cap or dry or (table.up < 0 and not can_draw_stock(table)):
        _close(table, -1, VOID)


@helper
def _lay_off(row: np.void, meld: int, card: int, below: bool) -> None:
    """Add *card* to a meld (5, 13), or to the one that is being laid down."""
    noinline()
    table = row.table
    seat = table.actor
    _give_card(row, seat, card)
    if table.meld_kind[meld] == RUN:
        if is_above(table, meld, card) and not below:
            table.meld_high[meld] += 1
        else:
            table.meld_low[meld] -= 1
    if card == JOKER_ID:
        table.meld_jokers[meld] += 1
    else:
        once, twice = table.melds[meld], table.melds_twice[meld]
        table.melds[meld], table.melds_twice[meld] = plus(once, twice, bit(card), np.int64(0))
    table.freed = -1
    if table.phase == LAY_DOWN:
        table.short -= 1
        if table.short == 0 and has_laid_down(table, seat):
            table.phase = PLAY
    if table.n_hand[seat] == 0:
        _go_out(row, LAID_OFF)


@helper
def _replace(row: np.void, meld: int, card: int) -> None:
    """Put *card* in the place of a wild; the wild goes to the hand, for everybody to see, and must be used (18)."""
    noinline()
    table = row.table
    seat = table.actor
    wild = wild_of(table, meld)
    _give_card(row, seat, card)
    once, twice = table.melds[meld], table.melds_twice[meld]
    if wild == JOKER_ID:
        table.meld_jokers[meld] -= 1
        table.known_jokers[seat] += 1
    else:
        once, twice = minus(once, twice, bit(wild), np.int64(0))
        known, known_twice = table.known[seat], table.known_twice[seat]
        table.known[seat], table.known_twice[seat] = plus(known, known_twice, bit(wild), np.int64(0))
    table.melds[meld], table.melds_twice[meld] = plus(once, twice, bit(card), np.int64(0))
    _take_up(row, seat, wild)
    table.freed = wild


@helper
def _lay_down(row: np.void, code: int) -> None:
    """Lay one meld of the contract on the table (4); the laydown goes on until the contract is complete."""
    noinline()
    table = row.table
    seat, k = np.int64(table.actor), np.int64(table.n_melds)
    naturals, double = meld_naturals(code)
    twos, two_twice, jokers = wild_cards(meld_wilds(code))
    size = n_in(naturals, double) + n_in(twos, two_twice) + jokers
    table.melds[k] = naturals | twos
    table.melds_twice[k] = double | two_twice
    table.meld_jokers[k] = jokers
    table.owner[k] = seat
    if code >= RUN_CODE:
        asked = runs_of(table, seat) & 15
        suit, low, high = run_span(code, size)
        table.meld_kind[k] = RUN
        table.meld_of[k] = suit
        table.meld_low[k] = low
        table.meld_high[k] = high
        table.runs_left[seat] -= 1
    else:
        asked = sets_of(table, seat) & 15
        table.meld_kind[k] = SET
        table.meld_of[k] = (code - SET_CODE) // N_WILD_SETS // N_PATTERNS
        table.sets_left[seat] -= 1
    table.n_melds += 1
    table.short = max(asked - size, 0)
    _give_up(row, seat, naturals | twos, double | two_twice, jokers)
    table.phase = PLAY if table.short == 0 and has_laid_down(table, seat) else LAY_DOWN
    if table.n_hand[seat] == 0:
        _go_out(row, LAID_OFF)


@helper
def _go_out(row: np.void, outcome: int) -> None:
    """End the round: the actor has no cards left, and the others pay for theirs (9)."""
    noinline()
    table = row.table
    winner = table.actor
    total = np.int64(0)
    for seat in range(table.rules.seats):
        mine = row.mine[seat]
        table.paid[seat] = cost(table.rules, mine.hand, mine.twice, mine.jokers)
        total += table.paid[seat]
    for seat in range(table.rules.seats):
        table.scores[seat] += total - table.paid[seat]
    row.mine[winner].drawn = -1
    table.turn += 1
    table.points = total
    _close(table, winner, outcome)


@helper
def _close(table: np.void, winner: int, outcome: int) -> None:
    table.outcome = outcome
    table.winner = winner
    table.phase = OVER
    table.actor = -1
    table.hand_no += 1


# --- Kernels that Python calls ------------------------------------------------------------------------------------


open_hands, step_one, legal_in = table_kernels(open_hand, is_legal, legal_codes, step)
