"""Train the values of `champion` by self-play and a league of other players, in one compiled loop.

    rummylab train gin-champion --hands 4000000 --seed 1 --out runs/gin-champion

The learner plays matches by the game's own rules: against itself (both seats learn), against its past selves, and
against players of fixed style. After each hand it learns from it:

- `AFTER` and `STOCK` learn by TD(lambda): a value moves toward the value at the player's next decision and the result
  of the hand, mixed by ``trace``. Where the learner tried a move that it did not think best, the trace is cut.
- The luck of a draw from the stock is taken out of the targets before it: what the card drawn was worth, less the mean
  with ``draws`` other cards of the stock. On average it is 0, so only the noise of the targets changes.
- `KNOCK` learns from every turn in which a knock is possible, made or not: the exact score of that knock against the
  hand that the opponent really held.
- The model of the opponent's cards learns by logistic regression on that hand.

``--against AGENT --from-champion`` fine-tunes the champion into a best response to AGENT: the share of games that it
wins tells how far AGENT can be exploited. Its artifact is a player like the champion.

``--without PARTS`` leaves parts of the recipe out, to measure what they are worth (`learning.options.GIN_PARTS`).

Gradients of a few hundred positions are added up, then Adam makes a step; its rate falls over the run. The weights of
the artifact are the mean over the last third of the rounds. With ``--threads N``, N threads each play and learn an Nth
of every block from the same weights, and the mean of what they have learned goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.agents.gin import champion as c
from rummylab.agents.gin import champion_values as v
from rummylab.agents.gin.champion_values import (
    AFTER,
    BIAS,
    BIAS_2,
    COMMON,
    CONTEXT,
    INNER,
    KNOCK,
    LAYER_2,
    LAYER_3,
    MOST_ACTIVE,
    N_CHANCE,
    N_NETWORK,
    N_SUIT,
    PLAIN,
    POINTS,
    ROW,
    STOCK,
    SUIT,
    SUMS,
)
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.arena.statistics import Estimate
from rummylab.cards.bits import bit, lowest, noinline, stack_record
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import AGENT, DECK, mix, nearly_normal, unit
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_artifact
from rummylab.engine.pointers import addresses, agent_caller
from rummylab.engine.rows import Floats
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    OFFER,
    TAKE_UP_CARD,
    Rows,
    can_take,
    decline,
    discards,
    match_is_over,
    next_starter,
    open_hand,
    open_match,
    shuffle_deck,
    step,
)
from rummylab.games.gin.showdown import showdown_code
from rummylab.games.gin.view import gin
from rummylab.learning.options import GinChampionOptions, without
from rummylab.learning.trainer import State, Trainer

Ints = npt.NDArray[np.int64]

LEAGUE = (
    "simple",
    "medium",
    "medium(knock_at=10)",
    "utility-patient(samples=20)",
    "utility-dnn(samples=20)",
    "utility-search(worlds=40)",
    "hand-strength",
    "hand-strength(early=0)",
)
"""Players of fixed style."""
SHARES = (0.13, 0.07, 0.07, 0.09, 0.10, 0.10, 0.09, 0.04)
"""How often each of them sits down, in proportion."""
N_PAST = 4
MOST_NOTES = 400
"""Room for the positions of a hand; what comes later is not learned from."""
NEVER = 1e9
"""Stands for no value."""
FORCED_STOCK = 0.2
"""How often a learner who decides with random errors and wants the upcard draws from the stock. One who is wrong about
the stock would never draw from it, and so never learn what it is worth; two such players swap upcards forever."""
FEWEST_RESULTS = 30
"""A point of the grid with fewer results takes those of its neighbor."""
_DATA, _MEASURE, _START, _RESULTS = 7, 13, 17, 19  # purposes of seeds, so that their deals differ
H_TRACE, H_EXPLORE, H_SPREAD, H_RATE, H_CHANCE_RATE, H_BATCH, H_DRAWS, H_MADE_ONLY, N_HYPER = range(9)
S_AFTER, S_STOCK, S_KNOCK, S_CHANCE, N_SUMS = range(5)
"""Sums of squared errors and their counts, by network; for the chances, of the log loss."""

NOTE = np.dtype(
    [
        ("network", "i4"),
        ("n", "i4"),
        ("is_cut", "i4"),
        ("target", "f4"),
        ("next", "f4"),
        ("luck", "f4"),
        ("has_next", "i4"),
        ("index", "i2", (MOST_ACTIVE,)),
        ("value", "f4", (MOST_ACTIVE,)),
    ],
    align=True,
)
"""A position to learn from: its inputs, the value at the player's next decision, how much of that was the luck of the
draw, and whether the trace is cut there."""

INPUTS = {
    "history": (
        *(index for plane in (v.THEIRS, v.REFUSED, v.THROWN, v.RECENT) for index in range(plane, plane + 13)),
        *range(v.TAKEN, v.TAKEN + v.N_TAKEN),
        v.D_MATES_UNWANTED,
    ),
    "style": range(v.KNOCKS, v.C_OFTEN + 1),
}
"""The inputs that a run without them does not learn from: what the opponent took, declined and threw; how they
knocked in this match."""

ask = agent_caller(ACT)


# --- 1. Learning from one position --------------------------------------------------------------------------------


@helper
def place_of(network: int) -> int:
    """Return where the weights of network number 0 to 2 begin."""
    if network == S_AFTER:
        return AFTER
    return STOCK if network == S_STOCK else KNOCK


@helper
def learn(note: Any, target: float, params: Floats, gradient: Floats, work: Any, below: Floats) -> float:
    """Add the gradient of the squared error of *note* to *gradient*; return the error, in tens of points.

    *below* has room for the slopes of the sums of the first layer, and then for those of the context's units.
    """
    noinline()
    place = place_of(note.network)
    at = c.WEIGHTS + place
    # 1. Forward.
    for k in range(note.n):
        work.index[k] = note.index[k]
        work.value[k] = note.value[k]
    v.set_base(params, at, work, note.n)
    found = v.value_from(params, at, work, note.n, note.n)
    error = np.float32((found - target) / POINTS)
    # 2. Outer and inner layer.
    inner = np.empty(INNER, np.float32)
    for j in range(INNER):
        is_on = work.second[j] > 0
        gradient[place + LAYER_3 + j] += error * max(work.second[j], np.float32(0.0))
        inner[j] = error * params[at + LAYER_3 + j] if is_on else np.float32(0.0)
        gradient[place + BIAS_2 + j] += inner[j]
    gradient[place + LAYER_3 + INNER] += error
    for i in range(ROW):
        size = work.hidden[i]
        out = gradient[place + LAYER_2 + i * INNER : place + LAYER_2 + i * INNER + INNER]
        for j in range(INNER):
            out[j] += size * inner[j]
    for i in range(0, ROW, 4):  # four sums at a time, since each waits for its last addition
        p = q = r = s = np.float32(0.0)
        row = params[at + LAYER_2 + i * INNER : at + LAYER_2 + (i + 4) * INNER]
        for j in range(INNER):
            p += row[j] * inner[j]
            q += row[INNER + j] * inner[j]
            r += row[2 * INNER + j] * inner[j]
            s += row[3 * INNER + j] * inner[j]
        _spread(i, p, work.base, below)
        _spread(i + 1, q, work.base, below)
        _spread(i + 2, r, work.base, below)
        _spread(i + 3, s, work.base, below)
    # 3. First layer: only rows of active inputs.
    _add_slopes(gradient, place + BIAS, np.float32(1.0), below, SUMS, ROW)
    for k in range(note.n):
        index, weight = work.index[k], work.value[k]
        at_row = place + v.row_of(index)
        if index < CONTEXT:
            _add_slopes(gradient, at_row, weight, below, index // N_SUIT * SUIT, SUIT)
            _add_slopes(gradient, at_row + SUIT, weight, below, 4 * SUIT, COMMON)
        elif index < PLAIN:
            _add_slopes(gradient, at_row, weight, below, SUMS, ROW)
        else:
            _add_slopes(gradient, at_row, weight, below, 4 * SUIT, COMMON)
    return float(error)


@helper
def _spread(i: int, slope: np.float32, sums: Floats, below: Floats) -> None:
    """Write the slopes of the *sums* that lead to hidden unit *i*, whose own is *slope*, and of the context's share."""
    zero = np.float32(0.0)
    if i >= SUIT:
        at = 4 * SUIT + i - SUIT
        below[at] = slope if sums[at] > 0 else zero
        below[SUMS + i] = below[at]
        return
    total = zero
    for suit in range(4):
        at = suit * SUIT + i
        below[at] = slope if sums[at] > 0 else zero
        total += below[at]
    below[SUMS + i] = total


