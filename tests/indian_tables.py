"""Hand-made deals of Indian Rummy."""

from __future__ import annotations

from collections.abc import Sequence

from helpers import words
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.state import State
from rummylab.games.indian.view import indian
from two_deck_tables import filled_deck

COMPLETE = "2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh Ks"
"""Thirteen cards that can be declared whatever is wild: two pure runs, a run, a group."""
JUNK = "Ad 3d 6d 8d Td Qd 2h 4h 9h Jh 3s 6s 8s"
"""No run, no group; 91 points with no card wild."""


def make_deck(
    hands: Sequence[str], indicator: str, up: str, stock: str = "", *, decks: int = 1, jokers: int = 1
) -> Deck:
    """The deck that deals *hands*, shows *indicator* and *up*, and stocks *stock*, then the rest in order."""
    dealt = [card for turn in zip(*map(words, hands), strict=True) for card in turn]
    assert len(dealt) == 13 * len(hands), "thirteen cards each"
    fixed = [*dealt, Card.parse(indicator), Card.parse(up), *words(stock)]
    return filled_deck(fixed, decks=decks, jokers=jokers)


def deal(
    hands: Sequence[str],
    indicator: str = "5d",
    up: str = "Jd",
    stock: str = "",
    *,
    preset: str = "paper",
    starter: int = 0,
    **changes: object,
) -> State:
    """A table with these cards on it."""
    rules = indian(preset, **({"seats": len(hands)} | changes))
    options = rules.options
    deck = make_deck(hands, indicator, up, stock, decks=options.decks, jokers=options.printed_jokers)
    return State.deal(rules, 0, starter=starter, deck=deck)
