"""MinDist improved by the opponent's play: what he throws he does not need, what he takes he does.

Source: Saha et al., sections VI and VII, agent 6. Policy: as MinDist while the draw brings the hand nearer. If it does
not, of the cards that cost no distance: those not near a card the opponent took from the pile, then those
near a card he threw, then the one that counts most. Near means next to it in the suit, or of its rank. Drop
adherence (`mindist-opp-drop`): drop before the first draw with MinDist above 4. Departures: with more than two
players the opponent is the one who can take the discard; ties by lot. Measured in docs/agents/indian.md.

par: [drop at this MinDist or more, 0: never].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import (
    dearest,
    distance_before_draw,
    draw_by_distance,
    near,
    next_seat,
    note_distance,
)
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.games.indian.mindist import discards14
from rummylab.games.indian.rules import ACT, DECLARE_CODE, DISCARD_CODE, DRAW


@helper
def _safest(table: np.void, mine: np.void, cards: int) -> int:
    """Return those of *cards* that the opponent's play speaks for most."""
    opponent = next_seat(table, mine)
    of_no_use = cards & ~near(table.picked[opponent])
    if of_no_use:
        cards = of_no_use
    like_thrown = cards & near(table.thrown[opponent])
    return like_thrown if like_thrown else cards


@helper
def _discard(table: np.void, mine: np.void) -> int:
    wild = np.int64(table.wild)
    before = distance_before_draw(table, mine)
    distance, spares = discards14(mine.hand, mine.twice, mine.jokers, wild)
    note_distance(mine, distance)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    if distance == before:
        spares = _safest(table, mine, spares)
    return DISCARD_CODE + any_card(mine, dearest(spares, wild))


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return draw_by_distance(table, mine, par[0])
    return _discard(table, mine)
