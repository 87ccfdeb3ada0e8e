"""How a table is set up: game and rules, who sits where, and what kind of table it is. It is stored as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from rummylab.agents.levels import DEFAULT_LEVEL, ladder, rung_at
from rummylab.agents.registry import entry
from rummylab.engine.options import parse_call
from rummylab.engine.rules import Rules
from rummylab.engine.spec import GameSpec
from rummylab.errors import OptionError
from rummylab.games.registry import game as game_named

KINDS: Final = ("play", "watch", "tutorial", "daily", "what_if")
NAMES: Final = ("Asha", "Ben", "Chen", "Dina", "Emil")
"""Names of agents at tables with more than one opponent."""
TURN_SECONDS: Final = 120
"""Time that a person has for a turn at a table with other people."""


@dataclass(frozen=True, slots=True)
class Chair:
    """Who sits at a seat."""

    kind: str
    """``person``, ``agent`` or ``open``: kept for a person who was invited."""
    name: str
    short: str
    agent: str | None = None
    level: int | None = None
    noise: float = 0.0
    """Probability with which the agent makes a random move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfig:
    """Everything that stays the same while a table is open, but for people who join."""

    game: str
    rules: str
    """The options, in full, as text."""
    rules_title: str
    format: str | None = None
    kind: str = "play"
    chairs: tuple[Chair, ...]
    hints: str = "request"
    seed: int | None = None
    """A typed or public seed; None: every hand has a secret key of its own."""
    one_hand: bool = False
    eyes: int = 0
    """Whose eyes a watcher looks through."""
    turn_seconds: int = TURN_SECONDS
    date: str | None = None
    """Date of a daily deal."""
    start: Mapping[str, Any] = field(default_factory=dict)
    """Where a what-if table begins: the record and the number of its events."""

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TableConfig:
        """Return the configuration that `to_dict` wrote."""
        chairs = tuple(Chair(**chair) for chair in values["chairs"])
        return cls(**{**values, "chairs": chairs})

    @property
    def spec(self) -> GameSpec:
        """The declaration of the game."""
        return game_named(self.game)

    def make_rules(self) -> Rules:
        """Return the rules of the table."""
        return self.spec.rules(self.rules)

    def seated(self, seat: int, name: str) -> TableConfig:
        """Return the configuration with a person on an open chair."""
        chairs = list(self.chairs)
        chairs[seat] = Chair("person", name, name)
        return replace(self, chairs=tuple(chairs))

    @property
    def n_people(self) -> int:
        """How many seats are for people, taken or not."""
        return sum(chair.kind != "agent" for chair in self.chairs)


def table_rules(spec: GameSpec, rules: str | None, form: str | None, seats: int | None) -> Rules:
    """Return the rules of a table for people: a match of sensible length, where the preset's own is for measuring.

    Raises:
        OptionError: The game is not for so many players, or an option is not allowed.
        UnknownNameError: There is no such preset, format or option.
    """
    text = spec.in_format(rules, form)
    if seats is not None and seats not in spec.seats:
        raise OptionError(f"{spec.title} is for {spec.players}, not {seats}.")
    has_seats = any(one.name == "seats" for one in fields(spec.options))
    changes: dict[str, Any] = {"seats": seats} if seats is not None and has_seats else {}
    found, usual = (spec.read_options(one, **changes).to_dict() for one in (text, None))
    match = spec.match_for_people(found.get("seats", 2))
    if all(found[name] == usual[name] and name not in (text or "") for name in match):
        changes |= match
    return spec.rules(text, **changes)


def agent_title(game: str, agent: str, level: int | None) -> str:
    """Return what people call an agent."""
    name = parse_call(agent)[0]
    return ladder(game).title if level is not None else name.replace("-", " ").capitalize()


def agent_chair(rules: Rules, agent: str | None, level: int | None, alone: bool, place: int) -> Chair:
    """Return the chair of an agent, named directly or by its level; *alone*: it is the only opponent.

    Raises:
        UnknownNameError: There is no such agent.
        OptionError: There is no such level.
    """
    game, noise = rules.name, 0.0
    if agent is None:
        level = DEFAULT_LEVEL if level is None else level
        rung = rung_at(game, level, rules.options)
        agent, noise = rung.agent, rung.noise
    else:
        level = None
    entry(game, agent)
    title = agent_title(game, agent, level)
    if alone:
        name = f"{title}, level {level}" if level is not None else title
        return Chair("agent", name, f"{title} {level}" if level is not None else title, agent, level, noise)
    first = NAMES[place % len(NAMES)]
    return Chair("agent", f"{first} ({title}{f' {level}' if level is not None else ''})", first, agent, level, noise)


def chairs_for(rules: Rules, name: str, opponents: Sequence[Mapping[str, Any]], level: int | None) -> tuple[Chair, ...]:
    """Return the chairs of a table where a person called *name* has seat 0.

    Raises:
        OptionError: There are more opponents than seats, or no such level.
        UnknownNameError: There is no such agent.
    """
    others = rules.seats - 1
    if len(opponents) > others:
        raise OptionError(f"{rules.seats} seats leave room for {others} opponents, not {len(opponents)}.")
    chairs = [Chair("person", name, name)]
    for place in range(others):
        wanted = opponents[place] if place < len(opponents) else {}
        if wanted.get("person"):
            chairs.append(Chair("open", "Open seat", "Open seat"))
            continue
        at = wanted.get("level") or level
        chairs.append(agent_chair(rules, wanted.get("agent"), at, others == 1, place))
    return tuple(chairs)


def watched_chairs(rules: Rules, agents: Sequence[Mapping[str, Any]]) -> tuple[Chair, ...]:
    """Return the chairs of a table where only agents play; names that occur twice are numbered."""
    if len(agents) not in (0, rules.seats):
        raise OptionError(f"A watched table of {rules.seats} seats needs {rules.seats} agents, not {len(agents)}.")
    given = agents or [{}] * rules.seats
    chairs = [agent_chair(rules, one.get("agent"), one.get("level"), True, i) for i, one in enumerate(given)]
    names = [chair.name for chair in chairs]
    return tuple(
        replace(chair, name=f"{chair.name} ({i + 1})", short=f"{chair.short} ({i + 1})")
        if names.count(chair.name) > 1
        else chair
        for i, chair in enumerate(chairs)
    )


def daily_seed(game: str, date: str) -> int:
    """Return the public seed of a day's deal: the same cards for everyone.

    >>> daily_seed("gin", "2026-11-17") == daily_seed("gin", "2026-11-17")
    True
    """
    digest = hashlib.sha256(f"rummylab daily deal {game} {date}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
