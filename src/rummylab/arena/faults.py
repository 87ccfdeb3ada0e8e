"""Faults of outside agents, each of which costs a game."""

from __future__ import annotations

from typing import NamedTuple

from rummylab.errors import AgentError


class Fault(NamedTuple):
    """A forfeited game: the agent, the deal and seating, the kind of fault, and the details."""

    agent: str
    deal: int
    seating: int
    """Which of the deal's seatings (:mod:`rummylab.arena.seating`), from 0."""
    kind: str
    words: str


class OutsideError(AgentError):
    """An outside agent crashed, took too long, or sent something that is not a move."""

    def __init__(self, kind: str, words: str) -> None:
        self.kind = kind
        super().__init__(words)

    def __reduce__(self) -> tuple[type[OutsideError], tuple[str, str]]:
        """Make the error picklable."""
        return type(self), (self.kind, str(self))
