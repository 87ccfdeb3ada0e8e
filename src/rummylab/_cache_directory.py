"""Where machine code is kept on disk, and who may write there. Nothing here needs Numba.

The files are pickles of machine code, so loading one runs it. The directory must therefore belong to this user, and
no other user may be able to write to it or to a directory above it.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import stat
import tempfile
import time
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

READ_ONLY = "RUMMYLAB_CACHE_READ_ONLY"
"""Environment variable: load machine code from ``RUMMYLAB_CACHE`` but write none, as outside agents' processes do."""
_KEEP = 6


class _NotPrivateError(OSError):
    """Raised for a directory that other users can write to."""


def cache_directory(name: str, key: str) -> Path | None:
    """Return the directory for the machine code of module *name*, made from sources with hash *key*.

    Return None if no directory can be written to. Every process then compiles for itself.
    """
    root = cache_root()
    if root is None:
        return None
    directory = root / name / key
    if is_read_only():
        return directory
    try:
        fresh = not directory.exists()
        for part in (directory.parent, directory):
            _make_private(part)
        if fresh:
            _forget_old_caches(directory.parent, key)
    except OSError as error:
        warn_once(f"Compiled code is not kept between runs: {sentence_of(error)}")
        return None
    return directory


def is_read_only() -> bool:
    """Return whether machine code is loaded but never written."""
    return READ_ONLY in os.environ


@cache
def cache_root() -> Path | None:
    """Return the first directory that we can write to and others cannot; the referee has checked a read-only one."""
    if is_read_only():
        return Path(os.environ["RUMMYLAB_CACHE"])
    for place in _candidates():
        try:
            place = place.resolve()
            _make_private(place)
            tempfile.TemporaryFile(dir=place).close()
        except OSError as error:
            warn_once(f"The compiler cache {place} is not used: {sentence_of(error)}")
        else:
            return place
    warn_once("Compiled code is not kept between runs: set RUMMYLAB_CACHE to a private, writable directory.")
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


def sentence_of(error: OSError) -> str:
    """Return what went wrong with the disk, as a sentence."""
    if isinstance(error, _NotPrivateError):
        return str(error)
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error}."


@cache
def warn_once(message: str) -> None:
    """Log a warning the first time, and only in the process that the user started."""
    if multiprocessing.parent_process() is None:  # workers would repeat it
        log.warning("%s", message)


def _forget_old_caches(root: Path, current: str) -> None:
    """Remove all but the newest caches of a module, so that a developer's disk does not fill up."""
    others = sorted((d for d in root.iterdir() if d.is_dir() and d.name != current), key=lambda d: d.stat().st_mtime)
    for stale in others[:-_KEEP]:
        if time.time() - stale.stat().st_mtime > 3600:  # an old checkout may still be running
            shutil.rmtree(stale, ignore_errors=True)
