"""How fast the kernels and the Python table are, on one core of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import IDS_52, to_mask
from rummylab.engine.referee import play_match
from rummylab.games.gin.game import gin
from rummylab.games.gin.melds import min_deadwood_many


def _best(measure: Callable[[], float], repeats: int) -> float:
    """Return the best of several measurements: what the machine can do when nobody disturbs it."""
    return max(measure() for _ in range(repeats))


def _deadwoods_per_s() -> float:
    rng = np.random.default_rng(7)
    hands = np.array([to_mask(rng.permutation(IDS_52)[:10]) for _ in range(20_000)], np.int64)
    out = np.empty(len(hands), np.int16)
    min_deadwood_many(hands, out)

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(20):
            min_deadwood_many(hands, out)
        return 20 * len(hands) / (time.perf_counter() - start)

    return _best(measure, 7)


def _decisions_per_s(name: str, games: int) -> float:
    def measure() -> float:
        result = match("gin", name, name, games=games, seed=7, workers=1)
        return result.decisions / result.seconds

    match("gin", name, name, games=2, workers=1)
    return _best(measure, 5)


def _facade_decisions_per_s() -> float:
    players = [agent("gin", "simple"), agent("gin", "simple")]
    list(play_match(gin(), players, 1))

    def measure() -> float:
        start = time.perf_counter()
        n = sum(state.n_moves for seed in range(12) for state in play_match(gin(), players, seed))
        return n / (time.perf_counter() - start)

    return _best(measure, 3)


def gin_speed() -> dict[str, float]:
    """Return the speed figures of Gin Rummy: batch deadwood, whole games, and the Python table."""
    return {
        "deadwood_ns": 1e9 / _deadwoods_per_s(),
        "random_decisions_per_s": _decisions_per_s("random", 400),
        "simple_decisions_per_s": _decisions_per_s("simple", 8000),
        "facade_decisions_per_s": _facade_decisions_per_s(),
    }


def _indian_speed() -> dict[str, float]:
    from rummylab.arena.speed_indian import indian_speed

    return indian_speed()


def _chinese_speed() -> dict[str, float]:
    from rummylab.arena.speed_chinese import chinese_speed

    return chinese_speed()


def _gin_course_speed() -> dict[str, float]:
    from rummylab.arena.speed_gin_course import gin_course_speed

    return gin_course_speed()


SPEED = {
    "gin": gin_speed,
    "indian": _indian_speed,
    "chinese": _chinese_speed,
    "gin-course": _gin_course_speed,
}
"""The benchmark of every game, by name."""
