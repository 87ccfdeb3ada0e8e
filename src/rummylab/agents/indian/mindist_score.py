"""MinDist improved by MinScore: of the cards that cost no distance, throw the one that saves most points.

Source: Saha et al., section VII, agent 5. Policy: draw like MinDist; of the cards whose loss leaves the least
MinDist throw the one that leaves the least MinScore; declare at zero. Drop adherence (`mindist-score-drop`): drop
before the first draw with MinDist above 4. Departures: the MinScore is the uncapped one, also where the draw brought
the hand nearer; ties by lot. Measured in docs/agents/indian.md.

par: [drop at this MinDist or more, 0: never].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import draw_by_distance, least_scores, note_distance
from rummylab.cards.bits import lowest
from rummylab.cards.rng import any_card
from rummylab.games.indian.mindist import discards14
from rummylab.games.indian.rules import ACT, DECLARE_CODE, DISCARD_CODE, DRAW


@helper
def _discard(table: np.void, mine: np.void) -> int:
    distance, spares = discards14(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    note_distance(mine, distance)
    if distance == 0:
        return DECLARE_CODE + lowest(spares)
    _, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, spares)
    return DISCARD_CODE + any_card(mine, cards)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return draw_by_distance(table, mine, par[0])
    return _discard(table, mine)
