"""The fuzzy card collection: a hand or stock of which some cards are known and others are only possible.

Source: James Keats, "Artificial Opponents - Gin Rummy - Code Report" (``FuzzyCardCollection``). It has three parts:
the *known* cards, which are certainly there; the *possible* cards, which may be there; and the *size*, the number of
cards it holds. ``size - len(known)`` places are unknown.

The chance of a card: 1 if it is known, ``unknown places / possible cards`` if it is possible, else 0. That is exact
if the unknown places are a random subset of the possible cards. Several collections that share their possible cards,
and have as many unknown places in all as there are such cards, are exact together: dealing the cards to the places in
random order, each card goes to a collection in proportion to its unknown places. So at a table the chances of an unseen
card add up to 1 over the other hands and the stock.

Python code uses `FuzzyCards`; kernels use `chance` and `write_chances` on masks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import index_of, lowest, popcount
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.errors import DeckError

Floats = npt.NDArray[np.float32]


# --- For kernels --------------------------------------------------------------------------------------------------


@kernel
def chance(known: int, possible: int, size: int) -> float:
    """Return the chance of each *possible* card: unknown places over possible cards."""
    return (size - popcount(known)) / max(popcount(possible), 1)


@helper
def _set_all(cards: int, share: float, out: Floats) -> None:
    """Write *share* to the places of *cards* in *out*, at 13 * suit + rank."""
    while cards:
        out[index_of(lowest(cards))] = np.float32(share)
        cards &= cards - 1


@helper
def write_chances(known: int, possible: int, size: int, out: Floats) -> None:
    """Write the chance of each of the 52 cards to *out*, at 13 * suit + rank."""
    for i in range(52):
        out[i] = 0.0
    _set_all(possible, chance(known, possible, size), out)
    _set_all(known, 1.0, out)


@kernel
def _chances(known: int, possible: int, size: int, out: Floats) -> None:
    write_chances(known, possible, size, out)


# --- For Python ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FuzzyCards:
    """A collection of cards of which some are known. Changes return a new one.

    >>> FuzzyCards(Hand.parse("7h"), Hand.parse("2c 3c 4c 5c"), 3).chance_of(Card.parse("2c"))
    0.5
    """

    known: Hand = field(default_factory=Hand)
    """Cards that are certainly there."""
    possible: Hand = field(default_factory=Hand)
    """Cards that may be there."""
    size: int = 0
    """The number of cards it holds."""

    def __post_init__(self) -> None:
        if both := self.known.mask & self.possible.mask:
            raise DeckError(f"{Hand(both)} cannot be both known and merely possible")
        if not 0 <= self.unknown <= len(self.possible):
            raise DeckError(
                f"{self.size} cards, {len(self.known)} of them known, do not fit {len(self.possible)} possible cards"
            )

    @property
    def unknown(self) -> int:
        """The number of its cards that are not known."""
        return self.size - len(self.known)

    def can_have(self, card: Card) -> bool:
        """Return whether *card* may be there."""
        return self.chance_of(card) > 0

    def chance_of(self, card: Card) -> float:
        """Return the chance that *card* is there."""
        if card in self.known:
            return 1.0
        return float(chance(self.known.mask, self.possible.mask, self.size)) if card in self.possible else 0.0

    def chances(self) -> Floats:
        """Return the chance of each of the 52 cards, at 13 * suit + rank."""
        out = np.empty(52, np.float32)
        _chances(self.known.mask, self.possible.mask, self.size, out)
        return out

    def gains(self, card: Card | None = None) -> FuzzyCards:
        """Return the collection with one more card: *card* if it was seen, else any possible one."""
        known = self.known if card is None else Hand(self.known.mask | 1 << card.id)
        return replace(self, known=known, possible=_without(self.possible, card), size=self.size + 1)

    def loses(self, card: Card | None = None) -> FuzzyCards:
        """Return the collection with one card fewer: *card* if it was seen, else an unknown one."""
        return FuzzyCards(_without(self.known, card), _without(self.possible, card), self.size - 1)

    def rules_out(self, card: Card) -> FuzzyCards:
        """Return the collection after *card* was seen elsewhere: discarded, or in the player's own hand."""
        return replace(self, possible=_without(self.possible, card))


def _without(cards: Hand, card: Card | None) -> Hand:
    return cards if card is None else Hand(cards.mask & ~(1 << card.id))
