"""The options of Classic Indian Rummy and its presets: ``paper`` and ``platform``. Rows are those of the rules page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options
from rummylab.errors import OptionError, check_type
from rummylab.games.indian.formats import Format

CARDS_EACH: Final = 13
SCORE_RULES: Final = ("paper", "platform", "pure_run_opens")
"""The score rules, in the order in which the kernels number them."""
_PLATFORM: Final[dict[str, Any]] = {
    "joker_indicator": "aces wild",
    "pile_jokers": False,
    "score_rule": "platform",
    "first_turn_relief": True,
}


@dataclass(frozen=True, kw_only=True)
class IndianOptions(Options):
    """Options of Indian Rummy. The defaults are those of the paper's experiments."""

    seats: int = option(2, low=2, high=6)
    """Players at the table (row 1)."""
    format: str = "points"
    """How deals make a match, such as ``pool-101(rejoin=true)``; it brings its packs, drops and full count (row 17)."""
    decks: int = option(1, low=1, high=2)
    """Decks of 52 cards; presets take two for three players and more (row 1)."""
    printed_jokers: int = option(1, low=0, high=4)
    """Printed jokers among the cards; presets take two for three players and more (row 1)."""
    joker_indicator: str = "draw another"
    """A printed joker comes as indicator: ``draw another`` card, or ``aces wild`` (row 3)."""
    pile_jokers: bool = True
    """Jokers may be taken from the discard pile; otherwise only as the first upcard (row 9)."""
    first_drop: int = option(20, low=0, high=1000)
    """Points lost by a drop before the player's first draw (row 11)."""
    later_drop: int = option(40, low=0, high=1000)
    """Points lost by a later drop (row 11)."""
    wrong_declaration: int = option(80, low=0, high=1000)
    """Points lost by a declaration that is not valid (row 12)."""
    cap: int = option(80, low=1, high=1000)
    """Most points a hand can cost (row 13)."""
    score_rule: str = "paper"
    """A pure run without a second run: its cards do not count (``paper``), every card counts (``platform``), or neither
    its cards nor those of groups count (``pure_run_opens``; row 13)."""
    first_turn_relief: bool = False
    """A player who has had no turn when another declares loses no more than a first drop (row 14)."""
    round_limit: int = option(100, low=1, high=1000)
    """Rounds after which the lower MinScore wins (row 15)."""
    limit_gain: str = "score"
    """What a loser pays at the round limit: their ``score``, or the ``difference`` from the winner's (rows 15, 16)."""
    random_starter: bool = True
    """The first player is drawn at random; otherwise it is seat 0."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"paper": {}, "platform": _PLATFORM}
    LEADING: ClassVar[tuple[str, ...]] = ("seats", "format")
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "joker_indicator": ("draw another", "aces wild"),
        "score_rule": SCORE_RULES,
        "limit_gain": ("score", "difference"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "format", str(self.match_format))
        if self.match_format.is_pool and self.first_drop >= self.match_format.out_at:
            raise OptionError(f"A first drop of {self.first_drop} would put a player out of {self.format} at once.")
        needed = CARDS_EACH * self.seats + 3  # indicator, open card, and one to draw
        if self.n_cards < needed:
            raise OptionError(f"{self.seats} seats need {needed} cards or more, but {self.n_cards} are in play")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return options; what is not given follows from the format or, without one, from the number of seats.

        Three seats or more play with two decks and two jokers (row 1). A format that is named brings its own packs,
        drops and full count (row 17).
        """
        check_type(values, Mapping, "options", "a mapping of names and values")
        seats, name = values.get("seats", 2), values.get("format")
        more: dict[str, Any] = {}
        if isinstance(seats, int) and isinstance(name, str):
            more = Format.parse(name).table_options(seats)
        elif isinstance(seats, int) and seats > 2:
            more = {"decks": 2, "printed_jokers": 2}
        return super().from_dict({**more, **values})

    @property
    def match_format(self) -> Format:
        """The format of the match."""
        return _format_of(self.format)

    @property
    def cards_in_play(self) -> tuple[int, int]:
        """Number of decks and of printed jokers, the indicator included."""
        return self.decks, self.printed_jokers

    @property
    def n_cards(self) -> int:
        """Cards in play, the indicator included."""
        return 52 * self.decks + self.printed_jokers


@lru_cache(maxsize=256)
def _format_of(text: str) -> Format:
    return Format.parse(text)
