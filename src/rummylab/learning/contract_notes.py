"""Positions of contract rummy to learn from, with every hand shown: what `rummylab train contract-counter` uses.

`note_rounds` plays rounds among compiled agents. At every discard of a learner it notes the inputs that the agent sees,
followed by what only the referee can see: the cards left in the stock and the hands of the others. A critic learns the
result of the round from all of it; the agent learns the critic's opinion from its own inputs.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.agents.contract import contract_values as v
from rummylab.agents.contract.greedy import live_outs, measure_hand
from rummylab.cards.bits import bit, lowest, noinline, popcount, stack_record
from rummylab.cards.planes import JOKER_BIT
from rummylab.cards.rng import DECK, any_card, mix, unit
from rummylab.engine.pointers import agent_caller
from rummylab.engine.rows import Floats
from rummylab.games.contract import rules as r
from rummylab.learning import notes

Ints = npt.NDArray[np.int64]

# What the critic sees beyond the agent's inputs.
(
    OWN_CHANCE,
    OWN_ROOT,
    NEXT_CHANCE,
    NEXT_ROOT,
    NEXT_COST,
    HELPS,
    COMPLETES,
    HELPS_OTHERS,
    SUM_COSTS,
    N_NEAR,
) = range(v.N_AFTER, v.N_AFTER + 10)
NEXT_DISTANCE = N_NEAR + 1
LEAST_DISTANCE = NEXT_DISTANCE + v.N_DISTANCES
N_CRITIC = LEAST_DISTANCE + v.N_DISTANCES
"""True chances to draw an out, the next player's hand, what the discard does for it, and the others' hands."""

ask = agent_caller(r.ACT)


@helper
def gain(table: np.void, seat: int, bonus: float) -> float:
    """Return the result of a round: what the others paid on average, less what *seat* paid; *bonus* for winning."""
    if table.winner < 0:
        return np.float32(0.0)
    others = np.float32(table.rules.seats - 1)
    points = np.float32(table.points - table.paid[seat]) / others - np.float32(table.paid[seat])
    return points + (np.float32(bonus) if table.winner == seat else -np.float32(bonus) / others)


@helper
def write_sight(
    row: np.void, mine: np.void, stock: tuple[int, int, int], waits: Ints, out: Floats, work: np.void
) -> None:
    """Write what the referee sees of the others, whatever is discarded; ``waits[seat]`` gets the cards they need."""
    noinline()
    table = row.table
    for i in range(v.N_AFTER, N_CRITIC):
        out[i] = 0.0
    n_stock = np.float32(max(table.stock, 1))
    following, least = r.next_seat(table, mine.seat), np.int64(v.N_DISTANCES)
    share = np.float32(1.0) / np.float32(table.rules.seats - 1)
    for seat in range(table.rules.seats):
        waits[seat] = 0
        if seat == mine.seat:
            continue
        theirs = row.mine[seat]
        points = np.float32(r.cost(table.rules, theirs.hand, theirs.twice, theirs.jokers)) * np.float32(0.01)
        out[SUM_COSTS] += points * share
        if seat == following:
            out[NEXT_COST] = points
        if r.has_laid_down(table, seat):
            continue
        distance, waits[seat] = measure_hand(table, theirs.hand, theirs.twice, theirs.jokers, work.room[:])
        distance = min(distance, np.int64(v.N_DISTANCES - 1))
        out[N_NEAR] += np.float32(0.5) * (distance <= 1)
        if seat != following:
            least = min(least, distance)
            continue
        chance = np.float32(live_outs(table, waits[seat], stock[0], stock[1], stock[2])) / n_stock
        out[NEXT_DISTANCE + distance] = 1.0
        out[NEXT_CHANCE] = 2 * chance
        out[NEXT_ROOT] = sqrt(chance)
        out[COMPLETES] = distance  # until `write_choice` knows the card
    if least < v.N_DISTANCES:
        out[LEAST_DISTANCE + least] = 1.0


@helper
def write_choice(
    table: np.void, seat: int, stock: tuple[int, int, int], waits: Ints, near: bool, helps: int, card: int, out: Floats
) -> None:
    """Write what discarding *card* does for the others, and the true chance to draw one of the cards that *helps*."""
    chance = np.float32(live_outs(table, helps, stock[0], stock[1], stock[2])) / np.float32(max(table.stock, 1))
    out[OWN_CHANCE] = 2 * chance
    out[OWN_ROOT] = sqrt(chance)
    kind = JOKER_BIT if r.is_wild(table.rules, card) else bit(card)
    following = r.next_seat(table, seat)
    out[HELPS_OTHERS] = 0.0
    for other in range(table.rules.seats):
        if other == following:
            out[HELPS] = waits[other] & kind != 0
        elif waits[other] & kind:
            out[HELPS_OTHERS] += 0.5
    out[COMPLETES] = out[HELPS] if near else np.float32(0.0)


@helper
def note_decision(
    row: np.void, mine: np.void, chosen: int, every: int, lines: Any, n: int, waits: Ints, sight: Floats, work: np.void
) -> tuple[int, int]:
    """Note the discards worth a thought (the *chosen* one alone unless *every*).

    Return the number of lines, and the line of the chosen card.
    """
    noinline()
    table, seat = row.table, np.int64(mine.seat)
    once, twice, jokers = np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers)
    cards = bit(chosen)
    if every:
        cards |= v.spare_cards(table, seat, once, twice, jokers, r.discards(table, mine), work)
    left, stock, fit = v.unseen_by(table, mine), notes.left_in_stock(row), v.fitting(table)
    write_sight(row, mine, stock, waits, sight, work)
    near = sight[COMPLETES] == 1 and waits[r.next_seat(table, seat)] != 0
    v.write_table(table, seat, left, work)
    place = n + popcount(cards & (bit(chosen) - 1))
    while cards and n < len(lines):
        card = lowest(cards)
        cards &= cards - 1
        helps = v.write_after(table, seat, once, twice, jokers, card, left, fit, work)
        write_choice(table, seat, stock, waits, near, helps, card, sight)
        n = notes.note_discard(lines, n, work.inputs, sight, v.N_AFTER)
    return n, place


@helper
def note_hand(table: np.void, mine: np.void, buys: bool, lines: Any, n: int, work: np.void) -> None:
    """Note the inputs of a draw from the stock, or of the hand that declines the upcard or *buys* it."""
    noinline()
    once, twice, jokers = v.with_upcard(table, mine) if buys else (mine.hand, mine.twice, mine.jokers)
    left = v.unseen_by(table, mine)
    v.write_table(table, np.int64(mine.seat), left, work)
    v.write_hand(table, r.has_laid_down(table, mine.seat), once, twice, jokers, left, v.fitting(table), work)
    notes.note_inputs(lines, n, work.inputs, 0, v.N_HAND)


@helper
def stray(table: np.void, mine: np.void, code: int, work: np.void) -> int:
    """Return another move than *code* in the same phase, so that other choices are seen."""
    noinline()
    if table.phase == r.BUY:
        return r.PASS if code == r.BUY_UPCARD else r.BUY_UPCARD
    if table.phase != r.PLAY or not r.DISCARD_CODE <= code < r.LAY_OFF_CODE:
        return code
    once, twice, jokers = np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers)
    cards = v.spare_cards(table, np.int64(mine.seat), once, twice, jokers, r.discards(table, mine), work)
    return r.DISCARD_CODE + any_card(mine, cards)


@kernel
def note_rounds(
    rows: r.Rows,
    seed: int,
    first: int,
    n_rounds: int,
    shares: npt.NDArray[np.float64],
    players: Ints,
    every: int,
    bonus: float,
    strays: float,
    lines: Any,
    decisions: Any,
    results: Floats,
    draws: Any,
    draw_notes: Any,
    draw_results: Floats,
    offers: Any,
    offer_notes: Any,
    offer_results: Floats,
) -> tuple[int, int, int, int]:
    """Play rounds from number *first* on, of all contracts, and note the learners' decisions.

    Player 0 learns (see `seat_players`), and makes another move than it wants with the probability *strays*. Return the
    numbers of lines, of discards, of draws from the stock and of upcards bought or declined.
    """
    row = rows[0]
    table = row.table
    seats = np.int64(table.rules.seats)
    work = stack_record(v.WORK)
    v.clear(work)
    sight = np.zeros(N_CRITIC, np.float32)
    who, waits = np.zeros(r.MAX_SEATS, np.int64), np.zeros(r.MAX_SEATS, np.int64)
    drawn, offered = np.zeros(r.MAX_SEATS, np.int64), np.zeros(r.MAX_SEATS, np.int64)
    n = n_decisions = n_draws = n_offers = np.int64(0)
    for number in range(first, first + n_rounds):
        # 1. The deal, and who plays.
        if len(lines) - n < 3000 or min(len(decisions) - n_decisions, len(offers) - n_offers) < 500:
            break
        r.open_match(row, number % seats)
        table.hand_no = number // (seats * seats) % table.rules.n_contracts
        notes.seat_players(row, seed, number, number // seats % seats, shares, who)
        drawn[:] = -1
        offered[:] = -1
        r.shuffle_deck(row, mix(seed, number, 0, DECK))
        r.open_hand(row)
        first_decision, first_draw, first_offer = n_decisions, n_draws, n_offers
        # 2. The play.
        while table.actor >= 0:
            seat = np.int64(table.actor)
            mine = row.mine[seat]
            code = np.int64(ask(players, who[seat], table, mine))
            if who[seat] == 0:
                if unit(mine) < strays:
                    code = stray(table, mine, code, work)
                if table.phase == r.BUY:
                    note_hand(table, mine, code == r.BUY_UPCARD, offers, n_offers, work)
                    notes.note_draw(offer_notes, n_offers, seat, offered)
                    n_offers += 1
                elif table.phase == r.DRAW and code == r.DRAW_STOCK and not r.has_laid_down(table, seat):
                    note_hand(table, mine, False, draws, n_draws, work)
                    notes.note_draw(draw_notes, n_draws, seat, drawn)
                    n_draws += 1
                elif r.DISCARD_CODE <= code < r.LAY_OFF_CODE and table.n_hand[seat] > 1:
                    before = n
                    n, chosen = note_decision(row, mine, code - r.DISCARD_CODE, every, lines, n, waits, sight, work)
                    notes.note_choice(decisions, n_decisions, seat, chosen, n - before)
                    notes.note_follower(draw_notes, n_decisions, seat, drawn)
                    notes.note_follower(offer_notes, n_decisions, seat, offered)
                    n_decisions += 1
            r.step(row, code)
        # 3. The results.
        for i in range(first_decision, n_decisions):
            results[i] = gain(table, decisions[i, notes.D_SEAT], bonus)
        for i in range(first_draw, n_draws):
            draw_results[i] = gain(table, draw_notes[i, notes.S_SEAT], bonus)
        for i in range(first_offer, n_offers):
            offer_results[i] = gain(table, offer_notes[i, notes.S_SEAT], bonus)
    return n, n_decisions, n_draws, n_offers
