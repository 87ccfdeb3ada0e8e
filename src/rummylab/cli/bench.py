"""``rummylab bench``: how fast it is on this machine."""

from __future__ import annotations

import typer

from rummylab.cli.common import announce_compilation, print_json


def bench(
    game: str = typer.Argument(help="The game, such as gin."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Measure the speed of the kernels and of the Python table on one core."""
    from rummylab.arena.speed import SPEED
    from rummylab.errors import UnknownNameError

    if game not in SPEED:
        raise UnknownNameError("game", game, SPEED)
    announce_compilation()
    figures = SPEED[game]()
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        typer.echo(f"{name:28} {value:,.2f}")
