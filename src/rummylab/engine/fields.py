"""Kinds of fields in the text and JSON forms of a position.

A kind converts between three forms of a value: the raw numbers of a record, a JSON value, and text. Games list their
fields in a :class:`~rummylab.engine.position.Layout`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from rummylab.cards.bits import ALL_CARDS, IDS_52, to_ids, to_mask
from rummylab.cards.card import JOKER_ID, RANKS, Card
from rummylab.engine.reading import is_whole
from rummylab.errors import NotationError

Raw = tuple[Any, ...]
NONE: Final = "-"
"""An empty value in text."""
_CARDS: Final = {str(card): card for card in map(Card, [*map(int, IDS_52), JOKER_ID])}
_CARD_SCHEMA: Final = {"type": "string", "pattern": "^([A23456789TJQK][chsd]|PJ)$"}


class Kind(ABC):
    """How a field is written. ``default`` is the JSON value that is left out."""

    default: Any = None

    @abstractmethod
    def load(self, raw: Raw) -> Any:
        """Return the JSON value of the numbers *raw*."""

    @abstractmethod
    def store(self, value: Any) -> Raw:
        """Return the numbers of a JSON *value*.

        Raises:
            NotationError: *value* is not of this kind.
        """

    def show(self, value: Any) -> str:
        """Return a JSON *value* as text."""
        return NONE if value is None else str(value)

    def read(self, text: str) -> Any:
        """Return the JSON value of *text*. :meth:`store` checks it."""
        return text

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the values."""


@dataclass(frozen=True)
class Number(Kind):
    """A whole number from *low* to *high*."""

    low: int = 0
    high: int = 2**15 - 1
    default: int = 0

    def load(self, raw: Raw) -> int:
        return int(raw[0])

    def store(self, value: Any) -> Raw:
        if not is_whole(value, self.low, self.high):
            raise NotationError(f"{shown(value)} is not a whole number from {self.low} to {self.high}")
        return (value,)

    def read(self, text: str) -> Any:
        return int(text) if re.fullmatch(r"-?[0-9]{1,12}", text) else text

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Flag(Kind):
    """Yes or no."""

    default: bool = False

    def load(self, raw: Raw) -> bool:
        return bool(raw[0])

    def store(self, value: Any) -> Raw:
        if not isinstance(value, bool):
            raise NotationError(f"{shown(value)} is neither true nor false")
        return (int(value),)

    def show(self, value: Any) -> str:
        return "yes" if value else "no"

    def read(self, text: str) -> Any:
        return {"yes": True, "no": False}.get(text, text)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Seed(Kind):
    """The 64-bit state of a random stream, in hexadecimal."""

    default: str = "0"

    def load(self, raw: Raw) -> str:
        return f"{int(raw[0]):x}"

    def store(self, value: Any) -> Raw:
        if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{1,16}", value):
            raise NotationError(f"{shown(value)} is not a number of up to 16 hexadecimal digits")
        return (np.uint64(int(value, 16)),)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[0-9a-f]{1,16}$"}


@dataclass(frozen=True)
class Word(Kind):
    """One of several *words*, stored as its place in the list."""

    words: tuple[str, ...]
    default: str = ""

    def load(self, raw: Raw) -> str:
        return self.words[int(raw[0])]

    def store(self, value: Any) -> Raw:
        if value not in self.words:
            raise NotationError(f"{shown(value)} is not one of: {', '.join(self.words)}")
        return (self.words.index(value),)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}


class SeatNumber(Kind):
    """A seat, or nobody."""

    def load(self, raw: Raw) -> int | None:
        return int(raw[0]) if raw[0] >= 0 else None

    def store(self, value: Any) -> Raw:
        if value is not None and not is_whole(value, 0, 5):
            raise NotationError(f"{shown(value)} is not the number of a seat")
        return (-1 if value is None else value,)

    def read(self, text: str) -> Any:
        return None if text == NONE else Number().read(text)

    def schema(self) -> dict[str, Any]:
        return {"type": ["integer", "null"], "minimum": 0, "maximum": 5}


