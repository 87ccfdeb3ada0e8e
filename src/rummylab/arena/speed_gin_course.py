"""How fast Gin with a passed card is on one core: whole matches in the batch kernel, and the Python table."""

from __future__ import annotations

import time

from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.referee import play_match
from rummylab.games.gin_course.game import gin_course

SEED = 7
REPEATS = 5


def _hands_per_s(name: str, seats: int, games: int) -> tuple[float, float]:
    """Return hands and decisions per second of an agent among its like: the best of several measurements."""
    line_up = [name] * seats
    match("gin-course", *line_up, games=seats, workers=1)
    results = [match("gin-course", *line_up, games=games, seed=SEED, workers=1) for _ in range(REPEATS)]
    best = min(results, key=lambda result: result.seconds)
    return best.hands / best.seconds, best.decisions / best.seconds


def _facade_decisions_per_s() -> float:
    players = [agent("gin-course", "melder")] * 2
    rules = gin_course()
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        n = sum(state.n_moves for state in play_match(rules, players, SEED))
        best = max(best, n / (time.perf_counter() - start))
    return best


def gin_course_speed() -> dict[str, float]:
    """Return the speed figures of Gin with a passed card, preset ``course``."""
    hands, decisions = _hands_per_s("melder", 2, 4_000)
    return {
        "hands_per_s": hands,
        "decisions_per_s": decisions,
        "three_seats_hands_per_s": _hands_per_s("melder", 3, 3_000)[0],
        "four_seats_hands_per_s": _hands_per_s("melder", 4, 3_000)[0],
        "keats_hands_per_s": _hands_per_s("keats", 2, 1_000)[0],
        "facade_decisions_per_s": _facade_decisions_per_s(),
    }
