"""Types in the signatures of kernels that play games and note what happens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

INT, FLOAT, PARAMS = types.int64, types.float64, types.float32[::1]
FLOATS = types.float64[::1]


def rows_of(dtype: np.dtype[np.void]) -> Any:
    """Return the type of an array of records."""
    return types.Array(from_dtype(dtype), 1, "C")
