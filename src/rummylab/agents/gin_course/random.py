"""Random legal play.

Source: the yardstick of every study. Policy: passes any card; a fair coin decides between the up-card and the stock; a
random discard; a coin decides whether to knock when that discard allows it. Departures: none. Measured in
docs/agents/gin-course.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel_of
from rummylab.cards.rng import any_card, below
from rummylab.games.gin_course.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    KNOCK_CODE,
    PASS,
    PASS_CODE,
    TAKE_UP_CARD,
    can_knock,
)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return TAKE_UP_CARD if below(mine, np.int64(2)) else DRAW_STOCK
    card = any_card(mine, mine.hand)
    if table.phase == PASS:
        return PASS_CODE + card
    if can_knock(table, mine, card) and below(mine, np.int64(2)):
        return KNOCK_CODE + card
    return DISCARD_CODE + card
