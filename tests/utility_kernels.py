"""What the tests call of the utility agent: a few kernels over its helpers."""

from __future__ import annotations

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import utility_policy as u
from rummylab.beliefs.gin import counts, sampling, uniform


@kernel
def prices(pile, turn, belief, params, out):
    u.write_prices(pile, turn, belief, params, out)


@kernel
def appraise(hand, card, forbidden, dead, limit, price, state, params, loss):
    """The unmelded cards of the hand, the sum of their utilities, and the value with a drawn card."""
    loose = u.loose_cards(hand, price, state, params)
    total = u.write_losses(loose, (hand & ~loose) | dead, price, state, params, loss)
    work = np.full(u.WORK, np.nan, np.float32)
    u.write_values(hand, loose, card, forbidden, dead, limit, price, state, params, work)
    return loose, total, work[u.VALUE + u.lowest(card)], u.state_of(loose, limit)


@kernel
def sum_of_utilities(hand, dead, price, state, params, loss):
    """The sum of the utilities of the unmelded cards: with the loss of each card, card by card, and all at once."""
    loose = u.loose_cards(hand, price, state, params)
    blocked = (hand & ~loose) | dead
    return (
        u.write_losses(loose, blocked, price, state, params, loss),
        u.sum_of_utilities(loose, blocked, price, state, params),
        u.quick_sum_of_utilities(loose, blocked, price, state, params),
    )


@kernel
def gains(views, throws, params, hands, out):
    u.write_gains(views[0].table, views[0].mine, throws, params, hands, hands.shape[0], out)


@kernel
def beliefs(views, params, out):
    uniform.fill(views[0].table, views[0].mine, params, 0, out[0])
    counts.fill(views[0].table, views[0].mine, params, 0, out[1])


@kernel
def samples(views, cards, belief, hands):
    ways = np.empty(sampling.SHAPE, np.float64)
    sampling.sample_hands(views[0].mine, cards, belief, ways, hands, hands.shape[0])
