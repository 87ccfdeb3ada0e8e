"""Whole matches of Gin in one kernel call."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.engine.batch import BatchDriver
from rummylab.engine.matches import MatchRules
from rummylab.games.gin import rules
from rummylab.games.gin.rules import OUTCOMES, PHASES, match_total

__all__ = ["DRIVER", "OUTCOMES", "PHASES", "play_pairs", "play_seatings", "tally_for"]


@helper
def note_total(table: np.void, seat: int, tally: np.void, number: int) -> None:
    """Note the final total of a seat, boxes and bonuses included."""
    tally.totals[number] = match_total(table, seat)


DRIVER = BatchDriver(__file__, MatchRules(rules, by_agent=("totals",), note_seat=note_total))
play_pairs, play_seatings, tally_for = DRIVER.play_pairs, DRIVER.play_seatings, DRIVER.tally_for
