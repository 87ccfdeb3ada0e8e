"""What a game must tell the solvers: two players, one's gain is the other's loss, chance as a third party.

A position answers who is to act and what follows; nothing else about the game is known here. Any object with these
methods will do: :mod:`.games.kuhn` and :mod:`.games.leduc` show how little that is.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol

CHANCE, OVER = -1, -2
"""Who acts where no player does."""


class Position(Protocol):
    """A point in a game, whole: what every player knows and what none of them does."""

    @property
    def actor(self) -> int:
        """0 or 1, :data:`CHANCE`, or :data:`OVER` when the game has ended."""

    def actions(self) -> Sequence[str]:
        """Return what the player to act may do, the same list wherever its information set is the same."""

    def chances(self) -> Sequence[tuple[str, float]]:
        """Return what chance may do and how likely each is."""

    def after(self, action: str) -> Position:
        """Return the position that follows *action*."""

    def information_set(self) -> Hashable:
        """Return all that the player to act knows; positions it cannot tell apart give the same answer."""

    def payoff(self) -> float:
        """Return what player 0 has won from player 1."""


class Game(Protocol):
    """A game: a name and a first position."""

    @property
    def name(self) -> str: ...

    def root(self) -> Position: ...
