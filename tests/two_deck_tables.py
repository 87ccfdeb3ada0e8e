"""What hand-made tables of games with two decks share."""

from __future__ import annotations

from collections import Counter

from helpers import push
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.state import State


def filled_deck(first: list[Card], *, decks: int, jokers: int) -> Deck:
    """The deck that begins with the cards *first*, then the rest in order."""
    rest = Counter(Deck.ordered(decks=decks, jokers=jokers))
    rest.subtract(first)
    assert min(rest.values()) >= 0, f"too many of {[str(card) for card, n in rest.items() if n < 0]}"
    return Deck((*first, *rest.elements()))


def hand_of(state: State, seat: int) -> Hand:
    mine = state.rows()["mine"][0][seat]
    return Hand(int(mine["hand"]), int(mine["twice"]), int(mine["jokers"]))


def draw_and_throw(state: State, turns: int) -> State:
    """Let the players draw from the stock and throw what they drew."""
    for _ in range(turns):
        push(state, "draw stock")
        drawn = next(event for event in reversed(state.log) if event.secret)
        push(state, f"discard {drawn.secret[0]}")
    return state
