"""Run a command in this process, as `main` would: with its exit code, and what it writes."""

from __future__ import annotations

import contextlib
import io
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rummylab.cli.main import main


@dataclass(frozen=True)
class Done:
    """How a command ended, in the words of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str

    def refused(self) -> str:
        """Return what it wrote to stderr; it must have ended with exit code 2 and no traceback."""
        assert self.returncode == 2, self
        assert "Traceback" not in self.stderr
        return self.stderr


def run(words: Sequence[str], stdin: str = "", cwd: Path | None = None) -> Done:
    """Run ``rummylab`` with the arguments *words*. An exception that `main` lets through is let through here."""
    code: object = 0
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.chdir(cwd or Path.cwd()), _streams(["rummylab", *words], io.StringIO(stdin), out, err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Done(code if isinstance(code, int) else 0, texts[0], texts[1])


@contextlib.contextmanager
def _streams(words: list[str], stdin: io.StringIO, out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    sys.argv, sys.stdin, sys.stdout, sys.stderr = words, stdin, out, err
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before


_KILLED = """
import os, signal, sys
from rummylab.arena import store
from rummylab.cli.main import main

insert, left = store.Run._insert, {chunks}

def insert_or_die(self, key, played):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return insert(self, key, played)

store.WORTH_WRITING, store.Run._insert = 0, insert_or_die
sys.argv = ["rummylab", *{words!r}]
main()
"""


def killed_after(chunks: int, words: Sequence[str], cwd: Path | None = None) -> None:
    """Run ``rummylab`` in another process that is killed while it writes the chunk after the first *chunks*."""
    code = _KILLED.format(chunks=chunks, words=list(words))
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def n_chunks(path: Path) -> int:
    """Return how many chunks of games the store at *path* holds; 0 if it cannot be read yet."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            return int(database.execute("select count(*) from chunks").fetchone()[0])
    except sqlite3.Error:
        return 0
