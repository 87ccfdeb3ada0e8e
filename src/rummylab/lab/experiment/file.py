"""Read experiment files: TOML that says what is played and which figures are expected.

See ``docs/guides/experiments.md``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from rummylab.engine.reading import parse_toml, read_text
from rummylab.errors import ExperimentError, RummyError
from rummylab.games.registry import game
from rummylab.lab.experiment.reading import check_names, fill
from rummylab.lab.experiment.steps import KINDS, Step
from rummylab.lab.experiment.verdicts import Expectation

QUICK: dict[str, Any] = {"games": 60}
"""What ``--quick`` sets in every step; a file's ``[quick]`` can change it."""
_TOP = ("title", "about", "source", "game", "rules", "format", "defaults", "quick", "paper", "expect")
_RULES = ("rules", "format")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The publication whose figures are expected."""

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
    format: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment that was read and checked."""

    name: str
    command: str
    """The command that runs it."""
    title: str
    about: str
    source: Source
    steps: tuple[Step, ...]
    expectations: tuple[Expectation, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    """The source's further figures, for the study."""
    study: ModuleType | None = None
    """Python code of the experiment's own: what ``docs/guides/experiments.md`` lists under "Add a study"."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The defaults that apply, with ``--quick`` and ``--set``."""

    def step(self, name: str) -> Step:
        """Return the step *name*."""
        return next(step for step in self.steps if step.name == name)

    def own(self, what: str) -> Any:
        """Return the attribute *what* of the study, or None."""
        return getattr(self.study, what, None)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that identify the results. Titles and expectations can change without a new run."""
        return {"experiment": self.name, **self.settings, "steps": [step.to_dict() for step in self.steps]}


def read_experiment(path: Path, *, quick: bool = False, changes: Sequence[str] = ()) -> Experiment:
    """Read the experiment file *path*; *changes* are settings such as ``games=200`` or ``step.games=200``."""
    text = read_text(path, ExperimentError)
    return parse_experiment(
        text, path.stem, f"rummylab experiment run {path.name}", str(path), quick=quick, changes=changes
    )


def parse_experiment(
    text: str,
    name: str,
    command: str,
    where: str,
    *,
    quick: bool = False,
    changes: Sequence[str] = (),
    study: ModuleType | None = None,
) -> Experiment:
    """Return the experiment written in *text*; errors start with *where*.

    *study* adds kinds of steps, derived numbers and a report. A file cannot name it: whoever reads the file passes it.
    """
    raw = parse_toml(text, ExperimentError, where)
    head = fill(_Head, {key: raw[key] for key in ("title", "game", "rules", "format", "about") if key in raw}, where)
    kinds = {**KINDS, **getattr(study, "STEPS", {})}
    check_names(raw, (*_TOP, *kinds), where, "key or kind of step")
    settings = (QUICK | _table(raw, "quick", where) if quick else {}) | _changes(changes)
    played = {key: value for key in _RULES if (value := getattr(head, key))}
    defaults = {"game": head.game, **played, **_table(raw, "defaults", where)}
    steps = _steps(raw, kinds, defaults, settings, where, optional=QUICK)
    expectations = _expectations(raw, steps, study, where)
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
        study=study,
        settings=_used(steps, defaults),
    )


def _table(raw: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    found = raw.get(key, {})
    if not isinstance(found, dict):
        raise ExperimentError(f"{where}: {key} is {found!r}, but must be a table.")
    return found


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
        raise ExperimentError(f"{where}: there is no step. Known kinds: {', '.join(f'[[{kind}]]' for kind in kinds)}")
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
        steps.append(fill(kinds[kind], _in_format(values, place), place))
    return tuple(steps)


def _in_format(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the keys of a step with its format made part of its rules."""
    others = {key: value for key, value in values.items() if key != "format"}
    form, rules = values.get("format", ""), values.get("rules", "")
    if not form or not isinstance(values.get("game"), str):
        return others
    if not isinstance(form, str) or not isinstance(rules, str):
        raise ExperimentError(f"{where}: format and rules must be text")
    try:
        return others | {"rules": game(values["game"]).in_format(rules or None, form)}
    except RummyError as error:
        raise ExperimentError(f"{where}: {error}") from None


def _without_rules(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return *defaults* for a step of another game, which does not have the preset of the file's game."""
    return {key: value for key, value in defaults.items() if key not in _RULES}


def _keys(kind: type[Step]) -> set[str]:
    return {key.name for key in fields(kind)} | {"format"}


def _listed(raw: Mapping[str, Any], kind: str, where: str) -> list[tuple[int, dict[str, Any]]]:
    found = raw[kind]
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise ExperimentError(f"{where}: {kind} must be a list of tables: write [[{kind}]]")
    return list(enumerate(found, 1))


def _expectations(
    raw: Mapping[str, Any], steps: Sequence[Step], study: ModuleType | None, where: str
) -> tuple[Expectation, ...]:
    found = []
    for number, table in _listed(raw, "expect", where) if "expect" in raw else []:
        place = f"{where}, [[expect]] {table.get('name', number)!r}"
        expectation = fill(Expectation, table, place)
        _check_reference(expectation, steps, getattr(study, "DERIVED", {}), place)
        found.append(expectation)
    return tuple(found)


def _check_reference(wanted: Expectation, steps: Sequence[Step], derived: Mapping[str, Any], place: str) -> None:
    """Raise `ExperimentError` if nothing in the experiment measures what the expectation needs."""
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
        raise ExperimentError(f"{place}: {wanted.quantity} needs {wants} agents, not {len(wanted.agents)}")


def _used(steps: Sequence[Step], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that all steps share, where the file has a default for them."""
    used = {}
    for key in defaults:
        values = {getattr(step, key) for step in steps if hasattr(step, key)}
        if len(values) == 1:
            used[key] = values.pop()
    return used
