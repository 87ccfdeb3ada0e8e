"""Speed of Gin's kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import IDS_52, to_mask
from rummylab.cards.melds import min_deadwood_many

_LOOPS = 20


def random_hands(n: int = 20_000) -> npt.NDArray[np.int64]:
    """Return the masks of *n* hands of ten cards, always the same."""
    rng = np.random.default_rng(7)
    return np.array([to_mask(rng.permutation(IDS_52)[:10]) for _ in range(n)], np.int64)


def kernel_speed(best_seconds: Callable[..., float]) -> Mapping[str, float]:
    """Return the time for the deadwood of one hand, over random hands of ten cards."""
    hands = random_hands()
    out = np.empty(len(hands), np.int16)

    def run() -> None:
        for _ in range(_LOOPS):
            min_deadwood_many(hands, out)

    return {"deadwood_ns": 1e9 * best_seconds(run) / (_LOOPS * len(hands))}
