"""The first match of a game: which agents are compiled, and by whom."""

from __future__ import annotations

from typing import Any

import pytest

from rummylab.arena import chunks


def test_each_kernel_is_compiled_once_the_largest_first() -> None:
    names = ["simple", "champion(level=1)", "champion", "no-such-agent"]
    assert chunks._largest_first("gin", names) == ["champion(level=1)", "simple"]


def test_every_agent_is_taken_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process takes one agent at most here, and this one what is left; either may come first."""
    taken: list[str] = []

    def load(game_name: str, name: str) -> Any:
        taken.append(name)

    monkeypatch.setattr(chunks, "is_cold", lambda module: True)
    monkeypatch.setattr(chunks, "agent", load)
    monkeypatch.setattr(chunks, "_LOAD", "import os; os.read(0, 1)")
    chunks.compile_together("gin", ["random", "simple"])
    assert taken in (["random"], ["simple"], ["simple", "random"])
