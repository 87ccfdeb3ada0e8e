"""Estimates and intervals for results on duplicate deals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab.errors import OptionError

Z95 = 1.959963984540054
FEWEST_FOR_BOOTSTRAP = 8
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def ci(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    def __str__(self) -> str:
        return f"{self.value:.4f} ({self.low:.4f} to {self.high:.4f})"


def share(per_deal: Floats, z: float = Z95, *, games: int = 2) -> Estimate:
    """Return the mean of *per_deal*, the share of a deal's *games* won (0 to 1), clustered by deal.

    The games of a deal use the same cards, so deals are the independent draws. Where the normal interval would fail
    (few deals, all deals alike, or it leaves the unit interval) it is Wilson's with the same effective size. A deal of
    two games counts for two at most. More games, from every seat, can cancel the luck of the cards and then count for
    many: there the effective size follows from the spread, with Student's t for its uncertainty.
    """
    n = len(per_deal)
    return share_of(n, float(np.mean(per_deal)), float(np.var(per_deal, ddof=1)) if n > 1 else 0.0, z, games=games)


def share_of(n: int, mean: float, variance: float, z: float = Z95, *, games: int = 2) -> Estimate:
    """Return `share` from the number of deals, their mean and their variance."""
    variance = variance / n if n > 1 else 0.25
    binomial = mean * (1 - mean)
    is_spread = variance > 0 and binomial > 0
    if games > 2 and n > 1 and is_spread:
        return wilson(mean, binomial / variance, student(n - 1, z))
    if is_spread and min(mean, 1 - mean) * n >= 10:
        half = z * math.sqrt(variance)
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))
    effective = binomial / variance if is_spread else n
    return wilson(mean, min(effective, games * n), z)


def student(freedom: float, z: float = Z95) -> float:
    """Return the quantile of Student's t with *freedom* degrees of freedom that corresponds to *z*.

    G. W. Hill, Algorithm 396, Communications of the ACM 13 (1970); exact for one and two degrees.
    """
    n, p = freedom, p_value(z)
    if n == 1:
        return 1 / math.tan(p * math.pi / 2)
    if n == 2:
        return math.sqrt(2 / (p * (2 - p)) - 2)
    a = 1 / (n - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * n
    y = (d * p) ** (2 / n)
    if y <= 0.05 + a:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2)
        return math.sqrt(n * (y + 1 / ((d * p) ** (2 / n))))
    x = -z
    if n < 5:
        c += 0.3 * (n - 4.5) * (x + 0.6)
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = (((((0.4 * x * x + 6.3) * x * x + 36) * x * x + 94.5) / c - x * x - 3) / b + 1) * x
    return math.sqrt(n * math.expm1(a * y * y))


def wilson(p: float, n: float, z: float = Z95) -> Estimate:
    """Return Wilson's score interval for a share *p* of *n* independent trials."""
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Estimate(p, max(0.0, min(p, center - half)), min(1.0, max(p, center + half)))


def ratio(gain_per_pair: Floats, hands_per_pair: Floats, z: float = Z95) -> Estimate:
    """Return total gain per hand, clustered by pair (a ratio estimate with its linearized error).

    Where the normal approximation is poor (few pairs, or skewed ones) the interval is a bootstrap's. With fewer than
    eight pairs a bootstrap has too little to draw from, and the interval is Student's.
    """
    value, error = _ratio(gain_per_pair, hands_per_pair)
    n, skewness = len(gain_per_pair), skewness_of(gain_per_pair - value * hands_per_pair)
    if n < FEWEST_FOR_BOOTSTRAP or _is_nearly_normal(n, skewness):
        return _ratio_interval(n, value, error, z)
    return bootstrap_ratio(gain_per_pair, hands_per_pair, p_value(z))


def _ratio_interval(n: int, value: float, error: float, z: float) -> Estimate:
    """Return the normal interval, or Student's where there are too few pairs even for a bootstrap."""
    half = (z if n == 1 or n >= FEWEST_FOR_BOOTSTRAP else student(n - 1, z)) * error
    return Estimate(value, value - half, value + half)


class RatioSums(NamedTuple):
    """Sums over pairs from which a ratio estimate follows: whole numbers, so that they add up exactly in any order.

    ``gain2_hands`` is the sum of the square of a pair's gain times its hands.
    """

    n: int
    gain: int
    hands: int
    gain2: int
    gain_hands: int
    hands2: int
    gain3: int
    gain2_hands: int
    gain_hands2: int
    hands3: int

    def residuals(self) -> tuple[float, float]:
        """Return the sums of the squares and of the cubes of ``gain - ratio * hands``, without rounding on the way."""
        g, h = self.gain, self.hands
        squares = h * h * self.gain2 - 2 * g * h * self.gain_hands + g * g * self.hands2
        cubes = (
            h**3 * self.gain3 - 3 * g * h * h * self.gain2_hands + 3 * g * g * h * self.gain_hands2 - g**3 * self.hands3
        )
        return squares / (h * h), cubes / h**3


def ratio_of(
    sums: RatioSums, unit: int = 1, pairs: Callable[[], tuple[Floats, Floats]] | None = None, z: float = Z95
) -> Estimate:
    """Return `ratio` from sums in which *unit* stands for a gain of one point.

    *pairs* returns gain and hands of every pair, for the bootstrap of skewed ones. Without it such an interval follows
    from the sums by Hall's transformation.
    """
    n, (squares, cubes) = sums.n, sums.residuals()
    value = sums.gain / sums.hands / unit
    error = math.sqrt(squares * n / (n - 1)) / sums.hands / unit if n > 1 else math.inf
    skewness = cubes / n / (squares / n) ** 1.5 if squares else 0.0
    if n < FEWEST_FOR_BOOTSTRAP or _is_nearly_normal(n, skewness):
        return _ratio_interval(n, value, error, z)
    if pairs is not None:
        return bootstrap_ratio(*pairs(), p_value(z))
    return skewed(n, value, error, skewness, z)


