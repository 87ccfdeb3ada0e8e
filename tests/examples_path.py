"""Makes the scripts in ``examples/`` importable for the tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_path = Path(__file__).resolve().parents[1] / "examples" / "cautious.py"
_spec = importlib.util.spec_from_file_location("cautious_example", _path)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules["cautious_example"] = _module
_spec.loader.exec_module(_module)
Cautious = _module.Cautious
cautious_compiled = _module.cautious_compiled
