"""Agents that installed packages offer through Python's entry points."""

from __future__ import annotations

from functools import cache
from typing import Final

GROUP: Final = "rummylab.agents"
"""The entry-point group under which an installed package offers agents."""


@cache
def installed() -> dict[str, str]:
    """Return the agents of installed packages: ``module:name`` by the name of the agent. Nothing is imported."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP)}
