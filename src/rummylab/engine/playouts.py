"""Continue positions with compiled agents: many positions, or many first moves in each, in one kernel call.

Coaches, reviews and fits of beliefs start in mid-hand; the batch driver (:mod:`rummylab.engine.batch`) starts from the
deal. Rules and agents are the same. The hand a position belongs to is played, never the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import kernel_of
from rummylab.engine.kernel_records import copy_into
from rummylab.engine.matches import checked_move
from rummylab.engine.pointers import Floats, Ints, addresses, agent_caller
from rummylab.engine.rows import Rows
from rummylab.engine.spec import GameSpec
from rummylab.errors import AgentError

NO_REPLY: Final = -1
"""Stands for the first move of another seat where the hand ends before it."""
MAX_MOVES: Final = 5_000
"""A hand between players who never finish stops after this many moves."""


class Playouts:
    """Plays positions of one game on, each seat by an agent of its own.

    *acts* and *params* are the kernels and parameters of the agents, seat by seat.

    Raises:
        AgentError: an agent is not compiled.
    """

    def __init__(self, spec: GameSpec, acts: Sequence[Any], params: Sequence[Floats]) -> None:
        self._keep = (tuple(acts), tuple(params))  # the addresses point into them
        self._agents = addresses(acts, params, spec.act_signature)
        self._spec = spec

    def advance(self, rows: Rows, moves: npt.NDArray[np.int64] | int = MAX_MOVES) -> None:
        """Play each of *rows* on, in place: by so many *moves*, or to the end of the hand.

        Raises:
            AgentError: an agent makes an illegal move.
        """
        limits = np.broadcast_to(np.asarray(moves, np.int64), (len(rows),)).copy()
        self._check(_advancing(self._spec.kernels)(rows, limits, self._agents))

    def try_moves(self, worlds: Rows, codes: Sequence[int], turns: int = 2**30) -> tuple[Rows, Ints]:
        """Make every one of *codes* in every one of *worlds*, and play on for so many *turns* or to the end.

        Return the last positions, ``[world, code]``, and the first move of another seat in each, or `NO_REPLY`.

        Raises:
            AgentError: an agent makes an illegal move, or one of *codes* is illegal in one of *worlds*.
        """
        first = np.array(codes, np.int64)
        ends = np.empty(len(worlds) * len(first), worlds.dtype)
        replies = np.empty(len(ends), np.int64)
        self._check(_trying(self._spec.kernels)(worlds, first, turns, self._agents, ends, replies))
        shape = len(worlds), len(first)
        return ends.reshape(shape), replies.reshape(shape)

    def _check(self, wrong: int) -> None:
        if wrong >= 0:
            raise AgentError(f"A play-out of {self._spec.title} met an illegal move (position {wrong}).")


def compile_for(spec: GameSpec) -> None:
    """Compile the kernels of a game now, or load them."""
    _advancing(spec.kernels)
    _trying(spec.kernels)


@cache
def _advancing(kernels: Any) -> Any:
    """Return the kernel that plays positions on; it returns the first one with an illegal move, or -1."""
    move, ask = checked_move(kernels), agent_caller(kernels.ACT)

    @kernel_of(
        types.int64(types.Array(from_dtype(kernels.RECORD), 1, "C"), types.int64[::1], types.int64[:, ::1]),
        kernels.__file__,
    )
    def advance(rows: Rows, limits: Ints, agents: Ints) -> int:
        for i in range(rows.shape[0]):
            row = rows[i]
            n = 0
            while row.table.actor >= 0 and n < limits[i]:
                seat = np.int64(row.table.actor)
                if not move(row, ask(agents, seat, row.table, row.mine[seat])):
                    return i
                n += 1
        return -1

    return advance


@cache
def _trying(kernels: Any) -> Any:
    """Return the kernel that tries moves; it returns the first position with an illegal move, or -1."""
    move, ask = checked_move(kernels), agent_caller(kernels.ACT)

    @kernel_of(
        types.int64(
            types.Array(from_dtype(kernels.RECORD), 1, "C"),
            types.int64[::1],
            types.int64,
            types.int64[:, ::1],
            types.Array(from_dtype(kernels.RECORD), 1, "C"),
            types.int64[::1],
        ),
        kernels.__file__,
    )
    def try_moves(worlds: Rows, codes: Ints, turns: int, agents: Ints, ends: Rows, replies: Ints) -> int:
        for i in range(worlds.shape[0]):
            for k in range(codes.shape[0]):
                at = i * codes.shape[0] + k
                row = ends[at]
                copy_into(row, worlds[i])
                replies[at] = NO_REPLY
                mover, last = np.int64(row.table.actor), np.int64(row.table.turn) + turns
                if mover < 0 or not move(row, codes[k]):
                    return int(at)
                n = 0
                while row.table.actor >= 0 and row.table.turn < last and n < MAX_MOVES:
                    seat = np.int64(row.table.actor)
                    code = ask(agents, seat, row.table, row.mine[seat])
                    if seat != mover and replies[at] == NO_REPLY:
                        replies[at] = code
                    if not move(row, code):
                        return int(at)
                    n += 1
        return -1

    return try_moves
