"""Honest intervals for results that come in pairs of games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def ci(self) -> tuple[float, float]:
        return self.low, self.high

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


def share(per_pair: Floats, z: float = Z95) -> Estimate:
    """Return the mean of *per_pair*, the share of a pair's games won (0 to 1), clustered by pair.

    The two games of a pair use the same cards, so pairs are the independent draws. Where the normal interval would
    fail (all pairs alike, or it leaves the unit interval) it is widened to Wilson's with the same effective size.
    """
    n = len(per_pair)
    mean = float(np.mean(per_pair))
    variance = float(np.var(per_pair, ddof=1)) / n if n > 1 else 0.25
    binomial = mean * (1 - mean)
    if variance > 0 and binomial > 0 and min(mean, 1 - mean) * n >= 10:
        half = z * math.sqrt(variance)
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))
    effective = binomial / variance if variance > 0 and binomial > 0 else n
    return wilson(mean, min(effective, 2 * n), z)


def wilson(p: float, n: float, z: float = Z95) -> Estimate:
    """Return Wilson's score interval for a share *p* of *n* independent trials."""
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Estimate(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


def ratio(gain_per_pair: Floats, hands_per_pair: Floats, z: float = Z95) -> Estimate:
    """Return total gain per hand, clustered by pair (a ratio estimate with its linearised error)."""
    n = len(gain_per_pair)
    total = float(hands_per_pair.sum())
    value = float(gain_per_pair.sum()) / total
    residual = gain_per_pair - value * hands_per_pair
    half = z * math.sqrt(n * float(np.var(residual, ddof=1))) / total if n > 1 else math.inf
    return Estimate(value, value - half, value + half)


def mean(values: Floats, z: float = Z95) -> Estimate:
    """Return the mean of independent *values* with its normal interval."""
    n = len(values)
    value = float(np.mean(values))
    half = z * math.sqrt(float(np.var(values, ddof=1)) / n) if n > 1 else math.inf
    return Estimate(value, value - half, value + half)


def median(values: Floats, z: float = Z95) -> Estimate:
    """Return the median with the interval between order statistics that holds for any distribution."""
    n = len(values)
    half = z * math.sqrt(n) / 2
    low, high = max(0, math.floor(n / 2 - half) - 1), min(n - 1, math.ceil(n / 2 + half))
    ordered = np.sort(values)
    return Estimate(float(np.median(values)), float(ordered[low]), float(ordered[high]))


def p_value(z: float) -> float:
    """Return the two-sided p-value of a standard normal *z*."""
    return math.erfc(abs(z) / math.sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for making several tests at once (Holm 1979), in the given order."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for k, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - k) * p_values[i]))
        corrected[i] = highest
    return corrected
