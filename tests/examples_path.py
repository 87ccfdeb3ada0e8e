"""Make the scripts in ``examples/`` importable for the tests."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any


@cache
def example(name: str) -> Any:
    """Return the module of ``examples/NAME.py``; its compiled agents take seconds, so each is loaded once."""
    path = Path(__file__).resolve().parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"{name}_example"] = module
    spec.loader.exec_module(module)
    return module
