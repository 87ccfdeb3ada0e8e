"""The published studies: one folder each, with its experiment file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import import_module, resources
from importlib.util import find_spec
from types import ModuleType

from rummylab.errors import UnknownNameError
from rummylab.lab.experiment.file import Experiment, parse_experiment


def reproductions() -> dict[str, str]:
    """Return the studies by name, each with its source."""
    return {name: _source(text) for name, text in sorted(_files().items())}


def reproduction(name: str, *, quick: bool = False, changes: Sequence[str] = ()) -> Experiment:
    """Return the study *name*; an unknown one suggests the nearest.

    Raises:
        UnknownNameError: There is no such study.
    """
    files = _files()
    if name not in files:
        raise UnknownNameError("reproduction", name, files)
    command = f"rummylab reproduce {name}"
    where, study = f"{name}/experiment.toml", _study(name)
    return parse_experiment(files[name], name, command, where, quick=quick, changes=changes, study=study)


def _study(name: str) -> ModuleType | None:
    """Return the module ``study`` of a study's folder, if it has one."""
    module = f"{__package__}.{name.replace('-', '_')}.study"
    return import_module(module) if find_spec(module) else None


def _files() -> dict[str, str]:
    folders = (place for place in resources.files(__package__).iterdir() if place.is_dir())
    files = ((folder.name.replace("_", "-"), folder / "experiment.toml") for folder in folders)
    return {name: file.read_text("utf-8") for name, file in files if file.is_file()}


def _source(text: str) -> str:
    told = tomllib.loads(text)["source"]
    return f"{told['authors']}, {told['title']} ({told['where']})"
