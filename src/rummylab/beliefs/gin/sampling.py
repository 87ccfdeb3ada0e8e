"""Sample hands from a belief: ten cards, held independently, given that there are exactly ten.

This is conditional Bernoulli sampling (Chen and Liu, 1997). Each card in turn is taken with the probability that
follows from the number still needed and the odds of the remaining cards. Those probabilities are computed once for all
hands of a decision.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.beliefs.gin.uniform import HAND_SIZE, Floats
from rummylab.cards.bits import choose, index_of, lowest, popcount, stack_array
from rummylab.cards.melds import Masks
from rummylab.cards.rng import below

SHAPE = (53, HAND_SIZE + 1)
"""The shape of the working array of `sample_hands`."""
_LEAST_CHANCE = 1e-6
_ONE = 1 << 31
_ROW = 16
_BOUNDS = 52 * _ROW
"""Numbers for each card in the array of bounds, and its size."""


@helper
def _weigh(cards: int, belief: Floats, ways: npt.NDArray[np.float64]) -> None:
    """Write the weight of all ways to take *k* of the cards from the *i*-th on to ``ways[i, k]``."""
    n = popcount(cards)
    for k in range(HAND_SIZE + 1):
        ways[n, k] = 0.0
    ways[n, 0] = 1.0
    left = cards
    for i in range(n):
        # Row i belongs to the i-th lowest card, so that sampling can go upward: odds first, then fold from the end.
        chance = min(max(np.float64(belief[index_of(lowest(left))]), _LEAST_CHANCE), 1.0 - _LEAST_CHANCE)
        ways[i, 0] = chance / (1.0 - chance)
        left &= left - 1
    for i in range(n - 1, -1, -1):
        odds = ways[i, 0]
        ways[i, 0] = 1.0
        for k in range(1, HAND_SIZE + 1):
            ways[i, k] = ways[i + 1, k] + odds * ways[i + 1, k - 1]


@helper
def _write_bounds(n: int, ways: npt.NDArray[np.float64], bounds: Masks) -> None:
    """Write to *bounds*, for each card and number of cards needed, the random number from which on the card is taken.

    Without the card all that are needed must come from the later ones.
    """
    for i in range(n):
        for k in range(HAND_SIZE + 1):
            bounds[i * _ROW + k] = np.int64(np.ceil(ways[i + 1, k] / ways[i, k] * _ONE))


@helper
def sample_hands(
    mine: np.void, cards: int, belief: Floats, ways: npt.NDArray[np.float64], hands: Masks, n_hands: int
) -> None:
    """Write *n_hands* hands of ten of *cards* to *hands*, drawn from *belief* with the stream ``mine.rng``."""
    bounds = stack_array(_BOUNDS, np.int64)
    _weigh(cards, belief, ways)
    _write_bounds(popcount(cards), ways, bounds)
    for number in range(n_hands):
        hand = np.int64(0)
        left = cards
        need = np.int64(HAND_SIZE)
        row = np.int64(0)
        while need:
            card = left & -left
            left ^= card
            takes = below(mine, np.int64(_ONE)) >= bounds[row + need]  # nobody can foretell it: no branch
            hand |= choose(takes, card, 0)
            need -= choose(takes, 1, 0)
            row += _ROW
        hands[number] = hand
