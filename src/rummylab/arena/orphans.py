"""Worker processes that end with the process that started them, even if that was killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from typing import Final

from rummylab.arena.supervisor import call

_CHECK: Final = 0.5
_PR_SET_PDEATHSIG: Final = 1


def end_with(parent: int) -> None:
    """Let this process be killed when its parent, process *parent*, is gone.

    The kernel does it where it can (Linux, at once); a thread looks twice a second in any case, since the kernel goes
    by the parent's *thread*, and forgets the order when rights change.
    """
    with suppress(OSError):
        call("prctl", _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="end with the parent").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK)
    os.kill(os.getpid(), signal.SIGKILL)