class Seated(SeatNumber):
    """A seat that is always there."""

    default = 0

    def store(self, value: Any) -> Raw:
        if value is None:
            raise NotationError("a seat is needed here")
        return super().store(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": 0, "maximum": 5}


@dataclass(frozen=True)
class OneCard(Kind):
    """A card, or none. *stock* is the number that stands for an unknown card from the stock."""

    stock: int | None = None
    default: None = None

    def load(self, raw: Raw) -> str | None:
        card = int(raw[0])
        return None if card < 0 else "stock" if card == self.stock else str(Card(card))

    def store(self, value: Any) -> Raw:
        if value is None:
            return (-1,)
        return (self.stock if value == "stock" and self.stock is not None else card_of(value).id,)

    def read(self, text: str) -> Any:
        return None if text == NONE else text

    def schema(self) -> dict[str, Any]:
        words: list[Any] = [_CARD_SCHEMA, {"type": "null"}]
        return {"anyOf": [*words, *([] if self.stock is None else [{"const": "stock"}])]}


@dataclass(frozen=True)
class Cards(Kind):
    """An unordered set of cards: a mask, then perhaps the kinds held twice, then perhaps a count of jokers.

    With *joker_bit* a joker is a bit of the mask.
    """

    twice: bool = False
    jokers: bool = False
    joker_bit: bool = False
    default: tuple[str, ...] = ()

    def load(self, raw: Raw) -> list[str]:
        mask, twice = int(raw[0]), int(raw[1]) if self.twice else 0
        jokers = int(raw[-1]) if self.jokers else mask >> JOKER_ID & 1
        once = [card for card in to_ids(mask & ALL_CARDS) for _ in range(1 + (twice >> card & 1))]
        return [str(Card(card)) for card in once] + ["PJ"] * jokers

    def store(self, value: Any) -> Raw:
        counts = Counter(card.id for card in cards_of(value))
        jokers = counts.pop(JOKER_ID, 0)
        for card, n in counts.items():
            if n > 1 + self.twice:
                raise NotationError(f"{Card(card)} occurs {n} times")
        if jokers > (4 if self.jokers else int(self.joker_bit)):
            raise NotationError(f"PJ occurs {jokers} times")
        mask = to_mask(counts) | (jokers << JOKER_ID if self.joker_bit else 0)
        twice = to_mask(card for card, n in counts.items() if n == 2)
        return (mask, *((twice,) if self.twice else ()), *((jokers,) if self.jokers else ()))

    def show(self, value: Any) -> str:
        return " ".join(value) or NONE

    def read(self, text: str) -> Any:
        return [] if text == NONE else text.split()

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": _CARD_SCHEMA}


@dataclass(frozen=True)
class CardList(Kind):
    """Cards in order: an array of ids, filled up with -1."""

    size: int
    default: tuple[str, ...] = ()

    def load(self, raw: Raw) -> list[str]:
        return [str(Card(int(card))) for card in raw[0] if card >= 0]

    def store(self, value: Any) -> Raw:
        cards = cards_of(value)
        if len(cards) > self.size:
            raise NotationError(f"{len(cards)} cards, but at most {self.size} are possible")
        ids = np.full(self.size, -1, np.int8)
        ids[: len(cards)] = [card.id for card in cards]
        return (ids,)

    show, read, schema = Cards.show, Cards.read, Cards.schema


@dataclass(frozen=True)
class Pile(CardList):
    """A discard pile from the bottom up: ids, their number, the top card, a mask, kinds held twice, jokers."""

    twice: bool = False

    def store(self, value: Any) -> Raw:
        (ids,) = super().store(value)
        planes = Cards(twice=self.twice, jokers=True).store(value)
        return (ids, len(value), ids[len(value) - 1] if value else -1, *planes)


@dataclass(frozen=True)
class Melds(Kind):
    """Sets of cards: an array of masks, then how many there are."""

    size: int
    default: tuple[Any, ...] = ()

    def load(self, raw: Raw) -> list[list[str]]:
        return [Cards().load((mask,)) for mask in raw[0][: raw[1]]]

    def store(self, value: Any) -> Raw:
        melds = [Cards().store(meld)[0] for meld in list_of(value, "melds")]
        if len(melds) > self.size or not all(melds):
            raise NotationError(f"there can be up to {self.size} melds, each with cards")
        return np.array(melds + [0] * (self.size - len(melds)), np.int64), len(melds)

    def show(self, value: Any) -> str:
        return " + ".join(map(" ".join, value)) or NONE

    def read(self, text: str) -> Any:
        return [] if text == NONE else [part.split() for part in text.split("+")]

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": Cards().schema(), "maxItems": self.size}


@dataclass(frozen=True)
class CardTurns(Kind):
    """Cards with the turn of each: an array by 13 * suit + rank, with *mask* after the mask of these cards."""

    high: int
    mask: bool = False
    default: Mapping[str, int] = field(default_factory=dict)

    def load(self, raw: Raw) -> dict[str, int]:
        return {str(Card(int(IDS_52[i]))): int(raw[-1][i]) for i in np.flatnonzero(raw[-1])}

    def store(self, value: Any) -> Raw:
        turns = np.zeros(52, np.int8)
        for card, turn in pairs_of(value):
            (turns[natural(card).index52],) = Number(1, self.high).store(turn)
        return (*((to_mask(IDS_52[turns > 0]),) if self.mask else ()), turns)

    def show(self, value: Any) -> str:
        return " ".join(f"{card}@{turn}" for card, turn in value.items()) or NONE

    def read(self, text: str) -> Any:
        parts = [] if text == NONE else [word.partition("@") for word in text.split()]
        return unique((card, Number().read(turn)) for card, _, turn in parts)

    def schema(self) -> dict[str, Any]:
        turn = Number(1, self.high).schema()
        return {"type": "object", "propertyNames": _CARD_SCHEMA, "additionalProperties": turn}


class CardSets(Kind):
    """A set of cards for some cards: an array of masks by card id."""

    default: Mapping[str, Any] = {}

    def load(self, raw: Raw) -> dict[str, list[str]]:
        return {str(Card(int(i))): Cards().load((raw[0][i],)) for i in np.flatnonzero(raw[0])}

    def store(self, value: Any) -> Raw:
        masks = np.zeros(64, np.int64)
        for card, cards in pairs_of(value):
            (masks[natural(card).id],) = Cards().store(cards)
        return (masks,)

    def show(self, value: Any) -> str:
        return " ".join(f"{card}>{','.join(cards)}" for card, cards in value.items()) or NONE

    def read(self, text: str) -> Any:
        parts = [] if text == NONE else [word.partition(">") for word in text.split()]
        return unique((card, cards.split(",")) for card, _, cards in parts)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "propertyNames": _CARD_SCHEMA, "additionalProperties": Cards().schema()}


