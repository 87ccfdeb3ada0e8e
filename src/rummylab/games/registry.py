"""The games there are, by name: every package beside this module that has a ``spec``."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Final

from rummylab.engine.spec import GameSpec
from rummylab.errors import UnknownNameError, check_type

_FOLDER: Final = Path(__file__).parent


def _found() -> dict[str, GameSpec]:
    """Return the specifications of all games in this folder, by name."""
    packages = [found.name for found in pkgutil.iter_modules([str(_FOLDER)]) if found.ispkg]
    specs: list[GameSpec] = [import_module(f"rummylab.games.{name}.spec").SPEC for name in packages]
    return {spec.name: spec for spec in specs}


GAMES: Final = _found()
"""Every game by name."""
FORMER_NAMES: Final[dict[str, str]] = {"chinese": "contract", "gin-course": "gin_pass"}
"""Names of games in earlier records and stores, with the names they have now."""


def game(name: str) -> GameSpec:
    """Return the game *name*.

    Raises:
        UnknownNameError: If there is none. It suggests the nearest name.
    """
    check_type(name, str, "the name of a game")
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    return GAMES[name]


def current_name(name: str) -> str:
    """Return the name of the game that a record or a store calls *name*."""
    return FORMER_NAMES.get(name, name)
