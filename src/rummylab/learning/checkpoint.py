"""The one kind of file in which unfinished work is kept: named arrays, and a label that says what they belong to.

Trainers, the CFR solver and the shards of a dataset use it. The file is a NumPy ``.npz`` archive, which checks the sum
of every array when it is read, and needs no pickle.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.engine.writing import write_whole
from rummylab.errors import ArtifactError, RummyError

Arrays = Mapping[str, npt.NDArray[Any]]
_LABEL = "label"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    EOFError,
    AttributeError,
    TypeError,
    NotImplementedError,
)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Named arrays with a label of JSON values.

    >>> Checkpoint({"regrets": np.zeros(3)}, {"game": "kuhn"}).save(path)
    >>> Checkpoint.load(path).label["game"]
    'kuhn'
    """

    arrays: Arrays
    label: Mapping[str, Any]
    path: Path | None = field(default=None)
    """The file it was read from, for error messages."""

    def save(self, path: Path) -> None:
        """Write the checkpoint. The old file stays until the new one is complete."""
        data = io.BytesIO()
        text = np.frombuffer(json.dumps(dict(self.label)).encode(), np.uint8)
        np.savez_compressed(data, **{_LABEL: text}, **dict(self.arrays))  # type: ignore[arg-type]
        write_whole(path, data.getvalue())

    @classmethod
    def load(cls, path: Path, error: type[RummyError] = ArtifactError) -> Checkpoint:
        """Read a checkpoint.

        Raises:
            error: The file is missing, damaged or something else. The message names it.
        """
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            label = dict(json.loads(arrays.pop(_LABEL).tobytes()))
        except OSError as problem:
            raise error(f"{path}: {problem.strerror or problem}") from None
        except _DAMAGED:
            raise error(f"{path} is damaged or of another kind; delete it and run the same command again") from None
        return cls(arrays, label, path)

    def expect(self, wanted: Mapping[str, Any]) -> None:
        """Raise `ArtifactError` if the label differs from *wanted*, and name the first difference."""
        for name, value in wanted.items():
            if self.label.get(name) != value:
                raise ArtifactError(
                    f"{self.path}: its {name} is {self.label.get(name)!r}, but {value!r} is needed; "
                    "choose another directory or the same options"
                )

    def fill(self, name: str, array: npt.NDArray[Any]) -> None:
        """Copy the array *name* into *array*, which must have the same shape and type."""
        found = self.arrays.get(name)
        if found is None or found.shape != array.shape or found.dtype != array.dtype:
            raise ArtifactError(
                f"{self.path}: the array {name!r} is missing or does not fit; delete the file to start over"
            )
        array[...] = found

    def number(self, name: str) -> int:
        """Return the whole number *name* of the label."""
        value = self.label.get(name)
        if not isinstance(value, int):
            raise ArtifactError(f"{self.path}: its {name} is {value!r}, but a whole number is needed")
        return value
