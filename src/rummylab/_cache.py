"""Machine code on disk: where it is kept, who may write there, and what happens to a damaged file.

The files are pickles of machine code, so loading one runs it. The directory must therefore belong to this user, and
no other user may be able to write to it or to a directory above it. Every file starts with a checksum of the rest. A
file that does not match its checksum is deleted, and the kernel is recompiled.
"""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import pickle
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

log = logging.getLogger(__name__)

READ_ONLY = "RUMMYLAB_CACHE_READ_ONLY"
"""Environment variable: load machine code from ``RUMMYLAB_CACHE`` but write none, as outside agents' processes do."""
SUFFIX = ".kernel"
_KEEP = 6
_DIGEST_BYTES = 20


class _NotPrivateError(OSError):
    """Raised for a directory that other users can write to."""


def cache_directory(name: str, key: str) -> Path | None:
    """Return the directory for the machine code of module *name*, made from sources with hash *key*.

    Return None if no directory can be written to. Every process then compiles for itself.
    """
    root = _cache_root()
    if root is None:
        return None
    directory = root / name / key
    if _is_read_only():
        return directory
    try:
        fresh = not directory.exists()
        for part in (directory.parent, directory):
            _make_private(part)
        if fresh:
            _forget_old_caches(directory.parent, key)
    except OSError as error:
        _warn_once(f"Compiled code is not kept between runs: {_sentence(error)}")
        return None
    return directory


def _is_read_only() -> bool:
    return READ_ONLY in os.environ


@cache
def _cache_root() -> Path | None:
    """Return the first directory that we can write to and others cannot; the referee has checked a read-only one."""
    if _is_read_only():
        return Path(os.environ["RUMMYLAB_CACHE"])
    for place in _candidates():
        try:
            place = place.resolve()
            _make_private(place)
            tempfile.TemporaryFile(dir=place).close()
        except OSError as error:
            _warn_once(f"The compiler cache {place} is not used: {_sentence(error)}")
        else:
            return place
    _warn_once("Compiled code is not kept between runs: set RUMMYLAB_CACHE to a private, writable directory.")
    return None


def _candidates() -> list[Path]:
    """Return the candidates for the cache directory, best first. The last one serves users without a home."""
    user = os.getuid() if hasattr(os, "getuid") else "cache"
    last = Path(tempfile.gettempdir()) / f"rummylab-{user}"
    chosen = os.environ.get("RUMMYLAB_CACHE")
    if chosen:
        return [Path(chosen), last]
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return [Path(base) / "rummylab", last]
    try:
        return [Path.home() / ".cache" / "rummylab", last]
    except RuntimeError:  # no HOME, and the user is not in the password file
        return [last]


def _make_private(directory: Path) -> None:
    """Create *directory* for this user alone; raise `OSError` if it exists and others can write to it."""
    try:
        directory.mkdir(mode=0o700)
    except FileNotFoundError:
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError:
        if not directory.is_dir():
            raise
    if hasattr(os, "getuid"):
        _check_private(directory, strict=True)
        for parent in directory.parents:
            _check_private(parent, strict=False)


def _check_private(directory: Path, *, strict: bool) -> None:
    """Raise `_NotPrivateError` if another user can change what is in *directory*.

    In a directory above the cache (not *strict*), the sticky bit protects our files, and a group with no other members
    may write: many systems set up both by default.
    """
    found = directory.stat()
    if found.st_uid not in (0, os.getuid()):
        raise _NotPrivateError(f"{directory} belongs to another user, and the cache holds code that we run.")
    shared = found.st_mode & stat.S_IWOTH or (
        found.st_mode & stat.S_IWGRP and (strict or not _is_private_group(found.st_gid))
    )
    if shared and (strict or not found.st_mode & stat.S_ISVTX):
        raise _NotPrivateError(
            f"other users can write to {directory}, and the cache holds code that we run. "
            f"Run `chmod go-w {directory}` and empty the cache, or set RUMMYLAB_CACHE to a private directory."
        )


def _is_private_group(group: int) -> bool:
    """Return whether *group* is the user's private group: named like the user, with no other members."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


def _sentence(error: OSError) -> str:
    if isinstance(error, _NotPrivateError):
        return str(error)
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error}."


@cache
def _warn_once(message: str) -> None:
    if multiprocessing.parent_process() is None:  # workers would repeat it
        log.warning("%s", message)


def _forget_old_caches(root: Path, current: str) -> None:
    """Remove all but the newest caches of a module, so that a developer's disk does not fill up."""
    others = sorted((d for d in root.iterdir() if d.is_dir() and d.name != current), key=lambda d: d.stat().st_mtime)
    for stale in others[:-_KEEP]:
        if time.time() - stale.stat().st_mtime > 3600:  # an old checkout may still be running
            shutil.rmtree(stale, ignore_errors=True)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    """Numba's serialization of machine code, without its choice of a directory."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._locator = self
        self._lineno = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename


class KernelCache(_Cache):  # type: ignore[misc]
    """The machine code of one function in *directory*, one file for each signature.

    Numba's own cache keeps an index beside the data, and two processes that compile at once can mix up its entries.
    Here the file name is the index. *key* tells apart functions with the same name and line.
    """

    def __init__(self, function: Callable[..., Any], directory: Path, key: str) -> None:
        self._impl = _Impl(function)
        self._directory = directory
        name = function.__qualname__.replace("<", "").replace(">", "")
        self._name = f"{name}-{function.__code__.co_firstlineno}"
        self._key = key
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(self._directory)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        for path in self._directory.glob(f"{self._name}.*{SUFFIX}"):
            path.unlink(missing_ok=True)

    def _path(self, signature: Any, codegen: Any) -> Path:
        made_for = repr((self._key, signature, codegen.magic_tuple()))
        return self._directory / f"{self._name}.{_digest(made_for.encode()).hex()}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for *sig*, or None if it is not there or its file is damaged.

        Stock Numba first loads everything that its compiler needs. Machine code needs the runtime only, and a
        compilation loads the rest in any case.
        """
        rtsys.initialize(target_context)
        if not self._enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if _digest(data[_DIGEST_BYTES:]) == data[:_DIGEST_BYTES]:
            try:
                return self._impl.rebuild(target_context, pickle.loads(data[_DIGEST_BYTES:]))
            except Exception as error:  # noqa: BLE001 - recompiling repairs any damage
                log.info("%s: %s", path, error)
        log.info("%s is damaged; it is deleted and the kernel recompiled", path)
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled function *data* for *sig*; a full disk must not stop a game."""
        if not self._enabled or _is_read_only() or not self._impl.check_cachable(data):
            return
        path = self._path(sig, data.codegen)
        body = dumps(self._impl.reduce(data))
        try:
            with tempfile.NamedTemporaryFile(dir=self._directory, prefix=".", delete=False) as part:
                part.write(_digest(body) + body)
            os.replace(part.name, path)
        except OSError as error:
            _warn_once(f"Compiled code is not kept between runs: {_sentence(error)}")
