"""Time of a decision of an agent against itself in several source trees, in turns: what a change of the code is worth.

``python benchmarks/compare_trees.py GAME AGENT TREE [TREE ...]``, where a tree is a clone of the repository (``git
worktree add --detach OLD COMMIT`` makes one); ``TREE=GAME`` where the game had another name then. A figure is processor
time, the best of all rounds; the trees take turns, so that a busy machine disturbs them alike. Ratios are of decisions:
a game takes more or fewer of them if play has changed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

# Runs in the tree: old trees know `match` too, but hardly anything else that is here.
_PROGRAM = """
import sys, time
from rummylab.arena.match import match
game, agent, games = sys.argv[1], sys.argv[2], int(sys.argv[3])
match(game, agent, agent, games=2, workers=1)
best = float("inf")
for _ in range(5):
    start = time.process_time()
    result = match(game, agent, agent, games=games, seed=1, workers=1)
    best = min(best, time.process_time() - start)
print(best / result.decisions, best / games)
"""


def seconds(tree: Path, game: str, agent: str, games: int) -> tuple[float, float]:
    """Return the processor time of a decision and of a game, measured in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    command = [sys.executable, "-c", _PROGRAM, game, agent, str(games)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    of_decision, of_game = map(float, done.stdout.split())
    return of_decision, of_game


def main() -> None:
    """Print a line for each tree: games a second, the time of a decision, and its ratio to the first tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agent")
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    best = [(float("inf"), float("inf"))] * len(args.trees)
    for _ in range(args.rounds):
        for i, tree in enumerate(args.trees):
            path, _, game = tree.partition("=")
            best[i] = min(best[i], seconds(Path(path).resolve(), game or args.game, args.agent, args.games))
    for tree, (of_decision, of_game) in zip(args.trees, best, strict=True):
        ratio = best[0][0] / of_decision
        print(f"{tree}: {1 / of_game:,.0f} games/s, {1e6 * of_decision:.4g} us a decision, {ratio:.2f} times the first")


if __name__ == "__main__":
    main()
