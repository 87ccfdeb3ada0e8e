"""Positions of Indian Rummy to learn from, with every hand shown: what `rummylab train indian-champion` learns from.

`note_deals` plays deals among compiled agents. At every discard of a learner it notes the inputs that the agent sees,
followed by what only the referee can see: the cards left in the stock and the hands of the others. A critic learns
the result of the deal from all of it; the agent learns the critic's opinion from its own inputs.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.agents.indian import champion_values as v
from rummylab.agents.indian.common import next_seat
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, popcount
from rummylab.cards.rng import DECK, mix
from rummylab.engine.pointers import agent_caller
from rummylab.engine.rows import Floats
from rummylab.games.indian import rules as r
from rummylab.games.indian.mindist import discards14, live_outs, min_dist, outs
from rummylab.games.indian.minscore import min_score
from rummylab.learning import notes

Ints = npt.NDArray[np.int64]

# What the critic sees beyond the agent's inputs.
(
    OWN_CHANCE,
    OWN_ROOT,
    NEXT_CHANCE,
    NEXT_ROOT,
    NEXT_SCORE,
    NEXT_FULL,
    NEXT_JOKERS,
    HELPS,
    COMPLETES,
    SUM_SCORES,
    N_NEAR,
) = range(v.N_AFTER, v.N_AFTER + 11)
NEXT_DISTANCE = N_NEAR + 1
LEAST_DISTANCE = NEXT_DISTANCE + v.N_DISTANCES
N_CRITIC = LEAST_DISTANCE + v.N_DISTANCES
"""True chances to draw an out, the next player's hand, what the discard does for it, and the others' hands."""

ask = agent_caller(r.ACT)


@helper
def write_sight(row: np.void, mine: np.void, out: Floats) -> int:
    """Write what the referee sees, whatever is discarded; return the cards that the next player waits for."""
    noinline()
    table = row.table
    wild, rule, cap = np.int64(table.wild), np.int64(table.rules.score_rule), np.int64(table.rules.cap)
    for i in range(v.N_AFTER, N_CRITIC):
        out[i] = 0.0
    stock = notes.left_in_stock(row)
    n_stock = np.float32(max(table.stock, 1))
    following, waits = next_seat(table, mine), np.int64(0)
    least = np.int64(v.N_DISTANCES)
    for seat in range(table.rules.seats):
        if seat == mine.seat or table.status[seat] != r.PLAYING:
            continue
        theirs = row.mine[seat]
        distance = min_dist(theirs.hand, theirs.twice, theirs.jokers, wild)
        score = min(min_score(theirs.hand, theirs.twice, theirs.jokers, wild, rule), cap)
        out[SUM_SCORES] += np.float32(score) * np.float32(1 / 80)
        out[N_NEAR] += np.float32(0.5) * (distance <= 1)
        if seat != following:
            least = min(least, distance)
            continue
        may_come = ALL_CARDS & ~(theirs.hand if table.rules.decks == 1 else theirs.twice)
        waits = outs(theirs.hand, theirs.twice, theirs.jokers, wild, distance, may_come)
        chance = np.float32(live_outs(waits, stock[0], stock[1], stock[2])) / n_stock
        out[NEXT_DISTANCE + min(distance, v.N_DISTANCES - 1)] = 1.0
        out[NEXT_CHANCE] = 2 * chance
        out[NEXT_ROOT] = sqrt(chance)
        out[NEXT_SCORE] = np.float32(score) * np.float32(1 / 80)
        out[NEXT_FULL] = score >= cap
        jokers = theirs.jokers + popcount(theirs.hand & np.int64(EACH_SUIT) << wild)
        out[NEXT_JOKERS] = np.float32(jokers) * np.float32(0.4)
        out[COMPLETES] = distance  # until `write_gift` knows the card
    if least < v.N_DISTANCES:
        out[LEAST_DISTANCE + least] = 1.0
    return waits


@helper
def write_gift(row: np.void, waits: int, their_distance: float, found: int, card: int, out: Floats) -> None:
    """Write what discarding *card* does for the next player, and the true chance to draw one of the outs *found*."""
    stock = notes.left_in_stock(row)
    chance = np.float32(live_outs(found, stock[0], stock[1], stock[2])) / np.float32(max(row.table.stock, 1))
    helps = np.float32(waits >> card & 1)
    out[OWN_CHANCE] = 2 * chance
    out[OWN_ROOT] = sqrt(chance)
    out[HELPS] = helps
    out[COMPLETES] = helps if their_distance <= 1 else np.float32(0.0)


@helper
def note_decision(
    row: np.void, mine: np.void, chosen: int, every: int, lines: Any, n: int, work: Any, sight: Floats
) -> tuple[int, int]:
    """Note the discards that the actor could make (the *chosen* one alone unless *every*).

    Return the number of lines, and the line of the chosen card.
    """
    noinline()
    table = row.table
    cards = (np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers))
    distance, spares = discards14(cards[0], cards[1], cards[2], np.int64(table.wild))
    if not every or not spares >> chosen & 1:
        spares = bit(chosen)
    live = r.unseen(table, mine)
    v.find_outs(table, cards, distance, spares, work)
    v.write_table(table, mine, live, work.inputs)
    waits = write_sight(row, mine, sight)
    their_distance = sight[COMPLETES]
    place = n + popcount(spares & (bit(chosen) - 1))
    while spares and n < len(lines):
        card = lowest(spares)
        spares &= spares - 1
        v.write_after(table, mine, cards, distance, card, live, work)
        write_gift(row, waits, their_distance, work.found[card], card, sight)
        n = notes.note_discard(lines, n, work.inputs, sight, v.N_AFTER)
    return n, place


@helper
def note_stock(table: np.void, mine: np.void, lines: Any, n: int, work: Any) -> None:
    """Note the inputs of a draw from the stock."""
    noinline()
    wild = np.int64(table.wild)
    distance = min_dist(mine.hand, mine.twice, mine.jokers, wild)
    may_come = ALL_CARDS & ~(mine.hand if table.rules.decks == 1 else mine.twice)
    found = outs(mine.hand, mine.twice, mine.jokers, wild, distance, may_come)
    live = r.unseen(table, mine)
    v.write_hand(table, mine.hand, mine.twice, mine.jokers, distance, found, live, work.inputs)
    v.write_table(table, mine, live, work.inputs)
    notes.note_inputs(lines, n, work.inputs, 0, v.N_HAND)


@kernel
def note_deals(
    rows: r.Rows,
    seed: int,
    first: int,
    n_deals: int,
    shares: npt.NDArray[np.float64],
    players: Ints,
    every: int,
    lines: Any,
    decisions: Any,
    results: Floats,
    draws: Any,
    draw_notes: Any,
    draw_results: Floats,
) -> tuple[int, int, int]:
    """Play deals from number *first* on and note the learners' decisions and draws from the stock.

    Seat 0 to n-1 takes turns at having the learner, player 0 (`seat_players`). Return the numbers of lines, decisions
    and draws.
    """
    row = rows[0]
    table = row.table
    seats = np.int64(table.rules.seats)
    work = v.new_work()
    sight = np.zeros(N_CRITIC, np.float32)
    who = np.zeros(r.MAX_SEATS, np.int64)
    waiting = np.zeros(r.MAX_SEATS, np.int64)
    n = n_decisions = n_draws = np.int64(0)
    for deal in range(first, first + n_deals):
        # 1. The deal, and who plays.
        r.open_match(row, deal % seats)
        notes.seat_players(row, seed, deal, deal // seats % seats, shares, who)
        waiting[:] = -1
        r.shuffle_deck(row, mix(seed, deal, 0, DECK))
        r.open_hand(row)
        first_decision, first_draw = n_decisions, n_draws
        if len(lines) - n < 1500 or len(decisions) - n_decisions < 500 or len(draws) - n_draws < 500:
            break
        # 2. The play.
        while table.actor >= 0:
            seat = np.int64(table.actor)
            mine = row.mine[seat]
            code = ask(players, who[seat], table, mine)
            if who[seat] == 0 and table.phase == r.DRAW and code == r.DRAW_STOCK and n_draws < len(draws):
                note_stock(table, mine, draws, n_draws, work)
                notes.note_draw(draw_notes, n_draws, seat, waiting)
                n_draws += 1
            elif who[seat] == 0 and table.phase == r.DISCARD and code < r.DECLARE_CODE and n_decisions < len(decisions):
                before = n
                n, chosen = note_decision(row, mine, code - r.DISCARD_CODE, every, lines, n, work, sight)
                notes.note_choice(decisions, n_decisions, seat, chosen, n - before)
                notes.note_follower(draw_notes, n_decisions, seat, waiting)
                n_decisions += 1
            r.step(row, code)
        # 3. The results.
        for i in range(first_decision, n_decisions):
            results[i] = table.gains[decisions[i, notes.D_SEAT]]
        for i in range(first_draw, n_draws):
            draw_results[i] = table.gains[draw_notes[i, notes.S_SEAT]]
    return n, n_decisions, n_draws
