"""Positions as arrays: one fixed-size record each.

Kernels import this module and no more of the engine, so that an edit elsewhere does not recompile them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.void]
"""Positions: one fixed-size record each."""
Codes = npt.NDArray[np.int16]
"""Actions as the kernels number them."""
Floats = npt.NDArray[np.float32]
Params = Floats
"""The numbers a compiled agent gets besides the table and its own record: its options, then its weights."""

MAX_HANDS = 10_000
"""A match between players who never score would not end. It stops here, and nobody wins it."""


def copy_of(rows: Rows) -> Rows:
    """Return a copy of *rows*, made as bytes: many times as fast as NumPy's copy, which goes field by field."""
    return np.frombuffer(bytearray(rows.tobytes()), rows.dtype)


@lru_cache(maxsize=64)
def sizes_of(record: np.dtype[np.void], view: np.dtype[np.void]) -> tuple[int, int, bytes]:
    """Return the bytes of ``table`` and of ``mine``, padding included, and the padding at the end of a view.

    A record begins with the same two parts, but has one ``mine`` for each seat.
    """
    parts, of_record = view.fields, record.fields
    assert parts is not None
    assert of_record is not None
    assert parts["mine"][1] == of_record["mine"][1]
    table, mine = parts["mine"][1], parts["mine"][0].itemsize
    return table, mine, bytes(view.itemsize - table - mine)


def count_hands(row: Rows, played: int) -> None:
    """Set how many hands of the match are over, where the table of the position keeps count."""
    if "hand_no" in (row.dtype["table"].names or ()):
        row["table"]["hand_no"] = played
