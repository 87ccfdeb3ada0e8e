"""Many tables at once, for compiled agents that sit in processes of their own.

The referee plays every table up to the next decision of such a guest (`lockstep`), copies what the guest may
see into arrays of views, and takes codes, notes and random streams back. The guest's process answers all views of a
round in one call (`answering`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import kernel_of
from rummylab.engine.pointers import function_at
from rummylab.engine.record_copy import copy_into
from rummylab.engine.rules import Rows

PENDING: Final = -(2**61)
"""The code of a view that is not answered yet."""
Ints = npt.NDArray[np.int64]


class Parts(NamedTuple):
    """What `lockstep` needs of a game: its record types, and helpers of its rules and of its batch driver."""

    record: Any
    view: Any
    tally: Any
    act: Any
    is_legal: Any
    step: Any
    begin: Any
    """``begin(row, root, deal, swap, tally)`` opens a match and deals."""
    end_hand: Any
    """``end_hand(row, root, deal, swap, tally)`` counts a hand and deals the next; true at the end of the match."""


def answering(view: Any, act: Any) -> Any:
    """Return the kernel of a guest's process: answer the first *n* views, in order, by the function at *place*."""
    pointer = function_at(act)

    @kernel_of(
        types.void(
            types.Array(from_dtype(view), 1, "C"),
            types.int64[::1],
            types.int64,
            types.int64[::1],
            types.float32[::1],
        )
    )
    def answer(views: Rows, codes: Ints, n: int, place: Ints, par: Any) -> None:
        act = pointer(place[0], place[1])
        for j in range(n):
            codes[j] = act(views[j].table, views[j].mine, par)

    return answer


def lockstep(parts: Parts) -> Any:
    """Return the kernel of the referee, for two seats."""
    is_legal, step, begin, end_hand = parts.is_legal, parts.step, parts.begin, parts.end_hand
    views_type, pointer = types.Array(from_dtype(parts.view), 1, "C"), function_at(parts.act)

    @kernel_of(
        types.void(
            types.Array(from_dtype(parts.record), 1, "C"),
            types.int64[::1],
            types.int64[::1],
            types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
            types.int64,
            types.int64,
            types.int64[::1],
            types.int64[::1],
            types.float32[::1],
            types.float32[::1],
            types.int64,
            types.Array(from_dtype(parts.tally), 1, "C"),
            views_type,
            views_type,
            types.int64[:, ::1],
            types.int64[:, ::1],
            types.int64[::1],
        )
    )
    def advance(
        rows: Rows,
        game_at: Ints,
        started: Ints,
        root: Any,
        first_deal: int,
        swap: int,
        first: Ints,
        second: Ints,
        par: Any,
        par2: Any,
        guests: int,
        tallies: Rows,
        views: Rows,
        views2: Rows,
        slots: Ints,
        codes: Ints,
        counts: Ints,
    ) -> None:
        """Carry out the guests' answers and play every table up to a guest's next decision.

        Row *s* plays game ``game_at[s]`` of the seating *swap*, or none (-1); ``started[0]`` games have begun. The
        bits of *guests* say which of the two agents are guests; *first* and *second* are addresses of the others. Of
        agent *k*, ``counts[k]`` decisions are asked for: ``codes[k, j]`` answers view *j*, which shows row
        ``slots[k, j]``. A code that is `PENDING` is asked for again.
        """
        act, act2 = pointer(first[0], first[1]), pointer(second[0], second[1])
        for number in range(2):
            seen = views if number == 0 else views2
            for j in range(counts[number]):
                code = codes[number, j]
                if code == PENDING:
                    continue
                row = rows[slots[number, j]]
                table = row.table
                mine = row.mine[table.actor]
                mine.rng = seen[j].mine.rng
                for k in range(mine.memory.shape[0]):
                    mine.memory[k] = seen[j].mine.memory[k]
                tally = tallies[2 * game_at[slots[number, j]] + swap]
                if is_legal(table, mine, code):
                    step(row, code)
                    tally.decisions += 1
                else:
                    tally.illegal = 1 + number
                    tally.illegal_code = code
                    tally.illegal_phase = table.phase
            counts[number] = 0
        games = tallies.shape[0] // 2
        for s in range(rows.shape[0]):
            row = rows[s]
            table = row.table
            while True:
                if game_at[s] < 0:
                    if started[0] >= games:
                        break
                    game_at[s] = started[0]
                    started[0] += 1
                    begin(row, root, first_deal + game_at[s], swap, tallies[2 * game_at[s] + swap])
                tally = tallies[2 * game_at[s] + swap]
                if tally.illegal or table.actor < 0:
                    if end_hand(row, root, first_deal + game_at[s], swap, tally):
                        game_at[s] = -1
                    continue
                number = table.actor ^ swap
                mine = row.mine[table.actor]
                if (guests >> number) & 1:
                    j = counts[number]
                    seen = views if number == 0 else views2
                    copy_into(seen[j].table, table)
                    copy_into(seen[j].mine, mine)
                    slots[number, j] = s
                    counts[number] = j + 1
                    break
                if number == 0:
                    code = act(table, mine, par)
                else:
                    code = act2(table, mine, par2)
                if is_legal(table, mine, code):
                    step(row, code)
                    tally.decisions += 1
                else:
                    tally.illegal = 1 + number
                    tally.illegal_code = code
                    tally.illegal_phase = table.phase

    return advance
