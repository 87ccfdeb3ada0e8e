"""Speed of Gin Rummy beside OpenSpiel's, in one run on one core: ``make bench``.

Fixed inputs; our figures are the best of several repetitions, OpenSpiel's too. ``--write DIR`` keeps the results.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rummylab.arena.speed import gin_speed


def openspiel_decisions_per_s(games: int = 60, repeats: int = 3) -> float | None:
    """Return the decisions per second of random play through OpenSpiel's Python interface."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("gin_rummy")
    best = 0.0
    for repeat in range(repeats):
        rng = random.Random(repeat)
        n, start = 0, time.perf_counter()
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
                    n += 1
        best = max(best, n / (time.perf_counter() - start))
    return best


def start_up_seconds() -> tuple[float, float]:
    """Return how long ``rummylab arena`` takes with an empty cache and with a full one."""
    command = [sys.executable, "-m", "rummylab", "arena", "gin", "simple", "random", "--games", "200", "--json"]
    with tempfile.TemporaryDirectory() as cache:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            subprocess.run(
                command, check=True, capture_output=True, env={"RUMMYLAB_CACHE": cache, "PATH": "", "HOME": cache}
            )
            times.append(time.perf_counter() - start)
    return times[0], min(times[1:])


def measure() -> dict[str, Any]:
    ours = gin_speed()
    theirs = openspiel_decisions_per_s()
    cold, warm = start_up_seconds()
    million = 1e6
    rows = [
        {"what": "deadwood of a random ten-card hand, in a batch", "measured": f"{ours['deadwood_ns']:.1f} ns"},
        {
            "what": "random against random, compiled",
            "measured": f"{ours['random_decisions_per_s'] / million:.1f} M decisions/s",
        },
        {
            "what": "simple against simple, compiled",
            "measured": f"{ours['simple_decisions_per_s'] / million:.1f} M decisions/s",
        },
        {
            "what": "simple against simple at the Python table",
            "measured": f"{ours['facade_decisions_per_s']:,.0f} decisions/s",
        },
    ]
    if theirs is not None:
        rows.append({"what": "random play, OpenSpiel from Python", "measured": f"{theirs:,.0f} decisions/s"})
        rows.append(
            {
                "what": "ratio of compiled random play to OpenSpiel's",
                "measured": f"{ours['random_decisions_per_s'] / theirs:,.0f}x",
            }
        )
    rows.append({"what": "start of `rummylab arena`, nothing compiled yet", "measured": f"{cold:.1f} s"})
    rows.append({"what": "start of `rummylab arena`, compiled before", "measured": f"{warm:.2f} s"})
    figures = {**ours, "openspiel_decisions_per_s": theirs, "cold_start_s": cold, "warm_start_s": warm}
    return {"machine": f"{platform.machine()}, Python {platform.python_version()}", "figures": figures, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="keep the results in this directory")
    arguments = parser.parse_args()
    results = measure()
    for row in results["rows"]:
        print(f"{row['what']:52} {row['measured']}")
    if arguments.write:
        (arguments.write / "gin-speed.json").write_text(json.dumps(results, indent=2) + "\n")
        subprocess.run([sys.executable, "-m", "rummylab.cli.tables", "--write"], check=True)


if __name__ == "__main__":
    main()