@helper
def _add_slopes(gradient: Floats, row: int, weight: np.float32, below: Floats, start: int, n: int) -> None:
    """Add *weight* times the *n* slopes from *start* on to the gradient of a *row*."""
    out, slopes = gradient[row : row + n], below[start : start + n]
    for j in range(n):
        out[j] += weight * slopes[j]


@helper
def adam(
    params: Floats, gradient: Floats, mean: Floats, square: Floats, n: int, steps: int, rate: float, kept: Floats
) -> None:
    """Make a step of Adam with the sum of *n* gradients, and clear it; weights whose *kept* is 0 stay as they are."""
    noinline()
    one = np.float32(1.0)
    size = np.float32(rate * np.sqrt(1 - 0.999**steps) / (1 - 0.9**steps))
    scale = np.float32(1.0 / n)
    weights = params[c.WEIGHTS : c.WEIGHTS + len(gradient)]
    for i in range(len(gradient)):
        g = gradient[i] * scale * kept[i]
        mean[i] = np.float32(0.9) * mean[i] + np.float32(0.1) * g
        square[i] = np.float32(0.999) * square[i] + np.float32(0.001) * g * g
        weights[i] -= size * mean[i] / (np.sqrt(square[i]) + np.float32(1e-6) * one)
        gradient[i] = 0.0


