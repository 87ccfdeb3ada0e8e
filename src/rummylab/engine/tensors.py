"""Observations as arrays of numbers: what a game declares about them.

A game's ``tensors`` module lists *planes* (52 numbers, one for each card, at 13 * suit + rank), *scalars* (everything
that is not a card) and *choices* (the actions of a learner, numbered from 0 without gaps). Each plane and each scalar
names the field of the view that it shows. The encoder of :mod:`rummylab.engine.tensor_kernels` reads these fields and
nothing else, so a tensor contains no more than the view of the seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummylab.cards.card import JOKER_ID
from rummylab.engine.rows import Rows
from rummylab.engine.spec import GameSpec

N_CARDS: Final = 52
MOST: Final = 255
"""Largest number that a tensor holds; larger ones are written as this."""
FROM_STOCK: Final = 62
"""Ids from here on are no card of the 52: a joker, or a draw from the stock."""
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Program = npt.NDArray[np.int64]

CARDS, CARD, COPIES, UNION, NUMBER, ONE_OF, SEAT, EQUALS, BIT = range(9)
"""How a field is written; the kernels read these numbers."""
KINDS: Final = ("cards", "card", "copies", "union", "number", "one of", "seat", "equals", "bit")
_WORDS: Final = {
    "cards": "0 or 1",
    "card": "1 at the card, if there is one",
    "copies": "number of copies, 0 to 2",
    "union": "0 or 1",
    "number": "a number",
    "one of": "1 at one of {size}",
    "seat": "1 at the seat, counted from the viewer",
    "equals": "0 or 1",
    "bit": "0 or 1",
}


@dataclass(frozen=True, slots=True)
class Plane:
    """One number for each of the 52 cards."""

    name: str
    meaning: str
    field: str
    """Field of the view, such as ``mine.hand`` or ``table.known``."""
    kind: str = "cards"
    """``cards``: a mask. ``card``: the id of one card, or -1. ``copies``: a mask and that of second copies.
    ``union``: all cards of several masks."""
    seat: int | None = None
    """For a field with one element for each seat: which one, counted from the viewer."""
    twice: str = ""
    """Field with the mask of second copies."""

    @property
    def size(self) -> int:
        """Numbers in the tensor."""
        return N_CARDS


@dataclass(frozen=True, slots=True)
class Scalar:
    """One or a few numbers that are not about single cards."""

    name: str
    meaning: str
    field: str
    kind: str = "number"
    """``number``: up to 255. ``one of``: one-hot, *size* wide. ``seat``: one-hot by seat, counted from the viewer.
    ``equals``: whether the field is *value*. ``bit``: bit number *value* of a mask."""
    seat: int | None = None
    size: int = 1
    scale: float = 1.0
    """What a number is divided by in float32 tensors."""
    value: int = 0


Part = Plane | Scalar


@dataclass(frozen=True, slots=True)
class Choice:
    """One action of a learner, or one for each card."""

    words: str
    """How the action begins, as at the table: ``discard``."""
    code: int
    """The code of the action in the game's rules, or of the first card; negative: the game's `resolve` finds it."""
    meaning: str
    cards: int = 0
    """0: one action. 52 or 53: one for each card, the last for a joker."""

    @property
    def size(self) -> int:
        """Numbers it takes up."""
        return self.cards or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTensors:
    """What a game declares about tensors."""

    parts: Callable[[int], Sequence[Part]]
    """``parts(seats)``: the planes, then the scalars."""
    choices: tuple[Choice, ...]
    worst: Callable[[Any], float]
    """``worst(options)``: points that an illegal move costs, at least as many as a hand can."""
    write_legal: Any
    """Helper ``write_legal(table, mine, address)``: writes a byte for each of the actor's choices."""
    resolve: Any
    """Helper ``resolve(table, mine, code, card)``: the rules' code for a choice with a negative code."""
    automatic: Any
    """Helper ``automatic(table, mine)``: the code of a move that is made for a learner, or -1 to ask them."""
    payoff: Any
    """Helper ``payoff(table, seat)``: what *seat* gained in a finished hand."""


def choices_of(spec: GameSpec, cards: int, without: Sequence[str] = ()) -> tuple[Choice, ...]:
    """Return a choice for each verb of a game but those in *without*; *cards* is how many cards one can apply to."""
    return tuple(
        Choice(verb.words, int(getattr(spec.kernels, verb.code)), verb.meaning, cards if verb.takes else 0)
        for verb in spec.verbs
        if verb.words not in without
    )


