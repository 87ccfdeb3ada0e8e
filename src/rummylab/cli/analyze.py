"""``rummylab analyze``: the moves of a position, best first, with reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli.common import announce_compilation, print_json, print_table, say
from rummylab.cli.options import AsJson, Quiet, Seed, agent_option, play_option

if TYPE_CHECKING:
    from rummylab.analysis.answers import Analysis
    from rummylab.engine.observation import Observation

SHOWN = 8
"""Moves that are listed."""
REASONS = 3

Worlds = Annotated[
    int | None,
    play_option(
        "--worlds",
        metavar="N",
        min=2,
        max=1_000_000,
        help="Possible tables to play out; default: the game's own number.",
    ),
]


def analyze(
    source: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|FILE",
            help="A position as text or JSON, a file that has it, a record (.rgr), or - (stdin).",
            show_default=False,
        ),
    ],
    hand: Annotated[int, typer.Option(metavar="N", help="In a record: number of the hand, from 1.")] = 1,
    at: Annotated[
        int, typer.Option("--at", metavar="N", help="In a record: number of the decision in the hand, from 1.")
    ] = 1,
    agent: Annotated[str | None, agent_option("Who plays the tables out; default: the game's best fast agent.")] = None,
    worlds: Worlds = None,
    seconds: Annotated[
        float, play_option(metavar="X", min=0.01, max=3600, help="Stop after this time. 0.3 is quick.")
    ] = 1.0,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Rank the moves of a position by expected points, with reasons.

    Every move is played out in the same possible tables, which are drawn from what the player can see. In Gin the
    champion values the moves, and the tables supply the reasons. Of a whole table, or a record, only what the player to
    act sees is used. With --worlds there is no time limit, so the same seed gives the same numbers.
    """
    from rummylab.analysis.values import Budget
    from rummylab.analysis.values import analyze as analyze_position

    announce_compilation(quiet=quiet)
    seen = _position(source, hand, at)
    budget = Budget(worlds=worlds, seconds=None if worlds else seconds, seed=seed)
    found = analyze_position(seen, agent=agent, budget=budget)
    if as_json:
        print_json(found.to_dict())
        return
    _print(found)


def _position(source: str, hand: int, at: int) -> Observation:
    """Return what the player to act sees in a position or at a decision of a record."""
    from rummylab.cli.move import read_position

    if not source.endswith(".rgr"):
        return read_position(source)
    from rummylab.analysis.tables import state_before
    from rummylab.engine.records import Record
    from rummylab.errors import RecordError

    record = Record.load(Path(source), hand)
    moves = [number for number, event in enumerate(record.events) if event.chosen and event.seat >= 0]
    if not 1 <= at <= len(moves):
        raise RecordError(f"hand {hand} has the decisions 1 to {len(moves)}, not {at}")
    return state_before(record, moves[at - 1]).observe()


def _print(found: Analysis) -> None:
    from rich.table import Table

    for fact in found.facts:
        say(fact.text)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("move")
    table.add_column("points", justify="right")
    table.add_column("behind", justify="right")
    table.add_column("wins", justify="right")
    table.add_column("why")
    for move in found.moves[:SHOWN]:
        table.add_row(str(move.action), *_numbers(move), "; ".join(reason.text for reason in move.reasons[:REASONS]))
    print_table(table)
    if len(found.moves) > SHOWN:
        say(f"{len(found.moves) - SHOWN} more moves are behind these.")
    say(f"{found.method} in {found.worlds:,} possible tables; the second number is the standard error.")


def _numbers(move: Any) -> tuple[str, str, str]:
    behind = f"{move.behind:.1f} ± {move.behind_se:.1f}" if move.behind < 0 else ""
    wins = "" if move.win_chance is None else f"{100 * move.win_chance:.0f}%"
    return f"{move.points:+.1f} ± {move.se:.1f}", behind, wins
