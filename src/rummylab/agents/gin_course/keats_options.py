"""The numbers of Keats' AI: names, the author's values, and their places in ``par``."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from math import isfinite

from rummylab.errors import OptionError

SAME, DIFFERENT = range(2)
"""Of which suit a neighbour of the next opponent's last discard must be."""


@dataclass(frozen=True, kw_only=True)
class KeatsOptions:
    """What can be set. The defaults are the report's numbers, with a run's neighbour in the same suit (`keats`).

    The first six are points of the draw, the others shares of a card's deadwood value that its discard score gains or,
    where it says so, loses.
    """

    meld: float = 20.0
    """Draw: added if the up-card completes a meld."""
    mid_range: float = 9.0
    """Draw: added if its rank is mid-range ..."""
    mid_from: float = 6.0
    """... from this rank ..."""
    mid_to: float = 9.0
    """... to this."""
    late: float = 1.0
    """Draw: subtracted late in the game ..."""
    late_below: float = 35.0
    """... that is, with fewer unseen cards than this."""
    dropped: float = 1000.0
    """Draw: subtracted if the discard rule would throw the up-card at once."""
    pair_of_two: float = 1 / 2
    """Discard, pair: subtracted if both other cards of the rank are unseen."""
    pair_of_one: float = 1.0
    """Discard, pair: subtracted if one is unseen, divided by half the number of unseen cards."""
    pair_of_none: float = 1 / 2
    """Discard, pair: added if none is unseen."""
    run_of_some: float = 1 / 3
    """Discard, partial run: subtracted if a card that completes it is unseen."""
    run_of_none: float = 3 / 4
    """Discard, partial run: added if none is."""
    same_rank: float = 3 / 4
    """Discard: added if the next opponent just discarded a card of the rank."""
    next_rank: float = 1.0
    """Discard: added if the next opponent just discarded a neighbour in rank ..."""
    next_suit: float = SAME
    """... of the same suit (0), or of a different one (1)."""
    own_sign: float = 1.0
    """Discard: 0 if the next opponent's last discard, once taken, is no card of its own rank."""
    knock_with_any: float = 0.0
    """1 to knock also with a card that does not have the highest score, if only that allows it."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and isfinite(value)):
                raise OptionError(f"{field.name} of Keats' AI is {value!r}, but must be a number")

    @property
    def par(self) -> tuple[float, ...]:
        """The numbers in the order of ``par``."""
        return tuple(map(float, astuple(self)))


AS_WRITTEN = KeatsOptions(next_suit=DIFFERENT, own_sign=0)
"""The report to the letter: "a card of the same value in a different suit", so a card is no sign against itself, and
"a card of a different suit plus or minus one value"."""
DIFFERENT_SUIT = KeatsOptions(next_suit=DIFFERENT)
"""The reading behind two figures of the rules page: a neighbor in a different suit, but any card of the rank counts."""
WHITEBOARD = KeatsOptions(mid_to=8, pair_of_none=2, run_of_none=1.25, same_rank=1, next_rank=0.75)
"""The numbers on the whiteboard, from before the report."""
TUNED = KeatsOptions(
    mid_range=0,
    pair_of_two=0.45,
    pair_of_one=4.9,
    pair_of_none=-0.08,
    run_of_some=0.42,
    run_of_none=0.18,
    same_rank=0.19,
    next_rank=0.11,
    knock_with_any=1,
)
"""Ours: ``rummylab tune gin-course keats --trials 150 --games 800 --seed 1 --fix knock_with_any=1 --against melder``,
rounded; the numbers of the draw it found take only what melds, which is said plainly here."""

NAMES = tuple(field.name for field in fields(KeatsOptions))
(
    MELD,
    MID_RANGE,
    MID_FROM,
    MID_TO,
    LATE,
    LATE_BELOW,
    DROPPED,
    PAIR_OF_TWO,
    PAIR_OF_ONE,
    PAIR_OF_NONE,
    RUN_OF_SOME,
    RUN_OF_NONE,
    SAME_RANK,
    NEXT_RANK,
    NEXT_SUIT,
    OWN_SIGN,
    KNOCK_WITH_ANY,
) = range(len(NAMES))
