"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.70, 0.65, 0.60, 0.54, 0.475, 0.395, 0.275, 0.17, 0.10, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder("Outs", noisy("mindist-outs", NOISE), {})
