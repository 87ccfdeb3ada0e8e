"""The agents there are, by game and name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from rummylab.engine.agent import CompiledAgent
from rummylab.errors import UnknownNameError
from rummylab.games.registry import game


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered agent: one file, imported when the agent is first asked for."""

    game: str
    name: str
    home: str
    summary: str
    source: str
    par: Sequence[float] = ()

    def load(self) -> CompiledAgent:
        return CompiledAgent(self.name, import_module(self.home).act, self.par)


ENTRIES = (
    Entry(
        "gin",
        "random",
        "rummylab.agents.gin.random",
        "random legal moves",
        "the yardstick of every study",
    ),
    Entry(
        "gin",
        "simple",
        "rummylab.agents.gin.simple",
        "draws what melds, throws what weighs most, knocks at once",
        "EAAI-2021 Gin Rummy challenge, SimpleGinRummyPlayer",
    ),
    Entry(
        "indian",
        "random",
        "rummylab.agents.indian.random",
        "random draws and discards, declares when it can",
        "Saha et al., section VII",
    ),
)


def entries(game_name: str | None = None) -> list[Entry]:
    """Return the agents of one game, or of all."""
    if game_name is not None:
        game(game_name)
    return [found for found in ENTRIES if game_name in (None, found.game)]


def entry(game_name: str, name: str) -> Entry:
    """Return the entry of the agent *name* of *game_name*; an unknown name suggests the nearest."""
    known = {found.name: found for found in entries(game_name)}
    if name not in known:
        raise UnknownNameError(f"{game_name} agent", name, known)
    return known[name]


def agent(game_name: str, name: str) -> CompiledAgent:
    """Return a fresh agent *name* of *game_name*."""
    return entry(game_name, name).load()
