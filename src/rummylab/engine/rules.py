"""The contract of a game: constants, an action codec, and functions on positions. It holds no state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event, Told
from rummylab.engine.observation import Observation
from rummylab.engine.options import Options
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec


class Rules(Protocol):
    """A game under some options."""

    @property
    def spec(self) -> GameSpec:
        """The declaration of the game."""
        ...

    @property
    def name(self) -> str:
        """Name of the game."""
        ...

    @property
    def version(self) -> int:
        """Version of the behavior. It moves when a result could change, never for speed."""
        ...

    @property
    def seats(self) -> int:
        """Number of seats at the table."""
        ...

    @property
    def options(self) -> Options:
        """The options of the table."""
        ...

    @property
    def record(self) -> np.dtype[np.void]:
        """The whole position, hidden cards included."""
        ...

    @property
    def view(self) -> np.dtype[np.void]:
        """What one seat may know: it has no field for more."""
        ...

    @property
    def n_codes(self) -> int:
        """One more than the largest code of an action."""
        ...

    def encode(self, action: Action) -> int:
        """Return the code of *action*.

        Raises:
            NotationError: If the game has no such action.
        """
        ...

    def decode(self, code: int) -> Action:
        """Return the action with this *code*.

        Raises:
            NotationError: If no action has it.
        """
        ...

    def new_rows(self, n: int) -> Rows:
        """Return *n* positions at the start of a match, before the deal."""
        ...

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        """Return the deck of hand number *hand* in match number *pair* under *seed*: the one the batch kernels deal."""
        ...

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        """Return who starts the first hand of match number *pair* under *seed*."""
        ...

    def next_starter(self, row: Rows) -> Seat:
        """Return who starts the hand after the finished one in *row*."""
        ...

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        """Deal a deck to each of *rows*.

        Raises:
            DeckError: If a deck does not fit the options, or a starter is not a seat.
        """
        ...

    def opening(self, row: Rows) -> list[Event]:
        """Return the events of the deal in *row*: every hand, then the cards turned up."""
        ...

    def aside(self, row: Rows) -> Sequence[Event]:
        """Return what the table did beside the last move, such as turning up a card after a reshuffle."""
        ...

    def closing(self, row: Rows) -> list[Event]:
        """Return the events after the last move: automatic layoffs, and the hands shown."""
        ...

    def actor(self, row: Rows) -> Seat:
        """Return who is to act, -1 if the hand is over."""
        ...

    def legal(self, row: Rows) -> list[int]:
        """Return the codes of the actor's legal moves."""
        ...

    def legal_in(self, view: Rows) -> list[int]:
        """Return the codes of the legal moves of the actor, whose *view* it is."""
        ...

    def step(self, row: Rows, code: int) -> tuple[int, Seat]:
        """Make a move and return the card drawn (-1: none) and who is to act next (-1: the hand is over).

        Raises:
            IllegalActionError: If the move is illegal. The row is unchanged.
        """
        ...

    def told(self, seat: Seat, code: int, drawn: int) -> Told:
        """Return what happens when *seat* makes the move *code* and draws the card *drawn* (-1: none)."""
        ...

    def observe(self, row: Rows, seat: Seat) -> Rows:
        """Return the view of *seat*, as a copy."""
        ...

    def view_bytes(self, whole: bytes | memoryview, seat: Seat) -> bytes:
        """Return the bytes of the view of *seat* in the position of which *whole* are the bytes."""
        ...

    def observation(
        self, seat: Seat, view: Rows | bytes, log: tuple[Event, ...], codes: tuple[int, ...] | None = None
    ) -> Observation:
        """Return the observation made of a *view*, or of its bytes, and the redacted *log*.

        Without the *codes* of the legal moves, it works them out from the view when they are asked for.
        """
        ...

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gains in this hand; the gains sum to zero."""
        ...

    def result(self, row: Rows) -> dict[str, Any]:
        """Return the outcome of a finished hand in words and numbers, as the record file keeps it."""
        ...

    def match_is_over(self, row: Rows) -> bool:
        """Return whether no more hands follow the finished one."""
        ...

    def scores(self, row: Rows) -> tuple[int, ...]:
        """Return the running scores of the match, by seat; high is good."""
        ...

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        """Set the running scores of the match."""
        ...

    def score_line(self, row: Rows, names: Sequence[str]) -> str:
        """Return how the match stands, for the heading of a hand; *names* are the players', by seat."""
        ...

    def standing(self, row: Rows) -> dict[str, list[int]]:
        """Return what the next hand of the match depends on beside the scores: lists by seat. All of it is public."""
        ...

    def set_standing(self, row: Rows, standing: Mapping[str, Sequence[int]]) -> None:
        """Set the standing of the match as `standing` returned it.

        Raises:
            OptionError: If it is not a standing of this game.
        """
        ...

    def match_winners(self, row: Rows) -> tuple[Seat, ...]:
        """Return who has won the match that is over; several share it."""
        ...

    def match_numbers(self, row: Rows, seat: Seat) -> dict[str, int]:
        """Return what the tally of a match says about *seat* beside its score, by field."""
        ...

    def show(self, row: Rows) -> str:
        """Return the whole position as text, hidden cards included."""
        ...

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck's order whose cards *viewer* cannot tell apart by now."""
        ...
