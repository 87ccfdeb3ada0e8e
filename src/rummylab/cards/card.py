"""A playing card: ``7h``, ``Th``, ``Ac``; ``PJ`` is a printed joker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rummylab.errors import NotationError, check_type, whole

RANKS: Final = "A23456789TJQK"
SUITS: Final = "chsd"
"""Suit letters in id order: clubs, hearts, spades, diamonds, as in the official Gin referee."""
SYMBOLS: Final = "♣♥♠♦"
JOKER_ID: Final = 62
"""The id of a printed joker: above all other cards, and the highest bit of a signed mask."""
# Four colors tell the suits apart: clubs green, hearts red, spades bold, diamonds blue.
_ANSI: Final = ("\x1b[32m", "\x1b[31m", "\x1b[1m", "\x1b[34m")
_RESET: Final = "\x1b[0m"
_FORMATS: Final = ("", "text", "unicode", "color")


@dataclass(frozen=True, order=True, slots=True)
class Card:
    """One card, ordered by its id (16 * suit + rank).

    Raises:
        NotationError: No card has this id.

    >>> Card.parse("Th")
    Card.parse('Th')
    >>> f"{Card.parse('Th'):unicode}"
    'T♥'
    """

    id: int

    def __post_init__(self) -> None:
        if type(self.id) is not int:
            object.__setattr__(self, "id", whole(self.id, "the id of a card"))
        if self.id != JOKER_ID and not (0 <= self.id < 64 and self.id % 16 < 13):
            raise NotationError(f"{self.id} is not the id of a card")

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card such as ``7h``. ``10h``, upper-case suits and symbols (``7♥``, ``★``) work too.

        Raises:
            NotationError: *text* is not a card.
        """
        check_type(text, str, "a card", "text such as '7h'")
        word = text.strip()
        if word.upper() in ("PJ", "JOKER", "★"):
            return cls(JOKER_ID)
        rank_text = "T" if word[:-1] == "10" else word[:-1].upper()
        suit_text = word[-1:].lower()
        if suit_text in SYMBOLS and suit_text:
            suit_text = SUITS[SYMBOLS.index(suit_text)]
        if len(rank_text) != 1 or rank_text not in RANKS or suit_text not in SUITS or not suit_text:
            raise NotationError(f"not a card: {text!r} (a rank of {RANKS} followed by a suit of {SUITS}, such as 7h)")
        return cls(16 * SUITS.index(suit_text) + RANKS.index(rank_text))

    @classmethod
    def of(cls, rank: int, suit: int) -> Card:
        """Return the card of *rank* (0 is the ace) and *suit* (index into ``chsd``).

        Raises:
            NotationError: The rank or the suit is out of range.
        """
        check_type(rank, int, "a rank")
        check_type(suit, int, "a suit")
        if not (0 <= rank < 13 and 0 <= suit < 4):
            raise NotationError(f"rank {rank} of suit {suit} is not a card (ranks 0 to 12, suits 0 to 3)")
        return cls(16 * suit + rank)

    @property
    def is_joker(self) -> bool:
        """Whether this is a printed joker."""
        return self.id == JOKER_ID

    @property
    def rank(self) -> int:
        """0 for an ace, 12 for a king."""
        return self.id & 15

    @property
    def suit(self) -> int:
        """Index into ``chsd``."""
        return self.id >> 4

    @property
    def index52(self) -> int:
        """13 * suit + rank: how files and other programs number the 52 cards."""
        return 13 * self.suit + self.rank

    @classmethod
    def from_index52(cls, index: int) -> Card:
        """Return the card numbered 13 * suit + rank.

        Raises:
            NotationError: *index* is not from 0 to 51.
        """
        check_type(index, int, "the number of a card")
        if not 0 <= index < 52:
            raise NotationError(f"{index} is not the number of a card (0 to 51)")
        return cls(16 * (index // 13) + index % 13)

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return "PJ" if self.is_joker else RANKS[self.rank] + SUITS[self.suit]

    def __repr__(self) -> str:
        return f"Card.parse({str(self)!r})"

    def __format__(self, spec: str) -> str:
        """Format as ``text`` (default), ``unicode`` (7♥) or ``color`` (7♥ in one of four terminal colors)."""
        if spec not in _FORMATS:
            raise NotationError(f"unknown card format {spec!r}: use text, unicode or color")
        if spec in ("", "text") or self.is_joker:
            return "★" if self.is_joker and spec in ("unicode", "color") else str(self)
        shown = RANKS[self.rank] + SYMBOLS[self.suit]
        return f"{_ANSI[self.suit]}{shown}{_RESET}" if spec == "color" else shown


_BY_ID: Final = {16 * suit + rank: Card.of(rank, suit) for suit in range(4) for rank in range(13)}
_BY_ID[JOKER_ID] = Card(JOKER_ID)


def cards_of(ids: Iterable[int]) -> tuple[Card, ...]:
    """Return the cards with these ids, as the kernels number them. Each card is made once, so this is quick.

    Raises:
        NotationError: No card has one of the ids.
    """
    try:
        return tuple(map(_BY_ID.__getitem__, ids))
    except KeyError as error:
        raise NotationError(f"{error.args[0]} is not the id of a card") from None


def is_card(text: str) -> bool:
    """Return whether *text* is a card."""
    try:
        Card.parse(text)
    except NotationError:
        return False
    return True
