"""``rummylab play``: sit down at a table in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli.common import OUTPUT, PLAYING, Format, Game, Rules, agent_option, announce_compilation

if TYPE_CHECKING:
    from rummylab.engine.rules import Rules as GameRules
    from rummylab.engine.spec import GameSpec


def play(
    game: Game = "gin",
    agent: Annotated[
        str | None, agent_option("Your opponent; `rummylab agents GAME` lists them. Default: the game's best.")
    ] = None,
    rules: Rules = None,
    form: Format = None,
    seats: Annotated[
        int | None,
        typer.Option(
            "--seats",
            metavar="N",
            help="Seats at the table, if the game allows more than two.",
            rich_help_panel=PLAYING,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", help="Random seed of the cards; default: a new one.", rich_help_panel=PLAYING
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", metavar="FILE", help="Append the hands to this record file (.rgr).", rich_help_panel=OUTPUT
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print no colors and no suit symbols.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Play a match in the terminal."""
    import os
    import secrets
    import sys

    from rummylab.agents.registry import agent as named_agent
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game
    from rummylab.ui.terminal.table import TerminalTable

    spec = find_game(game)
    table_rules = _rules(spec, spec.in_format(rules, form), seats)
    name = agent or spec.opponent_for(table_rules.options)
    if record is not None and not record.resolve().parent.is_dir():
        raise OptionError(f"--record is {record}, but there is no directory {record.resolve().parent}. Create it.")
    if record is not None and record.exists() and record.stat().st_size:
        read_records(record)  # do not write to a file that is not a record
    opponents = [named_agent(game, name) for _ in range(table_rules.seats - 1)]
    announce_compilation()
    table = TerminalTable(
        table_rules,
        opponents,
        secrets.randbelow(2**32) if seed is None else seed,
        coach=named_agent(game, name),
        plain=plain or not sys.stdout.isatty(),
        record=record,
    )
    if os.environ.get("NO_COLOR") and table.style == "color":
        table.style = "unicode"
    table.play()


def _rules(spec: GameSpec, text: str | None, seats: int | None) -> GameRules:
    """Return the rules of the table: a match for people, where a preset plays single hands."""
    from rummylab.errors import OptionError

    options = spec.read_options(text).to_dict()
    changes: dict[str, Any] = {}
    if seats is not None:
        if seats not in spec.seats:
            raise OptionError(f"{spec.title} is for {spec.players}, not {seats}.")
        changes = {"seats": seats} if "seats" in options else {}
    if options.get("rounds") == 1:
        changes |= spec.match_for_people
    return spec.rules(text, **changes)
