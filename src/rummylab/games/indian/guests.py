"""Indian Rummy with compiled agents that sit in processes of their own."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.rng import Root
from rummylab.engine.lockstep import Parts, lockstep
from rummylab.games.indian.batch import TALLY, begin_deal, end_deal
from rummylab.games.indian.rules import ACT, RECORD, VIEW, first_starter, is_legal, step


@helper
def begin(row: np.void, root: Root, number: int, swap: int, tally: np.void) -> None:
    """Deal; who moves first is drawn at random and keeps the seat."""
    begin_deal(row, root, number, first_starter(row.table, root, number), swap, tally)


@helper
def end(row: np.void, root: Root, number: int, swap: int, tally: np.void) -> bool:
    """Count the deal, which is the whole match."""
    end_deal(row, swap, tally)
    return True


advance = lockstep(Parts(RECORD, VIEW, TALLY, ACT, is_legal, step, begin, end))