@helper
def learn_chances(
    sight: Any, hand: int, theirs: int, params: Floats, rate: float, kept: Floats, relations: Floats
) -> tuple[float, int]:
    """Move the model of the opponent's cards toward the hand *theirs*; return the log loss and the number of cards."""
    noinline()
    stage = v.CHANCES + N_CHANCE * v.stage_of_chances(sight.turn)
    row = c.WEIGHTS + stage
    loss, n = 0.0, 0
    left = sight.unseen
    while left:
        card = lowest(left)
        left &= left - 1
        v.write_relations(sight, hand, card, relations)
        found = v.chance_of(sight, card, relations, params, c.WEIGHTS)
        is_theirs = theirs >> card & 1
        loss -= np.log(max(found if is_theirs else 1 - found, 1e-6))
        n += 1
        push = np.float32(rate * (is_theirs - found))
        for k in range(12):
            params[row + k] += push * relations[k] * kept[stage + k]
        params[row + 12 + (card & 15)] += push
        params[row + 25] += push
    return loss, n


# --- 2. The learner's decisions -----------------------------------------------------------------------------------


@helper
def keep(notes: Rows, n: int, network: int, work: Any, active: int) -> int:
    """Note the *active* inputs in *work* as a position of *network*; return the number of notes."""
    if n == MOST_NOTES:
        return n
    note = notes[n]
    note.network = network
    note.n = active
    note.is_cut = 0
    note.luck = 0
    note.has_next = 0
    for k in range(active):
        note.index[k] = work.index[k]
        note.value[k] = work.value[k]
    return n + 1


@helper
def reach(notes: Rows, n: int, value: float, is_best: bool) -> None:
    """Tell the last note what its player's next decision is worth, and whether the best move was made there."""
    if n == 0:
        return
    note = notes[n - 1]
    if not note.has_next:
        note.has_next = 1
        note.next = value
    if not is_best:
        note.is_cut = 1


@helper
def wobble(mine: Any, hyper: Floats) -> float:
    """Return the spread of the errors with which the learner makes this decision: mostly none."""
    return float(hyper[H_SPREAD]) if unit(mine) < hyper[H_EXPLORE] else 0.0


@helper
def luck_of_draw(rows: Rows, value: float, draws: int, params: Floats, work: Any) -> float:
    """Return how much more the turn is worth with the card drawn, *value*, than on average.

    The average is over that card and the last *draws* cards of the stock, each of which was as likely to be drawn.
    """
    noinline()
    values = np.empty(64, np.float32)
    rows[1] = rows[0]
    row = rows[1]
    mine = row.mine[row.table.actor]
    ten = mine.hand & ~bit(mine.drawn)
    total, n = value, 1
    for k in range(min(draws, row.table.stock)):
        mine.hand = ten | bit(row.deck[51 - k])
        sight = v.look(row.table, mine, 99)
        _, discarded, _, knocked = v.turn_values(row.table, mine, sight, params, c.WEIGHTS, work, values)
        total += max(discarded, knocked)
        n += 1
    return value - total / n


