"""What can be set in the two card-fitness agents, and the places in ``par``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from rummylab.errors import OptionError

LOWERS_AVERAGE, UNMELDABLE, USELESS_TO_OPPONENT, NEAR_HIS_DISCARDS = 1, 2, 4, 8
"""The four characteristics, as bits."""
ALL_FOUR = LOWERS_AVERAGE | UNMELDABLE | USELESS_TO_OPPONENT | NEAR_HIS_DISCARDS
LOWEST, LITERAL = range(2)
"""Readings of the first characteristic."""
BY_TABLE, AT_RANDOM = range(2)
"""How ties are broken."""
REMOVED, ONE_BY_ONE, ANY = range(3)
"""Readings of `fitness-independent`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitnessOptions:
    """The defaults are those of the registered agents."""

    characteristics: int = ALL_FOUR
    """Which of the four count, as bits: see :mod:`rummylab.agents.gin.fitness`."""
    ties: int = BY_TABLE
    """How `fitness-cfr` chooses among the best: 0 by the CFR table, 1 at random."""
    average: int = LOWEST
    """Reading of the first characteristic: 0 the lowest average of the candidates, 1 literally."""
    independent: int = REMOVED
    """Reading of `fitness-independent`: see there."""
    knock_at: int = 0
    """Knock with so much deadwood or less; 0: by the CFR table."""
    draw_melds: int = 0
    """1: take the up-card if and only if it makes a meld, instead of by the CFR table."""
    pure: int = 1
    """1: do what the tables find likelier, always; 0: draw lots as they say, as in training."""
    table_above: int = 0
    """With ``knock_at`` 1: with more deadwood than that the CFR table decides; 0: no knock."""
    blend: int = 0
    """1: between the middles of two stages the draw and discard tables mix the entries of both; 0: each stage alone."""

    def __post_init__(self) -> None:
        limits = (ALL_FOUR, AT_RANDOM, LITERAL, ANY, 100, 1, 1, 1, 1)
        for (name, value), most in zip(zip(self.__slots__, astuple(self), strict=True), limits, strict=True):
            if value not in range(most + 1):
                raise OptionError(
                    f"{name} of the fitness agents is {value!r}, but must be a whole number from 0 to {most}"
                )

    @property
    def par(self) -> tuple[float, ...]:
        """The numbers in the order of ``par``; the tables come after them."""
        return tuple(map(float, astuple(self)))


CHARACTERISTICS, TIES, AVERAGE, INDEPENDENT, KNOCK_AT, DRAW_MELDS, PURE, TABLE_ABOVE, BLEND = range(9)
TABLES = 9
"""Where the tables begin in ``par``."""
NAMES = FitnessOptions.__slots__
"""The options by name, in their order."""


def check_options(par: Sequence[Any]) -> None:
    """Complain about options that make no sense."""
    FitnessOptions(**dict(zip(NAMES, par, strict=True)))
