"""Finds the rules of a game by name, for modules below the registry of games.

The package injects the registry's function when it is imported. Nothing in ``engine`` imports a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rummylab.errors import RummyError

if TYPE_CHECKING:
    from rummylab.engine.rules import Rules

RulesOf = Callable[[str, Any], "Rules"]
"""Builds the rules of a game from its name and its options: text, a mapping, an options object or nothing."""

_injected: list[RulesOf] = []


def inject(rules_of: RulesOf) -> None:
    """Use *rules_of* to find rules from now on."""
    _injected[:] = [rules_of]


def rules_of(name: str, options: Any = None) -> Rules:
    """Return the rules of the game *name* under *options*.

    Raises:
        UnknownNameError: There is no such game, preset or option.
        OptionError: An option has a value that is not allowed.
    """
    if not _injected:
        raise RummyError("import rummylab before reading positions or records: it knows the games")
    return _injected[0](name, options)
