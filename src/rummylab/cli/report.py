"""``rummylab report``: a tournament as a page to look at."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation, print_json


def report(
    run: str | None = typer.Argument(None, help="Name, id or beginning of the key; default: the latest tournament."),
    store: Path = typer.Option(Path("runs.db"), help="The file with the results."),
    out: Path = typer.Option(Path("report"), help="Directory to write report.html, report.md and the figures into."),
    anchor: str | None = typer.Option(None, help="Agent whose Elo is 0; default: the first that nobody sweeps."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Write a tournament's report: one HTML file that works offline, and Markdown with figures."""
    from rummylab.arena.report.tournament import write_report
    from rummylab.arena.store import Store

    kept = Store(store, must_exist=True)
    announce_compilation()
    written = write_report(kept, run, out, anchor)
    if as_json:
        print_json(written.to_dict())
        return
    typer.echo(written.summary)
    typer.echo(f"report: {written.html}, {written.markdown}")
