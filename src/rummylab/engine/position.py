"""Positions as text and as JSON: one line or one object for what a seat sees, or for the whole table.

The text starts with the game and its rules and goes on with fields, separated by semicolons::

    gin eaai; seat 0; phase draw; actor 0; hand Ac 2c 3c 7d 7h 9s Td Jd Qh Ks; upcard 4s; pile 4s; stock 31

Values by seat are separated by slashes. A field with its default value is left out. The JSON form has the same
fields. A position is what the game goes on from: it does not include the log of events, random streams of agents or
their notes. Only a whole table has hidden cards: the hands, the order of the deck, the seed of reshuffles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rummylab.cards.card import Card
from rummylab.engine.fields import NONE, Kind, Number, Raw, SeatNumber, list_of, shown, unique
from rummylab.engine.reading import parse_json
from rummylab.engine.seats import Seat
from rummylab.errors import NotationError, RummyError

if TYPE_CHECKING:
    from rummylab.engine.lookup import RulesOf
    from rummylab.engine.rows import Rows
    from rummylab.engine.rules import Rules

MARK: Final = "position"
MAX_TEXT: Final = 20_000
"""The longest text or JSON of a position that is read."""


@dataclass(frozen=True)
class Field:
    """A named part of a position: the fields of the record it comes from, and its kind.

    With *by_seat* the record keeps one value for each seat.
    """

    name: str
    sources: tuple[str, ...]
    kind: Kind
    by_seat: bool = False

    def load(self, part: np.void, seats: int) -> Any:
        """Return the JSON value of this field in the record *part*."""
        raw = [part[source] for source in self.sources]
        if not self.by_seat:
            return self.kind.load(tuple(raw))
        return [self.kind.load(tuple(numbers[seat] for numbers in raw)) for seat in range(seats)]

    def store(self, part: np.void, value: Any, seats: int) -> None:
        """Write a JSON *value* to the record *part*."""
        try:
            if not self.by_seat:
                self._put(part, self.kind.store(value))
                return
            values = list_of(value, "values by seat")
            if len(values) != seats:
                raise NotationError(f"{len(values)} values, but there are {seats} seats")
            for seat, one in enumerate(values):
                self._put(part, self.kind.store(one), seat)
        except RummyError as error:
            raise NotationError(f"position, field {self.name!r}: {error}") from None

    def _put(self, part: np.void, raw: Raw, seat: int | None = None) -> None:
        for source, numbers in zip(self.sources, raw, strict=True):
            if seat is None:
                part[source] = numbers
            else:
                part[source][seat] = numbers

    def default(self, seats: int) -> Any:
        """Return the value of a field that was left out."""
        return [self.kind.default] * seats if self.by_seat else self.kind.default

    def is_default(self, value: Any) -> bool:
        """Return whether *value* is left out."""
        values = value if self.by_seat else [value]
        return all(one == self.kind.default or (one in ([], {}) and not self.kind.default) for one in values)

    def show(self, value: Any) -> str:
        """Return a JSON *value* as text."""
        return " / ".join(map(self.kind.show, value)) if self.by_seat else self.kind.show(value)

    def read(self, text: str) -> Any:
        """Return the JSON value of *text*."""
        try:
            return [self.kind.read(part.strip()) for part in text.split("/")] if self.by_seat else self.kind.read(text)
        except RummyError as error:
            raise NotationError(f"position, field {self.name!r}: {error}") from None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of this field."""
        one = self.kind.schema()
        return {"type": "array", "items": one, "minItems": 2, "maxItems": 6} if self.by_seat else one


