"""The first match of a game: which agents are compiled, and by whom."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rummylab._cache_directory import cache_root
from rummylab.arena import first_start


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("RUMMYLAB_CACHE", str(tmp_path))
    cache_root.cache_clear()
    yield tmp_path
    cache_root.cache_clear()
    for others in first_start._begun.values():
        others.end()
    first_start._begun.clear()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The agents that this process takes; the other one takes one agent at most."""
    found: list[str] = []

    def load(game_name: str, name: str) -> Any:
        found.append(name)

    monkeypatch.setattr("rummylab._jit.is_cold", lambda module: True)
    monkeypatch.setattr(first_start, "agent", load)
    monkeypatch.setattr(first_start, "_LOAD", "import os; os.read(0, 1)")
    return found


def test_each_kernel_is_compiled_once_the_largest_first() -> None:
    names = ["simple", "champion(level=1)", "champion", "no-such-agent"]
    assert first_start._largest_first("gin", names) == ["champion(level=1)", "simple"]


def test_every_agent_is_taken_by_one_process(taken: list[str]) -> None:
    """Either process may come first."""
    first_start.compile_together("gin", ["random", "simple"])
    assert taken in (["random"], ["simple"], ["simple", "random"])


def test_processes_that_a_command_began_are_used(taken: list[str], empty_cache: Path) -> None:
    first_start.begin("gin", ["random", "simple"])
    (others,) = first_start._begun.values()
    first_start.compile_together("gin", ["random", "simple"])
    assert not first_start._begun
    assert all(process.poll() is not None for process in others._running)


def test_nothing_is_begun_for_a_game_that_was_compiled_before(empty_cache: Path) -> None:
    place = empty_cache / "games.gin.batch" / "a-hash"
    place.mkdir(parents=True)
    (place / "play.kernel").touch()
    first_start.begin("gin", ["random", "simple"])
    assert not first_start._begun


def test_mistakes_are_left_to_the_command(empty_cache: Path) -> None:
    first_start.begin("no-such-game", ["simple"])
    first_start.begin("gin", ["no-such-agent", "file.py:Class"])
    assert not first_start._begun


def test_the_processes_begin_before_numba_is_imported() -> None:
    program = "import sys, rummylab.cli.match, rummylab.arena.first_start; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "False\n"
