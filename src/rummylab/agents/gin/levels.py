"""The ten levels of Gin: the champion's own, which err and forget less from level to level, and its search."""

from __future__ import annotations

from rummylab.agents.levels import LEVELS, Ladder, Rung

LADDER = Ladder("Champion", (*(Rung(f"champion(level={level})") for level in LEVELS[:-1]), Rung("champion-search")), {})
