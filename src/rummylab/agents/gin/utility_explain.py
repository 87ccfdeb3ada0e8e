"""Explain the discards of a utility agent: the utility, the opponent's gain and the value of each card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin.utility import fill_belief
from rummylab.agents.gin.utility_policy import P, sample_opponent, write_discards
from rummylab.cards import melds
from rummylab.cards.bits import to_ids
from rummylab.cards.card import Card
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.rules import Rows, discards


@dataclass(frozen=True, slots=True)
class DiscardValue:
    """What a utility agent thinks of one possible discard."""

    card: Card
    utility: float
    """The hand utility without the card."""
    gain: float
    """What the opponent is expected to gain from the card."""
    value: float
    """The utility less the weighted gain; the agent discards the card with the highest value."""


@kernel
def _explain(views: Rows, params: Params, belief: Floats, utility: Floats, gain: Floats) -> int:
    table, mine = views[0].table, views[0].mine
    fill_belief(table, mine, params, belief)
    n = np.int64(params[P.samples])
    hands = np.empty(n, np.int64)
    sample_opponent(table, mine, params, belief, hands, n)
    legal = discards(table, mine)
    best, _ = melds.best_discards(mine.hand, legal)
    return write_discards(table, mine, legal, best, params, belief, hands, n, utility, gain)


@kernel
def _fill(views: Rows, params: Params, belief: Floats) -> None:
    fill_belief(views[0].table, views[0].mine, params, belief)


def ask(views: Any, params: Params) -> Floats:
    """Return the belief of a utility agent with *params* at *views*, one view."""
    belief = np.empty(52, np.float32)
    _fill(views.copy(), params, belief)
    return belief


def explain(views: Any, params: Params, *, samples: int | None = None) -> tuple[Floats, list[DiscardValue]]:
    """Return the belief of a utility agent with *params* at *views*, one view, and its discards, the best first.

    The belief and the sampled hands are those of the agent. If the view has the random stream with which the agent
    decided, the numbers are those of its decision. More *samples* than the agent's own make them more precise, but no
    longer the same.
    """
    params = params.copy()
    if samples is not None:
        params[P.samples] = samples
    belief, utility, gain = np.empty(52, np.float32), np.zeros(64, np.float32), np.zeros(64, np.float32)
    free = _explain(views.copy(), params, belief, utility, gain)
    weight = params[P.opp_util_importance]
    values = [
        DiscardValue(Card(card), float(utility[card]), float(gain[card]), float(utility[card] - weight * gain[card]))
        for card in to_ids(free)
    ]
    return belief, sorted(values, key=lambda one: -one.value)
