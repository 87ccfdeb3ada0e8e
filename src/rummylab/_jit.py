"""The one place that configures Numba.

Numba's own cache looks only at the file a function stands in: after an edit to a *callee* in another file
the old machine code of the caller would keep running. So the cache directory is named by a hash of every
source file of the package, together with everything else that changes the machine code.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

log = logging.getLogger(__name__)

PACKAGE = Path(__file__).resolve().parent
_KEEP_CACHES = 6
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")

F = TypeVar("F", bound=Callable[..., Any])


def source_hash(root: Path = PACKAGE) -> str:
    """Return a short hash of every Python file below *root*, of Numba's version and of its switches."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    switches = [numba.__version__, np.__version__, sys.version, platform.machine()]
    switches += [f"{name}={os.environ.get(name, '')}" for name in _FLAGS]
    digest.update("|".join(switches).encode())
    return digest.hexdigest()


def _cache_root() -> Path:
    chosen = os.environ.get("RUMMYLAB_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rummylab"


def _forget_old_caches(root: Path, current: str) -> None:
    """Remove all but the newest few caches, so that a developer's disk does not fill up."""
    others = sorted(
        (d for d in root.iterdir() if d.is_dir() and d.name.startswith("jit-") and d.name != current),
        key=lambda d: d.stat().st_mtime,
    )
    for stale in others[:-_KEEP_CACHES]:
        if time.time() - stale.stat().st_mtime > 3600:  # somebody may be running an old checkout just now
            shutil.rmtree(stale, ignore_errors=True)


def _configure() -> Path | None:
    root = _cache_root()
    directory = root / f"jit-{source_hash()}"
    try:
        fresh = not directory.exists()
        directory.mkdir(parents=True, exist_ok=True)
        if fresh:
            _forget_old_caches(root, directory.name)
    except OSError as error:  # a read-only home must not stop anybody from playing
        log.warning("compiled code is not kept between runs (%s)", error)
        return None
    numba.config.CACHE_DIR = str(directory)  # type: ignore[attr-defined]
    return directory


CACHE_DIR = _configure()


def is_cold() -> bool:
    """Return whether nothing is compiled yet, so that the first call takes some seconds."""
    return CACHE_DIR is None or not any(CACHE_DIR.rglob("*.nbi"))


def kernel(function: F) -> F:
    """Compile *function* when it is first called, and keep the machine code on disk."""
    compiled: F = numba.njit(cache=CACHE_DIR is not None, error_model="numpy")(function)
    return compiled


def helper(function: F) -> F:
    """Compile *function* for other kernels: nothing is kept on disk, and it compiles faster.

    Python must not call one whose name starts with an underscore: it has no wrapper for that.
    """
    private = function.__name__.startswith("_")
    compiled: F = numba.njit(cache=False, error_model="numpy", no_cpython_wrapper=private, no_cfunc_wrapper=True)(
        function
    )
    return compiled


def part(function: F) -> F:
    """Make *function* a part of the one kernel that calls it: it is never compiled alone, which takes most time."""
    compiled: F = numba.njit(cache=False, error_model="numpy", inline="always")(function)
    return compiled


def kernel_of(signature: Any) -> Callable[[F], F]:
    """Compile at once for *signature*: what a function handed over as a pointer needs."""

    def compile_now(function: F) -> F:
        compiled: F = numba.njit(signature, cache=CACHE_DIR is not None, error_model="numpy")(function)
        return compiled

    return compile_now
