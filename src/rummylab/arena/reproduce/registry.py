"""The published studies that can be repeated: the experiment files beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources

from rummylab.arena.experiment.file import Experiment, parse_experiment
from rummylab.errors import UnknownNameError

_SUFFIX = ".toml"


def reproductions() -> dict[str, str]:
    """Return the studies by name, each with its source."""
    return {name: _source(text) for name, text in sorted(_files().items())}


def reproduction(name: str, *, quick: bool = False, changes: Sequence[str] = ()) -> Experiment:
    """Return the study *name*; an unknown one suggests the nearest."""
    files = _files()
    if name not in files:
        raise UnknownNameError("reproduction", name, files)
    command = f"rummylab reproduce {name}"
    return parse_experiment(files[name], name, command, name + _SUFFIX, quick=quick, changes=changes)


def _files() -> dict[str, str]:
    places = resources.files(__package__).iterdir()
    return {p.name.removesuffix(_SUFFIX): p.read_text("utf-8") for p in places if p.name.endswith(_SUFFIX)}


def _source(text: str) -> str:
    told = tomllib.loads(text)["source"]
    return f"{told['authors']}, {told['title']} ({told['where']})"
