"""The one way to play tasks: read what a run has, play what it lacks, keep each result as it arrives, and resume."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from rummylab.arena.backends import Backend, in_order, workers_of
from rummylab.arena.jobs import AddingUp, Played, Task, play_task
from rummylab.arena.keys import Lineup, shown
from rummylab.arena.plan import PlayPlan, wholes
from rummylab.arena.sequential import Sprt
from rummylab.arena.statistics import Z95
from rummylab.arena.store import Run
from rummylab.arena.sums import MatchSums
from rummylab.arena.totals import LineupTotal

Progress = Callable[[int, int, str], None]
"""Called with the games done, the games in all, and the current estimate in words."""
Forecast = Callable[[float], None]
"""Called before a run with the seconds that it will take, as far as a few games can tell."""
WORTH_A_FORECAST = 40
"""Deals below which nobody asks how long they take."""
SECONDS_OF_PILOTS = 2.0
Work = Callable[..., Played]
"""Plays a task; one that is played for a plan takes the number of games to record too."""


def play_chunks(
    work: Work,
    tasks: Sequence[Any],
    backend: Backend,
    *,
    run: Run | None = None,
    dtype: np.dtype[np.void] | None = None,
    step: str = "",
    again: Collection[Any] = (),
    forecast: Forecast | None = None,
) -> Generator[tuple[Any, Played], None, None]:
    """Yield every task once with its result: first those that *run* has, then those that are played now, in any order.

    A task is a named tuple with ``start``, ``deals`` and, for a run, ``key``. *again* are tasks to play although their
    results are stored. If another process stores a result first, that one counts. Close the iterator to stop; what was
    played until then is stored.
    """
    if run is None:
        _prepare(work, tasks, backend, forecast)
        yield from backend.run(work, tasks)
        return
    keys = {task.key._replace(step=step): task for task in tasks}
    stored = keys.keys() & run.chunk_keys() if dtype is not None else set()
    if dtype is not None:
        settled = [key for key, task in keys.items() if key in stored and task not in again]
        yield from ((keys[key], part) for key, part in run.chunks(settled, dtype))
    missing = [task for key, task in keys.items() if key not in stored or task in again]
    _prepare(work, missing, backend, forecast)
    try:
        for task, part in backend.run(work, missing) if missing else ():
            yield from ((keys[key], found) for key, found in run.keep(task.key._replace(step=step), part).items())
        yield from ((keys[key], found) for key, found in run.flush().items())
    except KeyboardInterrupt:
        yield from ((keys[key], found) for key, found in run.flush().items())
        raise
    finally:
        run.flush()


def _prepare(work: Work, tasks: Sequence[Any], backend: Backend, forecast: Forecast | None) -> None:
    """Compile and load before the work is distributed, and tell how long it will take."""
    deals: Counter[Any] = Counter()
    for task in wholes(tasks):
        deals[task._replace(start=0, deals=0)] += task.deals
    for first in deals:
        work(first)
    if forecast is not None and sum(deals.values()) >= WORTH_A_FORECAST:
        forecast(_seconds_of_play(work, deals) / workers_of(backend))


def _seconds_of_play(work: Work, deals: Mapping[Any, int]) -> float:
    """Return about how long one worker plays: from a deal or some of each lineup, as far as there is time for that."""
    total, measured, deadline = 0.0, 0, time.perf_counter() + SECONDS_OF_PILOTS
    for first, n in deals.items():
        for pilot in (1, 25):
            began = time.perf_counter()
            work(first._replace(deals=pilot))
            seconds = time.perf_counter() - began
            if seconds > 0.02:
                break
        total += seconds * n / pilot
        measured += n
        if time.perf_counter() > deadline:
            break
    return total * sum(deals.values()) / measured


def play_plan(
    plan: PlayPlan,
    tasks: Sequence[Any],
    backend: Backend,
    *,
    work: Work = play_task,
    run: Run | None = None,
    keep_games: bool = False,
    keep_deals: bool = False,
    keep_hands: int = 0,
    test: Sprt | None = None,
    progress: Progress | None = None,
    forecast: Forecast | None = None,
    keep_partial: bool = False,
    ordered: bool = False,
) -> tuple[dict[Lineup, LineupTotal], bool]:
    """Play the *tasks* of *plan*; return what each lineup has, and whether that is all.

    *keep_games* and *keep_deals* say what is kept beside the sums (`LineupTotal`); a store has all games in any case.
    With *ordered* chunks count in the order of the tasks, so that a part is the beginning of the whole. With *test*,
    which needs that, the result is complete as soon as it decides. A *run* that is complete is finished. With
    *keep_partial* an interrupt returns what was played until then instead of raising.
    """
    totals: dict[Lineup, LineupTotal] = {}
    meter = Meter(plan.games_in_all, progress, test)
    chunks = play_chunks(
        AddingUp(work, keep_games or run is not None, keep_hands, plan.all_orders),
        tasks,
        backend,
        run=run,
        dtype=plan.dtype if run else None,
        again=_unrecorded(run, tasks, keep_hands),
        forecast=forecast,
    )
    try:
        with closing(chunks):
            for task, part in zip(tasks, in_order(chunks, tasks), strict=False) if ordered else chunks:
                lineup = getattr(task, "agents", plan.agents)
                new = LineupTotal(keep_games=keep_games, keep_deals=keep_deals, all_orders=plan.all_orders)
                total = totals.setdefault(lineup, new)
                sums = total.add(task.start, part)
                is_decided = test is not None and test.add_sums(*sums.wins(0)) != "undecided"
                meter.add(lineup, sums.games, total.sums)
                if is_decided:
                    break
    except KeyboardInterrupt:
        if not keep_partial or not totals:
            raise
        return totals, False
    if run is not None:
        run.finish()
    return totals, True


def _unrecorded(run: Run | None, tasks: Sequence[Task], keep_hands: int) -> set[Task]:
    """Return the tasks that have to be played, or played again, for the records of their games."""
    if run is None or not keep_hands:
        return set()
    recorded = set(run.hand_keys())
    return {task for task in tasks if not recorded.issuperset(task.game_keys(keep_hands))}


class Meter:
    """Counts the games that are done and estimates how the lineup just played stands."""

    def __init__(self, total: int, progress: Progress | None, test: Sprt | None = None) -> None:
        self.done, self.total, self.progress, self.test = 0, total, progress, test

    def add(self, lineup: Lineup, games: int, so_far: MatchSums) -> None:
        """Count the *games* of a chunk and report progress; *so_far* are the sums of the lineup."""
        self.done += games
        if self.progress is not None:
            self.progress(self.done, self.total, self._estimate(lineup, *so_far.wins(0)))

    def _estimate(self, lineup: Lineup, n: int, total: float, squares: float) -> str:
        mean = total / max(1, n)
        half = Z95 * math.sqrt(max(squares / max(1, n) - mean * mean, 0.0) / max(1, n))
        ratio = "" if self.test is None else f", LLR {self.test.llr:+.2f}"
        return f"{shown(lineup)}: {mean:.1%} ± {half:.1%}{ratio}"
