"""Experiments as files: what is played, and the figures that are expected, in TOML.

A file names a game, some steps and the figures of a paper (or our own) beside which the results are put. See
``docs/guides/experiments.md``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from rummylab.arena.experiment.reading import check_names, fill
from rummylab.arena.experiment.steps import KINDS, Step
from rummylab.arena.experiment.verdicts import Expectation
from rummylab.engine.reading import parse_toml, read_text
from rummylab.errors import ExperimentError

QUICK: dict[str, Any] = {"games": 60}
"""What ``--quick`` sets in every step; a file's ``[quick]`` may say more."""
_TOP = ("title", "about", "source", "game", "rules", "hook", "defaults", "quick", "paper", "expect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Whose figures are expected."""

    authors: str = ""
    title: str = ""
    where: str = ""

    def __str__(self) -> str:
        head = f"{self.authors}: " if self.authors else ""
        return head + ", ".join([*([f"*{self.title}*"] * bool(self.title)), *([self.where] * bool(self.where))])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    title: str
    game: str
    rules: str = ""
    about: str = ""
    hook: str = ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment, read and checked."""

    name: str
    command: str
    """What the user types to run it."""
    title: str
    about: str
    source: Source
    steps: tuple[Step, ...]
    expectations: tuple[Expectation, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    """The source's further figures, for the hook."""
    hook: ModuleType | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The defaults that were used, ``--quick`` and ``--set`` taken in."""

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    def asked(self, what: str) -> Any:
        """Return the function *what* of the hook, if it has one."""
        return getattr(self.hook, what, None)

    def to_dict(self) -> dict[str, Any]:
        """Return what the results depend on. Titles and expectations may change without a new run."""
        return {"experiment": self.name, **self.settings, "steps": [step.to_dict() for step in self.steps]}


def read_experiment(path: Path, *, quick: bool = False, changes: Sequence[str] = ()) -> Experiment:
    """Read the experiment file *path*; *changes* are settings such as ``games=200`` or ``step.games=200``."""
    text = read_text(path, ExperimentError)
    return parse_experiment(text, path.stem, f"rummylab run {path.name}", str(path), quick=quick, changes=changes)


def parse_experiment(
    text: str, name: str, command: str, where: str, *, quick: bool = False, changes: Sequence[str] = ()
) -> Experiment:
    """Return the experiment written in *text*; *where* starts every complaint."""
    raw = parse_toml(text, ExperimentError, where)
    head = fill(_Head, {key: raw[key] for key in ("title", "game", "rules", "about", "hook") if key in raw}, where)
    hook = _hook(head.hook, where)
    kinds = {**KINDS, **getattr(hook, "STEPS", {})}
    check_names(raw, (*_TOP, *kinds), where, "key or kind of step")
    settings = (QUICK | _table(raw, "quick", where) if quick else {}) | _changes(changes)
    defaults = {"game": head.game, **({"rules": head.rules} if head.rules else {}), **_table(raw, "defaults", where)}
    steps = _steps(raw, kinds, defaults, settings, where, optional=QUICK)
    expectations = _expectations(raw, steps, hook, where)
    flags = ["--quick"] * quick + [f"--set {change}" for change in changes]
    return Experiment(
        name=name,
        command=" ".join([command, *flags]),
        title=head.title,
        about=head.about.strip(),
        source=fill(Source, raw.get("source", {}), f"{where}, [source]"),
        steps=steps,
        expectations=expectations,
        paper=_table(raw, "paper", where),
        hook=hook,
        settings=_used(steps, defaults),
    )


def _table(raw: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    found = raw.get(key, {})
    if not isinstance(found, dict):
        raise ExperimentError(f"{where}: {key} is {found!r}, but must be a table")
    return found


def _hook(name: str, where: str) -> ModuleType | None:
    if not name:
        return None
    try:
        return import_module(name)
    except ImportError as error:
        raise ExperimentError(f"{where}: the hook {name!r} cannot be imported: {error}") from None


def _changes(changes: Sequence[str]) -> dict[str, Any]:
    """Read ``key=value`` and ``step.key=value``; a value is TOML, or else plain text."""
    settings: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not key.strip():
            raise ExperimentError(f"--set {change}: write key=value, such as games=200 or step.games=200")
        settings[key.strip()] = _value(text.strip())
    return settings


def _value(text: str) -> Any:
    if "\n" in text:
        return text
    try:
        return parse_toml(f"value = {text}", ExperimentError, "--set")["value"]
    except ExperimentError:
        return text


def _steps(
    raw: Mapping[str, Any],
    kinds: Mapping[str, type[Step]],
    defaults: Mapping[str, Any],
    settings: Mapping[str, Any],
    where: str,
    optional: Collection[str],
) -> tuple[Step, ...]:
    tables = [(kind, number, table) for kind in raw if kind in kinds for number, table in _listed(raw, kind, where)]
    if not tables:
        raise ExperimentError(f"{where}: there is no step; known kinds: {', '.join(f'[[{kind}]]' for kind in kinds)}")
    every = {name for kind, *_ in tables for name in _keys(kinds[kind])}
    check_names(defaults, every, f"{where}, [defaults]")
    names = [str(table.get("name")) for *_, table in tables]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None and twice != "None":
        raise ExperimentError(f"{where}: two steps have the name {twice!r}")
    known = [*every, *(f"{table.get('name')}.{key}" for kind, _, table in tables for key in _keys(kinds[kind]))]
    check_names((key for key in settings if key not in optional), known, f"{where}, settings")
    steps = []
    for kind, number, table in tables:
        keys, place = _keys(kinds[kind]), f"{where}, [[{kind}]] {table.get('name', number)!r}"
        given = defaults if table.get("game", defaults["game"]) == defaults["game"] else _without_rules(defaults)
        values = {key: value for key, value in given.items() if key in keys} | table
        values |= {key: value for key, value in settings.items() if key in keys}
        values |= {key: settings[full] for key in keys if (full := f"{table.get('name')}.{key}") in settings}
        steps.append(fill(kinds[kind], values, place))
    return tuple(steps)


def _without_rules(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The preset of the file's game is none of another game."""
    return {key: value for key, value in defaults.items() if key != "rules"}


def _keys(kind: type[Step]) -> set[str]:
    return {key.name for key in fields(kind)}


def _listed(raw: Mapping[str, Any], kind: str, where: str) -> list[tuple[int, dict[str, Any]]]:
    found = raw[kind]
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise ExperimentError(f"{where}: {kind} must be a list of tables: write [[{kind}]]")
    return list(enumerate(found, 1))


def _expectations(
    raw: Mapping[str, Any], steps: Sequence[Step], hook: ModuleType | None, where: str
) -> tuple[Expectation, ...]:
    found = []
    for number, table in _listed(raw, "expect", where) if "expect" in raw else []:
        place = f"{where}, [[expect]] {table.get('name', number)!r}"
        expectation = fill(Expectation, table, place)
        _check_reference(expectation, steps, getattr(hook, "DERIVED", {}), place)
        found.append(expectation)
    return tuple(found)


def _check_reference(wanted: Expectation, steps: Sequence[Step], derived: Mapping[str, Any], place: str) -> None:
    """Complain, before anything is played, if there is nothing that the expectation could be compared with."""
    if wanted.derived:
        check_names([wanted.derived], derived, place, "derived number")
        return
    check_names([wanted.step], [step.name for step in steps], place, "step")
    step = next(step for step in steps if step.name == wanted.step)
    quantities = step.quantities()
    check_names([wanted.quantity], quantities, place, f"quantity of a {step.KIND} step")
    check_names(wanted.agents, step.players(), place, f"agent of the step {step.name!r}")
    if len(wanted.agents) not in quantities[wanted.quantity]:
        wants = " or ".join(str(n) for n in quantities[wanted.quantity])
        raise ExperimentError(f"{place}: {wanted.quantity} is asked for {wants} agents, not {len(wanted.agents)}")


def _used(steps: Sequence[Step], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that all steps share, where the file has a default for them."""
    used = {}
    for key in defaults:
        values = {getattr(step, key) for step in steps if key in _keys(type(step))}
        if len(values) == 1:
            used[key] = values.pop()
    return used
