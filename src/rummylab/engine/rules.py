"""The contract of a game: constants, an action codec, and functions on positions. It holds no state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event
from rummylab.engine.observation import Observation
from rummylab.engine.options import Options
from rummylab.engine.seats import Seat

Rows = npt.NDArray[np.void]
"""Positions: one fixed-size record each."""
Codes = npt.NDArray[np.int16]
"""Actions as the kernels number them."""


def copy_of(rows: Rows) -> Rows:
    """Return a copy of *rows*: through bytes, many times as fast as NumPy's own field by field."""
    return np.frombuffer(bytearray(rows.tobytes()), rows.dtype)


def view_of(row: Rows, seat: int, view: np.dtype[np.void]) -> Rows:
    """Return what *seat* sees of a position made of ``table`` and ``mine[seat]``, as a copy."""
    record, parts = row.dtype.fields, view.fields
    assert record is not None
    assert parts is not None
    (table, _), (mine, place) = parts["table"][:2], parts["mine"][:2]
    start = record["mine"][1] + seat * mine.itemsize
    whole, seen = row.tobytes(), bytearray(view.itemsize)
    seen[: table.itemsize] = whole[: table.itemsize]
    seen[place : place + mine.itemsize] = whole[start : start + mine.itemsize]
    return np.frombuffer(seen, view)


def count_hands(row: Rows, played: int) -> None:
    """Tell a position how many hands of the match are over, where its table keeps count."""
    if "hand_no" in (row.dtype["table"].names or ()):
        row["table"]["hand_no"] = played


class Rules(Protocol):
    """A game with its options. ``version`` moves when behaviour changes, never for speed."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def seats(self) -> int: ...
    @property
    def options(self) -> Options: ...
    @property
    def record(self) -> np.dtype[np.void]:
        """The whole position, hidden cards included."""
        ...

    @property
    def view(self) -> np.dtype[np.void]:
        """What one seat may know: no field for more."""
        ...

    @property
    def n_codes(self) -> int: ...

    def encode(self, action: Action) -> int: ...
    def decode(self, code: int) -> Action: ...

    def new_rows(self, n: int) -> Rows:
        """Return *n* positions at the start of a match, before the deal."""
        ...

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        """Return the deck of hand number *hand* in match number *pair* under *seed*: the one the batch kernels deal."""
        ...

    def first_starter(self, seed: int, pair: int = 0) -> Seat: ...
    def next_starter(self, row: Rows) -> Seat: ...
    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None: ...
    def opening(self, row: Rows) -> list[Event]: ...
    def aside(self, row: Rows) -> Sequence[Event]:
        """Return what the table itself did with the last move, for all to see: turn up a card after a reshuffle."""
        ...

    def closing(self, row: Rows) -> list[Event]: ...
    def actor(self, row: Rows) -> int:
        """Return who is to act, -1 if the hand is over."""
        ...

    def legal(self, row: Rows) -> list[int]: ...
    def step(self, rows: Rows, codes: Codes) -> npt.NDArray[np.int8]:
        """Carry out one move in each row; return the cards drawn (-1: none). An illegal code raises."""
        ...

    def observe(self, row: Rows, seat: Seat) -> Rows: ...
    def observation(self, seat: Seat, view: Rows, log: tuple[Event, ...], codes: tuple[int, ...]) -> Observation: ...
    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gains in this hand; it sums to nothing."""
        ...

    def result(self, row: Rows) -> dict[str, Any]:
        """Return the outcome of a finished hand in words and numbers, as the record file keeps it."""
        ...

    def match_is_over(self, row: Rows) -> bool: ...
    def scores(self, row: Rows) -> tuple[int, ...]: ...
    def set_scores(self, row: Rows, scores: Sequence[int]) -> None: ...
    def show(self, row: Rows) -> str:
        """Return the whole position as text, hidden cards included."""
        ...

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck's order whose cards *viewer* cannot tell apart by now."""
        ...
