"""From a TOML table to a frozen dataclass; whatever does not fit is one line that names the file and the key."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, get_args, get_type_hints

from rummylab.errors import ExperimentError, RummyError, UnknownNameError

T = TypeVar("T")
_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple[str, ...]: "a list of texts",
    tuple[float, float]: "a list of two numbers",
}
_NO = object()


def fill(kind: type[T], table: Any, where: str) -> T:
    """Return a *kind* with the values of *table*; *where* starts every complaint."""
    if not isinstance(table, Mapping):
        raise ExperimentError(f"{where} is {table!r}, but must be a table")
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    check_names(table, fields, where)
    for name, field in fields.items():
        if name not in table and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ExperimentError(f"{where}: the key {name!r} is missing")
    hints = get_type_hints(kind)
    values = {name: _converted(value, hints[name], f"{where}: {name}") for name, value in table.items()}
    try:
        return kind(**values)
    except ExperimentError:
        raise
    except RummyError as error:
        raise ExperimentError(f"{where}: {error}") from None


def check_names(found: Iterable[str], known: Iterable[str], where: str, kind: str = "key") -> None:
    """Complain about the first name that nobody knows, and suggest the nearest."""
    names = list(known)
    for name in found:
        if name not in names:
            raise ExperimentError(f"{where}: {UnknownNameError(kind, name, names)}")


def _converted(value: Any, hint: Any, where: str) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for kind in kinds:
        found = _as(value, kind)
        if found is not _NO:
            return found
    words = " or ".join(_WORDS[kind] for kind in kinds if kind in _WORDS)
    raise ExperimentError(f"{where} is {value!r}, but must be {words}")


def _as(value: Any, kind: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float:
        return float(value) if number else _NO
    if kind is int:
        return value if number and isinstance(value, int) else _NO
    if kind in (str, bool):
        return value if isinstance(value, kind) else _NO
    if kind == tuple[str, ...]:
        return tuple(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else _NO
    if kind == tuple[float, float]:
        parts = [_as(part, float) for part in value] if isinstance(value, list) else []
        return tuple(parts) if len(parts) == 2 and _NO not in parts else _NO
    return _NO
