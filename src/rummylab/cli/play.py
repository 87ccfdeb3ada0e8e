"""``rummylab play``: sit down at a table, in the browser or in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli import complete, options
from rummylab.cli.common import announce_compilation
from rummylab.cli.options import agent_option, output_option, place_option, play_option, result_option

if TYPE_CHECKING:
    from rummylab.ui.table.session import Session
    from rummylab.ui.table.store import TableStore


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="The game, such as gin; `rummylab games` lists them. In the browser you choose it on the page.",
            autocompletion=complete.games,
        ),
    ] = None,
    terminal: Annotated[bool, play_option("--terminal", help="Play in the terminal instead of the browser.")] = False,
    agent: Annotated[
        str | None,
        agent_option("Your opponent, with --terminal; `rummylab agents GAME` lists them. Default: one by level."),
    ] = None,
    level: Annotated[
        int | None,
        play_option(
            "--level",
            metavar="N",
            min=1,
            max=10,
            help="Strength of your opponents from 1 to 10, with --terminal. Default: 6, a good club player.",
        ),
    ] = None,
    strongest: Annotated[
        bool, play_option("--strongest", help="Play against the game's best agent (level 10), with --terminal.")
    ] = False,
    resume: Annotated[
        bool, result_option("--resume", help="Go on at the table you left last, with --terminal.")
    ] = False,
    rules: options.Rules = None,
    form: options.Format = None,
    seats: Annotated[
        int | None,
        play_option(
            "--seats", metavar="N", help="Seats at the table, with --terminal, if the game allows more than two."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        play_option("--seed", metavar="N", help="Random seed of the cards, with --terminal; default: a new one."),
    ] = None,
    record: Annotated[
        Path | None,
        output_option("--record", metavar="FILE", help="Append the hands to this record file (.rgr), with --terminal."),
    ] = None,
    plain: Annotated[
        bool,
        output_option(
            "--plain", help="Print plain lines, with --terminal: no colors, no suit symbols, no clearing of the screen."
        ),
    ] = False,
    host: Annotated[
        str, place_option("--host", metavar="ADDRESS", help="Address to listen on; by default this machine only.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        place_option(
            "--port",
            metavar="N",
            min=0,
            max=65_535,
            help="Port to listen on; 0: any free one. Default: the first free one from 8750 on.",
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        place_option(
            "--allow", metavar="NAME", help="Another name that the server answers to, such as that of this machine."
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        result_option(
            "--tables",
            metavar="FILE",
            help="Keep tables and finished hands in this file. Default: $RUMMYLAB_TABLES, or the data directory.",
        ),
    ] = None,
    browser: Annotated[bool, place_option("--browser/--no-browser", help="Open a browser, where there is one.")] = True,
) -> None:
    """Play at a table in the browser, or with --terminal in the terminal."""
    from rummylab.agents.levels import LEVELS
    from rummylab.errors import OptionError
    from rummylab.games.registry import GAMES
    from rummylab.games.registry import game as find_game

    wanted = {"rules": rules, "format": form, "seats": seats, "seed": seed}
    given = {"--agent": agent, "--level": level, "--record": record} | {f"--{key}": wanted[key] for key in wanted}
    flags = {"--strongest": strongest, "--resume": resume, "--plain": plain}
    named = [name for name, value in given.items() if value is not None] + [name for name in flags if flags[name]]
    if terminal:
        if resume and (lost := [name for name in named if name not in ("--resume", "--record", "--plain")]):
            raise OptionError(f"{', '.join(lost)} cannot be changed at a table that goes on. Leave out --resume.")
        if len(both := [name for name in named if name in ("--agent", "--level", "--strongest")]) > 1:
            raise OptionError(f"{' and '.join(both)} both name your opponent: give one of them.")
        _check_record(record)
        level = LEVELS[-1] if strongest else level
        session, store = _sit_down(game, wanted, agent, level, tables, resume)
        _in_terminal(session, store, tables, record, plain)
        return
    if named:
        raise OptionError(f"{', '.join(named)} needs --terminal. In the browser you choose these on the page.")
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


def _check_record(record: Path | None) -> None:
    """Refuse a record file that could not be written, before the first card."""
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError

    if record is not None and not record.resolve().parent.is_dir():
        raise OptionError(f"--record is {record}, but there is no directory {record.resolve().parent}. Create it.")
    if record is not None and record.exists() and record.stat().st_size:
        read_records(record)  # do not write to a file that is not a record


def _sit_down(
    game: str | None, wanted: dict[str, Any], agent: str | None, level: int | None, tables: Path | None, resume: bool
) -> tuple[Session, TableStore | None]:
    """Return a table and where it is kept. A table that is played from a script is kept only if a file is named."""
    from rummylab.ui.table.store import TableStore, default_store
    from rummylab.ui.terminal import opening

    store = None
    if resume or tables is not None or sys.stdin.isatty():
        path = tables or default_store()
        path.parent.mkdir(parents=True, exist_ok=True)
        store = TableStore(path)
    if resume and store is not None:
        return opening.resumed(store, game), store
    announce_compilation()
    session = opening.new_session({"game": game or "gin", **wanted}, agent=agent, level=level)
    return (session, None) if store is None else (opening.keep(session, store), store)


def _in_terminal(
    session: Session, store: TableStore | None, tables: Path | None, record: Path | None, plain: bool
) -> None:
    """Play a match in the terminal."""
    from rummylab.ui.terminal.screen import Screen
    from rummylab.ui.terminal.table import TerminalTable

    where = f" --tables {tables}" if tables is not None else ""
    resume = f"rummylab play {session.config.game} --terminal --resume{where}"
    TerminalTable(session, Screen.here(plain=plain), store=store, record=record, resume=resume).play()
