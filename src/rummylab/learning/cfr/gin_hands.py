"""Monte-Carlo CFR over whole hands of Gin, in one kernel.

Two copies of `fitness-cfr` play each hand with the current strategy in their tables; the seats take turns as the
learner. At some of the learner's decisions every action is tried on a copy of the table and the hand is played out,
with the same cards and the same random numbers, so that the results differ by the action alone. The gains are the
differences from the strategy's expected value. They update the regrets by the rule of CFR+ or CFR. The policy of the
other seat is added to its average, since positions are reached as often as that seat plays to them.

The learner reaches a decision by its own strategy (except for some exploring moves), so its gains are weighted by how
often it gets there, not by the counterfactual reach, which takes its own moves as certain. The correction, a product of
inverse probabilities over the learner's moves, has a variance that grows with every move. So what is minimized is the
regret of changing single actions in the hands that are played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.cfr_tables import SUIT, discard_set, draw_set, knock_set, stage_of
from rummylab.agents.gin.fitness import TABLES
from rummylab.agents.gin.fitness_cfr import best_candidates, choose
from rummylab.cards.bits import bit, lowest, popcount
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import AGENT, DECK, any_card, below, mix, unit
from rummylab.games.gin import rules as r
from rummylab.learning.cfr.regrets import UPDATE_POINTER
from rummylab.learning.signatures import FLOAT, FLOATS, INT, PARAMS, rows_of

Floats = npt.NDArray[np.float64]
Policy = npt.NDArray[np.float32]

CHOICE = 11
"""The most cards that a choice can have."""


# --- Values by playing out ----------------------------------------------------------------------------------------


@helper
def _won(row: np.void, seat: int) -> float:
    """Return the points *seat* has won, or lost, in a finished hand."""
    if row.table.winner < 0:
        return 0.0
    return float(row.table.points) if row.table.winner == seat else -float(row.table.points)


@helper
def _worth(rows: r.Rows, code: int, params: Policy, counts: Any) -> float:
    """Return what the actor of ``rows[0]`` wins with the action *code* if both then play by *params*."""
    seat = rows[0].table.actor
    rows[1] = rows[0]
    row = rows[1]
    r.step(row, code)
    while row.table.actor >= 0:
        r.step(row, choose(row.table, row.mine[row.table.actor], params))
    counts[1] += 1
    return _won(row, seat)


# --- Regrets ------------------------------------------------------------------------------------------------------


@helper
def _learn(
    place: int, no: float, yes: float, params: Policy, regrets: Floats, gains: Floats, update: Any, keep_negative: float
) -> None:
    """Update the regrets and policy of information set *place*, whose two actions are worth *no* and *yes*."""
    p = params[TABLES + place]
    mean = p * yes + (1.0 - p) * no
    first = 2 * place
    gains[first], gains[first + 1] = no - mean, yes - mean
    update(regrets, gains, first, first + 2, 1.0, keep_negative)
    left, right = max(regrets[first], 0.0), max(regrets[first + 1], 0.0)
    params[TABLES + place] = right / (left + right) if left + right > 0 else 0.5


@helper
def _learn_draw(
    rows: r.Rows, params: Policy, regrets: Floats, gains: Floats, update: Any, keep: float, counts: Any
) -> None:
    table = rows[0].table
    place = draw_set(table, rows[0].mine[table.actor])
    stock = _worth(rows, r.decline(table), params, counts)
    taken = _worth(rows, r.TAKE_UP_CARD, params, counts)
    _learn(place, stock, taken, params, regrets, gains, update, keep)


@helper
def _learn_knock(
    rows: r.Rows,
    cards: int,
    left: int,
    params: Policy,
    regrets: Floats,
    gains: Floats,
    update: Any,
    keep: float,
    counts: Any,
) -> None:
    card = lowest(cards)
    on = _worth(rows, r.DISCARD_CODE + card, params, counts)
    knocked = _worth(rows, r.KNOCK_CODE + card, params, counts)
    _learn(knock_set(rows[0].table, left), on, knocked, params, regrets, gains, update, keep)


@helper
def _learn_discard(
    rows: r.Rows,
    cards: int,
    params: Policy,
    regrets: Floats,
    gains: Floats,
    update: Any,
    keep: float,
    row_of: Any,
    counts: Any,
) -> None:
    """Learn whether to discard each of *cards*, considered in random order; the last is the default.

    The suits are equivalent in Gin, so a card learns in the place of its rank in the first suit, for all four.
    ``row_of`` keeps the value of discarding each card. Going back from the last card, ``later`` is the value of keeping
    a card and considering the next ones.
    """
    table = rows[0].table
    mine = rows[0].mine[table.actor]
    stage, deadwood = stage_of(table), min_deadwood(mine.hand)
    n = popcount(cards)
    for i in range(n):
        card = any_card(rows[2].mine[0], cards)
        cards &= ~bit(card)
        row_of[i, 0] = card
        row_of[i, 1] = _worth(rows, r.DISCARD_CODE + card, params, counts)
    later = row_of[n - 1, 1]
    for i in range(n - 2, -1, -1):
        place = discard_set(np.int64(row_of[i, 0]) & 15, stage, deadwood)
        p = params[TABLES + place]
        now = p * row_of[i, 1] + (1.0 - p) * later
        _learn(place, later, row_of[i, 1], params, regrets, gains, update, keep)
        for suit in range(1, 4):
            params[TABLES + place + suit * SUIT] = params[TABLES + place]
        later = now


# --- Averages -----------------------------------------------------------------------------------------------------


@helper
def _add(place: int, weight: float, params: Policy, sums: Floats) -> None:
    p = params[TABLES + place]
    sums[2 * place] += weight * (1.0 - p)
    sums[2 * place + 1] += weight * p


@helper
def _add_discard(
    table: np.void, mine: np.void, cards: int, weight: float, params: Policy, sums: Floats, rng: np.void
) -> None:
    """Add the policy of a series of decisions about single cards, weighted by how often each is reached."""
    stage, deadwood = stage_of(table), min_deadwood(mine.hand)
    while popcount(cards) > 1:
        card = any_card(rng, cards)
        cards &= ~bit(card)
        place = discard_set(card & 15, stage, deadwood)
        _add(place, weight, params, sums)
        weight *= 1.0 - params[TABLES + place]


# --- A hand -------------------------------------------------------------------------------------------------------


@helper
def _exploring_move(table: np.void, cards: int, left: int, rng: np.void) -> int:
    """Return a random move among those that the tables can choose."""
    if table.phase != r.DISCARD:
        return np.int64(r.TAKE_UP_CARD) if below(rng, 2) else r.decline(table)
    code = r.KNOCK_CODE if left <= table.limit and (left == 0 or below(rng, 2)) else r.DISCARD_CODE
    return code + any_card(rng, cards)


@kernel_of(
    types.void(
        *(rows_of(r.RECORD), INT, INT, INT, PARAMS, FLOATS, FLOATS, FLOATS, types.float64[:, ::1]),
        *(UPDATE_POINTER, FLOAT, FLOAT, FLOAT, FLOAT, types.int64[::1]),
    )
)
def learn_hands(
    rows: r.Rows,
    seed: int,
    done: int,
    hands: int,
    params: Policy,
    regrets: Floats,
    sums: Floats,
    gains: Floats,
    row_of: Any,
    update: Any,
    keep_negative: float,
    averaging: float,
    examine: float,
    explore: float,
    counts: Any,
) -> None:
    """Play *hands* hands from number *done* on and learn from them. Every hand has random numbers of its own.

    *counts* gets the hands played, the hands played out from a decision, and the decisions learned from.
    """
    row = rows[0]
    table = row.table
    rng = rows[2].mine[0]  # the trainer's own stream
    for t in range(done, done + hands):
        learner = t & 1
        weight = float(t + 1) ** averaging
        table.starter = (t >> 1) & 1
        rng.rng = mix(seed, t, 0, AGENT + 2)
        for seat in range(2):
            row.mine[seat].rng = mix(seed, t, 0, AGENT + seat)
        r.shuffle_deck(row, mix(seed, t, 0, DECK))
        r.open_hand(row)
        while table.actor >= 0:
            mine = row.mine[table.actor]
            is_draw = (table.phase == r.DRAW or table.phase == r.OFFER) and r.can_take(table)
            cards, left = np.int64(0), np.int64(0)
            if table.phase == r.DISCARD:
                cards, left = best_candidates(table, mine, params)
            can_choose = popcount(cards) > 1 and left > 0  # with gin, the discard does not matter
            can_wait = cards != 0 and 0 < left <= table.limit
            if table.actor != learner:
                if is_draw:
                    _add(draw_set(table, mine), weight, params, sums)
                if can_wait:
                    _add(knock_set(table, left), weight, params, sums)
                if can_choose:
                    _add_discard(table, mine, cards, weight, params, sums, rng)
            elif is_draw or can_wait or can_choose:
                if can_wait:
                    counts[2] += 1
                    _learn_knock(rows, cards, left, params, regrets, gains, update, keep_negative, counts)
                elif unit(rng) < examine:
                    counts[2] += 1
                    if is_draw:
                        _learn_draw(rows, params, regrets, gains, update, keep_negative, counts)
                    else:
                        _learn_discard(rows, cards, params, regrets, gains, update, keep_negative, row_of, counts)
                if unit(rng) < explore:
                    r.step(row, _exploring_move(table, cards, left, rng))
                    continue
            r.step(row, choose(table, mine, params))
        counts[0] += 1
