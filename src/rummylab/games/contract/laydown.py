"""A good lay-down, meld by meld: what agents, hints and hand evaluations share."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import highest, popcount, ranks_of, stay_apart
from rummylab.games.contract.melds import (
    N_RUNS,
    N_WILD_SETS,
    TWOS,
    dearest_rank,
    is_run_from,
    run_naturals,
    some_wilds,
    suits_of,
)
from rummylab.games.contract.rules import RUN_CODE, SET_CODE, can_lay_down, can_meld, n_wilds, round_of


@helper
def next_meld(table: np.void, mine: np.void) -> int:
    """Return the code of the meld to lay down next, or -1 if the contract cannot be laid down.

    Runs come before sets; of these the one with the fewest wilds, then the one that costs most in the hand.
    """
    if not can_lay_down(table, mine):
        return np.int64(-1)
    if table.runs_left[mine.seat] > 0:
        return _next_run(table, mine)
    return _next_set(table, mine)


@helper
def _next_run(table: np.void, mine: np.void) -> int:
    stay_apart()
    size = int(table.rules.run_size[round_of(table)])
    naturals = mine.hand & ~TWOS
    for missing in range(min(size - 1, n_wilds(mine.hand, mine.jokers) + 1)):
        wilds = some_wilds(mine.hand, mine.jokers, missing)
        for number in range(N_RUNS):
            if is_run_from(number, naturals, size) and popcount(run_naturals(number)) == size - missing:
                code = RUN_CODE + number * N_WILD_SETS + wilds
                if can_meld(table, mine, code):
                    return code
    return np.int64(-1)


@helper
def _next_set(table: np.void, mine: np.void) -> int:
    stay_apart()
    size = int(table.rules.set_size[round_of(table)])
    naturals = mine.hand & ~TWOS
    for missing in range(min(size - 1, n_wilds(mine.hand, mine.jokers) + 1)):
        wilds = some_wilds(mine.hand, mine.jokers, missing)
        ranks = ranks_of(naturals)
        while ranks:
            rank = dearest_rank(ranks)
            ranks &= ~(1 << rank)
            suits = suits_of(naturals, rank)
            if popcount(suits) >= size - missing:
                while popcount(suits) > size - missing:
                    suits &= ~(1 << highest(suits))
                code = SET_CODE + (16 * rank + suits) * N_WILD_SETS + wilds
                if can_meld(table, mine, code):
                    return code
    return np.int64(-1)
