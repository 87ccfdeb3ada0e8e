"""Shell completion: names of games, agents, presets, studies, and the runs of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer


def words(*choices: str) -> Callable[[str], list[str]]:
    """Return a completer that offers *choices*."""

    def offer(incomplete: str) -> list[str]:
        return _matching(choices, incomplete)

    return offer


def games(incomplete: str) -> list[str]:
    """Offer the names of games."""
    from rummylab.games.registry import GAMES

    return _matching(GAMES, incomplete)


def agents(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Offer the agents of the game named before on the line, or of all games, with their summaries."""
    from rummylab.agents.registry import entries
    from rummylab.errors import UnknownNameError

    try:
        found = entries(context.params.get("game"))
    except UnknownNameError:
        return []
    return [(entry.name, entry.summary) for entry in found if entry.name.startswith(incomplete)]


def presets(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the presets of the game named before on the line, or of all games."""
    from rummylab.games.registry import GAMES

    name = context.params.get("game")
    chosen = [GAMES[name]] if name in GAMES else list(GAMES.values())
    return _matching((preset for game in chosen for preset in game.presets), incomplete)


def formats(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the formats of the game named before on the line, or of all games."""
    from rummylab.games.registry import GAMES

    name = context.params.get("game")
    chosen = [GAMES[name]] if name in GAMES else list(GAMES.values())
    return _matching((form for game in chosen for form in (game.formats.PRESETS if game.formats else ())), incomplete)


def runs(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the names and numbers of the runs in the store named before on the line."""
    from rummylab.arena.store import Store
    from rummylab.errors import StoreError

    try:
        with Store(Path(context.params["store"]), must_exist=True) as store:
            found = store.runs()
    except (KeyError, TypeError, StoreError):
        return []
    return _matching((str(run["name"] or run["id"]) for run in found), incomplete)


def studies(incomplete: str) -> list[tuple[str, str]]:
    """Offer the published studies that can be reproduced, with their sources."""
    from rummylab.studies.registry import reproductions

    return [(name, source) for name, source in reproductions().items() if name.startswith(incomplete)]


def _matching(choices: Iterable[str], incomplete: str) -> list[str]:
    return [choice for choice in choices if choice.startswith(incomplete)]
