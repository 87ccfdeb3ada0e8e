"""Products of whole numbers: as exact as they say, and packed so that an agent can carry them."""

from __future__ import annotations

import numpy as np
import pytest

from rummylab._jit import kernel
from rummylab.beliefs import dot


@kernel
def multiply(packed, scale, biases, values, active, out):
    dot.write_layer(packed.view(np.int16), scale, biases, values, active, out.shape[0], out)


def product(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    packed, scale = dot.pack(weights)
    out = np.empty(len(weights), np.float32)
    active = np.full(dot.padded(weights.shape[1]), 77, np.int16)
    biases = np.arange(len(weights), dtype=np.float32)
    multiply(packed, scale, biases, values, active, out)
    return out - biases


@pytest.mark.parametrize("n", [1, 63, 64, 65, 500])
def test_the_product_is_that_of_the_positive_values_but_for_rounding(n: int) -> None:
    rng = np.random.default_rng(n)
    weights, values = rng.normal(0, 0.1, (20, n)).astype("f4"), rng.normal(1, 3, n).astype("f4")
    kept = np.maximum(values, 0)
    expected = weights @ kept
    bound = 1e-3 * np.linalg.norm(weights, axis=1) * np.linalg.norm(kept) + 1e-6
    assert (np.abs(product(weights, values) - expected) <= bound).all()


def test_a_row_of_equal_weights_does_not_overflow() -> None:
    weights, values = np.full((4, 500), -3, np.float32), np.full(500, 40, np.float32)
    weights[1] = 3
    assert product(weights, values)[:2] == pytest.approx([-60_000, 60_000], rel=1e-3)


def test_packed_weights_are_finite_and_nothing_is_nothing() -> None:
    rng = np.random.default_rng(2)
    packed, scale = dot.pack(rng.normal(0, 0.01, (300, 500)).astype("f4"))
    assert np.isfinite(packed).all()
    assert np.isfinite(scale).all()
    assert not product(np.zeros((4, 100), np.float32), np.ones(100, np.float32)).any()
    assert not product(np.ones((4, 100), np.float32), np.zeros(100, np.float32)).any()
