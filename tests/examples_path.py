"""Makes the scripts in ``examples/`` importable for the tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def example(name: str) -> Any:
    """The module of ``examples/NAME.py``."""
    path = Path(__file__).resolve().parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"{name}_example"] = module
    spec.loader.exec_module(module)
    return module


Cautious = example("cautious").Cautious
cautious_compiled = example("cautious").cautious_compiled
