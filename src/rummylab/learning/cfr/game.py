"""The interface of a game for the solvers: two players, zero-sum, with chance as a third party.

Any object with these methods will do; `games.kuhn` and `games.leduc` are small examples.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

CHANCE, OVER = -1, -2
"""Actors of positions in which no player acts."""


class Position(Protocol):
    """A complete position, hidden information included."""

    @property
    def actor(self) -> int:
        """0 or 1, :data:`CHANCE`, or :data:`OVER` when the game has ended."""

    def actions(self) -> Sequence[str]:
        """Return the actions of the player to act: one list for each information set."""

    def chances(self) -> Sequence[tuple[str, float]]:
        """Return the outcomes of chance with their probabilities."""

    def after(self, action: str) -> Position:
        """Return the position that follows *action*."""

    def information_set(self) -> Hashable:
        """Return what the player to act knows; positions that they cannot tell apart return equal values."""

    def payoff(self) -> float:
        """Return the payoff of player 0, which player 1 pays."""


class Game(Protocol):
    """A game: a name and a first position."""

    @property
    def name(self) -> str: ...

    def root(self) -> Position: ...
