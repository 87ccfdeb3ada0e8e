"""Seats: who is who at the table."""

from __future__ import annotations

from typing import NewType

Seat = NewType("Seat", int)
"""A chair: absolute, it keeps its number all match long."""
DEALER = Seat(-1)
"""The table itself: it turns up cards and speaks for nobody."""
