"""The options of basic rummy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options


@dataclass(frozen=True, kw_only=True)
class BasicOptions(Options):
    """Everything that differs between tables."""

    cards: int = option(10, low=5, high=10)
    """Cards dealt to each player."""
    turn_cap: int = option(200, low=1, high=10_000)
    """Turns after which nobody scores."""
    target: int = option(100, low=1, high=10_000)
    """Points that end a match."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"ten": {}, "seven": {"cards": 7}}
