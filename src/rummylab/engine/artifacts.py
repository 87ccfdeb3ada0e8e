"""Trained artifacts: tensors in a safetensors file, or plain numbers in a JSON file, each with its manifest.

``NAME.safetensors`` has its manifest in ``NAME.json`` beside it: the command, seed and data it came from, what was
measured, and the hash of the tensors. A small artifact is one JSON file with a key ``manifest``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rummylab.engine.reading import parse_json, read_bytes, read_text
from rummylab.engine.writing import write_whole
from rummylab.errors import ArtifactError

Tensors = dict[str, npt.NDArray[np.float32]]
Shapes = Mapping[str, tuple[int, ...]]
LARGEST = float(np.finfo(np.float32).max)
"""Numbers are stored and computed as 32-bit floats."""
STORED = {"F32": "<f4", "F16": "<f2"}
"""The types that a file may hold, by their names in safetensors."""
MAX_TENSORS = 128 * 2**20
"""The largest file that is read, in bytes."""


def write_artifact(
    path: Path, tensors: Mapping[str, npt.NDArray[np.float32]], manifest: Mapping[str, Any], *, half: bool = False
) -> None:
    """Write *tensors* to *path*, and *manifest* with their hash and shapes to the JSON file beside it.

    With *half*, the numbers are stored in 16 bits, which halves the file; they are read as 32-bit floats again.
    """
    from safetensors.numpy import save

    data = save({name: np.ascontiguousarray(tensor, "<f2" if half else "<f4") for name, tensor in tensors.items()})
    facts: dict[str, Any] = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
    }
    facts = {**facts, **manifest, **facts}  # a manifest read from another file has that file's hash
    write_whole(path, data)
    write_json(path.with_suffix(".json"), facts)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write *value* to *path* as indented JSON. The old file stays until the new one is complete."""
    write_whole(path, (json.dumps(value, indent=1) + "\n").encode())


def read_numbers(path: Path) -> dict[str, Any]:
    """Return the JSON object in *path*: a small artifact with its manifest, or the manifest of tensors.

    Raises:
        ArtifactError: The file cannot be read or does not hold a JSON object.
    """
    found = parse_json(read_text(path, ArtifactError), ArtifactError, str(path))
    if not isinstance(found, dict):
        raise ArtifactError(f"{path} is not an artifact: a JSON object is expected")
    return found


def check_kind(found: Mapping[str, Any], where: str, kind: str, version: int) -> None:
    """Raise `ArtifactError` unless *found* has the format *kind* and the *version* that this code reads."""
    if (found.get("format"), found.get("version")) != (kind, version):
        is_now = f"{found.get('format')} version {found.get('version')}"
        raise ArtifactError(f"{where}: this is {is_now}, but {kind} version {version} is needed")


def check_numbers(part: Any, n: int, where: str, name: str) -> list[float]:
    """Return *part* as a list of *n* finite numbers.

    Raises:
        ArtifactError: *part* is something else; the message says where and under which *name*.
    """
    if not isinstance(part, list) or len(part) != n:
        raise ArtifactError(f"{where}: {name} must be a list of {n} numbers")
    if not all(type(x) in (int, float) and abs(x) <= LARGEST for x in part):
        raise ArtifactError(f"{where}: {name} has entries that are not finite numbers")
    return [float(x) for x in part]


def read_artifact(path: Path, shapes: Shapes) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors of *path* and their manifest, after checking the hash and the *shapes*.

    Raises:
        ArtifactError: A file is missing or damaged, or a tensor is missing, misshapen or not finite.
    """
    manifest = read_numbers(path.with_suffix(".json"))
    data = read_bytes(path, ArtifactError, MAX_TENSORS)
    found = hashlib.sha256(data).hexdigest()
    if found != manifest.get("sha256"):
        raise ArtifactError(
            f"{path}: the hash is {found[:12]}…, but its manifest says {str(manifest.get('sha256'))[:12]}…; "
            "the file is damaged or belongs to another manifest"
        )
    tensors = parse_tensors(data, str(path))
    for name, shape in shapes.items():
        if name not in tensors:
            raise ArtifactError(f"{path}: no tensor {name!r}; it has {', '.join(sorted(tensors))}")
        if tensors[name].shape != shape:
            raise ArtifactError(f"{path}: tensor {name!r} has shape {tensors[name].shape}, but {shape} is needed")
        if not np.isfinite(tensors[name]).all():
            raise ArtifactError(f"{path}: tensor {name!r} has entries that are not finite numbers")
    return {name: tensors[name] for name in shapes}, manifest


def read_tensors(path: Path, shapes: Shapes, kind: str, version: int) -> Tensors:
    """Return the tensors of *path*, an artifact of the format *kind*.

    Raises:
        ArtifactError: The artifact is damaged, or of another kind or *version*.
    """
    tensors, manifest = read_artifact(path, shapes)
    check_kind(manifest, str(path), kind, version)
    return tensors


@dataclass(frozen=True, eq=False)
class Trained:
    """Trained tensors and their manifest. A kind of artifact names its format, its version and its shapes."""

    tensors: Tensors
    manifest: Mapping[str, Any]

    FORMAT: ClassVar[str]
    VERSION: ClassVar[int] = 1
    SHAPES: ClassVar[Shapes]
    HALF: ClassVar[bool] = False
    """Whether the numbers are stored in 16 bits."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read an artifact.

        Raises:
            ArtifactError: The files are missing or damaged, or hold something else.
        """
        tensors, manifest = read_artifact(path, cls.SHAPES)
        check_kind(manifest, str(path), cls.FORMAT, cls.VERSION)
        return cls(tensors, manifest)

    def save(self, path: Path) -> None:
        """Write the tensors and their manifest."""
        kind = {"format": self.FORMAT, "version": self.VERSION}
        write_artifact(path, self.tensors, {**kind, **self.manifest}, half=self.HALF)

    @cached_property
    def flat(self) -> npt.NDArray[np.float32]:
        """All tensors one after the other, as agents read them."""
        return np.concatenate([self.tensors[name].ravel() for name in self.SHAPES]).astype(np.float32)


def parse_tensors(data: bytes, name: str) -> Tensors:
    """Return the tensors in the bytes of a safetensors file called *name*.

    Raises:
        ArtifactError: The bytes are damaged, or a tensor is not of 32-bit or 16-bit floats.
    """
    from safetensors import SafetensorError, deserialize

    try:
        found = deserialize(data)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise ArtifactError(f"{name} is not a safetensors file, or it is truncated: {error}") from None
    for key, entry in found:
        if entry["dtype"] not in STORED:
            raise ArtifactError(f"{name}: tensor {key!r} holds {entry['dtype']}, but F32 or F16 is needed")
    return {
        key: np.frombuffer(entry["data"], STORED[entry["dtype"]]).reshape(entry["shape"]).astype(np.float32, copy=False)
        for key, entry in found
    }
