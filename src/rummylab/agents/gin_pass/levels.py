"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.70, 0.64, 0.583, 0.52, 0.458, 0.376, 0.287, 0.20, 0.115, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder("Keats", noisy("keats-tuned", NOISE), {})
