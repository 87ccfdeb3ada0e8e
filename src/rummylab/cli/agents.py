"""``rummylab agents``: the agents of a game, or one agent with its options."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli import complete
from rummylab.cli.common import print_json, say, width
from rummylab.cli.options import AsJson

if TYPE_CHECKING:
    from rummylab.agents.registry import Entry

OptionalGame = Annotated[
    str | None, typer.Argument(metavar="[GAME]", help="Only the agents for this game.", autocompletion=complete.games)
]
OptionalAgent = Annotated[
    str | None,
    typer.Argument(metavar="[AGENT]", help="Show this agent with its options.", autocompletion=complete.agents),
]


def agents(game: OptionalGame = None, agent: OptionalAgent = None, as_json: AsJson = False) -> None:
    """List the agents, or show one agent with its source and all its options."""
    from rummylab.agents.registry import entries, entry

    if game is not None and agent is not None:
        _show(entry(game, agent), as_json)
        return
    rows = [_row(found) for found in entries(game)] + _installed()
    if as_json:
        print_json(rows)
        return
    names = max(len(row["name"]) for row in rows)
    for heading, group in groupby(rows, key=lambda row: row["game"] or "installed packages"):
        say(f"{heading}:")
        for row in group:
            typer.echo(_hanging(f"  {row['name']:<{names}}  ", row["summary"]))
    say("\nFor the options and the source of an agent: rummylab agents GAME AGENT")


def _row(found: Entry) -> dict[str, Any]:
    return {"game": found.game, "name": found.name, "summary": found.summary, "source": found.source}


def _installed() -> list[dict[str, Any]]:
    """Return the agents that installed packages offer."""
    from rummylab.arena.installed import installed

    return [
        {"game": None, "name": name, "summary": "From an installed package", "source": home}
        for name, home in sorted(installed().items())
    ]


def _show(found: Entry, as_json: bool) -> None:
    """Print one agent."""
    options = [{"name": o.name, "default": o.default, "range": o.range, "meaning": o.meaning} for o in found.options]
    if as_json:
        print_json({**_row(found), "variant_of": found.variant_of, "file": found.home, "options": options})
        return
    of = f", a variant of {found.variant_of}" if found.variant_of else ""
    say(f"{found.name} ({found.game}{of})\n")
    typer.echo(_hanging("", f"{found.summary}."))
    say(f"\nSource: {found.source}\nModule: {found.home}\n")
    if not options:
        say("The agent has no options.")
    for one in found.options:
        say(f"{one.name} = {float(one.default):g} ({one.range})")
        typer.echo(_hanging("    ", one.meaning))
    if options:
        first = found.options[0]
        say(f"\nSet options in brackets: {found.preset}({first.name}={float(first.default):g})")


def _hanging(head: str, text: str) -> str:
    """Return *head* and *text* at the terminal's width, with the continued lines below the text."""
    return textwrap.fill(text, width(), initial_indent=head, subsequent_indent=" " * len(head))
