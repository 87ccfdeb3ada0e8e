"""Gin with compiled agents that sit in processes of their own."""

from __future__ import annotations

from rummylab.engine.lockstep import Parts, lockstep
from rummylab.games.gin.batch import TALLY, begin_match, end_hand
from rummylab.games.gin.rules import ACT, RECORD, VIEW, is_legal, step

advance = lockstep(Parts(RECORD, VIEW, TALLY, ACT, is_legal, step, begin_match, end_hand))
