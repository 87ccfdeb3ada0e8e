"""Compiled agents by their addresses: whoever compiled one, it gets its arguments, and its errors are passed on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import from_dtype, types

from rummylab._jit import PLAIN, helper, kernel_of
from rummylab.engine.pointers import addresses, deciding, with_entry

PART = np.dtype([("number", "i8")])
VIEW = np.dtype([("table", PART), ("mine", PART)])
ACT = types.int64(from_dtype(PART), from_dtype(PART), types.float32[::1])
DECIDE = "import test_pointers as t; print(t.decision_of(t.by_us(t.act)))"


def act(table: Any, mine: Any, params: Any) -> Any:
    """Return a number that shows every argument, or raise an error if the table's is negative."""
    if table.number < 0:
        raise ValueError("a negative table")
    return 1000 * table.number + 100 * mine.number + 10 * np.int64(params[-1]) + params.shape[0]


def by_us(function: Any) -> Any:
    return kernel_of(ACT)(with_entry(helper(function), ACT))


def by_stock_numba(function: Any) -> Any:
    return numba.njit(ACT, error_model="numpy")(function)


def decision_of(kernel: Any, table: int = 7) -> int:
    views, params = np.zeros(1, VIEW), np.array([8, 9, 5], np.float32)
    views["table"]["number"], views["mine"]["number"] = table, 6
    agents = addresses([kernel], [params], ACT)
    return int(deciding(VIEW, ACT)(views.ctypes.data, agents.ctypes.data))


@pytest.mark.parametrize("compiled", [by_us, by_stock_numba])
def test_an_agent_gets_its_arguments_and_its_errors_are_passed_on(compiled: Any) -> None:
    kernel = compiled(act)
    assert decision_of(kernel) == 7653
    with pytest.raises(ValueError, match="a negative table"):
        decision_of(kernel, table=-1)


def test_python_and_kernels_can_call_a_kernel_with_an_entry() -> None:
    kernel, views, params = by_us(act), np.zeros(1, VIEW), np.array([2], np.float32)
    assert kernel(views[0]["table"], views[0]["mine"], params) == 21
    assert decision_of(by_stock_numba(lambda table, mine, params: kernel(table, mine, params) + 1)) == 7654


def test_plain_numba_makes_entries_too() -> None:
    environment = os.environ | {PLAIN: "1", "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", DECIDE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "7653\n"
