"""A deck in dealing order: the first card is dealt first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import IDS_52
from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.rng import shuffle
from rummylab.errors import DeckError


@dataclass(frozen=True, order=True, slots=True)
class Deck:
    """All cards in play, in the order in which they are dealt and drawn.

    >>> Deck.shuffled(7) == Deck.parse(str(Deck.shuffled(7)))
    True
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        counts: dict[Card, int] = {}
        for card in self.cards:
            counts[card] = counts.get(card, 0) + 1
        naturals = {card: n for card, n in counts.items() if not card.is_joker}
        if len(naturals) != 52:
            missing = [str(Card(int(i))) for i in IDS_52 if Card(int(i)) not in naturals]
            raise DeckError(
                f"a deck holds every card, but {', '.join(missing[:5])} is missing ({len(self.cards)} cards)"
            )
        copies = set(naturals.values())
        if len(copies) != 1:
            odd = max(naturals, key=lambda card: naturals[card])
            raise DeckError(f"{odd} is in the deck {naturals[odd]} times, other cards {min(copies)} times")

    @classmethod
    def ordered(cls, *, decks: int = 1, jokers: int = 0) -> Deck:
        """Return *decks* decks and *jokers* printed jokers in new-deck order."""
        ids = [int(i) for i in IDS_52] * decks + [JOKER_ID] * jokers
        return cls(tuple(map(Card, ids)))

    @classmethod
    def shuffled(cls, seed: int, *, decks: int = 1, jokers: int = 0) -> Deck:
        """Return the shuffle of stream *seed*: the same one the kernels deal."""
        ids = cls.ordered(decks=decks, jokers=jokers).ids()
        shuffle(ids, np.uint64(seed % 2**64))
        return cls.from_ids(ids)

    @classmethod
    def from_ids(cls, ids: Iterable[int]) -> Deck:
        return cls(tuple(Card(int(i)) for i in ids))

    @classmethod
    def parse(cls, text: str) -> Deck:
        """Read all cards in dealing order, separated by spaces or commas."""
        return cls(tuple(Card.parse(word) for word in text.replace(",", " ").split()))

    def ids(self) -> npt.NDArray[np.int8]:
        """Return the card ids as a fresh array, for the kernels."""
        return np.array([card.id for card in self.cards], dtype=np.int8)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def __len__(self) -> int:
        return len(self.cards)

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Deck.parse({str(self)!r})"
