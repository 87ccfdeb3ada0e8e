"""What requests look like. Every text and number has a bound."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Words = Annotated[str, StringConstraints(max_length=400)]
Version = Annotated[int, Field(ge=0, le=2**53, strict=True)]
Level = Annotated[int, Field(ge=1, le=10)]
GameName = Annotated[str, StringConstraints(min_length=1, max_length=40)]


class Strict(BaseModel):
    """A request; fields that are not named are refused."""

    model_config = ConfigDict(extra="forbid")


class Opponent(Strict):
    """Who sits at another seat: an agent by name or level, or a person who will be invited."""

    agent: Name | None = None
    level: Level | None = None
    person: bool = False
    name: Name | None = None


class Watched(Strict):
    """Who plays at a table that is watched."""

    agents: list[Opponent] = Field(default_factory=list, max_length=6)
    eyes: int = Field(default=0, ge=0, le=5)


class NewTable(Strict):
    """A table to open."""

    game: GameName
    rules: Words | None = None
    format: Words | None = None
    seats: int | None = Field(default=None, ge=2, le=6)
    level: Level | None = None
    opponents: list[Opponent] = Field(default_factory=list, max_length=5)
    kind: Literal["play", "watch", "tutorial", "daily"] = "play"
    hints: Literal["off", "request", "always"] = "request"
    seed: int | None = Field(default=None, ge=0, lt=2**53)
    hands: Literal["one", "match"] = "match"
    watch: Watched | None = None
    turn_seconds: int | None = Field(default=None, ge=10, le=86_400)


class At(Strict):
    """The version that a request answers."""

    version: Version


class Move(At):
    """A move: the id of a legal action."""

    action: Name


class StepTo(At):
    """How far agents play at a watched table."""

    until: Literal["turn", "hand"] = "turn"


class Me(Strict):
    """A player's name."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=24, strip_whitespace=True)]


class Join(Strict):
    """An invitation, and the name of the person who takes it."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    name: Annotated[str, StringConstraints(min_length=1, max_length=24, strip_whitespace=True)] = "Guest"


class Empty(Strict):
    """Nothing."""


class OpenFile(Strict):
    """A record file to open."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=2_000_000)]


class Retry(Strict):
    """Another try at a decision."""

    decision: int = Field(ge=0, le=10_000)
    action: Name


class WhatIf(Strict):
    """Where to play on from."""

    step: int = Field(ge=0, le=10_000)
    seat: int | None = Field(default=None, ge=0, le=5)


class Answer(Strict):
    """The answer to a puzzle."""

    action: Name


# --- The library --------------------------------------------------------------------------------------------------


class HandIn(Strict):
    """A hand to evaluate, and what the game asks beside the cards."""

    game: GameName
    cards: Words
    rules: Words | None = None
    wild: Annotated[str, StringConstraints(max_length=10)] | None = None
    dead: Words | None = None
    contract: Annotated[str, StringConstraints(max_length=40)] | None = None


class PositionIn(Strict):
    """A position: what one seat sees, as JSON or as text."""

    position: dict[str, Any] | Annotated[str, StringConstraints(max_length=20_000)]


class MoveIn(PositionIn):
    """A position, and who is asked for a move."""

    agent: Name | None = None
    level: Level | None = None
    seed: int = Field(default=0, ge=0, lt=2**53)


class AnalysisIn(PositionIn):
    """A position to analyze."""

    agent: Name | None = None
    seed: int = Field(default=0, ge=0, lt=2**53)
    worlds: int | None = Field(default=None, ge=10, le=2000)


class SampleIn(Strict):
    """A position from a seeded game, to start from."""

    game: GameName
    rules: Words | None = None
    seed: int = Field(default=0, ge=0, lt=2**53)
    moves: int = Field(default=0, ge=0, le=500)


class SetUp(Strict):
    """A position set up by hand."""

    game: GameName
    hand: Words
    rules: Words | None = None
    seats: int | None = Field(default=None, ge=2, le=6)
    pile: Words = ""
    known: Words = ""
    wild: Annotated[str, StringConstraints(max_length=10)] | None = None
    contract: Annotated[str, StringConstraints(max_length=40)] | None = None
    to: Literal["draw", "discard"] | None = None
