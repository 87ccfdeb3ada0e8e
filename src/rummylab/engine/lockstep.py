"""Many tables at once, for compiled agents in processes of their own.

The referee plays every table up to the next decision of such a guest (`lockstep`), copies what the guest may see into
an array of views, and takes codes, notes and random streams back. The guest's process answers all views of a round in
one call (`answering`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype, types

from rummylab._jit import kernel_of
from rummylab.cards.rng import Root
from rummylab.engine.kernel_records import copy_into
from rummylab.engine.matches import MatchParts, agent_in
from rummylab.engine.pointers import Ints, agent_caller, record_at
from rummylab.engine.rows import Rows

PENDING: Final = -(2**61)
"""The code of a view that the guest has not answered yet."""


def answering(view: Any, act: Any) -> Any:
    """Return the kernel of a guest's process. It answers the first *n* views with the one agent in *agents*."""
    ask = agent_caller(act)

    @kernel_of(
        types.void(types.Array(from_dtype(view), 1, "C"), types.int64[::1], types.int64, types.int64[:, ::1]), __file__
    )
    def answer(views: Rows, codes: Ints, n: int, agents: Ints) -> None:
        for j in range(n):
            codes[j] = ask(agents, 0, views[j].table, views[j].mine)

    return answer


def lockstep(home: str, kernels: Any, parts: MatchParts, tally_type: np.dtype[np.void]) -> Any:
    """Return the referee's kernel, which is cached with the machine code of *home*."""
    move, begin, end_hand = parts
    ask, view_at = agent_caller(kernels.ACT), record_at(kernels.VIEW)

    @kernel_of(
        types.void(
            types.Array(from_dtype(kernels.RECORD), 1, "C"),
            types.int64[::1],
            types.int64[::1],
            types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
            types.int64,
            types.int64[::1],
            types.int64[:, ::1],
            types.int64[::1],
            types.Array(from_dtype(tally_type), 1, "A"),
            types.int64[:, ::1],
            types.int64[:, ::1],
            types.int64[::1],
        ),
        home,
    )
    def advance(
        rows: Rows,
        game_at: Ints,
        started: Ints,
        root: Root,
        first_deal: int,
        seatings: Ints,
        agents: Ints,
        views: Ints,
        tallies: Rows,
        slots: Ints,
        codes: Ints,
        counts: Ints,
    ) -> None:
        """Carry out the guests' answers and play every table up to a guest's next decision.

        Row *s* plays game ``game_at[s]``, or none (-1); ``started[0]`` games have begun. Every game is another deal, in
        the packed seating of *seatings* whose turn it is. Agent *k* is a guest if ``views[k]``, the address of its
        views, is not 0; ``counts[k]`` decisions are asked of it: ``codes[k, j]`` answers view *j*, which shows row
        ``slots[k, j]``. A code that is `PENDING` is asked for again.
        """
        seats = agents.shape[0]
        for number in range(seats):
            for j in range(counts[number]):
                code, s = codes[number, j], slots[number, j]
                if code == PENDING:
                    continue
                seen = view_at(views[number], j).mine
                mine = rows[s].mine[rows[s].table.actor]
                mine.rng = seen.rng
                for k in range(mine.memory.shape[0]):
                    mine.memory[k] = seen.memory[k]
                move(rows[s], number, code, tallies[game_at[s]])
            counts[number] = 0
        for s in range(rows.shape[0]):
            row = rows[s]
            table = row.table
            while True:
                if game_at[s] < 0:
                    if started[0] >= tallies.shape[0]:
                        break
                    game_at[s] = started[0]
                    started[0] += 1
                    seating = seatings[game_at[s] % seatings.shape[0]]
                    begin(row, root, first_deal + game_at[s], seats, seating, -1, tallies[game_at[s]])
                seating, tally = seatings[game_at[s] % seatings.shape[0]], tallies[game_at[s]]
                if tally.illegal or table.actor < 0:
                    if end_hand(row, root, first_deal + game_at[s], seats, seating, tally):
                        game_at[s] = -1
                    continue
                number = agent_in(seating, table.actor)
                mine = row.mine[table.actor]
                if views[number]:
                    j = counts[number]
                    seen_table = view_at(views[number], j)
                    copy_into(seen_table.table, table)
                    copy_into(seen_table.mine, mine)
                    slots[number, j] = s
                    counts[number] = j + 1
                    break
                move(row, number, ask(agents, number, table, mine), tally)

    return advance
