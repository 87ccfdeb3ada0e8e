"""How many games an effect of a given size needs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from rummylab.arena.match import MatchResult
from rummylab.arena.statistics import Z95

PILOT_GAMES = 400
"""Games of the pilot that the variance is estimated from."""
WORST_VARIANCE = 0.25
"""The largest variance of a deal's win rate: all games of a deal end alike, and half of the deals are won."""
POWER = 0.8


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The number of games that detects a difference in win rate at the 5% level (two-sided)."""

    effect: float
    games: int
    power: float
    half_width: float
    """Half of the 95% interval that so many games give."""
    variance: float
    """Variance of a deal's win rate."""
    basis: str
    """Where the variance comes from, in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def sample_size(effect: float, pilot: MatchResult, *, power: float = POWER) -> SampleSize:
    """Return how many games detect a difference of *effect* in win rate, given the variance of *pilot*.

    A pilot in which all deals ended alike says nothing about the variance: then the worst case counts.
    """
    shares = pilot.of_deals()[0]
    variance = float(np.var(shares, ddof=1)) if len(shares) > 1 else 0.0
    basis = f"estimated from a pilot of {pilot.games:,} games"
    if variance == 0:
        variance, basis = (
            WORST_VARIANCE,
            f"the worst case, since all deals of the pilot ({pilot.games:,} games) ended alike",
        )
    deals = math.ceil(variance * ((Z95 + NormalDist().inv_cdf(power)) / effect) ** 2)
    half = Z95 * math.sqrt(variance / deals)
    return SampleSize(effect, deals * pilot.sums.per_deal, power, half, variance, basis)
