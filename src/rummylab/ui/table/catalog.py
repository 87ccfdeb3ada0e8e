"""What there is to play: games, rules, formats, levels and agents, for the start page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rummylab import __version__
from rummylab.agents.levels import DEFAULT_LEVEL, LEVELS, agent_at, ladder
from rummylab.agents.registry import entries
from rummylab.engine.options import Options
from rummylab.engine.spec import GameSpec
from rummylab.errors import OptionError
from rummylab.games.registry import GAMES
from rummylab.ui.table.lessons import script

ORDER = ("gin", "indian", "contract", "gin_pass")
"""Games in the order of the start page; others follow."""


@dataclass(frozen=True, slots=True)
class PresetView:
    """A preset of the rules."""

    name: str
    title: str
    summary: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FormatView:
    """How deals make a match."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class LevelView:
    """An opponent by level."""

    level: int
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentView:
    """An opponent by name."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class TutorialView:
    """An interactive tutorial."""

    title: str
    moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogGame:
    """A game with all there is to choose."""

    name: str
    title: str
    sentence: str
    picture: tuple[str, ...]
    seats: tuple[int, ...]
    presets: tuple[PresetView, ...]
    formats: tuple[FormatView, ...]
    levels: tuple[LevelView, ...]
    agents: tuple[AgentView, ...]
    default_agent: str
    tutorial: TutorialView | None


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything there is to play."""

    version: str
    default_level: int
    games: tuple[CatalogGame, ...]


@cache
def catalog() -> Catalog:
    """Return everything there is to play. No kernel is imported."""
    names = [*(name for name in ORDER if name in GAMES), *sorted(set(GAMES) - set(ORDER))]
    return Catalog(__version__, DEFAULT_LEVEL, tuple(_game(GAMES[name]) for name in names))


def _game(spec: GameSpec) -> CatalogGame:
    lesson = script(spec.name)
    return CatalogGame(
        name=spec.name,
        title=spec.title,
        sentence=spec.sentence,
        picture=spec.picture,
        seats=tuple(spec.seats),
        presets=tuple(PresetView(name, *spec.title_of(name), _seats(spec, name)) for name in spec.presets),
        formats=_formats(spec),
        levels=tuple(_level(spec, level) for level in LEVELS),
        agents=tuple(AgentView(one.name, one.summary) for one in entries(spec.name)),
        default_agent=spec.opponent,
        tutorial=TutorialView(lesson.title, len(lesson.steps)) if lesson else None,
    )


def _formats(spec: GameSpec) -> tuple[FormatView, ...]:
    if spec.formats is None:
        return ()
    return tuple(FormatView(name, *spec.title_of(name)) for name in spec.formats.PRESETS)


def _seats(spec: GameSpec, preset: str) -> tuple[int, ...]:
    """Return how many can play by a preset."""
    found = []
    for seats in spec.seats:
        options = spec.read_options(preset)
        if "seats" in options.to_dict():
            try:
                spec.read_options(preset, seats=seats)
            except OptionError:
                continue
        elif seats != spec.seats[0]:
            continue
        found.append(seats)
    return tuple(found)


def _level(spec: GameSpec, level: int) -> LevelView:
    options: Options = spec.read_options(None)
    agent = agent_at(spec.name, level, options)
    words = {1: "gentle", 3: "casual", 5: "steady", 6: "a good club player", 8: "strong", 10: "the best we have"}
    text = next(words[known] for known in sorted(words, reverse=True) if known <= level)
    return LevelView(level, agent, f"{ladder(spec.name).title} at level {level}: {text}.")
