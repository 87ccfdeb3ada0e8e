"""Whole tables: possible ones for a seat, tables of a finished hand, and what a table is worth with all cards seen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from rummylab.analysis.trials import Floats, as_counted, fresh_streams, payoffs_of, playouts_by
from rummylab.beliefs.worlds import sample_rows
from rummylab.engine.observation import Observation
from rummylab.engine.position import Parsed
from rummylab.engine.records import Record
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.state import State
from rummylab.errors import RecordError, WrongTypeError, whole


def sample_states(seen: Observation, n: int, *, seed: int = 0) -> list[State]:
    """Return *n* possible whole tables that the seat of *seen* cannot tell from the real one.

    Raises:
        IllegalActionError: The hand is over.
    """
    rows = sample_rows(seen, n, np.random.default_rng(seed))
    return [State.at(Parsed(seen.rules, None, copy_of(rows[k : k + 1]))) for k in range(n)]


def played_state(hand: Record | State) -> State:
    """Return the table of a hand with its log.

    Raises:
        RecordError: The record is redacted or damaged, or the state was read from a position and has no log.
    """
    if isinstance(hand, Record):
        return hand.replay()
    if not isinstance(hand, State):
        raise WrongTypeError(f"a hand is a Record or a State, not {type(hand).__name__}")
    _ = hand.deck  # raises for a state that was read from a position
    return hand


def state_before(hand: Record | State, event: int) -> State:
    """Return the table just before event number *event* of the log, as an independent copy with its log.

    Raises:
        RecordError: There is no move with this number, or the hand has no log.
    """
    state = played_state(hand).copy()
    number = whole(event, "event")
    while state.n_moves and len(state.log) > number:
        state.pop()
    if len(state.log) != number:
        raise RecordError(f"event {number} is not a move of this hand")
    return state


class TableValues:
    """Values of whole tables for every seat, by playing them out with the future of the stock unknown.

    Every table is played in the same worlds: the order of the stock follows from one random key per world and card, and
    each seat's random stream is the same. So the values of neighboring tables differ by little but the move between.
    """

    def __init__(self, rules: Rules, player: str, *, worlds: int, seed: int = 0) -> None:
        self.rules, self.player, self.worlds = rules, player, worlds
        self._seed = seed
        self._keys = np.random.default_rng([seed, 1]).random((worlds, 64, 2))

    def fit(self, row: Rows, seconds: float, fewest: int) -> None:
        """Use as many worlds as can be played from *row* in so many *seconds*: *fewest* or more."""
        most, self.worlds = self.worlds, min(fewest, self.worlds)
        self.samples(row)  # compiles what is not compiled yet
        began = time.monotonic()
        self.samples(row)
        took = max(1e-6, time.monotonic() - began)
        self.worlds = max(self.worlds, min(most, int(self.worlds * seconds / took)))

    def samples(self, row: Rows) -> Floats:
        """Return what each seat gains in each world: ``[world, seat]``. A finished hand has its exact result."""
        if self.rules.actor(row) < 0:
            end = as_counted(self.rules, np.array(self.rules.payoffs(row)))
            return np.broadcast_to(end, (self.worlds, self.rules.seats))
        rows = np.frombuffer(bytearray(row.tobytes() * self.worlds), row.dtype)
        self._shuffle_stock(rows)
        rng = np.random.default_rng([self._seed, 2])
        fresh_streams(rows, rng)
        if "rng" in (rows.dtype.names or ()):
            rows["rng"] = rng.integers(2**63, size=len(rows), dtype=np.int64).astype(np.uint64)
        playouts_by(self.rules, self.player).advance(rows)
        return as_counted(self.rules, payoffs_of(self.rules, rows))

    def _shuffle_stock(self, rows: Rows) -> None:
        first, n = int(rows["pos"][0]), int(rows["table"]["stock"][0])
        cards = np.sort(rows["deck"][0, first : first + n].astype(np.int64))
        copies = np.concatenate([[False], cards[1:] == cards[:-1]]).astype(np.int64) if n else np.zeros(0, np.int64)
        order = np.argsort(self._keys[: self.worlds, cards, copies], axis=1)
        rows["deck"][:, first : first + n] = cards[order]

    def value(self, row: Rows, seat: int) -> float:
        """Return the mean gain of *seat*."""
        return self.estimate(row, seat)[0]

    def estimate(self, row: Rows, seat: int) -> tuple[float, float]:
        """Return the mean gain of *seat* and its standard error: 0 for a finished hand."""
        gains = self.samples(row)[:, seat]
        return float(gains.mean()), float(gains.std() / np.sqrt(max(1, len(gains) - 1)))


def names_of(hand: Any, seats: int, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the players' names: those given, those of the record, or their seats."""
    if names is not None:
        return tuple(names)
    if isinstance(hand, Record):
        return tuple(hand.header["seats"])
    return tuple(f"seat {seat}" for seat in range(seats))
