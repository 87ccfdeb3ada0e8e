"""The agents that make data, by name."""

from __future__ import annotations

from functools import cache

from rummylab.agents.registry import agent
from rummylab.engine.agent import CompiledAgent


@cache
def player(name: str) -> CompiledAgent:
    """Return the Gin agent *name*."""
    return agent("gin", name)
