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
    from rummylab.arena.outside import installed

    rows, guests = entries(game), installed()
    if as_json:
        ours = [{"game": e.game, "name": e.name, "summary": e.summary, "source": e.source} for e in rows]
        theirs = [
            {"game": None, "name": g.name, "summary": "from an installed package", "source": g.value} for g in guests
        ]
        print_json(ours + theirs)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("game", "agent", "what it does", "source")
    for entry in rows:
        table.add_row(entry.game, entry.name, entry.summary, entry.source)
    for guest in guests:
        table.add_row("", guest.name, "from an installed package", guest.value)
    Console().print(table)
