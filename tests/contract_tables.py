"""Hand-made rounds of contract rummy."""

from __future__ import annotations

import numpy as np

from helpers import words
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.view import ContractRummy, contract
from two_deck_tables import filled_deck

READY = "7c 7h 7s 9c 9h 2s 4d"
"""Two sets of three with the two of spades, and a card to spare."""
JUNK = "3c 5d 6h 8s Td Qc Kh"
"""No pair, no wild: 3 5 6 8 cost 5 each, T Q K 10."""


def make_deck(*hands: str, up: str, stock: str = "", starter: int = 0, decks: int = 1, jokers: int = 2) -> Deck:
    """The deck that deals *hands* from seat 0 on, turns *up*, and stocks *stock*, then the rest in order."""
    dealt = [words(hand) for hand in hands]
    in_order = dealt[starter:] + dealt[:starter]
    fixed = [card for cards in zip(*in_order, strict=True) for card in cards] + [Card.parse(up), *words(stock)]
    return filled_deck(fixed, decks=decks, jokers=decks * jokers)


def table_with(rules: ContractRummy, *hands: str, up: str, stock: str = "", starter: int = 0) -> State:
    options = rules.options
    deck = make_deck(*hands, up=up, stock=stock, starter=starter, decks=options.decks, jokers=options.jokers)
    return State.deal(rules, 0, starter=starter, deck=deck)


def deal(
    seat0: str = READY,
    seat1: str = JUNK,
    up: str = "Ad",
    stock: str = "",
    *,
    preset: str = "chinese",
    starter: int = 0,
    **changes: object,
) -> State:
    """A table with these cards on it."""
    return table_with(contract(preset, **changes), seat0, seat1, up=up, stock=stock, starter=starter)


def choice(state: State, name: str) -> str:
    """The move of the agent *name*."""
    player = agent("contract", name)
    assert state.actor is not None
    player.sit(state.rules, Seat(state.actor), np.random.default_rng(1))
    return str(player.act(state.observe(state.actor)))


class Replacer:
    """Replaces a wild wherever possible, else plays like `contract-greedy`."""

    def __init__(self) -> None:
        self.greedy = agent("contract", "contract-greedy")

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.greedy.sit(rules, seat, rng)

    def act(self, seen: Observation) -> Action:
        swaps = [action for action in seen.legal if action.verb == "replace"]
        return swaps[0] if swaps else self.greedy.act(seen)
