"""What a hand of basic rummy is worth: its melds and the points outside them."""

from __future__ import annotations

from basic_rummy.options import BasicOptions
from rummylab.cards.hand import Hand
from rummylab.engine.deadwood import DeadwoodEvaluation, evaluate


def evaluate_text(cards: str, options: BasicOptions) -> DeadwoodEvaluation:
    """Return what the hand written as *cards* is worth."""
    return evaluate(Hand.parse(cards), discard_from=(options.cards + 1,))
