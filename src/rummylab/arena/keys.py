"""Keys by which a run finds its results: who played, and which deals."""

from __future__ import annotations

import json
from typing import NamedTuple

Lineup = tuple[str, ...]
"""The names of the agents that play each other, in the order in which they were given."""


class ChunkKey(NamedTuple):
    """Identifies a chunk within its run: the lineup, the first deal and the number of deals."""

    lineup: Lineup
    start: int
    deals: int
    step: str = ""
    """The step of an experiment; empty elsewhere."""

    def __str__(self) -> str:
        where = f"{self.step}: " * bool(self.step)
        return f"{where}{shown(self.lineup)}, deals {self.start} to {self.start + self.deals - 1}"


class GameKey(NamedTuple):
    """Identifies a game within its run: the lineup, the deal and the seating in which it was played."""

    lineup: Lineup
    deal: int
    seating: int

    def __str__(self) -> str:
        return f"{shown(self.lineup)}, deal {self.deal}, seating {self.seating}"


def shown(lineup: Lineup) -> str:
    """Return *lineup* for people to read."""
    return " against ".join(lineup)


def to_text(key: Lineup | ChunkKey | GameKey) -> str:
    """Return a lineup or a key as the store writes it: a JSON list."""
    return json.dumps(key, ensure_ascii=False)


def lineup_from_text(text: str) -> Lineup:
    """Return the lineup that `to_text` wrote."""
    return tuple(json.loads(text))
