"""A deck in dealing order: the first card is dealt first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import IDS_52
from rummylab.cards.card import JOKER_ID, Card, cards_of
from rummylab.cards.rng import shuffle
from rummylab.errors import DeckError, check_type, whole

_ID: Final = attrgetter("id")
_IDS_52: Final[list[int]] = IDS_52.tolist()


@dataclass(frozen=True, order=True, slots=True)
class Deck:
    """All cards in play, in the order in which they are dealt and drawn.

    A short deck has the lowest ranks of the first suits, each card once: small games for research are played with it.

    >>> Deck.shuffled(7) == Deck.parse(str(Deck.shuffled(7)))
    True

    Raises:
        DeckError: A card is missing, or cards occur a different number of times.
    """

    cards: tuple[Card, ...]
    _ids: bytes = field(default=b"", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_type(self.cards, tuple, "the cards of a deck", "a tuple of cards (Deck.parse reads text)")
        if set(map(type, self.cards)) == {Card} and self._is_whole():
            return
        counts: dict[Card, int] = {}  # what is wrong?
        for card in self.cards:
            check_type(card, Card, "a card", "a Card (Card.parse reads text)")
            counts[card] = counts.get(card, 0) + 1
        naturals = {card: n for card, n in counts.items() if not card.is_joker}
        if len(naturals) != 52:
            missing = [str(Card(int(i))) for i in IDS_52 if Card(int(i)) not in naturals]
            more = ", ..." if len(missing) > 5 else ""
            raise DeckError(
                f"a deck has every card; this one of {len(self.cards)} lacks {', '.join(missing[:5])}{more}"
            )
        copies = set(naturals.values())
        if len(copies) != 1:
            odd = max(naturals, key=lambda card: naturals[card])
            raise DeckError(f"{odd} is in the deck {naturals[odd]} times, other cards {min(copies)} times")

    def _is_whole(self) -> bool:
        """Return whether every card is there, and each as often as the others; or every card of a short deck."""
        ids = sorted(map(_ID, self.cards))
        n = len(ids) - ids.count(JOKER_ID)
        return n > 0 and (ids[:n] == sorted(_IDS_52 * (n // 52)) or _is_short(ids))

    @classmethod
    def ordered(cls, *, decks: int = 1, jokers: int = 0) -> Deck:
        """Return *decks* decks and *jokers* printed jokers in new-deck order."""
        ids = [int(i) for i in IDS_52] * decks + [JOKER_ID] * jokers
        return cls(tuple(map(Card, ids)))

    @classmethod
    def shuffled(cls, seed: int, *, decks: int = 1, jokers: int = 0) -> Deck:
        """Return the deck that the kernels deal from the random stream *seed*."""
        check_type(seed, int, "a seed")
        ids = cls.ordered(decks=decks, jokers=jokers).ids()
        shuffle(ids, np.uint64(seed % 2**64))
        return cls.from_kernel(ids)

    @classmethod
    def from_ids(cls, ids: Iterable[int]) -> Deck:
        """Return the deck of these card ids, in this order."""
        check_type(ids, Iterable, "ids", "a sequence of card ids")
        return cls(cards_of(whole(i, "the id of a card") for i in ids))

    @classmethod
    def from_kernel(cls, ids: npt.NDArray[np.int8]) -> Deck:
        """Return the deck that a kernel has shuffled. It is whole, so it is not checked again."""
        check_type(ids, np.ndarray, "ids", "an array of card ids")
        deck = object.__new__(cls)
        object.__setattr__(deck, "cards", cards_of(ids.tolist()))
        object.__setattr__(deck, "_ids", ids.tobytes())
        return deck

    @classmethod
    def parse(cls, text: str) -> Deck:
        """Read all cards in dealing order, separated by blanks or commas.

        Raises:
            NotationError: A word is not a card.
            DeckError: The cards are not a deck.
        """
        check_type(text, str, "a deck", "text")
        return cls(tuple(Card.parse(word) for word in text.replace(",", " ").split()))

    def ids(self) -> npt.NDArray[np.int8]:
        """Return the card ids as a new array for the kernels."""
        return np.frombuffer(bytearray(self.id_bytes()), np.int8)

    def id_bytes(self) -> bytes:
        """Return the card ids, a byte each."""
        if not self._ids:
            object.__setattr__(self, "_ids", bytes(map(_ID, self.cards)))
        return self._ids

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def __len__(self) -> int:
        return len(self.cards)

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Deck.parse({str(self)!r})"


def _is_short(ids: list[int]) -> bool:
    """Return whether the sorted *ids* are the lowest ranks of the first suits; two hands and an upcard need three."""
    ranks, suits = 1 + max(card & 15 for card in ids), 1 + (ids[-1] >> 4)
    return len(ids) >= 3 and ids == [16 * suit + rank for suit in range(suits) for rank in range(ranks)]