@dataclass(frozen=True)
class Layoffs(Kind):
    """Cards laid off in order, each with the number of its meld from 1: ids, melds from 0, how many."""

    size: int
    melds: int
    default: tuple[Any, ...] = ()

    def load(self, raw: Raw) -> list[list[Any]]:
        return [[str(Card(int(raw[0][i]))), int(raw[1][i]) + 1] for i in range(int(raw[2]))]

    def store(self, value: Any) -> Raw:
        ids, melds = np.zeros(self.size, np.int8), np.zeros(self.size, np.int8)
        pairs = list_of(value, "cards with the numbers of their melds")
        if len(pairs) > self.size or any(len(list_of(pair, "a card and a meld")) != 2 for pair in pairs):
            raise NotationError(f"there can be up to {self.size} cards, each with the number of its meld")
        for i, (card, meld) in enumerate(pairs):
            ids[i] = natural(card).id
            melds[i] = Number(1, self.melds).store(meld)[0] - 1
        return ids, melds, len(pairs)

    def show(self, value: Any) -> str:
        return " ".join(f"{card}@{meld}" for card, meld in value) or NONE

    def read(self, text: str) -> Any:
        parts = [] if text == NONE else [word.partition("@") for word in text.split()]
        return [[card, Number().read(meld)] for card, _, meld in parts]

    def schema(self) -> dict[str, Any]:
        pair = {"type": "array", "prefixItems": [_CARD_SCHEMA, Number(1, self.melds).schema()], "items": False}
        return {"type": "array", "items": pair, "maxItems": self.size}


class Rank(Kind):
    """The rank of a card."""

    default = ""

    def load(self, raw: Raw) -> str:
        return RANKS[int(raw[0])]

    def store(self, value: Any) -> Raw:
        if not isinstance(value, str) or len(value) != 1 or value not in RANKS:
            raise NotationError(f"{shown(value)} is not a rank of {RANKS}")
        return (RANKS.index(value),)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(RANKS)}


# --- What kinds share ---------------------------------------------------------------------------------------------


def shown(value: Any) -> str:
    """Return *value* for an error message, cut short."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def list_of(value: Any, what: str) -> Sequence[Any]:
    """Return *value* if it is a list, else raise `NotationError`."""
    if not isinstance(value, list | tuple):
        raise NotationError(f"{shown(value)} is not a list of {what}")
    return value


def card_of(value: Any) -> Card:
    """Return the card that the text *value* names."""
    if not isinstance(value, str):
        raise NotationError(f"{shown(value)} is not a card")
    return _CARDS.get(value) or Card.parse(value)


def natural(value: Any) -> Card:
    """Return the card that *value* names, which must not be a joker."""
    card = card_of(value)
    if card.is_joker:
        raise NotationError("a joker is not possible here")
    return card


def cards_of(value: Any) -> list[Card]:
    """Return the cards that a list of texts names."""
    return [card_of(word) for word in list_of(value, "cards")]


def pairs_of(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the items of an object."""
    if not isinstance(value, dict):
        raise NotationError(f"{shown(value)} is not an object with cards as keys")
    return value.items()


def unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return *pairs* as a dictionary; raise `NotationError` if a key occurs twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotationError(f"{key} occurs twice")
        found[key] = value
    return found
