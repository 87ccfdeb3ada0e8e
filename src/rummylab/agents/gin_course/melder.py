"""Melder: the plain baseline that only looks at its own melds.

Source: the rules page, "Measured elsewhere on this reading". Policy: take the discard only if it melds; throw, and
pass, the highest unmelded card; knock at once. If all is melded, the card goes that keeps deadwood lowest. Departures:
none; melds and ties are those of :mod:`rummylab.agents.gin_course.keats`. Measured in docs/agents/gin-course.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin_course.keats import cheapest_card, highest_card, is_in_meld, strip_melds, throw_or_knock
from rummylab.beliefs.fuzzy import Floats
from rummylab.cards.bits import bit
from rummylab.games.gin_course.rules import ACT, DRAW, DRAW_STOCK, PASS, PASS_CODE, TAKE_UP_CARD


@helper
def highest_unmelded(table: np.void, mine: np.void) -> int:
    """Return the move that throws the highest unmelded card: a pass, a discard, or a knock where that is possible."""
    loose = strip_melds(mine.hand)
    card = highest_card(loose) if loose else cheapest_card(mine.hand)
    return PASS_CODE + card if table.phase == PASS else throw_or_knock(table, mine, card)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    if table.phase == DRAW:
        return TAKE_UP_CARD if is_in_meld(np.int64(table.up), mine.hand | bit(table.up)) else DRAW_STOCK
    return highest_unmelded(table, mine)
