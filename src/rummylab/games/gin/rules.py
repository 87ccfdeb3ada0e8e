"""Two-player Gin Rummy: the position, what each seat sees, the legal moves, a step, the score.

Play, batches, search and training all use this one implementation. The paragraph numbers are those of
``docs/games/gin.md``. A position is one flat record in three parts: ``table`` is what everybody sees, ``mine[seat]``
what only that seat knows, and the rest (the deck's order) what nobody knows. Moves are chosen and judged from
``table`` and ``mine`` alone, so a player cannot be shown more than they may know.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import (
    IDS_52,
    always_inline,
    bit,
    choose,
    highest,
    index_of,
    lowest,
    noinline,
    points,
    popcount,
    rare,
)
from rummylab.cards.melds import MAX_MELDS, MELDS, N_MELDS, is_group, min_deadwood
from rummylab.cards.rng import Root, shuffle
from rummylab.engine.drivers import codes_by_trial, random_seat, table_kernels
from rummylab.engine.kernel_records import clearing, options_record, records_of
from rummylab.games.gin.eleven import deadwood_by_eleven
from rummylab.games.gin.melds import best_place, official_lay_off
from rummylab.games.gin.options import GinOptions

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

OPTIONS = options_record(GinOptions, defender_lays_off="i2")

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # every card of the discard pile
        ("known", "i8", (2,)),  # cards a seat is known to hold: upcards it took and kept
        ("refused", "i8", (2,)),  # upcards a seat declined
        ("thrown", "i8", (2,)),  # cards a seat has discarded
        ("took", "i1", (2, 52)),  # by 13 * suit + rank: the seat's turn (1 is its first) at which it took the card
        ("passed", "i1", (2, 52)),  # the turn at which it declined the card as upcard, 0: never
        ("threw", "i1", (2, 52)),  # the latest turn at which it discarded the card
        ("spread", "i8", (2, MAX_MELDS)),  # melds on the table, layoffs included
        ("scores", "i4", (2,)),  # of the match
        ("hands_won", "i2", (2,)),
        ("knocks", "i2", (2,)),  # of the match: hands that a seat ended with a knock or gin
        ("gins", "i2", (2,)),  # those of them that were gin
        ("knocked_with", "i2", (2,)),  # deadwood kept in all of them together
        ("knock_turns", "i2", (2,)),  # the seat's turns until each of them, together
        ("hand_no", "i4"),
        ("turn", "i2"),  # completed turns of this hand
        ("up_draws", "i2"),
        ("points", "i2"),  # what the winner of the hand gets
        ("deadwood", "i2", (2,)),  # when the hand is settled, after layoffs
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the hand is over
        ("starter", "i1"),
        ("offers", "i1"),  # refusals of the first upcard
        ("up", "i1"),  # top of the discard pile, -1 while a player holds it
        ("taken", "i1"),  # upcard taken in this turn, -1 if none
        ("stock", "i1"),  # cards left
        ("limit", "i1"),  # knock limit of this hand
        ("last_draw", "i1", (2,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (2,)),
        ("back_and_forth", "i1"),  # upcards taken and discarded again in a row
        ("knocker", "i1"),
        ("n_melds", "i1", (2,)),
        ("n_laid", "i1"),
        ("laid", "i1", (10,)),  # cards laid off, in order
        ("laid_on", "i1", (10,)),  # the meld each went to
        ("outcome", "i1"),  # none until the hand is settled, but gin as soon as it is shown
        ("winner", "i1"),
        ("stake", "i1"),  # 2 where the hand counts double
        ("swapped", "i8", (64,)),  # per upcard taken: the discards that followed (only if repeats are refused)
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
"""What only one seat knows."""

RECORD, VIEW, ACT, ACT_POINTER = records_of(TABLE, MINE, 2, [("pos", "i1"), ("deck", "i1", (52,))])

FROM_STOCK = 62
HAND_SIZE = 10
"""Cards in a hand of the full game."""
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
"""Largest turn that ``took``, ``passed`` and ``threw`` record."""


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def own_turn(table: np.void) -> int:
    """Return the number of the actor's turn in this hand, from 1; offers of the first upcard belong to turn 1."""
    return min((table.turn >> 1) + 1, MAX_TURN)


