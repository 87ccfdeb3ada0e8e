"""The ``rummylab`` command. One thin file per command; each imports what it needs when it runs."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from rummylab import __version__
from rummylab.cli import (
    agents,
    analyze,
    belief,
    bench,
    bridge,
    conformance,
    engine,
    experiment,
    export_replay,
    games,
    hand,
    learn,
    match,
    move,
    play,
    record,
    reproduce,
    review,
    store,
    tournament,
    train,
    tune,
    verify,
    warm_up,
)
from rummylab.cli.common import INTERRUPTED, say
from rummylab.errors import OptionError, RummyError
from rummylab.learning.registry import TRAINERS

UsageError: Any = typer.BadParameter.__mro__[1]
"""Any mistake on the command line. Newer versions of Typer have their own Click, older ones import it."""

MOVED = {
    "arena": "match",
    "run": "experiment run",
    "runs": "store list",
    "report": "store report",
    "export": "store export",
    "belief": "record belief",
}
"""Commands that had another name, with the name they have now."""


class Grammar(TyperGroup):
    """The top level: names the new command for an old one, and reports Ctrl-C."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of `COMMANDS`."""
        return list(dict.fromkeys(command.name.partition(" ")[0] for command in COMMANDS))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* name."""
        if args and args[0] in MOVED:
            raise OptionError(f"`rummylab {args[0]}` is now `rummylab {MOVED[args[0]]}`.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C ends it with exit code 130."""
        with _ctrl_c() as pressed:
            try:
                return super().invoke(ctx)
            except BaseException as error:
                if not isinstance(error, KeyboardInterrupt) and (not pressed or isinstance(error, typer.Exit)):
                    raise
        say("Interrupted. Nothing was kept.", err=True)
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _ctrl_c() -> Iterator[list[bool]]:
    """Give a list that is empty until Ctrl-C is pressed.

    The compiler may swallow the `KeyboardInterrupt` and fail with another error: then the list tells why.
    """
    pressed: list[bool] = []

    def notice(number: int, frame: FrameType | None) -> None:
        pressed.append(True)
        signal.default_int_handler(number, frame)

    if threading.current_thread() is not threading.main_thread():  # only the main thread may handle signals
        yield pressed
        return
    before = signal.signal(signal.SIGINT, notice)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


class Command(NamedTuple):
    """A command, the heading it stands under in the help, and an example of its use."""

    panel: str
    name: str
    function: Any
    example: str


