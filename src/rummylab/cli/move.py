"""``rummylab move``: an agent's move in a position."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli import complete
from rummylab.cli.common import announce_compilation, print_json, say
from rummylab.cli.options import AsJson, Format, Game, Quiet, Seed

if TYPE_CHECKING:
    from rummylab.engine.observation import Observation
    from rummylab.engine.rules import Rules as GameRules


def move(
    game: Game,
    position: Annotated[
        str, typer.Option(metavar="TEXT|FILE|-", help="The position as text or JSON, a file that has it, or - (stdin).")
    ],
    agent: Annotated[str, typer.Option(metavar="AGENT", help="The agent that moves.", autocompletion=complete.agents)],
    values: Annotated[int, typer.Option(metavar="N", help="Alternatives to list with their values in JSON.")] = 0,
    form: Format = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print an agent's move in a position.

    The position is what one seat sees, as text or JSON; docs/guides/positions.md describes both. In a whole table, the
    agent gets what the seat to act sees. Its rules name the format of the match; --format replaces it. With --json the
    answer is the message `bestmove` of docs/reference/engine-protocol.md.
    """
    from rummylab.errors import NotationError
    from rummylab.games.registry import current_name
    from rummylab.interop.engine import EngineOptions, answer

    announce_compilation(quiet=quiet)
    seen = read_position(position, form)
    if seen.rules.name != current_name(game):
        raise NotationError(f"this is a position of {seen.rules.name}, not of {game}")
    told = answer(seen, EngineOptions(agent=agent, seed=seed, moves=values))
    if as_json:
        print_json(told)
        return
    say(told["move"])


def read_position(position: str, form: str | None = None) -> Observation:
    """Return what the seat to act sees in a position that was given as text, as a file, or on stdin."""
    return _read(_contents(position), form)


def _read(text: str, form: str | None) -> Observation:
    """Return what the seat that *text* names sees, or, in a whole table, the seat to act.

    With *form*, the position is one of a match in that format.
    """
    from rummylab.engine.observation import Observation
    from rummylab.engine.position import from_json, from_text
    from rummylab.engine.state import State
    from rummylab.games.lookup import rules_of
    from rummylab.games.registry import current_name
    from rummylab.games.registry import game as find_game

    def rules_in_format(name: str, rules: Any) -> GameRules:
        return rules_of(name, rules if form is None else find_game(current_name(name)).in_format(rules, form))

    parsed = (from_json if text.lstrip().startswith("{") else from_text)(text, rules_in_format)
    return State.at(parsed).observe() if parsed.seat is None else Observation.at(parsed)


def _contents(position: str) -> str:
    """Return the text of a position that was given as text, as a file, or on stdin."""
    from rummylab.engine.position import MAX_TEXT
    from rummylab.engine.reading import read_text
    from rummylab.errors import NotationError

    if position == "-":
        return sys.stdin.read(MAX_TEXT + 1)
    if ";" in position or position.lstrip().startswith("{"):
        return position
    return read_text(Path(position), NotationError)
