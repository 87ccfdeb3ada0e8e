"""Where games are played: this process, several on this machine, or a cluster. Results are the same everywhere.

A back end does some *work* on every item and yields the items with their results, in any order. When a worker dies
its items are done again by another.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from rummylab.arena.orphans import end_with
from rummylab.errors import AgentError, OptionError, UnknownNameError

RETRIES = 3
T = TypeVar("T")
R = TypeVar("R")
NAMES = ("local", "ray")


class Backend(Protocol):
    """Does the work and yields each item with its result, in any order."""

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]: ...


def backend(name: str = "local", *, workers: int | None = None, address: str | None = None) -> Backend:
    """Return the back end *name*; for a cluster *address* says where it is."""
    if workers is not None and workers < 1:
        raise OptionError(f"workers is {workers}, but at least one is needed")
    if name == "local":
        return local(workers)
    if name == "ray":
        from rummylab.arena.cluster import Cluster

        return Cluster(address=address, workers=workers)
    raise UnknownNameError("back end", name, NAMES)


def local(workers: int | None = None) -> Backend:
    """Return the back end on this machine: this process for one worker, else several (default: one per core)."""
    n = workers or os.cpu_count() or 1
    return Processes(n) if n > 1 and "fork" in multiprocessing.get_all_start_methods() else ThisProcess()


def in_order(results: Iterable[tuple[T, R]], items: Sequence[T]) -> Iterator[R]:
    """Yield the results in the order of *items*, each as soon as all before it are there."""
    waiting: dict[T, R] = {}
    place = 0
    for item, result in results:
        waiting[item] = result
        while place < len(items) and items[place] in waiting:
            yield waiting.pop(items[place])
            place += 1


class ThisProcess:
    """One after the other, right here."""

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        for item in items:
            yield item, work(item)


_work: Any = None


def _do(item: Any) -> Any:
    return _work(item)


def _become_worker(parent: int) -> None:
    """Leave interrupts to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


class Processes:
    """Several processes on this machine; a dead one is replaced and its items are done again.

    The processes are forks, so they have what was compiled and loaded before, and *work* need not be picklable.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        todo = dict.fromkeys(items)
        if len(todo) < 2:
            yield from ThisProcess().run(work, items)
            return
        for _ in range(1 + RETRIES):
            try:
                for item, result in self._run_once(work, list(todo)):
                    del todo[item]
                    yield item, result
                return
            except BrokenProcessPool:
                continue
        raise AgentError(f"a worker died {1 + RETRIES} times; {len(todo)} chunks are left: {next(iter(todo))} ...")

    def _run_once(self, work: Callable[[T], R], items: list[T]) -> Iterator[tuple[T, R]]:
        global _work
        _work = work
        running: dict[Future[R], T] = {}
        pool = ProcessPoolExecutor(
            min(self.workers, len(items)),
            mp_context=multiprocessing.get_context("fork"),
            initializer=_become_worker,
            initargs=(os.getpid(),),
        )
        try:
            for item in items:
                running[pool.submit(_do, item)] = item
                if len(running) >= 3 * self.workers:
                    yield from _completed(running)
            while running:
                yield from _completed(running)
        finally:
            pool.shutdown(cancel_futures=True)


def _completed(running: dict[Future[R], T]) -> Iterator[tuple[T, R]]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield running[future], future.result()
        del running[future]
