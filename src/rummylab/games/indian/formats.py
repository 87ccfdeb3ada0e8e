"""The formats of online tables (rules page, row 17): points, pool 61, 101 and 201, deals 2, 3 and 6.

A format says how deals make a match: when a player is out, who may come back, and who wins. Its settings are written
as a call: ``pool-101(rejoin=true, split=true)``. The kernels in ``rules`` keep the standing and carry the format out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options
from rummylab.errors import OptionError

PACK_JOKERS: Final = 1
"""Printed jokers in a pack of 53 cards."""


@dataclass(frozen=True, kw_only=True)
class Format(Options):
    """How deals make a match. The defaults are those of a single deal for points."""

    deals: int = option(1, low=0, high=100)
    """Deals to play, after which the most chips win; 0 in a pool: until one player is left."""
    out_at: int = option(0, low=0, high=1000)
    """Lost points at which a player of a pool is out; 0: nobody goes out."""
    first_drop: int = option(20, low=0, high=1000)
    """Points lost by a drop before the player's first draw."""
    later_drop: int = option(40, low=0, high=1000)
    """Points lost by a later drop."""
    full_count: int = option(80, low=1, high=1000)
    """Most points a hand can cost, what a wrong declaration costs, and the chips for each deal."""
    rejoin: bool = False
    """Who goes out of a pool may pay another entry and come back at the highest score + 1."""
    rejoin_limit: int = option(0, low=0, high=1000)
    """A player may rejoin as long as nobody still in has lost more points than this."""
    split: bool = False
    """The last two or three of a pool of three or more may share the pot in proportion to their drops left."""
    split_within: int = option(1, low=1, high=100)
    """A split is offered when every player left is within so many first drops of being out."""
    one_pack_for_two: bool = False
    """Two players use one pack of 53 cards; otherwise every table uses two packs."""
    drop_at_two: bool = True
    """Two players may drop."""

    KIND: ClassVar[str] = "format"
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "points": {},
        "pool-61": {"deals": 0, "out_at": 61, "first_drop": 15, "later_drop": 30, "full_count": 60, "rejoin_limit": 44},
        "pool-101": {"deals": 0, "out_at": 101, "rejoin_limit": 79},
        "pool-201": {"deals": 0, "out_at": 201, "first_drop": 25, "later_drop": 50, "rejoin_limit": 174},
        "deals-2": {"deals": 2},
        "deals-3": {"deals": 3},
        "deals-6": {"deals": 6},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.deals > 0) == (self.out_at > 0):
            raise OptionError("A format has either a number of deals or, as a pool, a score at which a player is out.")
        for name in ("rejoin", "split"):
            if getattr(self, name) and not self.is_pool:
                raise OptionError(f"Only a pool has {name}: nobody goes out of {self}.")
        if self.split and not self.first_drop:
            raise OptionError("A split counts the drops left, so a first drop must cost something.")
        if self.rejoin and self.rejoin_limit + 1 >= self.out_at:
            raise OptionError(
                f"A player who rejoins at {self.rejoin_limit + 1} would be out again at {self.out_at}: "
                "lower rejoin_limit."
            )

    @property
    def is_pool(self) -> bool:
        """Whether players go out until one is left."""
        return self.out_at > 0

    @property
    def is_match(self) -> bool:
        """Whether there can be more than one deal."""
        return self.deals != 1

    @property
    def chips(self) -> int:
        """Chips that every player starts with."""
        return self.full_count * self.deals if self.is_match and not self.is_pool else 0

    def table_options(self, seats: int) -> dict[str, Any]:
        """Return the options of the rules that the format brings to a table of *seats*."""
        packs = 1 if seats == 2 and self.one_pack_for_two else 2
        return {
            "decks": packs,
            "printed_jokers": packs * PACK_JOKERS,
            "first_drop": self.first_drop,
            "later_drop": self.later_drop,
            "wrong_declaration": self.full_count,
            "cap": self.full_count,
        }
