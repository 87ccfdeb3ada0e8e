"""MinDist with an eye on the opponent: they do not need what they discard, and they need what they take.

Source: Saha et al., sections VI and VII, agent 6. Policy: play like MinDist while the draw lowers MinDist. If it does
not, choose among the cards that cost no distance: first those not near a card the opponent took from the pile, then
those near a card they discarded, then the one that counts most points. Near means next to it in its suit, or of its
rank. Drop adherence (`mindist-opp-drop`): drop before the first draw at MinDist above 4. Departures: with more than two
players, the opponent is the player who can take the discard; ties are broken at random. Measured in
docs/agents/indian.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import (
    DROP_AT,
    DropOptions,
    before_discard,
    dearest,
    distance_before_draw,
    near,
    next_seat,
    spare_cards,
)
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.engine.rows import Params
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD, DISCARD_CODE

P = DropOptions.indices()


@helper
def _safest(table: np.void, mine: np.void, cards: int) -> int:
    """Return those of *cards* that look safest from the opponent's play."""
    opponent = next_seat(table, mine)
    unwanted = cards & ~near(table.picked[opponent])
    if unwanted:
        cards = unwanted
    like_discarded = cards & near(table.thrown[opponent])
    return like_discarded if like_discarded else cards


@helper
def _discard(table: np.void, mine: np.void) -> int:
    before = distance_before_draw(table, mine)
    distance, spares = spare_cards(table, mine)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    if distance == before:
        spares = _safest(table, mine, spares)
    return DISCARD_CODE + any_card(mine, dearest(spares, np.int64(table.wild)))


@register_agent(
    game="indian",
    name="mindist-opp",
    summary="Plays for the lowest MinDist; discards the spare card that the opponent seems to have no use for",
    source="Saha et al., section VII",
    options=DropOptions,
    variants={
        "mindist-opp-drop": Variant(
            summary="Plays for the lowest MinDist with safe discards; drops before the first draw at MinDist above 4",
            source="Saha et al., section VII and VIII",
            options=DROP_AT,
        )
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw for the lowest MinDist; declare, or discard the safest spare card."""
    if table.phase != DISCARD:
        return before_discard(table, mine, params[P.drop_at])
    return _discard(table, mine)
