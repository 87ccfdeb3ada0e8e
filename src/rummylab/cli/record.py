"""``rummylab record``: look at game records, check them, hide what a seat did not see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from rummylab.cli.common import announce_compilation
from rummylab.engine.rules import Rules

app = typer.Typer(help="Game records (.rgr): show, check, redact.", no_args_is_help=True)


def rules_of(name: str, options: dict[str, Any]) -> Rules:
    """Build the rules a record names."""
    from rummylab.games.registry import game

    return game(name).rules(None, **options)


@app.command()
def show(file: Path = typer.Argument(help="A record file.")) -> None:
    """Print the hands of a record as readable text."""
    from rummylab.engine.records import read_records

    for record in read_records(file):
        typer.echo(record.story())


@app.command()
def check(file: Path = typer.Argument(help="A record file.")) -> None:
    """Replay a record by the rules; the first line that does not follow is an error."""
    from rummylab.engine.records import validate_records

    announce_compilation()
    states = validate_records(file, rules_of)
    typer.echo(f"{len(states)} hands, all replay")


@app.command()
def redact(
    file: Path = typer.Argument(help="A record file."),
    seat: int = typer.Option(..., help="Whose view to keep."),
    output: Path = typer.Option(..., "--output", "-o", help="Where to write it."),
) -> None:
    """Write what one seat saw: no deck, no seed, no secrets of others."""
    from rummylab.engine.records import read_records, write_records

    records = [record.seen_by(seat) for record in read_records(file)]
    write_records(output, records)
    typer.echo(f"{len(records)} hands as seat {seat} saw them: {output}")