@helper
def unmelded(table: np.void, mine: np.void) -> int:
    """Return the cards of a seat that are neither melded nor laid off."""
    cards = mine.hand
    for k in range(MAX_MELDS):
        cards &= ~table.spread[mine.seat, k]
    for i in range(table.n_laid):
        cards &= ~bit(table.laid[i])
    return cards


@helper
def cards_to_play(table: np.void, mine: np.void) -> int:
    """Return the eleven cards the actor discards from; at the wall they include the upcard (15)."""
    return mine.hand | bit(table.up) if table.phase == WALL else mine.hand


@helper
def can_take(table: np.void) -> bool:
    """Return whether the actor may take the upcard: in every turn, and while it is offered at the start (3)."""
    return table.phase == DRAW or (table.phase == OFFER and table.offers < 2)


@helper
def decline(table: np.void) -> int:
    """Return the move that declines the upcard."""
    return PASS if table.phase == OFFER and table.offers < 2 else DRAW_STOCK


@helper
def draws(table: np.void) -> int:
    """Return the moves of a draw or an offer as a mask of codes: to decline the upcard, and to take it (3)."""
    declined = bit(decline(table))
    return declined | bit(TAKE_UP_CARD) if can_take(table) else declined


@helper
def discards(table: np.void, mine: np.void) -> int:
    """Return the cards the actor may discard: not the upcard just taken (5), nor a repeated swap (14)."""
    always_inline()
    if table.phase == WALL:
        return cards_to_play(table, mine) if table.rules.discard_taken else mine.hand
    # No card taken is -1, and its bit 63 is in no hand: nobody can foretell whether one was, so do not branch on it.
    cards = mine.hand if table.rules.discard_taken else mine.hand & ~bit(table.taken & 63)
    if table.rules.refuse_repeats and table.taken >= 0:
        fresh = cards & ~table.swapped[table.taken]
        return fresh if fresh else cards
    return cards


