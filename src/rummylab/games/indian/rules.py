"""Classic Indian Rummy: the position, what each seat sees, the legal moves, a step, the score.

One implementation for one table, for batches, for search and for training. The row numbers are those of the rules
page (``docs/games/indian.md``). A position is one flat record in three parts: ``table`` is what everybody sees,
``mine[seat]`` what that seat alone knows, and the rest (the stock's order, the lot for a reshuffle) what nobody knows.

Cards lie in *planes*: a mask of the kinds that are there at least once, one of the kinds that are there twice (two
decks), and a count of printed jokers. A mask alone says which kinds, jokers as ``JOKER_BIT``. Identical cards of two
decks are never told apart.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, IDS_52, LANE, bit, stay_apart
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import STARTER, Root, below, lot_of_deck, shuffle_first, stream, swap_cards
from rummylab.engine.drivers import many_tables
from rummylab.games.indian.melds import JOKER_BIT, card_points, take_away
from rummylab.games.indian.mindist import declarations14
from rummylab.games.indian.minscore import min_score

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

MAX_SEATS = 6
MAX_CARDS = 108  # two decks and four printed jokers
CARDS_EACH = 13

OPTIONS = np.dtype(
    [
        ("seats", "i2"),
        ("decks", "i2"),
        ("printed_jokers", "i2"),
        ("aces_wild", "i2"),  # when a printed joker is the indicator
        ("pile_jokers", "i2"),
        ("first_drop", "i2"),
        ("later_drop", "i2"),
        ("wrong_declaration", "i2"),
        ("cap", "i2"),
        ("strict", "i2"),  # score rule `platform`
        ("first_turn_relief", "i2"),
        ("round_limit", "i2"),
        ("limit_difference", "i2"),
        ("random_starter", "i2"),
    ],
    align=True,
)
"""The options as the kernels read them: public, so they lie on the table."""

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # kinds in the open pile
        ("pile_twice", "i8"),
        ("known", "i8", (MAX_SEATS,)),  # kinds a seat is known to hold: taken from the pile and not thrown since
        ("known_twice", "i8", (MAX_SEATS,)),
        ("picked", "i8", (MAX_SEATS,)),  # kinds a seat has ever taken from the pile, with JOKER_BIT
        ("refused", "i8", (MAX_SEATS,)),  # kinds it could have taken but drew from the stock, with JOKER_BIT
        ("thrown", "i8", (MAX_SEATS,)),  # kinds it has discarded, with JOKER_BIT
        ("scores", "i4", (MAX_SEATS,)),  # points won in the match
        ("gains", "i4", (MAX_SEATS,)),  # of this deal, signed; they sum to nothing
        ("paid", "i2", (MAX_SEATS,)),  # points lost in this deal
        ("deadwood", "i2", (MAX_SEATS,)),  # MinScore at the end, at most the cap; 0 for who was out before
        ("draws", "i2", (MAX_SEATS,)),  # own draws
        ("turn", "i2"),  # completed turns of this deal
        ("round", "i2"),  # completed rounds
        ("stock", "i2"),  # cards left
        ("reshuffles", "i2"),
        ("n_pile", "i2"),
        ("stack", "i1", (MAX_CARDS,)),  # the open pile from the bottom up, then -1
        ("pile_jokers", "i1"),
        ("known_jokers", "i1", (MAX_SEATS,)),
        ("last_draw", "i1", (MAX_SEATS,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (MAX_SEATS,)),
        ("status", "i1", (MAX_SEATS,)),  # playing, dropped, wrong or away
        ("n_playing", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the deal is over
        ("starter", "i1"),
        ("wild", "i1"),  # rank, 0 = ace
        ("indicator", "i1"),
        ("up", "i1"),  # top of the open pile, -1 while there is none
        ("fresh", "i1"),  # the first open card has not been covered yet
        ("outcome", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)
"""What everybody sees."""

MINE = np.dtype(
    [
        ("hand", "i8"),  # kinds held
        ("twice", "i8"),  # kinds held twice
        ("jokers", "i8"),  # printed jokers held
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
        ("mine", MINE, (MAX_SEATS,)),
        ("rng", "u8"),  # the lot for reshuffles
        ("pos", "i2"),  # next card of the stock
        ("deck", "i1", (MAX_CARDS,)),  # in dealing order; after a reshuffle the new stock from 0 on
    ],
    align=True,
)
"""The whole position, the order of the stock included."""

VIEW = np.dtype([("table", TABLE), ("mine", MINE)], align=True)
"""What a seat is shown: no field for anything hidden."""

FROM_STOCK = 63
DRAW, DISCARD, OVER = range(3)
PHASES = ("draw", "discard", "over")
PLAYING, DROPPED, WRONG, AWAY = range(4)
STATUS = ("playing", "dropped", "wrong declaration", "away")
NO_OUTCOME, DECLARED, ALL_DROPPED, WRONGLY_DECLARED, LIMIT = range(5)
OUTCOMES = ("none", "declared", "dropped", "wrong declaration", "limit")
"""How a deal ended; with several losers, ``dropped`` and ``wrong declaration`` tell what the last one did."""

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, DRAW_PILE, DROP = range(3)
DISCARD_CODE, DECLARE_CODE = 64, 128
N_CODES = DECLARE_CODE + JOKER_ID + 1
MAX_LEGAL = 32

ACT = types.int64(from_dtype(TABLE), from_dtype(MINE), types.float32[::1])
"""A compiled agent: ``act(table, mine, par)`` returns the code of its move."""
ACT_POINTER = types.FunctionType(ACT)


# --- What a player can ask ----------------------------------------------------------------------------------------


@helper
def kinds(mine: np.void) -> int:
    """Return the kinds in a hand, with ``JOKER_BIT`` if there is a printed joker: what can be thrown."""
    return mine.hand | JOKER_BIT if mine.jokers else mine.hand


@helper
def is_joker(table: np.void, card: int) -> bool:
    """Return whether *card* is a printed joker or wild."""
    return card == JOKER_ID or (card & 15) == table.wild


@helper
def can_take(table: np.void) -> bool:
    """Return whether the top of the open pile may be taken now (9)."""
    if table.phase != DRAW or table.up < 0:
        return False
    return table.rules.pile_jokers != 0 or table.fresh != 0 or not is_joker(table, table.up)


@helper
def without(once: int, twice: int, less_once: int, less_twice: int) -> tuple[int, int]:
    """Return the planes of a multiset without another that lies within it."""
    return (once & ~less_once) | (twice & less_once & ~less_twice), twice & ~less_once


@helper
def unseen(table: np.void, mine: np.void) -> tuple[int, int, int]:
    """Return the cards a seat has not seen, as planes and number of printed jokers: what can still come.

    They lie in the stock or unknown in other hands: neither in the own hand nor in the open pile, nor taken from it by
    another seat and kept, nor the indicator.
    """
    once = np.int64(ALL_CARDS)
    twice = np.int64(ALL_CARDS) if table.rules.decks == 2 else np.int64(0)
    jokers = np.int64(table.rules.printed_jokers) - table.pile_jokers - mine.jokers
    if table.indicator == JOKER_ID:
        jokers -= 1
    else:
        once, twice = take_away(once, twice, bit(table.indicator))
    once, twice = without(once, twice, table.pile, table.pile_twice)
    once, twice = without(once, twice, mine.hand, mine.twice)
    for seat in range(table.rules.seats):
        if seat != mine.seat:
            once, twice = without(once, twice, table.known[seat], table.known_twice[seat])
            jokers -= table.known_jokers[seat]
    return once, twice, jokers


@helper
def declarable(table: np.void, mine: np.void) -> int:
    """Return the kinds among the actor's 14 cards whose discard leaves a valid declaration (7); 0: none."""
    return declarations14(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*.

    Any card may be thrown, and anybody may declare: a declaration that is not valid loses (12).
    """
    if table.phase == DRAW:
        return code == DRAW_STOCK or code == DROP or (code == DRAW_PILE and can_take(table))
    if table.phase != DISCARD or code < DISCARD_CODE or code >= N_CODES:
        return False
    return kinds(mine) >> (code & 63) & 1 != 0


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the legal moves of the actor to *out* in ascending order; return how many."""
    stay_apart()
    n = 0
    for code in range(N_CODES):
        if is_legal(table, mine, code):
            out[n] = code
            n += 1
    return n


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def n_cards(rules: np.void) -> int:
    """Return the cards in play, the indicator included."""
    return np.int64(52) * rules.decks + rules.printed_jokers


@helper
def indicator_place(rules: np.void) -> int:
    """Return the place of the indicator in dealing order; the first open card comes next."""
    return np.int64(CARDS_EACH) * rules.seats


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Put a fresh shuffle into ``row.deck``, none with a printed joker as indicator where another is drawn (3)."""
    rules = row.table.rules
    n = n_cards(rules)
    for i in range(n):
        row.deck[i] = IDS_52[i % 52] if i < 52 * rules.decks else JOKER_ID
    row.rng = seed
    shuffle_first(row, n)
    place = indicator_place(rules)
    while row.deck[place] == JOKER_ID and not rules.aces_wild:
        swap_cards(row, place, place + below(row, n - place))


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck``: 13 cards each, one at a time from seat 0 on, the indicator, the first open card (2).

    ``table.starter`` begins. A shuffle has no memory, so it is no matter who gets the first card.
    """
    table = row.table
    rules = table.rules
    place = indicator_place(rules)
    _clear(row)
    row.rng = lot_of_deck(row, n_cards(rules))
    for i in range(place):
        take_up(row.mine[i % rules.seats], row.deck[i])
    # A hand-made deck may have a printed joker here: the next card that is none changes places with it (3).
    other = place
    while row.deck[other] == JOKER_ID and not rules.aces_wild:
        other += 1
    swap_cards(row, place, other)
    indicator = row.deck[place]
    table.indicator = indicator
    table.wild = 0 if indicator == JOKER_ID else indicator & 15
    _lay_open(table, row.deck[place + 1])
    row.pos = place + 2
    table.stock = n_cards(rules) - place - 2
    table.fresh = 1
    table.phase = DRAW
    table.actor = table.starter


@helper
def _clear(row: np.void) -> None:
    """Take all cards and notes of an earlier deal off the table."""
    table = row.table
    for seat in range(MAX_SEATS):
        mine = row.mine[seat]
        mine.hand = 0
        mine.twice = 0
        mine.jokers = 0
        mine.seat = seat
        mine.drawn = -1
        for i in range(mine.memory.shape[0]):
            mine.memory[i] = 0
        table.known[seat] = 0
        table.known_twice[seat] = 0
        table.known_jokers[seat] = 0
        table.picked[seat] = 0
        table.refused[seat] = 0
        table.thrown[seat] = 0
        table.gains[seat] = 0
        table.paid[seat] = 0
        table.deadwood[seat] = 0
        table.draws[seat] = 0
        table.last_draw[seat] = -1
        table.last_discard[seat] = -1
        table.status[seat] = PLAYING if seat < table.rules.seats else AWAY
    _empty_pile(table)
    table.n_playing = table.rules.seats
    table.turn = 0
    table.round = 0
    table.reshuffles = 0
    table.outcome = NO_OUTCOME
    table.winner = -1


@helper
def first_starter(table: np.void, root: Root, pair: int) -> int:
    """Return who starts: drawn by lot, or seat 0 where the options say so."""
    if not table.rules.random_starter:
        return np.int64(0)
    lot = stream(root, pair, np.int64(0), np.int64(STARTER)) >> np.uint64(32)
    return np.int64((lot * np.uint64(table.rules.seats)) >> np.uint64(32))


# --- Cards on the move --------------------------------------------------------------------------------------------


@helper
def take_up(mine: np.void, card: int) -> None:
    """Put *card* into a hand."""
    if card == JOKER_ID:
        mine.jokers += 1
    else:
        mine.twice |= mine.hand & bit(card)
        mine.hand |= bit(card)


@helper
def give_up(mine: np.void, card: int) -> None:
    """Take *card* out of a hand."""
    if card == JOKER_ID:
        mine.jokers -= 1
    else:
        mine.hand, mine.twice = take_away(mine.hand, mine.twice, bit(card))


@helper
def _lay_open(table: np.void, card: int) -> None:
    """Put *card* on the open pile."""
    table.stack[table.n_pile] = card
    table.n_pile += 1
    table.up = card
    if card == JOKER_ID:
        table.pile_jokers += 1
    else:
        table.pile_twice |= table.pile & bit(card)
        table.pile |= bit(card)


@helper
def _take_open(table: np.void) -> int:
    """Take the top card off the open pile."""
    card = np.int64(table.up)
    table.n_pile -= 1
    table.stack[table.n_pile] = -1
    table.up = table.stack[table.n_pile - 1] if table.n_pile else -1
    if card == JOKER_ID:
        table.pile_jokers -= 1
    else:
        table.pile, table.pile_twice = take_away(table.pile, table.pile_twice, bit(card))
    return card


@helper
def _empty_pile(table: np.void) -> None:
    for i in range(MAX_CARDS):
        table.stack[i] = -1
    table.n_pile = 0
    table.pile = 0
    table.pile_twice = 0
    table.pile_jokers = 0
    table.up = -1


@helper
def _know(table: np.void, seat: int, card: int) -> None:
    """Note that everybody saw *seat* take *card*."""
    table.picked[seat] |= bit(card)
    if card == JOKER_ID:
        table.known_jokers[seat] += 1
    else:
        table.known_twice[seat] |= table.known[seat] & bit(card)
        table.known[seat] |= bit(card)


@helper
def _forget(table: np.void, seat: int, card: int) -> None:
    """Note that *seat* has thrown *card*, a known copy first: nobody can tell which of two it was."""
    table.thrown[seat] |= bit(card)
    if card == JOKER_ID:
        table.known_jokers[seat] = max(table.known_jokers[seat] - 1, 0)
    else:
        known = table.known[seat] & bit(card)
        table.known[seat], table.known_twice[seat] = take_away(table.known[seat], table.known_twice[seat], known)


@helper
def _reshuffle(row: np.void) -> None:
    """Make the open pile but for its top card the new stock (10)."""
    stay_apart()
    table = row.table
    n = table.n_pile - 1
    up = table.up
    for i in range(n):
        row.deck[i] = table.stack[i]
    for i in range(n, MAX_CARDS):
        row.deck[i] = -1
    shuffle_first(row, n)
    _empty_pile(table)
    _lay_open(table, up)
    row.pos = 0
    table.stock = n
    table.reshuffles += 1


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the legal move *code* of the actor; return the card drawn from the stock, or -1."""
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if code == DRAW_PILE:
        _draw_pile(row)
    elif code == DROP:
        _drop(row)
    elif code < DECLARE_CODE:
        _throw(row, code - DISCARD_CODE)
        _pass_turn(row)
    else:
        _declare(row, code - DECLARE_CODE)
    return -1


@helper
def _draw_stock(row: np.void) -> int:
    table = row.table
    seat = table.actor
    if can_take(table):
        table.refused[seat] |= bit(table.up)
    if table.stock == 0:
        _reshuffle(row)
    card = np.int64(row.deck[row.pos])
    row.pos += 1
    table.stock -= 1
    _drawn(row, card, FROM_STOCK)
    return card


@helper
def _draw_pile(row: np.void) -> None:
    card = _take_open(row.table)
    _know(row.table, row.table.actor, card)
    _drawn(row, card, card)


@helper
def _drawn(row: np.void, card: int, shown: int) -> None:
    table = row.table
    seat = table.actor
    mine = row.mine[seat]
    take_up(mine, card)
    mine.drawn = card
    table.last_draw[seat] = shown
    table.draws[seat] += 1
    table.phase = DISCARD


@helper
def _throw(row: np.void, card: int) -> None:
    """Move *card* from the actor's hand to the open pile."""
    table = row.table
    seat = table.actor
    mine = row.mine[seat]
    give_up(mine, card)
    mine.drawn = -1
    _forget(table, seat, card)
    _lay_open(table, card)
    table.fresh = 0
    table.last_discard[seat] = card


@helper
def _pass_turn(row: np.void) -> None:
    """End the actor's turn; after the last round the hands are compared (15)."""
    table = row.table
    seats = table.rules.seats
    before = (table.actor - table.starter + seats) % seats
    after = before
    while True:
        after += 1
        if after == seats:
            after = 0
            table.round += 1
        if table.status[(table.starter + after) % seats] == PLAYING:
            break
    table.turn += 1
    table.actor = (table.starter + after) % seats
    table.phase = DRAW
    if table.round >= table.rules.round_limit:
        _compare(row)


@helper
def _drop(row: np.void) -> None:
    """Give up (11): cheaper before the own first draw."""
    table = row.table
    seat = table.actor
    lost = table.rules.later_drop if table.draws[seat] else table.rules.first_drop
    _leave(row, DROPPED, lost, ALL_DROPPED)


@helper
def _leave(row: np.void, status: int, lost: int, outcome: int) -> None:
    """Put the actor out of the deal, *lost* points down; the last one left wins."""
    stay_apart()
    table = row.table
    table.status[table.actor] = status
    table.paid[table.actor] = lost
    table.n_playing -= 1
    if table.n_playing > 1:
        _pass_turn(row)
        return
    for seat in range(table.rules.seats):
        if table.status[seat] == PLAYING:
            _close(table, seat, outcome)


@helper
def _declare(row: np.void, card: int) -> None:
    """Throw *card* and show the other thirteen: they must be a valid declaration (7), or the actor loses (12)."""
    stay_apart()
    table = row.table
    winner = table.actor
    _throw(row, card)
    if _hand_score(table, row.mine[winner]) > 0:
        _leave(row, WRONG, table.rules.wrong_declaration, WRONGLY_DECLARED)
        return
    for seat in range(table.rules.seats):
        if table.status[seat] == PLAYING and seat != winner:
            table.deadwood[seat] = _hand_score(table, row.mine[seat])
            table.paid[seat] = table.deadwood[seat]
            if table.rules.first_turn_relief and table.draws[seat] == 0:
                table.paid[seat] = min(table.paid[seat], table.rules.first_drop)
    _close(table, winner, DECLARED)


@helper
def _hand_score(table: np.void, mine: np.void) -> int:
    """Return what thirteen cards cost (13); nothing if and only if they are a valid declaration."""
    stay_apart()
    score = min_score(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), table.rules.strict != 0)
    return min(score, np.int64(table.rules.cap))


