"""``rummylab export``: results as Parquet or CSV."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import print_json


def export(
    store: Path = typer.Argument(help="A results file, as --store makes it."),
    out: Path = typer.Option(..., help="The directory to write to."),
    run: str | None = typer.Option(None, help="Name, number or key of a run; default: all."),
    format: str = typer.Option("parquet", help="parquet or csv."),
    force: bool = typer.Option(False, "--force", help="Overwrite tables that are there."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write the tables runs, games, faults and hands."""
    from rummylab.arena.export import export as write
    from rummylab.arena.store import Store

    with Store(store, must_exist=True) as kept:
        written = write(kept, out, run=run, format=format, force=force)
    if as_json:
        print_json({"files": {str(path): rows for path, rows in written.items()}})
        return
    for path, rows in written.items():
        typer.echo(f"{path}: {rows:,} rows")
