"""Checkpoints: arrays and what they belong to, in one file that is there whole or not at all."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.engine.writing import write_whole
from rummylab.errors import ArtifactError

Arrays = dict[str, npt.NDArray[Any]]
_LABEL = "label"


def save(path: Path, arrays: Mapping[str, npt.NDArray[Any]], label: Mapping[str, Any]) -> None:
    """Write *arrays* and the *label* that says what they are."""
    data = io.BytesIO()
    text = np.frombuffer(json.dumps(dict(label), sort_keys=True).encode(), np.uint8)
    np.savez(data, **{_LABEL: text}, **dict(arrays))  # type: ignore[arg-type]
    write_whole(path, data.getvalue())


def load(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return arrays and label; a damaged file is an :class:`ArtifactError`."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        label = dict(json.loads(arrays.pop(_LABEL).tobytes()))
    except OSError as error:
        raise ArtifactError(f"{path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError, AttributeError, TypeError):
        raise ArtifactError(f"{path}: no checkpoint, or a truncated one; delete it to start anew") from None
    return arrays, label


def expect(path: Path, label: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise an :class:`ArtifactError` that names the first thing in which *label* differs from *wanted*."""
    for name, value in wanted.items():
        if label.get(name) != value:
            raise ArtifactError(f"{path}: its {name} is {label.get(name)!r}, but {value!r} is needed")


def number(path: Path, label: Mapping[str, Any], name: str) -> float:
    """Return the number *name* of the label."""
    value = label.get(name)
    if not isinstance(value, int | float):
        raise ArtifactError(f"{path}: its {name} is {value!r}, but a number is needed")
    return value