@helper
def draw(row: Any, params: Floats, hyper: Floats, work: Any, notes: Rows, n: int) -> tuple[int, int]:
    """Return the learner's move at a draw or an offer, and the number of notes."""
    noinline()
    table = row.table
    mine = row.mine[table.actor]
    sight = v.look(table, mine, 99)
    take, stock = v.draw_values(table, mine, sight, params, c.WEIGHTS, work)
    spread = wobble(mine, hyper)
    takes = can_take(table) and take + nearly_normal(mine, spread) > stock + nearly_normal(mine, spread)
    if takes and spread > 0 and unit(mine) < FORCED_STOCK:
        takes = False
    reach(notes, n, max(take, stock), takes == (take > stock))
    if takes:
        return TAKE_UP_CARD, n
    active = v.write_stock(table, sight, mine.hand, work)
    return decline(table), keep(notes, n, S_STOCK, work, active)


@helper
def discard(
    rows: Rows,
    params: Floats,
    hyper: Floats,
    kept: Floats,
    work: Any,
    notes: Rows,
    n: int,
    knocks: Rows,
    n_knocks: int,
    sums: Any,
) -> tuple[int, int, int]:
    """Return the learner's discard or knock, and the numbers of notes and of noted knocks."""
    noinline()
    row = rows[0]
    table = row.table
    mine = row.mine[table.actor]
    at = c.WEIGHTS
    values = np.empty(64, np.float32)
    # 1. What everything is worth; the exact score of a knock is noted, made or not.
    sight = v.look(table, mine, 99)
    card, value, knock, expected = v.turn_values(table, mine, sight, params, at, work, values)
    best = max(value, expected)
    if n > 0 and table.taken < 0 and not notes[n - 1].has_next:
        notes[n - 1].luck = luck_of_draw(rows, float(best), int(hyper[H_DRAWS]), params, work)
        v.write_chances(sight, mine.hand, params, at, work)
    is_gin = False
    if knock >= 0 and n_knocks < MOST_NOTES:
        active = v.write_knock(sight, mine.hand, sight.shown, sight.pile, knock, table.rules.max_run, work)
        n_knocks = keep(knocks, n_knocks, S_KNOCK, work, active)
        rows[1] = row
        knocks[n_knocks - 1].target = v.knock_result(rows[1], knock)
        is_gin = min_deadwood(mine.hand & ~bit(knock)) == 0
    loss, seen = learn_chances(
        sight, mine.hand, row.mine[1 - table.actor].hand, params, hyper[H_CHANCE_RATE], kept, work.second
    )
    sums[S_CHANCE, 0] += loss
    sums[S_CHANCE, 1] += seen
    # 2. The choice.
    if is_gin:
        reach(notes, n, expected, True)
        return KNOCK_CODE + knock, n, n_knocks
    spread = wobble(mine, hyper)
    chosen, most = card, float(value)
    if spread > 0:
        most = -1e9
        left, _, _ = v.candidates(mine.hand, discards(table, mine))
        while left:
            other = lowest(left)
            left &= left - 1
            worth = values[other] + nearly_normal(mine, spread)
            if worth > most:
                chosen, most = other, worth
    if knock >= 0 and expected + nearly_normal(mine, spread) > most:
        reach(notes, n, best, expected >= value)
        return KNOCK_CODE + knock, n, n_knocks
    if knock >= 0 and hyper[H_MADE_ONLY] > 0:
        n_knocks -= 1
    reach(notes, n, best, values[chosen] >= best)
    shared = v.write_shared(sight, mine.hand, sight.shown, sight.pile, work)
    active = v.write_discard(sight, work, shared, mine.hand, sight.shown, chosen)
    return DISCARD_CODE + chosen, keep(notes, n, S_AFTER, work, active), n_knocks


@helper
def set_targets(notes: Rows, n: int, result: float, trace: float) -> None:
    """Write the targets of the notes of one player, from the last to the first; *result* is the hand's, in points."""
    coming = result
    for i in range(n - 1, -1, -1):
        note = notes[i]
        if note.has_next:
            coming = note.next - note.luck + (0.0 if note.is_cut else trace * (coming - note.next))
        note.target = coming


