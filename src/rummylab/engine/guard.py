"""Guards around kernels from outside the package, so that a mistake in one cannot damage a match.

A guarded kernel runs with bounds checks on copies of ``table`` and ``mine``; only its memory (``memory``) and its
random stream (``rng``) are copied back. This stops mistakes, not attacks: the kernel still runs in the referee's
process. A compiled agent named by file or package runs in a process of its own
(:mod:`rummylab.arena.compiled_host`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.extending import is_jitted

from rummylab._jit import helper, versions_of
from rummylab.engine.agent import STOPPED
from rummylab.engine.kernel_records import private_copy


def guarded(function: Callable[..., int], signature: Any) -> Any:
    """Compile *function*, the kernel of an agent, with bounds checks and on copies of its records.

    The result has the signature of a kernel. It returns `STOPPED` if *function* reads or writes outside an array or
    raises an exception. Bounds are checked in *function* and in the compiled functions outside this package that it
    calls.
    """
    for called in _compiled_functions(function, set()):
        for version in versions_of(called):
            _check_bounds(version)
    act = helper(function)
    _check_bounds(act)

    def guarded_act(table: Any, mine: Any, params: Any) -> int:
        own = private_copy(mine)
        try:
            code = act(private_copy(table), own, params)
        except Exception:  # noqa: BLE001 - Numba compiles no narrower clause
            return STOPPED
        mine.rng = own.rng
        for k in range(mine.memory.shape[0]):
            mine.memory[k] = own.memory[k]
        return code

    guarded_act.__wrapped__ = function  # type: ignore[attr-defined]
    return numba.njit(signature, error_model="numpy")(guarded_act)


def _check_bounds(function: Any) -> None:
    """Compile *function* with bounds checks from now on."""
    compiled: Any = function
    if not is_jitted(function) or compiled.targetoptions.get("boundscheck"):
        return
    compiled.targetoptions["boundscheck"] = True
    compiled._cache = NullCache()  # Numba's cache does not tell code with checks from code without
    if compiled.overloads:
        compiled.recompile()


def _compiled_functions(function: Any, seen: set[Any]) -> Iterator[Any]:
    """Yield the compiled functions outside this package that *function* calls, directly or not."""
    for value in _named_in(function):
        if is_jitted(value) and value not in seen and not value.py_func.__module__.startswith("rummylab."):
            seen.add(value)
            yield from _compiled_functions(value.py_func, seen)
            yield value


def _named_in(function: FunctionType) -> list[Any]:
    """Return the values of the global and enclosing names in the code of *function*; of modules, the members too."""
    names = function.__code__.co_names
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    modules = [value for value in values if isinstance(value, ModuleType)]
    return values + [getattr(module, name) for module in modules for name in names if hasattr(module, name)]
