"""Gin with a passed card, two seats, with compiled agents that sit in processes of their own."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.rng import Root
from rummylab.engine.lockstep import Parts, lockstep
from rummylab.games.gin_course.batch import TALLY, begin_match, end_hand, packed
from rummylab.games.gin_course.rules import ACT, RECORD, VIEW, is_legal, step

_PLAIN, _SWAPPED = packed((0, 1)), packed((1, 0))


@helper
def begin(row: np.void, root: Root, deal: int, swap: int, tally: np.void) -> None:
    """Begin a match and deal its first hand."""
    begin_match(row, root, deal, _SWAPPED if swap else _PLAIN, tally)


@helper
def end(row: np.void, root: Root, deal: int, swap: int, tally: np.void) -> bool:
    """Count the hand; deal the next, or count the match and return that it is over."""
    return bool(end_hand(row, root, deal, _SWAPPED if swap else _PLAIN, tally))


advance = lockstep(Parts(RECORD, VIEW, TALLY, ACT, is_legal, step, begin, end))
