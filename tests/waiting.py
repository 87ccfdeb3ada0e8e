"""How tests wait for other processes: the limit matters only when a test fails, so it suits the slowest machine."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which nothing more is expected."""


def wait_until(true: Callable[[], bool]) -> bool:
    """Return whether *true* comes to hold. It is asked until it does and not again, since it may be true in passing."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.02)
    return False
