"""The whole table. The referee holds it; agents only get observations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rows, Rules, copy_of
from rummylab.engine.seats import Seat
from rummylab.errors import IllegalActionError, NotationError


class LegalActions:
    """The moves of the actor: iterate, ``len()``, ``in``. Computed when first looked at."""

    def __init__(self, rules: Rules, row: Rows) -> None:
        self._rules, self._row = rules, copy_of(row)
        self._codes: list[int] | None = None

    @property
    def codes(self) -> list[int]:
        if self._codes is None:
            self._codes = self._rules.legal(self._row)
        return self._codes

    def __iter__(self) -> Iterator[Action]:
        return map(self._rules.decode, self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __contains__(self, action: object) -> bool:
        try:
            return isinstance(action, Action) and self._rules.encode(action) in self.codes
        except NotationError:
            return False

    def __repr__(self) -> str:
        return f"<{len(self)} legal actions: {', '.join(map(str, self))}>"


class State:
    """One hand in progress: push and pop moves, ask for observations, print.

    >>> from rummylab import State, gin
    >>> state = State.deal(gin(), seed=7)
    >>> event = state.push(next(iter(state.legal_actions)))
    >>> state.pop() == event
    True
    """

    def __init__(self, rules: Rules, row: Rows, deck: Deck, starter: int, *, hand_no: int = 0) -> None:
        self.rules = rules
        self.deck = deck
        self.starter = Seat(starter)
        self.hand_no = hand_no
        self._row = row  # shape (1,): a window, not a copy
        self._bytes = row.view(np.uint8)
        self.log: list[Event] = []
        self._logs: list[list[Event]] = [[] for _ in range(rules.seats)]
        self._undo: list[tuple[bytes, int]] = []
        self.scores_before = rules.scores(row)
        rules.deal(row, [deck], [starter])
        self._actor = rules.actor(row)
        for event in rules.opening(row):
            self._write(event)

    @classmethod
    def deal(cls, rules: Rules, seed: int, *, starter: int | None = None, deck: Deck | None = None) -> State:
        """Deal the first hand of the match *seed*; a *starter* or a *deck* given here replaces the drawn one."""
        first = rules.first_starter(seed) if starter is None else starter
        return cls(rules, rules.new_rows(1), rules.shuffled(seed) if deck is None else deck, first)

    def next_hand(self, deck: Deck) -> State:
        """Deal the next hand of the match: scores go on, the starter follows the rules."""
        if self.actor is not None:
            raise IllegalActionError(f"the hand is not over: seat {self.actor} is to act")
        return State(self.rules, copy_of(self._row), deck, self.rules.next_starter(self._row), hand_no=self.hand_no + 1)

    @property
    def actor(self) -> Seat | None:
        """Who is to act; nobody when the hand is over."""
        return None if self._actor < 0 else Seat(self._actor)

    @property
    def legal_actions(self) -> LegalActions:
        return LegalActions(self.rules, self._row)

    @property
    def n_moves(self) -> int:
        return len(self._undo)

    def push(self, action: Action) -> Event:
        """Carry out *action* for the actor. An illegal one raises and changes nothing."""
        seat = self.actor
        if seat is None:
            raise IllegalActionError(f"{action} at event {len(self.log)}: the hand is over")
        before = self._row.tobytes()
        try:
            drawn = self.rules.step(self._row, np.array([self.rules.encode(action)], np.int16))[0]
        except (IllegalActionError, NotationError) as error:
            raise IllegalActionError(f"{action} by seat {seat} at event {len(self.log)}: {error}") from None
        self._undo.append((before, len(self.log)))
        self._actor = self.rules.actor(self._row)
        event = self._write(Event(seat, action, (Card(int(drawn)),) if drawn >= 0 else ()))
        for aside in self.rules.aside(self._row):
            self._write(aside)
        if self.actor is None:
            for last in self.rules.closing(self._row):
                self._write(last)
        return event

    def pop(self) -> Event:
        """Take back the last move and return it."""
        if not self._undo:
            raise IllegalActionError("nothing to take back: no move has been made")
        before, n_events = self._undo.pop()
        event = self.log[n_events]
        self._bytes[:] = np.frombuffer(before, np.uint8)
        self._actor = self.rules.actor(self._row)
        for log in (self.log, *self._logs):
            del log[n_events:]
        return event

    def copy(self) -> State:
        """Return an independent copy, undo history included."""
        twin = object.__new__(State)
        twin.__dict__.update(self.__dict__)
        twin._row = copy_of(self._row)
        twin._bytes = twin._row.view(np.uint8)
        twin.log = list(self.log)
        twin._logs = [list(log) for log in self._logs]
        twin._undo = list(self._undo)
        return twin

    def _write(self, event: Event) -> Event:
        self.log.append(event)
        for viewer, log in enumerate(self._logs):  # redact once, when written
            log.append(event.seen_by(Seat(viewer)))
        return event

    def observe(self, seat: Seat) -> Observation:
        """Return what *seat* may know now."""
        view = self.rules.observe(self._row, seat)
        codes = tuple(self.rules.legal(self._row)) if seat == self.actor else ()
        return self.rules.observation(seat, view, tuple(self._logs[seat]), codes)

    def payoffs(self) -> tuple[float, ...]:
        """Return what each seat gained; nothing while the hand goes on."""
        return self.rules.payoffs(self._row)

    @property
    def scores(self) -> tuple[int, ...]:
        """The running scores of the match."""
        return self.rules.scores(self._row)

    @property
    def match_is_over(self) -> bool:
        return self.actor is None and self.rules.match_is_over(self._row)

    @property
    def result(self) -> dict[str, Any]:
        """The outcome of the finished hand."""
        return self.rules.result(self._row)

    def to_bytes(self) -> bytes:
        """Return the position as bytes: equal bytes, equal positions."""
        return self._row.tobytes()

    def rows(self) -> Rows:
        """Return a copy of the position, for the kernels."""
        return copy_of(self._row)

    def __str__(self) -> str:
        return self.rules.show(self._row)
