"""Random play: a coin for the draw, any card for the discard.

Source: Saha et al., section VII, agent 1. Policy: a fair coin decides between stock and open pile, then a random
discard; declares as soon as it can, as all agents of the paper do. With drops (`random-drop`) folding is a third
choice of every draw. Departures: `random` itself never drops, since the paper's main experiments are without drops;
neither ever declares wrongly. Measured in docs/agents/indian.md.

par: [1 if folding is a choice, else 0].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card, below
from rummylab.games.indian.rules import (
    ACT,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    can_take,
    declarable,
    kinds,
)


@helper
def _draw(table: np.void, mine: np.void, folds: bool) -> int:
    choice = below(mine, np.int64(3 if folds else 2))
    if choice == 2:
        return np.int64(DROP)
    return np.int64(DRAW_PILE) if choice == 1 and can_take(table) else np.int64(DRAW_STOCK)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return _draw(table, mine, par[0] > 0)
    good = declarable(table, mine)
    if good:
        return DECLARE_CODE + lowest(good)
    return DISCARD_CODE + any_card(mine, kinds(mine))
