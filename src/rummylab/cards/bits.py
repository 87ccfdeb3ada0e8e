"""Bitboard primitives: a set of cards is one signed 64-bit integer.

Card id = 16 * suit + rank, so each suit has a lane of sixteen bits. Ranks use bits 0 (ace) to 12 (king);
the three free bits keep shifts from running into the next suit, and bit 13 serves where the ace is also high.
The highest card is bit 60, so a mask is never negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from rummylab._jit import helper, kernel

LANE = 0x1FFF
"""The thirteen cards of clubs."""
EACH_SUIT = 0x0001_0001_0001_0001
"""One bit per suit: multiplying a rank mask by it repeats the mask in every lane."""
ALL_CARDS = LANE * EACH_SUIT

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


def _stay_apart_python() -> None:
    return None


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    popcount, lowest, highest = _popcount_python, _lowest_python, _highest_python
    stay_apart = _stay_apart_python
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
    def stay_apart(typingctx: Any) -> Any:
        """Keep the function that calls this from being inlined: rare branches cost compile time, not run time."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.function.attributes.add("noinline")
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
def nth_card(mask: int, n: int) -> int:
    """Return the id of the *n*-th lowest card of *mask*, counting from 0."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


@helper
def index_of(card: int) -> int:
    """Return where a card id stands among the 52 in order: 13 * suit + rank."""
    return card - 3 * (card >> 4)


@helper
def ranks_of(mask: int) -> int:
    """Return the ranks that occur in *mask*, as a mask of thirteen bits."""
    half = mask | (mask >> 32)
    return (half | (half >> 16)) & LANE


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
