"""Games on a cluster of machines with Ray. ``docs/guides/cluster.md`` shows how to set one up.

Chunks travel in bundles that take about half a second each, so that the machine that asks does not become the
bottleneck; a bundle whose worker or machine dies is taken apart and done again. Every worker first compares its code
and the outside agents' files with those of the asking machine: results are the same everywhere or there are none.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, Final, NamedTuple

from rummylab._jit import source_hash
from rummylab.arena.backends import RETRIES, R, T
from rummylab.arena.jobs import Task
from rummylab.arena.outside import fingerprint, is_outside
from rummylab.errors import ClusterError, MissingExtraError, OptionError, RummyError

SECONDS_A_BUNDLE: Final = 0.5
LARGEST_BUNDLE: Final = 64
BUNDLES_A_CORE: Final = 2
"""One is played, the next is on its way."""
_SWITCH: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
OBJECT_STORE: Final = 100_000_000
"""Bytes of shared memory for a cluster on this machine: results pass through it and do not stay."""


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns about accelerators nobody asked for
    try:
        import ray
    except ImportError:
        raise MissingExtraError("the ray back end needs: pip install 'rummylab[ray]'") from None
    return ray


class Cluster:
    """A Ray cluster: the one at *address*, or one of *workers* processes started on this machine.

    It is joined when the first work comes, and left by `close` or at the end of the program.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        _ray()
        if address is not None:
            _knock(address)
        self.address, self.workers = address, workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        if not isinstance(work, FunctionType):
            raise OptionError("a cluster plays agents by their names; these are objects that only this process has")
        if items:
            _join(self.address, self.workers)
            yield from _Errand(work, items, self._room).results()

    def _room(self) -> int:
        """Return how many bundles may be on their way now: cores may come and go."""
        room = BUNDLES_A_CORE * int(_ray().cluster_resources().get("CPU", 0))
        if self.address is not None and self.workers is not None:
            room = min(room, self.workers)
        return max(1, room)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        _leave()


# --- Joining and leaving ------------------------------------------------------------------------------------------

_joined: tuple[str | None, int | None] | None = None
"""The cluster this process is on by our doing. Ray knows one per process."""


def _join(address: str | None, workers: int | None) -> None:
    global _joined
    ray = _ray()
    if ray.is_initialized():
        if _joined in (None, (address, workers)):  # the user's own, or the same as before
            return
        _leave()
    try:
        if address is None:
            with _loopback_only(ray):
                ray.init("local", **_size(workers), **_QUIET)
        else:
            ray.init(address, **_QUIET)
    except Exception as error:
        raise _no_cluster(address, error) from error
    _joined = address, workers


_QUIET: Final[dict[str, Any]] = {"log_to_driver": False, "logging_level": logging.ERROR}


def _size(workers: int | None) -> dict[str, Any]:
    """Return how large a cluster on this machine is."""
    return {"num_cpus": workers or os.cpu_count(), "object_store_memory": OBJECT_STORE, "include_dashboard": False}


@contextmanager
def _loopback_only(ray: Any) -> Iterator[None]:
    """Let a cluster that is started within listen on 127.0.0.1 only: whoever reaches a cluster can run code on it.

    Ray does so by itself on Windows and macOS. Its switch is read when it is imported, and by its own processes.
    """
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER, os.environ.get(_SWITCH)
    constants.ENABLE_RAY_CLUSTER, os.environ[_SWITCH] = False, "0"
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before[0]
        os.environ.pop(_SWITCH)
        if before[1] is not None:
            os.environ[_SWITCH] = before[1]


def _no_cluster(address: str | None, error: Exception) -> ClusterError:
    """Return the one sentence for a cluster that was not joined."""
    if address is None:
        return ClusterError(f"no cluster can be started here: {_first_line(error)}")
    if address == "auto" and isinstance(error, ConnectionError):
        return ClusterError("no cluster runs on this machine; begin one with `ray start --head`")
    hint = "is it a Ray cluster of the same version? If it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
    return ClusterError(f"the cluster at {address} cannot be joined: {_first_line(error)}; {hint}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _leave() -> None:
    global _joined
    if _joined is not None:
        _ray().shutdown()
    _joined = None


def _knock(address: str) -> None:
    """See that somebody listens at *address*: Ray itself would try for minutes."""
    if address == "auto":  # Ray looks for a cluster on this machine, and says at once if there is none
        return
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or "/" in host:
        raise OptionError(f"address is {address!r}, but must be auto or host:port, such as 10.0.0.1:6379")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5) as line:
            line.sendall(_HELLO)
            answer = line.recv(9)
    except (OSError, OverflowError, ValueError) as error:
        raise ClusterError(f"no cluster answers at {address}: {error}; is `ray start --head` running there?") from None
    if answer[3:4] != _SETTINGS:
        raise ClusterError(f"something answers at {address}, but it is no Ray cluster; is that the head's port?")


_SETTINGS: Final = b"\x04"
_HELLO: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
"""How HTTP/2, and so gRPC, begins: the preface and empty settings. The other side's first frame are its settings."""


# --- On the machine that asks -------------------------------------------------------------------------------------


