"""The C++ reference for Gin (``reference/gin.cpp``), compiled where a compiler is found and called from Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

SOURCE: Final = Path(__file__).parent / "reference" / "gin.cpp"
COMPILERS: Final = ("g++", "clang++", "c++")
FLAGS: Final = ("-std=c++20", "-O3", "-march=native", "-shared", "-fPIC")


class Played(NamedTuple):
    """What a series of matches came to: equal figures on both sides mean that both played the same hands."""

    decisions: int
    hands: int
    score_of_first: int
    illegal: int


class GinReference:
    """The compiled reference. Both sides deal from the same seeds and draw the same random numbers."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def deadwood_of(self, hands: npt.NDArray[np.int64], out: npt.NDArray[np.int16]) -> None:
        """Write the deadwood of *hands* to *out*."""
        self._library.deadwood_of(_pointer(hands), ctypes.c_int64(len(hands)), _pointer(out))

    def matches(self, agent: str, seed: int, deals: int) -> Played:
        """Play every deal twice between two agents of the same name, with the seats swapped."""
        tally = np.zeros(len(Played._fields), np.int64)
        act = ctypes.cast(getattr(self._library, f"{agent}_act"), ctypes.c_void_p)
        acts = (ctypes.c_void_p * 2)(act, act)
        self._library.play_pairs(acts, ctypes.c_uint64(seed), ctypes.c_int64(0), ctypes.c_int64(deals), _pointer(tally))
        return Played(*map(int, tally))


def _pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def gin_reference() -> GinReference | None:
    """Compile and load the reference; None where there is no C++ compiler."""
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as directory:
        library = Path(directory) / "libgin.so"
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library)], check=True)
        return GinReference(ctypes.CDLL(str(library)))
