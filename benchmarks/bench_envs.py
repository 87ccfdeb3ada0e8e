"""Decisions per second of the environments, beside the libraries that are installed, in one run.

``python benchmarks/bench_envs.py [SECONDS] [--json FILE]``. Every line is the best of three rounds of processor time,
random legal actions, all seats. Peers that are not installed are named as missing.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rummylab.envs.vector import VectorEnv
from rummylab.games.registry import GAMES

TABLES = 1024


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return how much of *work* is done in a second of processor time: the best of three rounds."""
    work()
    best = 0.0
    for _ in range(3):
        done, began = 0, time.process_time()
        while (spent := time.process_time() - began) < seconds / 3:
            done += work()
        best = max(best, done / spent)
    return best


def vector(game: str, dtype: str, n: int = TABLES) -> Callable[[], int]:
    """Return a function that plays a step at *n* tables, tensors and masks included."""
    env = VectorEnv(game, n, dtype=dtype)

    def work() -> int:
        env.step(env.sample())
        return n

    return work


def single() -> Callable[[], int]:
    """Return a function that makes one step of the Gymnasium environment against `random`."""
    from rummylab.interop.gymnasium import GameEnv

    env, rng = GameEnv("gin", opponent="random"), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    state = {"mask": info["action_mask"]}
    draws = rng.random(4096).tolist()
    at = [0]

    def work() -> int:
        legal = state["mask"].nonzero()[0]
        at[0] = (at[0] + 1) & 4095
        _, _, done, _, info = env.step(legal[int(draws[at[0]] * len(legal))])
        if done:
            _, info = env.reset()
        state["mask"] = info["action_mask"]
        return 1

    return work


def openspiel() -> Callable[[], int]:
    """Return a function that plays a hand of OpenSpiel's Gin with observation tensors; it counts decisions."""
    import pyspiel

    game, rng = pyspiel.load_game("gin_rummy"), np.random.default_rng(1)

    def work() -> int:
        state, n = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(rng.integers(len(outcomes)))][0])
            else:
                state.observation_tensor(state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.integers(len(legal)))])
                n += 1
        return n

    return work


def rlcard() -> Callable[[], int]:
    """Return a function that makes one step of RLCard's Gin."""
    import rlcard as library  # type: ignore[import-not-found, unused-ignore]

    env, rng = library.make("gin-rummy"), np.random.default_rng(1)
    state = [env.reset()[0]]

    def work() -> int:
        legal = list(state[0]["legal_actions"])
        state[0], _ = env.step(legal[int(rng.integers(len(legal)))])
        if env.is_over():
            state[0], _ = env.reset()
        return 1

    return work


def main() -> None:
    """Measure, print a table, and perhaps keep it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("seconds", nargs="?", type=float, default=3.0)
    parser.add_argument("--json", type=Path, default=None)
    chosen = parser.parse_args()
    lines: list[tuple[str, Callable[[], Callable[[], int]]]] = [
        *(
            (f"{game}, {dtype}, {TABLES} tables", lambda g=game, d=dtype: vector(g, d))
            for game in GAMES
            for dtype in ("uint8", "float32")
        ),  # type: ignore[misc]
        ("gin, uint8, 4096 tables", lambda: vector("gin", "uint8", 4096)),
        ("gin, Gymnasium, one table against random", single),
        ("peer: OpenSpiel gin_rummy with tensors", openspiel),
        ("peer: RLCard gin-rummy", rlcard),
    ]
    figures: dict[str, float | None] = {}
    for what, make in lines:
        try:
            figures[what] = round(rate(make(), chosen.seconds))
            print(f"{what:45} {figures[what]:>12,} decisions/s")
        except ImportError:
            figures[what] = None
            print(f"{what:45} {'not installed':>12}")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
