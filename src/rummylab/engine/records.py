"""Game records: ``.rgr`` files, JSON Lines that anybody can read.

A record is one hand: a header (game, rules version, options, seats, seed, starter, deck), one line per event, and a
result line that ends with a checksum of the lines before it. A match is a file of several records. A full record
replays to the same bytes; one exported for a seat shows what that seat saw and cannot be replayed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event
from rummylab.engine.rules import Rules, count_hands
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import seed_fields
from rummylab.errors import RecordError, RummyError

FORMAT: Final = 1
RulesOf = Callable[[str, dict[str, Any]], Rules]
"""Builds the rules of a game from its name and options (the registry of games stands above this module)."""

_HEADER_KEYS = ("rummylab", "format", "game", "version", "options", "seats", "starter", "scores", "hand")


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded hand: the header, the events, the result (``None`` if the hand was broken off)."""

    header: dict[str, Any]
    events: tuple[Event, ...]
    result: dict[str, Any] | None

    @classmethod
    def of(cls, state: State, seats: Sequence[str], seed: int | None = None) -> Record:
        """Return the record of *state*, played by the agents named *seats*."""
        rules = state.rules
        header = {
            "rummylab": "record",
            "format": FORMAT,
            "game": rules.name,
            "version": rules.version,
            "options": rules.options.to_dict(),
            "seats": list(seats),
            **seed_fields(seed),
            "hand": state.hand_no,
            "starter": int(state.starter),
            "scores": list(state.scores_before),
            "deck": str(state.deck),
        }
        return cls(header, tuple(state.log), state.result if state.actor is None else None)

    @property
    def is_redacted(self) -> bool:
        return "viewer" in self.header

    def seen_by(self, viewer: int) -> Record:
        """Return what *viewer* saw: other seats' secrets, the deck, the seed and the key are gone."""
        seats = self.header["seats"]
        if not 0 <= viewer < len(seats):
            raise RecordError(f"no seat {viewer} at a table of {len(seats)}")
        if self.is_redacted and self.header["viewer"] != viewer:
            raise RecordError(f"the record shows only what seat {self.header['viewer']} saw")
        header = {key: value for key, value in self.header.items() if key not in ("seed", "key", "deck")}
        events = tuple(event.seen_by(Seat(viewer)) for event in self.events)
        return Record(header | {"viewer": viewer}, events, self.result)

    def to_text(self) -> str:
        """Return the record as the lines of an ``.rgr`` file."""
        lines = [json.dumps(self.header, ensure_ascii=False)]
        lines += [json.dumps(event_to_json(event), ensure_ascii=False) for event in self.events]
        lines.append(json.dumps({"result": self.result, "sha256": _digest(lines)}, ensure_ascii=False))
        return "\n".join(lines) + "\n"

    def replay(self, rules_of: RulesOf) -> State:
        """Play the record again and return the table at its end; whatever does not follow the rules is an error."""
        return _Replay(self, rules_of, 1).run()

    def story(self) -> str:
        """Return the hand as readable text."""
        head = self.header
        lines = [
            f"{head['game']} · {' against '.join(head['seats'])} · hand {head['hand'] + 1}, scores {head['scores']}"
        ]
        lines += [f"  {event}" for event in self.events]
        if self.result is not None:
            lines.append("  " + ", ".join(f"{key} {value}" for key, value in self.result.items()))
        return "\n".join(lines)


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write *records* to *path*; an existing file is only replaced when all is written."""
    partial = path.with_name(path.name + ".part")
    partial.write_text("".join(record.to_text() for record in records), encoding="utf-8")
    partial.replace(path)


def read_records(path: Path) -> list[Record]:
    """Read every record of *path*; a damaged line is named with its number and what was expected there."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None
    return parse_records(text, str(path))


def parse_records(text: str, name: str = "record") -> list[Record]:
    """Read every record in *text*, the contents of a file called *name*."""
    reader = _Reader(name)
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            reader.take(number, line)
    return reader.finish()


def validate_records(path: Path, rules_of: RulesOf) -> list[State]:
    """Read and replay every record of *path*; return the finished tables."""
    states, line = [], 1
    for record in read_records(path):
        states.append(_Replay(record, rules_of, line, str(path)).run())
        line += len(record.events) + 2
    return states


