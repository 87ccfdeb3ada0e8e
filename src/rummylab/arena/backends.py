"""Run work in threads, in processes or on a cluster. Results do not depend on where they were computed.

A back end applies a function to every item and yields ``(item, result)`` in any order; `in_order` restores the order.
An item of a process that dies is given to another one. Anything may use a back end, not only matches::

    for shard, rows in in_order(local().run(make_shard, shards), shards):
        ...

Items must be hashable. In processes and on a cluster, items, results and the function must be picklable.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from rummylab.arena import sandbox
from rummylab.errors import AgentError, OptionError, UnknownNameError

RETRIES: Final = 3
SECONDS_A_BUNDLE: Final = 0.1
LARGEST_BUNDLE: Final = 64
BUNDLES_A_WORKER: Final = 2
"""One is running, the next is waiting."""
NAMES: Final = ("local", "ray")
_PARENT_CHECK: Final = 0.5
_SWITCHES: Final = ("RUMMYLAB_", "NUMBA_")
"""Environment variables that begin like this change what a worker does: with other values it is replaced."""
T = TypeVar("T")
R = TypeVar("R")


class Backend(Protocol):
    """Applies a function to items somewhere."""

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        """Yield every item with its result, in any order. Closing the iterator stops the work."""
        ...


def backend(name: str = "local", *, workers: int | None = None, address: str | None = None) -> Backend:
    """Return the back end *name*; *address* locates a cluster.

    Raises `OptionError` for fewer than one worker and `UnknownNameError` for an unknown name.
    """
    if name == "local":
        return local(workers)
    if name == "ray":
        from rummylab.arena.cluster import Cluster

        return Cluster(address=address, workers=_checked(workers))
    raise UnknownNameError("back end", name, NAMES)


def local(workers: int | None = None) -> Backend:
    """Return the back end for this machine, with one worker per core unless *workers* says otherwise."""
    return Local(_checked(workers) or os.cpu_count() or 1)


def _checked(workers: int | None) -> int | None:
    if workers is not None and workers < 1:
        raise OptionError(f"workers is {workers}; use at least 1")
    return workers


def workers_of(place: Backend) -> int:
    """Return how many items *place* runs at a time, as far as it says so."""
    return getattr(place, "workers", 1) or os.cpu_count() or 1


def in_order(results: Iterable[tuple[T, R]], items: Sequence[T]) -> Iterator[R]:
    """Yield the results in the order of *items*, each as soon as all earlier ones have arrived."""
    waiting: dict[T, R] = {}
    place = 0
    for item, result in results:
        waiting[item] = result
        while place < len(items) and items[place] in waiting:
            yield waiting.pop(items[place])
            place += 1


class ThisProcess:
    """Runs one item after the other in the calling thread."""

    workers = 1

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        for item in items:
            yield item, work(item)


class Local:
    """Uses threads for work that releases the GIL, which compiled games do, and processes for everything else.

    The function or the items say so with an attribute ``releases_gil``; a sequence of items can say it for all of them.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        if _releases_gil(work, items):
            return Threads(self.workers).run(work, items)
        if self.workers == 1 or len(items) < 2:
            return ThisProcess().run(work, items)
        return Processes(self.workers).run(work, items)


def _releases_gil(work: Callable[[T], R], items: Sequence[T]) -> bool:
    of_all = getattr(items, "releases_gil", None)
    if of_all is None:
        of_all = all(getattr(item, "releases_gil", False) for item in items)
    return of_all or getattr(work, "releases_gil", False)


