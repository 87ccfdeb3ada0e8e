"""The ten levels of the game: its best agent, with a handicap that shrinks from level to level."""

from __future__ import annotations

from rummylab.agents.levels import Ladder, noisy

NOISE = (0.90, 0.82, 0.75, 0.665, 0.57, 0.465, 0.345, 0.25, 0.12, 0.0)
"""Probability of a random move, level by level."""
LADDER = Ladder(
    "Counter",
    noisy("chinese-counter", NOISE),
    dict.fromkeys(("chinese-7", "contract-7", "liverpool-7", "shanghai-10"), "contract-greedy"),
)
