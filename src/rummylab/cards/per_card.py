"""Rows of numbers, one for each card id, and the cards of a mask among them.

A loop over the cards of a mask ends after a number of rounds that the processor cannot foretell. A row has `N_IDS`
numbers: here all of them are read at once, and those outside the mask count nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

Floats = npt.NDArray[np.float32]

N_IDS = 64
"""Card ids, from 0 to 60, and a few that no card has."""


def _sum_of_python(cards: int, row: int, numbers: Floats) -> np.float32:
    kept = [numbers[row + card] if cards >> card & 1 else np.float32(0) for card in range(N_IDS)]
    while len(kept) > 1:
        half = len(kept) // 2
        kept = [low + high for low, high in zip(kept[:half], kept[half:], strict=True)]
    return kept[0]


def _keep_python(cards: int, row: int, numbers: Floats, to: int, out: Floats) -> None:
    for card in range(N_IDS):
        out[to + card] = numbers[row + card] if cards >> card & 1 else 0


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    sum_of, keep = _sum_of_python, _keep_python
else:

    @intrinsic  # type: ignore[untyped-decorator]
    def sum_of(typingctx: Any, cards: Any, row: Any, numbers: Any) -> Any:
        """Return the sum of the *numbers* of *cards* in the row that begins at *row*."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return folded(builder, _kept(context, builder, signature, args), builder.fadd)

        return types.float32(types.int64, types.int64, numbers), codegen

    @intrinsic  # type: ignore[untyped-decorator]
    def keep(typingctx: Any, cards: Any, row: Any, numbers: Any, to: Any, out: Any) -> Any:
        """Copy the row of *numbers* that begins at *row* to *out* from *to* on, with 0 for all but *cards*."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = _kept(context, builder, signature, args[:3])
            data = builder.gep(context.make_array(signature.args[4])(context, builder, args[4]).data, [args[3]])
            builder.store(vector, builder.bitcast(data, vector.type.as_pointer()), align=4)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, numbers, types.int64, out), codegen


def _kept(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return a row as a vector with 0 for all cards but those of the mask."""
    cards, row, numbers = args
    kind = ir.VectorType(ir.FloatType(), N_IDS)
    data = builder.gep(context.make_array(signature.args[2])(context, builder, numbers).data, [row])
    vector = builder.load(builder.bitcast(data, kind.as_pointer()), align=4)
    return builder.select(builder.bitcast(cards, ir.VectorType(ir.IntType(1), N_IDS)), vector, ir.Constant(kind, None))


def folded(builder: Any, vector: Any, add: Any) -> Any:
    """Return the sum of a vector whose length is a power of two: its halves are added again and again."""
    size = vector.type.count
    while size > 1:
        size //= 2
        parts = [ir.Constant(ir.VectorType(ir.IntType(32), size), list(range(at, at + size))) for at in (0, size)]
        nothing = ir.Constant(vector.type, ir.Undefined)
        vector = add(*(builder.shuffle_vector(vector, nothing, part) for part in parts))
    return builder.extract_element(vector, ir.IntType(32)(0))