# --- 3. Whole hands -----------------------------------------------------------------------------------------------


@kernel
def play_and_learn(
    rows: Rows,
    seed: int,
    first: int,
    n_hands: int,
    shares: npt.NDArray[np.float64],
    players: Ints,
    params: Floats,
    gradient: Floats,
    mean: Floats,
    square: Floats,
    steps: int,
    hyper: Floats,
    kept: Floats,
    notes: Any,
    knocks: Rows,
    sums: npt.NDArray[np.float64],
) -> int:
    """Play *n_hands* hands from number *first* on and learn from each; return the steps of Adam so far.

    They are hands of matches, each against one player. *shares* are the cumulative shares of the *players*; beyond the
    last of them the learner has both seats.
    """
    row = rows[0]
    table = row.table
    work = stack_record(v.WORK)
    below = np.empty(SUMS + ROW, np.float32)
    n_notes = np.zeros(2, np.int64)
    in_batch = 0
    learner = other = 0
    for hand in range(first, first + n_hands):
        # 1. The deal; who plays, if a match begins.
        for seat in range(2):
            row.mine[seat].rng = mix(seed, hand, 0, AGENT + seat)
            n_notes[seat] = 0
        if hand == first or match_is_over(table):
            open_match(row, hand & 1)
            lot = unit(row.mine[0])
            learner, other = int(2 * unit(row.mine[0])), 0
            while other < len(shares) and lot >= shares[other]:
                other += 1
        else:
            table.starter = next_starter(table)
        shuffle_deck(row, mix(seed, hand, 0, DECK))
        open_hand(row)
        n_knocks = 0
        # 2. The play.
        while table.actor >= 0:
            seat = int(table.actor)
            if seat != learner and other < len(shares):
                code = ask(players, other, table, row.mine[seat])
            elif table.phase == DRAW or table.phase == OFFER:
                code, n_notes[seat] = draw(row, params, hyper, work, notes[seat], n_notes[seat])
            elif table.phase == DISCARD:
                code, n_notes[seat], n_knocks = discard(
                    rows, params, hyper, kept, work, notes[seat], n_notes[seat], knocks, n_knocks, sums
                )
            else:
                code = showdown_code(table, row.mine[seat])
            step(row, code)
        # 3. The lesson.
        won = 0.0 if table.winner < 0 else float(table.points)
        for seat in range(2):
            n = n_notes[seat]
            set_targets(notes[seat], n, won if table.winner == seat else -won, float(hyper[H_TRACE]))
            for i in range(n):
                error = learn(notes[seat][i], notes[seat][i].target, params, gradient, work, below)
                sums[notes[seat][i].network, 0] += error * error
                sums[notes[seat][i].network, 1] += 1
            in_batch += n
        for i in range(n_knocks):
            error = learn(knocks[i], knocks[i].target, params, gradient, work, below)
            sums[S_KNOCK, 0] += error * error
            sums[S_KNOCK, 1] += 1
        in_batch += n_knocks
        if in_batch >= hyper[H_BATCH]:
            steps += 1
            adam(params, gradient, mean, square, in_batch, steps, hyper[H_RATE], kept)
            in_batch = 0
    if in_batch > 0:
        steps += 1
        adam(params, gradient, mean, square, in_batch, steps, hyper[H_RATE], kept)
    return steps


# --- 4. What values mean: distributions of results, and match equity ----------------------------------------------


