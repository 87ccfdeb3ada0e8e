"""Basic rummy: the position, the legal moves, a step and the score, as kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from basic_rummy.options import BasicOptions
from rummylab._jit import helper
from rummylab.cards.bits import IDS_52, bit, lowest, points, popcount
from rummylab.cards.melds import MELDS, N_MELDS, meld_number
from rummylab.cards.rng import Root, shuffle
from rummylab.engine.drivers import table_kernels
from rummylab.engine.kernel_records import clearing, options_record, records_of

Codes = npt.NDArray[np.int16]
ON_TABLE = 8  # melds; twenty-two cards make at most seven

OPTIONS = options_record(BasicOptions)
TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # cards of the discard pile
        ("known", "i8", (2,)),  # cards a seat is known to hold: taken from the pile and kept
        ("melds", "i8", (ON_TABLE,)),  # in the order in which they were laid down
        ("scores", "i4", (2,)),
        ("turn", "i2"),  # completed turns
        ("points", "i2"),  # what the winner of the hand gets
        ("n_hand", "i1", (2,)),  # cards in each hand
        ("n_melds", "i1"),
        ("stock", "i1"),
        ("up", "i1"),  # top of the discard pile, -1 while there is none
        ("taken", "i1"),  # the upcard taken in this turn, or -1
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the hand is over
        ("starter", "i1"),
        ("outcome", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)
MINE = np.dtype(
    [("hand", "i8"), ("rng", "u8"), ("seat", "i1"), ("drawn", "i1"), ("memory", "i8", (32,))],
    align=True,
)
RECORD, VIEW, ACT, _ = records_of(TABLE, MINE, 2, [("pos", "i1"), ("deck", "i1", (52,))])

DRAW, PLAY, OVER = range(3)
PHASES = ("draw", "play", "over")
NO_OUTCOME, OUT, VOID = range(3)
OUTCOMES = ("none", "out", "void")
DRAW_STOCK, DRAW_UPCARD = range(2)
DISCARD_CODE, LAY_OFF_CODE, MELD_CODE = 64, 128, 192
N_CODES = MELD_CODE + N_MELDS
MAX_LEGAL = 96


@helper
def place_for(table: np.void, card: int) -> int:
    """Return the first meld on the table that takes *card*, or -1."""
    for k in range(table.n_melds):
        if meld_number(table.melds[k] | bit(card)) >= 0:
            return np.int64(k)
    return np.int64(-1)


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor may make the move *code*."""
    if table.phase == DRAW:
        return code == DRAW_STOCK or (code == DRAW_UPCARD and table.up >= 0)
    if code < DISCARD_CODE or code >= N_CODES:
        return False
    if code >= MELD_CODE:
        return MELDS[code - MELD_CODE] & ~mine.hand == 0 and table.n_melds < ON_TABLE
    card = code & 63
    if mine.hand >> card & 1 == 0:
        return False
    if code >= LAY_OFF_CODE:
        return place_for(table, card) >= 0
    return card != table.taken or popcount(mine.hand) == 1


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the legal moves to *out*; return how many there are."""
    n = 0
    if table.phase == DRAW:
        for code in range(2):
            if is_legal(table, mine, code):
                out[n] = code
                n += 1
        return n
    for first in (DISCARD_CODE, LAY_OFF_CODE):
        cards = mine.hand
        while cards:
            if is_legal(table, mine, first + lowest(cards)):
                out[n] = first + lowest(cards)
                n += 1
            cards &= cards - 1
    for code in range(MELD_CODE, N_CODES):
        if is_legal(table, mine, code):
            out[n] = code
            n += 1
    return n


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Shuffle a fresh deck into ``row.deck``."""
    for i in range(52):
        row.deck[i] = IDS_52[i]
    shuffle(row.deck, seed)


clear_hand = clearing(TABLE, ("rules", "scores", "starter"), ("taken", "winner"))
clear_mine = clearing(MINE, ("rng",), ("drawn",))


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck``, ``table.starter`` first, and turn up a card."""
    table = row.table
    dealt = 2 * np.int64(table.rules.cards)
    clear_hand(table)
    for seat in range(2):
        clear_mine(row.mine[seat])
        row.mine[seat].seat = seat
        table.n_hand[seat] = table.rules.cards
    for i in range(dealt):
        row.mine[(table.starter + i) % 2].hand |= bit(row.deck[i])
    table.up = row.deck[dealt]
    table.pile = bit(table.up)
    row.pos = dealt + 1
    table.stock = 51 - dealt
    table.phase = DRAW
    table.actor = table.starter


@helper
def open_match(row: np.void, starter: int) -> None:
    """Clear the scores and seat the first starter."""
    row.table.scores[0] = 0
    row.table.scores[1] = 0
    row.table.starter = starter


@helper
def first_starter(table: np.void, root: Root, deal: int) -> int:
    """Return who starts the first hand: seat 0."""
    return np.int64(0)


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next hand: the other seat."""
    return 1 - np.int64(table.starter)


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether a player has reached the target."""
    return max(table.scores[0], table.scores[1]) >= table.rules.target


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the legal move *code*; return the card drawn from the stock, or -1."""
    table = row.table
    mine = row.mine[table.actor]
    if table.phase == DRAW:
        return _draw(row, code)
    if code >= MELD_CODE:
        cards = MELDS[code - MELD_CODE]
        table.melds[table.n_melds] = cards
        table.n_melds += 1
    else:
        cards = bit(code & 63)
        if code >= LAY_OFF_CODE:
            table.melds[place_for(table, code & 63)] |= cards
        else:
            table.pile |= cards
            table.up = code & 63
    mine.hand &= ~cards
    table.known[table.actor] &= ~cards
    table.n_hand[table.actor] -= popcount(cards)
    if mine.hand == 0:
        _go_out(row)
    elif code < LAY_OFF_CODE:
        _end_turn(row)
    return np.int64(-1)


@helper
def _draw(row: np.void, code: int) -> int:
    """Move the top card of stock or pile to the actor's hand."""
    table = row.table
    card = np.int64(table.up)
    if code == DRAW_STOCK:
        card = np.int64(row.deck[row.pos])
        row.pos += 1
        table.stock -= 1
    else:
        table.pile &= ~bit(card)
        table.known[table.actor] |= bit(card)
        table.taken = card
        table.up = -1
    row.mine[table.actor].hand |= bit(card)
    row.mine[table.actor].drawn = card
    table.n_hand[table.actor] += 1
    table.phase = PLAY
    return card if code == DRAW_STOCK else np.int64(-1)


@helper
def _end_turn(row: np.void) -> None:
    """Pass the turn, or end the hand without a winner."""
    table = row.table
    row.mine[table.actor].drawn = -1
    table.taken = -1
    table.turn += 1
    table.actor = 1 - table.actor
    table.phase = DRAW
    if table.stock == 0 or table.turn >= table.rules.turn_cap:
        table.outcome = VOID
        table.phase = OVER
        table.actor = -1


@helper
def _go_out(row: np.void) -> None:
    """Score the hand for the actor, who has no cards left."""
    table = row.table
    row.mine[table.actor].drawn = -1
    table.taken = -1
    table.turn += 1
    table.winner = table.actor
    table.points = points(row.mine[1 - table.actor].hand)
    table.scores[table.actor] += table.points
    table.outcome = OUT
    table.phase = OVER
    table.actor = -1


open_hands, step_one, legal_in = table_kernels(open_hand, is_legal, legal_codes, step)
