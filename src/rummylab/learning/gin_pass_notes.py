"""Positions of Gin with a passed card to learn from, with every hand shown: what `rummylab train pass-counter` uses.

`note_hands` plays hands among compiled agents. At every discard of a learner it notes the inputs that the agent sees,
followed by what only the referee can see: the cards left in the stock and the hands of the others. A critic learns the
result of the hand from all of it; the agent learns the critic's opinion from its own inputs. Knocks are noted with
their exact result, whether the learner knocks or not.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.agents.gin_pass import counter_values as v
from rummylab.cards.bits import bit, lowest, noinline, popcount
from rummylab.cards.melds import best_discards, min_deadwood
from rummylab.cards.rng import DECK, any_card, mix, unit
from rummylab.engine.pointers import agent_caller
from rummylab.engine.rows import Floats
from rummylab.games.gin_pass import rules as r
from rummylab.learning import notes

Ints = npt.NDArray[np.int64]

# What the critic sees beyond the agent's inputs.
(
    OWN_KNOCK,
    OWN_GIN,
    OWN_GAIN,
    NEXT_DEADWOOD,
    NEXT_KNOCK,
    NEXT_ROOT_KNOCK,
    NEXT_GIN,
    NEXT_GAIN,
    GIFT_DEADWOOD,
    GIFT_GAIN,
    GIFT_KNOCKS,
    GIFT_GIN,
    OTHERS_LEAST,
    OTHERS_KNOCK,
    OTHERS_READY,
    SUM_DEADWOOD,
) = range(v.N_AFTER, v.N_AFTER + 16)
NEXT_RANGE = SUM_DEADWOOD + 1
N_CRITIC = NEXT_RANGE + v.N_LEVELS
"""What the stock holds for us and for the next player, what the discard does for their hand, and the others' hands."""

ask = agent_caller(r.ACT)


@helper
def gain(table: np.void, seat: int) -> float:
    """Return the payoff of a finished hand: the points of *seat*, less the mean of what the others got."""
    if table.winner < 0:
        return np.float32(0.0)
    won = np.float32(table.points)
    return won if table.winner == seat else -won / np.float32(table.rules.seats - 1)


@helper
def write_sight(row: np.void, mine: np.void, stock: int, out: Floats) -> None:
    """Write what the referee sees of the others, whatever is discarded."""
    noinline()
    table = row.table
    limit = np.int64(table.rules.knock_limit)
    share = np.float32(1.0) / np.float32(max(popcount(stock), 1))
    for i in range(v.N_AFTER, N_CRITIC):
        out[i] = 0.0
    following = r.next_seat(table, mine.seat)
    out[OTHERS_LEAST] = 1.0
    for seat in range(table.rules.seats):
        if seat == mine.seat:
            continue
        hand = np.int64(row.mine[seat].hand)
        deadwood = min_deadwood(hand)
        knocks, gins, _, saved, _ = v.next_card(hand, stock, limit)
        out[SUM_DEADWOOD] += np.float32(deadwood) * np.float32(0.02)
        if seat == following:
            v.write_range(deadwood, out, NEXT_RANGE)
            out[NEXT_DEADWOOD] = np.float32(deadwood) * np.float32(0.02)
            out[NEXT_KNOCK] = knocks * share
            out[NEXT_ROOT_KNOCK] = sqrt(knocks * share)
            out[NEXT_GIN] = 2 * gins * share
            out[NEXT_GAIN] = saved * share * np.float32(0.1)
        else:
            out[OTHERS_LEAST] = min(out[OTHERS_LEAST], np.float32(deadwood) * np.float32(0.02))
            out[OTHERS_KNOCK] = max(out[OTHERS_KNOCK], knocks * share)
            out[OTHERS_READY] += np.float32(0.5) * (deadwood <= limit)


@helper
def write_choice(row: np.void, mine: np.void, hand: int, card: int, stock: int, out: Floats) -> None:
    """Write what discarding *card* from *hand* does for the next player, and what the stock holds for the hand left."""
    table = row.table
    limit = np.int64(table.rules.knock_limit)
    share = np.float32(1.0) / np.float32(max(popcount(stock), 1))
    knocks, gins, _, saved, _ = v.next_card(hand & ~bit(card), stock, limit)
    out[OWN_KNOCK] = knocks * share
    out[OWN_GIN] = 2 * gins * share
    out[OWN_GAIN] = saved * share * np.float32(0.1)
    theirs = np.int64(row.mine[r.next_seat(table, mine.seat)].hand)
    _, least = best_discards(theirs | bit(card), theirs)
    out[GIFT_DEADWOOD] = np.float32(least) * np.float32(0.02)
    out[GIFT_GAIN] = np.float32(max(min_deadwood(theirs) - least, 0)) * np.float32(0.1)
    out[GIFT_KNOCKS] = least <= limit
    out[GIFT_GIN] = least == 0


@helper
def note_decision(
    row: np.void, mine: np.void, chosen: int, every: int, lines: Any, n: int, work: Any, sight: Floats
) -> tuple[int, int]:
    """Note the discards that the actor could make (the *chosen* one alone unless *every*).

    Return the number of lines, and the line of the chosen card.
    """
    noinline()
    table, hand, live = row.table, np.int64(mine.hand), r.unseen(row.table, mine)
    stock, _, _ = notes.left_in_stock(row)
    cards = bit(chosen)
    if every:
        allowed = hand & ~bit(mine.drawn) if table.last_draw[mine.seat] == mine.drawn else hand
        cards |= v.candidates(hand, allowed)
    v.write_table(table, mine, work.inputs)
    write_sight(row, mine, stock, sight)
    place = n + popcount(cards & (bit(chosen) - 1))
    while cards and n < len(lines):
        card = lowest(cards)
        cards &= cards - 1
        v.write_after(table, mine, hand, card, live, work)
        write_choice(row, mine, hand, card, stock, sight)
        n = notes.note_discard(lines, n, work.inputs, sight, v.N_AFTER)
    return n, place


