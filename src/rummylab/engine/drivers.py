"""Kernels that every game has in the same form, made from the game's own rules.

A game calls these with its helpers (``is_legal``, ``step`` and so on) and gets functions compiled for its records.
Their machine code is kept with that of the game (:mod:`rummylab._jit`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.engine.rules import Codes, Rows

Helper = Any


class ManyTables(NamedTuple):
    """What Python asks of a game's tables, any number at a time."""

    open_hands: Any
    step_many: Any
    legal_many: Any


def many_tables(open_hand: Helper, is_legal: Helper, legal_codes: Helper, step: Helper) -> ManyTables:
    """Return the kernels that deal, step and list moves in arrays of a game's records."""

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
    def step_many(rows: Rows, codes: Codes, drawn: npt.NDArray[np.int8]) -> int:
        """Carry out one move in every row; write the cards drawn. Return the first row with an illegal move, or -1.

        Rows from that one on are unchanged.
        """
        for i in range(rows.shape[0]):
            row = rows[i]
            if row.table.actor < 0 or not is_legal(row.table, row.mine[row.table.actor], codes[i]):
                return i
            drawn[i] = step(row, codes[i])
        return -1

    @kernel
    def legal_many(rows: Rows, out: Codes, counts: npt.NDArray[np.int64]) -> None:
        """Write the legal codes of every row's actor to *out* and how many there are to *counts*."""
        for i in range(rows.shape[0]):
            row = rows[i]
            counts[i] = 0
            if row.table.actor >= 0:
                counts[i] = legal_codes(row.table, row.mine[row.table.actor], out[i])

    return ManyTables(open_hands, step_many, legal_many)


def duel(is_legal: Helper, step: Helper) -> Helper:
    """Return the helper that lets two compiled agents play a hand to its end."""

    @helper
    def play_out(row: np.void, swap: int, first: Any, second: Any, par: Any, par2: Any, tally: np.void) -> None:
        """Play the open hand to its end. Seat *swap* is the first agent's. An illegal move stops it and is noted."""
        table = row.table
        n = 0
        while table.actor >= 0:
            seat = table.actor
            mine = row.mine[seat]
            if seat == swap:
                code = first(table, mine, par)
            else:
                code = second(table, mine, par2)
            if not is_legal(table, mine, code):
                tally.illegal = 1 + (seat ^ swap)
                tally.illegal_code = code
                tally.illegal_phase = table.phase
                break
            step(row, code)
            n += 1
        tally.decisions += n

    return play_out