def skewed(n: int, value: float, error: float, skewness: float, z: float = Z95) -> Estimate:
    """Return the interval of a mean of *n* skewed values by Hall's transformation of the t statistic.

    P. Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54 (1992).
    """
    slant = skewness / math.sqrt(n)
    if not slant:
        return Estimate(value, value - z * error, value + z * error)
    low, high = (3 / slant * (math.cbrt(1 + slant * (end - slant / 6)) - 1) for end in (-z, z))
    return Estimate(value, value - high * error, value - low * error)


def _ratio(gain: Floats, hands: Floats) -> tuple[float, float]:
    """Return the ratio of the sums and its standard error."""
    n, total = len(gain), float(hands.sum())
    value = float(gain.sum()) / total
    residual = gain - value * hands
    return value, math.sqrt(n * float(np.var(residual, ddof=1))) / total if n > 1 else math.inf


def linearized(gain_per_pair: Floats, hands_per_pair: Floats) -> Floats:
    """Return one number per pair whose mean is total gain per hand, and whose spread is the error of that ratio.

    Ratios from the same pairs can then be added and subtracted pair by pair, so that common luck cancels.
    """
    value = gain_per_pair.sum() / hands_per_pair.sum()
    return np.asarray(value + (gain_per_pair - value * hands_per_pair) / hands_per_pair.mean())


def shapley(values: npt.ArrayLike) -> Floats:
    """Return the Shapley value of each of n players: its share of what all of them together add.

    *values* says what each of the 2^n subsets is worth; its place, read as bits, says who is in it. A value may be an
    array, such as one number per deal: the result has one such array per player.

    Raises:
        OptionError: The number of values is not a power of two.
    """
    worth = np.asarray(values, np.float64)
    n = max(0, len(worth) - 1).bit_length()
    if len(worth) != 1 << n:
        raise OptionError(f"There are {len(worth)} values, but n players have 2^n subsets.")
    found = np.zeros((n, *worth.shape[1:]))
    for player in range(n):
        for subset in range(len(worth)):
            if not subset >> player & 1:
                weight = 1 / (n * math.comb(n - 1, subset.bit_count()))
                found[player] += weight * (worth[subset | 1 << player] - worth[subset])
    return found


def is_nearly_normal(values: Floats) -> bool:
    """Return whether the mean of *values* is near enough to normal for an interval (skewness small, enough of them)."""
    return _is_nearly_normal(len(values), skewness_of(values))


def _is_nearly_normal(n: int, skewness: float) -> bool:
    return n >= 30 and abs(skewness) < 0.3 * math.sqrt(n)


def skewness_of(values: Floats) -> float:
    """Return the skewness of *values*; 0 if they are all alike."""
    spread = float(np.std(values))
    return float(np.mean(((values - values.mean()) / spread) ** 3)) if spread else 0.0


def bootstrap_ratio(
    gain_per_pair: Floats, hands_per_pair: Floats, level: float = 0.05, *, draws: int = 2000, seed: int = 0
) -> Estimate:
    """Return total gain per hand with a studentized bootstrap interval, from pairs resampled with replacement."""
    n = len(gain_per_pair)
    value, error = _ratio(gain_per_pair, hands_per_pair)
    if n < 3 or error == 0:
        return Estimate(value, -math.inf if n < 3 else value, math.inf if n < 3 else value)
    rng = np.random.default_rng(seed)
    pivots = np.concatenate([_pivots(gain_per_pair, hands_per_pair, rng, value) for _ in range(draws // 100)])
    low, high = np.quantile(pivots, [level / 2, 1 - level / 2])
    return Estimate(value, value - float(high) * error, value - float(low) * error)


def _pivots(gain: Floats, hands: Floats, rng: np.random.Generator, value: float) -> Floats:
    """Return how far the ratios of a hundred resamples are from *value*, each in its own standard errors."""
    n = len(gain)
    again = rng.integers(0, n, (100, n))
    gains, all_hands = gain[again], hands[again]
    totals = all_hands.sum(axis=1)
    drawn = gains.sum(axis=1) / totals
    errors = np.sqrt(n * (gains - drawn[:, None] * all_hands).var(axis=1, ddof=1)) / totals
    return np.asarray((drawn - value)[errors > 0] / errors[errors > 0])


def mean(values: Floats, z: float = Z95) -> Estimate:
    """Return the mean of independent *values* with its normal interval."""
    n = len(values)
    return mean_of(n, float(np.mean(values)), float(np.var(values, ddof=1)) if n > 1 else math.inf, z)


def mean_of(n: int, value: float, variance: float, z: float = Z95) -> Estimate:
    """Return `mean` from the number of values, their mean and their variance."""
    half = z * math.sqrt(variance / n)
    return Estimate(value, value - half, value + half)


def median(values: Floats, z: float = Z95) -> Estimate:
    """Return the median with its interval."""
    return quantile(values, 0.5, z)


def quantile(values: Floats, q: float, z: float = Z95) -> Estimate:
    """Return a quantile with the interval between order statistics that holds for any distribution."""
    n = len(values)
    half = z * math.sqrt(n * q * (1 - q))
    low, high = max(0, math.floor(n * q - half) - 1), min(n - 1, math.ceil(n * q + half))
    ordered = np.sort(values)
    return Estimate(float(np.quantile(values, q)), float(ordered[low]), float(ordered[high]))


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
