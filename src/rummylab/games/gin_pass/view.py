"""Gin with a passed card for Python: the :class:`GinPass` rules object and what a seat sees.

The rules themselves are in :mod:`rummylab.games.gin_pass.rules`. Nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rummylab._jit import kernel
from rummylab.cards.bulk import deadwood
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.melds import min_deadwood
from rummylab.engine.action import Action, Event
from rummylab.engine.deadwood import DeadwoodObservation
from rummylab.engine.drivers import seat_question, view_question
from rummylab.engine.observation import card_or_none
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec
from rummylab.games.gin_pass import rules as r
from rummylab.games.gin_pass.options import GinPassOptions
from rummylab.games.gin_pass.spec import SPEC


@kernel
def _known_cards(views: Rows, seat: int) -> int:
    return r.known_cards(views[0].table, views[0].mine, seat)


class GinPassObservation(DeadwoodObservation):
    """What a seat sees at a table of Gin with a passed card."""

    __slots__ = ()

    @property
    def seen_up(self) -> Hand:
        """Every card that ever lay face up in this hand."""
        return Hand(int(self.table["seen_up"]))

    @property
    def passed(self) -> Card | None:
        """The card this seat has chosen to pass."""
        return card_or_none(self.mine["passed"])

    @property
    def received(self) -> Card | None:
        """The card this seat was passed."""
        return card_or_none(self.mine["received"])

    @property
    def passes_to(self) -> Seat:
        """Who gets the card that this seat passes in this hand."""
        return Seat(int(seat_question(r.passes_to)(self.view, self.seat)))

    @property
    def unseen(self) -> Hand:
        """The cards this seat has never seen: in the stock, or unknown in other hands."""
        return Hand(int(view_question(r.unseen)(self.view)))

    def known(self, seat: Seat) -> Hand:
        """Return the cards this seat knows *seat* to hold: taken from the pile or passed to them, and kept."""
        return Hand(int(_known_cards(self.view, seat)))

    def thrown(self, seat: Seat) -> Hand:
        """Return the cards *seat* has discarded in this hand."""
        return Hand(int(self.table["thrown"][seat]))

    def last_discard(self, seat: Seat) -> Card | None:
        """Return the card that *seat* discarded last."""
        return card_or_none(self.table["last_discard"][seat])

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows, or that it has seen before."""
        passed = {self.passed.id} if self.passed else set()
        return super().in_sight() | {card.id for card in self.seen_up} | passed

    def table_lines(self, style: str, names: Sequence[str]) -> list[str]:
        """Return the table and, before the first draw, who gets the passed card."""
        goes_to = [f"your card goes to {names[self.passes_to]}"] if self.phase == "pass" else []
        return [*super().table_lines(style, names), *goes_to]


@dataclass(frozen=True, repr=False)
class GinPass(Rules):
    """The rules of Gin with a passed card, for two to four seats, under some options."""

    options: GinPassOptions = field(default_factory=GinPassOptions)

    spec: ClassVar[GameSpec] = SPEC

    deadwood = staticmethod(deadwood)

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt."""
        return self.options.cards

    def aside(self, row: Rows) -> list[Event]:
        """Return what each seat was passed, once all have chosen; nobody else is told (2)."""
        table = row["table"][0]
        if not (self.options.pass_card and table["phase"] == r.DRAW and table["turn"] == 0):
            return []
        cards = row["mine"]["received"][0, : self.seats]
        return [Event(Seat(seat), Action("receive"), (Card(int(card)),), False) for seat, card in enumerate(cards)]

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say why a knock is refused."""
        if action.card and action.verb == "knock" and self.phase(row) == "discard":
            left = int(min_deadwood(hand.mask & ~(1 << action.card.id)))
            words = f"deadwood {left} over the limit {self.options.knock_limit}"
            return f"{missing} is not in the hand" if missing else words
        return ""

    def details(self, row: Rows) -> dict[str, Any]:
        """Return points, turns and scores and, after a knock, the knocker and the deadwood."""
        table = row["table"][0]
        details: dict[str, Any] = {
            "points": int(table["points"]),
            "turns": int(table["turn"]),
            "scores": list(self.scores(row)),
        }
        if table["knocker"] >= 0:
            deadwood = [int(points) for points in table["deadwood"][: self.seats]]
            details |= {"knocker": int(table["knocker"]), "deadwood": deadwood}
        return details

    def table_note(self, row: Rows) -> str:
        """Return the cards of the discard pile."""
        return f", pile {Hand(int(row['table']['pile'][0]))}"

    def seat_note(self, row: Rows, seat: int) -> str:
        """Return the deadwood of a hand and the card passed."""
        passed = card_or_none(row["mine"]["passed"][0, seat])
        note = f", passed {passed}" if passed else ""
        return f" (deadwood {int(min_deadwood(self.hand_at(row, seat).mask))}{note})"


def gin_pass(preset: str = "course", **changes: Any) -> GinPass:
    """Return the rules of Gin with a passed card: ``course``, ``course-ten`` or ``course-seven``, perhaps with changes.

    >>> gin_pass(seats=3).options.hands
    42
    """
    return GinPass(GinPassOptions.parse(preset, **changes))
