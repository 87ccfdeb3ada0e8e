"""What it costs to keep a compiled agent from outside to its records.

``examples/cautious.py`` against ``simple``, the same deals: without any guard, as an object handed to ``match``
(bounds checks, copies), and named by file (a process of its own). Rounds are interleaved; a ratio is the median over
the rounds. Only an otherwise idle machine gives meaningful ratios: a guest and the referee take turns.
Run with ``python benchmarks/bench_guests.py [DEALS [ROUNDS]]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

from cautious import cautious_compiled  # noqa: E402
from rummylab import agent  # noqa: E402
from rummylab.arena.jobs import CompiledJob, Played  # noqa: E402
from rummylab.arena.outside import player  # noqa: E402
from rummylab.engine.agent import CompiledAgent  # noqa: E402
from rummylab.games.registry import game  # noqa: E402

SEED = 7
GAME = game("gin")


def unguarded() -> CompiledAgent:
    """Return the example as our own agents are compiled."""
    function = cautious_compiled.kernel.py_func.__wrapped__
    return CompiledAgent("unguarded", numba.njit(GAME.act_signature, error_model="numpy")(function), [5.0])


def job(guest: Any) -> Any:
    return CompiledJob(GAME.rules(), [guest, agent("gin", "simple")], SEED)


def timed(play: Callable[[tuple[int, int]], Played], deals: int) -> tuple[float, Any]:
    began = time.perf_counter()
    played = play((0, deals))
    return time.perf_counter() - began, played.rows


def same(a: Any, b: Any) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names)


def main(deals: int = 1000, rounds: int = 9) -> None:
    """Print the time of each way and its ratio to the first."""
    guest = player("gin", f"{EXAMPLES / 'cautious.py'}:cautious_compiled")
    ways = {
        "unguarded": job(unguarded()),
        "object handed to match": job(cautious_compiled),
        "guest named by file": job(guest),
    }
    expected = timed(ways["unguarded"], deals)[1]
    for name, play in ways.items():
        assert same(timed(play, deals)[1], expected), f"{name} plays other games"
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, play in ways.items():
            times[name].append(timed(play, deals)[0])
    decisions = int(expected["decisions"].sum())
    for name, seconds in times.items():
        ratios = [mine / base for mine, base in zip(seconds, times["unguarded"], strict=True)]
        speed = decisions / median(seconds) / 1e6
        print(f"{name:24} {speed:6.2f} M decisions/s   {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
