"""Files of test vectors: JSON Lines, one object a line, and how they compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rummylab.engine import reading
from rummylab.errors import VectorError

LONGEST = 500


@dataclass
class Report:
    """How a file of recorded hands or values compared."""

    unit: str = "hands"
    count: int = 0
    mismatches: list[str] = field(default_factory=list)

    @property
    def hands(self) -> int:
        """Hands compared."""
        return self.count

    def add(self, mismatch: str) -> None:
        """Keep *mismatch*, cut to a length that somebody would read."""
        self.mismatches.append(mismatch if len(mismatch) <= LONGEST else mismatch[:LONGEST] + "…")

    def __str__(self) -> str:
        return f"{self.count} {self.unit}, {len(self.mismatches)} mismatches"


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line numbers and objects of a ``.jsonl`` or ``.jsonl.gz`` file; one without any is an error.

    Raises:
        VectorError: The file cannot be read, is empty, or a line is not an object.
    """
    number = 0
    for number, line in reading.read_lines(path, VectorError):
        value = reading.parse_json(line, VectorError, f"{path}, line {number}")
        if not isinstance(value, dict):
            raise VectorError(f"{path}, line {number}: expected a JSON object")
        yield number, value
    if not number:
        raise VectorError(f"{path}: the file is empty, so there is nothing to compare")
