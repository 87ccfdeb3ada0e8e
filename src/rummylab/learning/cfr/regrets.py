"""Regrets: how they accumulate, and the policy that follows from them.

All variants are one rule with three exponents (Brown and Sandholm, 2019). After iteration t, positive regrets are
multiplied by t^positive / (t^positive + 1) and negative ones by t^negative / (t^negative + 1); the policy of iteration
t has weight t^averaging in the average. An infinite exponent keeps regrets as they are; minus infinity sets them to
zero, which gives CFR+.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numba import types

from rummylab._jit import helper, kernel_of
from rummylab.errors import OptionError, UnknownNameError
from rummylab.learning.cfr.tree import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Weights of regrets and averages."""

    name: str
    positive: float = inf
    negative: float = inf
    averaging: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.averaging < inf:
            raise OptionError(f"variant {self.name}: averaging is {self.averaging}, but must be 0 or more")

    @property
    def discounts(self) -> bool:
        """Whether regrets shrink in every iteration even where nothing was learned, which needs whole sweeps."""
        return not (self.positive == inf and abs(self.negative) == inf)


VANILLA = Variant(name="cfr")
PLUS = Variant(name="cfr+", negative=-inf, averaging=1.0)
LINEAR = Variant(name="linear", positive=1.0, negative=1.0, averaging=1.0)
DISCOUNTED = Variant(name="discounted", positive=1.5, negative=0.0, averaging=2.0)
VARIANTS = {variant.name: variant for variant in (VANILLA, PLUS, LINEAR, DISCOUNTED)}


def variant(name: str) -> Variant:
    """Return the variant *name*."""
    if name not in VARIANTS:
        raise UnknownNameError("variant of CFR", name, VARIANTS)
    return VARIANTS[name]


UPDATE = types.void(types.float64[::1], types.float64[::1], types.int64, types.int64, types.float64, types.float64)
UPDATE_POINTER = types.FunctionType(UPDATE)
"""The type of a regret update, an argument of the solvers, so that it can be replaced."""


@kernel_of(UPDATE)
def add_regrets(
    regrets: Floats, gains: Floats, first: int, end: int, keep_positive: float, keep_negative: float
) -> None:
    """Add the *gains* of slots *first* to *end* to their regrets, and weight the results."""
    for s in range(first, end):
        total = regrets[s] + gains[s]
        regrets[s] = total * (keep_positive if total > 0 else keep_negative)


@helper
def kept(t: int, exponent: float) -> float:
    """Return the factor of a regret after iteration *t*."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = float(t) ** exponent
    return power / (power + 1.0)


@helper
def match_regrets(regrets: Floats, first: int, end: int, policy: Floats) -> None:
    """Write the policy that plays actions in proportion to their positive regrets, or uniformly if there are none."""
    total = 0.0
    for s in range(first, end):
        total += max(regrets[s], 0.0)
    for s in range(first, end):
        policy[s] = max(regrets[s], 0.0) / total if total > 0 else 1.0 / (end - first)
