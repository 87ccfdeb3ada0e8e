"""The options of contract rummy and its presets: Chinese Rummy mini-game 1, the same by the letter, seven contracts.

The numbers are those of the rules page (``docs/games/chinese.md``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rummylab.engine.options import Options
from rummylab.errors import OptionError

MAX_ROUNDS: Final = 10
MAX_MELDS: Final = 3
"""Most melds of one contract."""
_ITEM: Final = re.compile(r"([1-9]?)([SR])([34])")
_LITERAL: Final[dict[str, Any]] = {"reshuffle": "all_non_hand", "going_out": "discard_only"}
_SEVEN: Final[dict[str, Any]] = {
    "contract": "2S3 | S3+R4 | 2R4 | 3S3 | 2S3+R4 | S3+2R4 | 3R4",
    "hand_sizes": "10 10 10 10 12 12 12",
    "rounds": 7,
}


@dataclass(frozen=True, slots=True)
class Contract:
    """What a round asks for: so many sets and runs, each of one size, from a hand of so many cards."""

    sets: int
    set_size: int
    runs: int
    run_size: int
    hand: int

    @property
    def cards(self) -> int:
        return self.sets * self.set_size + self.runs * self.run_size

    def __str__(self) -> str:
        parts = [(self.sets, f"S{self.set_size}"), (self.runs, f"R{self.run_size}")]
        return "+".join(f"{n if n > 1 else ''}{item}" for n, item in parts if n)

    @classmethod
    def parse(cls, text: str, hand: int) -> Contract:
        """Read a contract such as ``2S3+R4``: two sets of three and a run of four."""
        found = {"S": [0, 3], "R": [0, 4]}
        for word in text.replace(" ", "").split("+"):
            item = _ITEM.fullmatch(word)
            if item is None:
                raise OptionError(
                    f"option contract has {word!r}, but an item reads 2S3 (two sets of three) or R4 (a run)"
                )
            n, kind, size = int(item[1] or 1), item[2], int(item[3])
            if found[kind][0] and found[kind][1] != size:
                raise OptionError(f"option contract asks in {text.strip()!r} for melds of one kind and two sizes")
            found[kind] = [found[kind][0] + n, size]
        (sets, set_size), (runs, run_size) = found["S"], found["R"]
        return cls(sets, set_size, runs, run_size, hand)


@dataclass(frozen=True, kw_only=True)
class ContractOptions(Options):
    """Everything that differs between tables. The defaults are Chinese Rummy, mini-game 1."""

    contract: str = "2S3"
    """What must be laid down, round by round: ``2S3`` is two sets of three, ``R4`` a run of four (4)."""
    hand_sizes: str = "7"
    """Cards dealt to each player, one number or one for every round (2)."""
    jokers: int = 2
    """Jokers in the deck; all twos are wild too (1)."""
    wild_up_card: bool = True
    """The first up-card may be wild; otherwise the next natural card of the stock changes places with it (2)."""
    discard_drawn: bool = True
    """The card just drawn may be discarded; otherwise only if no other is left (3)."""
    set_sizes: str = "exact"
    """Sets of a lay-down have ``exact`` the size of the contract, or it is the ``minimum`` (4)."""
    same_rank: bool = True
    """Two sets of a lay-down may have the same rank (4)."""
    going_out: str = "lay_off"
    """``lay_off``: any move may empty the hand. ``discard_only``: the last card must be discarded (6)."""
    reshuffle: str = "discards"
    """Into the new stock go the ``discards`` but the top, or ``all_non_hand`` cards, melds and all (7)."""
    max_reshuffles: int = 2
    """Reshuffles after which an empty stock makes the round void (8)."""
    turn_cap: int = 200
    """Turns after which the round is void (8)."""
    low_points: int = 5
    """What a card from 3 to 9 costs (9)."""
    high_points: int = 10
    """What a ten, a court card or an ace costs (9)."""
    wild_points: int = 20
    """What a wild card costs (9)."""
    rounds: int = 1
    """Rounds of a match; 0: until somebody reaches the target (10)."""
    target: int = 0
    """Penalty points that end a match; 0: no such end. The table for people plays to 100 (10)."""
    random_starter: bool = True
    """The first player of a match is drawn by lot; otherwise it is seat 0."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "chinese_mg1": {},
        "chinese_mg1_literal": _LITERAL,
        "contract7": _SEVEN,
    }
    RANGES: ClassVar[Mapping[str, tuple[int, int]]] = {
        "jokers": (0, 2),
        "max_reshuffles": (0, 100),
        "turn_cap": (1, 10_000),
        "low_points": (0, 100),
        "high_points": (0, 100),
        "wild_points": (0, 100),
        "rounds": (0, 1000),
        "target": (0, 10_000),
    }
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "set_sizes": ("exact", "minimum"),
        "going_out": ("lay_off", "discard_only"),
        "reshuffle": ("discards", "all_non_hand"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds == 0 and self.target == 0:
            raise OptionError("a match would never end: set rounds or target")
        for number, contract in enumerate(self.contracts, start=1):
            if not 1 <= contract.sets + contract.runs <= MAX_MELDS:
                raise OptionError(f"round {number} asks for {contract}, but a contract has one to {MAX_MELDS} melds")
            if not contract.cards <= contract.hand <= 20:
                raise OptionError(
                    f"round {number} deals {contract.hand} cards, but {contract} needs {contract.cards} to 20"
                )

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts, round by round; after the last one they begin anew."""
        texts = self.contract.split("|")
        try:
            sizes = [int(word) for word in self.hand_sizes.split()]
        except ValueError:
            raise OptionError(f"option hand_sizes is {self.hand_sizes!r}, but must be whole numbers") from None
        if len(texts) > MAX_ROUNDS or len(sizes) not in (1, len(texts)):
            raise OptionError(
                f"{len(texts)} contracts (at most {MAX_ROUNDS}) need one hand size or as many, not {len(sizes)}"
            )
        sizes = sizes * len(texts) if len(sizes) == 1 else sizes
        return tuple(Contract.parse(text, size) for text, size in zip(texts, sizes, strict=True))

    @property
    def n_cards(self) -> int:
        return 52 + self.jokers
