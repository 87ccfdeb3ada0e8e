"""Whole matches of basic rummy in one kernel call."""

from __future__ import annotations

from basic_rummy import rules
from basic_rummy.rules import OUTCOMES, PHASES
from rummylab.engine.batch import BatchDriver
from rummylab.engine.matches import MatchRules

__all__ = ["DRIVER", "OUTCOMES", "PHASES", "play_pairs", "play_seatings", "tally_for"]

DRIVER = BatchDriver(__file__, MatchRules(rules))
play_pairs, play_seatings, tally_for = DRIVER.play_pairs, DRIVER.play_seatings, DRIVER.tally_for
