"""Random play: a coin decides each draw, and any card may be discarded.

Source: Saha et al., section VII, agent 1. Policy: a fair coin decides between the stock and the discard pile; the
discard is random; the agent declares as soon as it can, as all agents of the paper do. With drops (`random-drop`) a
drop is a third choice at every draw. Departures: `random` itself never drops, since the paper's main experiments have
no drops; neither agent ever makes a wrong declaration. Measured in docs/agents/indian.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import between_deals, draw_code
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card, below
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import kinds
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD_CODE, DRAW, DROP, OVER, can_drop, can_take, declarable


@dataclass(frozen=True, kw_only=True)
class RandomOptions(AgentOptions):
    """Options of the random agent."""

    drops: bool = option(False, "1 to make a drop the third choice at every draw.")


P = RandomOptions.indices()


@helper
def _draw(table: np.void, mine: np.void, drops: bool) -> int:
    choice = below(mine, np.int64(3 if drops else 2))
    if choice == 2 and can_drop(table):
        return np.int64(DROP)
    return draw_code(choice == 1 and can_take(table))


@register_agent(
    game="indian",
    name="random",
    summary="Random draws and discards; declares as soon as it can",
    source="Saha et al., section VII",
    options=RandomOptions,
    variants={
        "random-drop": Variant(
            summary="Random draws, drops and discards; declares as soon as it can",
            source="Saha et al., section VII",
            options=RandomOptions(drops=True),
        )
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw or drop at random; declare, or discard at random."""
    if table.phase > OVER:
        return between_deals(table, mine)
    if table.phase == DRAW:
        return _draw(table, mine, params[P.drops] > 0)
    good = declarable(table, mine)
    if good:
        return DECLARE_CODE + lowest(good)
    return DISCARD_CODE + any_card(mine, kinds(mine))
