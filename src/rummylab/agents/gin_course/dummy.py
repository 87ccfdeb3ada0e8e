"""Dummy: a deliberately poor player that never looks at the discard pile.

Source: ours, for the course's "test Dummy", of which only one thing is known: Keats' AI had "2-3 times the total end
score" against it. Policy: always draw from the stock; throw, and pass, the highest unmelded card; knock at once. It was
chosen for that figure: players that throw random cards score next to nothing against Keats' AI. Departures: none.
Measured in docs/agents/gin-course.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import kernel_of
from rummylab.agents.gin_course.melder import highest_unmelded
from rummylab.beliefs.fuzzy import Floats
from rummylab.games.gin_course.rules import ACT, DRAW, DRAW_STOCK


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    return np.int64(DRAW_STOCK) if table.phase == DRAW else highest_unmelded(table, mine)
