"""What several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer


def print_json(value: Any) -> None:
    """Print one JSON value, the only thing on stdout."""
    typer.echo(json.dumps(value))


def announce_compilation() -> None:
    """Tell the user, once, why the first start takes some seconds."""
    from rummylab._jit import is_cold

    if is_cold():
        sys.stderr.write("compiling the kernels for this machine, once; this takes some seconds ...\n")


@contextmanager
def progress_bar(label: str, *, wanted: bool = True) -> Iterator[Any]:
    """Give a ``progress(done, total)`` callback that draws a bar on stderr, if that is a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
