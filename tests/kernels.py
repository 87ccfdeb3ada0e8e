"""Batches over the meld kernels: compiled once, kept in the package's cache, quick to call from a test.

Each takes arrays of masks; private helpers of the package are never called from Python.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import kernel
from rummylab.cards import melds as m
from rummylab.games.gin import melds as layoffs


@kernel
def best_discards(hands, allowed, out):
    for i in range(hands.shape[0]):
        out[i, 0], out[i, 1] = m.best_discards(hands[i], allowed[i])


@kernel
def knockable(hands, allowed, limits, out):
    for i in range(hands.shape[0]):
        out[i] = m.knockable(hands[i], allowed[i], limits[i])


@kernel
def arrangement(hand, max_run, which, out):
    n, out[0], out[1], out[2] = m.arrangement(hand, max_run, which)
    return n


@kernel
def melds_in(hand, max_run, out):
    return m.melds_in(hand, max_run, out)


@kernel
def melded(hands, out):
    for i in range(hands.shape[0]):
        out[i] = m.melded(hands[i])


@kernel
def meld_number(masks, out):
    for i in range(masks.shape[0]):
        out[i] = m.meld_number(masks[i])


@kernel
def official_lay_off(spread, cards):
    return layoffs.official_lay_off(spread[0], spread[1], spread[2], cards)


@kernel
def after_official_lay_offs(spread, cards):
    return layoffs.after_official_lay_offs(spread[0], spread[1], spread[2], cards)


@kernel
def best_lay_off(spread, hand):
    return layoffs.best_lay_off(spread[0], spread[1], spread[2], hand)


@kernel
def can_lay_off(spread, hand):
    return layoffs.can_lay_off(spread[0], spread[1], spread[2], hand)


@kernel
def best_place(spread, card):
    return layoffs.best_place(spread[0], spread[1], spread[2], card)


@kernel
def safest_spread(hand, unseen, max_run, out):
    out[0], out[1], out[2] = layoffs.safest_spread(hand, unseen, max_run)


@kernel
def best_defence(spread, hand, max_run, out):
    out[0], out[1], out[2] = layoffs.best_defence(spread[0], spread[1], spread[2], hand, max_run)


def three(masks) -> np.ndarray:
    """A spread as the kernels take it: three masks, 0 for no meld."""
    return np.array([*masks, 0, 0, 0][:3], np.int64)
