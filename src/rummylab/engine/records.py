"""Game records: ``.rgr`` files in JSON Lines.

A record is one hand: a header (game, rules version, options, seats, seed, starter, deck), one line per event, and a
result line with a checksum of the record. A file holds one or more records. A full record replays to the same bytes;
a redacted one shows what one seat saw and cannot be replayed.

Former names of games and moves still load. So does format 1, whose checksum leaves out the result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event
from rummylab.engine.lookup import RulesOf, rules_of
from rummylab.engine.reading import MALFORMED, is_list_of, is_whole, parse_json, read_text
from rummylab.engine.rows import count_hands
from rummylab.engine.rules import Rules
from rummylab.engine.seats import DEALER, Seat
from rummylab.engine.state import State
from rummylab.engine.streams import seed_fields
from rummylab.engine.writing import write_whole
from rummylab.errors import NotationError, RecordError, RummyError, check_type, whole

FORMAT: Final = 2
FORMER_VERBS: Final = {"draw pile": "draw upcard"}
"""Verbs in earlier records, with the verbs that replace them."""

_HEADER: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "format": ("a whole number", is_whole),
    "game": ("a name", lambda value: _is_printable(value)),
    "version": ("a whole number", is_whole),
    "options": (
        "an object of plain values",
        lambda value: isinstance(value, dict) and all(map(_is_plain, value.values())),
    ),
    "seats": ("a list of names", lambda value: is_list_of(value, str) and all(map(_is_printable, value))),
    "starter": ("a whole number", is_whole),
    "scores": ("a list of whole numbers", lambda value: isinstance(value, list) and all(map(is_whole, value))),
    "hand": ("a whole number from 0", lambda value: is_whole(value, 0)),
}
"""The keys of every header: a description for the error message, and the check."""
_HEADER_OPTIONAL: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "seed": ("a number or a key", lambda value: value is None or type(value) in (int, str)),
    "deck": ("text", lambda value: isinstance(value, str)),
    "viewer": ("a seat", lambda value: is_whole(value, 0)),
    "standing": ("an object of lists of whole numbers", lambda value: _is_standing(value)),
    "commitment": ("64 hexadecimal digits", lambda value: _is_hex(value, 64)),
    "salt": ("32 hexadecimal digits", lambda value: _is_hex(value, 32)),
}


def _is_printable(value: Any) -> bool:
    """Return whether *value* is text without control characters, which could rewrite a terminal."""
    return isinstance(value, str) and value.isprintable()


def _is_hex(value: Any, digits: int) -> bool:
    """Return whether *value* is a number in hexadecimal digits."""
    return isinstance(value, str) and len(value) == digits and set(value) <= set("0123456789abcdef")


def _is_standing(value: Any) -> bool:
    """Return whether *value* can be the standing of a match: names with small whole numbers by seat."""
    return isinstance(value, dict) and all(
        isinstance(part, list) and all(is_whole(number, -(10**9), 10**9) for number in part) for part in value.values()
    )


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _is_result(value: Any) -> bool:
    """Return whether *value* can be the result of a hand: names with plain values or lists of them."""
    if value is None:
        return True
    return isinstance(value, dict) and all(
        _is_plain(part) or (isinstance(part, list) and all(map(_is_plain, part))) for part in value.values()
    )


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded hand: the header, the events, and the result (``None`` if the hand was not finished).

    >>> from rummylab import Record, agent, gin, play
    >>> state = play(gin(), [agent("gin", "simple"), agent("gin", "random")], seed=7)
    >>> Record.of(state, ["simple", "random"], seed=7).replay() == state
    True
    """

    header: dict[str, Any]
    events: tuple[Event, ...]
    result: dict[str, Any] | None

    @classmethod
    def of(cls, state: State, seats: Sequence[str], seed: int | None = None) -> Record:
        """Return the record of *state*, played by the agents named *seats*.

        Raises:
            RecordError: The state was read from a position, which has no deal and no log.
        """
        check_type(state, State, "state")
        check_type(seats, Sequence, "seats", "the names of the agents, seat by seat")
        rules = state.rules
        if len(seats) != rules.seats:
            raise RecordError(f"{len(seats)} names for {rules.seats} seats")
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
            **({"standing": state.standing_before} if state.standing_before else {}),
            "deck": str(state.deck),
        }
        return cls(header, tuple(state.log), state.result if state.actor is None else None)

    @classmethod
    def load(cls, path: str | Path, hand: int | None = None) -> Record:
        """Read a record from a file. *hand* picks one of several, from 1.

        Raises:
            RecordError: The file cannot be read, is damaged, or has several records and *hand* names none of them.
        """
        records = read_records(path)
        number = 1 if hand is None and len(records) == 1 else hand
        if number is None or not 1 <= whole(number, "hand") <= len(records):
            raise RecordError(f"{path} has {len(records)} records: choose one with hand=1 to hand={len(records)}")
        return records[number - 1]

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Append the record to a file, or replace the file."""
        write_records(path, [self], overwrite=overwrite)

    @property
    def is_redacted(self) -> bool:
        """Whether the record shows only what one seat saw."""
        return "viewer" in self.header

    def seen_by(self, viewer: int) -> Record:
        """Return the record without other seats' secrets, the deck, the seed, the key and the salt.

        Raises:
            RecordError: There is no such seat, or the record shows only what another seat saw.
        """
        seats = self.header["seats"]
        if not 0 <= whole(viewer, "a seat") < len(seats):
            raise RecordError(f"there is no seat {viewer} at a table of {len(seats)}")
        if self.is_redacted and self.header["viewer"] != viewer:
            raise RecordError(f"the record shows only what seat {self.header['viewer']} saw")
        header = {key: value for key, value in self.header.items() if key not in ("seed", "key", "salt", "deck")}
        events = tuple(event.seen_by(Seat(viewer)) for event in self.events)
        return Record(header | {"viewer": viewer}, events, self.result)

    def to_text(self) -> str:
        """Return the record as the lines of an ``.rgr`` file."""
        lines = [json.dumps(self.header, ensure_ascii=False)]
        lines += [json.dumps(event_to_json(event), ensure_ascii=False) for event in self.events]
        digest = _digest(lines, self.header["format"], self.result)
        lines.append(json.dumps({"result": self.result, "sha256": digest}, ensure_ascii=False))
        return "\n".join(lines) + "\n"

    def replay(self, rules_of: RulesOf = rules_of) -> State:
        """Play the record again and return the table at its end.

        The rules come from the record's header; *rules_of* replaces the lookup.

        Raises:
            RecordError: The record is redacted, or an event does not follow the rules. The message names the line.
        """
        return _Replay(self, rules_of, 1).run()

    def __repr__(self) -> str:
        head = self.header
        seen = f", as seat {head['viewer']} saw it" if self.is_redacted else ""
        result = "unfinished" if self.result is None else ", ".join(f"{k} {v}" for k, v in self.result.items())
        players = " against ".join(head["seats"])
        return f"<Record {head['game']}: {players}, hand {head['hand'] + 1}{seen}, {len(self.events)} events; {result}>"

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


def write_records(path: str | Path, records: Iterable[Record], *, overwrite: bool = False) -> None:
    """Append *records* to the file *path*, or replace it with *overwrite*. An interrupted write changes nothing.

    Raises:
        WrongTypeError: *path* is not a path, or *records* holds something else.
    """
    path = _path(path)
    check_type(records, Iterable, "records", "a list of records")
    records = list(records)
    for record in records:
        check_type(record, Record, "one of the records")
    before = read_text(path, RecordError) if path.is_file() and not overwrite else ""
    if before and not before.endswith("\n"):
        before += "\n"
    write_whole(path, (before + "".join(record.to_text() for record in records)).encode())


def _path(path: str | Path) -> Path:
    check_type(path, (str, Path), "the path of a record")
    return Path(path)


def read_records(path: str | Path) -> list[Record]:
    """Read every record of *path*.

    Raises:
        WrongTypeError: *path* is not a path.
        RecordError: The file is damaged. The message has the number of the line and what was expected there.
    """
    return parse_records(read_text(_path(path), RecordError), str(path))


def parse_records(text: str, name: str = "record") -> list[Record]:
    """Read every record in *text*; errors call it *name*."""
    reader = _Reader(name)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            reader.take(number, line)
    return reader.finish()


def validate_records(path: str | Path, rules_of: RulesOf = rules_of) -> list[State]:
    """Read and replay every record of *path*, and return the finished tables.

    Raises:
        RecordError: The file is damaged or a record does not follow the rules. The message names the line.
    """
    states: list[State] = []
    line, before = 1, None
    for record in read_records(path):
        replay = _Replay(record, rules_of, line, str(path))
        if before is not None and states:
            replay.check_follows(before, states[-1])
        states.append(replay.run())
        line += len(record.events) + 2
        before = record
    return states


class _Reader:
    """Turns lines into records. Errors name the line and what was expected."""

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
        line = line.rstrip("\r")
        value = parse_json(line, RecordError, f"{self.name}, line {number}", f"; expected {self._expected()}")
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
        missing = [key for key in _HEADER if key not in value]
        if missing:
            raise self.fail(f"the header lacks {', '.join(missing)}")
        for key, (kind, is_right) in (_HEADER | _HEADER_OPTIONAL).items():
            if key in value and not is_right(value[key]):
                raise self.fail(f"the header's {key!r} must be {kind}")
        if not 1 <= value["format"] <= FORMAT:
            raise self.fail(f"format {value['format']} is not supported (expected 1 to {FORMAT})")
        if "viewer" not in value and "deck" not in value:
            raise self.fail("the header lacks the deck")
        if "viewer" in value and value["viewer"] >= len(value["seats"]):
            raise self.fail(f"there is no seat {value['viewer']} at a table of {len(value['seats'])}")
        self.header = value

    def _event(self, value: dict[str, Any]) -> Event:
        assert self.header is not None
        try:
            event = event_from_json(value)
            if event.seat >= len(self.header["seats"]):
                raise self.fail(f"not an event: there is no seat {event.seat}")
            return event
        except KeyError as error:
            raise self.fail(f"the event lacks {error}") from None
        except (RummyError, *MALFORMED) as error:
            if isinstance(error, RecordError):
                raise
            raise self.fail(f"not an event: {error}") from None

    def _take_result(self, value: dict[str, Any]) -> None:
        assert self.header is not None
        if set(value) != {"result", "sha256"} or not _is_result(value["result"]):
            raise self.fail("not a result: expected an object of plain values, and its checksum")
        expected = _digest(self.lines, self.header["format"], value["result"])
        if value["sha256"] != expected:
            found = str(value["sha256"])[:64]
            raise self.fail(f"the checksum is {found!r}, expected {expected!r}: the record was changed")

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
            if state.log[i] not in (event, _renamed(event)):
                raise self.fail(1 + i, f"found {event}, expected {state.log[i]}")
        self._compare_result(state)
        return state

    def check_follows(self, before: Record, state: State) -> None:
        """Raise `RecordError` if the record is the next hand of the match in *before* and begins with another standing.

        *state* is the table at the end of *before*.
        """
        head, last = self.record.header, before.header
        same = all(head.get(key) == last.get(key) for key in ("game", "options", "seats", "seed", "key"))
        if not ("standing" in head and same and head["hand"] == last["hand"] + 1) or state.actor is not None:
            return
        expected = {
            "standing": state.standing,
            "scores": list(state.scores),
            "starter": int(state.rules.next_starter(state.rows())),
        }
        if state.match_is_over:
            raise self.fail(0, f"found hand {head['hand'] + 1}, but the match was over after hand {last['hand'] + 1}")
        for key, value in expected.items():
            if head[key] != value:
                raise self.fail(0, f"found {key} {head[key]}, expected {value} after hand {last['hand'] + 1}")

    def _open(self) -> State:
        head = self.record.header
        try:
            rules = self.rules_of(head["game"], head["options"])
            if head["version"] != rules.version:
                raise RecordError(
                    f"version {head['version']} of {head['game']} is not supported (expected {rules.version})"
                )
            for key in ("seats", "scores"):
                if len(head[key]) != rules.seats:
                    raise RecordError(f"{len(head[key])} {key}, expected {rules.seats}")
            row = rules.new_rows(1)
            rules.set_scores(row, head["scores"])
            rules.set_standing(row, head.get("standing", {}))
            count_hands(row, head["hand"])
            return State(rules, row, Deck.parse(head["deck"]), head["starter"], hand_no=head["hand"])
        except (RummyError, *MALFORMED) as error:
            raise self.fail(0, f"the header does not describe a table: {error}") from None

    def _push(self, state: State, event: Event, offset: int) -> None:
        if not event.chosen:
            raise self.fail(offset, f"found {event}, expected a move of seat {state.actor}")
        if event.seat != state.actor:
            who = "nobody" if state.actor is None else f"seat {state.actor}"
            raise self.fail(offset, f"found a move of seat {event.seat}, but {who} is to act")
        try:
            state.push(event.action if _is_known(state.rules, event.action) else _renamed(event).action)
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


def _renamed(event: Event) -> Event:
    """Return *event* with the present verb of its action."""
    verb = event.action.verb
    return replace(event, action=replace(event.action, verb=FORMER_VERBS.get(verb, verb)))


def _is_known(rules: Rules, action: Action) -> bool:
    try:
        rules.encode(action)
    except NotationError:
        return False
    return True


def event_to_json(event: Event) -> dict[str, Any]:
    """Return *event* as a line of a record."""
    value: dict[str, Any] = {"seat": int(event.seat), "do": str(event.action)}
    if event.secret:
        value["secret"] = " ".join(map(str, event.secret))
    if not event.chosen:
        value["by_rule"] = True
    return value


def event_from_json(value: dict[str, Any]) -> Event:
    """Return the event that :func:`event_to_json` wrote. A damaged one raises one of `MALFORMED`."""
    if not is_whole(value["seat"], DEALER, 2**31):
        raise TypeError("there is no such seat")
    if value.get("by_rule", True) is not True:
        raise TypeError("'by_rule' is true or left out")
    secret = tuple(Card.parse(word) for word in value.get("secret", "").split())
    return Event(Seat(value["seat"]), Action.parse(value["do"]), secret, "by_rule" not in value)


def _digest(lines: Iterable[str], record_format: int, result: dict[str, Any] | None) -> str:
    covered = [*lines]
    if record_format > 1:
        covered.append(json.dumps(result, ensure_ascii=False))
    return hashlib.sha256("\n".join(covered).encode()).hexdigest()
