"""Opponents by level, 1 to 10, for every game: gentle at the bottom, the game's best agent at the top.

Each game lists its own in ``agents/<game>/levels.py``, which imports no kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from rummylab.engine.options import Options
from rummylab.errors import OptionError
from rummylab.games.registry import game as game_named

LEVELS: Final = range(1, 11)
DEFAULT_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Ladder:
    """The agents of the ten levels, and what players call them."""

    title: str
    """Name for people, such as ``Champion``."""
    agents: tuple[str, ...]
    """Agents by level, the first for level 1, as the registry names them."""
    presets: Mapping[str, tuple[str, ...]]
    """Other agents under some presets."""


def ladder(game: str) -> Ladder:
    """Return the levels of *game*; a game without a list plays its default opponent at every level."""
    module = f"rummylab.agents.{game_named(game).name}.levels"
    if find_spec(module) is None:
        best = game_named(game).opponent
        return Ladder(best.replace("-", " ").capitalize(), (best,) * len(LEVELS), {})
    found: Ladder = import_module(module).LADDER
    return found


def agent_at(game: str, level: int, options: Options | None = None) -> str:
    """Return the agent that plays *game* at *level*.

    Raises:
        OptionError: There is no such level.
    """
    if level not in LEVELS:
        raise OptionError(f"Levels go from {LEVELS[0]} to {LEVELS[-1]}, so there is no level {level}.")
    found = ladder(game)
    preset = str(options).partition("(")[0] if options is not None else ""
    return found.presets.get(preset, found.agents)[level - 1]
