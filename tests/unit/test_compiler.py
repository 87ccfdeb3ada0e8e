"""The way through the compiler: what becomes machine code, and that stock Numba is left as it was."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numba
import numpy as np
import pytest

from loading import load_module
from rummylab import _shortcuts
from rummylab._cache_directory import cache_root
from rummylab._jit import cache_of, helper, kernel, kernel_of, versions_of
from rummylab.engine.guard import guarded

MODULE = """
import numba
import numpy as np
from rummylab._jit import helper, kernel

@helper
def one_more(x):
    return x + 1

@helper
def two_more(x):
    return one_more(one_more(x))

@kernel
def three_more(x):
    return two_more(x) + one_more(0)

@kernel
def six_more(x):
    return three_more(three_more(x))

@kernel
def sum_of_squares(n):
    squares = np.array([k * k for k in range(n)])
    return squares.sum() + max(n, 0) - min(n, 0) - n

@numba.njit
def own_function(x):
    return six_more(x) + two_more(x)

@helper
def at_the_bottom(x):
    return 3 * x + 1

@helper
def through(x):
    return at_the_bottom(x)

@kernel
def with_a_branch_that_the_optimizer_removes(x):
    if x & 0 == 1:
        return at_the_bottom(x)
    return through(x)

@helper
def square_root(x):
    if x < 0:
        raise ValueError("below 0")
    return x ** 0.5

@kernel
def passes_an_error_on(x):
    return square_root(x) + 1

@kernel
def catches_an_error(x):
    try:
        return square_root(x)
    except Exception:
        return -1.0

@kernel
def elements(n):
    numbers = np.zeros(n)
    for k in range(n):
        kept = numbers  # a reference that goes with the next round
        numbers = kept.copy()
        numbers[k] = k
    numbers[-1] += 10
    return numbers[0], numbers[-2], numbers[np.uint64(n - 1)], numbers[np.int8(-n)]

@kernel
def fails(x):
    return x.no_such_field
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Load kernels that nobody has compiled before, with a cache of their own."""
    path = tmp_path / "fresh_kernels.py"
    path.write_text(MODULE)
    monkeypatch.setenv("RUMMYLAB_CACHE", str(tmp_path / "cache"))
    _forget_the_cache()
    yield load_module(path)
    del sys.modules[path.stem]
    _forget_the_cache()


def _forget_the_cache() -> None:
    cache_root.cache_clear()
    cache_of.cache_clear()


def test_only_the_kernel_that_python_calls_becomes_machine_code(module: ModuleType) -> None:
    assert module.six_more(1) == 7
    own, for_kernels = versions_of(module.three_more)
    assert not own.overloads
    assert len(for_kernels.overloads) == 1
    assert module.three_more(1) == 4


def test_a_helper_cannot_be_called_from_python(module: ModuleType) -> None:
    assert versions_of(module.two_more) == [module.two_more]
    with pytest.raises(TypeError, match="two_more is a helper: kernels can call it, Python cannot"):
        module.two_more(1)


def test_a_function_that_stock_numba_compiles_can_call_kernels_and_helpers(module: ModuleType) -> None:
    assert module.own_function(1) == 7 + 3


def test_a_helper_is_linked_although_only_another_helper_still_calls_it(module: ModuleType) -> None:
    """LLVM leaves out what nothing refers to yet, so callers must be linked before what they call."""
    assert module.with_a_branch_that_the_optimizer_removes(2) == 7


def test_a_kernel_outside_the_package_may_use_comprehensions_and_numpy(module: ModuleType) -> None:
    assert module.sum_of_squares(4) == 14


def test_errors_reach_the_caller_or_whoever_catches_them(module: ModuleType) -> None:
    assert module.passes_an_error_on(4) == 3
    with pytest.raises(ValueError, match="below 0"):
        module.passes_an_error_on(-1)
    assert [module.catches_an_error(x) for x in (4, -1)] == [2, -1]


def test_elements_are_counted_from_both_ends(module: ModuleType) -> None:
    assert module.elements(4) == (0, 2, 13, 0)


def _replaced() -> list[Any]:
    return [getattr(owner, name) for owner, name, _ in _shortcuts._REPLACED]


@pytest.mark.parametrize("collects_garbage", [True, False])
def test_numba_is_as_it_was_after_a_kernel_is_compiled_or_is_not(module: ModuleType, collects_garbage: bool) -> None:
    before = _replaced()
    assert gc.isenabled()
    if not collects_garbage:
        gc.disable()
    try:
        module.three_more(1)
        assert _replaced() == before
        with pytest.raises(numba.core.errors.TypingError, match="no_such_field"):
            module.fails(1)
        assert _replaced() == before
        assert gc.isenabled() is collects_garbage
    finally:
        gc.enable()


def test_the_shortcuts_are_taken_while_a_kernel_is_compiled() -> None:
    before = _replaced()
    with _shortcuts.shortcuts(), _shortcuts.shortcuts():
        assert all(now is shorter for now, (_, _, shorter) in zip(_replaced(), _shortcuts._REPLACED, strict=True))
        assert not gc.isenabled()
    assert _replaced() == before
    assert gc.isenabled()


def test_types_are_remembered_for_one_kernel_only(module: ModuleType) -> None:
    with _shortcuts.shortcuts():
        module.three_more(1)
        assert _shortcuts._known_calls
    assert not _shortcuts._known_calls
    assert not _shortcuts._known_attributes


def test_a_kernel_of_one_signature_keeps_it_inside_other_kernels() -> None:
    @kernel_of(numba.int64(numba.int64))
    def next_number(x: Any) -> Any:
        return x + 1

    @kernel
    def next_of(x: Any) -> Any:
        return next_number(x)

    assert next_of(np.uint8(255)) == 256
    cast(Any, next_number).get_call_template((numba.uint8,), {})  # as a kernel that is not in the cache asks
    (signature,) = versions_of(next_number)[1].nopython_signatures
    assert signature == numba.int64(numba.int64)


def test_a_kernel_called_by_a_guarded_agent_checks_its_bounds() -> None:
    @kernel
    def beyond(values: Any) -> Any:
        return values[np.int64(values.shape[0]) + 1_000_000]

    @helper
    def also_beyond(values: Any) -> Any:
        return values[np.int64(values.shape[0]) + 1_000_000]

    record = numba.from_dtype(np.dtype([("rng", "u8"), ("memory", "i8", (2,))]))
    signature = numba.int64(record, record, numba.float32[::1])
    rows, values = np.zeros(1, np.dtype([("rng", "u8"), ("memory", "i8", (2,))])), np.zeros(3, np.float32)
    for reads in (beyond, also_beyond):

        def reads_beyond(table: Any, mine: Any, params: Any) -> int:
            return np.int64(reads(params))  # noqa: B023 - compiled at once

        assert guarded(reads_beyond, signature)(rows[0], rows[0], values) < 0
