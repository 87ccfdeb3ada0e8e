"""How fast Chinese Rummy is on one core: whole rounds in the batch kernel, and the Python table."""

from __future__ import annotations

from rummylab.arena.speed import batch_speed, table_speed
from rummylab.games.contract.game import chinese


def chinese_speed() -> dict[str, float]:
    """Return the speed figures of Chinese Rummy, preset ``chinese_mg1``; a hand is a round."""
    rounds, decisions = batch_speed("chinese", ["chinese-heuristic"] * 2, 20_000)
    return {
        "rounds_per_s": rounds,
        "decisions_per_s": decisions,
        "counter_rounds_per_s": batch_speed("chinese", ["chinese-counter"] * 2, 1_000)[0],
        "random_rounds_per_s": batch_speed("chinese", ["random"] * 2, 500)[0],
        "facade_decisions_per_s": table_speed(chinese(rounds=20), "chinese-heuristic"),
    }
