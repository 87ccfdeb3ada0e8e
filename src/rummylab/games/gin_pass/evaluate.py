"""What a hand of Gin with a passed card is worth: melds, deadwood and, with a card too many, the best discard."""

from __future__ import annotations

from rummylab.cards.hand import Hand
from rummylab.engine.deadwood import MOST_CARDS, DeadwoodEvaluation, evaluate
from rummylab.games.gin_pass.options import GinPassOptions

DISCARD_FROM = (8, MOST_CARDS)
"""Sizes of hands with a card to discard: seven or ten are dealt."""


def evaluate_text(cards: str, options: GinPassOptions) -> DeadwoodEvaluation:
    """Return what the hand written as *cards* is worth."""
    return evaluate(Hand.parse(cards), discard_from=DISCARD_FROM)
