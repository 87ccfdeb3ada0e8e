"""Run work on a Ray cluster. ``docs/guides/cluster.md`` shows how to set one up.

Items are sent in bundles of about half a second of work, so that the sending machine does not become the bottleneck.
If a worker or a machine dies, the items of its bundle run again one by one. Every worker first compares its code and
the files of outside agents with those of the sending machine: results are the same everywhere, or there are none.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, Final, NamedTuple

from rummylab._jit import source_hash
from rummylab.arena.backends import LARGEST_BUNDLE, RETRIES, Bundles, R, T, do_bundle
from rummylab.arena.jobs import AddingUp, Task
from rummylab.arena.outside import fingerprint, is_outside
from rummylab.arena.plan import wholes
from rummylab.errors import ClusterError, MissingExtraError, OptionError, RummyError

SECONDS_A_BUNDLE: Final = 0.5
BUNDLES_A_CORE: Final = 2
"""One is running, the next is on its way."""
_SWITCH: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
OBJECT_STORE: Final = 100_000_000
"""Bytes of shared memory for a cluster on this machine; results only pass through it."""


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # suppresses a warning about accelerators
    try:
        import ray
    except ImportError:
        raise MissingExtraError("The Ray back end needs: pip install 'rummylab[ray]'") from None
    return ray


class Cluster:
    """A Ray cluster: the one at *address*, or one of *workers* processes started on this machine.

    The first work joins it; `close` or the end of the program leaves it.
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        _ray()
        if address is not None:
            _knock(address)
        self.address, self.workers = address, workers

    def run(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
        if not isinstance(work.work if isinstance(work, AddingUp) else work, FunctionType):
            raise OptionError("A cluster needs agents given by name; no other machine has these objects.")
        if items:
            _join(self.address, self.workers)
            yield from _Errand(work, items, self._room).results()

    def _room(self) -> int:
        """Return how many bundles may be under way now; the number of cores can change."""
        room = BUNDLES_A_CORE * int(_ray().cluster_resources().get("CPU", 0))
        if self.address is not None and self.workers is not None:
            room = min(room, self.workers)
        return max(1, room)

    def close(self) -> None:
        """Leave the cluster. If it was started here, it ends."""
        _leave()


# --- Joining and leaving ------------------------------------------------------------------------------------------

_joined: tuple[str | None, int | None] | None = None
"""The cluster that we joined, if any. Ray allows one per process."""


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
    """Return the size of a cluster on this machine."""
    return {"num_cpus": workers or os.cpu_count(), "object_store_memory": OBJECT_STORE, "include_dashboard": False}


@contextmanager
def _loopback_only(ray: Any) -> Iterator[None]:
    """Make a cluster that is started inside listen on 127.0.0.1 only: anyone who reaches a cluster can run code on it.

    Ray does this by itself on Windows and macOS. It reads the switch when it is imported, and so do its processes.
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
    """Return the error for a cluster that cannot be joined."""
    if address is None:
        return ClusterError(f"No cluster can be started here: {_first_line(error)}")
    if address == "auto" and isinstance(error, ConnectionError):
        return ClusterError("No cluster runs on this machine. Start one with `ray start --head`.")
    hint = "is it a Ray cluster of the same version? If it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN"
    return ClusterError(f"The cluster at {address} cannot be joined: {_first_line(error)}; {hint}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _leave() -> None:
    global _joined
    if _joined is not None:
        _ray().shutdown()
    _joined = None


def _knock(address: str) -> None:
    """Raise `ClusterError` unless a Ray cluster answers at *address*; Ray itself would try for minutes."""
    if address == "auto":  # Ray reports at once if there is none
        return
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or "/" in host:
        raise OptionError(f"The address is {address!r}; use auto or host:port, such as 10.0.0.1:6379.")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5) as line:
            line.sendall(_HELLO)
            answer = line.recv(9)
    except (OSError, OverflowError, ValueError) as error:
        raise ClusterError(f"No cluster answers at {address}: {error}. Is `ray start --head` running there?") from None
    if answer[3:4] != _SETTINGS:
        raise ClusterError(f"Something answers at {address}, but it is not a Ray cluster. Is the port right?")


_SETTINGS: Final = b"\x04"
_HELLO: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
"""The start of HTTP/2, and so of gRPC: the preface and empty settings. The other side answers with its settings."""


# --- On the sending machine -------------------------------------------------------------------------------------


class _Errand:
    """One call of `Cluster.run`."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T], room: Callable[[], int]) -> None:
        self.ray, self.work, self.room = _ray(), work, room
        # Ray's own retries are off, so that there is one count of deaths and one limit.
        self.send = self.ray.remote(num_cpus=1, max_retries=0)(_do)
        self.seal = _seal(items)
        self.bundles = Bundles(items, SECONDS_A_BUNDLE, LARGEST_BUNDLE)
        self.deaths: Counter[Any] = Counter()
        self.running: dict[Any, tuple[Any, ...]] = {}

    def results(self) -> Iterator[tuple[Any, Any]]:
        try:
            while self.bundles.left or self.running:
                self._send_out()
                for bundle, results in self._come_home():
                    yield from zip(bundle, results, strict=True)
        finally:
            self._call_off()

    def _call_off(self) -> None:
        """Cancel what still runs, without force first: a worker that stops by itself does not have to be restarted."""
        left = list(self.running) if self.ray.is_initialized() else []
        for force in (False, True):
            for ref in left:
                self.ray.cancel(ref, force=force)
            if left:
                _, left = self.ray.wait(left, num_returns=len(left), timeout=2 * SECONDS_A_BUNDLE)

    def _send_out(self) -> None:
        room = self.room()
        while len(self.running) < room and (bundle := self.bundles.take(room)):
            self.running[self.send.remote(self.work, bundle, self.seal)] = bundle

    def _come_home(self) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
        waiting = list(self.running)
        self.ray.wait(waiting, num_returns=1)
        done, _ = self.ray.wait(waiting, num_returns=len(waiting), timeout=0)
        for ref in done:
            bundle = self.running.pop(ref)
            answer = self._answer(ref, bundle)
            if answer is not None:
                results, seconds = answer
                self.bundles.learn(len(bundle), seconds)
                yield bundle, pickle.loads(results)

    def _answer(self, ref: Any, bundle: tuple[Any, ...]) -> tuple[bytes, float] | None:
        """Return the answer of a worker, or None if it died and its items wait again."""
        errors = self.ray.exceptions
        try:
            answer: tuple[bytes, float] = self.ray.get(ref)
            return answer
        except errors.RayTaskError as error:  # raised by our own code
            if isinstance(error.cause, errors.RayError):  # Rummylab is not installed there
                raise ClusterError(f"A worker cannot start: {_first_line(error.cause)}") from error
            raise error.cause from error
        except (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.ObjectLostError,
            errors.OutOfMemoryError,
        ) as error:
            self.deaths.update(bundle)
            if self.deaths[bundle[0]] > RETRIES:
                words = f"A worker died {1 + RETRIES} times on {bundle[0]}: {_first_line(error)}"
                raise ClusterError(words) from error
            self.bundles.put_back(bundle)
            return None
        except errors.RayError as error:
            raise ClusterError(f"The cluster failed: {_first_line(error)}") from error


# --- On the workers ------------------------------------------------------------------------------------


class Seal(NamedTuple):
    """What must be identical on every machine: our code, and the files of outside agents."""

    code: str
    outside: tuple[tuple[str, str], ...]


def _seal(items: Sequence[Any]) -> Seal:
    lineups = {(item.game, item.agents) for item in wholes(items) if isinstance(item, Task)}
    guests = {name for game, agents in lineups for name in agents if is_outside(game, name)}
    return Seal(source_hash(), tuple((name, _fingerprint(name)) for name in sorted(guests)))


def _fingerprint(name: str) -> str:
    try:
        return fingerprint(name)
    except (ImportError, RummyError):
        return "missing"


@cache
def _difference(seal: Seal) -> str | None:
    """Return how this machine differs from *seal*, or None."""
    for name, print_of_it in seal.outside:
        if _fingerprint(name) != print_of_it:
            return f"{platform.node()} has no agent {name}, or another one. Put the same file at the same path there."
    if source_hash() != seal.code:
        return f"{platform.node()} has other versions of Rummylab, Python, NumPy or Numba. Install ours there."
    return None


def _do(work: Callable[[Any], Any], items: tuple[Any, ...], seal: Seal) -> tuple[bytes, float]:
    """Run the work on this worker; the results are pickled, so that they do not stay in Ray's shared memory."""
    difference = _difference(seal)
    if difference is not None:
        raise ClusterError(difference)
    results, seconds = do_bundle(work, items)
    return pickle.dumps(results), seconds
