"""Measures the agents of Indian Rummy: who beats whom (row moves first), drops, and games a second on one core.

python benchmarks/indian_agents.py --games 20000 --seed 2026
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rummylab.agents.registry import agent
from rummylab.cards.rng import root_of
from rummylab.engine.rows import Rows
from rummylab.games.indian.view import indian
from rummylab.games.registry import game

SKILLED = ("minscore", "mindist", "mindist-score", "mindist-opp", "mindist-outs")
DROPS = (
    ("mindist-outs-drop", "mindist-outs"),
    ("mindist-outs-drop", "mindist-opp"),
    ("mindist-outs", "mindist-opp"),
    ("mindist-opp-drop", "mindist-opp"),
)


def play(first: str, second: str, games: int, seed: int) -> tuple[Rows, float]:
    """Return the tallies of deals in which *first* always moves first, and the seconds they took."""
    one, two = agent("indian", first), agent("indian", second)
    batch = game("indian").batch
    tallies = np.zeros(games, batch.tally_for(2))
    started = time.perf_counter()
    where = indian().new_rows(1), root_of(seed), 0, [(0, 1)]
    batch.play_seatings(*where, (one.kernel, two.kernel), (one.params, two.params), tallies, starter=0)
    return tallies, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="deals for each ordered pair")
    parser.add_argument("--seed", type=int, default=2026)
    chosen = parser.parse_args()
    rates = np.zeros((len(SKILLED), len(SKILLED)))
    seconds = np.zeros_like(rates)
    for i, first in enumerate(SKILLED):
        for k, second in enumerate(SKILLED):
            tallies, seconds[i, k] = play(first, second, chosen.games, chosen.seed)
            rates[i, k] = (tallies["winner"] == 0).mean()
    print(f"win rate of the row moving first, {chosen.games} deals a cell, seed {chosen.seed}")
    for name, row in zip(SKILLED, rates, strict=True):
        print(f"{name:14s}", *(f"{rate:.3f}" for rate in row))
    averaged = (1 + rates[4] - rates[:, 4]) / 2
    print("win rate of mindist-outs, both orders:", *(f"{rate:.4f}" for rate in averaged))
    print(f"games/s: the paper's four {16 * chosen.games / seconds[:4, :4].sum():.0f},", end=" ")
    print(f"mindist-outs against itself {chosen.games / seconds[4, 4]:.0f}")
    for first, second in DROPS:
        forth, _ = play(first, second, chosen.games, chosen.seed)
        back, _ = play(second, first, chosen.games, chosen.seed)
        gains = (forth["gains"][:, 0] + back["gains"][:, 1]) / 2  # the same cards, the two sides swapped
        wins = ((forth["winner"] == 0).mean() + (back["winner"] == 1).mean()) / 2
        error = gains.std() / np.sqrt(len(gains))
        print(f"{first} against {second}: {gains.mean():+.2f} ± {error:.2f} points a deal, win rate {wins:.4f}")


if __name__ == "__main__":
    main()
