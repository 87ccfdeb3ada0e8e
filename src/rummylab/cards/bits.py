"""Bitboard primitives: a set of cards is one signed 64-bit integer.

Card id = 16 * suit + rank, so each suit has a lane of sixteen bits. Ranks use bits 0 (ace) to 12 (king);
the three free bits keep shifts from running into the next suit, and bit 13 serves where the ace is also high.
The highest card is bit 60, so a mask is never negative.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from rummylab._jit import helper, kernel

LANE = 0x1FFF
"""The thirteen cards of clubs."""
EACH_SUIT = 0x0001_0001_0001_0001
"""One bit per suit: multiplying a rank mask by it repeats the mask in every lane."""
ALL_CARDS = LANE * EACH_SUIT
CACHE_LINE = 64
"""Bytes that the processor moves at a time."""

# Bit planes of the value of a card in Gin: A=1 ... 9=9, T J Q K=10, so points are four masked popcounts.
_VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
_ONES, _TWOS, _FOURS, _EIGHTS = (
    sum(1 << rank for rank, value in enumerate(_VALUES) if value & weight) * EACH_SUIT for weight in (1, 2, 4, 8)
)


def _popcount_python(x: int) -> int:
    return int(x).bit_count()


def _lowest_python(x: int) -> int:
    return (int(x) & -int(x)).bit_length() - 1


def _highest_python(x: int) -> int:
    return int(x).bit_length() - 1


def _nth_card_by_loop(mask: int, n: int) -> int:
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


def _choose_python(condition: bool, yes: int, no: int) -> int:
    return yes if condition else no


def _room_python(*shape: Any) -> Any:
    return np.empty(shape[:-1], shape[-1])


def _record_python(dtype: Any) -> Any:
    return np.recarray(1, dtype)[0]


def _hint_python() -> None:
    return None


_SLOW_PDEP = ("bdver4", "znver1", "znver2")
"""Processors whose `pdep` takes longer than the loop."""


def has_pdep(target: tuple[str, str, str]) -> bool:
    """Return whether to use `pdep` on a compiler *target*: its platform, processor and features.

    The target is part of the name of the machine code on disk, so another processor does not find it.
    """
    _, processor, features = target
    return "+bmi2" in features.split(",") and processor not in _SLOW_PDEP


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    popcount, lowest, highest = _popcount_python, _lowest_python, _highest_python
    nth_card, choose = _nth_card_by_loop, _choose_python
    stack_array = stack_table = _room_python
    stack_record = _record_python
    noinline = always_inline = rare = _hint_python
else:

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(typingctx: Any, x: Any) -> Any:
        """Return the number of cards in mask *x*."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest(typingctx: Any, x: Any) -> Any:
        """Return the id of the lowest card in the non-empty mask *x*."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def highest(typingctx: Any, x: Any) -> Any:
        """Return the number of the highest bit in the non-empty mask *x*."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def nth_card(typingctx: Any, mask: Any, n: Any) -> Any:
        """Return the id of the *n*-th lowest card of *mask*, counting from 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if not has_pdep(context.codegen().magic_tuple()):
                return context.compile_internal(builder, _nth_card_by_loop, signature, args)
            word = ir.IntType(64)
            pdep = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
            card = builder.call(pdep, [builder.shl(ir.Constant(word, 1), args[1]), args[0]])
            return builder.cttz(card, ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64, types.int64), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def choose(typingctx: Any, condition: Any, yes: Any, no: Any) -> Any:
        """Return *yes* or *no* without a branch: for what nobody can foretell, a wrong guess costs most."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            chosen = builder.select(*args)
            chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
            return chosen

        return types.int64(types.boolean, types.int64, types.int64), codegen

    def _on_stack(dtype: Any, *sizes: Any) -> Any:
        """Return the signature and the code of an array in the frame of the function that asks for it."""
        number, shape = dtype.dtype, [one.literal_value for one in sizes]
        kind, size = types.Array(number, len(sizes), "C"), number.bitwidth // 8

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def word(value: int) -> Any:
                return ir.Constant(ir.IntType(64), value)

            array = context.make_array(kind)(context, builder)
            data = cgutils.alloca_once(builder, context.get_data_type(number), word(prod(shape)))
            if prod(shape) * size >= CACHE_LINE:
                data.align = CACHE_LINE  # vectors that cross a line take twice as long
            populate_array(
                array,
                data=data,
                shape=[word(length) for length in shape],
                strides=[word(size * prod(shape[k + 1 :])) for k in range(len(shape))],
                itemsize=word(size),
                meminfo=None,
            )
            return array._getvalue()

        return kind(*sizes, dtype), codegen

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def stack_array(typingctx: Any, n: Any, dtype: Any) -> Any:
        """Return room for *n* numbers, a constant, until the calling function ends; in place of ``np.empty(n, dtype)``.

        It costs nothing. An array of `np.empty` is counted by every function that it is passed to, and the counting
        took a quarter of the time of some agents.
        """
        return _on_stack(dtype, n)

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def stack_table(typingctx: Any, n: Any, columns: Any, dtype: Any) -> Any:
        """Return room for *n* rows of *columns* numbers, both constants, until the calling function ends."""
        return _on_stack(dtype, n, columns)

    @intrinsic  # type: ignore[untyped-decorator]
    def stack_record(typingctx: Any, dtype: Any) -> Any:
        """Return room for one record of *dtype* until the calling function ends.

        It is passed on as one pointer. A tuple of arrays takes seven values for each array in every call, and to write
        and remove these took a quarter of the time to compile an agent.
        """

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                place = builder.alloca(context.get_data_type(signature.return_type))
            place.align = CACHE_LINE
            return place

        return dtype.dtype(dtype), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def always_inline(typingctx: Any) -> Any:
        """Copy the function that calls this into its callers: in the hottest parts a call costs as much as the work."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.function.attributes.add("alwaysinline")
            return context.get_dummy_value()

        return types.void(), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def noinline(typingctx: Any) -> Any:
        """Keep the function that calls this from being inlined: rare branches cost compile time, not run time."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.function.attributes.add("noinline")
            return context.get_dummy_value()

        return types.void(), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def rare(typingctx: Any) -> Any:
        """As `noinline`, for a function that is hardly ever called: its callers save their registers only then."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.function.attributes.add("noinline")
            builder.function.attributes.add("cold")
            return context.get_dummy_value()

        return types.void(), codegen


@kernel
def points(mask: int) -> int:
    """Return what the cards of *mask* count in Gin: ace 1, court cards 10."""
    return (
        popcount(mask & _ONES) + 2 * popcount(mask & _TWOS) + 4 * popcount(mask & _FOURS) + 8 * popcount(mask & _EIGHTS)
    )


@helper
def bit(card: int) -> int:
    """Return the mask of one card id; a joker's is bit 62."""
    return np.int64(1) << np.int64(card)


