"""A hand of cards: an unordered, frozen collection stored as bitboards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from rummylab.cards.bits import ALL_CARDS, points, to_ids
from rummylab.cards.card import JOKER_ID, Card, cards_of
from rummylab.errors import DeckError, NotationError, check_type


@dataclass(frozen=True, order=True, slots=True)
class Hand:
    """An unordered collection of cards. Its ``repr`` evaluates to an equal hand.

    ``mask`` has a bit for every kind of card held, ``twice`` for every kind held twice (with two decks), and
    ``jokers`` counts printed jokers. Hands work like multisets: ``in``, ``len``, ``&``, ``|``, ``-`` and ``+``.

    >>> Hand.parse("7h Ac 2c")
    Hand.parse('Ac 2c 7h')
    >>> Hand.parse("Ac 2c 7h") & Hand.parse("2c 7h Ks")
    Hand.parse('2c 7h')
    >>> Hand.parse("Ac 2c") | Hand.parse("2c 3c")
    Hand.parse('Ac 2c 3c')

    Raises:
        NotationError: The masks do not describe a hand.
    """

    mask: int = 0
    twice: int = 0
    jokers: int = 0

    def __post_init__(self) -> None:
        mask, twice, jokers = self.mask, self.twice, self.jokers
        if not type(mask) is type(twice) is type(jokers) is int:
            for part in (mask, twice, jokers):
                check_type(part, int, "the masks of a hand", "whole numbers (Hand.parse reads text)")
        if mask & ~ALL_CARDS or mask < 0 or twice & ~mask or jokers < 0:
            raise NotationError(f"{mask:#x}, {twice:#x} and {jokers} jokers are not a hand")

    @classmethod
    def of(cls, cards: Iterable[Card], *, decks: int = 1) -> Hand:
        """Return the hand with these *cards*.

        Raises:
            DeckError: A card occurs more often than *decks* decks allow.
        """
        check_type(cards, Iterable, "cards", "a sequence of cards")
        mask = twice = jokers = 0
        for card in cards:
            check_type(card, Card, "a card", "a Card (Card.parse reads text)")
            if card.id == JOKER_ID:
                jokers += 1
                continue
            bit = 1 << card.id
            if mask & bit:
                if decks < 2 or twice & bit:
                    raise DeckError(f"{card} occurs {3 if twice & bit else 2} times, but {_decks(decks)}")
                twice |= bit
            mask |= bit
        return cls(mask, twice, jokers)

    @classmethod
    def parse(cls, text: str, *, decks: int = 1) -> Hand:
        """Read cards separated by blanks or commas: ``Ac 2c 3c``.

        Raises:
            NotationError: A word is not a card.
            DeckError: A card occurs more often than *decks* decks allow.
        """
        check_type(text, str, "a hand", "text such as 'Ac 2c 3c'")
        return cls.of((Card.parse(word) for word in text.replace(",", " ").split()), decks=decks)

    def __iter__(self) -> Iterator[Card]:
        mask, twice = self.mask, self.twice
        if not twice and not self.jokers:
            suits = (_cards_in(mask & 0xFFFF << shift) for shift in (0, 16, 32, 48))
            return chain.from_iterable(suits)
        ids = to_ids(mask)
        if twice:
            ids = sorted(ids + to_ids(twice))
        return iter(cards_of(ids + [JOKER_ID] * self.jokers))

    def __len__(self) -> int:
        return self.mask.bit_count() + self.twice.bit_count() + self.jokers

    def __contains__(self, card: object) -> bool:
        if not isinstance(card, Card):
            return False
        return self.jokers > 0 if card.is_joker else bool(self.mask >> card.id & 1)

    def __and__(self, other: Hand) -> Hand:
        """Return the cards that are in both hands."""
        check_type(other, Hand, "the other hand")
        return Hand(self.mask & other.mask, self.twice & other.twice, min(self.jokers, other.jokers))

    def __or__(self, other: Hand) -> Hand:
        """Return the cards that are in either hand; a card in both counts once."""
        check_type(other, Hand, "the other hand")
        return Hand(self.mask | other.mask, self.twice | other.twice, max(self.jokers, other.jokers))

    def __add__(self, other: Hand) -> Hand:
        """Return the cards of both hands together.

        Raises:
            DeckError: A card would occur three times.
        """
        check_type(other, Hand, "the other hand")
        return Hand.of([*self, *other], decks=2)

    def __sub__(self, other: Hand) -> Hand:
        """Return this hand without the cards of *other*.

        Raises:
            DeckError: A card of *other* is not in this hand.
        """
        check_type(other, Hand, "the other hand")
        cards = list(self)
        for card in other:
            if card not in cards:
                raise DeckError(f"{card} is not in {self}")
            cards.remove(card)
        return Hand.of(cards, decks=2)

    @property
    def points(self) -> int:
        """The cards' points in Gin, melded or not: an ace is 1, face cards are 10."""
        return int(points(self.mask)) + int(points(self.twice))

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand.parse({str(self)!r}{', decks=2' if self.twice else ''})"

    def __format__(self, spec: str) -> str:
        return " ".join(format(card, spec) for card in self)


@cache
def _cards_in(mask: int) -> tuple[Card, ...]:
    """Return the cards of one suit; there are 8192 such masks for each."""
    return cards_of(to_ids(mask))


def _decks(n: int) -> str:
    return "one deck is in play" if n == 1 else f"{n} decks are in play"
