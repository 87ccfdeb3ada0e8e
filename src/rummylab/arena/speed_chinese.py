"""How fast Chinese Rummy is on one core: whole rounds in the batch kernel, and the Python table."""

from __future__ import annotations

import time

from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.referee import play_match
from rummylab.games.contract.game import chinese

SEED = 7
REPEATS = 5


def _rounds_per_s(name: str, rounds: int) -> tuple[float, float]:
    """Return rounds and decisions per second of an agent against itself: the best of several measurements."""
    match("chinese", name, name, games=2, workers=1)
    results = [match("chinese", name, name, games=rounds, seed=SEED, workers=1) for _ in range(REPEATS)]
    best = min(results, key=lambda result: result.seconds)
    return best.games / best.seconds, best.decisions / best.seconds


def _facade_decisions_per_s() -> float:
    players = [agent("chinese", "chinese-heuristic")] * 2
    rules = chinese(rounds=20)
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        n = sum(state.n_moves for state in play_match(rules, players, SEED))
        best = max(best, n / (time.perf_counter() - start))
    return best


def chinese_speed() -> dict[str, float]:
    """Return the speed figures of Chinese Rummy, preset ``chinese_mg1``."""
    rounds, decisions = _rounds_per_s("chinese-heuristic", 20_000)
    counter, _ = _rounds_per_s("chinese-counter", 1_000)
    random, _ = _rounds_per_s("random", 500)
    return {
        "rounds_per_s": rounds,
        "decisions_per_s": decisions,
        "counter_rounds_per_s": counter,
        "random_rounds_per_s": random,
        "facade_decisions_per_s": _facade_decisions_per_s(),
    }
