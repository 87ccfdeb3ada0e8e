"""Agents by game and name.

The list is ``index.json``, generated from the agents' own declarations (:mod:`rummylab.agents.index`). An agent's file,
and with it Numba, is imported when the agent is first loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rummylab.engine.agent_options import OptionInfo
from rummylab.engine.options import parse_call
from rummylab.errors import UnknownNameError, check_type

if TYPE_CHECKING:
    from rummylab.engine.agent import CompiledAgent

INDEX: Final = Path(__file__).with_name("index.json")


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent or variant in the list, with the options that its name changes."""

    game: str
    name: str
    """The name as it was given, with options in brackets if it had any."""
    home: str
    """The module that declares it."""
    summary: str
    source: str
    variant_of: str | None
    """The agent whose options this one presets; None if it is an agent itself."""
    options: tuple[OptionInfo, ...]
    """Every option, with this agent's value as the default."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """The options in the brackets of the name, as text."""

    @property
    def preset(self) -> str:
        """The name without options in brackets."""
        return parse_call(self.name)[0]

    def load(self) -> CompiledAgent:
        """Return the agent; this imports its file.

        Raises:
            UnknownNameError: If there is no such option.
            OptionError: If a value is not allowed.
        """
        found: CompiledAgent = import_module(self.home).act.configured(self.preset, self.changes)
        found.name = self.name
        return found


@cache
def _listed() -> tuple[Entry, ...]:
    index = json.loads(INDEX.read_text(encoding="utf-8"))
    return tuple(_entry(row, index["options"].get(row["home"], [])) for row in index["agents"])


def _entry(row: dict[str, Any], options: list[dict[str, Any]]) -> Entry:
    infos = tuple(
        OptionInfo(
            name=one["name"],
            default=row["values"][one["name"]],
            low=-math.inf if one["low"] is None else one["low"],
            high=math.inf if one["high"] is None else one["high"],
            meaning=one["meaning"],
        )
        for one in options
    )
    words = {key: row[key] for key in ("game", "name", "home", "summary", "source", "variant_of")}
    return Entry(**words, options=infos)


def entries(game_name: str | None = None) -> list[Entry]:
    """Return the agents for one game, or for all games. This imports neither agents nor games.

    Raises:
        UnknownNameError: No game has this name.
    """
    check_type(game_name, (str, type(None)), "the name of a game")
    listed = _listed()
    games = {found.game: None for found in listed}
    if game_name is not None and game_name not in games:
        raise UnknownNameError("game", game_name, games)
    return [found for found in listed if game_name in (None, found.game)]


def entry(game_name: str, name: str) -> Entry:
    """Return the agent *name* for *game_name*.

    A name may end with options in brackets: ``utility(belief=0, samples=100)``, or in order, ``mindist-opp(4)``.

    Raises:
        UnknownNameError: If there is no such game, agent or option; the message suggests the nearest name.
        OptionError: If an option cannot be read or is not allowed.
    """
    check_type(name, str, "the name of an agent")
    plain, changes = parse_call(name)
    known = {found.name: found for found in entries(game_name)}
    if plain not in known:
        raise UnknownNameError(f"{game_name} agent", plain, known)
    if "(" not in name:
        return known[plain]
    found = replace(known[plain], name=name, changes=changes)
    found.load()  # its file checks the options
    return found


def agent(game_name: str, name: str) -> CompiledAgent:
    """Return a new player: the agent *name* for *game_name*.

    Raises:
        UnknownNameError: If there is no such game, agent or option; the message suggests the nearest name.
        OptionError: If an option cannot be read or is not allowed.

    Example:
        >>> from rummylab import agent
        >>> agent("gin", "simple")
        CompiledAgent('simple')
    """
    return entry(game_name, name).load()
