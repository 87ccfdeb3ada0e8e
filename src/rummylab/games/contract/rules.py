"""Contract rummy for two: the position, what each seat sees, the legal moves, a step, the score.

One implementation for one table, for batches, for search and for training. The numbers are those of the rules page
(``docs/games/chinese.md``). A position is one flat record in three parts: ``table`` is what everybody sees,
``mine[seat]`` what that seat alone knows, and the rest (the stock's order, the lot for a reshuffle) what nobody knows.

The phase says nothing about a hand: who may lay down or lay off and does not want to simply discards. Only a lay-down
that has begun is a phase of its own, until the contract is complete.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel
from rummylab.cards.bits import EACH_SUIT, IDS_52, LANE, bit, lowest, popcount, stay_apart
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import STARTER, Root, lot_of_deck, shuffle_first, stream, swap_cards
from rummylab.engine.drivers import many_tables
from rummylab.games.contract.melds import (
    JOKER_BIT,
    N_RUNS,
    N_SETS,
    N_WILD_SETS,
    TENS,
    TOP,
    TWOS,
    can_complete,
    run_naturals,
    set_naturals,
    wild_jokers,
    wild_twos,
)
from rummylab.games.contract.options import MAX_MELDS, MAX_ROUNDS

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

MAX_CARDS = 54
ON_TABLE = 2 * MAX_MELDS

OPTIONS = np.dtype(
    [
        ("n_contracts", "i2"),
        ("sets", "i2", (MAX_ROUNDS,)),
        ("set_size", "i2", (MAX_ROUNDS,)),
        ("runs", "i2", (MAX_ROUNDS,)),
        ("run_size", "i2", (MAX_ROUNDS,)),
        ("hand_size", "i2", (MAX_ROUNDS,)),
        ("jokers", "i2"),
        ("wild_up_card", "i2"),
        ("discard_drawn", "i2"),
        ("larger_sets", "i2"),
        ("same_rank", "i2"),
        ("discard_only", "i2"),
        ("all_non_hand", "i2"),
        ("max_reshuffles", "i2"),
        ("turn_cap", "i2"),
        ("low_points", "i2"),
        ("high_points", "i2"),
        ("wild_points", "i2"),
        ("rounds", "i2"),
        ("target", "i2"),
        ("random_starter", "i2"),
    ],
    align=True,
)
"""The options as the kernels read them: public, so they lie on the table."""

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # cards of the discard pile
        ("known", "i8", (2,)),  # cards a seat is known to hold: taken from the pile and still there
        ("picked", "i8", (2,)),  # kinds a seat has taken from the pile, jokers as bit 62
        ("refused", "i8", (2,)),  # kinds it let go by and drew from the stock, with bit 62
        ("thrown", "i8", (2,)),  # kinds it has discarded, with bit 62
        ("melds", "i8", (ON_TABLE,)),  # cards of each meld on the table, in the order they were laid; jokers beside it
        ("scores", "i4", (2,)),  # of the match: what the opponent was caught with, so high is good
        ("hand_no", "i4"),  # rounds finished
        ("turn", "i2"),  # completed turns of this round
        ("points", "i2"),  # what the loser of the round was caught with
        ("stack", "i1", (MAX_CARDS,)),  # the discard pile from the bottom up, then -1
        ("n_pile", "i1"),
        ("pile_jokers", "i1"),
        ("known_jokers", "i1", (2,)),
        ("n_hand", "i1", (2,)),  # cards in each hand
        ("sets_left", "i1", (2,)),  # sets of the contract that a seat has not laid down
        ("runs_left", "i1", (2,)),
        ("n_melds", "i1"),
        ("meld_jokers", "i1", (ON_TABLE,)),
        ("meld_kind", "i1", (ON_TABLE,)),  # 0: no meld, 1: set, 2: run
        ("meld_of", "i1", (ON_TABLE,)),  # rank of a set, suit of a run
        (
            "meld_low",
            "i1",
            (ON_TABLE,),
        ),  # lowest place of a run, wilds included: 0 is the ace, 13 the ace above the king
        ("meld_high", "i1", (ON_TABLE,)),
        ("owner", "i1", (ON_TABLE,)),  # who laid the meld down
        ("stock", "i1"),  # cards left
        ("reshuffles", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the round is over
        ("starter", "i1"),
        ("up", "i1"),  # top of the discard pile, -1 while there is none
        ("turned_up", "i1"),  # card turned up after a reshuffle by the last move, else -1
        ("last_draw", "i1", (2,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (2,)),
        ("outcome", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)
"""What everybody sees."""

MINE = np.dtype(
    [
        ("hand", "i8"),  # cards held
        ("jokers", "i8"),  # jokers held
        ("rng", "u8"),  # the agent's own random stream
        ("seat", "i1"),
        ("drawn", "i1"),  # the card drawn in this turn, -1 between turns
        ("memory", "i8", (32,)),  # the agent's own notes, cleared at every deal
    ],
    align=True,
)
"""What one seat alone knows."""

RECORD = np.dtype(
    [
        ("table", TABLE),
        ("mine", MINE, (2,)),
        ("rng", "u8"),  # the lot for reshuffles
        ("pos", "i1"),  # next card of the stock
        ("deck", "i1", (MAX_CARDS,)),  # in dealing order; after a reshuffle the new stock from 0 on
    ],
    align=True,
)
"""The whole position, the order of the stock included."""

VIEW = np.dtype([("table", TABLE), ("mine", MINE)], align=True)
"""What a seat is shown: no field for anything hidden."""

FROM_STOCK = 63
DRAW, PLAY, LAY_DOWN, OVER = range(4)
PHASES = ("draw", "play", "lay down", "over")
NO_OUTCOME, DISCARDED, LAID_OFF, VOID = range(4)
OUTCOMES = ("none", "out by discard", "out by lay-off", "void")
NO_MELD, SET, RUN = range(3)

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, DRAW_PILE = range(2)
DISCARD_CODE, LAY_OFF_CODE, SET_CODE = 64, 128, 512
RUN_CODE = SET_CODE + N_SETS * N_WILD_SETS
N_CODES = RUN_CODE + N_RUNS * N_WILD_SETS
MAX_LEGAL = 2048

ACT = types.int64(from_dtype(TABLE), from_dtype(MINE), types.float32[::1])
"""A compiled agent: ``act(table, mine, par)`` returns the code of its move."""
ACT_POINTER = types.FunctionType(ACT)


# --- What a player can ask ----------------------------------------------------------------------------------------


@helper
def kinds(mine: np.void) -> int:
    """Return the kinds in a hand, with ``JOKER_BIT`` if there is a joker."""
    return mine.hand | JOKER_BIT if mine.jokers else mine.hand


@helper
def is_wild(card: int) -> bool:
    """Return whether *card* is a joker or a two (1)."""
    return card == JOKER_ID or (card & 15) == 1


@helper
def n_wilds(hand: int, jokers: int) -> int:
    return popcount(hand & TWOS) + jokers


@helper
def round_of(table: np.void) -> int:
    """Return the place of this round's contract in the list; after the last one it begins anew."""
    return np.int64(table.hand_no) % np.int64(table.rules.n_contracts)


