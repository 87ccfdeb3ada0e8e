"""The ten levels of Gin: the champion at its own levels; without it, the search agent with a handicap."""

from __future__ import annotations

from rummylab.agents.levels import LEVELS, Ladder, Rung, noisy
from rummylab.agents.registry import entries

NOISE = (0.60, 0.45, 0.34, 0.26, 0.20, 0.15, 0.10, 0.06, 0.03, 0.0)
"""Probability of a random move of the search agent, level by level."""
SEARCH = Ladder("Search", noisy("utility-search", NOISE), {})
CHAMPION = Ladder("Champion", tuple(Rung(f"champion(level={level})") for level in LEVELS), {})
LADDER = CHAMPION if any(one.name == "champion" for one in entries("gin")) else SEARCH
