"""Rules from a name and what people write as ``rules``: a preset, text such as ``platform(decks=2)``, or options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rummylab.engine.options import Options, parse_call
from rummylab.engine.position import json_schema, layout_of
from rummylab.engine.rules import Rules
from rummylab.errors import check_type
from rummylab.games.registry import GAMES, current_name, game

FORMER_PRESETS: Final[Mapping[str, Mapping[str, str]]] = {
    "contract": {"chinese_mg1": "chinese", "chinese_mg1_literal": "chinese-literal", "contract7": "contract-7"},
    "gin_pass": {"course_ten": "course-ten", "course_seven": "course-seven"},
}
"""Presets that had another name in earlier files, by game."""


def rules_of(name: str, rules: str | Options | Mapping[str, Any] | None = None, **changes: Any) -> Rules:
    """Return the rules of the game *name*, with some options changed.

    *rules* is a preset, text such as ``platform(decks=2)``, an options object, or a mapping of options as records
    have it; by default the game's first preset. Former names of games and presets work too.

    >>> rules_of("indian", "platform(decks=2)").options.decks
    2

    Raises:
        UnknownNameError: There is no such game, preset or option.
        OptionError: An option has a value that is not allowed, or the options belong to another game.
    """
    found = game(current_name(name)) if isinstance(name, str) else game(name)
    if isinstance(rules, Mapping):
        return found.rules(None, **{**rules, **changes})
    hint = "a preset, text such as 'platform(decks=2)' or an options object"
    check_type(rules, (str, Options, type(None)), "rules", hint)
    return found.rules(_current(found.name, rules) if isinstance(rules, str) else rules, **changes)


def position_schema() -> dict[str, Any]:
    """Return the JSON Schema of the positions of all games: ``docs/reference/position.schema.json``."""
    return json_schema({name: layout_of(found.rules()) for name, found in sorted(GAMES.items())})


def _current(game_name: str, text: str) -> str:
    """Return *text* with the present name of its preset."""
    preset, _ = parse_call(text)
    return FORMER_PRESETS.get(game_name, {}).get(preset, preset) + text.strip()[len(preset) :]