@helper
def has_laid_down(table: np.void, seat: int) -> bool:
    return table.sets_left[seat] == 0 and table.runs_left[seat] == 0


@helper
def can_draw_stock(table: np.void) -> bool:
    """Return whether there is a card to draw, or cards to make a new stock of (7)."""
    return table.stock > 0 or table.n_pile > 1 or table.rules.all_non_hand != 0


@helper
def discards(table: np.void, mine: np.void) -> int:
    """Return the kinds the actor may throw (3)."""
    cards = kinds(mine)
    if table.rules.discard_drawn:
        return cards
    others = cards & ~bit(mine.drawn)
    return others if others else cards


@helper
def cost(rules: np.void, hand: int, jokers: int) -> int:
    """Return what a hand costs who is caught with it (9)."""
    naturals = hand & ~TWOS
    high = popcount(naturals & TENS)
    low = popcount(naturals) - high
    return rules.low_points * low + rules.high_points * high + rules.wild_points * n_wilds(hand, jokers)


@helper
def takes(table: np.void, meld: int, card: int) -> bool:
    """Return whether *card* can be laid off on meld number *meld* from 0 (5)."""
    kind = table.meld_kind[meld]
    if kind == SET:
        return is_wild(card) or (card & 15) == table.meld_of[meld]
    if kind != RUN:
        return False
    low, high = table.meld_low[meld], table.meld_high[meld]
    if is_wild(card):
        return low > 0 or high < TOP
    if card >> 4 != table.meld_of[meld]:
        return False
    rank = card & 15
    return rank == low - 1 or rank == high + 1 or (rank == 0 and high == TOP - 1)


