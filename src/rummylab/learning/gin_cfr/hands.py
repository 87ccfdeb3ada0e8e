"""Monte-Carlo CFR over whole hands of Gin, in one kernel.

A hand is played by two copies of `fitness-cfr` whose tables hold the current strategy. The seats take turns as the
learner. At some of its decisions every action is tried on a copy of the table: the hand is played to its
end from there, with the same cards and the same random numbers, so that the actions differ and luck does not. The
difference to what the strategy gets on average are the gains; the regret update is that of the library, with the
regrets of CFR+ or those of CFR. The policy of the other seat is added to the average: the sample comes by as often as
that seat lets it.

The learner comes to a decision by its own strategy (but for a share of exploring moves), so its gains are weighted by
how often it gets there, not by the counterfactual reach, in which its own moves count as certain. The weight that
would correct this, a product of one inverse probability for each own move of the hand, has a variance that grows with
every move. What is minimised is thus the regret for changing single actions, in all the hands that are really played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.cfr_tables import SUIT, discard_set, draw_set, knock_set, stage_of
from rummylab.agents.gin.fitness_cfr import best_candidates, choose
from rummylab.agents.gin.fitness_options import TABLES
from rummylab.cards.bits import bit, lowest, popcount
from rummylab.cards.rng import AGENT, DECK, any_card, below, mix, unit
from rummylab.games.gin.melds import min_deadwood
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    OFFER,
    RECORD,
    TAKE_UP_CARD,
    Rows,
    can_take,
    decline,
    open_hand,
    shuffle_deck,
    step,
)
from rummylab.learning.cfr.regrets import UPDATE_POINTER

Floats = npt.NDArray[np.float64]
Policy = npt.NDArray[np.float32]

CHOICE = 11
"""A choice among cards has at most so many."""
_FLOATS = types.float64[::1]


# --- Values by playing on -----------------------------------------------------------------------------------------


@helper
def _won(row: np.void, seat: int) -> float:
    """Return the points *seat* has won, or lost, in a finished hand."""
    if row.table.winner < 0:
        return 0.0
    return float(row.table.points) if row.table.winner == seat else -float(row.table.points)


@helper
def _worth(rows: Rows, code: int, par: Policy, counts: Any) -> float:
    """Return what the actor of ``rows[0]`` wins if it does *code* and both then play by *par*."""
    seat = rows[0].table.actor
    rows[1] = rows[0]
    row = rows[1]
    step(row, code)
    while row.table.actor >= 0:
        step(row, choose(row.table, row.mine[row.table.actor], par))
    counts[1] += 1
    return _won(row, seat)


# --- Regrets ------------------------------------------------------------------------------------------------------


@helper
def _learn(
    place: int, no: float, yes: float, par: Policy, regrets: Floats, gains: Floats, update: Any, keep_negative: float
) -> None:
    """Give the information set *place* the gains of its two actions, worth *no* and *yes*, and its new policy."""
    p = par[TABLES + place]
    mean = p * yes + (1.0 - p) * no
    first = 2 * place
    gains[first], gains[first + 1] = no - mean, yes - mean
    update(regrets, gains, first, first + 2, 1.0, keep_negative)
    left, right = max(regrets[first], 0.0), max(regrets[first + 1], 0.0)
    par[TABLES + place] = right / (left + right) if left + right > 0 else 0.5


@helper
def _learn_draw(rows: Rows, par: Policy, regrets: Floats, gains: Floats, update: Any, keep: float, counts: Any) -> None:
    table = rows[0].table
    place = draw_set(table, rows[0].mine[table.actor])
    stock = _worth(rows, decline(table), par, counts)
    taken = _worth(rows, TAKE_UP_CARD, par, counts)
    _learn(place, stock, taken, par, regrets, gains, update, keep)


@helper
def _learn_knock(
    rows: Rows,
    cards: int,
    left: int,
    par: Policy,
    regrets: Floats,
    gains: Floats,
    update: Any,
    keep: float,
    counts: Any,
) -> None:
    card = lowest(cards)
    on = _worth(rows, DISCARD_CODE + card, par, counts)
    knocked = _worth(rows, KNOCK_CODE + card, par, counts)
    _learn(knock_set(rows[0].table, left), on, knocked, par, regrets, gains, update, keep)


@helper
def _learn_discard(
    rows: Rows,
    cards: int,
    par: Policy,
    regrets: Floats,
    gains: Floats,
    update: Any,
    keep: float,
    row_of: Any,
    counts: Any,
) -> None:
    """Learn about throwing each of *cards*, asked in a random order; the last is not asked for.

    The suits are alike in Gin, so a card learns in the place of its rank in the first suit, for all four.
    ``row_of`` keeps, card by card, what throwing it is worth. Going back from the last card, ``rest`` is what it is
    worth to ask on.
    """
    table = rows[0].table
    mine = rows[0].mine[table.actor]
    stage, deadwood = stage_of(table), min_deadwood(mine.hand)
    n = popcount(cards)
    for i in range(n):
        card = any_card(rows[2].mine[0], cards)
        cards &= ~bit(card)
        row_of[i, 0] = card
        row_of[i, 1] = _worth(rows, DISCARD_CODE + card, par, counts)
    rest = row_of[n - 1, 1]
    for i in range(n - 2, -1, -1):
        place = discard_set(np.int64(row_of[i, 0]) & 15, stage, deadwood)
        p = par[TABLES + place]
        now = p * row_of[i, 1] + (1.0 - p) * rest
        _learn(place, rest, row_of[i, 1], par, regrets, gains, update, keep)
        for suit in range(1, 4):
            par[TABLES + place + suit * SUIT] = par[TABLES + place]
        rest = now


# --- Averages -----------------------------------------------------------------------------------------------------


@helper
def _add(place: int, weight: float, par: Policy, sums: Floats) -> None:
    p = par[TABLES + place]
    sums[2 * place] += weight * (1.0 - p)
    sums[2 * place + 1] += weight * p


@helper
def _add_discard(
    table: np.void, mine: np.void, cards: int, weight: float, par: Policy, sums: Floats, rng: np.void
) -> None:
    """Add the policy of a row of decisions about single cards, each as often as the player gets to it."""
    stage, deadwood = stage_of(table), min_deadwood(mine.hand)
    while popcount(cards) > 1:
        card = any_card(rng, cards)
        cards &= ~bit(card)
        place = discard_set(card & 15, stage, deadwood)
        _add(place, weight, par, sums)
        weight *= 1.0 - par[TABLES + place]


# --- A hand -------------------------------------------------------------------------------------------------------


@helper
def _exploring_move(table: np.void, cards: int, left: int, rng: np.void) -> int:
    """Return any move the tables could choose."""
    if table.phase != DISCARD:
        return np.int64(TAKE_UP_CARD) if below(rng, 2) else decline(table)
    code = KNOCK_CODE if left <= table.limit and (left == 0 or below(rng, 2)) else DISCARD_CODE
    return code + any_card(rng, cards)


@kernel_of(
    types.void(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.int64,
        types.int64,
        types.int64,
        types.float32[::1],
        _FLOATS,
        _FLOATS,
        _FLOATS,
        types.float64[:, ::1],
        UPDATE_POINTER,
        types.float64,
        types.float64,
        types.float64,
        types.float64,
        types.int64[::1],
    )
)
def learn_hands(
    rows: Rows,
    seed: int,
    done: int,
    hands: int,
    par: Policy,
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
    """Play hands number *done* and following and learn from them. Hand by hand the random numbers are its own.

    *counts* gets the hands played, the hands played on from a decision, and the decisions learned from.
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
        shuffle_deck(row, mix(seed, t, 0, DECK))
        open_hand(row)
        while table.actor >= 0:
            mine = row.mine[table.actor]
            is_draw = (table.phase == DRAW or table.phase == OFFER) and can_take(table)
            cards, left = np.int64(0), np.int64(0)
            if table.phase == DISCARD:
                cards, left = best_candidates(table, mine, par)
            can_choose = popcount(cards) > 1 and left > 0  # gin is shown, whatever goes for it
            can_wait = cards != 0 and 0 < left <= table.limit
            if table.actor != learner:
                if is_draw:
                    _add(draw_set(table, mine), weight, par, sums)
                if can_wait:
                    _add(knock_set(table, left), weight, par, sums)
                if can_choose:
                    _add_discard(table, mine, cards, weight, par, sums, rng)
            elif is_draw or can_wait or can_choose:
                if can_wait:
                    counts[2] += 1
                    _learn_knock(rows, cards, left, par, regrets, gains, update, keep_negative, counts)
                elif unit(rng) < examine:
                    counts[2] += 1
                    if is_draw:
                        _learn_draw(rows, par, regrets, gains, update, keep_negative, counts)
                    else:
                        _learn_discard(rows, cards, par, regrets, gains, update, keep_negative, row_of, counts)
                if unit(rng) < explore:
                    step(row, _exploring_move(table, cards, left, rng))
                    continue
            step(row, choose(table, mine, par))
        counts[0] += 1
