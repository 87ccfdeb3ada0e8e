"""``rummylab play``: sit down at a table in the terminal."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation
from rummylab.engine.rules import Rules

_FAVOURITE = {"gin": "utility-search", "indian": "mindist-outs", "chinese": "chinese-counter", "gin-course": "keats"}
_TO_100 = {"rounds": 0, "target": 100}
"""What people play a match to, where the arena plays single rounds."""


def play(
    game: str = typer.Argument("gin", help="The game."),
    agent: str | None = typer.Option(
        None,
        "--agent",
        help="Your opponent; `rummylab agents` lists them. Default: the game's best, in Gin utility-search.",
    ),
    rules: str | None = typer.Option(None, help="Preset of the rules."),
    seats: int | None = typer.Option(None, help="Seats at the table, where the game has more than two."),
    seed: int | None = typer.Option(None, help="Seed of the cards; default: new cards every time."),
    record: Path | None = typer.Option(None, help="Add the hands of the match to this record file (.rgr)."),
    plain: bool = typer.Option(False, "--plain", help="No colours, no suit symbols."),
) -> None:
    """Play a match in the terminal."""
    import secrets
    import sys

    from rummylab.agents.registry import agent as named_agent
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game
    from rummylab.play.terminal.tables import table_for

    name = agent or _FAVOURITE.get(find_game(game).name, "random")
    table_rules = _rules(game, rules, seats)
    if record is not None and not record.resolve().parent.is_dir():
        raise OptionError(f"--record is {record}, but there is no directory {record.resolve().parent}")
    if record is not None and record.exists() and record.stat().st_size:
        read_records(record)  # what is no record file is not written to
    opponents = [named_agent(game, name) for _ in range(table_rules.seats - 1)]
    announce_compilation()
    table = table_for(find_game(game).name)(
        table_rules,
        opponents,
        secrets.randbelow(2**32) if seed is None else seed,
        coach=named_agent(game, name),
        plain=plain or not sys.stdout.isatty(),
        record=record,
    )
    table.title = find_game(game).title.split(",")[0]
    table.play()


def _rules(name: str, preset: str | None, seats: int | None) -> Rules:
    """Return the rules of the table; where the arena plays single rounds people play to a target."""
    from rummylab.errors import OptionError
    from rummylab.games.registry import game

    rules = game(name).rules(preset)
    if seats is not None and "seats" in rules.options.to_dict():
        rules = game(name).rules(preset, seats=seats)
    elif seats not in (None, rules.seats):
        raise OptionError(f"{name} has {rules.seats} seats, not {seats}")
    return game(name).rules(preset, **_TO_100) if rules.options.to_dict().get("rounds") == 1 else rules