@helper
def place_for(table: np.void, card: int) -> int:
    """Return the first meld that takes *card*, or -1."""
    for meld in range(table.n_melds):
        if takes(table, meld, card):
            return meld
    return np.int64(-1)


@helper
def welcome(table: np.void, owner: int) -> int:
    """Return the natural cards that the melds of *owner* take."""
    cards = np.int64(0)
    for k in range(table.n_melds):
        if table.owner[k] == owner:
            of = np.int64(table.meld_of[k])
            if table.meld_kind[k] == SET:
                cards |= np.int64(EACH_SUIT) << of
            else:
                low, high = np.int64(table.meld_low[k]), np.int64(table.meld_high[k])
                ends = (bit(low - 1) if low > 0 else 0) | (bit(high + 1) if high < TOP else 0)
                cards |= ((ends & LANE) | ends >> TOP) << 16 * of
    return cards & ~TWOS


@helper
def can_lay_off(table: np.void, mine: np.void, meld: int, card: int) -> bool:
    """Return whether the actor may lay *card* off on *meld*: once it has laid down (5), maybe not its last one (6)."""
    if table.phase != PLAY or not has_laid_down(table, mine.seat) or not kinds(mine) & bit(card):
        return False
    if table.rules.discard_only and table.n_hand[mine.seat] == 1:
        return False
    return takes(table, meld, card)


# --- Lay down -----------------------------------------------------------------------------------------------------


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
def can_finish(table: np.void, seat: int, hand: int, jokers: int, sets: int, runs: int, barred: int) -> bool:
    """Return whether *sets* sets and *runs* runs of this round's contract can be laid from the given cards."""
    rules, number = table.rules, round_of(table)
    naturals, wilds = hand & ~TWOS, n_wilds(hand, jokers)
    return can_complete(
        naturals,
        wilds,
        sets,
        np.int64(rules.set_size[number]),
        runs,
        np.int64(rules.run_size[number]),
        rules.same_rank != 0,
        barred,
    )


@helper
def can_lay_down(table: np.void, mine: np.void) -> bool:
    """Return whether the actor can begin (or, having begun, go on with) a lay-down."""
    seat = np.int64(mine.seat)
    if has_laid_down(table, seat):
        return False
    sets, runs = np.int64(table.sets_left[seat]), np.int64(table.runs_left[seat])
    return can_finish(table, seat, mine.hand, mine.jokers, sets, runs, barred_ranks(table, seat))


