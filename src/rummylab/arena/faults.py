"""What an outside agent can do wrong, and what that costs it."""

from __future__ import annotations

from typing import NamedTuple

from rummylab.errors import AgentError


class Fault(NamedTuple):
    """A game lost without being played out: who, in which deal and seating, how, and the details."""

    agent: str
    deal: int
    turn: int
    kind: str
    words: str


class OutsideError(AgentError):
    """An outside agent crashed, took too long, or said something that is not a move."""

    def __init__(self, kind: str, words: str) -> None:
        self.kind = kind
        super().__init__(words)

    def __reduce__(self) -> tuple[type[OutsideError], tuple[str, str]]:
        """Make the error picklable."""
        return type(self), (self.kind, str(self))
