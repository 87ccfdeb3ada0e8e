"""Two-player Gin Rummy: the position, what each seat sees, the legal moves, a step, the score.

One implementation for one table, for batches, for search and for training. The paragraph numbers are those of
``docs/games/gin.md``. A position is one flat record in three parts: ``table`` is what everybody sees, ``mine[seat]``
what that seat alone knows, and the rest (the deck's order) what nobody knows. Moves are chosen and judged from
``table`` and ``mine`` alone, so a player cannot be shown more than it may know.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper
from rummylab.cards.bits import IDS_52, bit, highest, index_of, lowest, points, popcount, stay_apart
from rummylab.cards.rng import STARTER, Root, shuffle, stream
from rummylab.engine.drivers import many_tables
from rummylab.games.gin import melds
from rummylab.games.gin.eleven import deadwood_by_eleven
from rummylab.games.gin.melds import MAX_MELDS, MELDS, N_MELDS, best_place, min_deadwood, official_lay_off

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

OPTIONS = np.dtype(
    [
        ("knock_limit", "i2"),
        ("knock_by_eleven", "i2"),
        ("gin_bonus", "i2"),
        ("undercut_bonus", "i2"),
        ("tie_undercuts", "i2"),
        ("big_gin_bonus", "i2"),
        ("defender_lays_off", "i2"),
        ("lay_off_reach", "i2"),
        ("max_run", "i2"),
        ("discard_taken", "i2"),
        ("wall", "i2"),
        ("last_up_card", "i2"),
        ("turn_cap", "i2"),
        ("up_card_cap", "i2"),
        ("refuse_repeats", "i2"),
        ("knock_card", "i2"),
        ("oklahoma", "i2"),
        ("random_starter", "i2"),
        ("target", "i2"),
        ("game_bonus", "i2"),
        ("box_bonus", "i2"),
        ("shut_out_doubles", "i2"),
    ],
    align=True,
)
"""The options as the kernels read them: public, so they lie on the table."""

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # every card of the discard pile
        ("known", "i8", (2,)),  # cards a seat is known to hold: up-cards it took and kept
        ("refused", "i8", (2,)),  # up-cards a seat has let go by
        ("thrown", "i8", (2,)),  # cards a seat has discarded
        ("took", "i1", (2, 52)),  # by 13 * suit + rank: the seat's turn (1 is its first) at which it took the card
        ("passed", "i1", (2, 52)),  # the turn at which it let the card go by as up-card, 0: never
        ("threw", "i1", (2, 52)),  # the turn at which it discarded the card; of several turns the latest
        ("spread", "i8", (2, MAX_MELDS)),  # melds on the table, lay-offs included
        ("scores", "i4", (2,)),  # of the match
        ("hands_won", "i2", (2,)),
        ("hand_no", "i4"),
        ("turn", "i2"),  # completed turns of this hand
        ("up_draws", "i2"),
        ("points", "i2"),  # what the winner of the hand gets
        ("deadwood", "i2", (2,)),  # when the hand is settled, after lay-offs
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the hand is over
        ("starter", "i1"),
        ("offers", "i1"),  # refusals of the first up-card
        ("up", "i1"),  # top of the discard pile, -1 while a player holds it
        ("taken", "i1"),  # up-card taken in this turn, -1 if none
        ("stock", "i1"),  # cards left
        ("limit", "i1"),  # knock limit of this hand
        ("last_draw", "i1", (2,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (2,)),
        ("back_and_forth", "i1"),  # up-cards taken and thrown back in a row
        ("knocker", "i1"),
        ("n_melds", "i1", (2,)),
        ("n_laid", "i1"),
        ("laid", "i1", (10,)),  # cards laid off, in order
        ("laid_on", "i1", (10,)),  # the meld each went to
        ("outcome", "i1"),  # none until the hand is settled, but gin as soon as it is shown
        ("winner", "i1"),
        ("stake", "i1"),  # 2 where the hand counts double
        ("swapped", "i8", (64,)),  # per up-card taken: the discards that followed (only if repeats are refused)
    ],
    align=True,
)
"""What everybody sees."""

MINE = np.dtype(
    [
        ("hand", "i8"),
        ("rng", "u8"),  # the agent's own random stream
        ("seat", "i1"),
        ("drawn", "i1"),  # the card drawn in this turn, -1 between turns
        ("memory", "i8", (32,)),  # the agent's own notes, cleared at every deal
    ],
    align=True,
)
"""What one seat alone knows."""

RECORD = np.dtype([("table", TABLE), ("mine", MINE, (2,)), ("pos", "i1"), ("deck", "i1", (52,))], align=True)
"""The whole position, the order of the stock included."""

VIEW = np.dtype([("table", TABLE), ("mine", MINE)], align=True)
"""What a seat is shown: no field for anything hidden."""

FROM_STOCK = 62
SPADES = 2
OFFER, DRAW, DISCARD, SPREAD, LAY_OFF, DEFEND, WALL, OVER = range(8)
PHASES = ("offer", "draw", "discard", "spread", "lay off", "defend", "wall", "over")
NO_OUTCOME, KNOCK, GIN, UNDERCUT, CANCELLED, BIG_GIN, TIE = range(7)
OUTCOMES = ("none", "knock", "gin", "undercut", "cancelled", "big gin", "tie")

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, TAKE_UP_CARD, PASS, DONE, SHOW_BIG_GIN = range(5)
DISCARD_CODE, KNOCK_CODE, LAY_OFF_CODE, MELD_CODE = 64, 128, 192, 256
N_CODES = MELD_CODE + N_MELDS
MAX_LEGAL = 96

MAX_TURN = 127
"""What the turns of ``took``, ``passed`` and ``threw`` are cut off at."""

ACT = types.int64(from_dtype(TABLE), from_dtype(MINE), types.float32[::1])
"""A compiled agent: ``act(table, mine, par)`` returns the code of its move."""
ACT_POINTER = types.FunctionType(ACT)


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def own_turn(table: np.void) -> int:
    """Return the number of the actor's turn in this hand, from 1; offers of the first up-card belong to turn 1."""
    return min((table.turn >> 1) + 1, MAX_TURN)


