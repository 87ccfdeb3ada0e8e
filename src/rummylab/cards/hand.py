"""A hand of cards: an unordered, frozen collection on bitboards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rummylab.cards.bits import ALL_CARDS, points, to_ids
from rummylab.cards.card import JOKER_ID, Card
from rummylab.errors import DeckError, NotationError


@dataclass(frozen=True, order=True, slots=True)
class Hand:
    """Cards held together; it prints as it parses.

    ``mask`` holds every kind of card that is there at least once, ``twice`` the kinds that are there twice
    (only possible with two decks), ``jokers`` counts printed jokers.

    >>> Hand.parse("7h Ac 2c")
    Hand.parse('Ac 2c 7h')
    """

    mask: int = 0
    twice: int = 0
    jokers: int = 0

    def __post_init__(self) -> None:
        if self.mask & ~ALL_CARDS or self.mask < 0 or self.twice & ~self.mask or self.jokers < 0:
            raise NotationError(f"no hand has the masks {self.mask:#x}, {self.twice:#x} and {self.jokers} jokers")

    @classmethod
    def of(cls, cards: Iterable[Card], *, decks: int = 1) -> Hand:
        """Return the hand of *cards*; more copies than *decks* hold are an error."""
        mask = twice = jokers = 0
        for card in cards:
            if card.id == JOKER_ID:
                jokers += 1
                continue
            bit = 1 << card.id
            if mask & bit:
                if decks < 2 or twice & bit:
                    raise DeckError(f"{card} is there {3 if twice & bit else 2} times, but {_decks(decks)}")
                twice |= bit
            mask |= bit
        return cls(mask, twice, jokers)

    @classmethod
    def parse(cls, text: str, *, decks: int = 1) -> Hand:
        """Read cards separated by spaces or commas: ``Ac 2c 3c``."""
        return cls.of((Card.parse(word) for word in text.replace(",", " ").split()), decks=decks)

    def __iter__(self) -> Iterator[Card]:
        for card in to_ids(self.mask):
            yield Card(card)
            if self.twice >> card & 1:
                yield Card(card)
        for _ in range(self.jokers):
            yield Card(JOKER_ID)

    def __len__(self) -> int:
        return self.mask.bit_count() + self.twice.bit_count() + self.jokers

    def __contains__(self, card: object) -> bool:
        if not isinstance(card, Card):
            return False
        return self.jokers > 0 if card.is_joker else bool(self.mask >> card.id & 1)

    def __or__(self, other: Hand) -> Hand:
        """Return both hands together (at most two copies of a card)."""
        return Hand.of([*self, *other], decks=2)

    def __sub__(self, other: Hand) -> Hand:
        """Return this hand without the cards of *other*, which must all be in it."""
        cards = list(self)
        for card in other:
            if card not in cards:
                raise DeckError(f"{card} is not in {self}")
            cards.remove(card)
        return Hand.of(cards, decks=2)

    @property
    def points(self) -> int:
        """What the cards count in Gin, melds or not: ace 1, court cards 10."""
        return int(points(self.mask)) + int(points(self.twice))

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand.parse({str(self)!r}{', decks=2' if self.twice else ''})"

    def __format__(self, spec: str) -> str:
        return " ".join(format(card, spec) for card in self)


def _decks(n: int) -> str:
    return "one deck is in play" if n == 1 else f"{n} decks are in play"
