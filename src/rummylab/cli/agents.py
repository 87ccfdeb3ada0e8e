"""``rummylab agents``: who can play what."""

from __future__ import annotations

import typer

from rummylab.cli.common import print_json


def agents(
    game: str | None = typer.Argument(None, help="Only the agents of this game."),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list."),
) -> None:
    """List the agents with what they do and where they come from."""
    from rummylab.agents.registry import entries

    rows = entries(game)
    if as_json:
        print_json([{"game": e.game, "name": e.name, "summary": e.summary, "source": e.source} for e in rows])
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "agent", "what it does", "source")
    for entry in rows:
        table.add_row(entry.game, entry.name, entry.summary, entry.source)
    Console().print(table)
