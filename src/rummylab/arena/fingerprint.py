"""Hash the files that an outside agent depends on, so that a run does not resume with a changed agent.

An agent in a Python file, or a script that a program runs, can read any file in its folder, so the whole folder counts,
with its subfolders. Of an installed package every file counts; of a program, its own file and every argument that is a
file or a folder. Hidden and empty files, bytecode, virtual environments, SQLite databases (a store may be there) and
documents (:data:`DOCUMENTS`) do not count. The versions of Python, NumPy and Numba do.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path
from typing import Final

import numba
import numpy as np

log = logging.getLogger(__name__)

MAX_FILES: Final = 2000
MAX_BYTES: Final = 1 << 28
"""The largest number of files and bytes that are hashed for an agent, nearest files first."""
DOCUMENTS: Final = (".md", ".html", ".svg", ".png", ".pdf", ".log", ".rgr")
_SQLITE: Final = b"SQLite format 3\0"
_BESIDE_SQLITE: Final = ("-wal", "-shm", "-journal")
_INSTALLED: Final = ("site-packages", "dist-packages")


def versions() -> str:
    """Return the versions of other software that results depend on."""
    return f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}"


def digest(name: str, files: Iterable[Path]) -> str:
    """Return a hash of the agent *name*, of *files* with their names, and of the versions it runs with."""
    found = hashlib.blake2b(f"{name}|{versions()}".encode(), digest_size=8)
    seen, size = set[Path](), 0
    for path in files:
        if path in seen:
            continue
        content, length = _content(path)
        seen.add(path)
        size += length
        if len(seen) > MAX_FILES or size > MAX_BYTES:
            _warn_of_limit(name)
            break
        if content:
            found.update(f"|{'/'.join(path.parts[-2:])}|".encode(errors="surrogateescape") + content)
    return found.hexdigest()


def _content(path: Path) -> tuple[bytes, int]:
    """Return a hash of a regular file and its size; empty files and databases have no hash."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or not about.st_size:
            return b"", 0
        return _hash_of(path, about.st_mtime_ns, about.st_size, about.st_ino), about.st_size
    except OSError:
        return b"unreadable", 0


@cache
def _hash_of(path: Path, *_about: int) -> bytes:
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return b""
        file.seek(0)
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()


@cache
def _warn_of_limit(name: str) -> None:
    log.warning(
        "%s: only the first %s files beside it (at most %s MB) are watched for changes;"
        " put the agent into a folder of its own to have all of them watched",
        name,
        f"{MAX_FILES:,}",
        MAX_BYTES >> 20,
    )


def of_script(path: Path) -> Iterator[Path]:
    """Return the file *path* and the files of its folder."""
    yield path
    yield from of_folder(path.parent)


def of_folder(folder: Path) -> Iterator[Path]:
    """Return the files of *folder* and its subfolders that count, nearest first."""
    level = [folder]
    while level:
        below: list[Path] = []
        for place in level:
            try:
                entries = sorted(islice(os.scandir(place), 50 * MAX_FILES), key=lambda entry: entry.name)
            except OSError:
                continue
            yield from (Path(entry.path) for entry in entries if not entry.is_dir() and _counts(entry.name))
            below += [Path(entry.path) for entry in entries if _is_searched(entry)]
        level = below


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.endswith((".pyc", *DOCUMENTS, *_BESIDE_SQLITE))


def _is_searched(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir(follow_symlinks=False) or entry.name.startswith(".") or entry.name == "__pycache__":
        return False
    return not os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def of_module(top: ModuleSpec) -> Iterator[Path]:
    """Return the files of the top-level module or package *top*."""
    if top.submodule_search_locations is not None:
        for place in top.submodule_search_locations:
            yield from of_folder(Path(place))
    elif top.origin is not None and Path(top.origin).parent.name in _INSTALLED:
        yield Path(top.origin)
    elif top.origin is not None:
        yield from of_script(Path(top.origin))


def of_command(words: Sequence[str]) -> Iterator[Path]:
    """Return the files behind a command: the program, arguments that are files or folders, a script's folder."""
    program, *arguments = words
    found = shutil.which(program)
    if found is not None:
        yield Path(os.path.realpath(found))
        on_path = map(os.path.abspath, os.environ.get("PATH", os.defpath).split(os.pathsep))
        if os.path.dirname(os.path.abspath(found)) not in on_path:
            yield from of_script(Path(found))
    values = [word.partition("=")[2] if word.startswith("-") and "=" in word else word for word in arguments]
    files = [Path(value) for value in values if os.path.isfile(value)]
    yield from files
    for value in values:
        if value and os.path.isdir(value):
            yield from of_folder(Path(value))
    if files:  # what an interpreter runs
        yield from of_script(files[0])
