"""Print constraints that pin every requirement of some groups to its lowest version, for `make lowest`.

python tests/lowest.py lowest > constraints.txt
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def constraints(*extras: str) -> list[str]:
    """Return ``name==lowest`` for the package's own requirements and those of *extras*."""
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    groups = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    found = [re.match(r"([\w-]+)(?:>=|==)([\w.]+)", text) for group in groups for text in group]
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints(*sys.argv[1:])) + "\n")
