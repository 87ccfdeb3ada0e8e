"""Where games are played: this process, or several on this machine. Results are the same everywhere.

A task names everything it needs (game, agents, seed, which pairs), so it can be played anywhere, again, and in any
order. When a worker dies its tasks are played again by another.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import NamedTuple, Protocol

from rummylab.agents.registry import agent
from rummylab.arena.match import CompiledJob
from rummylab.engine.rules import Rows
from rummylab.errors import AgentError
from rummylab.games.registry import game

RETRIES = 3


class Task(NamedTuple):
    """Some pairs of games between two agents."""

    game: str
    preset: str
    first: str
    second: str
    seed: int
    start: int
    pairs: int

    @property
    def name(self) -> str:
        """What the store keeps the result under."""
        return f"{self.first}:{self.second}:{self.start}+{self.pairs}"


@cache
def _job(game_name: str, preset: str, first: str, second: str, seed: int) -> CompiledJob:
    players = (agent(game_name, first), agent(game_name, second))
    return CompiledJob(game(game_name).rules(preset), players, seed)


def play_task(task: Task) -> Rows:
    """Play *task* here and now."""
    return _job(*task[:5])((task.start, task.pairs))


class Backend(Protocol):
    """Plays tasks and yields each with its result, in any order."""

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Rows]]: ...


class ThisProcess:
    """One after the other, right here."""

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Rows]]:
        for task in tasks:
            yield task, play_task(task)


class Processes:
    """Several processes on this machine; a dead one is replaced and its tasks are played again."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Rows]]:
        todo = dict.fromkeys(tasks)
        if not todo:
            return
        play_task(next(iter(todo))._replace(pairs=0))  # compile before the fork, so that every process has it
        for _ in range(1 + RETRIES):
            try:
                for task, rows in self._run_once(list(todo)):
                    del todo[task]
                    yield task, rows
                return
            except BrokenProcessPool:
                continue
        raise AgentError(
            f"a worker died {1 + RETRIES} times; {len(todo)} tasks are left, the first is {next(iter(todo))}"
        )

    def _run_once(self, tasks: list[Task]) -> Iterator[tuple[Task, Rows]]:
        waiting = iter(tasks)
        running: dict[Future[Rows], Task] = {}
        with ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("fork")) as pool:
            for task in waiting:
                running[pool.submit(play_task, task)] = task
                if len(running) >= 3 * self.workers:
                    yield from _completed(running)
            while running:
                yield from _completed(running)


def _completed(running: dict[Future[Rows], Task]) -> Iterator[tuple[Task, Rows]]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield running[future], future.result()
        del running[future]
