"""Opening tables: what a person wants, as a configuration. The browser and the terminal open tables here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rummylab.engine.rules import Rules
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import TURN_SECONDS, table_rules
from rummylab.ui.table.view import rules_title


def wanted_rules(wanted: Mapping[str, Any], seats: int | None) -> tuple[Rules, dict[str, Any]]:
    """Return the rules of the table that is *wanted*, and the settings of its `TableConfig` but for the chairs.

    Raises:
        RummyError: The game, the rules or the seats cannot be had.
    """
    spec = game_named(wanted["game"])
    rules = table_rules(spec, wanted.get("rules"), wanted.get("format"), seats)
    return rules, {
        "game": spec.name,
        "rules": str(rules.options),
        "rules_title": rules_title(spec, rules),
        "format": wanted.get("format"),
        "hints": wanted.get("hints") or "request",
        "seed": wanted.get("seed"),
        "one_hand": wanted.get("hands") == "one",
        "turn_seconds": wanted.get("turn_seconds") or TURN_SECONDS,
    }
