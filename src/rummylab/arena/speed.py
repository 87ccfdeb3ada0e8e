"""How fast the kernels and the Python table are, on one core of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import IDS_52, to_mask
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.games.gin.game import gin
from rummylab.games.gin.melds import min_deadwood_many

SEED = 7


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


def batch_speed(game: str, agents: Sequence[str], games: int, repeats: int = 5) -> tuple[float, float]:
    """Return hands and decisions per second of a match in the batch kernel: the best of several measurements."""
    match(game, *agents, games=len(agents), workers=1)  # compile and load
    results = [match(game, *agents, games=games, seed=SEED, workers=1) for _ in range(repeats)]
    best = min(results, key=lambda result: result.seconds)
    return best.hands / best.seconds, best.decisions / best.seconds


def table_speed(rules: Rules, name: str, matches: int = 1) -> float:
    """Return decisions per second of an agent among its like at the Python table."""
    players = [agent(rules.name, name)] * rules.seats
    list(play_match(rules, players, 1))

    def measure() -> float:
        start = time.perf_counter()
        n = sum(state.n_moves for seed in range(matches) for state in play_match(rules, players, SEED + seed))
        return n / (time.perf_counter() - start)

    return _best(measure, 3)


def gin_speed() -> dict[str, float]:
    """Return the speed figures of Gin Rummy: batch deadwood, whole games, and the Python table."""
    return {
        "deadwood_ns": 1e9 / _deadwoods_per_s(),
        "random_decisions_per_s": batch_speed("gin", ["random"] * 2, 400)[1],
        "simple_decisions_per_s": batch_speed("gin", ["simple"] * 2, 8000)[1],
        "facade_decisions_per_s": table_speed(gin(), "simple", matches=12),
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
