"""``rummylab conformance``: compare our rules with recorded data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli.common import announce_compilation, print_json, say
from rummylab.cli.options import AsJson, Game, Quiet

SHOWN = 10
"""Mismatches that are printed in full."""


def conformance(
    game: Game,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Recorded hands or values: a .jsonl or .jsonl.gz file.", show_default=False
        ),
    ],
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare the rules with recorded hands or values; exit with code 1 if anything differs."""
    from rummylab.errors import UnknownNameError
    from rummylab.games.registry import GAMES
    from rummylab.games.registry import game as find_game

    if not find_game(game).has("vectors"):
        known = [name for name, spec in GAMES.items() if spec.has("vectors")]
        raise UnknownNameError("game with recorded data", game, known)
    announce_compilation(quiet=quiet)
    report = find_game(game).module("vectors").compare_file(file)
    if as_json:
        print_json({"unit": report.unit, "count": report.count, "mismatches": report.mismatches})
    else:
        for line in report.mismatches[:SHOWN]:
            say(line)
        if len(report.mismatches) > SHOWN:
            say(f"... and {len(report.mismatches) - SHOWN} more")
        say(str(report))
    if report.mismatches:
        raise typer.Exit(1)
