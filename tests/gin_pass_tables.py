"""Hand-made hands of Gin with a passed card."""

from __future__ import annotations

from helpers import push, words
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.rows import count_hands
from rummylab.engine.state import State
from rummylab.games.gin_pass.view import gin_pass

NEAR_GIN = "Ac 2c 3c 4c 7c 7h 7s Td Jd Kd"
"""Runs and a group; the ten, the jack and the king of diamonds count 30, and the queen would make gin."""
JUNK = "2h 4h 6h 8h Th 3s 5s 9s Js Ks"
"""No meld: 2 4 6 8 10 3 5 9 10 10 count 67."""
MORE_JUNK = "3d 5d 8d 2s 4s 6s 9c Jc Kc Qh"
"""No meld: 3 5 8 2 4 6 9 10 10 10 count 67."""


def make_deck(*hands: str, up: str, stock: str = "", starter: int = 0) -> Deck:
    """The deck that deals *hands* one card at a time from *starter* on, turns *up*, and stocks *stock* and the rest."""
    held = [words(hand) for hand in hands]
    in_order = held[starter:] + held[:starter]
    dealt = [card for cards in zip(*in_order, strict=True) for card in cards]
    fixed = [*dealt, Card.parse(up), *words(stock)]
    assert len(set(fixed)) == len(fixed), "a card is named twice"
    return Deck((*fixed, *(card for card in Deck.ordered() if card not in fixed)))


def deal(*hands: str, up: str = "As", stock: str = "", starter: int = 0, hand: int = 1, **changes: object) -> State:
    """A table with *hands* on it, in hand number *hand* of the match; without a pass unless *changes* say otherwise."""
    hands = hands or (NEAR_GIN, JUNK)
    options = {"seats": len(hands), "cards": len(hands[0].split()), "pass_card": False, **changes}
    rules = gin_pass("course", **options)
    row = rules.new_rows(1)
    count_hands(row, hand - 1)
    return State(rules, row, make_deck(*hands, up=up, stock=stock, starter=starter), starter, hand_no=hand - 1)


def draw_and_throw(state: State, turns: int) -> State:
    """Let the players draw from the stock and throw what they drew."""
    for _ in range(turns):
        push(state, "draw stock")
        push(state, f"discard {state.log[-1].secret[0]}")
    return state
