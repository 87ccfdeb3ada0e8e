"""Beliefs for many entries at once, from the planes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.learning.opponent_hand.hands import Hands

Floats = npt.NDArray[np.float32]
Belief = Callable[[Floats], Floats]
"""From planes, one entry a row, to the probability of each card."""

CHUNK = 4096


def uniform(planes: Floats) -> Floats:
    """Return the uniform belief: equal for all cards neither in the own hand nor in the pile."""
    unseen = planes[:, :N_CARDS] == 0
    return np.asarray(10 * unseen / unseen.sum(axis=1, keepdims=True), np.float32)


def known_cards(planes: Floats) -> npt.NDArray[np.bool_]:
    """Return which cards the opponent took and must still hold."""
    took, threw = planes[:, N_CARDS : 2 * N_CARDS], planes[:, 3 * N_CARDS :]
    return np.asarray((planes[:, :N_CARDS] == 0) & (took > threw))


def counts(planes: Floats) -> Floats:
    """Return the belief of who counts cards: what the opponent took and kept is certain, the rest uniform."""
    known = known_cards(planes)
    rest = (planes[:, :N_CARDS] == 0) & ~known
    each = (10 - known.sum(axis=1, keepdims=True)) / rest.sum(axis=1, keepdims=True)
    return np.asarray(known + each * rest, np.float32)


def certain(belief: Belief) -> Belief:
    """Return *belief* with what is certain put in, as agents use it: 1 for known cards, 0 for those seen elsewhere."""

    def sure(planes: Floats) -> Floats:
        chances = np.where(planes[:, :N_CARDS] == 0, belief(planes), 0)
        return np.asarray(np.where(known_cards(planes), 1, chances), np.float32)

    return sure


def chunks(hands: Hands, size: int = CHUNK) -> Iterator[tuple[npt.NDArray[np.int64], Floats, Floats]]:
    """Yield the entries of *hands* in order: their numbers, planes and targets."""
    for start in range(0, len(hands), size):
        entries = np.arange(start, min(start + size, len(hands)))
        planes = np.empty((len(entries), N_INPUTS), np.float32)
        held = np.empty((len(entries), N_CARDS), np.float32)
        hands.planes(entries, planes, held)
        yield entries, planes, held