@kernel
def note_results(rows: Rows, seed: int, n_hands: int, params: Floats, counts: npt.NDArray[np.float64]) -> None:
    """Play hands of the learner against itself and count the results by value.

    ``counts[0]`` is for going on, ``counts[1]`` for every possible knock, made or not, ``counts[2, 0]`` for whole
    hands as the starter sees them. A value between two points of the grid counts for both, by its distance.
    """
    row = rows[0]
    table = row.table
    work = stack_record(v.WORK)
    values = np.empty(64, np.float32)
    found = np.empty((2, MOST_NOTES), np.float64)
    n_found = np.zeros(2, np.int64)
    at = c.WEIGHTS
    for hand in range(n_hands):
        if hand == 0 or match_is_over(table):
            open_match(row, hand & 1)
        else:
            table.starter = next_starter(table)
        for seat in range(2):
            row.mine[seat].rng = mix(seed, hand, 0, AGENT + seat)
            n_found[seat] = 0
        shuffle_deck(row, mix(seed, hand, 0, DECK))
        open_hand(row)
        while table.actor >= 0:
            seat = int(table.actor)
            mine = row.mine[seat]
            code, value = 0, 0.0
            if table.phase == DRAW or table.phase == OFFER:
                take, stock = v.draw_values(table, mine, v.look(table, mine, 99), params, at, work)
                code = TAKE_UP_CARD if take > stock else decline(table)
                value = float(max(take, stock))
            elif table.phase == DISCARD:
                sight = v.look(table, mine, 99)
                card, going_on, knock, expected = v.turn_values(table, mine, sight, params, at, work, values)
                code, value = DISCARD_CODE + card, float(going_on)
                if knock >= 0:
                    rows[1] = row
                    _count(counts[1], expected, float(v.knock_result(rows[1], knock)))
                    if expected > going_on or min_deadwood(mine.hand & ~bit(knock)) == 0:
                        code, value = KNOCK_CODE + knock, NEVER
            else:
                code, value = showdown_code(table, mine), NEVER
            if value != NEVER and n_found[seat] < MOST_NOTES:
                found[seat, n_found[seat]] = value
                n_found[seat] += 1
            step(row, code)
        won = 0.0 if table.winner < 0 else float(table.points)
        for seat in range(2):
            result = won if table.winner == seat else -won
            for i in range(n_found[seat]):
                _count(counts[0], found[seat, i], result)
            if seat == table.starter:
                counts[2, 0, np.int64(result) + c.MOST_POINTS] += 1


@helper
def _count(counts: Any, value: float, result: float) -> None:
    last = len(c.GRID) - 1
    place = min(max((value - c.GRID[0]) / (c.GRID[1] - c.GRID[0]), 0.0), last - 1e-6)
    lower = np.int64(place)
    at = np.int64(min(max(result, -c.MOST_POINTS), c.MOST_POINTS)) + c.MOST_POINTS
    counts[lower, at] += 1 - (place - lower)
    counts[lower + 1, at] += place - lower


def distributions(counts: npt.NDArray[np.float64]) -> Floats:
    """Return the distributions of results by value; where the grid has few results, those of the nearest point."""
    out = np.zeros(counts.shape, np.float32)
    for kind, table in enumerate(counts):
        filled = [k for k in range(len(table)) if table[k].sum() >= FEWEST_RESULTS]
        for k in range(len(table)):
            nearest = min(filled, key=lambda other: abs(other - k), default=k)
            out[kind, k] = table[nearest] / max(table[nearest].sum(), 1.0)
    return out


def match_equity(results: npt.NDArray[np.float64], target: int = c.TARGET) -> npt.NDArray[np.float64]:
    """Return the chance to win a match to *target* at every score, if equal players' hands end as in *results*.

    ``results[points + MOST_POINTS]`` counts how often a hand brought a player that many points.
    """
    both = results + results[::-1]
    both[c.MOST_POINTS] = 0.0  # a canceled hand changes nothing
    chance = both[c.MOST_POINTS + 1 :] / max(both.sum(), 1.0)  # of winning 1, 2, ... points
    equity = np.zeros((target, target))
    won = np.arange(1, len(chance) + 1)
    for total in range(2 * target - 2, -1, -1):
        for mine in range(max(0, total - target + 1), min(target, total + 1)):
            theirs = total - mine
            up = np.where(mine + won >= target, 1.0, equity[np.minimum(mine + won, target - 1), theirs])
            down = np.where(theirs + won >= target, 0.0, equity[mine, np.minimum(theirs + won, target - 1)])
            equity[mine, theirs] = chance @ (up + down)
    return equity


# --- 5. The trainer -----------------------------------------------------------------------------------------------


def new_weights(seed: int) -> Floats:
    """Return small random weights, with an outer layer near 0."""
    rng = np.random.default_rng([seed, _START])
    flat = np.zeros(v.N_WEIGHTS, np.float32)
    for place in (AFTER, STOCK, KNOCK):
        network = flat[place : place + N_NETWORK]
        network[:BIAS] = rng.normal(scale=0.12, size=BIAS)
        network[LAYER_2:BIAS_2] = rng.normal(scale=(2 / ROW) ** 0.5, size=ROW * INNER)
        network[LAYER_3 : LAYER_3 + INNER] = rng.normal(scale=0.1, size=INNER)
    flat[v.CHANCES : v.CHANCES + v.N_STAGES * N_CHANCE].reshape(v.N_STAGES, N_CHANCE)[:, 25] = -1.0
    return flat


