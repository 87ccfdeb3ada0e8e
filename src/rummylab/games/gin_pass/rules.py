"""Gin for two to four seats with a passed card: the position, what each seat sees, legal moves, a step, the score.

Play, batches, search and training all use this one implementation. The paragraph numbers are those of
``docs/games/gin_pass.md``. A position is one flat record in three parts: ``table`` is what everybody sees,
``mine[seat]`` what only that seat knows (including the card it passed and the one it received), and the rest (the
deck's order) what nobody knows. Melds and deadwood are Gin's (:mod:`rummylab.cards.melds`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, IDS_52, bit, noinline
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import Root, shuffle
from rummylab.engine.drivers import codes_by_trial, table_kernels
from rummylab.engine.kernel_records import clearing, options_record, records_of
from rummylab.games.gin_pass.options import GinPassOptions

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

MAX_SEATS = 4

OPTIONS = options_record(GinPassOptions)

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # cards of the discard pile
        ("seen_up", "i8"),  # every card that ever lay face up in this hand
        ("known", "i8", (MAX_SEATS,)),  # cards a seat is known to hold: taken from the pile and kept
        ("picked", "i8", (MAX_SEATS,)),  # cards a seat has ever taken from the pile
        ("refused", "i8", (MAX_SEATS,)),  # upcards it declined by drawing from the stock
        ("thrown", "i8", (MAX_SEATS,)),  # cards it has discarded
        ("scores", "i4", (MAX_SEATS,)),  # of the match
        ("hand_no", "i4"),  # hands finished: 0 during hand 1
        ("turn", "i2"),  # completed turns of this hand
        ("points", "i2"),  # what the winner of the hand gets
        ("deadwood", "i2", (MAX_SEATS,)),  # after a knock; 0 until then and after a washout
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the hand is over
        ("starter", "i1"),
        ("passes", "i1"),  # seats that have chosen the card they pass, from the starter on
        ("up", "i1"),  # top of the discard pile, -1 while a player holds it
        ("stock", "i1"),  # cards left
        ("last_draw", "i1", (MAX_SEATS,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (MAX_SEATS,)),  # card id or -1
        ("knocker", "i1"),
        ("outcome", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)
"""What everybody sees."""

MINE = np.dtype(
    [
        ("hand", "i8"),  # the passed card is in it until all are handed over
        ("rng", "u8"),  # the agent's own random stream
        ("seat", "i1"),
        ("drawn", "i1"),  # the card drawn in this turn, -1 between turns
        ("passed", "i1"),  # the card this seat has chosen to pass, -1 before and without a pass
        ("received", "i1"),  # the card it was handed, -1 before and without a pass
        ("memory", "i8", (32,)),  # the agent's own notes, cleared at every deal
    ],
    align=True,
)
"""What only one seat knows."""

RECORD, VIEW, ACT, ACT_POINTER = records_of(TABLE, MINE, MAX_SEATS, [("pos", "i1"), ("deck", "i1", (52,))])

FROM_STOCK = 62
PASS, DRAW, DISCARD, OVER = range(4)
PHASES = ("pass", "draw", "discard", "over")
NO_OUTCOME, KNOCK, GIN, UNDERCUT, WASHOUT = range(5)
OUTCOMES = ("none", "knock", "gin", "undercut", "washout")

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, TAKE_UP_CARD = range(2)
DISCARD_CODE, KNOCK_CODE, PASS_CODE = 64, 128, 192
N_CODES = 256
MAX_LEGAL = 32


# --- Questions about a table --------------------------------------------------------------------------------------


@helper
def next_seat(table: np.void, seat: int) -> int:
    """Return who plays after *seat*."""
    after = np.int64(seat) + 1
    return after if after < table.rules.seats else np.int64(0)


@helper
def previous_seat(table: np.void, seat: int) -> int:
    """Return who plays before *seat*."""
    return np.int64(seat) - 1 if seat > 0 else np.int64(table.rules.seats) - 1


@helper
def passes_to(table: np.void, seat: int) -> int:
    """Return who gets the card that *seat* passes: on hand 1 the previous player, on hand 2 the next (2)."""
    before = table.hand_no - (table.phase == OVER)  # a finished hand is counted already
    return next_seat(table, seat) if before & 1 else previous_seat(table, seat)


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards a seat has never seen: not in its hand, not passed or received, never face up."""
    seen = mine.hand | table.seen_up
    if mine.passed >= 0:
        seen |= bit(mine.passed)
    return ALL_CARDS & ~seen


