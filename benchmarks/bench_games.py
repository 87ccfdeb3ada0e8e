"""Speed of the games without a benchmark of their own, on one core: ``make bench``.

Whole rounds and hands in the batch kernel, and the Python table; the best of several repetitions. ``--write DIR`` keeps
the results.
"""

from __future__ import annotations

from functools import partial

from harness import Results, Row, main
from rummylab.arena.speed import speed
from rummylab.engine.spec import GameSpec
from rummylab.games.registry import GAMES

SPECS = [spec for spec in GAMES.values() if not spec.has("bench")]
"""Games without a benchmark script of their own."""


def measure(spec: GameSpec) -> Results:
    """Return the figures of the game's workloads."""
    figures = speed(spec.name)
    rows = [Row(what=one.what, measured=f"{figures[one.figure]:,.0f} a second") for one in spec.workloads]
    return Results(rows, figures)


if __name__ == "__main__":
    main({spec.name: partial(measure, spec) for spec in SPECS}, __doc__)
