"""Puzzles from a player's own mistakes: the position first, the answer after a choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rummylab.analysis.answers import MoveValue
from rummylab.analysis.review import Review, Z
from rummylab.engine.action import as_action
from rummylab.engine.observation import Observation
from rummylab.errors import IllegalActionError

MISTAKES = ("mistake", "blunder")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which the player made a mistake."""

    game: str
    seat: int
    position: str
    """What the player saw, as text for ``Observation.parse``."""
    legal: tuple[str, ...]
    kind: str
    played: str
    best: str
    loss: float
    low: float
    high: float
    moves: tuple[MoveValue, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        words = ("game", "seat", "position", "kind", "played", "best")
        numbers = {name: round(getattr(self, name), 4) for name in ("loss", "low", "high")}
        moves = [move.to_dict() for move in self.moves]
        return {**{name: getattr(self, name) for name in words}, **numbers, "legal": list(self.legal), "moves": moves}


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
        head = (review.game, row.seat, made.position, legal, made.kind)
        found.append(Puzzle(*head, made.played, made.best, made.loss, made.low, made.high, made.moves))
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
