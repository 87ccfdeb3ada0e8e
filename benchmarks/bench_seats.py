"""How fast Indian Rummy is at two to six seats: the batch driver against the Python table, on the same deals.

The tallies of both must agree. Rounds are interleaved; a ratio is the median over the rounds.
Run with ``python benchmarks/bench_seats.py [ROUNDS [AGENT]]``.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import numpy as np

from rummylab import agent
from rummylab.arena.jobs import CompiledJob, TableJob
from rummylab.arena.seating import games_per_deal
from rummylab.games.registry import game

SEED = 7
SEATS = (2, 3, 4, 5, 6)
AGREED = ("scores", "winner", "starter", "decisions", "outcomes")


def seconds_per_game(job: Any, deals: int) -> tuple[float, Any]:
    """Return the CPU time of a game on the first *deals* deals, and the tallies."""
    began = time.process_time()
    rows = job((0, deals)).rows
    return (time.process_time() - began) / len(rows), rows


def main(rounds: int = 5, name: str = "mindist") -> None:
    """Print games a second at each number of seats and the ratio of the two ways."""
    print(f"indian, {name} in every seat, games a second on one core, median of {rounds} rounds")
    for seats in SEATS:
        rules, players = game("indian").rules(seats=seats), [agent("indian", name) for _ in range(seats)]
        batch, table = CompiledJob(rules, players, SEED), TableJob(rules, players, SEED)
        few = -(-24 // games_per_deal(seats))
        expected = seconds_per_game(table, few)[1]
        found = seconds_per_game(batch, few)[1]
        assert all(np.array_equal(expected[field], found[field]) for field in AGREED), "not the same games"
        pairs = [(seconds_per_game(table, few)[0], seconds_per_game(batch, 50 * few)[0]) for _ in range(rounds)]
        slow, fast = (median(times) for times in zip(*pairs, strict=True))
        ratio = median(one / two for one, two in pairs)
        print(f"{seats} seats: table {1 / slow:6.0f}, batch {1 / fast:7.0f}, ratio {ratio:5.0f}")


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
