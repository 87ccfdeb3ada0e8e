"""The one place that configures Numba.

Numba's own cache looks only at the file a function stands in: after an edit to a *callee* in another file
the old machine code of the caller would keep running. So each module has a cache directory named by a hash of its
source and of all it imports from this package, together with everything else that changes the machine code.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import event, typeinfer
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import NativeLowering

from rummylab._cache import SUFFIX, KernelCache, cache_directory

PACKAGE = Path(__file__).resolve().parent
EDGES = ("arena", "cli", "play", "interop")
"""Packages without kernels (a test holds them to it)."""
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+rummylab\.([\w.]+)", re.MULTILINE)

F = TypeVar("F", bound=Callable[..., Any])


def source_hash(root: Path = PACKAGE) -> str:
    """Return a short hash of every file that may hold kernels, of Numba's version and of its switches."""
    return _hash_of((path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in EDGES), root)


def kernel_hash(path: Path, root: Path = PACKAGE) -> str:
    """Return a short hash of what the machine code of the file *path* is made from."""
    if path.is_relative_to(root):
        return _hash_of(sources_of(path, root), root)
    return source_hash(root)  # a stranger's kernel; Numba looks at its own file


def sources_of(path: Path, root: Path = PACKAGE) -> set[Path]:
    """Return *path* and every file of the package it imports, directly or not."""
    found, new = set[Path](), {path}
    while new:
        path = new.pop()
        found.add(path)
        new |= _imports(path, root) - found
    return found


@cache
def _imports(path: Path, root: Path) -> frozenset[Path]:
    files = set[Path]()
    for name in _IMPORT.findall(path.read_bytes()):
        place = root.joinpath(*name.decode().split("."))
        # Which parts of a package are meant is written in many ways: all of them are taken.
        files |= set(place.rglob("*.py")) if place.is_dir() else {place.with_suffix(".py")}
    return frozenset(file for file in files if file.exists())


def _hash_of(paths: Iterable[Path], root: Path) -> str:
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(paths):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    switches = [numba.__version__, np.__version__, sys.version, platform.machine()]
    switches += [f"{name}={os.environ.get(name, '')}" for name in _FLAGS]
    digest.update("|".join(switches).encode())
    return digest.hexdigest()


@cache
def cache_of(path: Path) -> Path | None:
    """Return the directory with the machine code of the file *path*, made if need be; None if none can be written."""
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts) if _is_ours(path) else "others"
    return cache_directory(name, kernel_hash(path))


def _load_numba_without_blas() -> None:
    """Keep Numba from importing SciPy's linear algebra, where that is installed: a fifth of a warm start.

    Kernels are plain loops; linear algebra belongs to NumPy.
    """
    if "scipy.linalg" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy.linalg"]


_load_numba_without_blas()


def is_cold(module: str) -> bool:
    """Return whether nothing of *module* is compiled yet, so that importing it takes some seconds."""
    directory = cache_of(PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py"))
    return directory is None or not any(directory.glob(f"*{SUFFIX}"))


def on_compilation(tell: Callable[[], None]) -> None:
    """Call *tell* when a kernel is compiled that was not found on disk, once."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, _: Any) -> None:
            event.unregister("numba:compile", self)
            tell()

        def on_end(self, _: Any) -> None:
            pass

    event.register("numba:compile", Listener())


def _plain(argument: Any) -> Any:
    """Return the type a scalar argument is compiled for: any constant or small whole number counts as int64."""
    argument = types.unliteral(argument)
    if isinstance(argument, types.Integer) and argument.signed and argument.bitwidth < 64:
        return types.int64
    return argument


def _one_version(compiled: Any) -> Any:
    """Let kernels call one version of *compiled* for all whole numbers.

    Numba would compile it anew, with all it calls, for each constant and each width of integer it is called with.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return compiled
    template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(_plain, args)), {name: _plain(value) for name, value in kws.items()})

    compiled.get_call_template = get_call_template
    return compiled


def _njit(function: F, *signature: Any) -> Any:
    """Compile *function*, with the cache of its file; a function made of others (a closure) belongs to theirs.

    Numba takes the functions in a closure for new ones in every process. But the directory says already what they were
    made from, so their names are enough to find the machine code again.
    """
    compiled = numba.njit(error_model="numpy")(function)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return compiled
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    paths = [_file_of(getattr(cell, "py_func", function)) for cell in cells] or [_file_of(function)]
    directory = cache_of(paths[0]) if all(path.is_file() for path in paths) else None  # a typed function has no file
    if directory is not None:
        strangers = [hashlib.blake2b(path.read_bytes()).hexdigest() for path in paths if not _is_ours(path)]
        key = repr((function.__module__, [_name_of(cell) for cell in cells], strangers))
        compiled._cache = KernelCache(function, directory, key)
    with typeinfer.register_dispatcher(compiled):
        for one in signature:
            compiled.compile(one)
            compiled.disable_compile()
    return compiled


def _file_of(function: Any) -> Path:
    return Path(function.__code__.co_filename).resolve()


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(PACKAGE)


def _name_of(cell: Any) -> str:
    function = getattr(cell, "py_func", None)
    return repr(cell) if function is None else f"{function.__module__}.{function.__qualname__}"


def kernel(function: F) -> F:
    """Compile *function* when it is first called, and keep the machine code on disk."""
    return cast(F, _one_version(_njit(function)))


class _HelperCompiler(CompilerBase):  # type: ignore[misc]
    """Compiles a function for other kernels only: to LLVM code that is neither optimised nor made machine code.

    Numba optimises and emits every function together with all it calls, again at each level of the call tree; here
    that is most of a cold start. The kernel that absorbs a helper is optimised as a whole, so nothing is lost.
    """

    def define_pipelines(self) -> list[Any]:
        state = self.state
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library._optimize_functions = _skip
        library._optimize_final_module = _skip
        library._finalize_final_module = lambda: setattr(library, "_finalized", True)
        state.library = library
        state.flags.no_compile = True
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.add_pass_after(_Registration, NativeLowering)
        passes.finalize()
        return [passes]


def _skip(*_: Any) -> None:
    return None


class _NotForPython(dict[Any, Any]):
    """Its ``__getitem__`` stands in for a helper's machine code: Numba wants a built-in, distinct for each version."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, arguments: Any) -> Any:
        raise TypeError(f"{self.name} is a helper: kernels can call it, Python cannot")


@register_pass(mutates_CFG=False, analysis_only=False)
class _Registration(LoweringPass):  # type: ignore[misc]
    """Tells Numba where callers find a helper: under a callable of its own, since it has no machine code."""

    _name = "register_helper"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        stand_in = _NotForPython(state.func_id.func_name).__getitem__
        state["cr"] = state["cr"]._replace(cfunc=stand_in)
        state.targetctx.insert_user_function(stand_in, state["cr"].fndesc, [state.library])
        return True


def helper(function: F) -> F:
    """Compile *function* for other kernels; Python cannot call it. Nothing is kept on disk."""
    compiled = numba.njit(
        cache=False,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=_HelperCompiler,
    )(function)
    return cast(F, _one_version(compiled))


def kernel_of(signature: Any) -> Callable[[F], F]:
    """Compile at once for *signature*: what a function handed over as a pointer needs."""

    def compile_now(function: F) -> F:
        return cast(F, _njit(function, signature))

    return compile_now
