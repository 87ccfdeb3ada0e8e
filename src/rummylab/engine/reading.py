"""Read files that others made, up to a maximum size, with one kind of error for everything that can be wrong.

Each function takes the class of error to raise: to a caller a damaged record and a damaged vector file are different
things.
"""

from __future__ import annotations

import gzip
import json
import tomllib
import zlib
from collections.abc import Iterator
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn

from rummylab.errors import RummyError, check_type

MAX_BYTES: Final = 32 * 2**20
"""The largest file that is read as a whole: some 6,000 recorded hands."""
MAX_UNPACKED: Final = 256 * 2**20
"""The most that a file read line by line may hold, once it is unpacked."""
MAX_LINE: Final = 2**20
MAX_DEPTH: Final = 50
"""How deep a JSON value may be nested. Python's own limit depends on how deep the caller is in the stack."""
MALFORMED: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""Errors that code can meet when it takes apart a value from elsewhere."""

Error = type[RummyError]


def in_mebibytes(size: int) -> str:
    """Return *size* in words, for an error message."""
    return f"{size / 2**20:g} MiB"


def _check_file(path: Path, error: Error) -> None:
    if not path.exists():
        raise error(f"{path}: cannot be read: no such file")
    if not path.is_file():  # a pipe or a device may never end
        raise error(f"{path}: cannot be read: not a regular file")


def read_bytes(path: Path, error: Error, limit: int = MAX_BYTES) -> bytes:
    """Return the contents of *path*; raise *error* if it cannot be read or is larger than *limit*."""
    try:
        _check_file(path, error)
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as problem:
        raise _as(error, path, problem) from None
    if len(data) > limit:
        raise error(f"{path}: cannot be read: it is larger than {in_mebibytes(limit)}")
    return data


def read_text(path: Path, error: Error, limit: int = MAX_BYTES) -> str:
    """Return the UTF-8 text of *path*; raise *error* if it cannot be read or is larger than *limit*."""
    try:
        return read_bytes(path, error, limit).decode()
    except UnicodeDecodeError as problem:
        raise error(f"{path}: cannot be read: {problem}") from None


def _as(error: Error, path: Path, problem: Exception) -> RummyError:
    if isinstance(problem, error):
        return problem
    return error(f"{path}: cannot be read: {getattr(problem, 'strerror', None) or problem}")


def read_lines(path: Path, error: Error, limit: int = MAX_UNPACKED) -> Iterator[tuple[int, str]]:
    """Yield the lines of *path* that are not blank, with their numbers; a file named ``*.gz`` is unpacked."""
    number, left = 0, limit
    try:
        _check_file(path, error)
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                left -= len(line)
                if len(line) > MAX_LINE:
                    raise error(f"{path}, line {number}: longer than {in_mebibytes(MAX_LINE)}")
                if left < 0:
                    raise error(f"{path}, line {number}: the file holds more than {in_mebibytes(limit)} of text")
                if not line.isspace():
                    yield number, line.decode()
    except (OSError, EOFError, ValueError, zlib.error) as problem:
        if isinstance(problem, error):
            raise
        raise error(f"{path}, after line {number}: cannot be read: {problem}") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def parse_json(text: str | bytes, error: Error, where: str, expected: str = "") -> Any:
    """Return the JSON value in *text*; *where* and what was *expected* there are for the error message.

    Numbers are finite, whole numbers have at most 4,300 digits, and every string can be written as UTF-8.
    """
    try:
        plain = text if isinstance(text, str) else text.decode()
        value = json.loads(plain, parse_constant=_no_number, parse_float=_finite)
        if plain.count("[") + plain.count("{") > MAX_DEPTH and _is_deep(value):
            raise RecursionError
        if "\\u" in plain:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise error(f"{where}: not JSON (nested more than {MAX_DEPTH} deep){expected}") from None
    except ValueError as problem:
        raise error(f"{where}: not JSON ({problem}){expected}") from None
    return value


def parse_toml(text: str, error: Error, where: str) -> dict[str, Any]:
    """Return the TOML table in *text*; numbers are finite, and whole ones fit into 64 bits."""
    check_type(text, str, where, "text")
    try:
        value = tomllib.loads(text)
        if _is_deep(value):
            raise RecursionError
    except RecursionError:
        raise error(f"{where}: not valid TOML: nested more than {MAX_DEPTH} deep") from None
    except ValueError as problem:
        raise error(f"{where}: not valid TOML: {problem}") from None
    try:
        _check_toml_numbers(value)
    except ValueError as problem:
        raise error(f"{where}: {problem}") from None
    return value


def _check_toml_numbers(value: Any, name: str = "") -> None:
    """Raise ``ValueError``, with the *name* of the key, for numbers that are not finite or do not fit into 64 bits."""
    if isinstance(value, dict):
        for key, part in value.items():
            _check_toml_numbers(part, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for part in value:
            _check_toml_numbers(part, name)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{name} must be finite, not {value}")
    elif isinstance(value, int) and not is_whole(int(value), -(2**63), 2**63 - 1):
        raise ValueError(f"{name} is a whole number that does not fit into 64 bits")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def _is_deep(value: Any) -> bool:
    """Return whether *value* has lists or objects within each other beyond the limit, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        parts = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        level = list(chain.from_iterable(parts))
    return bool(level)


def is_whole(value: Any, low: int = -(2**31), high: int = 2**31 - 1) -> bool:
    """Return whether *value* is a whole number from *low* to *high* (``True`` is not one)."""
    return type(value) is int and low <= value <= high


def is_list_of(value: Any, kind: type) -> bool:
    """Return whether *value* is a list whose items are all of *kind*."""
    return isinstance(value, list) and all(type(part) is kind for part in value)
