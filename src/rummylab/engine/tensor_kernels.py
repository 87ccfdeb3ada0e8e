"""Kernels that write observations as numbers and sample actions.

The encoder runs the short program of a `Layout`: each line names a field of ``table`` or ``mine`` and how to write it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rummylab._jit import helper, kernel_of
from rummylab.cards.bits import always_inline, bit, popcount
from rummylab.cards.rng import scramble
from rummylab.engine.tensors import BIT, CARD, CARDS, COPIES, EQUALS, FROM_STOCK, MOST, NUMBER, ONE_OF, SEAT, UNION

Ints = npt.NDArray[np.int64]
_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_BYTES = ir.VectorType(_I8, 64)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_32 = np.uint64(32)


# --- Memory ---------------------------------------------------------------------------------------------------------


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _address_of(typingctx: Any, record: Any) -> Any:
    """Return where *record* is in memory."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], _I64)

    return types.int64(record), codegen


def _loader(kind: Any) -> Any:
    """Return the intrinsic that reads a signed number of *kind* at an address, which need not be aligned."""

    def _load(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.load(_pointer(builder, args[0], kind), align=1)
            return value if kind == _I64 else builder.sext(value, _I64)

        return types.int64(types.int64), codegen

    return intrinsic(_load)


def _storer(kind: Any) -> Any:
    """Return the intrinsic that writes a number as *kind* to an address, which need not be aligned."""

    def _store(typingctx: Any, address: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = args[1] if kind == _I64 else builder.trunc(args[1], kind)
            builder.store(value, _pointer(builder, args[0], kind), align=1)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), codegen

    return intrinsic(_store)


def _put_copies(typingctx: Any, address: Any, once: Any, twice: Any) -> Any:
    """Write 52 bytes to *address*: how many of the masks *once* and *twice* hold each card."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        counts = builder.add(_spread(builder, args[1]), _spread(builder, args[2]))
        for first, n in ((0, 32), (32, 16), (48, 4)):
            chosen = ir.Constant(ir.VectorType(_I32, n), list(range(first, first + n)))
            part = builder.shuffle_vector(counts, ir.Constant(_BYTES, ir.Undefined), chosen)
            place = builder.add(args[0], ir.Constant(_I64, first))
            builder.store(part, _pointer(builder, place, ir.VectorType(_I8, n)), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


def _spread(builder: Any, mask: Any) -> Any:
    """Return the cards of *mask*, without the gaps between suits, as a vector of bytes."""
    bits = ir.Constant(_I64, 0)
    for suit in range(4):
        lane = ir.Constant(_I64, 0x1FFF << (13 * suit))
        bits = builder.or_(bits, builder.and_(builder.lshr(mask, ir.Constant(_I64, 3 * suit)), lane))
    return builder.zext(builder.bitcast(bits, ir.VectorType(ir.IntType(1), 64)), _BYTES)


address_of: Any = intrinsic(_address_of)
load_1, load_8 = _loader(_I8), _loader(_I64)
put_byte, put_word = _storer(_I8), _storer(_I64)
put_copies: Any = intrinsic(_put_copies)


@helper
def put_cards(address: int, mask: int) -> None:
    """Write 52 bytes to *address*: 1 for each card of *mask*."""
    put_copies(address, mask, np.int64(0))


@helper
def clear(address: int, n: int) -> None:
    """Write *n* zeros to *address*."""
    whole = n >> 3
    for k in range(whole):
        put_word(address + 8 * k, np.int64(0))
    for k in range(8 * whole, n):
        put_byte(address + k, np.int64(0))


@helper
def _load(address: int, unused: int) -> int:
    """Return the signed number at *address*; *unused* bits of the eight bytes there belong to what follows it."""
    return load_8(address) << unused >> unused


# --- The encoder ----------------------------------------------------------------------------------------------------


@helper
def _source(program: Ints, k: int, at_table: int, to_mine: int, me: int, seats: int) -> int:
    """Return where the field of line *k* is: in the table or in *mine*, for one seat where it has several."""
    always_inline()
    who = me + program[k, 2]
    skip = program[k, 1] * (who if who < seats else who - seats)
    return at_table + program[k, 0] + (to_mine if program[k, 3] else np.int64(0)) + skip


@helper
def write_tensor(
    table: np.void, mine: np.void, seats: int, program: Ints, cards_size: int, size: int, out: int
) -> None:
    """Write what *mine* and *table* show to the *size* bytes at *out*.

    The first line of *program* says where the lines of each kind end; the others are one for each plane and scalar.
    """
    me, at_table = np.int64(mine.seat), address_of(table)
    to_mine = address_of(mine) - at_table
    clear(out + cards_size, size - cards_size)
    ends, none = program[0], np.int64(0)
    for k in range(1, ends[CARDS]):
        put_copies(out + program[k, 5], load_8(_source(program, k, at_table, to_mine, me, seats)), none)
    for k in range(ends[CARDS], ends[CARD]):
        card = _load(_source(program, k, at_table, to_mine, me, seats), program[k, 4])
        put_copies(out + program[k, 5], bit(card & 63) if 0 <= card < FROM_STOCK else none, none)
    for k in range(ends[CARD], ends[COPIES]):
        source = _source(program, k, at_table, to_mine, me, seats)
        put_copies(out + program[k, 5], load_8(source), load_8(source + program[k, 7]))
    for k in range(ends[COPIES], ends[UNION]):
        source, cards = _source(program, k, at_table, to_mine, me, seats), np.int64(0)
        for j in range(program[k, 6]):
            cards |= load_8(source + 8 * j)
        put_copies(out + program[k, 5], cards, none)
    for k in range(ends[UNION], ends[NUMBER]):
        value = _load(_source(program, k, at_table, to_mine, me, seats), program[k, 4])
        put_byte(out + program[k, 5], min(max(value, none), np.int64(MOST)))
    for k in range(ends[NUMBER], ends[ONE_OF]):
        value = _load(_source(program, k, at_table, to_mine, me, seats), program[k, 4])
        if 0 <= value < program[k, 6]:
            put_byte(out + program[k, 5] + value, np.int64(1))
    for k in range(ends[ONE_OF], ends[SEAT]):
        value = _load(_source(program, k, at_table, to_mine, me, seats), program[k, 4])
        if value >= 0:
            put_byte(out + program[k, 5] + (value - me if value >= me else value - me + seats), np.int64(1))
    for k in range(ends[SEAT], ends[EQUALS]):
        value = _load(_source(program, k, at_table, to_mine, me, seats), program[k, 4])
        put_byte(out + program[k, 5], np.int64(value == program[k, 7]))
    for k in range(ends[EQUALS], ends[BIT]):
        value = load_8(_source(program, k, at_table, to_mine, me, seats))
        put_byte(out + program[k, 5], value >> program[k, 7] & 1)


# --- Actions --------------------------------------------------------------------------------------------------------


@helper
def _count(row: int, n: int) -> int:
    """Return how many of *n* bytes, each 0 or 1, are set."""
    total, whole = np.int64(0), n >> 3
    for k in range(whole):
        total += popcount(load_8(row + 8 * k))
    for k in range(8 * whole, n):
        total += load_1(row + k)
    return total


@helper
def _nth_byte(row: int, first: int, end: int, left: int) -> int:
    for k in range(first, end):
        if load_1(row + k):
            if left == 0:
                return np.int64(k)
            left -= 1
    return np.int64(0)


@helper
def _nth(row: int, n: int, left: int) -> int:
    """Return the place of set byte number *left*, from 0."""
    whole = n >> 3
    for k in range(whole):
        here = popcount(load_8(row + 8 * k))
        if left < here:
            return _nth_byte(row, 8 * k, 8 * k + 8, left)
        left -= here
    return _nth_byte(row, 8 * whole, n, left)


@kernel_of(types.void(types.uint8[:, ::1], types.uint64[::1], types.int64[::1]), __file__)
def sample_legal(masks: npt.NDArray[np.uint8], streams: npt.NDArray[np.uint64], out: Ints) -> None:
    """Write a random legal action of each line of *masks* to *out*, 0 where there is none; *streams* advance."""
    n = masks.shape[1]
    for i in range(masks.shape[0]):
        row = np.int64(masks[i].ctypes.data)
        total = _count(row, n)
        streams[i] += _GOLDEN
        left = np.int64(((scramble(streams[i]) >> _32) * np.uint64(total)) >> _32)
        out[i] = _nth(row, n, left)


@kernel_of(types.void(types.uint8[:, ::1], types.float32[::1], types.float32[:, ::1]), __file__)
def to_floats(tensors: npt.NDArray[np.uint8], scales: npt.NDArray[np.float32], out: npt.NDArray[np.float32]) -> None:
    """Write *tensors* as float32, each number multiplied by its scale."""
    for i in range(tensors.shape[0]):
        for k in range(tensors.shape[1]):
            out[i, k] = tensors[i, k] * scales[k]


# --- What a game declares if it has nothing of its own to say --------------------------------------------------------


@helper
def keep_code(table: np.void, mine: np.void, code: int, card: int) -> int:
    """Return *code*: every choice of the game has one."""
    return code


@helper
def always_ask(table: np.void, mine: np.void) -> int:
    """Return -1: no move of the game is made without asking."""
    return np.int64(-1)
