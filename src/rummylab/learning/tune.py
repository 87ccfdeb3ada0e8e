"""Find good numbers for an agent: trials on duplicate deals against given opponents, kept in a file, resumable.

Every trial plays the same deals (common random numbers), so that trials differ by the numbers alone. What looks best
on those deals has also been lucky on them: the best few are played again on fresh deals, the winner of that is measured
once more on deals that no step has seen.

Samplers: ``paper`` is random search for the first half of the trials, then grid search: each number in turn, on a grid
around the best value so far, the others held. ``tpe`` and ``cmaes`` are Optuna's. The next trial depends only on the
plan and on the finished trials, so a run that was stopped and goes on is the run that was never stopped.
"""

from __future__ import annotations

import json
import logging
import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rummylab.agents.registry import entry
from rummylab.arena.match import match
from rummylab.arena.version import code_version
from rummylab.cards.rng import mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import check_kind, read_numbers
from rummylab.engine.writing import write_whole
from rummylab.errors import MissingExtraError, OptionError, StoreError
from rummylab.learning.tune_spaces import PRESENT, Numbers, Space, check_names, space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial, Trial

log = logging.getLogger(__name__)

SAMPLERS: Final = ("paper", "tpe", "cmaes")
OBJECTIVES: Final = ("win_rate", "points_per_hand")
FINALISTS: Final = 5
_GRID: Final = (-0.2, -0.1, -0.05, 0.05, 0.1, 0.2)
"""Steps of the grid search, as shares of a number's range."""
STUDY_FORMAT: Final = "rummylab tuning study"
_STUDY: Final = "rummylab tune"
_SEARCH, _FINAL, _MEASURE, _SAMPLER = range(4)
"""Purposes of seeds."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TunePlan:
    """What is tuned and how. When a run goes on the number of *trials* may grow, all else stays.

    With the sampler ``paper`` not even that: the number says where the grid search begins.
    """

    game: str
    agent: str
    opponents: tuple[str, ...] = ("simple",)
    sampler: str = "tpe"
    objective: str = "points_per_hand"
    trials: int = 100
    games: int = 1000
    """Of each trial against each opponent, and of each finalist."""
    measured_games: int = 4000
    seed: int = 0
    preset: str | None = None
    start: str = PRESENT
    """The first trial: the agent's present numbers, or those that its paper printed."""
    only: tuple[str, ...] = ()
    """The numbers to tune; none: all that have bounds."""
    fixed: tuple[tuple[str, float], ...] = ()
    """Numbers held at other values than those of the start."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("sampler", self.sampler, SAMPLERS),
            ("objective", self.objective, OBJECTIVES),
        ):
            if value not in known:
                raise OptionError(f"{name} is {value!r}, but must be one of {', '.join(known)}")
        for name, least in (("trials", 1), ("games", 2), ("measured_games", 2)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}, but must be at least {least}")
        if not self.opponents:
            raise OptionError("tuning needs at least one opponent")
        for opponent in self.opponents:
            find_opponent(self.game, opponent)
        found = space(self.game, self.agent)
        found.start(self.start)
        check_names(found, tuple(name for name, _ in self.fixed), "fixed")
        if unbounded := [name for name in self.only if name not in found.bounds]:
            raise OptionError(f"{unbounded[0]!r} cannot be tuned; numbers with bounds: {', '.join(found.bounds)}")

    @property
    def space(self) -> Space:
        return space(self.game, self.agent)

    @property
    def tuned(self) -> dict[str, tuple[float, float]]:
        """The numbers to tune with their bounds."""
        held = dict(self.fixed)
        return {n: b for n, b in self.space.bounds.items() if n not in held and (not self.only or n in self.only)}

    def numbers(self, trial: Numbers) -> dict[str, float]:
        """Return all numbers of the agent in a trial."""
        return {**self.space.start(self.start), **dict(self.fixed), **trial}

    def identity(self) -> dict[str, Any]:
        """Return what must not change when a run goes on."""
        plan = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
        plan["fixed"] = dict(self.fixed)
        free = {"measured_games"} if self.sampler == "paper" else {"trials", "measured_games"}
        return {k: v for k, v in plan.items() if k not in free} | {"code": code_version()}


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result: the numbers, what they reached on fresh deals against each opponent, and how they were found."""

    plan: TunePlan
    numbers: dict[str, float]
    results: dict[str, dict[str, Any]]
    trials: int
    finalists: list[dict[str, Any]] = field(default_factory=list)

    def artifact(self, command: str) -> dict[str, Any]:
        """Return the artifact that the agent's file reads, with its manifest."""
        manifest = {
            "command": command,
            "seed": self.plan.seed,
            "code": code_version(),
            "sampler": self.plan.sampler,
            "objective": self.plan.objective,
            "opponents": list(self.plan.opponents),
            "trials": self.trials,
            "games": self.plan.games,
            "measured": self.results,
        }
        return {**self.plan.space.artifact(self.numbers), "manifest": manifest}


