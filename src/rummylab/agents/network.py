"""A small network with two hidden layers inside a kernel, for agents whose values were learned.

Its numbers are part of ``params``, layer by layer with a row for each input, as
:func:`rummylab.learning.networks.flat_weights` writes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import noinline
from rummylab.engine.rows import Params

WIDTH, INNER = 64, 32
"""Sizes of the hidden layers."""


def network_size(inputs: int) -> int:
    """Return how many numbers a network with this many *inputs* has."""
    return inputs * WIDTH + WIDTH + WIDTH * INNER + INNER + INNER + 1


@helper
def network(params: Params, at: int, n_inputs: int, work: Any) -> float:
    """Return the output of the network at place *at* of *params* for the first *n_inputs* of ``work.inputs``.

    *work* also has room for the hidden layers: ``first`` and ``second``.
    """
    noinline()
    first, second = work.first, work.second
    bias = at + n_inputs * WIDTH
    for j in range(WIDTH):
        first[j] = params[bias + j]
    for i in range(n_inputs):
        size = work.inputs[i]
        if size != 0:
            row = params[at + i * WIDTH : at + i * WIDTH + WIDTH]
            for j in range(WIDTH):
                first[j] += size * row[j]
    start = bias + WIDTH
    last = start + WIDTH * INNER
    for j in range(INNER):
        second[j] = params[last + j]
    for i in range(WIDTH):
        size = first[i]
        if size > 0:
            row = params[start + i * INNER : start + i * INNER + INNER]
            for j in range(INNER):
                second[j] += size * row[j]
    total = params[last + 2 * INNER]
    for j in range(INNER):
        total += max(second[j], np.float32(0.0)) * params[last + INNER + j]
    return total
