"""Play an experiment, or what a store lacks of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rummylab.agents.registry import entries
from rummylab.arena.backends import Backend, in_order, local
from rummylab.arena.chunks import Progress, play_chunks
from rummylab.arena.first_start import compile_together
from rummylab.arena.jobs import Played
from rummylab.arena.outside import is_outside
from rummylab.arena.store import Run, Store, config_key
from rummylab.arena.version import version_of_play
from rummylab.cards.rng import is_key
from rummylab.engine.streams import new_key
from rummylab.lab.experiment.file import Experiment
from rummylab.lab.experiment.steps import Step, StepResult
from rummylab.lab.experiment.verdicts import Expectation, Measured

KIND = "experiment"


@dataclass(frozen=True)
class Results:
    """The results of all steps of an experiment."""

    experiment: Experiment
    steps: Mapping[str, Any]
    """The result of every step (a `StepResult`) by its name."""
    run: Run | None = None
    """The run in the store, which keeps the report too."""
    forfeits: int = 0
    """Games that an agent lost by a crash, a time-out or an illegal move."""

    def of_kind(self, kind: type[Any]) -> list[Any]:
        """Return the results of one kind, in the order of the file."""
        return [result for result in self.steps.values() if isinstance(result, kind)]

    @cached_property
    def findings(self) -> list[tuple[Expectation, Measured]]:
        """Every expectation with what was measured."""
        return [(wanted, self._measured(wanted)) for wanted in self.experiment.expectations]

    def _measured(self, wanted: Expectation) -> Measured:
        if wanted.derived:
            found: Measured = self.experiment.own("DERIVED")[wanted.derived](self)
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
    """Return what differs, in words, if the store has this experiment only with other settings or code."""
    config, code = experiment.to_dict(), code_mark(experiment)
    same_name = [run for run in store.runs() if run["kind"] == KIND and run["config"]["experiment"] == experiment.name]
    if not same_name or config_key(KIND, config, code) in {run["key"] for run in same_name}:
        return ""
    last = same_name[-1]
    changed = [*_differences(last["config"]["steps"], config["steps"]), *(["the code"] * (last["code"] != code))]
    words = "; ".join(changed)
    return f"{store.path} has an earlier run of {experiment.name!r} that differs ({words}); this is a new run"


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
    """Play *experiment*, or what *store* lacks of it, and return the results.

    A run with a *name* has one configuration for good. The results do not depend on *backend*.
    """
    experiment = with_keys(experiment, store)
    ready = experiment.own("ready")
    if ready is not None:
        ready()
    run = None if store is None else store.open_run(KIND, experiment.to_dict(), code_mark(experiment), name)
    meter = _Meter(experiment, progress)
    results = {}
    for step in experiment.steps:
        with closing(meter.counted(step, run, backend or local())) as parts:  # an interrupt stores what was played
            results[step.name] = step.result(parts)
    if run is not None:
        run.finish()
    return Results(experiment, results, run, meter.forfeits)


class _Meter:
    """Plays steps chunk by chunk and counts what is done. Nothing is kept: a step takes what it needs of each chunk."""

    def __init__(self, experiment: Experiment, progress: Progress | None) -> None:
        self.total = sum(step.work(task) for step in experiment.steps for task in step.tasks())
        self.done = self.forfeits = 0
        self.progress = progress

    def counted(self, step: Step, run: Run | None, backend: Backend) -> Generator[Played, None, None]:
        """Yield the chunks of a step in the order of its tasks."""
        compile_together(step.game, step.players())
        tasks, at_the_end = step.tasks(), self.done + sum(step.work(task) for task in step.tasks())
        worker = step.worker(keep_rows=run is not None)
        chunks = play_chunks(worker, tasks, backend, run=run, dtype=step.dtype, step=step.name)
        try:
            with closing(chunks):
                for task, part in zip(tasks, in_order(chunks, tasks), strict=False):
                    self.done += step.work(task)
                    self.forfeits += len(part.faults)
                    if self.progress is not None:
                        self.progress(self.done, self.total, step.name)
                    yield part
        finally:
            self.done = at_the_end  # a step may be decided before all its games are played