@helper
def index_of(card: int) -> int:
    """Return where a card id stands among the 52 in order: 13 * suit + rank."""
    return (card - 3 * (card >> 4)) & 63  # so that Numba needs no code for negative indexes


@helper
def in_next_suit(mask: int, steps: int) -> int:
    """Return the same ranks *steps* suits on, the first suit after the last: one rotation."""
    word, bits = np.uint64(mask), np.uint64(16 * steps)
    return np.int64((word << bits) | (word >> (np.uint64(64) - bits)))


@helper
def ranks_of(mask: int) -> int:
    """Return the ranks that occur in *mask*, as a mask of thirteen bits."""
    half = mask | (mask >> 32)
    return (half | (half >> 16)) & LANE


@helper
def suits_of(cards: int, rank: int) -> int:
    """Return in which suits *cards* has *rank*, as four bits."""
    aces = cards >> rank & EACH_SUIT
    return (aces | aces >> 15 | aces >> 30 | aces >> 45) & 15


@helper
def cards_of_rank(suits: int, rank: int) -> int:
    """Return the cards of *rank* in *suits*, which are four bits."""
    return ((suits | suits << 15 | suits << 30 | suits << 45) & EACH_SUIT) << rank


def to_mask(ids: Any) -> int:
    """Return the mask of an iterable of card ids (Python only)."""
    mask = 0
    for card in ids:
        mask |= 1 << int(card)
    return mask


def to_ids(mask: int) -> list[int]:
    """Return the card ids of *mask* in ascending order (Python only)."""
    mask = int(mask)
    ids = []
    while mask:
        ids.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return ids


IDS_52 = np.array([16 * suit + rank for suit in range(4) for rank in range(13)], dtype=np.int8)
"""The ids of one deck, in order."""
