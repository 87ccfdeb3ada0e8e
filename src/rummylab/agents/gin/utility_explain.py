"""Why a utility agent throws what it throws: its own numbers for each card, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin.utility import fill_belief
from rummylab.agents.gin.utility_options import OPP_UTIL_IMPORTANCE, SAMPLES
from rummylab.agents.gin.utility_policy import Floats, sample_opponent, write_throws
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
    fill_belief(table, mine, par, belief)
    n = np.int64(par[SAMPLES])
    hands = np.empty(n, np.int64)
    sample_opponent(table, mine, par, belief, hands, n)
    legal = discards(table, mine)
    best, _ = melds.best_discards(mine.hand, legal)
    return write_throws(table, mine, legal, best, par, belief, hands, n, utility, gain)


@kernel
def _fill(views: Rows, par: Floats, belief: Floats) -> None:
    fill_belief(views[0].table, views[0].mine, par, belief)


def ask(views: Any, par: Floats) -> Floats:
    """Return the belief that a utility agent with *par* uses at *views*, one view."""
    belief = np.empty(52, np.float32)
    _fill(views.copy(), par, belief)
    return belief


def explain(views: Any, par: Floats, *, samples: int | None = None) -> tuple[Floats, list[Throw]]:
    """Return the belief at the discard of *views*, one view, and every throw, the best first.

    *par* are those of a utility agent; belief and sampled hands are the ones that it uses. If the view has the random
    stream with which the agent decided, the numbers are those of its decision. Another number of *samples* than the
    agent's own makes them steadier, but no longer the same.
    """
    par = par.copy()
    if samples is not None:
        par[SAMPLES] = samples
    belief, utility, gain = np.empty(52, np.float32), np.zeros(64, np.float32), np.zeros(64, np.float32)
    free = _explain(views.copy(), par, belief, utility, gain)
    weight = par[OPP_UTIL_IMPORTANCE]
    throws = [
        Throw(Card(card), float(utility[card]), float(gain[card]), float(utility[card] - weight * gain[card]))
        for card in to_ids(free)
    ]
    return belief, sorted(throws, key=lambda throw: -throw.value)
