"""Random play: a coin for the draw, any card for the discard.

Source: Saha et al., section VII, agent 1. Policy: a fair coin decides between stock and open pile, then a random
discard; declares as soon as it can, as all agents of the paper do. Departures: it never drops (the paper's main
experiments are without drops) and never declares wrongly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel_of
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card, below
from rummylab.games.indian.rules import (
    ACT,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    can_take,
    declarable,
    kinds,
)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return DRAW_PILE if can_take(table) and below(mine, np.int64(2)) else DRAW_STOCK
    good = declarable(table, mine)
    if good:
        return DECLARE_CODE + lowest(good)
    return DISCARD_CODE + any_card(mine, kinds(mine))