@helper
def _compare(row: np.void) -> None:
    """End the deal at the round limit: the lowest hand wins (15)."""
    stay_apart()
    table = row.table
    seats = table.rules.seats
    winner = -1
    for i in range(seats):
        seat = (table.starter + i) % seats
        if table.status[seat] == PLAYING:
            table.deadwood[seat] = _hand_score(table, row.mine[seat])
            if winner < 0 or _is_lower(row, seat, winner):
                winner = seat
    for seat in range(seats):
        if table.status[seat] == PLAYING and seat != winner:
            less = table.deadwood[winner] if table.rules.limit_difference else 0
            table.paid[seat] = table.deadwood[seat] - less
    _close(table, winner, LIMIT)


@helper
def _is_lower(row: np.void, seat: int, other: int) -> bool:
    """Return whether *seat* beats *other* at the limit: lower MinScore, then fewer points in diamonds, clubs, hearts,
    spades of the whole hand (15). Equal hands: no, so the earlier in the order of play wins.
    """
    table = row.table
    if table.deadwood[seat] != table.deadwood[other]:
        return table.deadwood[seat] < table.deadwood[other]
    for k in range(4):
        suit = (k + 3) & 3
        ours, theirs = _suit_points(table, row.mine[seat], suit), _suit_points(table, row.mine[other], suit)
        if ours != theirs:
            return ours < theirs
    return False


