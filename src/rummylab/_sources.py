"""The package's own source files: what a module imports, and a hash of it.

The compiler cache and the code version of a result both depend on *all* the code behind a module, so both follow its
imports. Nothing here needs Numba.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+rummylab\.([\w.]+)", re.MULTILINE)


def is_ours(path: Path) -> bool:
    """Return whether *path* is a file of this package."""
    return path.is_relative_to(PACKAGE)


def sources_of(path: Path, root: Path = PACKAGE) -> set[Path]:
    """Return *path* and every file of the package that it imports, directly or indirectly."""
    found, new = set[Path](), {path}
    while new:
        path = new.pop()
        found.add(path)
        new |= imports_of(path, root) - found
    return found


@cache
def imports_of(path: Path, root: Path) -> frozenset[Path]:
    """Return the files of the package that *path* names in its import statements."""
    files = set[Path]()
    for name in _IMPORT.findall(path.read_bytes()):
        place = root.joinpath(*name.decode().split("."))
        # `from package import part` can be written in many ways, so the whole package counts.
        files |= set(place.rglob("*.py")) if place.is_dir() else {place.with_suffix(".py")}
    return frozenset(file for file in files if file.exists())
