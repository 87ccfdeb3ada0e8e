"""Memory that the referee shares with one compiled guest: what the guest may see, and a place for its codes.

Nothing else lies in it. It is a sealed file without a name: the guest cannot make it smaller under the referee.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab.engine.rows import Rows


class SharedViews(NamedTuple):
    """Two arrays in shared memory, one place a table."""

    views: Rows
    codes: npt.NDArray[np.int64]

    @staticmethod
    def size(view: np.dtype[np.void], tables: int) -> int:
        return tables * (view.itemsize + 8)

    @classmethod
    def within(cls, memory: Any, view: np.dtype[np.void], tables: int) -> SharedViews:
        """Return the arrays in *memory*."""
        views = np.frombuffer(memory, view, tables)
        return cls(views, np.frombuffer(memory, np.int64, tables, tables * view.itemsize))


def new_file(size: int) -> int:
    """Return the descriptor of a new file of *size* bytes in memory."""
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryFile() as file:
            file.truncate(size)
            return os.dup(file.fileno())
    import fcntl  # only where there is memfd; a match without guests imports this module too

    descriptor = os.memfd_create("views", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor


def mapped(descriptor: int, size: int) -> mmap.mmap:
    """Return the memory of a file that other processes map too."""
    return mmap.mmap(descriptor, size)
