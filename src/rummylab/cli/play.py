"""``rummylab play``: sit down at a table in the terminal."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation


def play(
    game: str = typer.Argument("gin", help="The game."),
    agent: str = typer.Option("simple", "--agent", help="Your opponent; `rummylab agents` lists them."),
    rules: str | None = typer.Option(None, help="Preset of the rules."),
    seed: int | None = typer.Option(None, help="Seed of the cards; default: new cards every time."),
    record: Path | None = typer.Option(None, help="Keep the match in this record file (.rgr)."),
    plain: bool = typer.Option(False, "--plain", help="No colours, no suit symbols."),
) -> None:
    """Play a match in the terminal."""
    import secrets
    import sys

    from rummylab.agents.registry import agent as named_agent
    from rummylab.errors import UnknownNameError
    from rummylab.games.registry import game as find_game
    from rummylab.play.terminal.gin import TerminalTable

    if find_game(game).name != "gin":
        raise UnknownNameError("game with a table in the terminal", game, ["gin"])
    announce_compilation()
    table = TerminalTable(
        find_game(game).rules(rules),
        named_agent(game, agent),
        secrets.randbelow(2**32) if seed is None else seed,
        plain=plain or not sys.stdout.isatty(),
        record=record,
    )
    table.play()
