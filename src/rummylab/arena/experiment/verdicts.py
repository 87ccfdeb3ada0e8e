"""What was expected, what was measured, and the verdict that follows from the two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rummylab.arena.statistics import Estimate
from rummylab.arena.words import number_words
from rummylab.errors import OptionError

Verdict = Literal["confirmed", "not confirmed", "open", "not comparable"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of ours with its 95 % interval (both ends alike: it is exact), and words where that says too little."""

    value: float
    low: float
    high: float
    words: str = ""

    @classmethod
    def of(cls, estimate: Estimate, words: str = "") -> Measured:
        return cls(estimate.value, estimate.low, estimate.high, words)

    @classmethod
    def exact(cls, value: float, words: str = "") -> Measured:
        return cls(value, value, value, words)

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    @property
    def is_known(self) -> bool:
        return not math.isnan(self.value) and math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A figure that somebody printed, where it is printed, and what of ours it is compared with."""

    name: str
    """What the figure says."""
    source: str = ""
    """The place in the paper."""
    step: str = ""
    """The step that measures it ..."""
    quantity: str = ""
    """... what of it ..."""
    agents: tuple[str, ...] = ()
    """... and of whom."""
    derived: str = ""
    """Instead of a step's quantity: a number that the experiment's hook works out."""
    value: float | None = None
    """The figure: one of *value*, *interval*, *at_least* and *at_most*."""
    margin: float = 0.0
    """How far off still counts as the same: rounding, or the error of the printed figure."""
    interval: tuple[float, float] | None = None
    """From where to where."""
    at_least: float | None = None
    """A lower bound."""
    at_most: float | None = None
    """An upper bound."""
    if_not: str = "not confirmed"
    """The words for a figure that does not hold."""
    not_comparable: str = ""
    """Why there is nothing to compare, such as a picture without numbers."""
    places: int = 3
    """Decimal places in the report."""

    def __post_init__(self) -> None:
        if bool(self.derived) == bool(self.step):
            raise OptionError("either step (with quantity) or derived says what is compared, and not both")
        if self.step and not self.quantity:
            raise OptionError(f"the key 'quantity' is missing: what of the step {self.step!r} is compared?")
        if self.margin < 0 or self.places < 0:
            raise OptionError("margin and places cannot be negative")
        self._check_figure()

    def _check_figure(self) -> None:
        told = [self.value is not None, self.interval is not None, self.at_least is not None, self.at_most is not None]
        if self.not_comparable:
            told = told if any(told) else [True]
        if sum(told) != 1:
            raise OptionError("exactly one of value, interval, at_least and at_most is wanted (or not_comparable)")
        if self.interval is not None and self.interval[0] > self.interval[1]:
            raise OptionError(f"the interval runs from {self.interval[0]} to {self.interval[1]}: turn it round")

    @property
    def range(self) -> tuple[float, float]:
        """What counts as expected."""
        low, high = -math.inf, math.inf
        if self.interval is not None:
            low, high = self.interval
        elif self.value is not None:
            low = high = self.value
        elif self.at_least is not None:
            low = self.at_least
        elif self.at_most is not None:
            high = self.at_most
        # These are decimal fractions: 0.43 with a margin of 0.03 must hold 0.46.
        return round(low - self.margin, 12), round(high + self.margin, 12)

    def verdict(self, ours: Measured) -> Verdict:
        """Return what our measurement says about the expectation.

        ``open`` means that the data cannot tell: part of our interval lies within what was expected, part outside.
        """
        if self.not_comparable or not ours.is_known:
            return "not comparable"
        low, high = self.range
        if ours.high < low or ours.low > high:
            return "not confirmed"
        inside = low <= ours.low and ours.high <= high
        return "confirmed" if inside else "open"

    def verdict_words(self, ours: Measured) -> str:
        """Return the verdict as the report shows it: what does not hold is bold."""
        verdict = self.verdict(ours)
        if verdict == "not comparable" and self.not_comparable:
            return f"{verdict}: {self.not_comparable}"
        return f"**{self.if_not}**" if verdict == "not confirmed" else verdict

    @property
    def figure(self) -> str:
        """The expected figure in words."""
        margin = f" ± {self._number(self.margin)}" if self.margin else ""
        if self.value is not None:
            return self._number(self.value) + margin
        if self.interval is not None:
            return f"{self._number(self.interval[0])} to {self._number(self.interval[1])}" + margin
        if self.at_least is not None:
            return f"at least {self._number(self.at_least)}" + margin
        return "-" if self.at_most is None else f"at most {self._number(self.at_most)}" + margin

    def _number(self, value: float) -> str:
        return number_words(value, self.places)

    def ours_words(self, ours: Measured) -> str:
        return ours.words or (self._number(ours.value) if ours.is_known else "-")

    def interval_words(self, ours: Measured) -> str:
        if ours.is_exact or not ours.is_known:
            return "-"
        return f"{self._number(ours.low)} to {self._number(ours.high)}"
