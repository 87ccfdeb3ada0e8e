"""What a seat at a table of Gin with a passed card can tell from its own redacted log alone, in plain Python.

Written from the rules page and the field list of the view, not from the kernels: a second, slow implementation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from properties import gin_pass_reference, reference
from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.gin_pass.options import GinPassOptions

PHASES = ["pass", "draw", "discard", "over"]
OUTCOMES = ["none", "knock", "gin", "undercut", "washout"]
FROM_STOCK, PLACES = 62, 4


def mask(cards: Iterable[Card]) -> int:
    return sum(1 << card.id for card in cards)


class GinPassFold:
    """Apply the events of one seat's log; ``view()`` then says what every field of its view must hold."""

    def __init__(self, options: GinPassOptions, seat: int, starter: int, hand_no: int = 0) -> None:
        self.options, self.seat, self.starter, self.hand_no = options, seat, starter, hand_no
        self.hand: set[Card] = set()
        self.drawn = self.passed = self.received = -1
        self.pile: list[Card] = []
        self.held_up = False
        self.seen_up: set[Card] = set()
        self.known: list[set[Card]] = [set() for _ in range(PLACES)]
        self.picked: list[set[Card]] = [set() for _ in range(PLACES)]
        self.refused: list[set[Card]] = [set() for _ in range(PLACES)]
        self.thrown: list[set[Card]] = [set() for _ in range(PLACES)]
        self.stock = 51 - options.seats * options.cards
        self.passes = self.turn = self.points = 0
        self.last_draw, self.last_discard = [-1] * PLACES, [-1] * PLACES
        self.deadwood, self.scores = [0] * PLACES, [0] * PLACES
        self.phase, self.actor = "pass" if options.pass_card else "draw", starter
        self.knocker, self.outcome, self.winner = -1, "none", -1

    def apply(self, event: Event) -> None:
        verb = event.action.verb.replace(" ", "_")
        getattr(self, "_" + verb)(int(event.seat), list(event.action.cards), list(event.secret))

    def _next(self, seat: int) -> int:
        return (seat + 1) % self.options.seats

    def _deal(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if seat == self.seat:
            self.hand = set(secret)

    def _turn_up(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.pile, self.seen_up = cards, set(cards)

    def _pass(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        assert (seat == self.seat) == bool(cards) == bool(secret), "others see only that a card was chosen"
        if seat == self.seat:
            self.passed = cards[0].id
        self.passes += 1
        self.actor = self._next(seat)

    def _receive(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.phase = "draw"
        if seat == self.seat:
            self.received = secret[0].id
            self.hand = self.hand - {Card(self.passed)} | set(secret)

    def _draw_stock(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if self.stock == 0:
            self._wash_out()
            return
        self.stock -= 1
        self.refused[seat].add(self.pile[-1])
        self._drawn(seat, FROM_STOCK, secret)

    def _draw_upcard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        card = self.pile.pop()
        self.held_up = True
        self.known[seat].add(card)
        self.picked[seat].add(card)
        self._drawn(seat, card.id, [card])

    def _drawn(self, seat: int, shown: int, cards: list[Card]) -> None:
        self.last_draw[seat] = shown
        self.phase = "discard"
        if seat == self.seat:
            self.hand |= set(cards)
            self.drawn = cards[0].id

    def _discard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.held_up = False
        self.pile += cards
        self.seen_up |= set(cards)
        self.known[seat] -= set(cards)
        self.thrown[seat] |= set(cards)
        self.last_discard[seat] = cards[0].id
        self.turn += 1
        if seat == self.seat:
            self.hand -= set(cards)
            self.drawn = -1
        self.actor, self.phase = self._next(seat), "draw"
        if self.turn == self.options.turn_cap:
            self._wash_out()

    def _wash_out(self) -> None:
        self._close("washout")

    def _knock(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.knocker = seat
        self._discard(seat, cards, secret)
        self._close("knock")

    def _close(self, outcome: str) -> None:
        if self.phase != "over":
            self.hand_no += 1
        self.phase, self.actor, self.outcome = "over", -1, outcome

    def _shows(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if self.knocker < 0:
            return
        self.deadwood[seat] = reference.min_deadwood(frozenset(card.index52 for card in cards))
        if seat == self.options.seats - 1:
            self._settle(self.deadwood[: self.options.seats])

    def _settle(self, deadwood: list[int]) -> None:
        self.winner = gin_pass_reference.winner_of(self.options, self.knocker, deadwood)
        self.points = gin_pass_reference.points_of(self.options, self.knocker, deadwood)
        self.scores[self.winner] += self.points
        if self.winner != self.knocker:
            self.outcome = "undercut"
        elif deadwood[self.knocker] == 0:
            self.outcome = "gin"

    def view(self) -> dict[str, Any]:
        """Every field of the view, the options apart."""
        table = {
            "pile": mask(self.pile),
            "seen_up": mask(self.seen_up),
            "known": [mask(cards) for cards in self.known],
            "picked": [mask(cards) for cards in self.picked],
            "refused": [mask(cards) for cards in self.refused],
            "thrown": [mask(cards) for cards in self.thrown],
            "scores": self.scores,
            "hand_no": self.hand_no,
            "turn": self.turn,
            "points": self.points,
            "deadwood": self.deadwood,
            "phase": PHASES.index(self.phase),
            "actor": self.actor,
            "starter": self.starter,
            "passes": self.passes,
            "up": -1 if self.held_up else self.pile[-1].id,
            "stock": self.stock,
            "last_draw": self.last_draw,
            "last_discard": self.last_discard,
            "knocker": self.knocker,
            "outcome": OUTCOMES.index(self.outcome),
            "winner": self.winner,
        }
        mine = {
            "hand": mask(self.hand),
            "rng": 0,
            "seat": self.seat,
            "drawn": self.drawn,
            "passed": self.passed,
            "received": self.received,
            "memory": [0] * 32,
        }
        return {**{f"table.{k}": v for k, v in table.items()}, **{f"mine.{k}": v for k, v in mine.items()}}
