"""Opponents by level, 1 to 10, for every game: gentle at the bottom, the game's best agent at the top.

Each game lists its own in ``agents/<game>/levels.py``, which imports no kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Final

from rummylab.engine.options import Options
from rummylab.errors import OptionError
from rummylab.games.registry import game as game_named

LEVELS: Final = range(1, 11)
DEFAULT_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Rung:
    """Who plays at a level."""

    agent: str
    """The agent, as the registry names it."""
    noise: float = 0.0
    """Probability of a random move (:mod:`rummylab.agents.handicap`)."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The agents of the ten levels, and what players call them."""

    title: str
    """Name for people, such as ``Champion``."""
    rungs: tuple[Rung, ...]
    """Agents by level, the first for level 1."""
    presets: Mapping[str, str]
    """Other agents under some presets, with the same handicaps."""


def noisy(agent: str, noise: Sequence[float]) -> tuple[Rung, ...]:
    """Return the levels of one agent with these handicaps, the largest first."""
    return tuple(Rung(agent, one) for one in noise)


def ladder(game: str) -> Ladder:
    """Return the levels of *game*; a game without a list plays its default opponent at every level."""
    module = f"rummylab.agents.{game_named(game).name}.levels"
    try:
        found: Ladder = import_module(module).LADDER
    except ModuleNotFoundError:
        best = game_named(game).opponent
        return Ladder(best.replace("-", " ").capitalize(), noisy(best, [0.0] * len(LEVELS)), {})
    return found


def rung_at(game: str, level: int, options: Options | None = None) -> Rung:
    """Return who plays *game* at *level* by the rules of *options*.

    Raises:
        OptionError: There is no such level.
    """
    if level not in LEVELS:
        raise OptionError(f"Levels go from {LEVELS[0]} to {LEVELS[-1]}, so there is no level {level}.")
    found = ladder(game)
    rung = found.rungs[level - 1]
    preset = str(options).partition("(")[0] if options is not None else ""
    return replace(rung, agent=found.presets[preset]) if preset in found.presets else rung


def agent_at(game: str, level: int, options: Options | None = None) -> str:
    """Return the name of the agent that plays *game* at *level*; weaker levels have a handicap as well."""
    return rung_at(game, level, options).agent
