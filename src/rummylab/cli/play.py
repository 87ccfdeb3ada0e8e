"""``rummylab play``: sit down at a table, in the browser or in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli import complete
from rummylab.cli.common import (
    KEEPING,
    OUTPUT,
    PLACE,
    PLAYING,
    Format,
    Rules,
    agent_option,
    announce_compilation,
)


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="The game, such as gin; `rummylab games` lists them. In the browser you choose it on the page.",
            autocompletion=complete.games,
        ),
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Play in the terminal instead of the browser.", rich_help_panel=PLAYING)
    ] = False,
    agent: Annotated[
        str | None,
        agent_option("Your opponent, with --terminal; `rummylab agents GAME` lists them. Default: the game's best."),
    ] = None,
    rules: Rules = None,
    form: Format = None,
    seats: Annotated[
        int | None,
        typer.Option(
            "--seats",
            metavar="N",
            help="Seats at the table, with --terminal, if the game allows more than two.",
            rich_help_panel=PLAYING,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            help="Random seed of the cards, with --terminal; default: a new one.",
            rich_help_panel=PLAYING,
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record",
            metavar="FILE",
            help="Append the hands to this record file (.rgr), with --terminal.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Print no colors and no suit symbols, with --terminal.", rich_help_panel=OUTPUT),
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; by default this machine only.",
            rich_help_panel=PLACE,
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65_535,
            help="Port to listen on; 0: any free one. Default: the first free one from 8750 on.",
            rich_help_panel=PLACE,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="NAME",
            help="Another name that the server answers to, such as that of this machine.",
            rich_help_panel=PLACE,
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables",
            metavar="FILE",
            help="Keep tables and finished hands in this file. Default: $RUMMYLAB_TABLES, or the data directory.",
            rich_help_panel=KEEPING,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser, where there is one.", rich_help_panel=PLACE)
    ] = True,
) -> None:
    """Play at a table in the browser, or with --terminal in the terminal."""
    from rummylab.errors import OptionError
    from rummylab.games.registry import GAMES
    from rummylab.games.registry import game as find_game

    if terminal:
        _in_terminal(game or "gin", agent, rules, form, seats, seed, record, plain)
        return
    given = {"--agent": agent, "--rules": rules, "--format": form, "--seats": seats, "--seed": seed, "--record": record}
    only = [name for name, value in given.items() if value is not None] + ["--plain"] * plain
    if only:
        raise OptionError(f"{', '.join(only)} needs --terminal. In the browser you choose these on the page.")
    from rummylab.ui.web.server import serve

    first = [find_game(game).name] if game is not None else []
    serve(
        host=host,
        port=port,
        store=tables,
        hosts=frozenset(name.lower() for name in allow or ()),
        warm=(*first, *(name for name in GAMES if name not in first)),
        browser=browser,
        say=_say_at_once,
    )


def _say_at_once(text: str) -> None:
    typer.echo(text)
    sys.stdout.flush()


def _in_terminal(
    game: str,
    agent: str | None,
    rules: str | None,
    form: str | None,
    seats: int | None,
    seed: int | None,
    record: Path | None,
    plain: bool,
) -> None:
    """Play a match in the terminal."""
    import os
    import secrets

    from rummylab.agents.registry import agent as named_agent
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game
    from rummylab.ui.table.config import table_rules as rules_for_people
    from rummylab.ui.terminal.table import TerminalTable

    spec = find_game(game)
    table_rules = rules_for_people(spec, rules, form, seats)
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
