"""Why a utility agent with the network throws what it throws: its numbers for each card, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin.utility_options import N_OPTIONS, OPP_UTIL_IMPORTANCE, SAMPLES
from rummylab.agents.gin.utility_policy import Floats, write_throws
from rummylab.beliefs.gin import network
from rummylab.beliefs.gin.network import N_WEIGHTS
from rummylab.beliefs.gin.sampling import SHAPE, sample_hands
from rummylab.beliefs.gin.shape import shape_hands
from rummylab.beliefs.gin.uniform import unseen
from rummylab.cards.bits import to_ids
from rummylab.cards.card import Card
from rummylab.games.gin import melds
from rummylab.games.gin.rules import Rows, discards


@dataclass(frozen=True, slots=True)
class Throw:
    """One card that could be thrown."""

    card: Card
    utility: float
    """What the hand is worth without it."""
    gain: float
    """What the opponent is expected to gain from it."""
    value: float
    """The one less the weighted other: the agent throws the card of the highest."""


@kernel
def _explain(views: Rows, par: Floats, belief: Floats, utility: Floats, gain: Floats) -> int:
    table, mine = views[0].table, views[0].mine
    network.fill(table, mine, par, N_OPTIONS, belief)
    n = np.int64(par[SAMPLES])
    hands = np.empty(n, np.int64)
    sample_hands(mine, unseen(table, mine), belief, np.empty(SHAPE, np.float64), hands, n)
    shape_hands(table, mine, hands[0], belief, par, N_OPTIONS + N_WEIGHTS, hands, n)
    legal = discards(table, mine)
    best, _ = melds.best_discards(mine.hand, legal)
    return write_throws(table, mine, legal, best, par, belief, hands, n, utility, gain)


def explain(views: Any, par: Floats, *, samples: int = 1000) -> tuple[Floats, list[Throw]]:
    """Return the belief at the discard of *views*, one view, and every throw, the best first.

    *par* are those of `utility-dnn`. More sampled hands than in play make the numbers steady.
    """
    par = par.copy()
    par[SAMPLES] = samples
    belief, utility, gain = np.empty(52, np.float32), np.zeros(64, np.float32), np.zeros(64, np.float32)
    free = _explain(views.copy(), par, belief, utility, gain)
    weight = float(par[OPP_UTIL_IMPORTANCE])
    throws = [
        Throw(Card(card), float(utility[card]), float(gain[card]), float(utility[card]) - weight * float(gain[card]))
        for card in to_ids(free)
    ]
    return belief, sorted(throws, key=lambda throw: -throw.value)