class Bundles:
    """Hands out items in bundles of about *seconds* of work, so that handing out costs little.

    Near the end bundles become smaller, to keep all workers busy. Items of a worker that died are handed out alone.
    """

    def __init__(self, items: Sequence[Any], seconds: float, most: int) -> None:
        self.seconds, self.most = seconds, most
        self.left = len(items)
        self._new = iter(items)
        self._again: deque[Any] = deque()
        self._pace: float | None = None  # seconds an item takes

    def take(self, room: int) -> tuple[Any, ...]:
        """Return the next bundle, if up to *room* bundles are under way at a time; empty if nothing is left."""
        wanted = 1 if self._pace is None else int(self.seconds / max(self._pace, 1e-6))
        n = max(1, min(wanted, self.most, self.left // (2 * room)))
        bundle = (self._again.popleft(),) if self._again else tuple(islice(self._new, n))
        self.left -= len(bundle)
        return bundle

    def put_back(self, bundle: Sequence[Any]) -> None:
        """Take back items that were not done."""
        self._again.extendleft(reversed(bundle))
        self.left += len(bundle)

    def learn(self, n: int, seconds: float) -> None:
        """Note how long a bundle of *n* items took."""
        self._pace = 0.3 * seconds / n + 0.7 * (self._pace or seconds / n)


def do_bundle(work: Callable[[T], R], bundle: Sequence[T]) -> tuple[list[R], float]:
    """Return the results of a bundle, and the seconds it took."""
    began = time.perf_counter()
    results = [work(item) for item in bundle]
    return results, time.perf_counter() - began


@cache
def _freeze(_: int) -> None:
    """Exempt what is loaded from garbage collection, once for each number of loaded modules.

    loky collects garbage every second, and with Numba loaded that takes a tenth of one.
    """
    gc.freeze()


def _do_in_process(work: Callable[[T], R], bundle: Sequence[T]) -> tuple[list[R], float]:
    done = do_bundle(work, bundle)
    _freeze(len(sys.modules))
    return done


class Threads:
    """Runs work in threads of this process: nothing to start, nothing to copy.

    Even one thread helps: compiled code in the main thread would not notice Ctrl-C until it returns. Work that is under
    way when the iterator is closed or interrupted is not waited for, and its results are dropped.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        pool = DaemonThreads(self.workers)
        try:
            yield from _results(pool, work, Bundles(items, SECONDS_A_BUNDLE, LARGEST_BUNDLE), self.workers)
        finally:
            pool.shutdown()


class DaemonThreads(Executor):
    """An executor whose threads Python does not wait for at exit, because compiled code cannot be interrupted."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        for _ in range(workers):
            threading.Thread(target=self._work, daemon=True).start()

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Run a function in one of the threads."""
        future: Future[R] = Future()
        self._calls.put((future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Forget the calls that have not begun, and let the threads end when they have finished their last one."""
        with suppress(Empty):
            while True:
                self._calls.get_nowait()
        for _ in range(self._workers):
            self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            future, work = call
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  # raised again where the result is read
                future.set_exception(error)


class Processes:
    """Runs work in processes that stay for the next call; a dead one is replaced and its items run again.

    The processes are started by loky, not forked: a fork of a process with threads can deadlock.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        bundles = Bundles(items, SECONDS_A_BUNDLE, LARGEST_BUNDLE)
        for _ in range(1 + RETRIES):
            pool = self._pool()
            try:
                yield from _results(pool, work, bundles, self.workers, _do_in_process)
                return
            except BrokenProcessPool:
                continue
            finally:
                if bundles.left:
                    pool.shutdown(wait=True, kill_workers=True)
        first = bundles.take(1)[0]
        raise AgentError(
            f"A worker process died {1 + RETRIES} times; {1 + bundles.left} items are left, the first is {first}."
        )

    def _pool(self) -> Any:
        from loky import get_reusable_executor

        world = (os.getpid(), os.getcwd(), tuple(sys.path), tuple(sorted(sandbox.hidden())), _switches())
        return get_reusable_executor(self.workers, timeout=60, initializer=_become_worker, initargs=world)


def _switches() -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith(_SWITCHES)))


def _become_worker(
    parent: int, folder: str, path: Sequence[str], hidden: Sequence[Path], switches: Sequence[tuple[str, str]]
) -> None:
    """Take over what matters of the parent's state, leave interrupts to it, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    os.chdir(folder)
    sys.path[:] = path
    for place in hidden:
        sandbox.hide(place)
    for name in [name for name in os.environ if name.startswith(_SWITCHES)]:
        del os.environ[name]
    os.environ.update(switches)


def _end_with(parent: int) -> None:
    """Kill this process when its parent is gone, even if the parent was killed."""
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK)
    os.kill(os.getpid(), signal.SIGKILL)


def _failed(future: Future[Any]) -> bool:
    return future.exception() is not None


def _results(
    pool: Executor, work: Callable[[T], R], bundles: Bundles, workers: int, do: Any = do_bundle
) -> Iterator[tuple[T, R]]:
    """Yield the items with their results; every worker has a bundle, and the next one waits for it."""
    running: dict[Future[tuple[list[R], float]], tuple[T, ...]] = {}
    room = BUNDLES_A_WORKER * workers
    try:
        while True:
            while len(running) < room and (bundle := bundles.take(room)):
                running[pool.submit(do, work, bundle)] = bundle
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_failed):  # results first: an error ends this loop
                results, seconds = future.result()
                bundle = running.pop(future)
                bundles.learn(len(bundle), seconds)
                yield from zip(bundle, results, strict=True)
    finally:
        for bundle in running.values():
            bundles.put_back(bundle)