def kept_weights(names: Sequence[str]) -> Floats:
    """Return 1 for each weight that is learned, and 0 for those that a run without the parts *names* holds at 0."""
    kept = np.ones(v.N_WEIGHTS, np.float32)
    if "belief" in names:
        kept[v.CHANCES : v.CHANCES + v.N_STAGES * N_CHANCE].reshape(v.N_STAGES, N_CHANCE)[:, :12] = 0
    for place in (AFTER, STOCK, KNOCK):
        network = kept[place : place + N_NETWORK]
        for name in names:
            for index in INPUTS.get(name, ()):
                row = v.row_of.py_func(index)  # type: ignore[attr-defined]
                network[row : row + (ROW if index < PLAIN else COMMON)] = 0
        if "units" in names:
            layer = network[:BIAS]
            n_rows = N_SUIT + v.N_CONTEXT
            rows = [*layer[: n_rows * ROW].reshape(n_rows, ROW), network[BIAS : BIAS + ROW]]
            for units in rows:
                units[SUIT // 2 : SUIT] = units[SUIT + COMMON // 2 :] = 0
            layer[n_rows * ROW :].reshape(-1, COMMON)[:, COMMON // 2 :] = 0
    return kept


def player_of(weights: Floats, name: str = "champion", *, by_score: bool = False) -> CompiledAgent:
    """Return the champion with these *weights* and no handicap; *by_score*: it knocks by the champion's own tables."""
    options = c.ChampionOptions(by_score=by_score)
    tables = c.weights(options)[v.N_WEIGHTS :] if by_score else np.zeros(0, np.float32)
    return c.act.with_options(options, name, np.concatenate([weights, tables]))


class GinChampion(Trainer):
    """Self-play and a league, with checkpoints after each block of hands."""

    ARTIFACT = "champion.safetensors"
    COLUMNS = ("hands", "after_error", "stock_error", "knock_error", "card_loss", "opponent", "utility_dnn")
    MAY_CHANGE = ("hands",)

    def __init__(self, options: GinChampionOptions) -> None:
        super().__init__(options)
        start = c.load_weights(c.ARTIFACT) if options.from_champion else new_weights(options.seed)
        self.kept = kept_weights(without(options.without))
        self.params = player_of(start * self.kept).params.copy()
        self.mean, self.square = np.zeros((2, v.N_WEIGHTS), np.float32)
        self.past = np.repeat(self.params[None], N_PAST, 0)
        self.average, self.averaged, self.steps = np.zeros(v.N_WEIGHTS), 0, 0

    @property
    def rounds(self) -> int:
        return -int(-self.options.hands // self.options.block)

    @property
    def weights(self) -> Floats:
        """The mean weights over the last third of the run, or the present ones before that, as they are stored."""
        found = self.average / self.averaged if self.averaged else self.params[c.WEIGHTS :]
        return np.asarray(np.asarray(found, np.float16), np.float32)

    def run_round(self) -> Sequence[float]:
        options, done = self.options, self.round / self.rounds
        names, shares = self.opponents()
        fixed = [agent("gin", name) for name in names]
        kernels = [*(one.kernel for one in fixed), *([c.act.kernel] * N_PAST)]
        numbers = [*(one.params for one in fixed), *self.past]
        players = addresses(kernels, numbers, ACT)
        hyper = np.array(
            [
                options.trace + (options.last_trace - options.trace) * done,
                options.explore,
                options.spread,
                options.rate * (1 - 0.95 * done),
                0.01 * (1 - 0.95 * done),
                options.batch,
                options.draws,
                "counterfactuals" in without(options.without),
            ],
            np.float32,
        )
        with ThreadPoolExecutor(options.threads) as threads:
            parts = list(
                threads.map(lambda part: self.learn_part(part, shares, players, hyper), range(options.threads))
            )
        *learned, steps, parts_of_sums = zip(*parts, strict=True)
        for array, found in zip((self.params, self.mean, self.square), learned, strict=True):
            array[:] = np.mean(found, axis=0)
        self.steps = max(steps)
        sums = np.sum(parts_of_sums, axis=0)
        self.past[self.round % N_PAST] = self.params
        first = 2 * self.rounds // 3
        if self.round - self.averaged < first:  # no mean yet, or that of a run which was extended
            self.average[:] = 0.0
            self.averaged = 0
        if self.round >= first:
            self.average += self.params[c.WEIGHTS :]
            self.averaged += 1
        errors = [float(10 * (total / max(n, 1)) ** 0.5) for total, n in sums[:S_CHANCE]]
        measured = self.measure(options.games)
        hands = (self.round + 1) * options.block
        return (
            hands,
            *errors,
            float(sums[S_CHANCE, 0] / max(sums[S_CHANCE, 1], 1)),
            *(measured[name].value for name in self.frozen),
        )

    def learn_part(
        self, part: int, shares: npt.NDArray[np.float64], players: Ints, hyper: Floats
    ) -> tuple[Floats, Floats, Floats, int, npt.NDArray[np.float64]]:
        """Learn from one *part* of the block; return the weights and moments after it, the steps and the errors."""
        options = self.options
        params, mean, square = self.params.copy(), self.mean.copy(), self.square.copy()
        sums = np.zeros((N_SUMS, 2))
        first, end = (options.block * k // options.threads for k in (part, part + 1))
        steps = play_and_learn(
            gin().new_rows(2),
            int(mix(options.seed, 0, 0, _DATA) >> np.uint64(1)),
            self.round * options.block + first,
            end - first,
            shares,
            players,
            params,
            np.zeros(v.N_WEIGHTS, np.float32),
            mean,
            square,
            self.steps,
            hyper,
            self.kept,
            np.zeros((2, MOST_NOTES), NOTE),
            np.zeros(MOST_NOTES, NOTE),
            sums,
        )
        return params, mean, square, int(steps), sums

    def opponents(self) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
        """Return the players of fixed style, and the cumulative shares of them and of the past selves."""
        options = self.options
        if options.against:
            return (options.against,), np.ones(1 + N_PAST)
        shares = options.league / sum(SHARES) * np.array(SHARES)
        past = (1 - options.league) * options.past / N_PAST
        return LEAGUE, np.cumsum([*shares, *([past] * N_PAST)])

    @property
    def frozen(self) -> tuple[str, str]:
        """The opponents of the measurements."""
        return self.options.against or "simple", "utility-dnn"

    def measure(self, games: int) -> dict[str, Estimate]:
        """Return the share of games that the learner wins against frozen opponents, on the same deals each time.

        It knocks for points; a best response to the champion or another agent knocks by the score, as the champion.
        """
        player = player_of(self.weights, by_score=self.options.from_champion)
        seed = int(mix(self.options.seed, 0, 0, _MEASURE) >> np.uint64(1))
        return {name: match("gin", player, name, games=games, seed=seed, workers=1).win_rate for name in self.frozen}

    def state(self) -> State:
        return {
            "params": self.params,
            "mean": self.mean,
            "square": self.square,
            "past": self.past,
            "average": self.average,
            "averaged": self.averaged,
            "steps": self.steps,
        }

    def set_state(self, state: State) -> None:
        for name in ("params", "mean", "square", "past", "average"):
            getattr(self, name)[...] = state[name]
        self.averaged, self.steps = int(state["averaged"]), int(state["steps"])

    def data_size(self) -> Mapping[str, Any]:
        return {"hands": self.rounds * self.options.block, "steps": self.steps}

    def result(self) -> Mapping[str, Any]:
        games = 10 * self.options.games
        found: dict[str, Any] = {"games": games}
        for name, won in self.measure(games).items():
            found |= {name: round(won.value, 4), f"{name}, 95%": [round(won.low, 4), round(won.high, 4)]}
        return found

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        counts = np.zeros((3, len(c.GRID), 2 * c.MOST_POINTS + 1))
        seed = int(mix(self.options.seed, 0, 0, _RESULTS) >> np.uint64(1))
        note_results(gin().new_rows(2), seed, self.options.block // 2, player_of(self.weights).params, counts)
        tensors = {
            "weights": self.weights,
            "results": distributions(counts[:2]),
            "equity": np.asarray(match_equity(counts[2, 0]), np.float32),
        }
        write_artifact(path, tensors, {"format": c.FORMAT, "version": c.VERSION, **manifest}, half=True)
