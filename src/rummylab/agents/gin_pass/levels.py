"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.80, 0.745, 0.684, 0.618, 0.545, 0.462, 0.368, 0.261, 0.137, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder("Counter", noisy("pass-counter", NOISE), {})
