"""What a seat can tell from its own redacted log in basic rummy (``examples/basic_rummy``), in plain Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from basic_rummy.options import BasicOptions
from properties import reference
from rummylab.cards.card import Card
from rummylab.engine.action import Event

PHASES = ["draw", "play", "over"]
OUTCOMES = ["none", "out", "void"]
ON_TABLE = 8


def mask(cards: Iterable[Card]) -> int:
    return sum(1 << card.id for card in cards)


def is_meld(cards: Iterable[Card]) -> bool:
    return reference.is_meld(frozenset(card.index52 for card in cards))


class BasicFold:
    """Apply the events of one seat's log; ``view()`` then says what every field of its view must hold."""

    def __init__(self, options: BasicOptions, seat: int, starter: int) -> None:
        self.options, self.seat, self.starter = options, seat, starter
        self.hand: set[Card] = set()
        self.drawn = self.taken = self.winner = -1
        self.pile: set[Card] = set()
        self.up: Card | None = None
        self.known: list[set[Card]] = [set(), set()]
        self.melds: list[set[Card]] = []
        self.n_hand = [options.cards] * 2
        self.stock = 51 - 2 * options.cards
        self.turn = self.points = 0
        self.scores = [0, 0]
        self.phase, self.actor, self.outcome = "draw", starter, "none"

    def apply(self, event: Event) -> None:
        getattr(self, "_" + event.action.verb.replace(" ", "_"))(
            int(event.seat), list(event.action.cards), list(event.secret)
        )

    def _deal(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if seat == self.seat:
            self.hand = set(secret)

    def _turn_up(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.up, self.pile = cards[0], set(cards)

    def _drawn(self, seat: int, cards: list[Card]) -> None:
        self.n_hand[seat] += 1
        self.phase = "play"
        if seat == self.seat:
            self.hand |= set(cards)
            self.drawn = cards[0].id

    def _draw_stock(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.stock -= 1
        self._drawn(seat, secret)

    def _draw_upcard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        assert self.up is not None
        card, self.up = self.up, None
        self.pile.remove(card)
        self.known[seat].add(card)
        self.taken = card.id
        self._drawn(seat, [card])

    def _played(self, seat: int, cards: list[Card]) -> None:
        self.hand -= set(cards)
        self.known[seat] -= set(cards)
        self.n_hand[seat] -= len(cards)
        if self.n_hand[seat] == 0:
            self.outcome, self.winner = "out", seat
            self._end_turn(seat)

    def _lay_down(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        assert is_meld(cards)
        self.melds.append(set(cards))
        self._played(seat, cards)

    def _lay_off(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        next(meld for meld in self.melds if is_meld(meld | set(cards))).add(cards[0])
        self._played(seat, cards)

    def _discard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.up = cards[0]
        self.pile.add(cards[0])
        self._played(seat, cards)
        if self.outcome == "none":
            self._end_turn(seat)

    def _end_turn(self, seat: int) -> None:
        self.turn += 1
        self.taken = -1
        self.drawn = -1 if seat == self.seat else self.drawn
        self.actor, self.phase = 1 - seat, "draw"
        if self.outcome == "none" and (self.stock == 0 or self.turn >= self.options.turn_cap):
            self.outcome = "void"
        if self.outcome != "none":
            self.actor, self.phase = -1, "over"

    def _shows(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if self.winner == 1 - seat:
            self.points = reference.points(card.index52 for card in cards)
            self.scores[self.winner] += self.points

    def view(self) -> dict[str, Any]:
        melds = [mask(meld) for meld in self.melds]
        return {
            "table.pile": mask(self.pile),
            "table.known": [mask(cards) for cards in self.known],
            "table.melds": melds + [0] * (ON_TABLE - len(melds)),
            "table.scores": self.scores,
            "table.turn": self.turn,
            "table.points": self.points,
            "table.n_hand": self.n_hand,
            "table.n_melds": len(melds),
            "table.stock": self.stock,
            "table.up": self.up.id if self.up else -1,
            "table.taken": self.taken,
            "table.phase": PHASES.index(self.phase),
            "table.actor": self.actor,
            "table.starter": self.starter,
            "table.outcome": OUTCOMES.index(self.outcome),
            "table.winner": self.winner,
            "mine.hand": mask(self.hand),
            "mine.rng": 0,
            "mine.seat": self.seat,
            "mine.drawn": self.drawn,
            "mine.memory": [0] * 32,
        }
