"""Whole matches of contract rummy in one kernel call, for every number of seats."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.engine.batch import BatchDriver
from rummylab.engine.matches import MatchRules
from rummylab.games.contract import rules
from rummylab.games.contract.rules import OUTCOMES, PHASES, has_laid_down
from rummylab.games.contract.spec import SPEC

__all__ = ["DRIVER", "OUTCOMES", "PHASES", "play_pairs", "play_seatings", "tally_for"]


@helper
def count_round(table: np.void, tally: np.void) -> None:
    """Count the reshuffles, and the losers who were caught before laying down."""
    tally.reshuffles += table.reshuffles
    for seat in range(table.rules.seats):
        if table.winner >= 0 and seat != table.winner:
            tally.unready += not has_laid_down(table, seat)


COUNTS = ("reshuffles", "unready")
DRIVER = BatchDriver(__file__, MatchRules(rules, SPEC.seats[-1], counts=COUNTS, count_hand=count_round))
play_pairs, play_seatings, tally_for = DRIVER.play_pairs, DRIVER.play_seatings, DRIVER.tally_for
