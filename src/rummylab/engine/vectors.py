"""Files of test vectors: JSON Lines, one object a line, and how they compared."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rummylab.errors import VectorError


@dataclass
class Report:
    """How a file of recorded hands or values compared."""

    unit: str = "hands"
    count: int = 0
    mismatches: list[str] = field(default_factory=list)

    @property
    def hands(self) -> int:
        return self.count

    def __str__(self) -> str:
        return f"{self.count} {self.unit}, {len(self.mismatches)} mismatches"


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of a ``.jsonl`` or ``.jsonl.gz`` file."""
    if not path.is_file():
        raise VectorError(f"{path}: no such file")
    number = 0
    try:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    value = json.loads(line)
                    if not isinstance(value, dict):
                        raise VectorError(f"{path}, line {number}: expected a JSON object")
                    yield number, value
    except json.JSONDecodeError as error:
        raise VectorError(f"{path}, line {number}: not JSON: {error}") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise VectorError(f"{path}, after line {number}: cannot be read: {error}") from None