@dataclass(frozen=True)
class Layout:
    """The fields of a game's positions: public ones, those of one seat, and those of the whole table only.

    A game also says where cards lie face up, how many cards a hand has, and what else must hold.
    """

    table: tuple[Field, ...]
    mine: tuple[Field, ...]
    hidden: tuple[Field, ...]
    places: Mapping[str, Callable[[np.void], Sequence[int]]]
    """Card ids that lie face up, by field: pile, melds, indicator."""
    hand: Callable[[np.void], Sequence[int]]
    """Card ids in the hand of a seat's part of the record."""
    hand_size: Callable[[np.void, int], int]
    """How many cards a seat holds."""
    known: Callable[[np.void, int], Sequence[int]]
    """Card ids that a seat is known to hold."""
    check: Callable[[np.void], str | None] = field(default=lambda table: None)
    """What is wrong with the table, starting with the name of a field; nothing if all is well."""

    def fields(self, whole: bool) -> Iterator[tuple[str, Field]]:
        """Yield the fields of a view or of the *whole* table, each with its part of the record."""
        for one in self.table:
            yield "table", one
        for one in self.mine:
            yield "mine", Field(_plural(one.name), one.sources, one.kind, by_seat=True) if whole else one
        for one in self.hidden if whole else ():
            yield "row", one


def _plural(name: str) -> str:
    return "hands" if name == "hand" else name


# --- Records to JSON and text -------------------------------------------------------------------------------------


def to_dict(rules: Rules, row: Rows, seat: int | None = None) -> dict[str, Any]:
    """Return a position as a JSON object: what *seat* sees in the view *row*, or the whole table in *row*."""
    head: dict[str, Any] = {"rummylab": MARK, "game": rules.name, "rules": str(rules.options)}
    if seat is not None:
        head["seat"] = int(seat)
    for name, one in layout_of(rules).fields(seat is None):
        value = one.load(_part(row, name), rules.seats)
        if not one.is_default(value):
            head[one.name] = value
    return head


def to_text(rules: Rules, row: Rows, seat: int | None = None) -> str:
    """Return a position as one line of text."""
    value = to_dict(rules, row, seat)
    parts = [f"{value['game']} {value['rules']}"]
    if seat is not None:
        parts.append(f"seat {seat}")
    fields = layout_of(rules).fields(seat is None)
    return "; ".join([*parts, *(f"{one.name} {one.show(value[one.name])}" for _, one in fields if one.name in value)])


def to_json(rules: Rules, row: Rows, seat: int | None = None) -> str:
    """Return a position as one line of JSON."""
    return json.dumps(to_dict(rules, row, seat), ensure_ascii=False)


def _part(row: Rows, name: str) -> Any:
    return row[0] if name == "row" else row[name][0]


def layout_of(rules: Rules) -> Layout:
    """Return the layout of a game's positions.

    Raises:
        NotationError: The game does not declare one.
    """
    layout = getattr(rules, "position", None)
    if not isinstance(layout, Layout):
        raise NotationError(f"{getattr(rules, 'name', rules)} does not declare the fields of its positions")
    return layout


# --- Text and JSON to records -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parsed:
    """A position that was read: its rules, the seat that sees it (nobody: the whole table), its record or view."""

    rules: Rules
    seat: int | None
    row: Rows


def from_text(text: str, rules_of: RulesOf) -> Parsed:
    """Read a position from one line of text.

    Raises:
        NotationError: The text is not a position; the message names the field.
    """
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise NotationError(f"a position is text of up to {MAX_TEXT} characters, not {shown(text)}")
    head, *parts = (part.strip() for part in text.strip().split(";"))
    game, _, options = head.partition(" ")
    rules = _rules(game, options.strip() or None, rules_of)
    words = [part.partition(" ") for part in parts if part]
    values = unique((f"field {name}", rest.strip()) for name, _, rest in words)
    given: dict[str, Any] = {name.removeprefix("field "): rest for name, rest in values.items()}
    seat = None
    if "seat" in given:
        seat = Number().read(given.pop("seat"))
    fields = {one.name: one for _, one in layout_of(rules).fields(seat is None)}
    _check_names(given, fields, seat)
    return _build(rules, seat, {name: fields[name].read(rest) for name, rest in given.items()})


def from_dict(value: Any, rules_of: RulesOf) -> Parsed:
    """Read a position from a JSON object.

    Raises:
        NotationError: The object is not a position; the message names the field.
    """
    if not isinstance(value, dict) or value.get("rummylab") != MARK:
        raise NotationError(f'a position is an object with "rummylab": "{MARK}", not {shown(value)}')
    given = {name: part for name, part in value.items() if name not in ("rummylab", "game", "rules")}
    rules = _rules(value.get("game"), value.get("rules"), rules_of)
    seat = given.pop("seat", None)
    _check_names(given, [one.name for _, one in layout_of(rules).fields(seat is None)], seat)
    return _build(rules, seat, given)


