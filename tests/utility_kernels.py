"""What the tests call of the utility agent: a few kernels over its helpers."""

from __future__ import annotations

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import utility_policy as u
from rummylab.beliefs.gin import counts, sampling, uniform


@kernel
def prices(pile, turn, belief, par, out):
    u.write_prices(pile, turn, belief, par, out)


@kernel
def appraise(hand, card, forbidden, dead, limit, price, state, par, loss):
    """The unmelded cards of the hand, the sum of their utilities, and the value with a drawn card."""
    loose = u.loose_cards(hand, price, state, par, loss)
    total = u.write_losses(loose, (hand & ~loose) | dead, price, state, par, loss)
    value = u.value_with(hand, loose, total, card, forbidden, dead, limit, price, state, par, loss)
    return loose, total, value, u.state_of(loose, limit)


@kernel
def gains(views, throws, par, hands, out):
    u.write_gains(views[0].table, views[0].mine, throws, par, hands, hands.shape[0], out)


@kernel
def beliefs(views, par, out):
    uniform.fill(views[0].table, views[0].mine, par, 0, out[0])
    counts.fill(views[0].table, views[0].mine, par, 0, out[1])


@kernel
def samples(views, cards, belief, hands):
    ways = np.empty(sampling.SHAPE, np.float64)
    sampling.sample_hands(views[0].mine, cards, belief, ways, hands, hands.shape[0])