@helper
def rest(table: np.void, mine: np.void) -> int:
    """Return the cards of a seat that are neither laid down in melds nor laid off."""
    cards = mine.hand
    for k in range(MAX_MELDS):
        cards &= ~table.spread[mine.seat, k]
    for i in range(table.n_laid):
        cards &= ~bit(table.laid[i])
    return cards


@helper
def cards_to_play(table: np.void, mine: np.void) -> int:
    """Return the eleven cards the actor discards from; at the wall the up-card comes along (15)."""
    return mine.hand | bit(table.up) if table.phase == WALL else mine.hand


@helper
def can_take(table: np.void) -> bool:
    """Return whether the actor may take the up-card: in every turn, and while it is offered at the start (3)."""
    return table.phase == DRAW or (table.phase == OFFER and table.offers < 2)


@helper
def decline(table: np.void) -> int:
    """Return the move of an actor who does not want the up-card."""
    return PASS if table.phase == OFFER and table.offers < 2 else DRAW_STOCK


@helper
def discards(table: np.void, mine: np.void) -> int:
    """Return the cards the actor may throw: not the up-card just taken (5), nor a repeated swap (14)."""
    cards = cards_to_play(table, mine)
    if table.phase == WALL:
        return cards if table.rules.discard_taken else mine.hand
    if table.taken >= 0:
        if not table.rules.discard_taken:
            cards &= ~bit(table.taken)
        if table.rules.refuse_repeats:
            fresh = cards & ~table.swapped[table.taken]
            if fresh:
                cards = fresh
    return cards