def from_json(text: str | bytes | dict[str, Any], rules_of: RulesOf) -> Parsed:
    """Read a position from a JSON object or its text.

    Raises:
        NotationError: *text* is not a position, or the position is impossible.
    """
    if isinstance(text, dict):
        return from_dict(text, rules_of)
    if not isinstance(text, str | bytes) or len(text) > MAX_TEXT:
        raise NotationError(f"a position is JSON of up to {MAX_TEXT} characters, not {shown(text)}")
    return from_dict(parse_json(text, NotationError, MARK), rules_of)


def _rules(game: Any, options: Any, rules_of: RulesOf) -> Rules:
    if not isinstance(game, str) or not game:
        raise NotationError(f"position: it starts with the name of a game, such as 'gin eaai', not {shown(game)}")
    try:
        return rules_of(game, options)
    except RummyError as error:
        raise NotationError(f"position, field 'rules': {error}") from None


def _check_names(given: Mapping[str, Any], known: Any, seat: Any) -> None:
    for name in given:
        if name not in known:
            form = "the whole table" if seat is None else "a seat's view"
            raise NotationError(f"position: {form} has no field {shown(name)} (fields: {', '.join(known)})")


def _build(rules: Rules, seat: Any, given: Mapping[str, Any]) -> Parsed:
    """Return the position with the JSON values *given*, checked."""
    if seat is not None and not (type(seat) is int and 0 <= seat < rules.seats):
        raise NotationError(f"position, field 'seat': {shown(seat)} is not a seat from 0 to {rules.seats - 1}")
    layout, seats = layout_of(rules), rules.seats
    whole = seat is None
    row = np.frombuffer(bytearray(_start(rules)[0]), rules.record)
    view = row if whole else rules.observe(row, Seat(seat or 0))
    for name, one in layout.fields(whole):
        value = given.get(one.name, one.default(seats))
        one.store(_part(view, name), value, seats)
    _check(rules, layout, view, seat)
    return Parsed(rules, seat, view)


def _first_record(rules: Rules) -> tuple[bytes, Counter[int]]:
    """Return a record after some deal, for what no position changes (options, unused seats), and the cards in play."""
    row, deck = rules.new_rows(1), rules.shuffled(0)
    rules.deal(row, [deck], [0])
    return row.tobytes(), Counter(card.id for card in deck)


_start: Callable[[Any], tuple[bytes, Counter[int]]] = lru_cache(maxsize=64)(_first_record)


# --- The published schema -----------------------------------------------------------------------------------------


def json_schema(layouts: Mapping[str, Layout]) -> dict[str, Any]:
    """Return the JSON Schema of positions of these games: a seat's view and the whole table of each."""
    definitions = {}
    for game, layout in layouts.items():
        for form, whole in (("view", False), ("table", True)):
            properties: dict[str, Any] = {
                "rummylab": {"const": MARK},
                "game": {"const": game},
                "rules": {"type": "string", "description": "a preset, perhaps with options: platform(decks=2)"},
            }
            if not whole:
                properties["seat"] = {"type": "integer", "minimum": 0, "maximum": 5}
            properties |= {one.name: one.schema() for _, one in layout.fields(whole)}
            required = ["rummylab", "game", "phase", *(["hands", "deck"] if whole else ["seat"])]
            shape = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
            definitions[f"{game}-{form}"] = shape
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A Rummylab position",
        "description": "What one seat sees, or the whole table. Fields with their default value are left out.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in definitions],
        "$defs": definitions,
    }


# --- Positions that can be ----------------------------------------------------------------------------------------


def _check(rules: Rules, layout: Layout, row: Rows, seat: int | None) -> None:
    """Raise `NotationError` unless the cards add up and the table can come from a game."""
    table = row["table"][0]
    _check_seats(rules, layout, row)
    problem = layout.check(table)
    if problem:
        raise _wrong(problem)
    mine = row["mine"][0]
    hands = {s: mine[s] for s in range(rules.seats)} if seat is None else {seat: mine}
    left = _check_cards(rules, layout, table, {s: list(layout.hand(part)) for s, part in hands.items()})
    for s, part in hands.items():
        drawn = int(part["drawn"])
        if drawn >= 0 and not any(drawn in cards for cards in (layout.hand(part), *_places(layout, table).values())):
            raise _wrong(f"'drawn': seat {s} cannot have drawn {Card(drawn)}")
    if seat is None:
        _check_stock(row, left)
    actor = int(table["actor"])
    if actor in hands and not (rules.legal(row) if seat is None else rules.legal_in(row)):
        raise _wrong(f"'phase': seat {actor} is to act, but has no legal move")