@helper
def known_cards(table: np.void, mine: np.void, seat: int) -> int:
    """Return the cards the viewer knows *seat* holds: taken from the pile or passed to it, and not discarded since."""
    cards = np.int64(table.known[seat])
    if mine.received >= 0 and passes_to(table, mine.seat) == seat:
        cards |= bit(mine.passed) & ~table.thrown[seat]
    return cards


@helper
def can_knock(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether the actor may knock with the cards left after discarding *card* (3)."""
    return min_deadwood(mine.hand & ~bit(card)) <= table.rules.knock_limit


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*.

    The stock may be chosen when it is empty: that ends the hand (5).
    """
    if table.phase == DRAW:
        return code == DRAW_STOCK or code == TAKE_UP_CARD
    if code < DISCARD_CODE or code >= N_CODES or not mine.hand >> (code & 63) & 1:
        return False
    if table.phase == PASS:
        return code >= PASS_CODE
    if table.phase != DISCARD or code >= PASS_CODE:
        return False
    return code < KNOCK_CODE or can_knock(table, mine, code - KNOCK_CODE)


legal_codes = codes_by_trial(is_legal, N_CODES)


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Shuffle a fresh deck into ``row.deck``."""
    for i in range(52):
        row.deck[i] = IDS_52[i]
    shuffle(row.deck, seed)


clear_hand = clearing(
    TABLE, ("rules", "scores", "hand_no", "starter"), ("last_draw", "last_discard", "knocker", "winner")
)
clear_match = clearing(TABLE, ("rules",))
clear_mine = clearing(MINE, ("rng",), ("drawn", "passed", "received"))


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck`` one card at a time, ``table.starter`` first; turn up the next (1). ``table.starter`` begins."""
    table = row.table
    seats, cards = np.int64(table.rules.seats), np.int64(table.rules.cards)
    clear_hand(table)
    for one in range(seats):
        clear_mine(row.mine[one])
        row.mine[one].seat = one
    seat = np.int64(table.starter)
    for i in range(seats * cards):
        row.mine[seat].hand |= bit(row.deck[i])
        seat = next_seat(table, seat)
    up = row.deck[seats * cards]
    row.pos = seats * cards + 1
    table.up = up
    table.pile = bit(up)
    table.seen_up = bit(up)
    table.stock = 51 - seats * cards
    table.phase = PASS if table.rules.pass_card else DRAW
    table.actor = table.starter


@helper
def open_match(row: np.void, starter: int) -> None:
    """Clear the scores and seat the first starter."""
    clear_match(row.table)
    row.table.starter = starter


@helper
def first_starter(table: np.void, root: Root, deal: int) -> int:
    """Return who starts the first hand: seat 0 (3)."""
    return np.int64(0)


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next hand: it rotates one seat (3)."""
    return next_seat(table, table.starter)


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether all hands of the match are played (7)."""
    return table.hand_no >= table.rules.hands


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the legal move *code* of the actor; return the card that only the actor saw, drawn or passed, or -1."""
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if code == TAKE_UP_CARD:
        _take_up_card(row)
    elif code < KNOCK_CODE:
        _throw(row, code - DISCARD_CODE)
        _end_turn(row.table)
    elif code < PASS_CODE:
        _throw(row, code - KNOCK_CODE)
        _show_down(row)
    else:
        return _pass(row, code - PASS_CODE)
    return np.int64(-1)


@helper
def _pass(row: np.void, card: int) -> int:
    """Choose the card to hand over; when all have chosen, they change hands together (2)."""
    table = row.table
    row.mine[table.actor].passed = card
    table.passes += 1
    table.actor = next_seat(table, table.actor)
    if table.passes == table.rules.seats:
        for seat in range(table.rules.seats):
            mine, theirs = row.mine[seat], row.mine[passes_to(table, seat)]
            mine.hand ^= bit(mine.passed)
            theirs.hand ^= bit(mine.passed)
            theirs.received = mine.passed
        table.phase = DRAW
    return np.int64(card)


@helper
def _draw_stock(row: np.void) -> int:
    table = row.table
    seat = table.actor
    if table.stock == 0:
        _wash_out(table)
        return np.int64(-1)
    card = np.int64(row.deck[row.pos])
    row.pos += 1
    table.stock -= 1
    table.refused[seat] |= bit(table.up)
    _drawn(row, card, FROM_STOCK)
    return card


@helper
def _take_up_card(row: np.void) -> None:
    table = row.table
    seat, card = table.actor, np.int64(table.up)
    table.known[seat] |= bit(card)
    table.picked[seat] |= bit(card)
    table.pile &= ~bit(card)
    table.up = -1
    _drawn(row, card, card)


@helper
def _drawn(row: np.void, card: int, shown: int) -> None:
    table = row.table
    mine = row.mine[table.actor]
    mine.hand |= bit(card)
    mine.drawn = card
    table.last_draw[table.actor] = shown
    table.phase = DISCARD


@helper
def _throw(row: np.void, card: int) -> None:
    """Move *card* from the actor's hand to the pile."""
    table = row.table
    seat = table.actor
    mine = row.mine[seat]
    mine.hand &= ~bit(card)
    mine.drawn = -1
    table.known[seat] &= ~bit(card)
    table.thrown[seat] |= bit(card)
    table.pile |= bit(card)
    table.seen_up |= bit(card)
    table.up = card
    table.last_discard[seat] = card
    table.turn += 1


@helper
def _end_turn(table: np.void) -> None:
    table.actor = next_seat(table, table.actor)
    table.phase = DRAW
    if table.turn >= table.rules.turn_cap:
        _wash_out(table)


# --- The score ----------------------------------------------------------------------------------------------------


@helper
def _wash_out(table: np.void) -> None:
    """End the hand: nobody scores (5)."""
    table.outcome = WASHOUT
    _close(table)


@helper
def _show_down(row: np.void) -> None:
    """End the hand with the actor's knock: all hands are shown, the lowest deadwood wins (6)."""
    noinline()
    table = row.table
    table.knocker = table.actor
    total = np.int64(0)
    for seat in range(table.rules.seats):
        table.deadwood[seat] = min_deadwood(row.mine[seat].hand)
        total += table.deadwood[seat]
    winner = _winner(table)
    won = total - 2 * table.deadwood[winner]
    if winner != table.knocker:
        won += table.rules.undercut_bonus
        table.outcome = UNDERCUT
    elif table.deadwood[winner] == 0:
        won += table.rules.gin_bonus
        table.outcome = GIN
    else:
        table.outcome = KNOCK
    table.winner = winner
    table.points = won
    table.scores[winner] += won
    _close(table)


@helper
def _winner(table: np.void) -> int:
    """Return who wins after a knock: lowest deadwood; the knocker loses a tie, and of equals the nearest wins (6)."""
    knocker = np.int64(table.knocker)
    best = knocker
    if table.deadwood[knocker] == 0 and table.rules.gin_always_wins:
        return best
    seat = next_seat(table, knocker)
    while seat != knocker:
        left, least = table.deadwood[seat], table.deadwood[best]
        if left < least or (left == least and best == knocker and table.rules.tie_undercuts):
            best = seat
        seat = next_seat(table, seat)
    return best


@helper
def _close(table: np.void) -> None:
    table.phase = OVER
    table.actor = -1
    table.hand_no += 1


# --- Kernels that Python calls ------------------------------------------------------------------------------------


open_hands, step_one, legal_in = table_kernels(open_hand, is_legal, legal_codes, step)
