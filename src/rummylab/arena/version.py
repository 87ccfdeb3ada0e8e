"""The version of the code that results depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from rummylab import __version__
from rummylab._sources import PACKAGE, imports_of, sources_of
from rummylab.agents.registry import entries
from rummylab.arena.fingerprint import versions
from rummylab.games.registry import GAMES

_FRONT_ENDS = ("cli", "ui", "interop")
_DATA = (".json", ".toml", ".safetensors", ".npz")
_REFEREE = ("arena/jobs.py", "arena/host.py")


@cache
def code_version() -> str:
    """Return the release and a hash of all sources and artifacts that results can depend on."""
    sources = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", *_DATA))
    return _version((path for path in sources if path.relative_to(PACKAGE).parts[0] not in _FRONT_ENDS), PACKAGE)


def version_of_play(
    agents: Iterable[tuple[str, str]], modules: Collection[ModuleType] = (), root: Path = PACKAGE
) -> str:
    """Return the release and a hash of all that a run of *agents* (pairs of game and name) depends on.

    That is what their games, their own files and what plays them import, directly or not, and the data beside these
    files. *modules* play in ways of their own; reports and statistics that they import may change without a new run.
    """
    files = {root / name for name in _REFEREE}
    for game_name, spec in agents:
        game, name = GAMES[game_name], spec.partition("(")[0]
        homes = [entry.home for entry in entries(game_name) if entry.name == name]
        homes += [game.module_name(part) for part in ("view", "rules", "batch")]
        files |= {root.joinpath(*home.split(".")[1:]).with_suffix(".py") for home in homes}
    own = {Path(str(module.__file__)) for module in modules}
    imported = {found for path in own for found in imports_of(path, root)}
    files |= {found for found in imported if found.relative_to(root).parts[0] != "arena"}
    sources = set[Path]().union(*(sources_of(path, root) for path in files))
    return _version(own | sources | _data_beside(sources), root)


def _data_beside(sources: Iterable[Path]) -> set[Path]:
    return {path for folder in {path.parent for path in sources} for path in folder.iterdir() if path.suffix in _DATA}


def _version(paths: Iterable[Path], root: Path) -> str:
    digest = hashlib.blake2b(versions().encode(), digest_size=8)
    for path in sorted(paths):
        digest.update(str(path.relative_to(root) if path.is_relative_to(root) else path.name).encode())
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()}"