@helper
def _suit_points(table: np.void, mine: np.void, suit: int) -> int:
    """Return what all cards of *suit* in a hand count, melds or not; wild cards nothing (4)."""
    lane = (np.int64(LANE) << (16 * suit)) & ~(np.int64(EACH_SUIT) << np.int64(table.wild))
    return card_points(mine.hand & lane) + card_points(mine.twice & lane)


@helper
def _close(table: np.void, winner: int, outcome: int) -> None:
    """Settle the deal: what the others lose is the winner's (16)."""
    won = 0
    for seat in range(table.rules.seats):
        table.gains[seat] = -table.paid[seat]
        won += table.paid[seat]
    table.gains[winner] = won
    table.scores[winner] += won
    table.winner = winner
    table.outcome = outcome
    table.turn += outcome != LIMIT  # at the limit the turn is counted already
    table.phase = OVER
    table.actor = -1


# --- One table from Python ----------------------------------------------------------------------------------------


@kernel
def shuffle_rows(rows: Rows, seed: np.uint64) -> None:
    """Put the shuffle of stream *seed* into every row's deck."""
    for i in range(rows.shape[0]):
        shuffle_deck(rows[i], seed)


open_hands, step_many, legal_many = many_tables(open_hand, is_legal, legal_codes, step)
