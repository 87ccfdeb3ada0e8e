"""Sequential tests: stop as soon as there is enough evidence, with stated error rates.

The test is Wald's sequential probability ratio test on the results of *pairs* of games (same cards, seats swapped), in
the generalized form of engine testing: the variance of a pair's score is estimated from the pairs themselves, and
the log-likelihood ratio of two normal means is compared with Wald's bounds. Its limits: it is meant for small
differences and at least some dozens of pairs; before ``MIN_PAIRS`` it never stops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rummylab.errors import OptionError

MIN_PAIRS = 30
Verdict = Literal["better", "not better", "undecided"]
Floats = npt.NDArray[np.float64]


@dataclass
class Sprt:
    """A test of whether the first agent's win rate is *high* or *low*.

    With the truth at *low* the answer ``better`` comes with probability *alpha* at most, with the truth at *high* the
    answer ``not better`` with probability *beta*, up to the overshoot of whole chunks.
    """

    low: float = 0.5
    high: float = 0.51
    alpha: float = 0.05
    beta: float = 0.05
    _n: int = field(default=0, init=False)
    _sum: float = field(default=0.0, init=False)
    _squares: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high <= 1:
            raise OptionError(
                f"The bounds of a sequential test must be 0 <= low < high <= 1, not {self.low} and {self.high}."
            )
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise OptionError(f"{name} is {getattr(self, name)}; use a value between 0 and 0.5.")

    @property
    def pairs(self) -> int:
        """Pairs of games counted."""
        return self._n

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds on the log-likelihood ratio."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def add(self, per_pair: Floats) -> Verdict:
        """Add the win shares of further pairs (0 to 1 each) and return the verdict."""
        return self.add_sums(len(per_pair), float(per_pair.sum()), float((per_pair**2).sum()))

    def add_sums(self, pairs: int, total: float, squares: float) -> Verdict:
        """Add further pairs, given the sum of their win shares and that of the squares, and return the verdict."""
        self._n += pairs
        self._sum += total
        self._squares += squares
        return self.verdict

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of *high* against *low*."""
        if self._n < 2:
            return 0.0
        mean = self._sum / self._n
        variance = max(self._squares / self._n - mean * mean, 1e-4)
        return self._n * (self.high - self.low) * (2 * mean - self.low - self.high) / (2 * variance)

    @property
    def verdict(self) -> Verdict:
        """Which hypothesis the pairs so far support."""
        lower, upper = self.bounds
        if self._n < MIN_PAIRS or lower < self.llr < upper:
            return "undecided"
        return "better" if self.llr >= upper else "not better"

    def to_dict(self) -> dict[str, Any]:
        """Return the test and its verdict as plain values."""
        return {
            "low": self.low,
            "high": self.high,
            "alpha": self.alpha,
            "beta": self.beta,
            "pairs": self.pairs,
            "llr": self.llr,
            "bounds": list(self.bounds),
            "verdict": self.verdict,
        }
