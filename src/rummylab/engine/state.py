"""The whole table. The referee holds it; agents only get observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from rummylab.cards.deck import Deck
from rummylab.engine import position
from rummylab.engine.action import Action, Event, as_action
from rummylab.engine.lookup import rules_of
from rummylab.engine.observation import Observation
from rummylab.engine.position import Parsed
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.errors import IllegalActionError, NotationError, RecordError, check_type, whole


class LegalActions(Sequence[Action]):
    """The moves of the actor, as a sequence: iterate, index, slice, ``len()``, ``in``. Computed on first use.

    ``in`` also takes text: ``"draw stock" in state.legal_actions``.
    """

    def __init__(self, rules: Rules, row: Rows) -> None:
        self._rules, self._row = rules, copy_of(row)
        self._codes: list[int] | None = None

    @property
    def codes(self) -> list[int]:
        """The moves as the kernels number them."""
        if self._codes is None:
            self._codes = self._rules.legal(self._row)
        return self._codes

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> list[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | list[Action]:
        """Return one move, or the moves of a slice.

        Raises:
            IndexError: There are not that many moves.
        """
        if isinstance(index, slice):
            return [self._rules.decode(code) for code in self.codes[index]]
        try:
            return self._rules.decode(self.codes[whole(index, "the index of a legal action")])
        except IndexError:
            raise IndexError(f"there are {len(self)} legal actions, so there is none with index {index}") from None

    def __len__(self) -> int:
        return len(self.codes)

    def __contains__(self, action: object) -> bool:
        try:
            return isinstance(action, Action | str) and self._rules.encode(as_action(action)) in self.codes
        except NotationError:
            return False

    def __repr__(self) -> str:
        shown = [str(action) for action in self[:12]]
        more = [f"{len(self) - 12} more"] if len(self) > 12 else []
        return f"<{len(self)} legal actions: {', '.join(shown + more)}>"


class State:
    """One hand in progress: push and pop moves, get observations, print the table.

    States are equal if the rules and the positions are; the log and the undo history do not count. A state hashes by
    its position, so do not push to a state that is in a set.

    >>> from rummylab import State, gin
    >>> state = State.deal(gin(), seed=7)
    >>> state
    <State gin eaai: hand 1, seat 0 to act (offer), stock 31, scores 0-0>
    >>> event = state.push("pass")
    >>> state.pop() == event
    True
    >>> State.parse(state.to_text()) == state
    True
    """

    def __init__(self, rules: Rules, row: Rows, deck: Deck, starter: int, *, hand_no: int = 0) -> None:
        check_rules(rules)
        check_type(row, np.ndarray, "row", "an array of one position")
        check_type(deck, Deck, "deck")
        self._open(rules, row, hand_no)
        self._deck: Deck | None = deck
        self.starter = Seat(starter)
        self.scores_before = rules.scores(row)
        self.standing_before = rules.standing(row)
        rules.deal(row, [deck], [starter])
        self._actor = rules.actor(row)
        for event in rules.opening(row):
            self._write(event, event.redacted())

    def _open(self, rules: Rules, row: Rows, hand_no: int) -> None:
        self.rules = rules
        self.hand_no = hand_no
        self._row = row  # shape (1,): a window, not a copy
        self._bytes = _bytes_of(row)
        self.log: list[Event] = []
        self._logs: list[list[Event]] = [[] for _ in range(rules.seats)]
        self._undo: list[tuple[bytes, int, Seat]] = []

    @classmethod
    def deal(cls, rules: Rules, seed: int, *, starter: int | None = None, deck: Deck | None = None) -> State:
        """Deal the first hand of the match *seed*. A *starter* or a *deck* replaces the one drawn from the seed.

        Raises:
            DeckError: The deck does not fit the rules, or there is no such starter.
        """
        check_rules(rules)
        seed = whole(seed, "a seed")
        first = rules.first_starter(seed) if starter is None else whole(starter, "starter")
        return cls(rules, rules.new_rows(1), rules.shuffled(seed) if deck is None else deck, first)

    @classmethod
    def parse(cls, text: str) -> State:
        """Read the whole table from the text that :meth:`to_text` writes. The log of events starts empty.

        Raises:
            NotationError: *text* is not a position of the whole table. The message names the field.
        """
        check_type(text, str, "a position", "text")
        return cls.at(position.from_text(text, rules_of))

    @classmethod
    def from_json(cls, text: str | bytes | dict[str, Any]) -> State:
        """Read the whole table from the JSON that :meth:`to_json` writes, as text or as an object.

        Raises:
            NotationError: It is not a position of the whole table. The message names the field.
        """
        check_type(text, (str, bytes, dict), "a position", "JSON text or an object")
        return cls.at(position.from_json(text, rules_of))

    @classmethod
    def at(cls, parsed: Parsed) -> State:
        """Return the state at a position that was read.

        Raises:
            NotationError: The position is the view of one seat.
        """
        check_type(parsed, Parsed, "a position", "a position that was read")
        if parsed.seat is not None:
            raise NotationError(f"this is what seat {parsed.seat} sees; read it with Observation.parse or from_json")
        state = object.__new__(cls)
        table = parsed.row["table"][0]
        played = int(table["hand_no"]) if "hand_no" in (table.dtype.names or ()) else 0
        state._open(parsed.rules, parsed.row, max(0, played - (table["actor"] < 0)))
        state._deck = None
        state.starter = Seat(int(table["starter"]))
        state.scores_before = parsed.rules.scores(parsed.row)
        state.standing_before = parsed.rules.standing(parsed.row)
        state._actor = parsed.rules.actor(parsed.row)
        return state

    def to_text(self) -> str:
        """Return the whole table, hidden cards included, as one line of text; :meth:`parse` reads it."""
        return position.to_text(self.rules, self._row)

    def to_json(self) -> str:
        """Return the whole table, hidden cards included, as JSON; :meth:`from_json` reads it."""
        return position.to_json(self.rules, self._row)

    @property
    def deck(self) -> Deck:
        """The deck as it was dealt.

        Raises:
            RecordError: The state was read from a position, which does not tell.
        """
        if self._deck is None:
            raise RecordError("this state was read from a position, which has no deal and no log to record")
        return self._deck

    def next_hand(self, deck: Deck) -> State:
        """Deal the next hand of the match: scores carry over, and the rules name the starter.

        Raises:
            IllegalActionError: This hand is not over.
        """
        if self.actor is not None:
            raise IllegalActionError(f"the hand is not over: seat {self.actor} is to act")
        return State(self.rules, copy_of(self._row), deck, self.rules.next_starter(self._row), hand_no=self.hand_no + 1)

    @property
    def actor(self) -> Seat | None:
        """The seat to act; ``None`` if the hand is over."""
        actor = self._actor
        return None if actor < 0 else actor

    @property
    def legal_actions(self) -> LegalActions:
        """The actor's legal moves; empty if the hand is over."""
        return LegalActions(self.rules, self._row)

    @property
    def n_moves(self) -> int:
        """How many moves :meth:`pop` can take back."""
        return len(self._undo)

    def push(self, action: Action | str) -> Event:
        """Make a move for the actor and return what happened. Text such as ``"discard 7h"`` works too.

        Raises:
            IllegalActionError: The move is not legal. The state is unchanged.
            NotationError: The text is not an action.
        """
        seat, rules, row, log = self._actor, self.rules, self._row, self.log
        if type(action) is not Action:
            action = as_action(action)
        if seat < 0:
            raise IllegalActionError(f"{action} at event {len(log)}: the hand is over")
        before = row.tobytes()
        try:
            code = rules.encode(action)
            drawn, self._actor = rules.step(row, code)
        except (IllegalActionError, NotationError) as error:
            where = f"{action} by seat {seat} at event {len(log)}"
            raise IllegalActionError(f"{where}: {error}", reason=str(error)) from None
        self._undo.append((before, len(log), seat))
        event, redacted = rules.told(seat, code, drawn)
        self._write(event, redacted)
        for aside in rules.aside(row):
            self._write(aside, aside.redacted())
        if self._actor < 0:
            for last in rules.closing(row):
                self._write(last, last.redacted())
        return event

    def pop(self) -> Event:
        """Take back the last move and return its event.

        Raises:
            IllegalActionError: There is no move to take back.
        """
        if not self._undo:
            raise IllegalActionError("there is no move to take back")
        before, n_events, self._actor = self._undo.pop()
        event = self.log[n_events]
        self._bytes[:] = before
        for log in (self.log, *self._logs):
            del log[n_events:]
        return event

    def copy(self) -> State:
        """Return an independent copy, undo history included."""
        twin = object.__new__(State)
        twin.__dict__.update(self.__dict__)
        twin._row = copy_of(self._row)
        twin._bytes = _bytes_of(twin._row)
        twin.log = list(self.log)
        twin._logs = [list(log) for log in self._logs]
        twin._undo = list(self._undo)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_bytes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bytes = _bytes_of(self._row)

    def _write(self, event: Event, redacted: Event) -> None:
        """Add *event* to the log, *redacted* to those of the other seats."""
        self.log.append(event)
        for log in self._logs:
            log.append(redacted)
        if event is not redacted:
            self._logs[event.seat][-1] = event

    def observe(self, seat: int | None = None) -> Observation:
        """Return what *seat* may know now; by default the actor.

        Raises:
            IllegalActionError: There is no such seat, or no seat was named and the hand is over.
        """
        if seat is None and self._actor < 0:
            raise IllegalActionError("the hand is over, so nobody is to act: name the seat to observe")
        rules, logs = self.rules, self._logs
        viewer: Seat = self._actor if seat is None else whole(seat, "a seat")  # type: ignore[assignment]
        if not 0 <= viewer < len(logs):
            raise IllegalActionError(f"there is no seat {viewer} at a table of {len(logs)}")
        return rules.observation(viewer, rules.view_bytes(self._bytes, viewer), tuple(logs[viewer]))

    def payoffs(self) -> tuple[float, ...]:
        """Return each seat's gain in this hand; all 0 until the hand is over."""
        return self.rules.payoffs(self._row)

    @property
    def scores(self) -> tuple[int, ...]:
        """The running scores of the match."""
        return self.rules.scores(self._row)

    @property
    def match_is_over(self) -> bool:
        """Whether this hand ended the match."""
        return self.actor is None and self.rules.match_is_over(self._row)

    @property
    def match_winners(self) -> tuple[Seat, ...]:
        """Who has won the match; several if they share it, nobody while it goes on."""
        return self.rules.match_winners(self._row) if self.match_is_over else ()

    @property
    def standing(self) -> dict[str, list[int]]:
        """The standing of the match beside the scores, as lists by seat; empty in games without one."""
        return self.rules.standing(self._row)

    @property
    def result(self) -> dict[str, Any]:
        """The outcome of the finished hand."""
        return self.rules.result(self._row)

    def to_bytes(self) -> bytes:
        """Return the position as bytes. Equal positions have equal bytes."""
        return bytes(self._bytes)

    def rows(self) -> Rows:
        """Return a copy of the position for the kernels."""
        return copy_of(self._row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.rules == other.rules and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.rules, self.to_bytes()))

    def __str__(self) -> str:
        return self.rules.show(self._row)

    def __repr__(self) -> str:
        seen = self.observe(Seat(0))
        outcome = "" if self.actor is not None else self.result["outcome"]
        now = f"over ({outcome})" if self.actor is None else f"seat {self.actor} to act ({seen.phase})"
        scores = "-".join(map(str, self.scores))
        head = f"{self.rules.name} {self.rules.options}"
        return f"<State {head}: hand {self.hand_no + 1}, {now}, stock {seen.stock}, scores {scores}>"


def _bytes_of(row: Rows) -> memoryview:
    """Return the memory of *row*, byte by byte."""
    return memoryview(row.view(np.uint8))  # type: ignore[arg-type]


def check_rules(rules: Any) -> None:
    """Raise `WrongTypeError` unless *rules* are the rules of a game."""
    hint = "the rules of a game, such as rummylab.gin()"
    if not all(hasattr(rules, name) for name in ("new_rows", "legal", "step", "observe")):
        check_type(rules, (), "rules", hint)
