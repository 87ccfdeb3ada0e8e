"""Gin with a passed card for Python: the :class:`GinCourse` rules object and what a seat sees, in words.

The rules themselves are in :mod:`rummylab.games.gin_course.rules`; nothing here decides what is legal or scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from rummylab._jit import kernel
from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import DECK, root_of, stream
from rummylab.engine.action import Action, Event
from rummylab.engine.kernel_rules import KernelRules
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rows
from rummylab.engine.seats import DEALER, Seat
from rummylab.errors import DeckError, NotationError
from rummylab.games.gin.melds import min_deadwood
from rummylab.games.gin_course import rules as r
from rummylab.games.gin_course.options import GinCourseOptions

_VERBS = {r.DRAW_STOCK: "draw stock", r.TAKE_UP_CARD: "draw upcard"}
ACTION_TABLE = (
    ("draw stock", str(r.DRAW_STOCK), "draw the top card of the stock; if it is empty the hand ends"),
    ("draw upcard", str(r.TAKE_UP_CARD), "take the top card of the discard pile"),
    ("discard CARD", f"{r.DISCARD_CODE} + card", "throw a card"),
    ("knock CARD", f"{r.KNOCK_CODE} + card", "throw a card and knock"),
    ("pass CARD", f"{r.PASS_CODE} + card", "choose the card to hand over, before the first draw"),
)
"""Words, code and meaning of every action: the documentation's table is made from it."""


@cache
def _actions() -> tuple[dict[int, Action], dict[Action, int]]:
    by_code = {code: Action(verb) for code, verb in _VERBS.items()}
    for card in to_ids(ALL_CARDS):
        for base, verb in ((r.DISCARD_CODE, "discard"), (r.KNOCK_CODE, "knock"), (r.PASS_CODE, "pass")):
            by_code[base + card] = Action(verb, (Card(card),))
    return by_code, {action: code for code, action in by_code.items()}


def _card(number: Any) -> Card | None:
    return Card(int(number)) if number >= 0 else None


class GinCourseObservation(Observation):
    """What a seat sees at a table of Gin with a passed card."""

    __slots__ = ()

    @property
    def table(self) -> np.void:
        """The public part of the position, field by field as documented in ``docs/games/gin-course.md``."""
        return self.view["table"][0]

    @property
    def phase(self) -> str:
        """``pass``, ``draw``, ``discard`` or ``over``."""
        return r.PHASES[int(self.table["phase"])]

    @property
    def up_card(self) -> Card | None:
        """The top of the discard pile; nothing while a player holds it."""
        return _card(self.table["up"])

    @property
    def pile(self) -> Hand:
        """The cards of the discard pile."""
        return Hand(int(self.table["pile"]))

    @property
    def seen_up(self) -> Hand:
        """Every card that ever lay face up in this hand."""
        return Hand(int(self.table["seen_up"]))

    @property
    def stock(self) -> int:
        return int(self.table["stock"])

    @property
    def knock_limit(self) -> int:
        return int(self.table["rules"]["knock_limit"])

    @property
    def scores(self) -> tuple[int, ...]:
        """The running scores of the match, by seat."""
        return tuple(int(score) for score in self.table["scores"][: self.rules.seats])

    @property
    def passed(self) -> Card | None:
        """The card this seat has chosen to pass."""
        return _card(self.view["mine"]["passed"][0])

    @property
    def received(self) -> Card | None:
        """The card this seat was handed."""
        return _card(self.view["mine"]["received"][0])

    @property
    def passes_to(self) -> Seat:
        """Who gets the card that this seat passes in this hand."""
        return Seat(int(_passes_to(self.view, self.seat)))

    @property
    def unseen(self) -> Hand:
        """The cards this seat has never seen: in the stock, or unknown in other hands."""
        return Hand(int(_unseen(self.view)))

    def known(self, seat: Seat) -> Hand:
        """Return the cards this seat knows *seat* to hold: taken from the pile, or passed to it, and kept."""
        return Hand(int(_known_cards(self.view, seat)))

    def thrown(self, seat: Seat) -> Hand:
        """Return the cards *seat* has discarded in this hand."""
        return Hand(int(self.table["thrown"][seat]))

    def last_discard(self, seat: Seat) -> Card | None:
        """Return the card that *seat* discarded last."""
        return _card(self.table["last_discard"][seat])

    def deadwood_after(self, card: Card) -> int:
        """Return the least deadwood of the hand once *card* is thrown."""
        return int(min_deadwood(self.hand.mask & ~(1 << card.id)))