@helper
def can_knock(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether the actor may knock with the ten cards left after discarding *card* (7)."""
    always_inline()
    cards = cards_to_play(table, mine)
    if table.rules.knock_by_eleven and deadwood_by_eleven(cards) > table.limit:
        return False
    return min_deadwood(cards & ~bit(card)) <= table.limit


@helper
def can_meld(table: np.void, mine: np.void, meld: int) -> bool:
    """Return whether *meld* may be laid down now: from the unmelded cards, and without spoiling a knock (7)."""
    left = unmelded(table, mine)
    if meld & ~left or table.n_melds[mine.seat] == MAX_MELDS:
        return False
    if popcount(meld) > table.rules.max_run:
        return False
    return table.phase == DEFEND or min_deadwood(left & ~meld) <= table.limit


@helper
def can_lay_off(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether *card* fits a meld of the knocker (9)."""
    return unmelded(table, mine) & bit(card) != 0 and place_for(table, bit(card)) >= 0


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
    return distance > table.rules.layoff_reach and not is_group(meld)


@helper
def _can_draw(table: np.void, code: int) -> bool:
    """Return whether *code* is a legal move of a draw or an offer."""
    always_inline()
    return 0 <= code <= PASS and draws(table) & bit(code) != 0


@helper
def _can_discard(table: np.void, mine: np.void, card: int) -> bool:
    """Return whether the actor may discard *card* and play on."""
    always_inline()
    return discards(table, mine) & bit(card) != 0


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*."""
    always_inline()
    phase = table.phase
    if phase == DRAW or phase == OFFER:
        return _can_draw(table, code)
    if phase == DISCARD or phase == WALL:
        if DISCARD_CODE <= code < KNOCK_CODE:
            return phase == DISCARD and _can_discard(table, mine, code & 63)
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
    """Return whether *code* is legal after a knock: the spread is laid meld by meld, layoffs card by card."""
    noinline()
    phase = table.phase
    if code == DONE:
        return phase != SPREAD or points(unmelded(table, mine)) <= table.limit
    if phase == LAY_OFF:
        return LAY_OFF_CODE <= code < MELD_CODE and can_lay_off(table, mine, code - LAY_OFF_CODE)
    return MELD_CODE <= code < N_CODES and can_meld(table, mine, MELDS[code - MELD_CODE])


codes_without_melds = codes_by_trial(is_legal, MELD_CODE)


@helper
def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
    """Write the actor's legal moves to *out* in ascending order and return how many there are."""
    noinline()
    n = codes_without_melds(table, mine, out)
    if table.phase == SPREAD or table.phase == DEFEND:
        cards = unmelded(table, mine)
        for number in range(N_MELDS):
            if MELDS[number] & ~cards == 0 and is_legal(table, mine, MELD_CODE + number):
                out[n] = MELD_CODE + number
                n += 1
    return n


# --- The deal -----------------------------------------------------------------------------------------------------


_OF_MATCH = ("rules", "scores", "hands_won", "knocks", "gins", "knocked_with", "knock_turns", "hand_no", "starter")
clear_hand = clearing(TABLE, (*_OF_MATCH, "swapped"), ("taken", "last_draw", "last_discard", "knocker", "winner"))
clear_match = clearing(TABLE, ("rules",))
clear_mine = clearing(MINE, ("rng",), ("drawn",))


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck``: the hands alternately from seat 0 on, the next card face up (2). ``table.starter`` begins."""
    table = row.table
    clear_hand(table)
    for seat in range(2):
        clear_mine(row.mine[seat])
        row.mine[seat].seat = seat
    if table.rules.hand_size == HAND_SIZE:  # a number that the compiler knows
        _deal(row, 2 * HAND_SIZE)
    else:
        _deal(row, 2 * table.rules.hand_size)
    up = row.deck[row.pos]
    row.pos += 1
    table.up = up
    table.pile = bit(up)
    table.stock = table.rules.ranks * table.rules.suits - row.pos
    table.phase = OFFER
    table.actor = table.starter
    table.limit = _limit(table, up)
    table.stake = 2 if table.rules.oklahoma and up >> 4 == SPADES else 1
    if table.rules.refuse_repeats:
        for i in range(64):
            table.swapped[i] = 0


@helper
def _deal(row: np.void, n: int) -> None:
    """Deal *n* cards alternately, from seat 0 on."""
    always_inline()
    for i in range(n):
        row.mine[i & 1].hand |= bit(row.deck[i])
    row.pos = n


@helper
def _limit(table: np.void, up: int) -> int:
    value = min((up & 15) + 1, 10)
    if table.rules.oklahoma:
        return 0 if value == 1 else value
    return value if table.rules.knock_card else table.rules.knock_limit


@helper
def open_match(row: np.void, starter: int) -> None:
    """Clear the scores and seat the first starter."""
    clear_match(row.table)
    row.table.starter = starter


@helper
def first_starter(table: np.void, root: Root, deal: int) -> int:
    """Return who starts the first hand: drawn at random (2), or seat 0 where the options say so."""
    return random_seat(root, deal, 2) if table.rules.random_starter else np.int64(0)


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether somebody has reached the target (12); without a target, one hand is a match."""
    return max(table.scores[0], table.scores[1]) >= table.rules.target


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next hand: the other seat, or the same seat after a canceled hand (11)."""
    return table.starter if table.outcome == CANCELLED else 1 - table.starter


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Shuffle a fresh deck into ``row.deck``."""
    ranks, suits = np.int64(row.table.rules.ranks), np.int64(row.table.rules.suits)
    if ranks * suits < 52:
        _shuffle_small_deck(row, seed, ranks, suits)
        return
    for i in range(52):
        row.deck[i] = IDS_52[i]
    shuffle(row.deck, seed)


@helper
def _shuffle_small_deck(row: np.void, seed: np.uint64, ranks: int, suits: int) -> None:
    """Shuffle the lowest *ranks* of the first *suits* into ``row.deck``; no card is -1."""
    rare()
    n = ranks * suits
    for i in range(52):
        row.deck[i] = 16 * (i // ranks) + i % ranks if i < n else -1
    shuffle(row.deck[:n], seed)


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
    """Carry out the actor's legal move *code* and return the card drawn from the stock, or -1."""
    phase = row.table.phase
    if phase == DRAW or phase == OFFER:
        if code == PASS:
            _pass(row)
            return -1
        return _draw(row, code, row.deck[row.pos & 63])
    if DISCARD_CODE <= code < KNOCK_CODE:
        _discard(row, code & 63)
    else:
        _show(row, code)
    return -1


@helper
def move(row: np.void, code: int) -> bool:
    """Carry out the actor's move *code* if it is legal, and return whether it was: `is_legal`, then `step`.

    Nine moves in ten are draws and discards. Here their phase leads to their part of both at once. What few presets ask
    for is checked first: after a call for it, the compiler would read everything again.
    """
    always_inline()
    table = row.table
    phase = table.phase
    if phase == DRAW and not table.rules.upcard_cap:
        if not _can_draw(table, code):
            return False
        _draw(row, code, row.deck[row.pos & 63])
        return True
    if phase == DISCARD and DISCARD_CODE <= code < KNOCK_CODE and not table.rules.refuse_repeats:
        if not _can_discard(table, row.mine[table.actor & 1], code & 63):
            return False
        _discard(row, code & 63)
        return True
    return _rare_move(row, code)


@helper
def _rare_move(row: np.void, code: int) -> bool:
    rare()
    table = row.table
    if not is_legal(table, row.mine[table.actor & 1], code):
        return False
    step(row, code)
    return True


@helper
def _show(row: np.void, code: int) -> None:
    """Carry out a move that ends the play: a knock, a meld, a layoff, or nothing at the wall."""
    noinline()
    table = row.table
    if code == PASS:
        _cancel(table)
    elif code >= MELD_CODE:
        _lay_down(row, MELDS[code - MELD_CODE])
    elif code >= LAY_OFF_CODE:
        _note_lay_off(table, code - LAY_OFF_CODE, place_for(table, bit(code - LAY_OFF_CODE)))
    elif code >= KNOCK_CODE:
        _knock(row, code - KNOCK_CODE)
    elif code == DONE:
        _done(row)
    elif code == SHOW_BIG_GIN:
        _show_big_gin(row)


@helper
def _draw(row: np.void, code: int, top: int) -> int:
    """Draw *top* from the stock or take the upcard; return the card drawn from the stock, or -1.

    Which of the two is what nobody can foretell, so both are one path without branches. The note of the turn is written
    last: the compiler cannot know that it overlaps with nothing else, and would read everything again.
    """
    always_inline()
    table = row.table
    takes = code == TAKE_UP_CARD
    if table.rules.upcard_cap and _is_up_card_too_many(table, code):
        return -1
    # 1. The card goes from the pile or from the stock to the hand.
    seat = table.actor & 1
    mine = row.mine[seat]
    up, turn = table.up & 63, own_turn(table)
    card = choose(takes, up, top)
    mine.hand |= bit(card)
    mine.drawn = card
    from_pile = choose(takes, bit(up), 0)
    table.pile &= ~from_pile
    table.up = choose(takes, -1, up)
    row.pos += choose(takes, 0, 1)
    table.stock -= choose(takes, 0, 1)
    # 2. What the table learns.
    table.taken = choose(takes, up, -1)
    table.up_draws += choose(takes, table.phase == DRAW, 0)
    table.known[seat] |= from_pile
    table.refused[seat] |= bit(up) ^ from_pile
    table.last_draw[seat] = choose(takes, up, FROM_STOCK)
    table.phase = DISCARD
    notes = table.took if takes else table.passed
    notes[seat, index_of(up)] = turn
    return choose(takes, -1, card)


@helper
def _is_up_card_too_many(table: np.void, code: int) -> bool:
    """Cancel the hand and return true if *code* is the draw of an upcard that does so (13)."""
    rare()
    if code != TAKE_UP_CARD or table.phase != DRAW or table.up_draws + 1 != table.rules.upcard_cap:
        return False
    table.up_draws += 1
    _cancel(table)
    return True


@helper
def _pass(row: np.void) -> None:
    """Decline the first upcard."""
    table = row.table
    seat = table.actor
    table.refused[seat] |= bit(table.up)
    table.passed[seat, index_of(table.up)] = own_turn(table)
    table.offers += 1
    table.actor = 1 - seat


@helper
def _throw(row: np.void, card: int) -> None:
    """Move *card* from the actor's hand to the pile, which is a completed turn."""
    always_inline()
    table = row.table
    seat = table.actor & 1
    mine = row.mine[seat]
    turn = own_turn(table)
    mine.hand &= ~bit(card)
    mine.drawn = -1
    table.known[seat] &= ~bit(card)
    table.thrown[seat] |= bit(card)
    table.pile |= bit(card)
    table.up = card
    table.taken = -1
    table.last_discard[seat] = card
    table.turn += 1
    table.threw[seat, index_of(card)] = turn


@helper
def _discard(row: np.void, card: int) -> None:
    """Discard *card* and end the turn; the hand may end with it (6, 14)."""
    always_inline()
    table = row.table
    rules = table.rules
    taken = table.taken
    if rules.refuse_repeats:
        _note_swap(table, card)
    table.back_and_forth = table.back_and_forth + 1 if card == taken else 0
    other = 1 - table.actor
    _throw(row, card)
    table.actor = other
    table.phase = DRAW
    if table.stock <= rules.wall:  # (6): the opponent does not get this last discard, but see (15)
        if rules.last_upcard and table.back_and_forth < 2:
            table.phase = WALL
        else:
            _cancel(table)
    elif table.back_and_forth == 2 or (rules.turn_cap > 0 and table.turn >= rules.turn_cap):
        _cancel(table)


@helper
def _note_swap(table: np.void, card: int) -> None:
    """Note that *card* was discarded after the upcard that the actor took, if any (14)."""
    rare()
    if table.taken >= 0:
        table.swapped[table.taken] |= bit(card)


@helper
def _knock(row: np.void, card: int) -> None:
    table = row.table
    if table.phase == WALL:
        _draw(row, TAKE_UP_CARD, table.up)
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
        # Until the hand is settled, the cards that the knocker keeps stay hidden: only whether there are any is public.
        gin = unmelded(table, row.mine[table.knocker]) == 0
        if gin and table.outcome == NO_OUTCOME:
            table.outcome = GIN
        table.actor = 1 - table.knocker
        table.phase = LAY_OFF if table.rules.defender_lays_off and not gin else DEFEND
    elif table.phase == LAY_OFF:
        table.phase = DEFEND
    else:
        settle(row)


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
def settle(row: np.void) -> None:
    """Lay off by the official scan where the options say so (9), then score (10)."""
    table = row.table
    knocker = table.knocker
    defender = 1 - knocker
    left = unmelded(table, row.mine[defender])
    kept = points(unmelded(table, row.mine[knocker]))
    if kept > 0 and not table.rules.defender_lays_off:
        left = _official_lay_offs(table, left)
    caught = points(left)
    table.knocks[knocker] += 1
    table.gins[knocker] += kept == 0
    table.knocked_with[knocker] += kept
    table.knock_turns[knocker] += (table.turn + 1) >> 1
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
    """Lay off the defender's unmelded *cards* by the referee's scan and return those that stay."""
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
    table.phase = OVER
    table.actor = -1
    table.hand_no += 1


@helper
def _cancel(table: np.void) -> None:
    _score(table, -1, 0, CANCELLED)


# --- Kernels that Python calls ------------------------------------------------------------------------------------


open_hands, step_one, legal_in = table_kernels(open_hand, is_legal, legal_codes, step)
