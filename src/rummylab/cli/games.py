"""``rummylab games``: the games, their presets and all their options."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rummylab.cli import complete
from rummylab.cli.common import print_json, print_table, say, width
from rummylab.cli.options import AsJson

ROOM = 56
"""Columns that a table of options needs for names and meanings, beside 12 for each preset."""


def games(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]", help="Show the presets and options of this game.", autocompletion=complete.games
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games with their presets, or one game with all its options in every preset."""
    from rummylab.games.registry import GAMES
    from rummylab.games.registry import game as find_game

    if game is not None:
        _show_game(find_game(game), as_json=as_json)
        return
    if as_json:
        print_json([_plain(found) for found in GAMES.values()])
        return
    for found in GAMES.values():
        say(f"{found.name:10} {found.summary}")
        say(f"{'':10} presets: {', '.join(found.presets)}")
        if found.formats:
            say(f"{'':10} formats: {', '.join(found.formats.PRESETS)}")


def _plain(found: Any) -> dict[str, Any]:
    formats = {"formats": list(found.formats.PRESETS)} if found.formats else {}
    return {
        "name": found.name,
        "title": found.title,
        "seats": list(found.seats),
        "presets": list(found.presets),
        **formats,
    }


def _show_game(found: Any, *, as_json: bool) -> None:
    from rummylab.cli.field_docs import field_docs

    if as_json:
        plain = _plain(found) | {"options": _values(found.options), "meanings": field_docs(found.options)}
        more = {"format_options": _values(found.formats)} if found.formats else {}
        print_json(plain | more)
        return
    say(f"{found.name}: {found.summary}")
    _show_options(found.options, "--rules")
    if found.formats:
        _show_options(found.formats, "--format")


def _values(kind: Any) -> dict[str, dict[str, Any]]:
    """Return the options of every preset of *kind*."""
    return {name: kind.preset(name).to_dict() for name in kind.PRESETS}


def _by_value(presets: list[str], values: list[str]) -> str:
    """Return the value of the first preset, and each other value with the presets that have it."""
    found: dict[str, list[str]] = {}
    for preset, value in zip(presets, values, strict=True):
        found.setdefault(value, []).append(preset)
    others = [f"{value} in {', '.join(names)}" for value, names in found.items() if value != values[0]]
    return "; ".join([values[0], *others])


def _show_options(kind: Any, flag: str) -> None:
    """Print the options of *kind* in every preset, and how *flag* chooses among them."""
    from rich.table import Table

    from rummylab.cli.field_docs import field_docs

    presets, meanings = _values(kind), field_docs(kind)
    table, lines = Table("option", *presets, "meaning"), []
    for option in next(iter(presets.values())):
        values, meaning = [str(values[option]) for values in presets.values()], meanings.get(option, "")
        table.add_row(option, *values, meaning)
        lines.append(f"  {option} = {_by_value(list(presets), values)}. {meaning}")
    if width() >= ROOM + 12 * len(presets):
        print_table(table)
    else:
        say(f"Options of the {kind.KIND} {next(iter(presets))}, and where other {kind.KIND}s differ:")
        for line in lines:
            say(line)
    first, option = next(iter(presets)), next(iter(next(iter(presets.values()))))
    say(f'Use a {kind.KIND} with {flag} {first}, and change options with {flag} "{first}({option}=...)".')
