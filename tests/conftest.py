"""Settings that every test runs under."""

from __future__ import annotations

import contextlib
import fcntl
import json
import random
import resource
import secrets
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
SLOW = TESTS / "slow_tests.txt"
_IS_COMPILED = (TESTS / "unit/__pycache__").exists()
"""Whether pytest has collected all of these tests before: `unit` comes last."""

# Fixed examples: a run today and a run tomorrow try the same hands.
settings.register_profile(
    "rummylab",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("rummylab")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Let the workers of a fresh clone collect one after the other: what all import, the first one byte-compiles."""
    with contextlib.nullcontext() if _IS_COMPILED else Path(__file__).open() as file:
        if file is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu-times", metavar="FILE", help="append each test's processor and wall time to FILE (JSON)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests are left out, do not import a file that has no others: some import PyTorch or a web server."""
    if config.option.markexpr != "not slow" or not collection_path.is_relative_to(TESTS):
        return None
    return collection_path.relative_to(TESTS).as_posix() in _slow_tests() or None


@cache
def _slow_tests() -> frozenset[str]:
    return frozenset(SLOW.read_text().split("\n"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests listed in `slow_tests.txt` as slow, and run them first, starting with the slowest."""
    lines = SLOW.read_text().split("\n")
    dear = set(lines[: lines.index("")])
    for item in items:
        if not _slow_tests().isdisjoint(_names(item)):
            item.add_marker(pytest.mark.slow)
    # Stable: files stay together.
    items.sort(key=lambda item: (dear.isdisjoint(_names(item)), item.get_closest_marker("slow") is None))


def _names(item: pytest.Item) -> tuple[str, str, str]:
    """Return what may stand for a test in `slow_tests.txt`: the case, its function, its file."""
    name = item.nodeid.removeprefix("tests/")
    return name, name.partition("[")[0], name.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """Measure a test, its processes included; processor time is the same on a busy machine."""
    path = item.config.getoption("--cpu-times")
    if path is None:
        return (yield)
    before, start = _cpu(), time.perf_counter()
    result = yield
    line = json.dumps([item.nodeid, round(_cpu() - before, 4), round(time.perf_counter() - start, 3)])
    with Path(path).open("a") as file:
        file.write(line + "\n")
    return result


@pytest.fixture(autouse=True)
def repeatable_keys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secret deals differ from table to table and from test to test, but not from run to run."""
    monkeypatch.setattr(secrets, "randbits", random.Random(request.node.nodeid).getrandbits)


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
