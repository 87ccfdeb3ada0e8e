"""Measures how much `champion-search` should trust its worlds: play-outs of close moves in real deals.

`champion` plays whole matches against an opponent. Where its networks think that two moves differ by less than
``--gap`` points, both are played to the end of the hand ``--trials`` times, with the cards that the opponent really
holds and the same orders of the stock for both. The mean difference is the true one, up to luck. Two other opinions on
it are noted: that of the networks, and that of the search (the worlds of a discard; the look at all cards of the stock
for a draw). The regression

    true difference = a x networks' difference + b x the search's difference

says what each knows that the other does not. Only the sign of the mixture decides, so the best share of the search is
b / (a + b). The second table says what a share would have gained, in points for each close decision.

    python benchmarks/champion_shares.py --positions 20000 --seed 900500
    python benchmarks/champion_shares.py --search "champion-search(worlds=256)" --against utility-dnn

Intervals are 95%, clustered by hand.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.agents.gin.champion_search import (
    ALL_TURNS,
    MAX_CANDIDATES,
    VALUES,
    P,
    sample_hands,
    score_discards,
    score_stock,
    write_candidates,
)
from rummylab.agents.gin.champion_values import WORK, draw_values, look, turn_values
from rummylab.agents.registry import agent
from rummylab.cards.bits import popcount, stack_record
from rummylab.cards.rng import AGENT, DECK, mix, shuffle
from rummylab.engine.pointers import addresses, agent_caller
from rummylab.engine.rows import Floats, Params, Rows
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    TAKE_UP_CARD,
    match_is_over,
    next_starter,
    open_hand,
    open_match,
    shuffle_deck,
    step,
)
from rummylab.games.gin.view import gin

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

NETWORKS, SEARCH, TRUE, IS_DRAW, HAND, TURN, N_COLUMNS = range(7)
LEARNER, OPPONENT = 0, 1
_TRIAL = 21
"""The purpose of the streams of play-outs."""

ask = agent_caller(ACT)


@helper
def play_out(row: Any, code: int, seat: int, players: Ints) -> float:
    """Return the points that *seat* wins in this hand after its move *code*; *row* is played to its end."""
    table = row.table
    step(row, code)
    while table.actor >= 0:
        actor = np.int64(table.actor)
        step(row, ask(players, np.int64(actor != seat), table, row.mine[actor]))
    if table.winner < 0:
        return 0.0
    return float(table.points) if table.winner == seat else -float(table.points)


@helper
def true_difference(rows: Any, codes: Ints, seat: int, players: Ints, seed: int, trials: int) -> float:
    """Return how much more the first of two moves wins than the second, on average over orders of the stock."""
    total = 0.0
    for trial in range(trials):
        stream = mix(seed, trial, 0, _TRIAL)
        for k in range(2):
            rows[1] = rows[0]
            row = rows[1]
            shuffle(row.deck[row.pos :], stream)
            for player in range(2):
                row.mine[player].rng = mix(seed, trial, 1 + player, _TRIAL)
            won = play_out(row, codes[k], seat, players)
            total += won if k == 0 else -won
    return total / trials


@helper
def compare_discards(rows: Any, gap: float, params: Params, work: Any, codes: Ints, found: Doubles) -> bool:
    """Write two close discards to *codes* and the opinions on them to *found*; return false if there are none."""
    table, mine = rows[0].table, rows[0].mine[rows[0].table.actor]
    values = np.empty(64, np.float32)
    sight = look(table, mine, ALL_TURNS)
    best, value, knock, knock_value = turn_values(table, mine, sight, params, VALUES, work, values)
    if table.stock <= table.rules.wall or (knock >= 0 and knock_value > value):
        return False
    two = params.copy()
    two[P.candidates], two[P.margin] = 2, gap
    cards, scores = np.empty(MAX_CANDIDATES, np.int64), np.empty(MAX_CANDIDATES, np.float32)
    if write_candidates(table, mine, values, best, two, cards) < 2:
        return False
    hands = np.empty(np.int64(params[P.worlds]), np.int64)
    sample_hands(table, mine, params, hands)
    score_discards(table, mine, cards, 2, hands, params, work, scores)
    found[NETWORKS] = values[cards[0]] - values[cards[1]]
    found[SEARCH] = scores[0] - scores[1]
    found[IS_DRAW] = 0.0
    codes[0], codes[1] = DISCARD_CODE + cards[0], DISCARD_CODE + cards[1]
    return True


@helper
def compare_draws(rows: Any, gap: float, params: Params, work: Any, codes: Ints, found: Doubles) -> bool:
    """Write the opinions on taking the upcard to *found*; return false if it is not close to a card of the stock."""
    table, mine = rows[0].table, rows[0].mine[rows[0].table.actor]
    take, stock = draw_values(table, mine, look(table, mine, ALL_TURNS), params, VALUES, work)
    if abs(take - stock) >= gap:
        return False
    hands = np.empty(np.int64(params[P.worlds]), np.int64)
    sample_hands(table, mine, params, hands)
    found[NETWORKS] = take - stock
    found[SEARCH] = take - score_stock(table, mine, hands, params, work)
    found[IS_DRAW] = 1.0
    codes[0], codes[1] = TAKE_UP_CARD, DRAW_STOCK
    return True


@kernel
def gather(
    rows: Rows, seed: int, gap: float, trials: int, params: Params, players: Ints, wanted: int, out: Doubles
) -> int:
    """Fill *out* with close decisions of player 0, a row each: discards if *wanted* is 0, draws if 1, both if 2."""
    row = rows[0]
    table = row.table
    work = stack_record(WORK)
    codes = np.empty(2, np.int64)
    found = np.empty(N_COLUMNS, np.float64)
    n, hand, learner = 0, 0, 0
    while n < len(out):
        if hand == 0 or match_is_over(table):
            learner = hand & 1
            open_match(row, hand >> 1 & 1)
        else:
            table.starter = next_starter(table)
        for seat in range(2):
            row.mine[seat].rng = mix(seed, hand, 0, AGENT + seat)
        shuffle_deck(row, mix(seed, hand, 0, DECK))
        open_hand(row)
        while table.actor >= 0 and n < len(out):
            seat = int(table.actor)
            is_close = False
            kept = row.mine[seat].rng
            if seat == learner and table.phase == DISCARD and wanted != 1:
                is_close = compare_discards(rows, gap, params, work, codes, found)
            elif seat == learner and table.phase == DRAW and wanted != 0:
                is_close = compare_draws(rows, gap, params, work, codes, found)
            row.mine[seat].rng = kept
            if is_close:
                found[TRUE] = true_difference(rows, codes, seat, players, seed + n, trials)
                found[HAND], found[TURN] = hand, popcount(table.thrown[seat]) + 1
                out[n] = found
                n += 1
            step(row, ask(players, np.int64(seat != learner), table, row.mine[seat]))
        hand += 1
    return hand


class Fit(NamedTuple):
    """Coefficients of a regression through the origin, and the half-widths of their 95% intervals."""

    values: Doubles
    halves: Doubles


def fit(inputs: Doubles, target: Doubles, clusters: Doubles) -> Fit:
    """Return the least-squares coefficients of the columns of *inputs*, with errors clustered by *clusters*."""
    inverse = np.linalg.inv(inputs.T @ inputs)
    values = inverse @ inputs.T @ target
    pushes = inputs * (target - inputs @ values)[:, None]
    _, numbers = np.unique(clusters, return_inverse=True)
    sums = np.zeros((numbers.max() + 1, inputs.shape[1]))
    np.add.at(sums, numbers, pushes)
    return Fit(values, 1.96 * np.sqrt(np.diag(inverse @ (sums.T @ sums) @ inverse)))


def gain(found: Doubles, share: float, margin: float) -> tuple[float, float]:
    """Return the points gained for each decision in *found*, over the networks alone, by a *share* of the search.

    The search is asked where the networks see less than *margin* between the moves. The second number is the half-width
    of the 95% interval.
    """
    mixed = (1 - share) * found[:, NETWORKS] + share * found[:, SEARCH]
    close = np.abs(found[:, NETWORKS]) < margin
    changes = np.where(close, (np.sign(mixed) - np.sign(found[:, NETWORKS])) / 2, 0.0)
    gained = changes * found[:, TRUE]
    ones = np.ones((len(gained), 1))
    mean = fit(ones, gained, found[:, HAND])
    return float(mean.values[0]), float(mean.halves[0])


def report(found: Doubles, what: str) -> None:
    """Print the regressions of *found* and what other shares would have gained."""
    both = fit(found[:, [NETWORKS, SEARCH]], found[:, TRUE], found[:, HAND])
    (a, b), (a_half, b_half) = both.values, both.halves
    print(f"{len(found):,} close {what} in {len(np.unique(found[:, HAND])):,} hands")
    print(f"  true = {a:.2f} (± {a_half:.2f}) x networks + {b:.2f} (± {b_half:.2f}) x search; share {b / (a + b):.2f}")
    for column, name in ((NETWORKS, "networks"), (SEARCH, "search")):
        one = fit(found[:, [column]], found[:, TRUE], found[:, HAND])
        print(f"  alone: true = {one.values[0]:.2f} (± {one.halves[0]:.2f}) x {name}")
    print("  gained per 100 close decisions, in points, by share and margin:")
    margins = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
    print("    share " + "".join(f"{f'< {margin}':>16}" for margin in margins))
    for share in (0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0):
        gains = [gain(found, share, margin) for margin in margins]
        print(f"    {share:5.2f} " + "".join(f"{f'{100 * mean:.1f} ± {100 * half:.1f}':>16}" for mean, half in gains))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=20_000, help="close decisions of each kind")
    parser.add_argument("--trials", type=int, default=8, help="play-outs of each move")
    parser.add_argument("--gap", type=float, default=4.0, help="points between moves that count as close")
    parser.add_argument("--seed", type=int, default=900_500)
    parser.add_argument("--search", default="champion-search", help="the search whose worlds are judged")
    parser.add_argument("--against", default="champion", help="the opponent, at the table and in the play-outs")
    parser.add_argument("--only", choices=("discards", "draws"), help="judge one kind of decision")
    chosen = parser.parse_args()
    players = [agent("gin", "champion"), agent("gin", chosen.against)]
    kept: list[Floats] = [player.params for player in players]
    found_at = addresses([player.kernel for player in players], kept, ACT)
    params = agent("gin", chosen.search).params
    for wanted, what in enumerate(("discards", "draws")):
        if chosen.only not in (None, what):
            continue
        began = time.thread_time()
        found = np.empty((chosen.positions, N_COLUMNS))
        gather(gin().new_rows(2), chosen.seed, chosen.gap, chosen.trials, params, found_at, wanted, found)
        report(found, what)
        print(f"  {time.thread_time() - began:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
