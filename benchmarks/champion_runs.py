"""Measures the players that runs of `rummylab train gin-champion` have learned, on the same duplicate deals.

python benchmarks/champion_runs.py RUN [RUN ...] --games 4000 --seed 2026 --against champion utility-search

Each RUN is the directory of a run. A player knocks for points or, with --by-score, by the tables that its run made.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from rummylab.agents.gin import champion as c
from rummylab.arena.match import match
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import read_artifact
from rummylab.learning.trainer import TIMING
from rummylab.learning.trainers.gin_champion import GinChampion


def player_of(run: Path, by_score: bool) -> CompiledAgent:
    """Return the player that the run has learned."""
    tensors = c.load_tensors(run / GinChampion.ARTIFACT)
    options = c.ChampionOptions(by_score=by_score)
    numbers = [np.array(options.params), *(tensors[name].ravel() for name in c.SHAPES)]
    return CompiledAgent(run.name, c.act.kernel, np.concatenate(numbers).astype(np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--games", type=int, default=4000, help="games of each player against each opponent")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--against", nargs="+", default=["champion"], metavar="AGENT")
    parser.add_argument("--by-score", action="store_true", help="knock by the score of the match")
    chosen = parser.parse_args()
    print(f"| run | hands | processor time | {' | '.join(f'against `{name}`' for name in chosen.against)} |")
    print(f"|---|---|---|{'---|' * len(chosen.against)}")
    for run in chosen.runs:
        _, manifest = read_artifact(run / GinChampion.ARTIFACT, c.SHAPES)
        seconds = json.loads((run / TIMING).read_text())["cpu_seconds"]
        cells = []
        for name in chosen.against:
            result = match("gin", player_of(run, chosen.by_score), name, games=chosen.games, seed=chosen.seed)
            won, low, high = (100 * one for one in (result.win_rate.value, *result.win_rate.ci))
            cells.append(f"{won:.1f}% ({low:.1f}% to {high:.1f}%)")
        print(f"| {run.name} | {manifest['data']['hands']:,} | {seconds:.0f} s | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
