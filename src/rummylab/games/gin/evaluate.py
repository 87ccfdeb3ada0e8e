"""What a hand of Gin Rummy is worth: melds, deadwood and, with eleven cards, the best discard."""

from __future__ import annotations

from rummylab.cards.hand import Hand
from rummylab.engine.deadwood import DeadwoodEvaluation, evaluate
from rummylab.games.gin.options import GinOptions


def evaluate_text(cards: str, options: GinOptions) -> DeadwoodEvaluation:
    """Return what the hand written as *cards* is worth."""
    return evaluate(Hand.parse(cards))
