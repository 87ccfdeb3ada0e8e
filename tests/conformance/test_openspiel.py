"""The preset ``openspiel`` in lock-step with the ``open_spiel`` package: an engine that we did not write.

Every playout deals the same cards to both engines and then plays one random line through both. At every decision
both must name the same player and, after translation, the same moves; at the end the same returns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from helpers import make_deck, push
from properties import reference
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action
from rummylab.engine.state import State
from rummylab.games.gin.game import gin

pyspiel = pytest.importorskip("pyspiel", reason="the test extra's open_spiel is not installed")

DRAW_UPCARD, DRAW_STOCK, PASS, KNOCK, FIRST_MELD = 52, 53, 54, 55, 56
SUITS = "scdh"
N_PLAYOUTS = 2000
BATCHES = 8
CALM, THRIFTY, KEEN = range(3)
"""Styles of a playout: any move; few up-cards and low deadwood; the same and takes every chance to show."""


# --- Translation ------------------------------------------------------------------------------------------------------


def theirs(card: Card) -> int:
    return 13 * SUITS.index(str(card)[1]) + card.rank


def ours(number: int) -> Card:
    return Card.parse("A23456789TJQK"[number % 13] + SUITS[number // 13])


def _meld_list() -> list[tuple[int, ...]]:
    """OpenSpiel's 185 melds by number: groups by rank, then runs of three, four and five."""
    melds: list[tuple[int, ...]] = []
    for rank in range(13):
        four = [13 * suit + rank for suit in range(4)]
        melds += [tuple(c for c in four if c // 13 != lacking) for lacking in range(4)] + [tuple(four)]
    for length in (3, 4, 5):
        for suit in range(4):
            melds += [tuple(range(13 * suit + low, 13 * suit + low + length)) for low in range(14 - length)]
    return melds


MELD_CARDS = _meld_list()
MELD_NUMBER = {frozenset(ours(c) for c in cards): FIRST_MELD + i for i, cards in enumerate(MELD_CARDS)}


def translate(action: Action) -> int:
    """Our action as OpenSpiel's number; a knock is translated by the caller."""
    if action.verb in ("draw upcard", "draw stock"):
        return DRAW_UPCARD if action.verb == "draw upcard" else DRAW_STOCK
    if action.verb in ("pass", "done"):
        return PASS
    if action.verb in ("discard", "lay off"):
        return theirs(action.cards[0])
    assert action.verb == "meld"
    return MELD_NUMBER[frozenset(action.cards)]


def test_melds_are_numbered_as_openspiel_says() -> None:
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    assert len(MELD_CARDS) == 185
    assert all(tuple(sorted(utils.int_to_meld[i])) == cards for i, cards in enumerate(MELD_CARDS))


# --- Lock-step --------------------------------------------------------------------------------------------------------


class Pair:
    """Both engines on the same cards."""

    def __init__(self, deck: Deck) -> None:
        self.state = State.deal(gin("openspiel"), 0, deck=deck)
        self.other = pyspiel.load_game("gin_rummy").new_initial_state()
        for card in [*deck.cards[0:20:2], *deck.cards[1:20:2], deck.cards[20]]:
            self.other.apply_action(theirs(card))

    def knock_cards(self) -> dict[int, Action]:
        return {theirs(a.cards[0]): a for a in self.state.legal_actions if a.verb == "knock"}

    def check(self) -> None:
        """Assert that both engines agree on who acts and on what is legal."""
        if self.state.actor is None:
            assert self.other.is_terminal()
            assert tuple(self.other.returns()) == self.state.payoffs()
            return
        assert not self.other.is_terminal()
        assert self.other.current_player() == self.state.actor
        legal = {translate(a) for a in self.state.legal_actions if a.verb != "knock"}
        knocks = self.knock_cards()
        if knocks:
            legal.add(KNOCK)
        expected = set(self.other.legal_actions())
        assert legal == expected, self.explain(legal, expected)
        if knocks:
            child = self.other.child(KNOCK)
            assert set(child.legal_actions()) == set(knocks)

    def explain(self, legal: Iterable[int], expected: Iterable[int]) -> str:
        legal, expected = set(legal), set(expected)
        name = self.other.action_to_string
        moves = [str(e.action) for e in self.state.log if e.chosen]
        return (
            f"only ours: {[name(a) for a in legal - expected]}; only theirs: {[name(a) for a in expected - legal]}\n"
            f"deck {self.state.deck}\nmoves {'; '.join(moves)}\n{self.other}"
        )

    def push(self, action: Action) -> None:
        event = self.state.push(action)
        if action.verb == "knock":
            self.other.apply_action(KNOCK)
            self.other.apply_action(theirs(action.cards[0]))
        else:
            self.other.apply_action(translate(action))
        if event.secret:
            assert self.other.is_chance_node()
            self.other.apply_action(theirs(event.secret[0]))


def choose(pair: Pair, rng: np.random.Generator, style: int) -> Action:
    actions = list(pair.state.legal_actions)
    if style != CALM and rng.random() < 0.9:
        showy = [a for a in actions if a.verb in ("meld", "lay off", "knock")]
        if showy and style == KEEN:
            return showy[int(rng.integers(len(showy)))]
        stock = [a for a in actions if a.verb == "draw stock"]
        if stock and rng.random() < 0.8:
            return stock[0]
        throws = [a for a in actions if a.verb == "discard"]
        if throws:
            seat = pair.state.actor
            hand = {c.index52 for c in map(Card, _ids(pair.state, seat))}
            left = [reference.min_deadwood(hand - {a.cards[0].index52}) for a in throws]
            best = [a for a, points in zip(throws, left, strict=True) if points == min(left)]
            return best[int(rng.integers(len(best)))]
    return actions[int(rng.integers(len(actions)))]


def _ids(state: State, seat: int | None) -> list[int]:
    mask = int(state.rows()["mine"]["hand"][0][seat])
    return [i for i in range(64) if mask >> i & 1]


def playout(number: int) -> Counter[str]:
    """Play one line through both engines, checking at every step; return what happened in it."""
    rng = np.random.default_rng([2024, number])
    pair = Pair(Deck.shuffled(number))
    style = number % 3
    happened: Counter[str] = Counter()
    while True:
        pair.check()
        if pair.state.actor is None:
            break
        action = choose(pair, rng, style)
        phase = pair.state.observe(pair.state.actor).phase
        happened[f"{phase}: {action.verb}"] += 1
        pair.push(action)
    happened[pair.state.result["outcome"]] += 1
    return happened


_SEEN: Counter[str] = Counter()


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_playouts_agree_step_by_step(batch: int) -> None:
    happened: Counter[str] = Counter()
    for number in range(batch, N_PLAYOUTS, BATCHES):
        happened += playout(number)
    for kind in (
        "offer: pass",
        "offer: draw upcard",
        "offer: draw stock",
        "draw: draw upcard",
        "discard: knock",
        "spread: meld",
        "spread: done",
        "lay off: lay off",
        "lay off: done",
        "defend: meld",
        "defend: done",
        "wall: pass",
        "knock",
        "gin",
        "undercut",
        "cancelled",
    ):
        assert happened[kind] > 0, f"no {kind} in this batch: {happened}"
