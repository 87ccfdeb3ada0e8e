"""The one place that configures Numba.

Numba's own cache checks only the file that a function is defined in: after an edit to a *callee* in another file, the
old machine code of the caller keeps running. Here each module has a cache directory named by a hash of its source, of
everything it imports from this package, and of everything else that changes the machine code.

Set ``RUMMYLAB_PLAIN_NUMBA=1`` to compile with stock ``numba.njit`` instead: no files on disk, no changes to the
compiler, same results, but several minutes of compiling in every process. Use it to find out whether a problem is
Numba's or ours.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import event, typeinfer
from numba.core.extending import _Intrinsic
from numba.extending import is_jitted

from rummylab._cache import SUFFIX, KernelCache
from rummylab._cache_directory import cache_directory
from rummylab._sources import PACKAGE, is_ours, sources_of

PLAIN = "RUMMYLAB_PLAIN_NUMBA"
"""Environment variable: compile with stock Numba."""
EDGES = ("arena", "cli", "interop", "lab", "ui")
"""Packages without kernels. A test verifies that they have none."""
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_CONSTANTS = (int, float, np.generic, np.dtype, types.Type)

F = TypeVar("F", bound=Callable[..., Any])


def source_hash(root: Path = PACKAGE) -> str:
    """Return a short hash of every file that may hold kernels, of Numba's version and of its settings."""
    return _hash_of((path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in EDGES), root)


def kernel_hash(path: Path, root: Path = PACKAGE) -> str:
    """Return a short hash of everything that the machine code of the file *path* is made from."""
    if path.is_relative_to(root):
        return _hash_of(sources_of(path, root), root)
    return source_hash(root)  # an outside agent's file; its own text is part of the key


def _hash_of(paths: Iterable[Path], root: Path) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(paths):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    settings = [numba.__version__, np.__version__, sys.version, platform.machine()]
    settings += [f"{name}={os.environ.get(name, '')}" for name in _FLAGS]
    digest.update("|".join(settings).encode())
    return digest.hexdigest()


@cache
def cache_of(path: Path) -> Path | None:
    """Return the directory for the machine code of the file *path*, or None if no directory can be written."""
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts) if is_ours(path) else "others"
    return cache_directory(name, kernel_hash(path))


def _is_plain() -> bool:
    return os.environ.get(PLAIN, "") not in ("", "0")


class _FirstCompilation(event.Listener):  # type: ignore[misc]
    """Calls a function once, when a kernel is compiled that was not found on disk."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.tell: Callable[[], None] | None = tell

    def on_start(self, _: Any) -> None:
        tell, self.tell = self.tell, None
        if tell is not None:
            tell()

    def on_end(self, _: Any) -> None:
        pass


def on_compilation(tell: Callable[[], None]) -> None:
    """Call *tell* once, when the first kernel is compiled that was not found on disk."""
    event.register("numba:compile", _FirstCompilation(tell))


def _load_numba_without_blas() -> None:
    """Keep Numba from importing SciPy's linear algebra, which takes longer than compiling a small kernel.

    Kernels are plain loops; linear algebra is left to NumPy.
    """
    if "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy.linalg"]


on_compilation(_load_numba_without_blas)


def is_cold(module: str) -> bool:
    """Return whether *module* has no machine code on disk yet, so that importing it takes some seconds."""
    directory = cache_of(PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py"))
    return directory is None or not any(directory.glob(f"*{SUFFIX}"))


def _plain(argument: Any) -> Any:
    """Return the type that an argument is compiled for: constants and small signed integers become int64."""
    argument = types.unliteral(argument)
    if isinstance(argument, types.Integer) and argument.signed and argument.bitwidth < 64:
        return types.int64
    return argument


def _one_version(compiled: Any) -> Any:
    """Let kernels call a single version of *compiled* for all signed integers.

    Numba would recompile it, and everything it calls, for each constant and each integer width in a call.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return compiled
    template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(_plain, args)), {name: _plain(value) for name, value in kws.items()})

    compiled.get_call_template = get_call_template
    return compiled


def _njit(function: F, *signature: Any, home: str = "") -> Any:
    """Compile *function*, and keep its machine code in the cache directory of *home*, or of its file.

    Numba treats the functions in a closure as new ones in every process, so it never finds a closure's machine code
    again. Here the closure's contents are part of the cache key, by name.
    """
    compiled = numba.njit(error_model="numpy", nogil=True, **_pipeline())(function)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return compiled
    parts = list(_closure(function))
    if not _is_plain():
        _take_shortcuts(compiled)
        _give_kernels_a_helper(compiled, *signature)
        _set_cache(compiled, function, parts, home)
    with typeinfer.register_dispatcher(compiled):
        for one in signature:
            compiled.compile(one)
            compiled.disable_compile()
    return compiled


