"""``rummylab runs``: what a results file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from rummylab.cli.common import print_json


def runs(
    store: Path = typer.Argument(help="A results file, as --store makes it."),
    drop_damaged: bool = typer.Option(
        False, "--drop-damaged", help="Forget chunks that are damaged, so that the same command plays them again."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """List the runs of a results file and how far each has come."""
    from rummylab.arena.export import drop_damaged as drop
    from rummylab.arena.export import summaries
    from rummylab.arena.store import Store

    with Store(store, must_exist=True) as kept:
        dropped = drop(kept) if drop_damaged else []
        found = summaries(kept)
    if as_json:
        print_json({"runs": found} | ({"dropped": dropped} if drop_damaged else {}))
        return
    if drop_damaged:
        typer.echo(f"{len(dropped)} damaged chunks or records forgotten" + "".join(f"\n  {name}" for name in dropped))
    for run in found:
        _show(run)
    if not found:
        typer.echo(f"{store} has no runs")


def _show(run: dict[str, Any]) -> None:
    total = "" if run["chunks_in_all"] is None else f" of {run['chunks_in_all']}"
    state = f"finished {run['finished'][:19]}" if run["finished"] else "not finished"
    typer.echo(f"{run['id']}  {run['name'] or run['key']} · {run['kind']} · {run['game']} ({run['rules']}) · {state}")
    typer.echo(f"   {', '.join(run['agents'])}")
    typer.echo(
        f"   {run['games_a_pair']:,} games a pair, seed {run['seed']}: {run['games_played']:,} games in"
        f" {run['chunks']}{total} chunks, {run['hands']} games recorded, {len(run['artifacts'])} artifacts"
        if run["games_a_pair"] is not None
        else f"   {run['chunks']}{total} chunks, {run['hands']} games recorded, {len(run['artifacts'])} artifacts"
    )
    typer.echo(f"   begun {run['created'][:19]}, code {run['code']}, {run['machine']}")
