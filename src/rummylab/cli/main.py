"""The ``rummylab`` command. One thin file per command; each imports what it needs when it runs."""

from __future__ import annotations

import os
import sys

import typer

from rummylab import __version__
from rummylab.cli import (
    agents,
    arena,
    belief,
    bench,
    bridge,
    conformance,
    export,
    hand,
    learn,
    play,
    record,
    report,
    reproduce,
    run,
    runs,
    tournament,
    train,
    tune,
)
from rummylab.errors import RummyError

app = typer.Typer(
    name="rummylab",
    help="Rules, agents and laboratory for the rummy family of card games.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rummylab {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Rules, agents and laboratory for the rummy family of card games."""


app.command("play")(play.play)
app.command("arena")(arena.arena)
app.command("tournament")(tournament.tournament)
app.command("runs")(runs.runs)
app.command("export")(export.export)
app.command("tune")(tune.tune)
app.command("report")(report.report)
app.command("agents")(agents.agents)
app.command("hand")(hand.hand)
app.add_typer(record.app, name="record")
app.command("conformance")(conformance.conformance)
app.command("bench")(bench.bench)
app.command("run")(run.run)
app.command("reproduce")(reproduce.reproduce)
app.command("dataset")(learn.dataset)
app.add_typer(train.app, name="train")
app.command("evaluate")(learn.evaluate)
app.command("belief")(belief.belief)
app.command("bridge")(bridge.bridge)


def main() -> None:
    """Run the command line; an expected error is one line on stderr and exit code 2, never a traceback."""
    try:
        app()
    except RummyError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has gone; that is no error of ours
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a file that cannot be read or written
        if error.filename is None:
            raise
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
