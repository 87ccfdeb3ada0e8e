"""The options of Classic Indian Rummy and its presets: ``paper`` and ``platform``. Rows are those of the rules page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from rummylab.engine.options import Options
from rummylab.errors import OptionError

CARDS_EACH: Final = 13
_PLATFORM: Final[dict[str, Any]] = {
    "joker_indicator": "aces wild",
    "pile_jokers": False,
    "score_rule": "platform",
    "first_turn_relief": True,
}


@dataclass(frozen=True, kw_only=True)
class IndianOptions(Options):
    """Everything that differs between tables. The defaults are those of the paper's experiments."""

    seats: int = 2
    """Players at the table (row 1)."""
    decks: int = 1
    """Decks of 52 cards; presets take two for three players and more (row 1)."""
    printed_jokers: int = 1
    """Printed jokers among the cards; presets take two for three players and more (row 1)."""
    joker_indicator: str = "draw another"
    """A printed joker comes as indicator: ``draw another`` card, or ``aces wild`` (row 3)."""
    pile_jokers: bool = True
    """Jokers may be taken from the open pile; otherwise only as the first open card (row 9)."""
    first_drop: int = 20
    """Points lost by a drop before the own first draw (row 11)."""
    later_drop: int = 40
    """Points lost by a later drop (row 11)."""
    wrong_declaration: int = 80
    """Points lost by a declaration that is not valid (row 12)."""
    cap: int = 80
    """Most points a hand can cost (row 13)."""
    score_rule: str = "paper"
    """A pure run without a second run: ``paper``: its cards do not count; ``platform``: every card counts (row 13)."""
    first_turn_relief: bool = False
    """Who has had no turn when another declares loses no more than the first drop (row 14)."""
    round_limit: int = 100
    """Rounds after which the lower MinScore wins (row 15)."""
    limit_gain: str = "score"
    """What a loser pays at the round limit: its ``score``, or the ``difference`` to the winner's (rows 15, 16)."""
    random_starter: bool = True
    """The first player is drawn by lot; otherwise it is seat 0."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"paper": {}, "platform": _PLATFORM}
    RANGES: ClassVar[Mapping[str, tuple[int, int]]] = {
        "seats": (2, 6),
        "decks": (1, 2),
        "printed_jokers": (0, 4),
        "first_drop": (0, 1000),
        "later_drop": (0, 1000),
        "wrong_declaration": (0, 1000),
        "cap": (1, 1000),
        "round_limit": (1, 1000),
    }
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "joker_indicator": ("draw another", "aces wild"),
        "score_rule": ("paper", "platform"),
        "limit_gain": ("score", "difference"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = CARDS_EACH * self.seats + 3  # indicator, open card, and one to draw
        if self.n_cards < needed:
            raise OptionError(f"{self.seats} seats need {needed} cards or more, but {self.n_cards} are in play")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build options; where *values* are silent, more than two seats play with two decks and two jokers (row 1)."""
        more = {"decks": 2, "printed_jokers": 2}
        seats = values.get("seats", 2)
        return super().from_dict({**more, **values} if isinstance(seats, int) and seats > 2 else values)

    @property
    def n_cards(self) -> int:
        """Cards in play, the indicator included."""
        return 52 * self.decks + self.printed_jokers
