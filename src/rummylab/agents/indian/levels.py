"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.82, 0.754, 0.685, 0.611, 0.533, 0.449, 0.357, 0.255, 0.139, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder("Outs", noisy("mindist-outs", NOISE), {})
