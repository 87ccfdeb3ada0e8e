"""An experiment is played chunk by chunk; what the store has is not played again."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from rummylab.agents.registry import entries
from rummylab.arena.backends import Backend, in_order, local
from rummylab.arena.experiment.file import Experiment
from rummylab.arena.experiment.steps import Step, StepResult
from rummylab.arena.experiment.verdicts import Expectation, Measured
from rummylab.arena.jobs import Played
from rummylab.arena.match import Progress, compile_together
from rummylab.arena.outside import is_outside
from rummylab.arena.store import Run, Store, config_key
from rummylab.arena.version import version_of_play
from rummylab.cards.rng import is_key
from rummylab.engine.streams import new_key

KIND = "experiment"
Chunks = Generator[tuple[Any, Played], None, None]


@dataclass(frozen=True)
class Results:
    """All steps of an experiment, played."""

    experiment: Experiment
    steps: Mapping[str, Any]
    """The result of every step (a `StepResult`) by its name."""
    run: Run | None = None
    """Where the chunks are kept, and the report will be."""

    def of_kind(self, kind: type[Any]) -> list[Any]:
        """Return the results of one kind, in the order of the file."""
        return [result for result in self.steps.values() if isinstance(result, kind)]

    @cached_property
    def findings(self) -> list[tuple[Expectation, Measured]]:
        """Every expectation with what was measured."""
        return [(wanted, self._measured(wanted)) for wanted in self.experiment.expectations]

    def _measured(self, wanted: Expectation) -> Measured:
        if wanted.derived:
            found: Measured = self.experiment.asked("DERIVED")[wanted.derived](self)
            return found
        step: StepResult = self.steps[wanted.step]
        return step.measure(wanted.quantity, wanted.agents)


def code_mark(experiment: Experiment) -> str:
    """Return what the results depend on: rules, agents and what plays the tasks.

    Reports, statistics and the command line may change without a new run.
    """
    agents = {(step.game, name) for step in experiment.steps for name in step.players() or _everybody(step.game)}
    return version_of_play(agents, {sys.modules[type(step).WORK.__module__] for step in experiment.steps})


def _everybody(game_name: str) -> list[str]:
    return [entry.name for entry in entries(game_name)]


def earlier_run(experiment: Experiment, store: Store) -> str:
    """Say what differs if the store has this experiment with other settings or code only; else nothing."""
    config, code = experiment.to_dict(), code_mark(experiment)
    same_name = [run for run in store.runs() if run["kind"] == KIND and run["config"]["experiment"] == experiment.name]
    if not same_name or config_key(KIND, config, code) in {run["key"] for run in same_name}:
        return ""
    last = same_name[-1]
    changed = [*_differences(last["config"]["steps"], config["steps"]), *(["the code"] * (last["code"] != code))]
    words = "; ".join(changed)
    return f"{store.path} has an earlier run of {experiment.name!r} that differs ({words}); it stays, this is a new run"


def _differences(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[str]:
    before, now = ({step["name"]: step for step in steps} for steps in (old, new))
    words = [f"step {name!r} is new" for name in now if name not in before]
    words += [f"step {name!r} is gone" for name in before if name not in now]
    for name in now:
        for key in sorted(now[name]) if name in before else ():
            was, value = before[name].get(key), now[name][key]
            if was != (list(value) if isinstance(value, tuple) else value):
                words.append(f"{name}.{key} was {was!r} and is now {value!r}")
    return words[:5] + ["..."] * (len(words) > 5)


def with_keys(experiment: Experiment, store: Store | None = None) -> Experiment:
    """Return *experiment* with a secret key for every step that seats outside agents.

    A run that was begun before keeps its keys.
    """
    asked = [step.name for step in experiment.steps if _needs_key(step)]
    if not asked:
        return experiment
    keys = _earlier_keys(experiment, store, asked) or {name: new_key() for name in asked}
    steps = tuple(replace(step, seed=keys.get(step.name, step.seed)) for step in experiment.steps)
    return replace(experiment, steps=steps)


def _needs_key(step: Step) -> bool:
    return not is_key(step.seed) and any(is_outside(step.game, name) for name in step.players())


def _earlier_keys(experiment: Experiment, store: Store | None, asked: Sequence[str]) -> dict[str, int]:
    """Return the keys of the run that differs from *experiment* in nothing but its keys."""
    wanted = json.dumps(experiment.to_dict(), sort_keys=True)
    typed = {step.name: step.seed for step in experiment.steps}
    for run in store.runs() if store is not None else ():
        steps = run["config"].get("steps", ()) if run["kind"] == KIND else ()
        keys = {step["name"]: step["seed"] for step in steps if step["name"] in asked}
        plain = [step | {"seed": typed[step["name"]]} if step["name"] in keys else step for step in steps]
        if keys and json.dumps(run["config"] | {"steps": plain}, sort_keys=True) == wanted:
            return keys
    return {}


def run_experiment(
    experiment: Experiment,
    *,
    store: Store | None = None,
    name: str | None = None,
    backend: Backend | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play *experiment*, or what *store* does not have of it yet, and return the results.

    A run with a *name* has one configuration for good. The results do not depend on *backend*.
    """
    experiment = with_keys(experiment, store)
    ready = experiment.asked("ready")
    if ready is not None:
        ready()
    run = None if store is None else store.open_run(KIND, experiment.to_dict(), code_mark(experiment), name)
    total = sum(step.work(task) for step in experiment.steps for task in step.tasks())
    done = 0
    results = {}
    for step in experiment.steps:
        parts: list[Played] = []
        played = 0
        with closing(_parts(step, run, backend or local())) as chunks:  # whatever happens, what was played is kept
            for task, part in chunks:
                parts.append(part)
                played += step.work(task)
                if progress is not None:
                    progress(done + played, total, step.name)
        done += sum(step.work(task) for task in step.tasks())
        results[step.name] = step.result(parts)
    if run is not None:
        run.finish()
    return Results(experiment, results, run)


def _parts(step: Step, run: Run | None, backend: Backend) -> Chunks:
    """Yield every task with its chunk, in the order of the tasks, until the step is decided."""
    tasks = step.tasks()
    known = {} if run is None else _known(step, tasks, run)
    missing = [task for task in tasks if task not in known]
    fresh = _fresh(step, missing, run, backend)
    decided = step.decided()
    try:
        for task, part in zip(tasks, in_order(chain(known.items(), fresh), tasks), strict=False):
            yield task, part
            if decided(part):
                return
    finally:
        fresh.close()


def _known(step: Step, tasks: Sequence[Any], run: Run) -> dict[Any, Played]:
    """Return what the store has of *tasks*."""
    there = set(run.chunk_names())
    found = ((task, run.chunk(_name(step, task), step.dtype)) for task in tasks if _name(step, task) in there)
    return {task: part for task, part in found if part is not None}


def _fresh(step: Step, missing: Sequence[Any], run: Run | None, backend: Backend) -> Chunks:
    """Play what is missing; every chunk is kept as soon as it is there."""
    if not missing:
        return
    work = type(step).WORK
    compile_together(step.game, step.players())
    for first in dict.fromkeys(task._replace(start=0, deals=0) for task in missing):
        work(first)  # compile and load before the processes part
    try:
        for task, part in backend.run(work, missing):
            if run is not None:
                run.keep(_name(step, task), part)
            yield task, part
    finally:
        if run is not None:
            run.flush()


def _name(step: Step, task: Any) -> str:
    return f"{step.name}/{task.name}"
