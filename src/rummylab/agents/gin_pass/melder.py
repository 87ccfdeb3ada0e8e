"""Melder: the plain baseline that looks only at its own melds.

Source: the rules page, "Measured elsewhere on this reading". Policy: take the upcard only if it melds; discard, and
pass, the highest unmelded card; knock at once. If everything is melded, discard the card that keeps deadwood lowest.
Departures: none; melds and ties are those of :mod:`rummylab.agents.gin_pass.keats`. Measured in
docs/agents/gin_pass.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin_pass.common import draw_code, throw_or_knock
from rummylab.agents.gin_pass.keats import cheapest_card, highest_card, is_in_meld, strip_melds
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit
from rummylab.engine.rows import Params
from rummylab.games.gin_pass.rules import DRAW, PASS, PASS_CODE


@helper
def highest_unmelded(table: np.void, mine: np.void) -> int:
    """Return the move that gives away the highest unmelded card: a pass, a discard, or a knock where possible."""
    loose = strip_melds(mine.hand)
    card = highest_card(loose) if loose else cheapest_card(mine.hand)
    return PASS_CODE + card if table.phase == PASS else throw_or_knock(table, mine, card)


@register_agent(
    game="gin_pass",
    name="melder",
    summary="Takes an upcard that melds, discards or passes the highest unmelded card, knocks at once",
    source="the baseline of the rules page",
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Take what melds; give away the highest unmelded card."""
    if table.phase == DRAW:
        return draw_code(is_in_meld(np.int64(table.up), mine.hand | bit(table.up)))
    return highest_unmelded(table, mine)