def two_deck_planes(seats: int, own: Plane, at: int) -> list[Plane]:
    """Return the planes of a game with two decks: the viewer's cards, the pile and those by seat; its *own* is *at*."""
    planes = [
        Plane("hand", "the viewer's own hand", "mine.hand", "copies", twice="mine.twice"),
        Plane("drawn", "the card that the viewer drew in this turn", "mine.drawn", "card"),
        Plane("upcard", "the top of the discard pile", "table.up", "card"),
        Plane("pile", "the discard pile, upcard included", "table.pile", "copies", twice="table.pile_twice"),
    ]
    planes.insert(at, own)
    known = ("known", "cards that {} is known to hold: taken from the pile and kept", "table.known", "copies")
    return [
        *planes,
        *of_seats(seats, known, twice="twice"),
        *of_seats(
            seats,
            ("picked", "kinds that {} has taken from the pile", "table.picked", "cards"),
            ("refused", "kinds that {} left on the pile", "table.refused", "cards"),
            ("thrown", "kinds that {} has discarded", "table.thrown", "cards"),
        ),
    ]


def joker_scalars(seat: int) -> list[Scalar]:
    """Return what a table with jokers shows about those of *seat*, counted from the viewer."""
    return [
        Scalar(f"known_jokers_{seat}", "printed jokers known in hand", "table.known_jokers", seat=seat, scale=4),
        Scalar(f"picked_joker_{seat}", "has taken a printed joker", "table.picked", "bit", seat, value=JOKER_ID),
        Scalar(f"refused_joker_{seat}", "left a printed joker", "table.refused", "bit", seat, value=JOKER_ID),
        Scalar(f"thrown_joker_{seat}", "discarded a printed joker", "table.thrown", "bit", seat, value=JOKER_ID),
    ]


def player_at(seat: int) -> str:
    """Return what to call the player at *seat*, counted from the viewer."""
    return ("the viewer", "the next player")[seat] if seat < 2 else f"the player {seat} seats on"


def of_seats(seats: int, *fields: tuple[str, str, str, str], twice: str = "") -> list[Plane]:
    """Return planes for every seat, counted from the viewer: of ``(name, meaning, field, kind)``."""
    found = []
    for seat in range(seats):
        for name, meaning, field, kind in fields:
            meaning = meaning.format(player_at(seat))
            found.append(Plane(f"{name}_{seat}", meaning, field, kind, seat, f"{field}_twice" if twice else ""))
    return found


