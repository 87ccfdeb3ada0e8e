"""Trained files: tensors in the safetensors format beside a JSON manifest that says where they come from.

The format is eight bytes with the length of a JSON header, the header, and the raw numbers: small enough to read and
write here, so that playing needs no further package. NAME.safetensors belongs to NAME.json.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.engine.reading import MALFORMED, is_whole, parse_json, read_bytes, read_text
from rummylab.engine.writing import write_whole as write_whole
from rummylab.errors import ArtifactError

Tensors = dict[str, npt.NDArray[np.float32]]
LARGEST = float(np.finfo(np.float32).max)
"""Numbers are stored and computed as 32-bit floats."""
MAX_TENSORS = 128 * 2**20
Shapes = Mapping[str, tuple[int, ...]]


def _manifest_path(path: Path) -> Path:
    return path.with_suffix(".json")


def write_artifact(path: Path, tensors: Mapping[str, npt.NDArray[np.float32]], manifest: Mapping[str, Any]) -> None:
    """Write *tensors* to *path* and *manifest*, with hash and shapes, to the JSON file beside it."""
    header: dict[str, Any] = {}
    start = 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [start, start + 4 * tensor.size]}
        start += 4 * tensor.size
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    body = b"".join(np.ascontiguousarray(tensor, "<f4").tobytes() for tensor in tensors.values())
    data = len(head).to_bytes(8, "little") + head + body
    facts = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
        **manifest,
    }
    write_whole(path, data)
    write_whole(_manifest_path(path), (json.dumps(facts, indent=1) + "\n").encode())


def read_numbers(path: Path) -> dict[str, Any]:
    """Return the JSON object of *path*: a small artifact that is its own manifest."""
    found = parse_json(read_text(path, ArtifactError), ArtifactError, str(path))
    if not isinstance(found, dict):
        raise ArtifactError(f"{path.name} holds no artifact")
    return found


def check_kind(found: Mapping[str, Any], where: str, kind: str, version: int) -> None:
    """Raise `ArtifactError` if *found* is not what this code was written for."""
    if (found.get("format"), found.get("version")) != (kind, version):
        is_now = f"{found.get('format')} version {found.get('version')}"
        raise ArtifactError(f"{where}: this is {is_now}, but {kind} version {version} is needed")


def check_numbers(part: Any, n: int, where: str, name: str) -> list[float]:
    """Return the *n* numbers of *part*; anything else is named."""
    if not isinstance(part, list) or len(part) != n:
        raise ArtifactError(f"{where}: {name} must be a list of {n} numbers")
    if not all(type(x) in (int, float) and abs(x) <= LARGEST for x in part):
        raise ArtifactError(f"{where}: {name} has entries that are not finite numbers")
    return [float(x) for x in part]


def read_artifact(path: Path, shapes: Shapes) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors of *path* and their manifest, once hash and *shapes* are found to be right."""
    manifest = _read_manifest(_manifest_path(path))
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


def _read_manifest(path: Path) -> dict[str, Any]:
    manifest = parse_json(read_text(path, ArtifactError), ArtifactError, str(path))
    if not isinstance(manifest, dict):
        raise ArtifactError(f"{path}: the manifest is no JSON object")
    return manifest


def parse_tensors(data: bytes, name: str) -> Tensors:
    """Return the tensors of the bytes of a safetensors file; *name* is for error messages."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise ArtifactError(f"{name}: truncated, {len(data)} bytes do not even hold the header")
    try:
        header = parse_json(data[8 : 8 + length], ArtifactError, name)
        header.pop("__metadata__", None)
        return {key: _tensor(data[8 + length :], key, entry, name) for key, entry in header.items()}
    except ArtifactError:
        raise
    except MALFORMED:
        raise ArtifactError(f"{name}: the header is no safetensors header") from None


def _tensor(body: bytes, key: str, entry: Mapping[str, Any], name: str) -> npt.NDArray[np.float32]:
    start, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not all(is_whole(number, 0) for number in (start, end, *shape)):
        raise ArtifactError(f"{name}: tensor {key!r} has a shape or a place that is no number")
    if entry["dtype"] != "F32":
        raise ArtifactError(f"{name}: tensor {key!r} holds {entry['dtype']}, but F32 is needed")
    if not 0 <= start <= end <= len(body):
        raise ArtifactError(f"{name}: truncated, tensor {key!r} ends at byte {end} of {len(body)}")
    if end - start != 4 * prod(shape):
        raise ArtifactError(f"{name}: tensor {key!r} of shape {shape} cannot take {end - start} bytes")
    return np.frombuffer(body[start:end], "<f4").reshape(shape)