@helper
def note_hand(table: np.void, mine: np.void, hand: int, out: Any, n: int, work: Any) -> None:
    """Note the inputs of a draw from the stock or of a knock, with the cards *hand*."""
    noinline()
    v.write_hand(hand, r.unseen(table, mine), np.int64(table.rules.knock_limit), work.inputs)
    v.write_table(table, mine, work.inputs)
    notes.note_inputs(out, n, work.inputs, 0, v.N_HAND)


@helper
def note_pass(table: np.void, mine: np.void, card: int, out: Any, n: int, work: Any) -> None:
    """Note the inputs of handing on *card*."""
    noinline()
    v.write_table(table, mine, work.inputs)
    v.write_pass(table, mine, card, r.unseen(table, mine), work)
    notes.note_inputs(out, n, work.inputs, 0, v.N_AFTER)


@kernel
def note_hands(
    rows: r.Rows,
    seed: int,
    first: int,
    n_hands: int,
    shares: npt.NDArray[np.float64],
    players: Ints,
    every: int,
    patience: float,
    passing: float,
    lines: Any,
    decisions: Any,
    results: Floats,
    draws: Any,
    draw_notes: Any,
    draw_results: Floats,
    knocks: Any,
    knock_results: Floats,
    passes: Any,
    pass_results: Floats,
) -> tuple[int, int, int, int, int]:
    """Play hands from number *first* on and note the learners' decisions, draws from the stock, knocks and passes.

    Seat 0 to n-1 takes turns at having the learner, player 0 (`seat_players`). So that other choices are seen, a
    learner that could knock without gin discards instead with the probability *patience* in half of the hands, and it
    passes a random card with the probability *passing*. Return the numbers of lines, decisions, draws, knocks and
    passes.
    """
    row = rows[0]
    table = row.table
    seats = np.int64(table.rules.seats)
    work = v.new_work()
    sight = np.zeros(N_CRITIC, np.float32)
    who = np.zeros(r.MAX_SEATS, np.int64)
    waiting = np.zeros(r.MAX_SEATS, np.int64)
    pass_note = np.zeros(r.MAX_SEATS, np.int64)
    is_patient = np.zeros(r.MAX_SEATS, np.int64)
    n = n_decisions = n_draws = n_knocks = n_passes = np.int64(0)
    for hand_no in range(first, first + n_hands):
        # 1. The deal, and who plays.
        if len(lines) - n < 3000 or len(decisions) - n_decisions < 500:
            break
        r.open_match(row, hand_no % seats)
        table.hand_no = hand_no // seats & 1  # the card goes to the previous or to the next player
        notes.seat_players(row, seed, hand_no, hand_no // (2 * seats) % seats, shares, who)
        waiting[:] = -1
        pass_note[:] = -1
        for seat in range(seats):
            is_patient[seat] = unit(row.mine[seat]) < 0.5
        r.shuffle_deck(row, mix(seed, hand_no, 0, DECK))
        r.open_hand(row)
        first_decision, first_draw = n_decisions, n_draws
        # 2. The play.
        while table.actor >= 0:
            seat = np.int64(table.actor)
            mine = row.mine[seat]
            code = np.int64(ask(players, who[seat], table, mine))
            if who[seat] == 0 and table.phase == r.PASS:
                if unit(mine) < passing:
                    code = r.PASS_CODE + any_card(mine, v.candidates(mine.hand, mine.hand))
                note_pass(table, mine, code - r.PASS_CODE, passes, n_passes, work)
                pass_note[seat] = n_passes
                n_passes += 1
            elif who[seat] == 0 and table.phase == r.DRAW and code == r.DRAW_STOCK and table.stock > 0:
                note_hand(table, mine, np.int64(mine.hand), draws, n_draws, work)
                notes.note_draw(draw_notes, n_draws, seat, waiting)
                n_draws += 1
            elif who[seat] == 0 and table.phase == r.DISCARD:
                card = v.knock_card(table, mine.hand)
                left = np.int64(mine.hand) & ~bit(max(card, 0))
                if card >= 0 and min_deadwood(left) > 0:
                    note_hand(table, mine, left, knocks, n_knocks, work)
                    rows[1] = rows[0]
                    r.step(rows[1], r.KNOCK_CODE + card)
                    knock_results[n_knocks] = gain(rows[1].table, seat)
                    n_knocks += 1
                    if code >= r.KNOCK_CODE and is_patient[seat] and unit(mine) < patience:
                        code = r.DISCARD_CODE + card
                if code < r.KNOCK_CODE:
                    before = n
                    n, chosen = note_decision(row, mine, code - r.DISCARD_CODE, every, lines, n, work, sight)
                    notes.note_choice(decisions, n_decisions, seat, chosen, n - before)
                    notes.note_follower(draw_notes, n_decisions, seat, waiting)
                    n_decisions += 1
                waiting[seat] = -1
            r.step(row, code)
        # 3. The results.
        for i in range(first_decision, n_decisions):
            results[i] = gain(table, decisions[i, notes.D_SEAT])
        for i in range(first_draw, n_draws):
            draw_results[i] = gain(table, draw_notes[i, notes.S_SEAT])
        for seat in range(seats):
            if pass_note[seat] >= 0:
                pass_results[pass_note[seat]] = gain(table, seat)
    return n, n_decisions, n_draws, n_knocks, n_passes
