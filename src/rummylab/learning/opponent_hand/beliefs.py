"""Beliefs about the opponent's hand for many entries at once, from the planes alone."""

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
    """Return the uniform belief: all cards outside the player's own hand and the pile are equally likely."""
    hidden = planes[:, :N_CARDS] == 0
    return np.asarray(10 * hidden / hidden.sum(axis=1, keepdims=True), np.float32)


def known_cards(planes: Floats) -> npt.NDArray[np.bool_]:
    """Return which cards the opponent took from the pile and still holds."""
    took, threw = planes[:, N_CARDS : 2 * N_CARDS], planes[:, 3 * N_CARDS :]
    return np.asarray((planes[:, :N_CARDS] == 0) & (took > threw))


def counts(planes: Floats) -> Floats:
    """Return the belief of a card counter: cards that the opponent took and kept are certain, the others uniform."""
    known = known_cards(planes)
    others = (planes[:, :N_CARDS] == 0) & ~known
    each = (10 - known.sum(axis=1, keepdims=True)) / others.sum(axis=1, keepdims=True)
    return np.asarray(known + each * others, np.float32)


def certain(belief: Belief) -> Belief:
    """Return *belief* as agents use it: 1 for cards known to be held, 0 for cards seen elsewhere."""

    def sure(planes: Floats) -> Floats:
        chances = np.where(planes[:, :N_CARDS] == 0, belief(planes), 0)
        return np.asarray(np.where(known_cards(planes), 1, chances), np.float32)

    return sure


def chunks(
    hands: Hands, entries: npt.NDArray[np.int64] | None = None
) -> Iterator[tuple[npt.NDArray[np.int64], Floats, Floats]]:
    """Yield *entries* of *hands* (default: all) in chunks: their numbers, planes and targets."""
    chosen = np.arange(len(hands)) if entries is None else entries
    for start in range(0, len(chosen), CHUNK):
        part = chosen[start : start + CHUNK]
        planes = np.empty((len(part), N_INPUTS), np.float32)
        held = np.empty((len(part), N_CARDS), np.float32)
        hands.planes(part, planes, held)
        yield part, planes, held
