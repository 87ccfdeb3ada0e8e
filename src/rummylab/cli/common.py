"""What several commands share."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

FORFEITED = 3
"""Exit code of a run that was played to its end, but in which some agent forfeited games."""


def announce_strangers(game: str, names: Iterable[str]) -> None:
    """Say on stderr, once, how outside agents are confined, if any play."""
    from rummylab.arena.outside import describe
    from rummylab.arena.sandbox import sentence

    if {describe(game, name) for name in names} - {"ours"}:
        sys.stderr.write(f"{sentence()}\n")


def exit_for(*, complete: bool, forfeits: Iterable[int]) -> None:
    """End the command with a code that says what happened, unless all went well."""
    if not complete:
        raise typer.Exit(130)
    if any(forfeits):
        raise typer.Exit(FORFEITED)


MOST = 10**9
"""The largest number of games, hands, trials or entries that may be asked for."""
MOST_PROCESSES = 1024


def finite(value: float) -> float:
    """Refuse a number without end, and what is not a number."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


def print_json(value: Any) -> None:
    """Print one JSON value, the only thing on stdout."""
    typer.echo(json.dumps(_finite(value), allow_nan=False))


def _finite(value: Any) -> Any:
    """Return *value* with null for what JSON cannot say: an interval without an end."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


KEY_HELP = (
    "Where outside agents sit, the deals come from a secret key. This repeats one: its 32 digits, or @FILE with them, "
    "which other processes cannot read off the command line."
)


def read_key(text: str | None) -> str | None:
    """Return the digits of a ``--key``, which may stand in a file: one that outside agents cannot read."""
    from pathlib import Path

    from rummylab.arena.sandbox import hide
    from rummylab.errors import OptionError

    if text is None or not text.startswith("@"):
        return text
    try:
        hide(Path(text[1:]))
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise OptionError(f"--key {text}: the file cannot be read: {error}") from None


def given_key(text: str | None) -> int | None:
    """Return the key that ``--key`` names, if it was given."""
    from rummylab.engine.streams import parse_key

    digits = read_key(text)
    return None if digits is None else parse_key(digits)


def announce_compilation() -> None:
    """Tell the user, once, why the first start takes some seconds."""
    from rummylab._jit import on_compilation

    ours = os.getpid()

    def tell() -> None:
        if os.getpid() == ours:  # a process that compiles for us has nothing to add
            sys.stderr.write("compiling the kernels for this machine, once; this takes some seconds ...\n")

    on_compilation(tell)


@contextmanager
def progress_bar(label: str) -> Iterator[Any]:
    """Give a ``progress(done, total, words="")`` callback that draws a bar on stderr, if that is a terminal.

    The bar shows what is done, the rate, the time left and *words*, the estimate so far.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(label),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}"),
    )
    began = time.perf_counter()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, words="", rate="")

        def show(done: int, total: int, words: str = "") -> None:
            rate = f"{done / max(1e-9, time.perf_counter() - began):,.0f}/s"
            bar.update(task, completed=done, total=total, words=words, rate=rate)

        yield show
