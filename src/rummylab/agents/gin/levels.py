"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.60, 0.45, 0.34, 0.26, 0.20, 0.15, 0.10, 0.06, 0.03, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder("Search", noisy("utility-search", NOISE), {})
