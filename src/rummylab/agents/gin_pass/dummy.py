"""Dummy: a deliberately poor player that never looks at the discard pile.

Source: ours, in place of the course's "test Dummy", of which only one thing is known: Keats' AI had "2-3 times the
total end score" against it. Policy: always draw from the stock; discard, and pass, the highest unmelded card; knock at
once. The policy was chosen for that figure; the options make other players that the course's Dummy could have been,
`melder` among them. Departures: none. Measured in docs/results/keats/README.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin_pass.common import draw_code
from rummylab.agents.gin_pass.keats import cheapest_card, highest_card, is_in_meld, strip_melds
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import any_card
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.games.gin_pass.rules import DISCARD_CODE, DRAW, KNOCK_CODE, PASS, PASS_CODE, can_knock

HIGHEST, UNMELDED, ANY = range(3)
"""Values of ``throws``."""


@dataclass(frozen=True, kw_only=True)
class DummyOptions(AgentOptions):
    """Options of Dummy."""

    takes_melds: bool = option(False, "1 to take an upcard that melds.")
    throws: int = option(
        HIGHEST, "The discard: 0 the highest unmelded card, 1 a random one, 2 any card.", low=0, high=2
    )
    knock_at: int = option(10, "Knock with at most this deadwood.", low=0)


P = DummyOptions.indices()


@helper
def _discard(mine: np.void, throws: int) -> int:
    loose = strip_melds(mine.hand)
    if throws == ANY:
        return any_card(mine, mine.hand)
    if loose == 0:
        return cheapest_card(mine.hand)
    return any_card(mine, loose) if throws == UNMELDED else highest_card(loose)


@register_agent(
    game="gin_pass",
    name="dummy",
    summary="Draws from the stock only, discards or passes the highest unmelded card, knocks at once",
    source="ours, chosen to stand for the course's test Dummy",
    options=DummyOptions,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw from the stock, unless told to take melds; give away a card and knock by the options."""
    if table.phase == DRAW:
        is_wanted = params[P.takes_melds] != 0 and is_in_meld(np.int64(table.up), mine.hand | bit(table.up))
        return draw_code(is_wanted)
    card = _discard(mine, np.int64(params[P.throws]))
    if table.phase == PASS:
        return PASS_CODE + card
    is_low = min_deadwood(mine.hand & ~bit(card)) <= params[P.knock_at]
    return (KNOCK_CODE if is_low and can_knock(table, mine, card) else DISCARD_CODE) + card
