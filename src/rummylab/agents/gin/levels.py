"""The ten levels of Gin: the champion's own, which err and forget less from level to level."""

from __future__ import annotations

from rummylab.agents.levels import LEVELS, Ladder, Rung

LADDER = Ladder("Champion", tuple(Rung(f"champion(level={level})") for level in LEVELS), {})
