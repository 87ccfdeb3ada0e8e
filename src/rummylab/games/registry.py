"""The games there are, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rummylab.engine.rules import Rules
from rummylab.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Game:
    """A registered game. Modules are imported when they are first needed."""

    name: str
    title: str
    home: str
    """Module with a factory of the game's name: ``factory(preset, **changes) -> Rules``."""
    kernels: str
    """Module with ``ACT``, the signature of a compiled agent."""
    drivers: str
    """Module with ``TALLY``, ``play_pairs``, ``OUTCOMES`` and ``PHASES``; importing it compiles the driver.

    A driver for more than two seats also has ``tally_for`` and ``play_seatings``.
    """
    presets: tuple[str, ...]

    def rules(self, preset: str | None = None, **changes: Any) -> Rules:
        """Return the rules under *preset* (default: the first), with some options changed."""
        factory: Callable[..., Rules] = getattr(import_module(self.home), self.name.replace("-", "_"))
        return factory(preset or self.presets[0], **changes)

    @property
    def batch(self) -> Any:
        """The module that plays whole games in one call."""
        return import_module(self.drivers)

    @property
    def guests(self) -> Any:
        """The module that plays against compiled agents in processes of their own (``advance``)."""
        return import_module(self.guest_drivers)

    @property
    def guest_drivers(self) -> str:
        return self.drivers.removesuffix("batch") + "guests"

    @property
    def act_signature(self) -> Any:
        return import_module(self.kernels).ACT


GAMES = {
    game.name: game
    for game in (
        Game(
            "gin",
            "Gin Rummy, two players",
            "rummylab.games.gin.game",
            "rummylab.games.gin.rules",
            "rummylab.games.gin.batch",
            ("eaai", "classic", "openspiel"),
        ),
        Game(
            "indian",
            "Classic Indian Rummy, two to six players",
            "rummylab.games.indian.game",
            "rummylab.games.indian.rules",
            "rummylab.games.indian.batch",
            ("paper", "platform"),
        ),
        Game(
            "chinese",
            "Chinese Rummy and other contract rummies, two players",
            "rummylab.games.contract.game",
            "rummylab.games.contract.rules",
            "rummylab.games.contract.batch",
            ("chinese_mg1", "chinese_mg1_literal", "contract7"),
        ),
        Game(
            "gin-course",
            "Gin with a passed card, two to four players",
            "rummylab.games.gin_course.game",
            "rummylab.games.gin_course.rules",
            "rummylab.games.gin_course.batch",
            ("course", "course_ten", "course_seven"),
        ),
    )
}


def game(name: str) -> Game:
    """Return the game *name*; an unknown one suggests the nearest."""
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    return GAMES[name]
