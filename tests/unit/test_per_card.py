"""Rows of numbers, one for each card id: the compiled code and plain Python agree."""

from __future__ import annotations

import numpy as np

from rummylab._jit import kernel
from rummylab.cards import per_card


@kernel
def _sum(cards, row, numbers):
    return per_card.sum_of(cards, row, numbers)


@kernel
def _keep(cards, row, numbers, to, out):
    per_card.keep(cards, row, numbers, to, out)


def test_only_the_cards_of_a_mask_count() -> None:
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=3 * per_card.N_IDS).astype(np.float32)
    for mask in [0, -1, 1, 1 << 62, *map(int, rng.integers(-(2**63), 2**63, 50))]:
        for row in (0, 5, 64):
            assert _sum(mask, row, numbers) == per_card._sum_of_python(mask, row, numbers)
            found, expected = np.ones((2, len(numbers)), np.float32)
            _keep(mask, row, numbers, 70, found)
            per_card._keep_python(mask, row, numbers, 70, expected)
            assert np.array_equal(found, expected)
