"""The options of two-player Gin Rummy and its presets: ``eaai``, ``classic``, ``openspiel``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options
from rummylab.errors import OptionError

_CLASSIC: Final[dict[str, Any]] = {
    "layoffs": "defender",
    "big_gin_bonus": 31,
    "game_bonus": 100,
    "box_bonus": 25,
    "shut_out_doubles": True,
}
_OPENSPIEL: Final[dict[str, Any]] = {
    "layoffs": "defender",
    "tie_undercuts": False,
    "discard_taken": True,
    "last_upcard": True,
    "layoff_reach": 2,
    "knock_by_eleven": True,
    "max_run": 5,
    "upcard_cap": 50,
    "turn_cap": 0,
    "random_starter": False,
    "target": 0,
}


@dataclass(frozen=True, kw_only=True)
class GinOptions(Options):
    """Everything that differs between tables. The defaults are the official EAAI-2021 referee's rules."""

    knock_limit: int = option(10, low=0, high=100)
    """Most deadwood points a knocker may keep."""
    knock_by_eleven: bool = False
    """A knock must also be possible by OpenSpiel's cruder test of the eleven cards before the discard."""
    gin_bonus: int = option(25, low=0, high=1000)
    undercut_bonus: int = option(25, low=0, high=1000)
    tie_undercuts: bool = True
    """Equal deadwood is an undercut; otherwise it pays nothing."""
    big_gin_bonus: int = option(0, low=0, high=1000)
    """Bonus for eleven melded cards, shown without a discard; 0: not played."""
    layoffs: str = "official"
    """``official``: the referee's greedy scan once both have melded. ``defender``: the defender chooses, then melds."""
    layoff_reach: int = option(13, low=1, high=13)
    """Most cards that may be laid off at each end of a run."""
    max_run: int = option(13, low=5, high=13)
    """Longest run that may be laid down as one meld (a longer one is laid as two)."""
    discard_taken: bool = False
    """The upcard just taken may be discarded again; two in a row cancel the hand."""
    wall: int = option(2, low=0, high=30)
    """Stock cards at which the hand is canceled."""
    last_upcard: bool = False
    """At the wall the next player may still knock with the upcard."""
    turn_cap: int = option(200, low=0, high=10_000)
    """Turns after which the hand is canceled; 0: none."""
    upcard_cap: int = option(0, low=0, high=10_000)
    """The upcard draw (first turn apart) that cancels the hand; 0: none."""
    refuse_repeats: bool = False
    """The same (upcard taken, discard) pair may not recur within a hand."""
    knock_card: bool = False
    """The value of the first upcard is the knock limit of the hand."""
    oklahoma: bool = False
    """The first upcard sets the knock limit, an ace asks for gin, and a spade doubles the points of the hand."""
    random_starter: bool = True
    """The first starter of a match is drawn at random; otherwise it is seat 0."""
    target: int = option(100, low=0, high=10_000)
    """Points that end a match; 0: a match is one hand."""
    game_bonus: int = option(0, low=0, high=10_000)
    """Added to the winner's total at the end of a match."""
    box_bonus: int = option(0, low=0, high=10_000)
    """Added at the end of a match for every hand won, to both."""
    shut_out_doubles: bool = False
    """The winner's total doubles if the loser has not scored."""
    ranks: int = option(13, low=1, high=13)
    """Ranks in the deck, from the ace up. Fewer make a small game for research."""
    suits: int = option(4, low=1, high=4)
    """Suits in the deck: clubs, hearts, spades, diamonds, in this order."""
    hand_size: int = option(10, low=1, high=10)
    """Cards that each player is dealt."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"eaai": {}, "classic": _CLASSIC, "openspiel": _OPENSPIEL}
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"layoffs": ("official", "defender")}
    FORMER: ClassVar[Mapping[str, str]] = {
        "lay_offs": "layoffs",
        "lay_off_reach": "layoff_reach",
        "last_up_card": "last_upcard",
        "up_card_cap": "upcard_cap",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.knock_card and self.oklahoma:
            raise OptionError("options knock_card and oklahoma exclude each other: both set the knock limit")
        needed = 2 * self.hand_size + self.wall + 2
        if self.ranks * self.suits < needed:
            raise OptionError(
                f"hands of {self.hand_size}, an upcard, a card to draw and a wall of {self.wall} need {needed} cards,"
                f" but {self.ranks} ranks in {self.suits} suits are {self.ranks * self.suits}"
            )
        if self.turn_cap == 0 and self.upcard_cap == 0 and not self.refuse_repeats:
            raise OptionError(
                "a hand may never end, because two players can swap upcards forever:"
                " set turn_cap, upcard_cap or refuse_repeats"
            )
