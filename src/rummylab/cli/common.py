"""What the commands share: output, progress, exit codes, Ctrl-C and outside agents."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

FORFEITED = 3
"""Exit code of a complete run in which an agent forfeited games."""
INTERRUPTED = 130
"""Exit code after Ctrl-C."""


# --- Output ---------------------------------------------------------------------------------------------------------


def width() -> int:
    """Return the width to print in: that of the terminal or of ``COLUMNS``, 80 where there is neither."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def say(text: str = "", *, err: bool = False) -> None:
    """Print *text*, wrapped at the terminal's width; the rest of a wrapped line is indented by two more columns."""
    for line in text.split("\n"):
        typer.echo(_wrapped(line), err=err)


def _wrapped(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(
        line,
        width(),
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def print_table(table: Any) -> None:
    """Print a Rich table at the terminal's width. Brackets are not read as markup: names of agents have them."""
    from rich.console import Console

    Console(width=width(), markup=False, highlight=False, emoji=False).print(table)


def note(text: str, *, quiet: bool = False) -> None:
    """Print *text* on stderr, unless *quiet*."""
    if not quiet:
        say(text, err=True)


def forecast(*, quiet: bool = False) -> Callable[[float], None] | None:
    """Return a callback that says how many seconds a long run will take; None if *quiet*."""

    def tell(seconds: float) -> None:
        if seconds >= WORTH_SAYING:
            note(f"This will take about {duration(seconds)}, estimated from a few games.")

    return None if quiet else tell


def print_json(value: Any) -> None:
    """Print one JSON value, the only thing on stdout."""
    typer.echo(json.dumps(_with_null(value), allow_nan=False))


def _with_null(value: Any) -> Any:
    """Return *value* with None in place of infinity and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _with_null(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_null(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def duration(seconds: float) -> str:
    """Return a time in the unit people would use.

    >>> [duration(s) for s in (4.2e-9, 4.6e-3, 7.25, 75, 7300)]
    ['4.2 ns', '4.6 ms', '7.2 s', '1 min 15 s', '2 h 2 min']
    """
    if seconds >= 3600:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{hours} h {minutes} min"
    if seconds >= 60:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds * 1e9)} ns"


def per_second(n: float, what: str = "") -> str:
    """Return a rate, of *what*, in the unit people would use.

    >>> [per_second(n) for n in (0.25, 31.4, 5210)], per_second(20_600_000, "hands")
    (['0.25/s', '31/s', '5,210/s'], '20.6 million hands/s')
    """
    unit = f" {what}/s" if what else "/s"
    if n >= 1e6:
        return f"{n / 1e6:,.1f} million{unit}"
    return f"{n:,.0f}{unit}" if n >= 10 else f"{n:.2g}{unit}"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def count(n: int, noun: str) -> str:
    """Return a number with its noun: ``1 game``, ``2,000 games``."""
    return f"{n:,} {noun if n == 1 else noun + 's'}"


# --- How a command ends ---------------------------------------------------------------------------------------------


def exit_for_forfeits(forfeits: Iterable[int]) -> None:
    """Raise `typer.Exit` with exit code 3 if any game was forfeited."""
    if any(forfeits):
        raise typer.Exit(FORFEITED)


def end_run(result: Any, store: Path | None) -> None:
    """Exit with the code for *result*, a match or standings; if it was interrupted, say how to resume it."""
    if not result.complete:
        note(f"Interrupted after {count(result.games, 'game')}. {how_to_resume(store)}")
        raise typer.Exit(INTERRUPTED)
    exit_for_forfeits(result.forfeits().values())


def how_to_resume(store: Path | None) -> str:
    """Return what to tell a user who pressed Ctrl-C: what was kept, and how to go on."""
    if store is None:
        return "Nothing was kept. With --store FILE, the same command resumes where it stopped."
    return f"What was played is in {store}. Run the same command again to resume."


def _no_new_games(store: Path | None) -> str:
    """Return what to tell a user who pressed Ctrl-C before a first chunk of games was finished."""
    if store is None:
        return how_to_resume(store)
    return f"No new games were finished; {store} has the earlier ones, if any. Run the same command again to resume."


@contextmanager
def interruptible(kept: str) -> Iterator[None]:
    """On Ctrl-C print *kept*, which says what was kept and how to go on, and end with exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Interrupted. {kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def opened(path: Path | None) -> Iterator[Any]:
    """Yield the store at *path*, created if it is missing, and close it afterward; yield None without a path."""
    if path is None:
        yield None
        return
    from rummylab.arena.store import Store

    with Store(path) as store:
        yield store


@contextmanager
def run_of_games(
    game: str, agents: Iterable[str], label: str, store: Path | None, *, quiet: bool
) -> Iterator[tuple[Any, Progress | None]]:
    """Yield the open store and a progress callback for games of *agents*; on Ctrl-C, say what was kept and exit."""
    announce_compilation(quiet=quiet)
    announce_strangers(game, agents, quiet=quiet)
    with interruptible(_no_new_games(store)), opened(store) as kept, progress_bar(label, quiet=quiet) as progress:
        yield kept, progress


# --- Outside agents -------------------------------------------------------------------------------------------------


def announce_strangers(game: str, names: Iterable[str], *, quiet: bool = False) -> None:
    """Say on stderr how outside agents are confined, if any play."""
    from rummylab.arena.outside import describe
    from rummylab.arena.sandbox import sentence

    if {describe(game, name) for name in names} - {"ours"}:
        note(sentence(), quiet=quiet)


def key_digits(text: str | None) -> str | None:
    """Return the digits of a ``--key``; ``@FILE`` names a file that has them, and hides it from outside agents."""
    from rummylab.arena.sandbox import hide
    from rummylab.errors import OptionError

    if text is None or not text.startswith("@"):
        return text
    try:
        hide(Path(text[1:]))
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise OptionError(f"--key {text}: the file cannot be read: {error}") from None


def key_number(text: str | None) -> int | None:
    """Return a ``--key`` as a number, or None without one."""
    from rummylab.engine.streams import parse_key

    digits = key_digits(text)
    return None if digits is None else parse_key(digits)


# --- Progress -------------------------------------------------------------------------------------------------------

Progress = Callable[..., None]
"""Called with the work done, the work in all and, if there is one, the estimate so far as text."""
WORTH_SAYING = 20.0
"""A run that takes at least this many seconds is announced with its estimated time."""
SECONDS_A_LINE = 60.0
"""Seconds between two lines of progress where there is no terminal."""


def announce_compilation(*, quiet: bool = False) -> None:
    """If kernels have to be compiled, tell the user why this start takes some seconds."""
    from rummylab._jit import on_compilation

    ours = os.getpid()

    def tell() -> None:
        if os.getpid() == ours:  # worker processes stay silent
            note("Compiling the kernels for this machine, once. This takes some seconds ...", quiet=quiet)

    on_compilation(tell)


@contextmanager
def progress_bar(label: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """Yield a callback ``progress(done, total, words="")`` that reports on stderr; None if *quiet*.

    A terminal gets a bar with the rate, the time left and *words*, the estimate so far; without a terminal, a line a
    minute says the same.
    """
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bar(label) as show:
            yield show
    else:
        yield ProgressLines(label)


class ProgressLines:
    """Reports progress as a line a minute on stderr."""

    def __init__(self, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.label, self.clock = label, clock
        self.began = self.last = clock()

    def __call__(self, done: int, total: int, words: str = "") -> None:
        """Report, if the last line was a minute ago."""
        now = self.clock()
        if now - self.last < SECONDS_A_LINE:
            return
        self.last = now
        rate = done / (now - self.began)
        left = f", about {duration((total - done) / rate)} left" if rate and total > done else ""
        estimate = f"; {words}" if words else ""
        say(f"{self.label}: {done:,} of {total:,}, {per_second(rate)}{left}{estimate}", err=True)


@contextmanager
def _bar(label: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(label, markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    began = time.perf_counter()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, words="", rate="")

        def show(done: int, total: int, words: str = "") -> None:
            rate = per_second(done / max(1e-9, time.perf_counter() - began))
            bar.update(task, completed=done, total=total, words=words, rate=rate)

        yield show
