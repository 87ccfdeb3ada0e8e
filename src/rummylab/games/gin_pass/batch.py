"""Whole matches of Gin with a passed card in one kernel call, for two to four seats."""

from __future__ import annotations

from rummylab.engine.batch import BatchDriver
from rummylab.engine.matches import MatchRules
from rummylab.games.gin_pass import rules
from rummylab.games.gin_pass.rules import MAX_SEATS, OUTCOMES, PHASES

__all__ = ["DRIVER", "OUTCOMES", "PHASES", "play_pairs", "play_seatings", "tally_for"]

DRIVER = BatchDriver(__file__, MatchRules(rules, MAX_SEATS))
play_pairs, play_seatings, tally_for = DRIVER.play_pairs, DRIVER.play_seatings, DRIVER.tally_for
