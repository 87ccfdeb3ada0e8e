"""Random legal play.

Source: the baseline of every study. Policy: pass any card; a fair coin decides between the upcard and the stock; the
discard is random; a coin decides whether to knock when that discard allows it. Departures: none. Measured in
docs/agents/gin_pass.md.
"""

from __future__ import annotations

import numpy as np

from rummylab.agents.gin_pass.common import draw_code
from rummylab.agents.register import register_agent
from rummylab.cards.rng import any_card, below
from rummylab.engine.rows import Params
from rummylab.games.gin_pass.rules import DISCARD_CODE, DRAW, KNOCK_CODE, PASS, PASS_CODE, can_knock


@register_agent(game="gin_pass", name="random", summary="Random legal moves", source="the baseline of every study")
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make a random legal move."""
    if table.phase == DRAW:
        return draw_code(below(mine, np.int64(2)) != 0)
    card = any_card(mine, mine.hand)
    if table.phase == PASS:
        return PASS_CODE + card
    if can_knock(table, mine, card) and below(mine, np.int64(2)):
        return KNOCK_CODE + card
    return DISCARD_CODE + card