class _Reader:
    """Takes lines, gives records. Says line and expectation when something is wrong."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.records: list[Record] = []
        self.header: dict[str, Any] | None = None
        self.events: list[Event] = []
        self.lines: list[str] = []
        self.number = 0

    def fail(self, message: str) -> RecordError:
        return RecordError(f"{self.name}, line {self.number}: {message}")

    def take(self, number: int, line: str) -> None:
        self.number = number
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise self.fail(f"not JSON ({error}); expected {self._expected()}") from None
        if not isinstance(value, dict):
            raise self.fail(f"expected {self._expected()}, found {type(value).__name__}")
        if self.header is None:
            self._take_header(value)
        elif "result" in value:
            self._take_result(value)
        else:
            self.events.append(self._event(value))
        self.lines.append(line)
        if "result" in value:
            self._close(value["result"])

    def _expected(self) -> str:
        return "a header" if self.header is None else "an event or a result"

    def _take_header(self, value: dict[str, Any]) -> None:
        if value.get("rummylab") != "record":
            raise self.fail('expected a header with "rummylab": "record"')
        missing = [key for key in _HEADER_KEYS if key not in value]
        if missing:
            raise self.fail(f"the header lacks {', '.join(missing)}")
        if value["format"] != FORMAT:
            raise self.fail(f"format {value['format']!r} is not supported (expected {FORMAT})")
        if "viewer" not in value and "deck" not in value:
            raise self.fail("the header lacks the deck")
        self.header = value

    def _event(self, value: dict[str, Any]) -> Event:
        try:
            return event_from_json(value)
        except KeyError as error:
            raise self.fail(f"the event lacks {error}") from None
        except (RummyError, TypeError, AttributeError) as error:
            raise self.fail(f"not an event: {error}") from None

    def _take_result(self, value: dict[str, Any]) -> None:
        expected = _digest(self.lines)
        if value.get("sha256") != expected:
            raise self.fail(f"the checksum is {value.get('sha256')!r}, expected {expected!r}: the record was changed")

    def _close(self, result: dict[str, Any] | None) -> None:
        assert self.header is not None
        self.records.append(Record(self.header, tuple(self.events), result))
        self.header, self.events, self.lines = None, [], []

    def finish(self) -> list[Record]:
        if self.header is not None:
            self.number += 1
            raise self.fail("the file ends here; expected an event or the result")
        if not self.records:
            self.number = 1
            raise self.fail("the file is empty; expected a header")
        return self.records


class _Replay:
    """One record, pushed move by move through the rules."""

    def __init__(self, record: Record, rules_of: RulesOf, line: int, name: str = "record") -> None:
        self.record, self.line, self.name = record, line, name
        self.rules_of = rules_of

    def fail(self, offset: int, message: str) -> RecordError:
        return RecordError(f"{self.name}, line {self.line + offset}: {message}")

    def run(self) -> State:
        if self.record.is_redacted:
            raise self.fail(
                0, f"the record shows only what seat {self.record.header['viewer']} saw; it cannot be replayed"
            )
        state = self._open()
        for i, event in enumerate(self.record.events):
            if i >= len(state.log):
                self._push(state, event, 1 + i)
            if state.log[i] != event:
                raise self.fail(1 + i, f"found {event}, expected {state.log[i]}")
        self._compare_result(state)
        return state

    def _open(self) -> State:
        head = self.record.header
        try:
            rules = self.rules_of(head["game"], head["options"])
            if head["version"] != rules.version:
                raise RecordError(
                    f"version {head['version']} of {head['game']} is not supported (expected {rules.version})"
                )
            if len(head["seats"]) != rules.seats:
                raise RecordError(f"{len(head['seats'])} seats, expected {rules.seats}")
            row = rules.new_rows(1)
            rules.set_scores(row, head["scores"])
            count_hands(row, head["hand"])
            return State(rules, row, Deck.parse(head["deck"]), head["starter"], hand_no=head["hand"])
        except (RummyError, TypeError, ValueError) as error:
            raise self.fail(0, f"the header makes no table: {error}") from None

    def _push(self, state: State, event: Event, offset: int) -> None:
        if not event.chosen:
            raise self.fail(offset, f"found {event}, expected a move of seat {state.actor}")
        if event.seat != state.actor:
            who = "nobody" if state.actor is None else f"seat {state.actor}"
            raise self.fail(offset, f"found a move of seat {event.seat}, but {who} is to act")
        try:
            state.push(event.action)
        except RummyError as error:
            raise self.fail(offset, f"found {event}, expected a legal move: {error}") from None

    def _compare_result(self, state: State) -> None:
        offset = 1 + len(self.record.events)
        if self.record.result is None:
            return
        if state.actor is not None:
            raise self.fail(offset, f"found a result, but seat {state.actor} is still to act")
        if len(state.log) > len(self.record.events):
            raise self.fail(offset, f"found a result, expected {state.log[len(self.record.events)]}")
        if state.result != self.record.result:
            raise self.fail(offset, f"found the result {self.record.result}, expected {state.result}")


def event_to_json(event: Event) -> dict[str, Any]:
    """Return *event* as the line of a record says it."""
    value: dict[str, Any] = {"seat": int(event.seat), "do": str(event.action)}
    if event.secret:
        value["secret"] = " ".join(map(str, event.secret))
    if not event.chosen:
        value["by_rule"] = True
    return value


def event_from_json(value: dict[str, Any]) -> Event:
    """Return the event that :func:`event_to_json` wrote; a damaged one raises whatever it likes."""
    secret = tuple(Card.parse(word) for word in value.get("secret", "").split())
    return Event(Seat(value["seat"]), Action.parse(value["do"]), secret, value.get("by_rule") is None)


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
