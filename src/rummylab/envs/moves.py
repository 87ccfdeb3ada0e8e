"""Moves that are made for a learner, one table at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import from_dtype, types

from rummylab._jit import kernel_of
from rummylab.engine.rows import Rows
from rummylab.games.registry import game


@cache
def automatic_of(name: str) -> Any:
    """Return the kernel ``automatic(views)`` of the game *name*: the code of a move made for a learner, or -1."""
    spec = game(name)
    automatic = spec.module("tensors").TENSORS.automatic

    @kernel_of(types.int64(types.Array(from_dtype(spec.kernels.VIEW), 1, "C")), spec.module("tensors").__file__)
    def automatic_move(views: Rows) -> Any:
        return np.int64(automatic(views[0].table, views[0].mine))

    return automatic_move
