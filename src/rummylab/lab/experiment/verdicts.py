"""Expected figures, measurements, and the verdict that follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from rummylab.arena.markdown import number_words
from rummylab.arena.statistics import Estimate
from rummylab.errors import OptionError

Verdict = Literal["reproduced", "higher", "lower", "direction only", "open"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_MOST_PLACES = 12


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured number with its 95% interval; equal ends mean it is exact. *words*, if given, are shown instead."""

    value: float
    low: float
    high: float
    words: str = ""

    @classmethod
    def of(cls, estimate: Estimate, words: str = "") -> Measured:
        """Return an estimate as a measured number."""
        return cls(estimate.value, estimate.low, estimate.high, words)

    @classmethod
    def exact(cls, value: float, words: str = "") -> Measured:
        """Return a number without an interval."""
        return cls(value, value, value, words)

    @property
    def is_exact(self) -> bool:
        """Whether the number has no interval."""
        return self.low == self.high

    @property
    def is_known(self) -> bool:
        """Whether there is a number with a finite interval."""
        return not math.isnan(self.value) and math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """An expected figure, its source, and the measurement it is compared with."""

    name: str
    """The claim in words."""
    source: str = ""
    """Where the paper prints it."""
    step: str = ""
    """The step that measures it."""
    quantity: str = ""
    """The quantity of that step."""
    agents: tuple[str, ...] = ()
    """The agents that the quantity is about."""
    derived: str = ""
    """Instead of a step's quantity: a number that the study derives."""
    value: float | None = None
    """The figure: one of *value*, *interval*, *at_least* and *at_most*."""
    margin: float = 0.0
    """The tolerance: rounding, or the error of the printed figure."""
    interval: tuple[float, float] | None = None
    """A range, if the source prints one."""
    at_least: float | None = None
    """For a source that gives only a direction or a lower bound."""
    at_most: float | None = None
    """For a source that gives only a direction or an upper bound."""
    null: float | None = None
    """The value without an effect, such as 0.5 for a win rate. A smaller effect than printed is `direction only`."""
    ours: bool = False
    """The figure is ours, not the source's: it appears in a table of our own expectations."""
    chosen: str = ""
    """What we chose so that the figure holds; agreement is then not evidence."""
    if_not: str = ""
    """Why the figure is missed, if that is known; shown only if it is missed."""
    places: int = 3
    """Decimal places in the report."""

    def __post_init__(self) -> None:
        if bool(self.derived) == bool(self.step):
            raise OptionError("Give either step (with quantity) or derived, not both.")
        if self.step and not self.quantity:
            raise OptionError(f"quantity is missing: which quantity of the step {self.step!r} is compared?")
        if not 0 <= self.margin < math.inf:
            raise OptionError("margin must be finite and not negative.")
        if not 0 <= self.places <= _MOST_PLACES:
            raise OptionError(f"places must be between 0 and {_MOST_PLACES}.")
        self._check_figure()

    def _check_figure(self) -> None:
        told = [self.value, self.interval, self.at_least, self.at_most]
        if sum(figure is not None for figure in told) != 1:
            raise OptionError("Give exactly one of value, interval, at_least and at_most.")
        if not all(math.isfinite(number) for number in (*self._ends, self.null or 0.0)):
            raise OptionError("An expected figure must be finite.")
        if self.interval is not None and self.interval[0] > self.interval[1]:
            raise OptionError(f"The interval runs from {self.interval[0]} to {self.interval[1]}; swap its ends.")
        if self.null is not None and self.is_bound:
            raise OptionError("null goes with value or interval; at_least and at_most already give a direction.")

    @property
    def is_bound(self) -> bool:
        """Whether only a direction or a bound is given, and no figure."""
        return self.value is None and self.interval is None

    @property
    def _ends(self) -> tuple[float, ...]:
        """The given numbers."""
        return self.interval or tuple(x for x in (self.value, self.at_least, self.at_most) if x is not None)

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

    def verdict(self, measured: Measured) -> Verdict:
        """Return what the measurement says about the expectation; the guide on experiments defines the verdicts."""
        if not measured.is_known:
            return "open"
        low, high = self.range
        if low <= measured.low and measured.high <= high:
            return "direction only" if self.is_bound else "reproduced"
        if measured.low <= high and measured.high >= low:
            return "open"
        if self._is_smaller_effect(measured):
            return "direction only"
        return "higher" if measured.low > high else "lower"

    def _is_smaller_effect(self, measured: Measured) -> bool:
        """Return whether the whole interval lies between no effect and the expected range."""
        if self.null is None:
            return False
        low, high = self.range
        return self.null < measured.low <= measured.high < low or high < measured.low <= measured.high < self.null

    def verdict_words(self, measured: Measured) -> str:
        """Return the verdict as the report shows it: a missed figure is bold."""
        verdict = self.verdict(measured)
        words: str = verdict
        if verdict in ("higher", "lower"):
            words = f"**{verdict}**" + (f": {self.if_not}" if self.if_not else "")
        return words + (f"; *chosen*: {self.chosen}" if self.chosen else "")

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
        assert self.at_most is not None
        return f"at most {self._number(self.at_most)}" + margin

    def _number(self, value: float) -> str:
        return number_words(value, self.places)

    def measured_words(self, measured: Measured) -> str:
        """Return the measured number as the report shows it."""
        return measured.words or (self._number(measured.value) if measured.is_known else "-")

    def interval_words(self, measured: Measured) -> str:
        """Return its interval as the report shows it."""
        if measured.is_exact or not measured.is_known:
            return "-"
        return f"{self._number(measured.low)} to {self._number(measured.high)}"