class _Errand:
    """Some work on its way through the cluster."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T], room: Callable[[], int]) -> None:
        self.ray, self.work, self.room = _ray(), work, room
        # Ray's own retries are off, so that there is one count of deaths and one limit.
        self.send = self.ray.remote(num_cpus=1, max_retries=0)(_do)
        self.seal = _seal(items)
        self.todo: deque[Any] = deque(items)
        self.deaths: Counter[Any] = Counter()
        self.running: dict[Any, tuple[Any, ...]] = {}
        self.pace: float | None = None  # seconds an item takes

    def results(self) -> Iterator[tuple[Any, Any]]:
        try:
            while self.todo or self.running:
                self._send_out()
                for bundle, results in self._come_home():
                    yield from zip(bundle, results, strict=True)
        finally:
            self._call_off()

    def _call_off(self) -> None:
        """Stop what still runs, politely first: a worker that stops by itself need not be started anew."""
        left = list(self.running) if self.ray.is_initialized() else []
        for force in (False, True):
            for ref in left:
                self.ray.cancel(ref, force=force)
            if left:
                _, left = self.ray.wait(left, num_returns=len(left), timeout=2 * SECONDS_A_BUNDLE)

    def _send_out(self) -> None:
        room = self.room()
        while self.todo and len(self.running) < room:
            bundle = self._bundle(room)
            self.running[self.send.remote(self.work, bundle, self.seal)] = bundle

    def _bundle(self, room: int) -> tuple[Any, ...]:
        """Take the next items: fewer towards the end, so that all are busy until then, and a suspect alone."""
        wanted = 1 if self.pace is None else int(SECONDS_A_BUNDLE / max(self.pace, 1e-6))
        n = max(1, min(wanted, LARGEST_BUNDLE, len(self.todo) // (2 * room)))
        bundle = [self.todo.popleft()]
        while len(bundle) < n and not self.deaths[bundle[0]] and not self.deaths[self.todo[0]]:
            bundle.append(self.todo.popleft())
        return tuple(bundle)

    def _come_home(self) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
        waiting = list(self.running)
        self.ray.wait(waiting, num_returns=1)
        done, _ = self.ray.wait(waiting, num_returns=len(waiting), timeout=0)
        for ref in done:
            bundle = self.running.pop(ref)
            answer = self._answer(ref, bundle)
            if answer is not None:
                results, seconds = answer
                self.pace = seconds / len(bundle) * 0.3 + 0.7 * (self.pace or seconds / len(bundle))
                yield bundle, pickle.loads(results)

    def _answer(self, ref: Any, bundle: tuple[Any, ...]) -> tuple[bytes, float] | None:
        """Return what a worker answered, or nothing if it died and its items wait again."""
        errors = self.ray.exceptions
        try:
            answer: tuple[bytes, float] = self.ray.get(ref)
            return answer
        except errors.RayTaskError as error:  # our own code raised it there
            if isinstance(error.cause, errors.RayError):  # or did not get as far: Rummylab is not installed there
                raise ClusterError(f"a worker cannot begin: {_first_line(error.cause)}") from error
            raise error.cause from error
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.ObjectLostError,
            errors.OutOfMemoryError,
        ) as error:
            self.deaths.update(bundle)
            if self.deaths[bundle[0]] > RETRIES:
                words = f"a worker died {1 + RETRIES} times on {bundle[0]}: {_first_line(error)}"
                raise ClusterError(words) from error
            self.todo.extendleft(reversed(bundle))
            return None
        except errors.RayError as error:
            raise ClusterError(f"the cluster failed: {_first_line(error)}") from error


# --- On the machines that play ------------------------------------------------------------------------------------


class Seal(NamedTuple):
    """What every machine must have alike: our code, and the files of agents from outside."""

    code: str
    outside: tuple[tuple[str, str], ...]


def _seal(items: Sequence[Any]) -> Seal:
    lineups = {(item.game, item.agents) for item in items if isinstance(item, Task)}
    guests = {name for game, agents in lineups for name in agents if is_outside(game, name)}
    return Seal(source_hash(), tuple((name, _fingerprint(name)) for name in sorted(guests)))


def _fingerprint(name: str) -> str:
    try:
        return fingerprint(name)
    except (ImportError, RummyError):
        return "missing"


@cache
def _difference(seal: Seal) -> str | None:
    """Return what this machine has otherwise than *seal* says."""
    for name, print_of_it in seal.outside:
        if _fingerprint(name) != print_of_it:
            return f"{platform.node()} has no agent {name}, or another; put the same file at the same path there"
    if source_hash() != seal.code:
        return f"{platform.node()} has another version of Rummylab, Python, NumPy or Numba; install the same there"
    return None


def _do(work: Callable[[Any], Any], items: tuple[Any, ...], seal: Seal) -> tuple[bytes, float]:
    """Do the work here; the results are pickled, so that they do not stay in Ray's shared memory."""
    difference = _difference(seal)
    if difference is not None:
        raise ClusterError(difference)
    began = time.perf_counter()
    results = [work(item) for item in items]
    return pickle.dumps(results), time.perf_counter() - began