@dataclass(frozen=True)
class GinCourse(KernelRules):
    """The rules of Gin for two to four seats with a passed card, under some options."""

    options: GinCourseOptions = field(default_factory=GinCourseOptions)

    name: ClassVar[str] = "gin-course"
    version: ClassVar[int] = 1
    record: ClassVar[np.dtype[np.void]] = r.RECORD
    view: ClassVar[np.dtype[np.void]] = r.VIEW
    n_codes: ClassVar[int] = r.N_CODES
    kernels: ClassVar[Any] = r

    @property
    def seats(self) -> int:
        return self.options.seats

    @property
    def _dealt(self) -> int:
        return self.options.seats * self.options.cards

    def encode(self, action: Action) -> int:
        code = _actions()[1].get(action)
        if code is None:
            raise NotationError(f"no action of Gin with a passed card: {action}")
        return code

    def decode(self, code: int) -> Action:
        try:
            return _actions()[0][code]
        except KeyError:
            raise NotationError(f"no action of Gin with a passed card has the code {code}") from None

    def new_rows(self, n: int) -> Rows:
        rows = np.zeros(n, r.RECORD)
        for name, value in self.options.to_dict().items():
            rows["table"]["rules"][name] = value
        rows["table"]["actor"] = -1
        return rows

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        return Deck.shuffled(int(stream(root_of(seed), np.int64(pair), np.int64(hand), np.int64(DECK))))

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        """Return who starts the first hand: seat 0 (3)."""
        return Seat(0)

    def next_starter(self, row: Rows) -> Seat:
        return Seat(int(_next_starter(row)))

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        for deck in decks:
            if len(deck) != 52:
                raise DeckError(f"Gin with a passed card is played with 52 cards, not {len(deck)}")
        if any(not 0 <= starter < self.seats for starter in starters):
            raise DeckError(f"the starter is a seat from 0 to {self.seats - 1}, not {list(starters)}")
        r.open_hands(rows, np.stack([deck.ids() for deck in decks]), np.array(starters, np.int8))

    def opening(self, row: Rows) -> list[Event]:
        deck, starter = row["deck"][0], int(row["table"]["starter"][0])
        firsts = [(seat - starter) % self.seats for seat in range(self.seats)]
        hands = [tuple(Card(int(card)) for card in deck[first : self._dealt : self.seats]) for first in firsts]
        return [
            *(Event(Seat(seat), Action("deal"), hand, False) for seat, hand in enumerate(hands)),
            Event(DEALER, Action("turn up", (Card(int(deck[self._dealt])),)), (), False),
        ]

    def aside(self, row: Rows) -> list[Event]:
        """Return what each seat was handed, once all have chosen: only it is told (2)."""
        table = row["table"][0]
        handed_over = self.options.pass_card and table["phase"] == r.DRAW and table["turn"] == 0
        if not handed_over:
            return []
        cards = row["mine"]["received"][0, : self.seats]
        return [Event(Seat(seat), Action("receive"), (Card(int(card)),), False) for seat, card in enumerate(cards)]

    def closing(self, row: Rows) -> list[Event]:
        hands = row["mine"]["hand"][0, : self.seats]
        return [
            Event(Seat(seat), Action("shows", tuple(Hand(int(hand)))), (), False) for seat, hand in enumerate(hands)
        ]

    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*: for people, not for deciding anything."""
        table = row["table"][0]
        if table["actor"] < 0:
            return "the hand is over"
        phase = r.PHASES[int(table["phase"])]
        action = self.decode(code)
        hand = Hand(int(row["mine"]["hand"][0, table["actor"]]))
        verbs = {"pass": ("pass",), "discard": ("discard", "knock")}.get(phase, ())
        if action.card and action.verb in verbs:
            if action.card not in hand:
                return f"{action.card} is not in the hand"
            left = int(min_deadwood(hand.mask & ~(1 << action.card.id)))
            return f"deadwood {left} over the limit {self.options.knock_limit}"
        options = ", ".join(sorted({self.decode(c).verb for c in self.legal(row)}))
        return f"not possible in the phase {phase!r} (possible: {options})"

    def observation(
        self, seat: Seat, view: Rows, log: tuple[Event, ...], codes: tuple[int, ...]
    ) -> GinCourseObservation:
        return GinCourseObservation(self, seat, view, log, codes)

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gained: its own points less the mean of what the others won."""
        table = row["table"][0]
        winner, won = int(table["winner"]), float(table["points"])
        if winner < 0:
            return (0.0,) * self.seats
        return tuple(won if seat == winner else -won / (self.seats - 1) for seat in range(self.seats))

    def result(self, row: Rows) -> dict[str, Any]:
        table = row["table"][0]
        result: dict[str, Any] = {
            "outcome": r.OUTCOMES[int(table["outcome"])],
            "winner": int(table["winner"]) if table["winner"] >= 0 else None,
            "points": int(table["points"]),
            "turns": int(table["turn"]),
            "scores": list(self.scores(row)),
        }
        if table["knocker"] >= 0:
            deadwood = [int(points) for points in table["deadwood"][: self.seats]]
            result |= {"knocker": int(table["knocker"]), "deadwood": deadwood}
        return result

    def match_is_over(self, row: Rows) -> bool:
        return bool(_match_is_over(row))

    def scores(self, row: Rows) -> tuple[int, ...]:
        return tuple(int(score) for score in row["table"]["scores"][0, : self.seats])

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        row["table"]["scores"][0, : self.seats] = list(scores)

    def show(self, row: Rows) -> str:
        table = row["table"][0]
        up = _card(table["up"])
        lines = [
            f"Gin with a passed card ({self.options.preset_name()}), turn {table['turn']},"
            f" phase {r.PHASES[int(table['phase'])]}",
            f"stock {int(table['stock'])}, up-card {up or '-'}, pile {Hand(int(table['pile']))}",
        ]
        for seat in range(self.seats):
            mine = row["mine"][0][seat]
            hand, passed = Hand(int(mine["hand"])), _card(mine["passed"])
            mark = ">" if table["actor"] == seat else " "
            note = f", passed {passed}" if passed else ""
            lines.append(f"{mark} seat {seat}: {hand} (deadwood {int(min_deadwood(hand.mask))}{note})")
        if table["actor"] < 0 and table["outcome"]:
            result = self.result(row)
            who = "nobody" if result["winner"] is None else f"seat {result['winner']}"
            lines.append(f"{result['outcome']}: {who} wins {result['points']} points")
        return "\n".join(lines)

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck's order whose cards *viewer* cannot tell apart by now.

        Those of cards it passed stay out, also in another's hand; all hands are shown at the end.
        """
        table, mine = row["table"][0], row["mine"][0]
        seen = int(table["seen_up"]) | int(mine[viewer]["hand"])
        if mine[viewer]["passed"] >= 0:
            seen |= 1 << int(mine[viewer]["passed"])
        for seat in range(self.seats):
            if table["actor"] < 0:
                seen |= int(mine[seat]["hand"])
        return [slot for slot, card in enumerate(row["deck"][0]) if not seen >> int(card) & 1]


@kernel
def _next_starter(rows: Rows) -> int:
    return r.next_starter(rows[0].table)


@kernel
def _match_is_over(rows: Rows) -> bool:
    return r.match_is_over(rows[0].table)


@kernel
def _passes_to(views: Rows, seat: int) -> int:
    return r.passes_to(views[0].table, seat)


@kernel
def _unseen(views: Rows) -> int:
    return r.unseen(views[0].table, views[0].mine)


@kernel
def _known_cards(views: Rows, seat: int) -> int:
    return r.known_cards(views[0].table, views[0].mine, seat)


def gin_course(preset: str = "course", **changes: Any) -> GinCourse:
    """Return the rules of Gin with a passed card: ``course``, ``course_ten`` or ``course_seven``, options changed."""
    return GinCourse(GinCourseOptions.preset(preset, **changes))
