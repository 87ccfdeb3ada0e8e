"""How fast Gin with a passed card is on one core: whole matches in the batch kernel, and the Python table."""

from __future__ import annotations

from rummylab.arena.speed import batch_speed, table_speed
from rummylab.games.gin_course.game import gin_course


def gin_course_speed() -> dict[str, float]:
    """Return the speed figures of Gin with a passed card, preset ``course``."""
    hands, decisions = batch_speed("gin-course", ["melder"] * 2, 4_000)
    return {
        "hands_per_s": hands,
        "decisions_per_s": decisions,
        "three_seats_hands_per_s": batch_speed("gin-course", ["melder"] * 3, 3_000)[0],
        "four_seats_hands_per_s": batch_speed("gin-course", ["melder"] * 4, 3_000)[0],
        "keats_hands_per_s": batch_speed("gin-course", ["keats"] * 2, 1_000)[0],
        "facade_decisions_per_s": table_speed(gin_course(), "melder"),
    }