def _pipeline(*, is_helper: bool = False) -> dict[str, Any]:
    """Return the option that makes Numba use our compiler.

    It is imported here: it rests on Numba's inner workings, which stock Numba must not need.
    """
    if _is_plain():
        return {}
    from rummylab._compiler import HelperCompiler, KernelCompiler

    return {"pipeline_class": HelperCompiler if is_helper else KernelCompiler}


def _take_shortcuts(compiled: Any) -> None:
    """Compile *compiled* the shorter way, if it has to be compiled."""
    from rummylab._shortcuts import shortcuts

    compile_it = compiled._compiler.compile

    def compile_shorter(args: Any, return_type: Any) -> Any:
        with shortcuts():
            return compile_it(args, return_type)

    compiled._compiler.compile = compile_shorter


def _give_kernels_a_helper(compiled: Any, *signature: Any) -> None:
    """Let other kernels call a helper made of the same function: they need no machine code of *compiled*."""
    compiled.helper = part = helper(compiled.py_func)
    template = part.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        for one in () if part.overloads else signature:
            part.compile(one)
            part.disable_compile()
        return template(args, kws)

    compiled.get_call_template, compiled.get_overload = get_call_template, part.get_overload


def versions_of(compiled: Any) -> list[Any]:
    """Return what becomes of a compiled function: the one that Python calls and, of a kernel, the one for kernels."""
    return [compiled, *([compiled.helper] if hasattr(compiled, "helper") else [])]


def _set_cache(compiled: Any, function: Any, parts: list[Any], home: str) -> None:
    """Keep the machine code of *compiled* on disk; *parts* is what its closure holds."""
    functions = [*(part for part in parts if hasattr(part, "__code__")), function]
    paths = list(dict.fromkeys([*([Path(home).resolve()] if home else []), *map(_file_of, functions)]))
    directory = cache_of(paths[0]) if all(path.is_file() for path in paths) else None  # typed in: there is no file
    if directory is not None:
        hashes = [_hash_of_file(path) for path in paths if path != paths[0] or not is_ours(path)]
        key = repr((function.__module__, [_name_of(part) for part in parts], hashes))
        compiled._cache = KernelCache(function, directory, key)


def _closure(function: Any) -> Iterator[Any]:
    """Yield what *function* closes over: Python functions of kernels, with what these close over, and constants.

    Raises:
        TypeError: the closure holds anything else. An array or an object cannot be part of the name of the machine
            code on disk, so a later process could run code that was made for another one.
    """
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        value = cell.cell_contents
        if is_jitted(value) or isinstance(value, _Intrinsic):
            inner = value.py_func if is_jitted(value) else value._defn
            yield inner
            yield from _closure(inner)
        elif isinstance(value, _CONSTANTS):
            yield value
        else:
            raise TypeError(
                f"{function.__module__}.{function.__qualname__} closes over {name}, a {type(value).__name__}. A kernel"
                " may close over kernels, numbers and types only: pass anything else as an argument."
            )


def _file_of(function: Any) -> Path:
    return Path(function.__code__.co_filename).resolve()


@cache
def _hash_of_ours(path: Path) -> str:
    return kernel_hash(path)


def _hash_of_file(path: Path) -> str:
    return _hash_of_ours(path) if is_ours(path) else hashlib.blake2b(path.read_bytes()).hexdigest()


def _name_of(part: Any) -> str:
    return f"{part.__module__}.{part.__qualname__}" if hasattr(part, "__code__") else repr(part)


def kernel(function: F) -> F:
    """Compile *function* when it is first called, and keep the machine code on disk."""
    return cast(F, _njit(function))


def helper(function: F) -> F:
    """Compile *function* for other kernels; Python cannot call it. Nothing is kept on disk."""
    if _is_plain():
        return cast(F, numba.njit(error_model="numpy")(function))
    compiled = numba.njit(
        cache=False,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        **_pipeline(is_helper=True),
    )(function)
    return cast(F, _one_version(compiled))


def kernel_of(signature: Any, home: str = "") -> Callable[[F], F]:
    """Return a decorator that compiles at once for *signature*, as a function passed to kernels needs to be.

    With *home*, the machine code is kept in the cache directory of that file: a factory's kernel belongs to the module
    that called the factory.
    """

    def compile_now(function: F) -> F:
        return cast(F, _njit(function, signature, home=home))

    return compile_now
