"""The package's own source files: what a module imports, and a hash of it.

The compiler cache and the code version of a result both depend on *all* the code behind a module, so both follow its
imports. Nothing here needs Numba.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
# Parsing whole files would take longer than loading the machine code; a test compares the lines with the syntax tree.
_FROM = re.compile(r"^[ \t]*from[ \t]+rummylab(?:\.([\w.]+))?[ \t]+import[ \t]+(\([^)]*\)|[^(\n]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(rummylab\b.*)", re.MULTILINE)
_FOR_TYPES_ONLY = re.compile(r"^([ \t]*)if TYPE_CHECKING:.*\n(?:\1[ \t]+.*\n|[ \t]*\n)*", re.MULTILINE)
_COMMENT = re.compile(r"#.*")


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
    """Return the files of the package that *path* names in its import statements.

    Imports inside functions count, since a factory of kernels may use them. Those for type checkers do not.
    """
    text = _FOR_TYPES_ONLY.sub("", path.read_text(encoding="utf-8"))
    files = set[Path]()
    for package, parts in _FROM.findall(text):
        files.update(_named(root.joinpath(*package.split(".")) if package else root, _names(parts)))
    for names in _IMPORT.findall(text):
        for name in _names(names):
            place = root.joinpath(*name.split(".")[1:])
            files |= {root / "__init__.py"} if place == root else _whole(place)
    return frozenset(file for file in files if file.exists())


def _names(text: str) -> Iterator[str]:
    """Yield the names in a list like ``a, b as c``, which may stand in parentheses and on several lines."""
    for part in _COMMENT.sub("", text).strip("() \t\n").split(","):
        if words := part.split():
            yield words[0]


def _named(place: Path, names: Iterator[str]) -> Iterator[Path]:
    """Yield the files behind ``from place import names``: parts of a package, or the one file of a module."""
    module = place.with_suffix(".py")
    if module.is_file():
        yield module
        return
    for name in names:
        yield from _whole(place) if name == "*" else _whole(place / name) or {place / "__init__.py"}


def _whole(place: Path) -> set[Path]:
    """Return the file of a module, or all files of a package; nothing if there is neither."""
    module = place.with_suffix(".py")  # a module may have its data in a folder of the same name
    return {module} if module.is_file() else set(place.rglob("*.py"))