def trials_as_json(plan: TunePlan, study: Study, command: str) -> dict[str, Any]:
    """Return the finished trials of *study*, with the plan that they follow from."""
    trials = [
        {"params": trial.params, "value": trial.value, "results": trial.user_attrs.get("results", {})}
        for trial in finished(study)
    ]
    return {"format": STUDY_FORMAT, "version": 1, "command": command, "plan": plan.identity(), "trials": trials}


def read_trials(path: Path) -> dict[str, Any]:
    """Return the study in *path*, as `trials_as_json` wrote it."""
    found = read_numbers(path)
    check_kind(found, path.name, STUDY_FORMAT, 1)
    return found


def propose_again(plan: TunePlan, trials: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return what *plan* proposes trial by trial if every trial scores what it scored in *trials*; nothing is played.

    A study that can be repeated proposes its own trials.
    """
    need_optuna()
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize")
    proposed = []
    for n, recorded in enumerate(trials):
        trial = _next_trial(plan, study, n)
        proposed.append(dict(trial.params))
        study.tell(trial, recorded["value"])
    return proposed


def _finite(part: Any) -> Any:
    """Return *part* with None for numbers that JSON does not have, such as the ends of an interval of one pair."""
    if isinstance(part, Mapping):
        return {name: _finite(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_finite(value) for value in part]
    return None if isinstance(part, float) and not isfinite(part) else part


def write_artifact(artifact: dict[str, Any], path: Path) -> None:
    """Write *artifact* to *path*, whole or not at all."""
    try:
        write_whole(path, (json.dumps(_finite(artifact), indent=1) + "\n").encode())
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def need_optuna() -> None:
    """Say at once that tuning cannot work."""
    try:
        import optuna  # noqa: F401
    except ImportError:
        raise MissingExtraError("tuning needs: pip install 'rummylab[tune]'") from None


# --- The study on disk --------------------------------------------------------------------------------------------


def open_study(plan: TunePlan, path: Path) -> Study:
    """Open or create the study *path*; raise StoreError if it was made for another plan or by other code."""
    need_optuna()
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(
            storage=f"sqlite:///{path}", study_name=_STUDY, direction="maximize", load_if_exists=True
        )
        known = study.user_attrs.get("plan")
        if known is None:
            study.set_user_attr("plan", plan.identity())
        elif known != plan.identity():
            raise StoreError(_difference(path, known, plan.identity()))
        _close_abandoned(study)
    except SQLAlchemyError as error:
        raise StoreError(f"{path.name} cannot be opened as a study: {error.__class__.__name__}") from error
    return study


def _difference(path: Path, known: dict[str, Any], wanted: dict[str, Any]) -> str:
    names = [name for name in wanted if known.get(name) != wanted[name]]
    parts = ", ".join(f"{name} {known.get(name)!r} (now {wanted[name]!r})" for name in names)
    return f"{path.name} holds a study with another configuration: {parts}; give another file or the old options"


def _close_abandoned(study: Study) -> None:
    """Mark trials that a killed run left open as failed; they are played again."""
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)


def finished(study: Study) -> list[FrozenTrial]:
    """Return the finished trials in order."""
    from optuna.trial import TrialState

    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


# --- What to try next ---------------------------------------------------------------------------------------------


def _seed(plan: TunePlan, purpose: int, n: int = 0) -> int:
    return int(mix(plan.seed, n, 0, 100 + purpose)) >> 33


def _next_trial(plan: TunePlan, study: Study, n: int) -> Trial:
    """Ask for the *n*-th trial. The first is the start itself, so that nothing worse can come out."""
    import optuna
    from optuna.distributions import FloatDistribution

    ranges: Any = {name: FloatDistribution(*bounds) for name, bounds in plan.tuned.items()}
    if n == 0:
        start = plan.numbers({})
        study.enqueue_trial({name: _within(plan, name, start[name]) for name in plan.tuned})
    elif plan.sampler == "paper":
        study.enqueue_trial(_paper_trial(plan, study, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of what we use is marked experimental
        if plan.sampler == "tpe":
            study.sampler = optuna.samplers.TPESampler(seed=_seed(plan, _SAMPLER, n), multivariate=True)
        elif plan.sampler == "cmaes":
            study.sampler = optuna.samplers.CmaEsSampler(seed=_seed(plan, _SAMPLER, n))
        return study.ask(ranges)


def _within(plan: TunePlan, name: str, value: float) -> float:
    low, high = plan.tuned[name]
    return min(max(value, low), high)


def _paper_trial(plan: TunePlan, study: Study, n: int) -> dict[str, float]:
    """Return the *n*-th trial of random search followed by grid search."""
    n_random = max(plan.trials // 2, 1)
    if n <= n_random:
        rng = random.Random(_seed(plan, _SAMPLER, n))
        return {name: rng.uniform(*bounds) for name, bounds in plan.tuned.items()}
    place = n - n_random - 1
    names = list(plan.tuned)
    name, step = names[place // len(_GRID) % len(names)], _GRID[place % len(_GRID)]
    low, high = plan.tuned[name]
    best: dict[str, float] = study.best_trial.params
    return {**best, name: _within(plan, name, best[name] + step * (high - low))}


# --- Trials -------------------------------------------------------------------------------------------------------


def find_opponent(game: str, name: str) -> str | CompiledAgent:
    """Return the opponent *name*: an agent of the registry, or in Gin a utility agent with the numbers of a file."""
    if game == "gin" and ("@" in name or "~" in name):
        from rummylab.learning.opponent_hand.players import player

        return player(name)
    entry(game, name)
    return name


def play(plan: TunePlan, numbers: Numbers, games: int, seed: int, workers: int | None) -> dict[str, dict[str, Any]]:
    """Return what the agent with *numbers* reaches against each opponent."""
    found = {}
    for opponent in plan.opponents:
        player = plan.space.make(numbers)
        other = find_opponent(plan.game, opponent)
        result = match(plan.game, player, other, games=games, seed=seed, preset=plan.preset, workers=workers)
        found[opponent] = {
            "games": result.games,
            "seed": seed,
            "win_rate": round(result.win_rate.value, 5),
            "win_rate_ci": [round(x, 5) for x in result.win_rate.ci],
            "points_per_hand": round(result.points_per_hand.value, 4),
            "points_per_hand_ci": [round(x, 4) for x in result.points_per_hand.ci],
        }
    return found


def _score(plan: TunePlan, results: dict[str, dict[str, Any]]) -> float:
    return sum(float(result[plan.objective]) for result in results.values()) / len(results)


def tune(plan: TunePlan, path: Path, *, workers: int | None = None, progress: Progress | None = None) -> Tuned:
    """Run *plan* up to its number of trials, continuing the study *path*, and return the best numbers.

    Stopped at any moment, the file is a valid study: the same call goes on where it was.
    """
    from optuna.trial import TrialState

    study = open_study(plan, path)
    done = len(finished(study))
    while done < plan.trials:
        trial = _next_trial(plan, study, done)
        try:
            results = play(plan, plan.numbers(trial.params), plan.games, _seed(plan, _SEARCH), workers)
        except BaseException:
            study.tell(trial, state=TrialState.FAIL)
            raise
        trial.set_user_attr("results", results)
        study.tell(trial, _score(plan, results))
        done += 1
        log.debug("trial %d of %d: %.4f", done, plan.trials, _score(plan, results))
        if progress is not None:
            progress(done, plan.trials)
    return _final(plan, finished(study), workers)


def _final(plan: TunePlan, trials: Sequence[FrozenTrial], workers: int | None) -> Tuned:
    """Play the best few again on fresh deals and measure the winner on others."""
    best = sorted(trials, key=lambda trial: -(trial.value or 0.0))[:FINALISTS]
    finalists: list[dict[str, Any]] = []
    for trial in best:
        again = play(plan, plan.numbers(trial.params), plan.games, _seed(plan, _FINAL), workers)
        finalists.append({"trial": trial.number, "in_search": trial.value, "again": _score(plan, again)})
    winner = max(range(len(best)), key=lambda i: finalists[i]["again"])
    numbers = plan.numbers(best[winner].params)
    results = play(plan, numbers, plan.measured_games, _seed(plan, _MEASURE), workers)
    return Tuned(plan, numbers, results, len(trials), finalists)
