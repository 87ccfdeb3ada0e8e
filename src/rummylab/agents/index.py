"""Collect the declarations of this package's agents in ``index.json``.

``python -m rummylab.agents.index --write`` (part of ``make docs``) renews the file; without ``--write`` the command
says whether it is up to date. A listed agent keeps its place, and a new one is added after the others of its game.
"""

from __future__ import annotations

import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rummylab.agents.register import Declaration, RegisteredAgent
from rummylab.agents.registry import INDEX
from rummylab.engine.writing import write_whole
from rummylab.games.registry import GAMES


def declarations(game: str) -> list[Declaration]:
    """Return what the agents for *game* declare, by file name; this imports their files."""
    found = []
    for path in sorted((Path(__file__).parent / game).glob("*.py")):
        act = getattr(import_module(f"{__package__}.{game}.{path.stem}"), "act", None)
        if isinstance(act, RegisteredAgent):
            found.append(act.declaration)
    return found


def build(listed: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the index of all agents, in the order of the index *listed* as far as that goes."""
    found = [declaration for game in GAMES for declaration in declarations(game)]
    before = [(row["game"], row["name"]) for row in (listed or {}).get("agents", [])]
    places = {key: place for place, key in enumerate(before)}
    games = list(GAMES)
    rows = [row for declaration in found for row in _rows(declaration)]
    rows.sort(key=lambda row: (games.index(row["game"]), places.get((row["game"], row["name"]), len(places))))
    return {"agents": rows, "options": {one.home: _options(one) for one in found if one.options.names()}}


def _rows(declaration: Declaration) -> list[dict[str, Any]]:
    return [
        {
            "game": declaration.game,
            "name": name,
            "home": declaration.home,
            "variant_of": None if name == declaration.name else declaration.name,
            "summary": preset.summary,
            "source": preset.source,
            "values": preset.options.numbers(),
        }
        for name, preset in declaration.presets().items()
    ]


def _options(declaration: Declaration) -> list[dict[str, Any]]:
    return [
        {"name": info.name, "low": _bound(info.low), "high": _bound(info.high), "meaning": info.meaning}
        for info in declaration.options.infos()
    ]


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def text_of(index: dict[str, Any]) -> str:
    """Return the index as it is written to the file."""
    return json.dumps(index, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the index or compare it; return the exit code."""
    before = INDEX.read_text(encoding="utf-8") if INDEX.exists() else "{}"
    fresh = text_of(build(json.loads(before)))
    if fresh != before and "--write" in arguments:
        write_whole(INDEX, fresh.encode())
    if fresh != before:
        sys.stderr.write(f"{'renewed' if '--write' in arguments else 'out of date'}: {INDEX.name}\n")
    return 0 if fresh == before or "--write" in arguments else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
