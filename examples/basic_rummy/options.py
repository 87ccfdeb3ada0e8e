"""The options of basic rummy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rummylab.engine.options import Options


@dataclass(frozen=True, kw_only=True)
class BasicOptions(Options):
    """Everything that differs between tables."""

    cards: int = 10
    """Cards dealt to each player."""
    turn_cap: int = 200
    """Turns after which nobody scores."""
    target: int = 100
    """Points that end a match."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"ten": {}, "seven": {"cards": 7}}
    RANGES: ClassVar[Mapping[str, tuple[int, int]]] = {
        "cards": (5, 10),
        "turn_cap": (1, 10_000),
        "target": (1, 10_000),
    }
