"""The dot product of small whole numbers: how kernels evaluate the layers of a network.

Many products of 16-bit numbers take one instruction, and the weights of a layer take half the memory of float32. A
plain loop compiles to half of that width, so the vectors are spelled out; the code is portable, and any CPU has a form
for it. Reading the weights takes most of the time: they are in the order in which they are read.

Trained weights travel in ``params``, an array of float32 that must be finite. `pack` makes pairs of weights look like
finite numbers: it adds `OFFSET` to each, so that no pair has the bits of an infinity. `write_layer` takes it off again.
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
from rummylab.cards.bits import noinline, stack_array

Floats = npt.NDArray[np.float32]
Shorts = npt.NDArray[np.int16]
Ints = npt.NDArray[np.int32]

LANES, ROWS = 32, 4
"""Numbers in a vector, and rows of weights that are multiplied at the same time."""
LARGEST_WEIGHT, LARGEST_VALUE = 8000, 4095
"""Bounds of the whole numbers on either side of the product."""
OFFSET = 16384


def padded(n: int) -> int:
    """Return *n* rounded up to whole vectors."""
    return -(-n // LANES) * LANES


def pack(weights: Floats) -> tuple[Floats, Floats]:
    """Return the rows of *weights* as whole numbers, two in each float32, and the scale of each row.

    ROWS rows lie side by side: a vector of each, then the next vector of each. Their number is a multiple of ROWS.
    A row's scale is as fine as the largest weight allows, and as coarse as a sum needs that must never overflow.
    """
    rows = weights.astype(np.float64)
    by_weight = np.abs(rows).max(axis=1) / LARGEST_WEIGHT
    by_sum = np.abs(rows).sum(axis=1) * LARGEST_VALUE / 2**30
    scale = np.maximum(np.maximum(by_weight, by_sum), 1e-30)
    numbers = np.zeros((len(rows), padded(rows.shape[1])), np.int16)
    numbers[:, : rows.shape[1]] = np.round(rows / scale[:, None])
    numbers += OFFSET
    blocks = numbers.reshape(-1, ROWS, numbers.shape[1] // LANES, LANES).swapaxes(1, 2)
    return blocks.ravel().view(np.float32), scale.astype(np.float32)


@helper
def quantize(values: Floats, out: Shorts) -> tuple[float, int]:
    """Write the numbers *values*, those below 0 as 0, to *out* as whole numbers; return their unit and sum."""
    n, top = len(values), _greatest(values)
    factor = np.float32(LARGEST_VALUE) / top
    total = np.int64(0)
    for i in range(n):
        number = np.int32(max(values[i], np.float32(0.0)) * factor + np.float32(0.5))
        out[i] = number
        total += number
    for i in range(n, len(out)):
        out[i] = 0
    return top / np.float32(LARGEST_VALUE), total


@helper
def _greatest(values: Floats) -> np.float32:
    """Return the greatest of *values*, or 1e-30 if that is greater.

    It compares their bits as integers, many at once: positive numbers keep their order, and negative ones stay below.
    """
    top = stack_array(1, np.float32)
    top[0] = 1e-30
    bits, most = values.view(np.int32), top.view(np.int32)
    greatest = most[0]
    for i in range(len(values)):
        greatest = max(greatest, bits[i])
    most[0] = greatest
    return top[0]


def _write_sums_python(weights: Shorts, at: int, values: Shorts, row: int, out: Ints) -> None:
    rows = weights[at : at + ROWS * len(values)].reshape(-1, ROWS, LANES).swapaxes(0, 1).reshape(ROWS, -1)
    out[row : row + ROWS] = (rows.astype(np.int64) @ values + 2**31) % 2**32 - 2**31


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    _write_sums = _write_sums_python
else:

    @intrinsic  # type: ignore[untyped-decorator]
    def _write_sums(typingctx: Any, weights: Any, at: Any, values: Any, row: Any, out: Any) -> Any:
        """Write the dot products of *values* and ROWS rows of *weights* from *at* on, modulo 2**32, to out[row:]."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            left, right, out = (context.make_array(signature.args[i])(context, builder, args[i]) for i in (0, 2, 4))
            size = builder.extract_value(right.shape, 0)
            zero = ir.Constant(_int32s(LANES // 2), None)
            sums = [cgutils.alloca_once_value(builder, zero) for _ in range(ROWS)]  # type: ignore[no-untyped-call]
            with cgutils.for_range(builder, builder.udiv(size, ir.Constant(size.type, LANES))) as loop:
                vector = _vector_at(builder, right.data, builder.mul(loop.index, ir.Constant(size.type, LANES)))
                place = builder.add(args[1], builder.mul(loop.index, ir.Constant(size.type, ROWS * LANES)))
                for k, total in enumerate(sums):
                    weight = _vector_at(builder, left.data, builder.add(place, ir.Constant(size.type, k * LANES)))
                    builder.store(builder.add(builder.load(total), _sum_of_pairs(builder, weight, vector)), total)
            found = _totals(builder, [builder.load(total) for total in sums])
            place = builder.bitcast(builder.gep(out.data, [args[3]]), found.type.as_pointer())
            builder.store(found, place, align=4)
            return context.get_dummy_value()

        return types.void(weights, types.int64, values, types.int64, out), codegen


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
    return _sums_of_neighbors(builder, products, products, LANES // 2)


def _sums_of_neighbors(builder: Any, first: Any, second: Any, n: int) -> Any:
    """Return the first *n* sums of two neighbors in two vectors, one after the other."""
    even, odd = (ir.Constant(_int32s(n), list(range(start, 2 * n, 2))) for start in (0, 1))
    return builder.add(builder.shuffle_vector(first, second, even), builder.shuffle_vector(first, second, odd))


def _totals(builder: Any, vectors: list[Any]) -> Any:
    """Return the sum of the numbers of each of the *vectors*, as one vector: neighbors are added again and again."""
    while len(vectors) > 1:
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [_sums_of_neighbors(builder, first, second, first.type.count) for first, second in pairs]
    (vector,) = vectors
    while vector.type.count > ROWS:
        vector = _sums_of_neighbors(builder, vector, vector, vector.type.count // 2)
    return vector


@helper
def write_layer(
    weights: Shorts, scales: Floats, biases: Floats, values: Floats, active: Shorts, n: int, out: Floats
) -> None:
    """Write the *n* sums of a layer to *out*: its *biases* and the products of its packed *weights* with *values*.

    Values below 0 count as 0. *active* is room for them as whole numbers; *n* is a multiple of ROWS.
    """
    noinline()
    unit, total = quantize(values, active)
    sums = out.view(np.int32)
    for j in range(0, n, ROWS):
        _write_sums(weights, j * len(active), active, j, sums)
    for j in range(n):
        out[j] = biases[j] + np.float32(np.int32(sums[j] - OFFSET * total)) * (unit * scales[j])
