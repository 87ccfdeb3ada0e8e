"""Whole hands that the opponent may hold, sampled from the joint belief: for the coach, analysis and notebooks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.beliefs.gin.joint import N_PROPOSED, STREAM, Floats, Joint, bundled, sample_worlds, seed_stream
from rummylab.cards.hand import Hand
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows

Masks = npt.NDArray[np.int64]


@kernel
def _sample(views: Rows, params: Floats, seed: int, n_proposed: int, out: Masks) -> None:
    streams = np.empty(1, STREAM)
    for i in range(views.shape[0]):
        table, mine = views[i].table, views[i].mine
        seed_stream(table, mine, seed + i, streams[0])
        sample_worlds(table, mine, streams[0], params, np.int64(0), n_proposed, out[i])


def sample_masks(views: Rows, n: int, *, seed: int = 0, model: Joint | None = None) -> Masks:
    """Return *n* equally likely hands of the opponent as masks of cards, one row for each of *views*.

    Equal views and seeds give equal hands. A hand may occur several times: those that fit best do. At least
    `N_PROPOSED` hands are weighed for each view, and four for each one that is returned.
    """
    out = np.empty((len(views), n), np.int64)
    _sample(views, (model or bundled()).flat, seed, max(N_PROPOSED, 4 * n), out)
    return out


def sample_hands(seen: Observation, n: int = 64, *, seed: int = 0) -> list[Hand]:
    """Return *n* equally likely hands of the opponent of the Gin player who sees *seen*.

    >>> from rummylab import State, gin
    >>> hands = sample_hands(State.deal(gin(), seed=7).observe(0), 20)
    >>> len(hands), {len(hand) for hand in hands}
    (20, {10})
    """
    return [Hand(int(mask)) for mask in sample_masks(seen.view, n, seed=seed)[0]]
