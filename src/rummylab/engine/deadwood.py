"""What a hand without wild cards is worth: its melds, its deadwood and, with a card too many, the best discards."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.melds import best_arrangements, best_throws, min_deadwood
from rummylab.engine.observation import Observation
from rummylab.errors import DeckError

MOST_CARDS = 11


@dataclass(frozen=True, slots=True)
class DeadwoodEvaluation:
    """A hand with every arrangement of least deadwood."""

    hand: Hand
    deadwood: int
    arrangements: tuple[tuple[Hand, ...], ...]
    discards: Hand | None = None
    """The cards whose discard leaves the least deadwood, if there is a card to discard."""
    deadwood_after: int = 0
    """That least deadwood."""

    def lines(self, style: str = "unicode") -> list[str]:
        """Return the evaluation as text."""
        lines = [f"{format(self.hand, style)}: deadwood {self.deadwood}"]
        for melds in self.arrangements:
            shown = " | ".join(format(meld, style) for meld in melds) or "no melds"
            lines.append(f"  {shown}   unmelded: {format(without(self.hand, melds), style) or 'nothing'}")
        if self.discards is not None:
            cards = " or ".join(format(card, style) for card in self.discards)
            lines.append(f"  discard {cards}: deadwood {self.deadwood_after}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values."""
        plain: dict[str, Any] = {
            "hand": str(self.hand),
            "deadwood": self.deadwood,
            "arrangements": [[str(meld) for meld in melds] for melds in self.arrangements],
        }
        if self.discards is not None:
            plain |= {"discard": str(self.discards).split(), "deadwood_after_discard": self.deadwood_after}
        return plain


def evaluate(hand: Hand, *, discard_from: Collection[int] = (MOST_CARDS,)) -> DeadwoodEvaluation:
    """Return what *hand* is worth; hands of *discard_from* cards have one to discard.

    Raises:
        DeckError: If the hand has jokers, no cards, or more than eleven.
    """
    if hand.jokers:
        raise DeckError("Gin is played without jokers, but the hand has PJ.")
    if not 1 <= len(hand) <= MOST_CARDS:
        raise DeckError(f"A hand of Gin has up to {MOST_CARDS} cards, not {len(hand)}.")
    melds = tuple(tuple(map(Hand, found)) for found in best_arrangements(hand.mask))
    found = DeadwoodEvaluation(hand, int(min_deadwood(hand.mask)), melds)
    if len(hand) not in discard_from:
        return found
    discards, left = best_throws(hand.mask)
    return DeadwoodEvaluation(hand, found.deadwood, melds, Hand(discards), left)


def without(hand: Hand, melds: Collection[Hand]) -> Hand:
    """Return the cards of *hand* outside *melds*."""
    for meld in melds:
        hand = hand - meld
    return hand


class DeadwoodObservation(Observation):
    """What a seat sees in a game where deadwood counts."""

    __slots__ = ()

    @property
    def knock_limit(self) -> int:
        """The most deadwood with which a player may knock."""
        return int(self.table["rules"]["knock_limit"])

    def deadwood_after(self, card: Card) -> int:
        """Return the least deadwood of the hand after *card* is discarded."""
        return int(min_deadwood(self.hand.mask & ~(1 << card.id)))

    def arranged(self, hand: Hand, style: str) -> str:
        """Return *hand* with its melds first, then the other cards by rank."""
        melds = [Hand(meld) for meld in best_arrangements(hand.mask)[0]]
        loose = super().arranged(without(hand, melds), style)
        return "  |  ".join(part for part in (*(format(meld, style) for meld in melds), loose) if part)

    def hand_note(self) -> str:
        """Return the deadwood of the hand."""
        return f"   deadwood {int(min_deadwood(self.hand.mask))}"

    def advice(self, style: str) -> str:
        """Return what each choice does to the deadwood."""
        hand = self.hand.mask
        if self.phase in ("draw", "offer") and self.upcard is not None:
            card, (_, after) = format(self.upcard, style), best_throws(hand | 1 << self.upcard.id)
            return f"with {card} your best deadwood is {after}, without it {int(min_deadwood(hand))}"
        if self.phase == "discard":
            discards, left = best_throws(hand)
            return f"least deadwood ({left}) after discarding {format(Hand(discards), style)}"
        return ""
