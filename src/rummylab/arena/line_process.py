"""An outside agent's process that communicates in lines of text, with a limit on every step.

Nothing the process does can hold up the referee: writes and reads have a deadline, a line has a maximum length, and
only the end of stderr is kept.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import weakref
from contextlib import suppress
from typing import IO, Any, Final

from rummylab.arena.faults import OutsideError

MAX_LINE: Final = 1 << 16
"""The longest answer in bytes."""
KEPT_STDERR: Final = 1 << 12
"""The number of bytes that are kept from the end of a process's stderr."""
_PART: Final = 1 << 16
_EXIT_CODE: Final = 1.0
"""Seconds to wait for the exit code of a process that has closed its pipes."""
_SUPERVISOR_GRACE: Final = 10.0
"""Seconds that a supervisor has to end its agent before it is killed itself."""


class LineProcess:
    """A running process that answers lines with lines, and ends with this object."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._child = child
        self._owner = os.getpid()
        self._in, self._out, self._err = (pipe.fileno() for pipe in (child.stdin, child.stdout, child.stderr))
        self._heard, self._stderr = b"", b""
        self._poll = select.poll()
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        for pipe in (self._out, self._err):
            self._poll.register(pipe, select.POLLIN)
        self.stop = weakref.finalize(self, _end, child, self._owner)
        """End the process and all it has started."""

    @property
    def is_running(self) -> bool:
        """Whether the process lives and is ours: a fork of the referee must not share its parent's."""
        return self._owner == os.getpid() and self.stop.alive and self._child.poll() is None

    def tell(self, line: str, seconds: float) -> None:
        """Write a line that needs no answer."""
        self._exchange(line, seconds, answer=False)

    def ask(self, line: str, seconds: float) -> str:
        """Write a line and return the answer, both within *seconds*."""
        if self._heard:
            raise self._fault("bad answer", f"said {printable(self._heard)!r} before it was asked")
        return self._exchange(line, seconds, answer=True)

    def hear(self, seconds: float) -> str:
        """Return the next line, without asking for one."""
        return self._exchange(None, seconds, answer=True)

    def _exchange(self, line: str | None, seconds: float, *, answer: bool) -> str:
        if not self.stop.alive:
            raise OutsideError("crash", "its process has ended")
        deadline = time.monotonic() + seconds
        left = memoryview(b"" if line is None else line.encode() + b"\n")
        left = left[self._write(left) :]
        if left:
            self._poll.register(self._in, select.POLLOUT)
        try:
            while left or (answer and b"\n" not in self._heard):
                for pipe, _ in self._wait(deadline, seconds):
                    if pipe == self._out:
                        self._hear()
                    elif pipe == self._err:
                        self._note_stderr()
                    else:
                        left = left[self._write(left) :]
                        if not left:
                            self._poll.unregister(self._in)
        finally:
            if left and self.stop.alive:
                self._poll.unregister(self._in)
        if not answer:
            return ""
        said, _, self._heard = self._heard.partition(b"\n")
        return said.decode(errors="replace").strip()

    def _wait(self, deadline: float, seconds: float) -> list[tuple[int, int]]:
        ready = self._poll.poll(max(0.0, 1000 * (deadline - time.monotonic())))
        if not ready or time.monotonic() > deadline:
            raise self._fault("time-out", f"no answer within {seconds:g} s")
        return ready

    def _write(self, data: memoryview) -> int:
        if not data:
            return 0
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except OSError:
            raise self._crash() from None

    def _hear(self) -> None:
        part = _read(self._out)
        if not part:
            raise self._crash()
        self._heard += part
        if len(self._heard) > MAX_LINE:
            raise self._fault("bad answer", f"said more than {MAX_LINE:,} bytes at once")

    def _note_stderr(self) -> None:
        part = _read(self._err)
        if not part:
            self._poll.unregister(self._err)
        self._stderr = (self._stderr + part)[-KEPT_STDERR:]

    def _crash(self) -> OutsideError:
        """Return the fault of a process that is gone, or has closed its pipes."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = self._child.wait(_EXIT_CODE)
        for _ in range(KEPT_STDERR):
            part = _read(self._err)
            if not part:
                break
            self._stderr = (self._stderr + part)[-KEPT_STDERR:]
        said = self._stderr.decode(errors="replace").strip().splitlines()
        words = "closed its pipes" if code is None else f"ended with code {code}"
        return self._fault("crash", words + (f": {printable(said[-1])}" if said else ""))

    def _fault(self, kind: str, words: str) -> OutsideError:
        self.stop()
        return OutsideError(kind, words)


def printable(text: str | bytes, length: int = 200) -> str:
    """Return the start of what an outside agent said, without anything that could command a terminal."""
    words = text[: 4 * length].decode(errors="replace") if isinstance(text, bytes) else text[:length]
    return "".join(letter if letter.isprintable() else "?" for letter in words.strip())[:length]


def _read(pipe: int) -> bytes:
    """Return what can be read now; nothing at the end of the stream, or if nothing has arrived."""
    try:
        return os.read(pipe, _PART)
    except OSError:
        return b""


def _end(child: subprocess.Popen[Any], owner: int) -> None:
    """End *child*, a supervisor or a bare process, and close its pipes; a fork of the owner only closes its copies."""
    if os.getpid() == owner and child.poll() is None:
        child.terminate()  # a supervisor ends its agent and all that the agent has started
        try:
            child.wait(_SUPERVISOR_GRACE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.kill()
            child.wait()
    pipes: tuple[IO[Any] | None, ...] = (child.stdin, child.stdout, child.stderr)
    for pipe in pipes:
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
