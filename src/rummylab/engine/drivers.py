"""Kernels that every game has in the same form, made from the game's own rules.

A game calls these with its helpers (``is_legal``, ``step`` and so on) and gets functions compiled for its records.
Their machine code is kept with that of the game (:mod:`rummylab._jit`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import noinline
from rummylab.cards.rng import STARTER, Root, stream
from rummylab.engine.rows import Codes, Rows

Helper = Any


REFUSED = -2
"""Stands for the next actor after an illegal move, which changes nothing."""


class TableKernels(NamedTuple):
    """What Python asks of a game's table. Positions and views are arrays: a single record costs ten times as much."""

    open_hands: Any
    step_one: Any
    legal_in: Any


def table_kernels(open_hand: Helper, is_legal: Helper, legal_codes: Helper, step: Helper) -> TableKernels:
    """Return the kernels that deal, step and list moves in a game's records."""

    @kernel
    def open_hands(rows: Rows, decks: npt.NDArray[np.int8], starters: npt.NDArray[np.int8]) -> None:
        """Deal the decks *decks* to *rows*; what a deck does not fill is -1."""
        for i in range(rows.shape[0]):
            row = rows[i]
            row.table.starter = starters[i]
            for k in range(row.deck.shape[0]):
                row.deck[k] = decks[i, k] if k < decks.shape[1] else -1
            open_hand(row)

    @kernel
    def step_one(rows: Rows, code: int) -> tuple[int, int]:
        """Make the actor's move *code* in the one position of *rows*.

        Return the card drawn (-1: none) and who acts next (-1: nobody), or `REFUSED` for the latter.
        """
        row = rows[0]
        if row.table.actor < 0 or not is_legal(row.table, row.mine[row.table.actor], code):
            return np.int64(-1), np.int64(REFUSED)
        drawn = np.int64(step(row, code))
        return drawn, np.int64(row.table.actor)

    @kernel
    def legal_in(views: Rows, out: Codes) -> int:
        """Write the legal codes of the actor, whose view is the one in *views*, to *out*; return how many there are."""
        return np.int64(legal_codes(views[0].table, views[0].mine, out))

    return TableKernels(open_hands, step_one, legal_in)


def codes_by_trial(is_legal: Helper, n_codes: int) -> Helper:
    """Return the helper that lists the legal moves below *n_codes*, by trying them all."""

    @helper
    def legal_codes(table: np.void, mine: np.void, out: Codes) -> int:
        """Write the actor's legal moves to *out* in ascending order and return how many there are."""
        noinline()
        n = 0
        for code in range(n_codes):
            if is_legal(table, mine, code):
                out[n] = code
                n += 1
        return n

    return legal_codes


@helper
def random_seat(root: Root, deal: int, seats: int) -> int:
    """Return the seat that is drawn to start the first hand of a match."""
    drawn = stream(root, deal, np.int64(0), np.int64(STARTER)) >> np.uint64(32)
    return np.int64((drawn * np.uint64(seats)) >> np.uint64(32))


@cache
def table_question(question: Helper) -> Helper:
    """Return a kernel that asks the helper *question* about the table of one position."""

    @kernel
    def ask(rows: Rows) -> Any:
        return question(rows[0].table)

    return ask


@cache
def seat_question(question: Helper) -> Helper:
    """Return a kernel that asks the helper *question* about a seat at the table of one position."""

    @kernel
    def ask_about(rows: Rows, seat: int) -> Any:
        return question(rows[0].table, seat)

    return ask_about


@cache
def view_question(question: Helper) -> Helper:
    """Return a kernel that asks the helper *question* about what the actor sees: the one view of an array."""

    @kernel
    def ask_view(views: Rows) -> Any:
        return question(views[0].table, views[0].mine)

    return ask_view


@cache
def shuffle_of(shuffle_deck: Helper) -> Helper:
    """Return a kernel that puts the shuffle of a seed into the deck of one position."""

    @kernel
    def shuffle_row(rows: Rows, seed: np.uint64) -> None:
        shuffle_deck(rows[0], seed)

    return shuffle_row