@helper
def meld_naturals(code: int) -> int:
    """Return the natural cards of a meld by its code."""
    if code >= RUN_CODE:
        return run_naturals((code - RUN_CODE) // N_WILD_SETS)
    return set_naturals((code - SET_CODE) // N_WILD_SETS)


@helper
def meld_wilds(code: int) -> int:
    """Return the number of a meld's choice of wilds."""
    return (code - SET_CODE) % N_WILD_SETS


@helper
def can_meld(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor may lay down the meld *code* now: the rest of the contract must stay possible (4)."""
    stay_apart()
    seat, rules, number = np.int64(mine.seat), table.rules, round_of(table)
    naturals, wilds = meld_naturals(code), meld_wilds(code)
    twos, jokers = wild_twos(wilds), wild_jokers(wilds)
    if (naturals | twos) & ~mine.hand or jokers > mine.jokers:
        return False
    n_natural, n_wild = popcount(naturals), popcount(twos) + jokers
    size = n_natural + n_wild
    sets, runs = np.int64(table.sets_left[seat]), np.int64(table.runs_left[seat])
    barred = barred_ranks(table, seat)
    if code >= RUN_CODE:
        runs -= 1
        above = (code - RUN_CODE) // N_WILD_SETS & 7
        fits = size == rules.run_size[number] and above >> (size - 1) == 0
    else:
        sets -= 1
        rank = np.int64((code - SET_CODE) // N_WILD_SETS >> 4)
        fits = size == rules.set_size[number] or (size > rules.set_size[number] and rules.larger_sets != 0)
        fits = fits and not barred & bit(rank)
        if not rules.same_rank:
            barred |= bit(rank)
    if not fits or sets < 0 or runs < 0 or n_natural < 2 or n_wild > n_natural:
        return False
    needed = sets * rules.set_size[number] + runs * rules.run_size[number] + rules.discard_only
    if table.n_hand[seat] - size < needed:
        return False
    return can_finish(table, seat, mine.hand & ~(naturals | twos), mine.jokers - jokers, sets, runs, barred)


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*."""
    phase = table.phase
    if phase == DRAW:
        return (code == DRAW_PILE and table.up >= 0) or (code == DRAW_STOCK and can_draw_stock(table))
    if phase == OVER or code < DISCARD_CODE or code >= N_CODES:
        return False
    if code < LAY_OFF_CODE:
        return phase == PLAY and discards(table, mine) >> (code - DISCARD_CODE) & 1 != 0
    if code < SET_CODE:
        meld = (code - LAY_OFF_CODE) >> 6
        return meld < table.n_melds and can_lay_off(table, mine, meld, (code - LAY_OFF_CODE) & 63)
    return not has_laid_down(table, mine.seat) and can_meld(table, mine, code)


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the legal moves of the actor to *out* in ascending order; return how many."""
    stay_apart()
    n = 0
    for code in range(SET_CODE):
        if is_legal(table, mine, code):
            out[n] = code
            n += 1
    if table.phase == DRAW or table.phase == OVER or not can_lay_down(table, mine):
        return n
    for number in range((N_CODES - SET_CODE) // N_WILD_SETS):
        code = SET_CODE + number * N_WILD_SETS
        if meld_naturals(code) & ~mine.hand == 0:
            for wilds in range(N_WILD_SETS):
                if can_meld(table, mine, code + wilds):
                    out[n] = code + wilds
                    n += 1
    return n


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def n_cards(rules: np.void) -> int:
    return np.int64(52) + rules.jokers


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Put a fresh shuffle into ``row.deck``."""
    n = n_cards(row.table.rules)
    for i in range(MAX_CARDS):
        row.deck[i] = IDS_52[i] if i < 52 else JOKER_ID if i < n else -1
    row.rng = seed
    shuffle_first(row, n)


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck`` one card at a time, ``table.starter`` (the non-dealer) first; turn up the next (2)."""
    table = row.table
    number = round_of(table)
    _clear(row)
    row.rng = 0
    dealt = 2 * np.int64(table.rules.hand_size[number])
    for i in range(dealt):
        _take_up(row, table.starter ^ (i & 1), row.deck[i])
    # Where the first up-card must not be wild, the next natural card changes places with it (2).
    other = dealt
    while is_wild(row.deck[other]) and not table.rules.wild_up_card:
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
    table = row.table
    for seat in range(2):
        mine = row.mine[seat]
        mine.hand = 0
        mine.jokers = 0
        mine.seat = seat
        mine.drawn = -1
        for i in range(mine.memory.shape[0]):
            mine.memory[i] = 0
        table.known[seat] = 0
        table.known_jokers[seat] = 0
        table.picked[seat] = 0
        table.refused[seat] = 0
        table.thrown[seat] = 0
        table.n_hand[seat] = 0
        table.last_draw[seat] = -1
        table.last_discard[seat] = -1
    _clear_melds(table)
    _empty_pile(table)
    table.turn = 0
    table.points = 0
    table.reshuffles = 0
    table.turned_up = -1
    table.outcome = NO_OUTCOME
    table.winner = -1


@helper
def _clear_melds(table: np.void) -> None:
    """Take the melds off the table: both players count as not laid down."""
    number = round_of(table)
    for seat in range(2):
        table.sets_left[seat] = table.rules.sets[number]
        table.runs_left[seat] = table.rules.runs[number]
    for k in range(ON_TABLE):
        table.melds[k] = 0
        table.meld_jokers[k] = 0
        table.meld_kind[k] = NO_MELD
        table.meld_of[k] = 0
        table.meld_low[k] = 0
        table.meld_high[k] = 0
        table.owner[k] = 0
    table.n_melds = 0


@helper
def open_match(row: np.void, starter: int) -> None:
    """Set the scores to nothing and seat the first starter."""
    table = row.table
    for seat in range(2):
        table.scores[seat] = 0
    table.hand_no = 0
    table.starter = starter


@helper
def first_starter(table: np.void, root: Root, pair: int) -> int:
    """Return who starts the first round: drawn by lot, or seat 0 where the options say so."""
    lot = stream(root, pair, np.int64(0), np.int64(STARTER)) >> np.uint64(63)
    return np.int64(lot) if table.rules.random_starter else np.int64(0)


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next round: the deal alternates (2)."""
    return 1 - table.starter


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether the rounds of a match are played, or somebody has reached the target (10)."""
    rules = table.rules
    if rules.rounds > 0 and table.hand_no >= rules.rounds:
        return True
    return rules.target > 0 and max(table.scores[0], table.scores[1]) >= rules.target


# --- Cards on the move --------------------------------------------------------------------------------------------


@helper
def _take_up(row: np.void, seat: int, card: int) -> None:
    """Put *card* into a hand."""
    mine = row.mine[seat]
    if card == JOKER_ID:
        mine.jokers += 1
    else:
        mine.hand |= bit(card)
    row.table.n_hand[seat] += 1


@helper
def _give_up(row: np.void, seat: int, cards: int, jokers: int) -> None:
    """Take *cards* and *jokers* out of a hand; everybody sees which."""
    table, mine = row.table, row.mine[seat]
    mine.hand &= ~cards
    mine.jokers -= jokers
    table.n_hand[seat] -= popcount(cards) + jokers
    table.known[seat] &= ~cards
    table.known_jokers[seat] = max(table.known_jokers[seat] - jokers, 0)


@helper
def _lay_open(table: np.void, card: int) -> None:
    """Put *card* on the discard pile."""
    table.stack[table.n_pile] = card
    table.n_pile += 1
    table.up = card
    if card == JOKER_ID:
        table.pile_jokers += 1
    else:
        table.pile |= bit(card)


@helper
def _empty_pile(table: np.void) -> None:
    for i in range(MAX_CARDS):
        table.stack[i] = -1
    table.n_pile = 0
    table.pile = 0
    table.pile_jokers = 0
    table.up = -1


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
    """Make a new stock (7): of the discards but the top, or of all cards that nobody holds."""
    stay_apart()
    table = row.table
    if table.reshuffles == 0:
        row.rng = lot_of_deck(row, n_cards(table.rules))
    up = np.int64(table.up)
    n = np.int64(0)
    if table.rules.all_non_hand:
        n = _to_deck(row, n, table.pile, table.pile_jokers)
        for k in range(table.n_melds):
            n = _to_deck(row, n, table.melds[k], table.meld_jokers[k])
        _clear_melds(table)
    else:
        for i in range(table.n_pile - 1):
            row.deck[n] = table.stack[i]
            n += 1
    for i in range(n, MAX_CARDS):
        row.deck[i] = -1
    shuffle_first(row, n)
    row.pos = 0
    if table.rules.all_non_hand:
        up = np.int64(row.deck[0])
        row.pos = 1
        table.turned_up = up
    _empty_pile(table)
    _lay_open(table, up)
    table.stock = n - row.pos
    table.reshuffles += 1


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the legal move *code* of the actor; return the card drawn from the stock, or -1."""
    row.table.turned_up = -1
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if code == DRAW_PILE:
        _draw_pile(row)
    elif code < LAY_OFF_CODE:
        _throw(row, code - DISCARD_CODE)
    elif code < SET_CODE:
        _lay_off(row, (code - LAY_OFF_CODE) >> 6, (code - LAY_OFF_CODE) & 63)
    else:
        _lay_down(row, code)
    return np.int64(-1)


@helper
def _draw_stock(row: np.void) -> int:
    table = row.table
    table.refused[table.actor] |= bit(table.up)
    if table.stock == 0:
        _reshuffle(row)
    card = np.int64(row.deck[row.pos])
    row.pos += 1
    table.stock -= 1
    _drawn(row, card, FROM_STOCK)
    return card


@helper
def _draw_pile(row: np.void) -> None:
    table = row.table
    seat, card = table.actor, np.int64(table.up)
    table.n_pile -= 1
    table.stack[table.n_pile] = -1
    table.up = table.stack[table.n_pile - 1] if table.n_pile else -1
    table.picked[seat] |= bit(card)
    if card == JOKER_ID:
        table.pile_jokers -= 1
        table.known_jokers[seat] += 1
    else:
        table.pile &= ~bit(card)
        table.known[seat] |= bit(card)
    _drawn(row, card, card)


@helper
def _drawn(row: np.void, card: int, shown: int) -> None:
    table = row.table
    _take_up(row, table.actor, card)
    row.mine[table.actor].drawn = card
    table.last_draw[table.actor] = shown
    table.phase = PLAY


@helper
def _throw(row: np.void, card: int) -> None:
    """Discard *card* and end the turn, or the round with the last one (3, 6)."""
    table = row.table
    seat = table.actor
    if card == JOKER_ID:
        _give_up(row, seat, np.int64(0), np.int64(1))
    else:
        _give_up(row, seat, bit(card), np.int64(0))
    table.thrown[seat] |= bit(card)
    table.last_discard[seat] = card
    _lay_open(table, card)
    if table.n_hand[seat] == 0:
        _go_out(row, DISCARDED)
        return
    row.mine[seat].drawn = -1
    table.turn += 1
    table.actor = 1 - seat
    table.phase = DRAW
    if table.turn >= table.rules.turn_cap or (table.stock == 0 and table.reshuffles >= table.rules.max_reshuffles):
        _close(table, -1, 0, VOID)  # (8)


@helper
def _lay_off(row: np.void, meld: int, card: int) -> None:
    """Add *card* to a meld (5); a wild lengthens a run above, below only where the ace lies on top."""
    table = row.table
    seat = table.actor
    if card == JOKER_ID:
        _give_up(row, seat, np.int64(0), np.int64(1))
        table.meld_jokers[meld] += 1
    else:
        _give_up(row, seat, bit(card), np.int64(0))
        table.melds[meld] |= bit(card)
    if table.meld_kind[meld] == RUN:
        rank, high = card & 15, table.meld_high[meld]
        above = high < TOP if is_wild(card) else rank == high + 1 or (rank == 0 and high == TOP - 1)
        if above:
            table.meld_high[meld] += 1
        else:
            table.meld_low[meld] -= 1
    if table.n_hand[seat] == 0:
        _go_out(row, LAID_OFF)


@helper
def _lay_down(row: np.void, code: int) -> None:
    """Lay one meld of the contract on the table (4); the lay-down goes on until the contract is complete."""
    stay_apart()
    table = row.table
    seat, k = table.actor, np.int64(table.n_melds)
    naturals, wilds = meld_naturals(code), meld_wilds(code)
    twos, jokers = wild_twos(wilds), wild_jokers(wilds)
    table.melds[k] = naturals | twos
    table.meld_jokers[k] = jokers
    table.owner[k] = seat
    if code >= RUN_CODE:
        _place_run(table, k, (code - RUN_CODE) // N_WILD_SETS, popcount(naturals | twos) + jokers)
        table.runs_left[seat] -= 1
    else:
        table.meld_kind[k] = SET
        table.meld_of[k] = (code - SET_CODE) // N_WILD_SETS >> 4
        table.sets_left[seat] -= 1
    table.n_melds += 1
    _give_up(row, seat, naturals | twos, jokers)
    table.phase = PLAY if has_laid_down(table, seat) else LAY_DOWN
    if table.n_hand[seat] == 0:
        _go_out(row, LAID_OFF)


@helper
def _place_run(table: np.void, k: int, number: int, size: int) -> None:
    """Note where a run lies: wilds that fill no gap stand above it, below only where the ace lies on top."""
    low = number % 104 >> 3
    high = min(low + size - 1, TOP)
    table.meld_kind[k] = RUN
    table.meld_of[k] = number // 104
    table.meld_low[k] = high - size + 1
    table.meld_high[k] = high


@helper
def _go_out(row: np.void, outcome: int) -> None:
    """End the round: the actor has no card left, the other pays for its hand (9)."""
    stay_apart()
    table = row.table
    winner = table.actor
    loser = row.mine[1 - winner]
    row.mine[winner].drawn = -1
    table.turn += 1
    _close(table, winner, cost(table.rules, loser.hand, loser.jokers), outcome)


@helper
def _close(table: np.void, winner: int, points: int, outcome: int) -> None:
    table.outcome = outcome
    table.winner = winner
    table.points = points
    if winner >= 0:
        table.scores[winner] += points
    table.phase = OVER
    table.actor = -1
    table.hand_no += 1


# --- One table from Python ----------------------------------------------------------------------------------------


@kernel
def shuffle_rows(rows: Rows, seed: np.uint64) -> None:
    """Put the shuffle of stream *seed* into every row's deck."""
    for i in range(rows.shape[0]):
        shuffle_deck(rows[i], seed)


open_hands, step_many, legal_many = many_tables(open_hand, is_legal, legal_codes, step)
