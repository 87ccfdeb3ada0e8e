"""Interactive tutorials: a fixed deal, a sentence before every move of the learner, and why another move is worse.

The scripts are data (``lessons/<game>.json``): rules, seed, opponent, and the learner's moves with their sentences. As
the learner only goes on with the expected move and the opponent is seeded, the hand always runs the same way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).with_name("lessons")


@dataclass(frozen=True, slots=True)
class Lesson:
    """Where a learner is in a tutorial."""

    step: int
    steps: int
    text: str
    expected: tuple[str, ...]
    done: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One move of the learner."""

    action: str
    text: str
    wrong: str
    """Why other moves are worse."""


@dataclass(frozen=True, slots=True)
class Script:
    """A tutorial."""

    game: str
    title: str
    rules: str
    seed: int
    agent: str
    steps: tuple[Step, ...]
    end: str

    def lesson(self, step: int, is_over: bool) -> Lesson:
        """Return where a learner is after *step* moves."""
        if is_over or step >= len(self.steps):
            return Lesson(len(self.steps), len(self.steps), self.end, (), True)
        now = self.steps[step]
        return Lesson(step + 1, len(self.steps), now.text, (now.action,), False)

    def explain(self, step: int, action: str) -> str | None:
        """Return why *action* is not the move to make now; None if it is."""
        if step >= len(self.steps) or self.steps[step].action == action:
            return None
        return self.steps[step].wrong


@cache
def script(game: str) -> Script | None:
    """Return the tutorial of *game*; None if there is none."""
    path = FOLDER / f"{game}.json"
    if not path.is_file():
        return None
    values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    steps = tuple(Step(step["action"], step["text"], step["wrong"]) for step in values.pop("steps"))
    return Script(**values, steps=steps)
