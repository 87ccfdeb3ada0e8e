"""Which code made a result."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from rummylab import __version__
from rummylab._jit import PACKAGE
from rummylab.games.registry import GAMES

_FRONT_ENDS = ("cli", "play", "interop")
_KINDS = (".py", ".json", ".toml", ".safetensors", ".npz")


_PLAY = ("cards", "engine", "games", "beliefs", "agents")


@cache
def code_version() -> str:
    """Return what results depend on besides their configuration: the release and a hash of sources and artifacts."""
    return _version(path for path in _sources() if path.relative_to(PACKAGE).parts[0] not in _FRONT_ENDS)


def version_of_play(games: Collection[str], modules: Iterable[ModuleType]) -> str:
    """Return the release and a hash of the rules and agents of *games* and of *modules*, which let them play."""
    others = set(GAMES) - set(games)
    parts = {path: path.relative_to(PACKAGE).parts for path in _sources()}
    play = {path for path, names in parts.items() if names[0] in _PLAY and not others & set(names)}
    return _version(play | {Path(str(module.__file__)) for module in modules})


def _sources() -> list[Path]:
    return [path for path in PACKAGE.rglob("*") if path.suffix in _KINDS]


def _version(paths: Iterable[Path]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(paths):
        digest.update(str(path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.name).encode())
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()}"