PLAY, COMPARE, EXPERIMENTS, RECORDS, LEARNING, TOOLS = (
    "Play",
    "Compare agents",
    "Experiments and results",
    "Game records",
    "Learning",
    "Tools",
)
GROUPS = {
    "experiment": (EXPERIMENTS, "Run experiment files and list what can be run."),
    "store": (EXPERIMENTS, "Results files: list, show, report, export, prune."),
    "record": (RECORDS, "Game records (.rgr): show, check, redact, and what a player could believe."),
    "train": (LEARNING, "Train networks, tables and numbers of agents."),
}
"""Commands with subcommands: heading and help."""
COMMANDS = (
    Command(PLAY, "play", play.play, "play gin --terminal --agent simple"),
    Command(PLAY, "hand", hand.hand, 'hand gin "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks"'),
    Command(PLAY, "move", move.move, "move gin --position position.txt --agent simple"),
    Command(PLAY, "analyze", analyze.analyze, "analyze position.txt"),
    Command(PLAY, "review", review.review, "review match.rgr"),
    Command(COMPARE, "match", match.match, "match gin simple random --games 2000 --seed 7"),
    Command(
        COMPARE,
        "tournament",
        tournament.tournament,
        "tournament indian minscore mindist --games 2000 --store runs.db --run first",
    ),
    Command(COMPARE, "agents", agents.agents, "agents gin utility"),
    Command(COMPARE, "games", games.games, "games indian"),
    Command(EXPERIMENTS, "reproduce", reproduce.reproduce, "reproduce keats --quick --out keats"),
    Command(EXPERIMENTS, "experiment run", experiment.run, "experiment run examples/first-look.toml --quick"),
    Command(EXPERIMENTS, "experiment list", experiment.list_experiments, "experiment list examples"),
    Command(EXPERIMENTS, "store list", store.list_runs, "store list runs.db"),
    Command(EXPERIMENTS, "store show", store.show, "store show runs.db first"),
    Command(EXPERIMENTS, "store report", store.report, "store report runs.db first --out first-report"),
    Command(EXPERIMENTS, "store export", store.export, "store export runs.db first --out tables"),
    Command(EXPERIMENTS, "store prune", store.prune, "store prune runs.db --damaged"),
    Command(RECORDS, "verify", verify.verify, "verify match.rgr"),
    Command(RECORDS, "export-replay", export_replay.export_replay, "export-replay match.rgr --out match.html"),
    Command(RECORDS, "record show", record.show, "record show match.rgr"),
    Command(RECORDS, "record check", record.check, "record check match.rgr"),
    Command(RECORDS, "record redact", record.redact, "record redact match.rgr --seat 1 --out seen.rgr"),
    Command(RECORDS, "record belief", belief.belief, "record belief match.rgr --at 14 --truth"),
    *(
        Command(LEARNING, f"train {name}", train.train_command(name), f"train {name} {entry.example}")
        for name, entry in TRAINERS.items()
    ),
    Command(LEARNING, "tune", tune.tune, "tune gin utility --trials 100 --out tuned"),
    Command(
        LEARNING, "dataset", learn.dataset, "dataset gin-opponent-hand --entries 6000000 --seed 1 --phase 1 --out data1"
    ),
    Command(LEARNING, "evaluate", learn.evaluate, "evaluate gin-opponent-hand --entries 200000 --seed 7"),
    Command(TOOLS, "engine", engine.engine, "engine --agent simple"),
    Command(TOOLS, "bench", bench.bench, "bench gin"),
    Command(TOOLS, "conformance", conformance.conformance, "conformance gin hands.jsonl.gz"),
    Command(TOOLS, "bridge", bridge.bridge, "bridge gin simple"),
    Command(TOOLS, "warm-up", warm_up.warm_up, "warm-up gin"),
)
"""Every command, in the order of the help."""


def _build() -> typer.Typer:
    """Return the command line that `COMMANDS` and `GROUPS` describe."""
    top = typer.Typer(
        name="rummylab",
        help="Rules, agents and laboratory for the rummy family of card games.",
        cls=Grammar,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    groups: dict[str, typer.Typer] = {}
    for panel, name, function, example in COMMANDS:
        shown = f"Example: rummylab {example}"
        first, _, second = name.partition(" ")
        place = top
        if second:
            if first not in groups:
                heading, words = GROUPS[first]
                groups[first] = typer.Typer(help=words, no_args_is_help=True)
                top.add_typer(groups[first], name=first, rich_help_panel=heading)
            place = groups[first]
        place.command(second or first, rich_help_panel=None if second else panel, epilog=shown)(function)
    return top


app = _build()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rummylab {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Rules, agents and laboratory for the rummy family of card games."""


def _collect_less_garbage() -> None:
    """Save a quarter of the time that the compiler takes to load.

    Its modules make many objects that stay: to look for garbage among them at every 700th, and once more when the
    process ends, finds nothing.
    """
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command line; an expected error is one line on stderr and exit code 2, never a traceback."""
    _collect_less_garbage()
    try:
        sys.exit(app(prog_name="rummylab", standalone_mode=False) or 0)
    except UsageError as error:
        if type(error).__name__ != "NoArgsIsHelpError":  # the help is printed already
            where = error.ctx.command_path if error.ctx is not None else "rummylab"
            sys.stderr.write(f"error: {error.format_message()} See: {where} --help\n")
        sys.exit(2)
    except RummyError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has gone; that is not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a file that cannot be read or written
        if error.filename is None:
            raise
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