def _check_seats(rules: Rules, layout: Layout, row: Rows) -> None:
    """Raise unless every seat that is named sits at the table, and somebody acts unless the hand is over."""
    table = row["table"][0]
    for one in layout.table:
        if isinstance(one.kind, SeatNumber) and not one.by_seat:
            value = one.load(table, rules.seats)
            if value is not None and value >= rules.seats:
                raise _wrong(f"{one.name!r}: seat {value} is not at a table of {rules.seats}")
    phase = next(one for one in layout.table if one.name == "phase").load(table, rules.seats)
    if (table["actor"] < 0) != (phase == "over"):
        raise _wrong(f"'actor': in the phase {phase!r} {'nobody' if phase == 'over' else 'a seat'} is to act")


def _check_cards(rules: Rules, layout: Layout, table: np.void, hands: Mapping[int, Sequence[int]]) -> Counter[int]:
    """Raise unless every card lies in one place and hands and stock have the right size; return the other cards."""
    sizes = [layout.hand_size(table, seat) for seat in range(rules.seats)]
    for seat, cards in hands.items():
        if len(cards) != sizes[seat]:
            name = _plural("hand") if len(hands) > 1 else "hand"
            raise _wrong(f"{name!r}: seat {seat} has {len(cards)} cards, expected {sizes[seat]}")
    left = Counter(_start(rules)[1])
    n_stock = left.total() - sum(sizes)
    for name, cards in _places(layout, table).items():
        _take(left, cards, name)
        n_stock -= len(cards)
    for seat in range(rules.seats):
        known = list(layout.known(table, seat))
        if seat in hands and Counter(known) - Counter(hands[seat]):
            raise _wrong(f"'known': seat {seat} does not hold all of {_words(known)}")
        if len(known) > sizes[seat]:
            raise _wrong(f"'known': seat {seat} holds {sizes[seat]} cards, not {len(known)}")
        _take(left, hands.get(seat, known), "hand" if seat in hands else "known")
    if int(table["stock"]) != n_stock:
        raise _wrong(f"'stock': {int(table['stock'])} cards, but {n_stock} are left")
    return left


def _places(layout: Layout, table: np.void) -> dict[str, Sequence[int]]:
    return {name: cards(table) for name, cards in layout.places.items()}


def _take(left: Counter[int], cards: Sequence[int], name: str) -> None:
    for card in cards:
        if left[card] == 0:
            raise _wrong(f"{name!r}: {Card(card)} is in more places than there are copies of it")
        left[card] -= 1


def upcard_fault(table: np.void, phases: Sequence[str], needed: Sequence[int]) -> str | None:
    """Return what is wrong with the upcard of a one-deck game that must have one in the phases *needed*, or None."""
    phase, up = int(table["phase"]), int(table["up"])
    if up >= 0 and not int(table["pile"]) >> up & 1:
        return "'upcard': it does not lie on the pile"
    if up < 0 and phase in needed:
        return f"'upcard': one is needed in the phase {phases[phase]!r}"
    return None


def _check_stock(row: Rows, left: Counter[int]) -> None:
    """Raise unless the stock has the cards *left*, which lie nowhere else. The cards before it do not matter."""
    pos, n = int(row["pos"][0]), int(row["table"]["stock"][0])
    stock = Counter(int(card) for card in row["deck"][0][pos : pos + n])
    if stock != +left:
        raise _wrong(f"'deck': the {n} cards after the first {pos} are not the cards that lie nowhere else")


def _words(cards: Sequence[int]) -> str:
    return " ".join(str(Card(card)) for card in cards) or NONE


def _wrong(problem: str) -> NotationError:
    return NotationError(f"position, field {problem}")
