"""Time a decision of Gin agents, before and after a change in one run.

    python benchmarks/bench_agents.py                     # microseconds a decision, of this working tree
    python benchmarks/bench_agents.py --against OLD/src   # the same positions by both, in turn, with the ratio

Each agent decides in positions from games against itself. Time is the processor time of the thread, the least of
several rounds, so that other work on the machine counts little. *OLD* is another checkout of this repository.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.engine.action import Action
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.pointers import Ints, addresses, agent_caller
from rummylab.engine.referee import play_match
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.games.gin import rules as gin
from rummylab.games.registry import GAMES

AGENTS = ("champion", "utility", "utility-dnn", "utility-search")
SEED = 5
ask = agent_caller(gin.ACT)


class Recorder:
    """A player that keeps what it sees, with its random stream."""

    def __init__(self, player: CompiledAgent, views: list[Rows]) -> None:
        self.player, self.views, self.name = player, views, player.name

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.player.sit(rules, seat, rng)

    def act(self, seen: Observation) -> Action:
        view = copy_of(seen.view)
        view["mine"]["rng"] = self.player._stream.state
        self.views.append(view)
        return self.player.act(seen)


def positions(name: str, n: int) -> Rows:
    """Return *n* positions in which an agent decides, from games against itself."""
    views: list[Rows] = []
    pair = 0
    while len(views) < n:
        players = [Recorder(agent("gin", name), views) for _ in range(2)]
        for _ in play_match(GAMES["gin"].rules("eaai"), players, SEED, pair=pair):
            if len(views) >= n:
                break
        pair += 1
    return copy_of(np.concatenate(views[:n]))


@kernel
def decide(views: Rows, agents: Ints, codes: Ints) -> None:
    for i in range(len(views)):
        codes[i] = ask(agents, 0, views[i].table, views[i].mine)


def microseconds(name: str, views: Rows, rounds: int) -> float:
    """Return the time of a decision, on average over *views*."""
    player = agent("gin", name)
    agents = addresses([player.kernel], [player.params], gin.ACT)
    codes, best = np.empty(len(views), np.int64), np.inf
    for _ in range(rounds):
        fresh = copy_of(views)  # an agent moves its random stream on
        start = time.thread_time_ns()
        decide(fresh, agents, codes)
        best = min(best, time.thread_time_ns() - start)
    return best / len(views) / 1000


def time_in(source: Path | None, name: str, file: Path, rounds: int) -> float:
    """Return the time of a decision by the package in *source*, in a process of its own."""
    environment = {**os.environ, **({"PYTHONPATH": str(source)} if source else {})}
    command = [sys.executable, __file__, "--time", name, "--positions", str(file), "--rounds", str(rounds)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="src directory of another checkout")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--repeats", type=int, default=3, help="processes for each side, in turn")
    parser.add_argument("--time", help=argparse.SUPPRESS)
    parser.add_argument("--positions", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.time:
        views = np.frombuffer(bytearray(options.positions.read_bytes()), gin.VIEW)
        print(microseconds(options.time, views, options.rounds))
        return
    with tempfile.TemporaryDirectory() as place:
        for name in AGENTS:
            file = Path(place, name)
            file.write_bytes(positions(name, 300 if name == "utility-search" else 2000).tobytes())
            sides = [None] if options.against is None else [options.against, None]
            found = [[time_in(side, name, file, options.rounds) for side in sides] for _ in range(options.repeats)]
            times = np.min(found, axis=0)
            ratio = f" us before, {times[-1]:.1f} us now, {times[0] / times[-1]:.2f}x" if options.against else " us"
            print(f"{name:16} {times[0]:.1f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
