"""Everybody against everybody, or one against the field: cross-table, ratings, cycles. Resumable."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab import __version__
from rummylab._jit import source_hash
from rummylab.agents.registry import entry
from rummylab.arena.backends import Backend, Processes, Task, ThisProcess
from rummylab.arena.match import CHUNK, MatchResult
from rummylab.arena.ratings import Rating, bradley_terry, cycles
from rummylab.arena.store import Run, Store
from rummylab.engine.rules import Rows
from rummylab.errors import OptionError
from rummylab.games.registry import game

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played."""

    game: str
    agents: tuple[str, ...]
    games: int = 1000
    seed: int = 0
    preset: str | None = None
    against_field: bool = False
    """Only the first agent's matches."""

    def __post_init__(self) -> None:
        if len(self.agents) < 2:
            raise OptionError(f"a tournament needs two agents or more, not {len(self.agents)}")
        if len(set(self.agents)) < len(self.agents):
            raise OptionError(f"an agent is listed twice: {', '.join(self.agents)}")
        if self.games < 2:
            raise OptionError(f"games is {self.games}, but a pair of agents plays at least 2")
        for name in self.agents:
            entry(self.game, name)

    @property
    def rules(self) -> str:
        return self.preset or game(self.game).presets[0]

    def pairings(self) -> list[tuple[str, str]]:
        every = itertools.combinations(self.agents, 2)
        return [pair for pair in every if not self.against_field or pair[0] == self.agents[0]]

    def tasks(self) -> list[Task]:
        n = (self.games + 1) // 2
        return [
            Task(self.game, self.rules, first, second, self.seed, start, min(CHUNK, n - start))
            for first, second in self.pairings()
            for start in range(0, n, CHUNK)
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            "against_field": self.against_field,
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """How a tournament ended (or stands, if it was interrupted)."""

    plan: Plan
    results: dict[tuple[str, str], MatchResult]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values. It depends on the plan alone: no times, no machine."""
        return {
            "config": self.plan.to_dict(),
            "cross_table": self.cross_table(),
            "ratings": [{"agent": r.name, "elo": r.elo, "ci": [r.low, r.high]} for r in self.ratings()],
            "cycles": [list(cycle) for cycle in self.cycles()],
        }

    def cross_table(self) -> list[dict[str, Any]]:
        """Return a row for every ordered pair that met."""
        rows = []
        for (first, second), result in self.results.items():
            win, points = result.win_rate, result.points_per_hand
            rows.append(_row(first, second, result, win.value, win.ci, points.value, points.ci))
            back, (low, high), (least, most) = 1 - win.value, win.ci, points.ci
            rows.append(_row(second, first, result, back, (1 - high, 1 - low), -points.value, (-most, -least)))
        place = {name: i for i, name in enumerate(self.plan.agents)}
        return sorted(rows, key=lambda row: (place[row["first"]], place[row["second"]]))

    def ratings(self) -> list[Rating]:
        names = self.plan.agents
        wins, games = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
        for row in self.cross_table():
            i, j = names.index(row["first"]), names.index(row["second"])
            wins[i, j], games[i, j] = row["win_rate"] * row["games"], row["games"]
        return bradley_terry(names, wins, games)

    def cycles(self) -> list[tuple[str, str, str]]:
        names = self.plan.agents
        low = np.zeros((len(names), len(names)))
        for row in self.cross_table():
            low[names.index(row["first"]), names.index(row["second"])] = row["ci"][0]
        return cycles(names, low)


def _row(
    first: str, second: str, result: MatchResult, win: float, ci: tuple[float, float], points: float, points_ci: Any
) -> dict[str, Any]:
    return {
        "first": first,
        "second": second,
        "games": result.games,
        "win_rate": win,
        "ci": list(ci),
        "points_per_hand": points,
        "points_per_hand_ci": list(points_ci),
    }


def code_version() -> str:
    """Return what the results depend on besides the plan: the release and a hash of the sources."""
    return f"{__version__}+{source_hash()}"


def tournament(
    plan: Plan, *, store: Store | None = None, backend: Backend | None = None, progress: Progress | None = None
) -> Standings:
    """Play *plan*, or what is still missing of it in *store*, and return the standings."""
    tasks = plan.tasks()
    run = None if store is None else store.open_run("tournament", plan.to_dict(), code_version())
    dtype = game(plan.game).batch.TALLY
    known = {task: rows for task in tasks if run is not None and (rows := run.chunk(task.name, dtype)) is not None}
    missing = [task for task in tasks if task not in known]
    _play(missing, known, run, backend or _default_backend(len(missing)), progress, len(tasks))
    if run is not None:
        run.finish()
    return Standings(plan, {pair: _collect(plan, pair, tasks, known) for pair in plan.pairings()})


def _default_backend(n_tasks: int) -> Backend:
    return Processes() if n_tasks > 1 and (os.cpu_count() or 1) > 1 else ThisProcess()


def _play(
    missing: Sequence[Task],
    known: dict[Task, Rows],
    run: Run | None,
    backend: Backend,
    progress: Progress | None,
    total: int,
) -> None:
    for task, rows in backend.run(missing):
        known[task] = rows
        if run is not None:
            run.keep(task.name, rows)
        if progress is not None:
            progress(len(known), total)


def _collect(plan: Plan, pair: tuple[str, str], tasks: Sequence[Task], known: dict[Task, Rows]) -> MatchResult:
    """Put the chunks of a pairing together, in the order of the plan whatever the order of play."""
    parts = [known[task] for task in tasks if (task.first, task.second) == pair]
    return MatchResult(plan.game, plan.rules, pair, plan.seed, np.concatenate(parts), 1.0)
