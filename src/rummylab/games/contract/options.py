"""The options of contract rummy and its presets: Chinese Rummy and the contract rummies of seven and ten rounds.

The numbers are those of the rules page (``docs/games/contract.md``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from rummylab.engine.agent_options import option
from rummylab.engine.options import Options
from rummylab.errors import OptionError, check_type

MAX_ROUNDS: Final = 10
MAX_SEATS: Final = 6
MAX_MELDS: Final = 4
"""Most melds of one contract."""
MAX_RUNS: Final = 3
"""Most runs among them."""
MAX_HAND: Final = 20
"""Most cards that a round deals to a player."""
SIZES: Final = {"S": range(3, 9), "R": range(3, 14)}
"""Cards that a set or a run of a contract may have."""
_ITEM: Final = re.compile(r"([1-9]?)x?([SR])([0-9]{1,2})")

_LITERAL: Final[dict[str, Any]] = {"reshuffle": "all_non_hand", "going_out": "discard_only"}
_CHINESE_7: Final[dict[str, Any]] = {
    "contract": "2S3 | S3+R4 | 2R4 | S5+S4 | S3+R7 | 2S3+R4 | S3+2R4",
    "hand_sizes": "7 8 9 10 11 12 12",
    "rounds": 7,
    "buys": "3",
}
_FACE_VALUE: Final[dict[str, Any]] = {"face_value": True, "ace_points": 15, "wild_points": 25}
_CONTRACT_7: Final[dict[str, Any]] = {
    "contract": "2S3 | S3+R4 | 2R4 | 3S3 | 2S3+R4 | S3+2R4 | 3R4",
    "hand_sizes": "10 10 10 10 12 12 12",
    "rounds": 7,
    "buys": "3",
    **_FACE_VALUE,
}
_LIVERPOOL_7: Final[dict[str, Any]] = {
    **_CONTRACT_7,
    "seats": 3,
    "hand_sizes": "7 10 10 10 12 12 14",
    "wild_twos": False,
}
_SHANGHAI_10: Final[dict[str, Any]] = {
    "seats": 3,
    "contract": "2S3 | S3+R4 | 2R4 | 3S3 | S3+R7 | 2S3+R5 | 3R4 | S3+R10 | 3S3+R5 | 3R5",
    "hand_sizes": "11",
    "rounds": 10,
    "wild_twos": False,
    "buys": "3 3 3 3 3 3 3 3 4 4",
    "ten_points": 5,
    "ace_points": 15,
}


@dataclass(frozen=True, slots=True)
class Contract:
    """What a round asks for: sets and runs of some sizes, from a hand of so many cards. The largest come first."""

    set_sizes: tuple[int, ...]
    run_sizes: tuple[int, ...]
    hand: int

    @property
    def sets(self) -> int:
        """How many sets it asks for."""
        return len(self.set_sizes)

    @property
    def runs(self) -> int:
        """How many runs it asks for."""
        return len(self.run_sizes)

    @property
    def cards(self) -> int:
        """How many cards the contract takes."""
        return sum(self.set_sizes) + sum(self.run_sizes)

    def __str__(self) -> str:
        items = Counter([f"S{size}" for size in self.set_sizes] + [f"R{size}" for size in self.run_sizes])
        return "+".join(f"{n if n > 1 else ''}{item}" for item, n in items.items())

    @classmethod
    def parse(cls, text: str, hand: int) -> Contract:
        """Read a contract such as ``2S3+R4``: two sets of three and a run of four.

        Raises:
            OptionError: *text* is not a contract.
        """
        found: dict[str, list[int]] = {"S": [], "R": []}
        for word in text.replace(" ", "").split("+"):
            item = _ITEM.fullmatch(word)
            if item is None:
                raise OptionError(
                    f"option contract has {word!r}, but an item reads 2S3 (two sets of three) or R4 (a run)"
                )
            n, kind, size = int(item[1] or 1), item[2], int(item[3])
            if size not in SIZES[kind]:
                least, most = SIZES[kind][0], SIZES[kind][-1]
                what = "set" if kind == "S" else "run"
                raise OptionError(f"option contract has {word!r}, but a {what} has {least} to {most} cards")
            found[kind] += [size] * n
        sets, runs = (tuple(sorted(found[kind], reverse=True)) for kind in "SR")
        return cls(sets, runs, hand)


@dataclass(frozen=True, kw_only=True)
class ContractOptions(Options):
    """Everything that differs between tables. The defaults are Chinese Rummy, mini-game 1."""

    seats: int = option(2, low=2, high=MAX_SEATS)
    """Players at the table (1)."""
    decks: int = option(1, low=1, high=2)
    """Decks of 52 cards; two for three players and more unless told otherwise (1)."""
    contract: str = "2S3"
    """What must be laid down, round by round: ``2S3`` is two sets of three, ``R4`` a run of four (4)."""
    hand_sizes: str = "7"
    """Cards dealt to each player, one number or one for every round (2)."""
    jokers: int = option(2, low=0, high=2)
    """Jokers in each deck (1)."""
    wild_twos: bool = True
    """Twos are wild, as jokers are (1)."""
    wild_upcard: bool = True
    """The first upcard may be wild; otherwise the next natural card of the stock changes places with it (2)."""
    discard_drawn: bool = True
    """The card just drawn may be discarded; otherwise only if no other is left (3)."""
    set_sizes: str = "exact"
    """Sets of a laydown have ``exact`` the size of the contract, or it is the ``minimum`` (4)."""
    same_rank: bool = True
    """Two sets of a laydown may have the same rank (4)."""
    wild_neighbors: bool = False
    """Two wilds of a run that is laid down may lie side by side (11)."""
    joined_runs: bool = False
    """Two runs of a laydown may be one run cut in two (12)."""
    wild_replacement: bool = False
    """A natural may take the place of a wild on the table; the wild must be laid off at once (18)."""
    going_out: str = "lay_off"
    """``lay_off``: any move may empty the hand. ``discard_only``: the last card must be discarded (6)."""
    final_discard: bool = True
    """The last card may be discarded in the last round; otherwise a player left with one card keeps it (15)."""
    reshuffle: str = "discards"
    """Into the new stock go the ``discards`` but the top, or ``all_non_hand`` cards, melds and all (7)."""
    max_reshuffles: int = option(2, low=0, high=100)
    """Reshuffles after which an empty stock makes the round void (8)."""
    turn_cap: int = option(200, low=1, high=10_000)
    """Turns after which the round is void (8)."""
    buys: str = "0"
    """Discards that a player may buy, one number or one for every round; nobody buys at a table of two (14)."""
    low_points: int = option(5, low=0, high=100)
    """What a card from 3 to 9 costs, and a two that is not wild (9)."""
    face_value: bool = False
    """Cards from 2 to 10 cost their face value instead (9)."""
    ten_points: int = option(-1, low=-1, high=100)
    """What a ten costs; -1: as much as a court card (9)."""
    high_points: int = option(10, low=0, high=100)
    """What a court card costs (9)."""
    ace_points: int = option(-1, low=-1, high=100)
    """What an ace costs; -1: as much as a court card (9)."""
    wild_points: int = option(20, low=0, high=100)
    """What a wild card costs (9)."""
    rounds: int = option(1, low=0, high=1000)
    """Rounds of a match; 0: until somebody reaches the target (10)."""
    target: int = option(0, low=0, high=10_000)
    """Penalty points that end a match; 0: no such end. The table for people plays to 100 (10)."""
    random_starter: bool = True
    """The first player of a match is drawn at random; otherwise it is seat 0."""

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "chinese": {},
        "chinese-literal": _LITERAL,
        "chinese-7": _CHINESE_7,
        "contract-7": _CONTRACT_7,
        "liverpool-7": _LIVERPOOL_7,
        "shanghai-10": _SHANGHAI_10,
    }
    PLAYERS: ClassVar[Mapping[str, range]] = {"liverpool-7": range(3, 6), "shanghai-10": range(3, 5)}
    """Numbers of players of presets that are not for two to six. Two decks without wild twos are too few for more."""
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "set_sizes": ("exact", "minimum"),
        "going_out": ("lay_off", "discard_only"),
        "reshuffle": ("discards", "all_non_hand"),
    }
    FORMER: ClassVar[Mapping[str, str]] = {"wild_up_card": "wild_upcard"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds == 0 and self.target == 0:
            raise OptionError("a match would never end: set rounds or target")
        if self.going_out == "discard_only" and not self.final_discard:
            raise OptionError("nobody could go out: going_out asks for a last discard that final_discard forbids")
        if any(not 0 <= n <= 20 for n in self.buys_by_round):
            raise OptionError(f"option buys is {self.buys!r}, but a player buys 0 to 20 discards a round")
        for number, contract in enumerate(self.contracts, start=1):
            self._check_round(number, contract)
            self._check_sets(number, contract)

    def _check_round(self, number: int, contract: Contract) -> None:
        """Raise `OptionError` unless a round can be dealt and its contract laid down."""
        if not 1 <= contract.sets + contract.runs <= MAX_MELDS:
            raise OptionError(f"round {number} asks for {contract}, but a contract has one to {MAX_MELDS} melds")
        if contract.runs > MAX_RUNS:
            raise OptionError(f"round {number} asks for {contract}, but a contract has at most {MAX_RUNS} runs")
        bought = 2 * self.buys_by_round[number - 1] if self.seats > 2 else 0
        if not contract.cards - bought <= contract.hand <= MAX_HAND:
            needs = f"{contract} needs {contract.cards - bought} to {MAX_HAND}"
            raise OptionError(f"round {number} deals {contract.hand} cards, but {needs}")
        dealt, cards = self.seats * contract.hand, self.decks * (52 + self.jokers)
        if dealt + 2 > cards:
            raise OptionError(
                f"round {number} deals {dealt} cards to {self.seats} players, but only {cards} are in play"
            )

    def _check_sets(self, number: int, contract: Contract) -> None:
        """Raise `OptionError` if there are not enough cards of a rank, and wilds, for the sets of a round."""
        wilds = self.decks * (self.jokers + 4 * self.wild_twos)
        needed = sum(max(size - 4 * self.decks, 0) for size in contract.set_sizes)
        if needed > wilds:
            raise OptionError(
                f"round {number} asks for {contract}, but only {4 * self.decks} cards of a rank "
                f"and {wilds} wilds are in play"
            )

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return the preset *name*, with some options changed.

        Raises:
            OptionError: The preset is for another number of players.
        """
        check_type(name, str, f"a {cls.KIND}")
        players, seats = cls.PLAYERS.get(name), changes.get("seats")
        if players is not None and isinstance(seats, int) and seats not in players:
            raise OptionError(f"{name} is for {players[0]} to {players[-1]} players, not {seats}.")
        return super().preset(name, **changes)

    def changes_to(self, name: str) -> dict[str, Any]:
        """Return what turns the preset *name* into these options; all of them if it is not for so many players."""
        players = self.PLAYERS.get(name)
        return self.to_dict() if players is not None and self.seats not in players else super().changes_to(name)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return options; three seats or more play with two decks unless told otherwise (1)."""
        check_type(values, Mapping, "options", "a mapping of names and values")
        seats = values.get("seats", 2)
        return super().from_dict({"decks": 2, **values} if isinstance(seats, int) and seats > 2 else values)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts, round by round; after the last one they start over.

        Raises:
            OptionError: A contract cannot be read, or there are too many.
        """
        texts = self.contract.split("|")
        if len(texts) > MAX_ROUNDS:
            raise OptionError(f"option contract has {len(texts)} rounds, but at most {MAX_ROUNDS} are possible")
        sizes = _by_round("hand_sizes", self.hand_sizes, texts)
        return tuple(Contract.parse(text, size) for text, size in zip(texts, sizes, strict=True))

    @property
    def buys_by_round(self) -> tuple[int, ...]:
        """How many discards a player may buy in each round."""
        return _by_round("buys", self.buys, self.contract.split("|"))

    @property
    def cards_in_play(self) -> tuple[int, int]:
        """Number of decks and of jokers in all of them."""
        return self.decks, self.decks * self.jokers


def _by_round(option: str, text: str, rounds: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of *text*, one for each of *rounds*; a single one holds for all."""
    try:
        numbers = [int(word) for word in text.split()]
    except ValueError:
        raise OptionError(f"option {option} is {text!r}, but must be whole numbers") from None
    if len(numbers) not in (1, len(rounds)):
        raise OptionError(f"{len(rounds)} contracts need one number in {option} or as many, not {len(numbers)}")
    return tuple(numbers * len(rounds) if len(numbers) == 1 else numbers)
