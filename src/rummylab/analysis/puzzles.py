"""Puzzles from a player's own mistakes: the position first, the answer after a choice."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from rummylab.analysis.review import Decision, Review, Z
from rummylab.engine.action import as_action
from rummylab.engine.observation import Observation
from rummylab.errors import IllegalActionError

MISTAKES = ("mistake", "blunder")


@dataclass(frozen=True, slots=True)
class Puzzle(Decision):
    """A decision that was a mistake, and what the player could have done."""

    game: str
    seat: int
    legal: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"game": self.game, "seat": self.seat, **Decision.to_dict(self), "legal": list(self.legal)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a choice in a puzzle is worth."""

    right: bool
    """It is the best move, or cannot be told from it."""
    loss: float | None
    """Points behind the best move; None if the move was not played out."""
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"right": self.right, "loss": None if self.loss is None else round(self.loss, 4), "text": self.text}


def puzzles(review: Review, *, least: float = 0.0) -> tuple[Puzzle, ...]:
    """Return the mistakes of *review* that cost more than *least* points for certain, worst first."""
    found = []
    for row in sorted(review.decisions, key=lambda row: row.decision.loss if row.decision else 0.0):
        made = row.decision
        if made is None or made.verdict not in MISTAKES or made.high >= -least:
            continue
        legal = tuple(str(action) for action in Observation.parse(made.position).legal)
        decision = {field.name: getattr(made, field.name) for field in fields(made)}
        found.append(Puzzle(**decision, game=review.game, seat=row.seat, legal=legal))
    return tuple(found)


def answer(puzzle: Puzzle, action: str) -> Answer:
    """Return whether *action* solves *puzzle*.

    Raises:
        NotationError: The text is not an action.
        IllegalActionError: The action is not legal in the position.
    """
    chosen = str(as_action(action))
    if chosen not in puzzle.legal:
        raise IllegalActionError(f"{chosen} is not legal here (legal: {', '.join(puzzle.legal)})")
    found = next((move for move in puzzle.moves if str(move.action) == chosen), None)
    if chosen == puzzle.best:
        return Answer(True, 0.0, f"Right: {chosen} is the best move.")
    if found is None:
        return Answer(False, None, f"{chosen} looked poor from the start. Best is {puzzle.best}.")
    if found.behind + Z * found.behind_se >= 0:
        return Answer(True, found.behind, f"{chosen} is as good as {puzzle.best}, as far as can be told.")
    return Answer(False, found.behind, f"{chosen} costs {-found.behind:.1f} points. Best is {puzzle.best}.")
