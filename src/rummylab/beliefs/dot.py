"""The dot product of small whole numbers: how kernels evaluate the layers of a network.

Sixteen products of 16-bit numbers take one instruction, and the weights of a layer take half the memory of float32. A
plain loop compiles to half of that width, so the vectors are spelled out; the code is portable, and any CPU has a form
for it.

Trained weights travel in ``params``, an array of float32 that must be finite. `pack` makes pairs of weights look like
finite numbers: it adds `OFFSET` to each, so that no pair has the bits of an infinity. `products` takes it off again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from rummylab._jit import helper
from rummylab.cards.per_card import folded

Floats = npt.NDArray[np.float32]
Shorts = npt.NDArray[np.int16]

LANES, UNROLLED = 16, 4
BLOCK = LANES * UNROLLED
"""The length of a vector is a multiple of this."""
LARGEST_WEIGHT, LARGEST_VALUE = 8000, 4095
"""Bounds of the whole numbers on either side of the product."""
OFFSET = 16384


def padded(n: int) -> int:
    """Return *n* rounded up to whole blocks."""
    return -(-n // BLOCK) * BLOCK


def pack(weights: Floats) -> tuple[Floats, Floats]:
    """Return the rows of *weights* as whole numbers, two in each float32, and the scale of each row.

    A row's scale is as fine as the largest weight allows, and as coarse as a sum needs that must never overflow.
    """
    rows = weights.astype(np.float64)
    by_weight = np.abs(rows).max(axis=1) / LARGEST_WEIGHT
    by_sum = np.abs(rows).sum(axis=1) * LARGEST_VALUE / 2**30
    scale = np.maximum(np.maximum(by_weight, by_sum), 1e-30)
    numbers = np.zeros((len(rows), padded(rows.shape[1])), np.int16)
    numbers[:, : rows.shape[1]] = np.round(rows / scale[:, None])
    numbers += OFFSET
    return numbers.ravel().view(np.float32), scale.astype(np.float32)


@helper
def quantize(values: Floats, n: int, out: Shorts) -> tuple[float, int]:
    """Write the *n* numbers *values*, those below 0 as 0, to *out* as whole numbers; return their unit and sum."""
    top = np.float32(1e-30)
    for i in range(n):
        top = max(top, values[i])
    factor = np.float32(LARGEST_VALUE) / top
    total = np.int64(0)
    for i in range(n):
        number = np.int32(max(values[i], np.float32(0.0)) * factor + np.float32(0.5))
        out[i] = number
        total += number
    for i in range(n, len(out)):
        out[i] = 0
    return top / np.float32(LARGEST_VALUE), total


def _wrapped_dot_python(weights: Shorts, at: int, values: Shorts) -> int:
    total = int(weights[at : at + len(values)].astype(np.int64) @ values.astype(np.int64))
    return (total + 2**31) % 2**32 - 2**31


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _wrapped_dot = _wrapped_dot_python
else:

    @intrinsic  # type: ignore[untyped-decorator]
    def _wrapped_dot(typingctx: Any, weights: Any, at: Any, values: Any) -> Any:
        """Return the dot product of *values* and as many *weights* from *at* on, modulo 2**32."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            left = builder.gep(context.make_array(signature.args[0])(context, builder, args[0]).data, [args[1]])
            right = context.make_array(signature.args[2])(context, builder, args[2])
            n_blocks = builder.udiv(builder.extract_value(right.shape, 0), ir.Constant(ir.IntType(64), BLOCK))
            zero = ir.Constant(_int32s(LANES // 2), None)
            sums = [cgutils.alloca_once_value(builder, zero) for _ in range(UNROLLED)]  # type: ignore[no-untyped-call]
            with cgutils.for_range(builder, n_blocks) as loop:
                for i, total in enumerate(sums):
                    place = builder.mul(loop.index, ir.Constant(ir.IntType(64), BLOCK))
                    place = builder.add(place, ir.Constant(ir.IntType(64), i * LANES))
                    both = _vector_at(builder, left, place), _vector_at(builder, right.data, place)
                    builder.store(builder.add(builder.load(total), _sum_of_pairs(builder, *both)), total)
            vector = builder.load(sums[0])
            for total in sums[1:]:
                vector = builder.add(vector, builder.load(total))
            return builder.sext(folded(builder, vector, builder.add), ir.IntType(64))

        return types.int64(weights, types.int64, values), codegen


def _int32s(n: int) -> Any:
    """Return the type of a vector of *n* 32-bit numbers."""
    return ir.VectorType(ir.IntType(32), n)


def _vector_at(builder: Any, data: Any, place: Any) -> Any:
    """Return the vector of 16-bit numbers at *place*."""
    kind = ir.VectorType(ir.IntType(16), LANES).as_pointer()
    return builder.load(builder.bitcast(builder.gep(data, [place]), kind), align=2)


def _sum_of_pairs(builder: Any, left: Any, right: Any) -> Any:
    """Return the products of two vectors, each added to its neighbor."""
    wide = _int32s(LANES)
    products = builder.mul(builder.sext(left, wide), builder.sext(right, wide))
    even, odd = (ir.Constant(_int32s(LANES // 2), list(range(first, LANES, 2))) for first in (0, 1))
    nothing = ir.Constant(wide, ir.Undefined)
    return builder.add(builder.shuffle_vector(products, nothing, even), builder.shuffle_vector(products, nothing, odd))


@helper
def product(weights: Shorts, at: int, values: Shorts, total: int) -> np.float32:
    """Return the dot product of *values*, whose sum is *total*, and a row of packed *weights* that begins at *at*."""
    return np.float32(np.int32(_wrapped_dot(weights, at, values) - OFFSET * total))