@helper
def can_knock(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether the ten cards left after throwing *card* are good for a knock (7)."""
    cards = cards_to_play(table, mine)
    if table.rules.knock_by_eleven and deadwood_by_eleven(cards) > table.limit:
        return False
    return min_deadwood(cards & ~bit(card)) <= table.limit


@helper
def can_meld(table: np.void, mine: np.void, meld: int) -> bool:
    """Return whether *meld* may be laid down now: from the rest of the hand, and not spoiling a knock (7)."""
    left = rest(table, mine)
    if meld & ~left or table.n_melds[mine.seat] == MAX_MELDS:
        return False
    if popcount(meld) > table.rules.max_run:
        return False
    return table.phase == DEFEND or min_deadwood(left & ~meld) <= table.limit


@helper
def can_lay_off(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether *card* fits a meld of the knocker (9)."""
    return rest(table, mine) & bit(card) != 0 and place_for(table, bit(card)) >= 0


@helper
def place_for(table: np.void, card: int) -> int:
    """Return the meld of the knocker on which the card mask *card* is laid off, or -1."""
    k = table.knocker
    a, b, c = table.spread[k, 0], table.spread[k, 1], table.spread[k, 2]
    place = best_place(a, b, c, card)
    while place >= 0 and _is_out_of_reach(table, table.spread[k, place], card):  # then another meld may take it
        a, b, c = (a if place != 0 else 0), (b if place != 1 else 0), (c if place != 2 else 0)
        place = best_place(a, b, c, card)
    return place


@helper
def _is_out_of_reach(table: np.void, meld: int, card: int) -> bool:
    """Return whether *card* lies too far from the end of a run as it was laid down (15)."""
    as_laid_down = meld
    for i in range(table.n_laid):
        as_laid_down &= ~bit(table.laid[i])
    distance = max(lowest(as_laid_down) - lowest(card), lowest(card) - highest(as_laid_down))
    return distance > table.rules.lay_off_reach and not melds.is_group(meld)


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*."""
    phase = table.phase
    if phase == DRAW or phase == OFFER:
        return code == decline(table) or (code == TAKE_UP_CARD and can_take(table))
    if phase == DISCARD or phase == WALL:
        if DISCARD_CODE <= code < KNOCK_CODE:
            return phase == DISCARD and discards(table, mine) & bit(code - DISCARD_CODE) != 0
        if KNOCK_CODE <= code < LAY_OFF_CODE:
            card = code - KNOCK_CODE
            return discards(table, mine) & bit(card) != 0 and can_knock(table, mine, card)
        if code == SHOW_BIG_GIN:
            return phase == DISCARD and table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0
        return phase == WALL and code == PASS
    if phase == OVER:
        return False
    return _is_legal_showdown(table, mine, code)


@helper
def _is_legal_showdown(table: np.void, mine: np.void, code: int) -> bool:
    """The spread is laid meld by meld, lay-offs card by card."""
    stay_apart()
    phase = table.phase
    if code == DONE:
        return phase != SPREAD or points(rest(table, mine)) <= table.limit
    if phase == LAY_OFF:
        return LAY_OFF_CODE <= code < MELD_CODE and can_lay_off(table, mine, code - LAY_OFF_CODE)
    return MELD_CODE <= code < N_CODES and can_meld(table, mine, MELDS[code - MELD_CODE])


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the legal moves of the actor to *out* in ascending order; return how many."""
    stay_apart()
    n = 0
    for code in range(MELD_CODE):
        if is_legal(table, mine, code):
            out[n] = code
            n += 1
    if table.phase == SPREAD or table.phase == DEFEND:
        cards = rest(table, mine)
        for number in range(N_MELDS):
            if MELDS[number] & ~cards == 0 and is_legal(table, mine, MELD_CODE + number):
                out[n] = MELD_CODE + number
                n += 1
    return n


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck``: twenty cards alternately from seat 0 on, the 21st face up (2). ``table.starter`` begins."""
    table = row.table
    for seat in range(2):
        mine = row.mine[seat]
        mine.hand = 0
        mine.seat = seat
        mine.drawn = -1
        for i in range(mine.memory.shape[0]):
            mine.memory[i] = 0
        table.known[seat] = 0
        table.refused[seat] = 0
        table.thrown[seat] = 0
        for i in range(52):
            table.took[seat, i] = 0
            table.passed[seat, i] = 0
            table.threw[seat, i] = 0
        for k in range(MAX_MELDS):
            table.spread[seat, k] = 0
        table.n_melds[seat] = 0
        table.last_draw[seat] = -1
        table.last_discard[seat] = -1
        table.deadwood[seat] = 0
    for i in range(20):
        row.mine[i & 1].hand |= bit(row.deck[i])
    up = row.deck[20]
    row.pos = 21
    table.up = up
    table.pile = bit(up)
    table.stock = 31
    table.phase = OFFER
    table.actor = table.starter
    table.offers = 0
    table.taken = -1
    table.turn = 0
    table.up_draws = 0
    table.back_and_forth = 0
    table.knocker = -1
    table.n_laid = 0
    for i in range(10):
        table.laid[i] = 0
        table.laid_on[i] = 0
    table.points = 0
    table.outcome = NO_OUTCOME
    table.winner = -1
    table.limit = _limit(table, up)
    table.stake = 2 if table.rules.oklahoma and up >> 4 == SPADES else 1
    if table.rules.refuse_repeats:
        for i in range(64):
            table.swapped[i] = 0


@helper
def _limit(table: np.void, up: int) -> int:
    value = min((up & 15) + 1, 10)
    if table.rules.oklahoma:
        return 0 if value == 1 else value
    return value if table.rules.knock_card else table.rules.knock_limit


@helper
def open_match(row: np.void, starter: int) -> None:
    """Set the scores to nothing and seat the first starter."""
    table = row.table
    for seat in range(2):
        table.scores[seat] = 0
        table.hands_won[seat] = 0
    table.hand_no = 0
    table.starter = starter


@helper
def first_starter(table: np.void, root: Root, pair: int) -> int:
    """Return who starts the first hand: drawn at random (2), or seat 0 where the options say so."""
    if not table.rules.random_starter:
        return np.int64(0)
    return np.int64(stream(root, pair, np.int64(0), np.int64(STARTER)) >> np.uint64(63))


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether somebody has reached the target (12); without a target one hand is a match."""
    return max(table.scores[0], table.scores[1]) >= table.rules.target


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next hand: the other seat, or the same after a cancelled hand (11)."""
    return table.starter if table.outcome == CANCELLED else 1 - table.starter


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Put a fresh shuffle into ``row.deck``."""
    for i in range(52):
        row.deck[i] = IDS_52[i]
    shuffle(row.deck, seed)


@helper
def match_total(table: np.void, seat: int) -> int:
    """Return the final total of *seat* in a finished match: score, boxes, game bonus, shut-out (12)."""
    total = table.scores[seat] + table.rules.box_bonus * table.hands_won[seat]
    if table.scores[seat] > table.scores[1 - seat]:
        total += table.rules.game_bonus
        if table.rules.shut_out_doubles and table.hands_won[1 - seat] == 0:
            total *= 2
    return total


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the legal move *code* of the actor; return the card drawn from the stock, or -1."""
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if DISCARD_CODE <= code < KNOCK_CODE:
        _throw(row, code - DISCARD_CODE)
        _end_turn(row)
    elif code == TAKE_UP_CARD:
        _take_up_card(row)
    elif code == PASS:
        _pass(row)
    else:
        _show(row, code)
    return -1


@helper
def _show(row: np.void, code: int) -> None:
    """Carry out what ends a hand: a knock, melds, lay-offs."""
    stay_apart()
    table = row.table
    if code >= MELD_CODE:
        _lay_down(row, MELDS[code - MELD_CODE])
    elif code >= LAY_OFF_CODE:
        _lay_off(table, code - LAY_OFF_CODE)
    elif code >= KNOCK_CODE:
        _knock(row, code - KNOCK_CODE)
    elif code == DONE:
        _done(row)
    elif code == SHOW_BIG_GIN:
        _show_big_gin(row)


@helper
def _draw_stock(row: np.void) -> int:
    table = row.table
    seat = table.actor
    card = row.deck[row.pos]
    row.pos += 1
    table.stock -= 1
    mine = row.mine[seat]
    mine.hand |= bit(card)
    mine.drawn = card
    _let_go_by(table)
    table.last_draw[seat] = FROM_STOCK
    table.phase = DISCARD
    return card


@helper
def _let_go_by(table: np.void) -> None:
    """Note that the actor does not want the up-card."""
    table.refused[table.actor] |= bit(table.up)
    table.passed[table.actor, index_of(table.up)] = own_turn(table)


@helper
def _take_up_card(row: np.void) -> None:
    table = row.table
    seat = table.actor
    if table.phase == DRAW:
        table.up_draws += 1
        if table.up_draws == table.rules.up_card_cap:
            _cancel(table)
            return
    card = table.up
    mine = row.mine[seat]
    mine.hand |= bit(card)
    mine.drawn = card
    table.known[seat] |= bit(card)
    table.took[seat, index_of(card)] = own_turn(table)
    table.pile &= ~bit(card)
    table.last_draw[seat] = card
    table.taken = card
    table.up = -1
    table.phase = DISCARD


@helper
def _pass(row: np.void) -> None:
    table = row.table
    seat = table.actor
    if table.phase == WALL:
        _cancel(table)
        return
    _let_go_by(table)
    table.offers += 1
    table.actor = 1 - seat


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
    table.threw[seat, index_of(card)] = own_turn(table)
    table.pile |= bit(card)
    table.up = card
    table.last_discard[seat] = card
    table.turn += 1


@helper
def _end_turn(row: np.void) -> None:
    table = row.table
    rules = table.rules
    if table.taken >= 0:
        if rules.refuse_repeats:
            table.swapped[table.taken] |= bit(table.up)
        table.back_and_forth = table.back_and_forth + 1 if table.up == table.taken else 0
        table.taken = -1
    else:
        table.back_and_forth = 0
    table.actor = 1 - table.actor
    table.phase = DRAW
    if table.back_and_forth == 2:
        _cancel(table)
    elif table.stock <= rules.wall:  # (6): the opponent does not get this last discard, but see (15)
        if rules.last_up_card:
            table.phase = WALL
        else:
            _cancel(table)
    elif rules.turn_cap > 0 and table.turn >= rules.turn_cap:
        _cancel(table)


@helper
def _knock(row: np.void, card: int) -> None:
    table = row.table
    if table.phase == WALL:
        _take_up_card(row)
    table.taken = -1
    table.knocker = table.actor
    _throw(row, card)
    table.phase = SPREAD


@helper
def _lay_down(row: np.void, meld: int) -> None:
    table = row.table
    seat = table.actor
    table.spread[seat, table.n_melds[seat]] = meld
    table.n_melds[seat] += 1


@helper
def _lay_off(table: np.void, card: int) -> None:
    _note_lay_off(table, card, place_for(table, bit(card)))


@helper
def _note_lay_off(table: np.void, card: int, place: int) -> None:
    table.spread[table.knocker, place] |= bit(card)
    table.laid[table.n_laid] = card
    table.laid_on[table.n_laid] = place
    table.n_laid += 1


@helper
def _done(row: np.void) -> None:
    """Close the actor's part of the spread: the knocker's melds are public before the defender melds (8)."""
    table = row.table
    if table.phase == SPREAD:
        # Of the cards the knocker keeps only this is public until the hand is settled: whether there are any.
        gin = rest(table, row.mine[table.knocker]) == 0
        if gin and table.outcome == NO_OUTCOME:
            table.outcome = GIN
        table.actor = 1 - table.knocker
        table.phase = LAY_OFF if table.rules.defender_lays_off and not gin else DEFEND
    elif table.phase == LAY_OFF:
        table.phase = DEFEND
    else:
        _settle(row)


@helper
def _show_big_gin(row: np.void) -> None:
    table = row.table
    table.knocker = table.actor
    table.turn += 1
    table.outcome = BIG_GIN
    table.limit = 0  # all eleven cards must be laid down
    table.taken = -1
    row.mine[table.actor].drawn = -1
    table.phase = SPREAD


@helper
def _settle(row: np.void) -> None:
    """Lay off by the official scan where the options say so (9), then score (10)."""
    table = row.table
    knocker = table.knocker
    defender = 1 - knocker
    left = rest(table, row.mine[defender])
    kept = points(rest(table, row.mine[knocker]))
    if kept > 0 and not table.rules.defender_lays_off:
        left = _official_lay_offs(table, left)
    caught = points(left)
    table.deadwood[knocker] = kept
    table.deadwood[defender] = caught
    if table.outcome == BIG_GIN:
        _score(table, knocker, table.rules.big_gin_bonus + caught, BIG_GIN)
    elif kept == 0:
        _score(table, knocker, table.rules.gin_bonus + caught, GIN)
    elif kept < caught:
        _score(table, knocker, caught - kept, KNOCK)
    elif kept == caught and not table.rules.tie_undercuts:
        _score(table, -1, 0, TIE)
    else:
        _score(table, defender, table.rules.undercut_bonus + kept - caught, UNDERCUT)


@helper
def _official_lay_offs(table: np.void, cards: int) -> int:
    """Lay off the defender's unmelded *cards* by the referee's scan; return those that stay."""
    k = table.knocker
    while True:
        card, place = official_lay_off(table.spread[k, 0], table.spread[k, 1], table.spread[k, 2], cards)
        if place < 0:
            return cards
        cards ^= card
        _note_lay_off(table, lowest(card), place)


@helper
def _score(table: np.void, winner: int, won: int, outcome: int) -> None:
    won *= table.stake
    table.outcome = outcome
    table.winner = winner
    table.points = won
    if winner >= 0:
        table.scores[winner] += won
        table.hands_won[winner] += 1
    _close(table)


@helper
def _cancel(table: np.void) -> None:
    table.outcome = CANCELLED
    table.winner = -1
    table.points = 0
    _close(table)


@helper
def _close(table: np.void) -> None:
    table.phase = OVER
    table.actor = -1
    table.hand_no += 1


# --- One table from Python ----------------------------------------------------------------------------------------


open_hands, step_many, legal_many = many_tables(open_hand, is_legal, legal_codes, step)
