"""The options of Gin for two to four seats with a passed card. Paragraphs are those of ``docs/games/gin_pass.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options
from rummylab.errors import OptionError, check_type

_MORE_SEATS: Mapping[int, Mapping[str, int]] = {3: {"hands": 42}, 4: {"cards": 7}}
"""What three and four seats change where nothing is said: 40 is no multiple of 2 x 3, and ten cards wash out (1, 7)."""


@dataclass(frozen=True, kw_only=True)
class GinPassOptions(Options):
    """Everything that differs between tables. The defaults are the course's."""

    seats: int = option(2, low=2, high=4)
    """Players at the table (1)."""
    cards: int = option(10, low=3, high=10)
    """Cards dealt to each; presets deal seven at four seats (1)."""
    pass_card: bool = True
    """Before the first draw every player hands one card to a neighbor (2)."""
    knock_limit: int = option(10, low=0, high=100)
    """Most deadwood points a knocker may keep (3)."""
    turn_cap: int = option(200, low=1, high=10_000)
    """Turns after which the hand washes out (5)."""
    gin_bonus: int = option(25, low=0, high=1000)
    """Added to what a knocker with gin wins (6)."""
    undercut_bonus: int = option(25, low=0, high=1000)
    """Added to what a winner who did not knock wins (6)."""
    tie_undercuts: bool = True
    """Deadwood equal to the knocker's undercuts; otherwise the knocker wins the tie (6)."""
    gin_always_wins: bool = True
    """A knocker with gin wins even if another hand has no deadwood either (6)."""
    hands: int = option(40, low=1, high=10_000)
    """Hands of a match, a multiple of 2 x seats; presets play 42 at three seats (7)."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "course": {},
        "course-ten": {"cards": 10},
        "course-seven": {"cards": 7},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        balanced = 2 * self.seats
        if self.hands % balanced:
            raise OptionError(
                f"option hands is {self.hands}, but must be a multiple of {balanced} (2 x {self.seats} seats), so that"
                " seats, starters and the direction of the passed card balance"
            )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build options; where *values* are silent, three seats play 42 hands and four get seven cards (1, 7)."""
        check_type(values, Mapping, "options", "a mapping of names and values")
        seats = values.get("seats", 2)
        return super().from_dict({**(_MORE_SEATS.get(seats, {}) if isinstance(seats, int) else {}), **values})

    def preset_name(self) -> str:
        """Return the preset these options equal at their number of seats, or ``custom``."""
        return next((name for name in self.PRESETS if self.preset(name, seats=self.seats) == self), "custom")
