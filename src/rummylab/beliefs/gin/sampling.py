"""Hands drawn from a belief: ten cards, as if each were held independently, given that there are exactly ten.

That is conditional Bernoulli sampling (Chen and Liu, 1997). Walking through the cards, each is taken with the
probability that follows from how many are still needed and how likely the cards to come are; those probabilities are
worked out once for all hands of a decision.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.beliefs.gin.uniform import HAND_SIZE, Floats
from rummylab.cards.bits import index_of, lowest, popcount
from rummylab.cards.rng import below
from rummylab.games.gin.melds import Masks

SHAPE = (53, HAND_SIZE + 1)
"""Of the working array of :func:`sample_hands`."""
_SURE = 1e-6
_ONE = 1 << 31


@helper
def _weigh(cards: int, belief: Floats, ways: npt.NDArray[np.float64]) -> None:
    """Write to ways[i, k] the weight of all ways to take *k* of the cards from the *i*-th on."""
    n = popcount(cards)
    for k in range(HAND_SIZE + 1):
        ways[n, k] = 0.0
    ways[n, 0] = 1.0
    left = cards
    for i in range(n):
        # The i-th lowest card weighs in row i, so that sampling can walk upwards: odds first, then fold from the end.
        chance = min(max(np.float64(belief[index_of(lowest(left))]), _SURE), 1.0 - _SURE)
        ways[i, 0] = chance / (1.0 - chance)
        left &= left - 1
    for i in range(n - 1, -1, -1):
        odds = ways[i, 0]
        ways[i, 0] = 1.0
        for k in range(1, HAND_SIZE + 1):
            ways[i, k] = ways[i + 1, k] + odds * ways[i + 1, k - 1]


@helper
def sample_hands(
    mine: np.void, cards: int, belief: Floats, ways: npt.NDArray[np.float64], hands: Masks, n_hands: int
) -> None:
    """Write *n_hands* hands of ten of *cards*, drawn by *belief* from the stream ``mine.rng``, to *hands*."""
    _weigh(cards, belief, ways)
    for number in range(n_hands):
        hand = np.int64(0)
        left = cards
        need = HAND_SIZE
        i = 0
        while need:
            card = left & -left
            left ^= card
            # Without this card all of `need` must come from the later ones.
            if below(mine, np.int64(_ONE)) * ways[i, need] >= ways[i + 1, need] * _ONE:
                hand |= card
                need -= 1
            i += 1
        hands[number] = hand
