"""Decision times, counted in buckets that grow by a quarter, so that chunks can be merged."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

_GROWTH = math.log(1.25)
_BUCKETS = 160


@dataclass
class Latency:
    """The times of many decisions, in nanoseconds."""

    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(_BUCKETS, np.int64))
    total: int = 0
    longest: int = 0

    def add(self, nanoseconds: int) -> None:
        """Add one decision."""
        self.counts[min(_BUCKETS - 1, int(math.log(max(1, nanoseconds)) / _GROWTH))] += 1
        self.total += nanoseconds
        self.longest = max(self.longest, nanoseconds)

    def merge(self, other: Latency) -> None:
        """Add all decisions of *other*."""
        self.counts += other.counts
        self.total += other.total
        self.longest = max(self.longest, other.longest)

    @property
    def n(self) -> int:
        """Decisions measured."""
        return int(self.counts.sum())

    def quantile(self, q: float) -> float:
        """Return the quantile *q* of the times, to within a bucket (25%)."""
        place = int(np.searchsorted(np.cumsum(self.counts), q * self.n))
        return min(float(self.longest), math.exp((place + 1) * _GROWTH))

    def to_dict(self) -> dict[str, float]:
        """Return mean, median, 99th percentile and maximum, in microseconds."""
        if not self.n:
            return {}
        return {
            "mean_us": self.total / self.n / 1e3,
            "median_us": self.quantile(0.5) / 1e3,
            "p99_us": self.quantile(0.99) / 1e3,
            "max_us": self.longest / 1e3,
        }