class Layout:
    """Where each plane and scalar of a game stands in a tensor for some number of seats."""

    def __init__(self, tensors: GameTensors, view: np.dtype[np.void], seats: int) -> None:
        self.tensors, self.view, self.seats = tensors, view, seats
        parts = tensors.parts(seats)
        self.planes = tuple(part for part in parts if isinstance(part, Plane))
        self.scalars = tuple(part for part in parts if isinstance(part, Scalar))
        self.parts: tuple[Part, ...] = (*self.planes, *self.scalars)
        """Planes, then scalars."""
        widths = [seats if part.kind == "seat" else part.size for part in self.parts]
        ends = np.cumsum(widths).tolist()
        self.places = {
            part.name: slice(end - width, end) for part, width, end in zip(self.parts, widths, ends, strict=True)
        }
        """The slice of each part in a flat tensor, by name."""
        self.size: int = ends[-1]
        self.cards_size = N_CARDS * len(self.planes)

    @cached_property
    def scales(self) -> Floats:
        """What each number is multiplied by in float32 tensors."""
        scales = np.ones(self.size, np.float32)
        for part in self.scalars:
            scales[self.places[part.name]] = 1 / part.scale
        return scales

    @cached_property
    def program(self) -> Program:
        """The encoder's instructions: where the lines of each kind end, then a line for each part, by kind."""
        parts = sorted(self.parts, key=lambda part: KINDS.index(part.kind))
        counts = [sum(part.kind == kind for part in parts) for kind in KINDS]
        ends = 1 + np.cumsum(counts)
        return np.array([ends.tolist(), *(self._line(part) for part in parts)], np.int64)

    def _line(self, part: Part) -> list[int]:
        """Return offset, stride, seat, base, unused bits, place, size and value of *part*."""
        base, offset, stride, unused, count = self._address(part.field, part.seat)
        value = part.value if isinstance(part, Scalar) else 0
        if isinstance(part, Plane) and part.twice:
            value = self._address(part.twice, part.seat)[1] - offset  # from the mask to that of second copies
        size = count if part.kind == "union" else part.size
        return [offset, stride, part.seat or 0, base, unused, self.places[part.name].start, size, value, 0]

    def _address(self, path: str, seat: int | None) -> tuple[int, int, int, int, int]:
        """Return base (0: table, 1: mine), offset, bytes from seat to seat, unused bits of 64 and count of a field."""
        where, _, name = path.partition(".")
        kind, offset = self.view.fields[where][0].fields[name][:2]  # type: ignore[index]
        stride, count = 0, 1
        if kind.shape and seat is not None:
            stride = kind.itemsize // kind.shape[0]
            count = int(np.prod(kind.shape[1:], dtype=int))
        elif kind.shape:
            count = int(np.prod(kind.shape))
        return int(where == "mine"), offset, stride, 64 - 8 * kind.base.itemsize, count

    # --- The way back -------------------------------------------------------------------------------------------------

    def element(self, view: Rows, path: str, seat: int | None) -> tuple[Any, Any]:
        """Return the array that holds a field of the one *view*, and the index of the viewer's element in it."""
        where, _, name = path.partition(".")
        place = view[where][name]
        me = int(view["mine"]["seat"][0])
        return place, 0 if seat is None else (0, (me + seat) % self.seats)

    def restore(self, tensor: Bytes, view: Rows, seat: int) -> None:
        """Write what *tensor* holds into the fields of the one *view*, which belongs to *seat*."""
        view["mine"]["seat"] = seat
        for part in self.parts:
            values = tensor[self.places[part.name]]
            place, index = self.element(view, part.field, part.seat)
            found = np.flatnonzero(values)
            if part.kind in ("cards", "copies"):
                place[index] = _mask(found)
                if isinstance(part, Plane) and part.twice:
                    second, at = self.element(view, part.twice, part.seat)
                    second[at] = _mask(np.flatnonzero(values > 1))
            elif part.kind == "card":
                place[index] = 16 * (found[0] // 13) + found[0] % 13 if len(found) else -1
            elif part.kind == "number":
                place[index] = values[0]
            elif part.kind == "one of":
                place[index] = found[0] if len(found) else -1
            elif part.kind == "seat":
                place[index] = (found[0] + seat) % self.seats if len(found) else -1
            elif isinstance(part, Scalar) and part.kind == "equals" and values[0]:
                place[index] = part.value
            elif isinstance(part, Scalar) and part.kind == "bit" and values[0]:
                place[index] |= 1 << part.value

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """The fields of the view that a tensor does not hold, or not in full."""
        kept = {part.field for part in self.parts if part.kind not in ("union", "equals")}
        kept |= {part.twice for part in self.planes if part.twice}
        seats = {part.field: part.seat for part in self.parts if part.seat is not None}
        every = [(where, name) for where in ("table", "mine") for name in self.view[where].names or ()]
        told = {"mine.seat", "table.rules"}  # given beside the tensor
        half = {name for name in seats if len({p.seat for p in self.parts if p.field == name}) < self.seats}
        return tuple(f"{a}.{b}" for a, b in every if f"{a}.{b}" not in (kept | told) - half)

    def words(self, part: Part) -> str:
        """Return how the numbers of *part* are to be read."""
        size = self.places[part.name].stop - self.places[part.name].start
        return _WORDS[part.kind].format(size=size)


def _mask(places: Any) -> int:
    return sum(1 << int(16 * (place // 13) + place % 13) for place in places)


class Numbering:
    """The actions of a learner, from 0 without gaps, and the codes of the rules that they stand for."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        self.choices = tuple(choices)
        self.size = sum(choice.size for choice in choices)
        rows = [(choice, number, card) for choice in choices for number, card in _cards_of(choice)]
        self.codes = np.array([_code(choice, card) for choice, _, card in rows], np.int64)
        """The rules' code of each action; negative if `resolve` finds it."""
        self.cards = np.array([card for _, _, card in rows], np.int64)
        """The card id of each action, -1 if it has none."""

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The number of the first action of each choice."""
        return tuple(np.cumsum([0, *(choice.size for choice in self.choices)]).tolist()[:-1])


def _cards_of(choice: Choice) -> list[tuple[int, int]]:
    if not choice.cards:
        return [(0, -1)]
    ids = [16 * suit + rank for suit in range(4) for rank in range(13)] + [JOKER_ID]
    return list(enumerate(ids[: choice.cards]))


def _code(choice: Choice, card: int) -> int:
    return choice.code if choice.code < 0 or card < 0 else choice.code + card
