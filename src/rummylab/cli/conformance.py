"""``rummylab conformance``: compare our rules with recorded data."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation

SHOWN = 10


def conformance(
    game: str = typer.Argument(help="The game, such as gin."),
    file: Path = typer.Argument(help="Recorded hands or values: a .jsonl or .jsonl.gz file."),
) -> None:
    """Compare with recorded hands or values and count mismatches; exit code 1 if there are any."""
    from rummylab.errors import UnknownNameError
    from rummylab.games.registry import game as find_game

    checks = {"gin": "rummylab.games.gin.vectors", "indian": "rummylab.games.indian.vectors"}
    if find_game(game).name not in checks:
        raise UnknownNameError("game with recorded data", game, checks)
    from importlib import import_module

    announce_compilation()
    report = import_module(checks[game]).compare_file(file)
    for line in report.mismatches[:SHOWN]:
        typer.echo(line)
    if len(report.mismatches) > SHOWN:
        typer.echo(f"... and {len(report.mismatches) - SHOWN} more")
    typer.echo(str(report))
    if report.mismatches:
        raise typer.Exit(1)
