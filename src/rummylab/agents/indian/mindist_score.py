"""MinDist with an eye on the score: among the cards that cost no distance, discard the one that saves most points.

Source: Saha et al., section VII, agent 5. Policy: draw like MinDist; among the cards whose loss leaves the lowest
MinDist, discard the one that leaves the lowest MinScore; declare at zero. Drop adherence (`mindist-score-drop`): drop
before the first draw at MinDist above 4. Departures: MinScore is the uncapped one, also where the draw lowered MinDist;
ties are broken at random. Measured in docs/agents/indian.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import (
    DROP_AT,
    DropOptions,
    before_discard,
    least_scores,
    spare_cards,
)
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.engine.rows import Params
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD, DISCARD_CODE

P = DropOptions.indices()


@helper
def _discard(table: np.void, mine: np.void) -> int:
    distance, spares = spare_cards(table, mine)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    _, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, spares)
    return DISCARD_CODE + any_card(mine, cards)


@register_agent(
    game="indian",
    name="mindist-score",
    summary="Plays for the lowest MinDist; discards the spare card that leaves the lowest MinScore",
    source="Saha et al., section VII",
    options=DropOptions,
    variants={
        "mindist-score-drop": Variant(
            summary="Plays for the lowest MinDist, then MinScore; drops before the first draw at MinDist above 4",
            source="Saha et al., section VII and VIII",
            options=DROP_AT,
        )
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw for the lowest MinDist; declare, or discard the spare card that leaves the lowest MinScore."""
    if table.phase != DISCARD:
        return before_discard(table, mine, params[P.drop_at])
    return _discard(table, mine)
