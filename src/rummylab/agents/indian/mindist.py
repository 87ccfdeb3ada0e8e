"""MinDist: move toward the nearest hand that can be declared.

Source: Saha et al., section VII, agent 4. Policy: take the upcard if the best thirteen cards with it have a lower
MinDist than the hand, else draw from the stock; among the cards whose loss leaves the lowest MinDist, discard the one
that counts most points; declare at zero. `mindist-drawn` does what the published experiments did: if the draw did not
lower MinDist, it discards the drawn card. Drop adherence (`mindist-drop`): drop before the first draw at MinDist above
4. Departures: ties are broken at random. Measured in docs/agents/indian.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import (
    DropOptions,
    before_discard,
    dearest,
    distance_before_draw,
    spare_cards,
)
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.engine.agent_options import option
from rummylab.engine.rows import Params
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD, DISCARD_CODE


@dataclass(frozen=True, kw_only=True)
class MinDistOptions(DropOptions):
    """Options of the MinDist agent."""

    discards_drawn: bool = option(False, "1 to discard the drawn card if it did not lower MinDist.")


P = MinDistOptions.indices()


@helper
def _discard(table: np.void, mine: np.void, discards_drawn: bool) -> int:
    before = distance_before_draw(table, mine)
    distance, spares = spare_cards(table, mine)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    if discards_drawn and distance == before:
        return DISCARD_CODE + np.int64(mine.drawn)
    return DISCARD_CODE + any_card(mine, dearest(spares, np.int64(table.wild)))


@register_agent(
    game="indian",
    name="mindist",
    summary="Moves toward the nearest hand that can be declared; discards the costliest card it can spare",
    source="Saha et al., section VII",
    options=MinDistOptions,
    variants={
        "mindist-drop": Variant(
            summary="Moves toward the nearest hand that can be declared; drops early at MinDist above 4",
            source="Saha et al., section VII and VIII",
            options=MinDistOptions(drop_at=5),
        ),
        "mindist-drawn": Variant(
            summary="Moves toward the nearest hand that can be declared; discards a drawn card that does not help",
            source="the paper's published experiments",
            options=MinDistOptions(discards_drawn=True),
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw for the lowest MinDist; declare, or discard the costliest spare card."""
    if table.phase != DISCARD:
        return before_discard(table, mine, params[P.drop_at])
    return _discard(table, mine, params[P.discards_drawn] > 0)
