"""What the search at the end of the stock gains: rounds that reach it, played on with and without it.

    python benchmarks/contract_endgame.py --rules chinese-7 --rounds 20000 --seed 9001
    python benchmarks/contract_endgame.py --rules contract-7 --rounds 20000 --seed 9001 --stock 8

`contract-counter` plays `contract-greedy` or itself at two seats, all contracts in turn. From its first draw with a
short stock on, the round is played twice from the same position: as before, and with `contract-counter-search`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.agents.contract import contract_counter, contract_counter_search, greedy
from rummylab.agents.contract.contract_counter_search import DOUBT, PATIENCE, SHORT, WORLDS
from rummylab.agents.registry import agent
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.rows import Params
from rummylab.games.contract import rules as r
from rummylab.games.contract.distance import ROOM
from rummylab.games.contract.view import contract

REACHED, BEFORE, AFTER, VOID_BEFORE, VOID_AFTER, CHANGED, N_COLUMNS = range(7)


@kernel
def play(
    rows: r.Rows,
    seed: int,
    n_rounds: int,
    params: Params,
    stock: int,
    worlds: int,
    patience: int,
    doubt: float,
    is_greedy: bool,
    out: npt.NDArray[np.int64],
) -> None:
    """Write a line for each round: whether it got there, and what seat 0 won without and with the search."""
    room = np.empty(ROOM, np.int64)
    for number in range(n_rounds):
        row = rows[0]
        r.open_match(row, number % 2)
        row.table.hand_no = number // 2 % row.table.rules.n_contracts
        for seat in range(2):
            row.mine[seat].rng = mix(seed, number, 0, AGENT + seat)
        r.shuffle_deck(row, mix(seed, number, 0, DECK))
        r.open_hand(row)
        arm = 0
        while arm < 3:
            table = row.table
            if table.actor < 0:
                if out[number, REACHED]:
                    won = table.paid[1] - table.paid[0] if table.winner >= 0 else 0
                    out[number, BEFORE + arm - 1] = won
                    out[number, VOID_BEFORE + arm - 1] = table.winner < 0
                    rows[2] = rows[1]
                    row = rows[2]
                    arm += 1
                else:
                    arm = 3
                continue
            mine = row.mine[table.actor]
            if arm == 0 and table.actor == 0 and table.phase == r.DRAW and table.stock <= stock:
                out[number, REACHED] = 1
                rows[1] = row
                arm = 1
            if table.actor == 1:
                code = int(
                    greedy.choose(table, mine, room) if is_greedy else contract_counter.choose(table, mine, params)
                )
            else:
                code = int(contract_counter.choose(table, mine, params))
                if arm == 2:
                    better = int(contract_counter_search.improve(table, mine, code, stock, worlds, patience, doubt))
                    out[number, CHANGED] += better != code
                    code = better
            r.step(row, code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="chinese-7")
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=9001)
    parser.add_argument("--stock", type=int, default=SHORT, help="cards in the stock from which on the search plays")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds in which each move is played out")
    parser.add_argument("--patience", type=int, default=PATIENCE, help="moves in them after which no further is played")
    parser.add_argument("--doubt", type=float, default=DOUBT, help="standard errors by which it must win more")
    parser.add_argument("--against", choices=("contract-greedy", "contract-counter"), default="contract-greedy")
    given = parser.parse_args()
    is_greedy = given.against == "contract-greedy"
    out = np.zeros((given.rounds, N_COLUMNS), np.int64)
    params = agent("contract", "contract-counter").params
    rows = contract(given.rules).new_rows(3)
    how = (params, given.stock, given.worlds, given.patience, given.doubt, is_greedy)
    play(rows, given.seed, 0, *how, out)  # compiles
    began = time.thread_time()
    play(rows, given.seed, given.rounds, *how, out)
    reached = out[out[:, REACHED] == 1]
    n = max(len(reached), 1)
    gain = reached[:, AFTER] - reached[:, BEFORE]
    print(f"{len(reached)} of {given.rounds} rounds reach it ({len(reached) / given.rounds:.2%})")
    print(f"gain there: {gain.mean():+.2f} ± {1.96 * gain.std() / n**0.5:.2f} points a round (95%)")
    print(f"gain in all: {gain.sum() / given.rounds:+.3f} points a round")
    print(f"void there: {reached[:, VOID_BEFORE].mean():.1%} without, {reached[:, VOID_AFTER].mean():.1%} with")
    print(
        f"moves changed: {reached[:, CHANGED].mean():.1f} a round; {time.thread_time() - began:.1f} s of processor time"
    )


if __name__ == "__main__":
    main()
