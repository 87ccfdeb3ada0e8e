"""Turn TOML tables into frozen dataclasses with msgspec; an error is one line that names the file and the key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from rummylab.errors import ExperimentError, RummyError, UnknownNameError

T = TypeVar("T")


def fill(kind: type[T], table: Any, where: str) -> T:
    """Return a *kind* with the values of *table*.

    Raises `ExperimentError`, which starts with *where*, if the values do not fit.
    """
    if not isinstance(table, Mapping):
        raise ExperimentError(f"{where} is {table!r}, but must be a table.")
    check_names(table, (field.name for field in dataclasses.fields(kind)), where)  # type: ignore[arg-type]
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        key = f": {place.strip('.`')}" if place.strip(".`") else ""
        raise ExperimentError(f"{where}{key}: {message}") from None
    except RummyError as error:
        raise ExperimentError(f"{where}: {error}") from None


def check_names(found: Iterable[str], known: Iterable[str], where: str, kind: str = "key") -> None:
    """Raise `ExperimentError` for the first unknown name, with a suggestion."""
    names = list(known)
    for name in found:
        if name not in names:
            raise ExperimentError(f"{where}: {UnknownNameError(kind, name, names)}")
