"""MinDist: move toward the nearest hand that can be declared.

Source: Saha et al., section VII, agent 4. Policy: take the open card if the best thirteen cards with it have a lower
MinDist than the hand, else from the stock; of the cards whose loss leaves the least MinDist throw the one that
counts most; declare at zero. `mindist-drawn` is what the published experiments did: when the draw gained
nothing, the drawn card goes. Drop adherence (`mindist-drop`): drop before the first draw with MinDist above 4.
Departures: ties by lot. Measured in docs/agents/indian.md.

par: [drop at this MinDist or more, 0: never; 1 to throw the drawn card when it gained nothing, else 0].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import dearest, distance_before_draw, draw_by_distance, note_distance
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.games.indian.mindist import discards14
from rummylab.games.indian.rules import ACT, DECLARE_CODE, DISCARD_CODE, DRAW


@helper
def _discard(table: np.void, mine: np.void, throws_drawn: bool) -> int:
    wild = np.int64(table.wild)
    before = distance_before_draw(table, mine)
    distance, spares = discards14(mine.hand, mine.twice, mine.jokers, wild)
    note_distance(mine, distance)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    if throws_drawn and distance == before:
        return DISCARD_CODE + np.int64(mine.drawn)
    return DISCARD_CODE + any_card(mine, dearest(spares, wild))


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return draw_by_distance(table, mine, par[0])
    return _discard(table, mine, par[1] > 0)
