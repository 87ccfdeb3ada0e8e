"""Make the scripts in ``examples/`` importable for the tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from loading import load_module


@cache
def example(name: str) -> Any:
    """Return the module of ``examples/NAME.py``; its compiled agents take seconds, so each is loaded once."""
    path = Path(__file__).resolve().parents[1] / "examples" / f"{name}.py"
    return load_module(path, f"{name}_example")
