"""Tune an agent's numbers: trials on duplicate deals against given opponents, one trial a round of a training run.

Every trial plays the same deals (common random numbers), so that trials differ by their numbers alone. The best trial
was also lucky on those deals. So the best few are played again on fresh deals, and the winner is measured once more on
deals that no earlier step has seen.

Samplers: ``paper`` is random search for the first half of the trials, then grid search: each number in turn, on a grid
around the best value so far, while the others stay. ``tpe`` and ``cmaes`` are Optuna's. The next trial depends only on
the options and on the finished trials, so a resumed run makes the same proposals as one that was never stopped.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rummylab.agents.registry import entry
from rummylab.arena.match import match
from rummylab.cards.rng import mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import check_kind, read_numbers, write_json
from rummylab.errors import MissingExtraError, OptionError
from rummylab.learning.trainer import State, Trainer, plain
from rummylab.learning.tune_spaces import PLAYERS_OF_FILES, PRESENT, Numbers, Space, check_names, space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import Trial

SAMPLERS: Final = ("paper", "tpe", "cmaes")
OBJECTIVES: Final = ("win_rate", "points_per_hand")
FINALISTS: Final = 5
TRIALS = "trials.json"
"""The file with every trial, beside the artifact."""
TRIALS_FORMAT: Final = "rummylab tuning study"
_GRID: Final = (-0.2, -0.1, -0.05, 0.05, 0.1, 0.2)
"""Steps of the grid search, as shares of a number's range."""
_SEARCH, _FINAL, _MEASURE, _SAMPLER = range(4)
"""Purposes of seeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Options that identify a run. Only ``measured_games`` and ``trials`` may change when it resumes.

    With the sampler ``paper``, ``trials`` may not change either: it says where the grid search begins.
    """

    game: str
    agent: str
    opponents: tuple[str, ...] = ("simple",)
    sampler: str = "tpe"
    objective: str = "points_per_hand"
    trials: int = 100
    games: int = 1000
    """Games of each trial against each opponent, and of each finalist."""
    measured_games: int = 4000
    seed: int = 0
    preset: str | None = None
    start: str = PRESENT
    """The numbers of the first trial: the agent's present ones, or those that its paper printed."""
    only: tuple[str, ...] = ()
    """The numbers to tune; none: all that have bounds."""
    fixed: tuple[tuple[str, float], ...] = ()
    """Numbers that keep a value other than that of the start."""

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
        """The numbers of the agent and their bounds."""
        return space(self.game, self.agent)

    @property
    def tuned(self) -> dict[str, tuple[float, float]]:
        """The numbers to tune with their bounds."""
        held = dict(self.fixed)
        return {n: b for n, b in self.space.bounds.items() if n not in held and (not self.only or n in self.only)}

    def numbers(self, trial: Numbers) -> dict[str, float]:
        """Return all numbers of the agent in a trial."""
        return {**self.space.start(self.start), **dict(self.fixed), **trial}


def load_optuna() -> Any:
    """Return Optuna, told to be silent.

    Raises:
        MissingExtraError: Optuna is not installed.
    """
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("tuning needs Optuna: pip install 'rummylab[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


# --- What to try next ---------------------------------------------------------------------------------------------


def _seed(options: TuneOptions, purpose: int, n: int = 0) -> int:
    return int(mix(options.seed, n, 0, 100 + purpose)) >> 33


def _next_trial(options: TuneOptions, study: Study, n: int) -> Trial:
    """Return trial number *n*. The first is the start itself, so that the result cannot be worse."""
    optuna = load_optuna()
    ranges = {name: optuna.distributions.FloatDistribution(*bounds) for name, bounds in options.tuned.items()}
    if n == 0:
        start = options.numbers({})
        study.enqueue_trial({name: _within(options, name, start[name]) for name in options.tuned})
    elif options.sampler == "paper":
        study.enqueue_trial(_paper_trial(options, study, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna marks some of what we use as experimental
        if options.sampler == "tpe":
            study.sampler = optuna.samplers.TPESampler(seed=_seed(options, _SAMPLER, n), multivariate=True)
        elif options.sampler == "cmaes":
            study.sampler = optuna.samplers.CmaEsSampler(seed=_seed(options, _SAMPLER, n))
        return study.ask(ranges)


def _within(options: TuneOptions, name: str, value: float) -> float:
    low, high = options.tuned[name]
    return min(max(value, low), high)


def _paper_trial(options: TuneOptions, study: Study, n: int) -> dict[str, float]:
    """Return trial number *n* of random search followed by grid search."""
    n_random = max(options.trials // 2, 1)
    if n <= n_random:
        rng = random.Random(_seed(options, _SAMPLER, n))
        return {name: rng.uniform(*bounds) for name, bounds in options.tuned.items()}
    place = n - n_random - 1
    names = list(options.tuned)
    name, step = names[place // len(_GRID) % len(names)], _GRID[place % len(_GRID)]
    low, high = options.tuned[name]
    best: dict[str, float] = study.best_trial.params
    return {**best, name: _within(options, name, best[name] + step * (high - low))}


def propose_again(options: TuneOptions, trials: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return the proposals of a run in which every trial scores what it scored in *trials*; nothing is played.

    A run that can be repeated proposes its own trials.
    """
    study = load_optuna().create_study(direction="maximize")
    proposed = []
    for n, recorded in enumerate(trials):
        trial = _next_trial(options, study, n)
        proposed.append(dict(trial.params))
        study.tell(trial, recorded["value"])
    return proposed


# --- Trials -------------------------------------------------------------------------------------------------------


def find_opponent(game: str, name: str) -> str | CompiledAgent:
    """Return the opponent *name*: an agent of the registry or, where the game has such, one with a file's numbers."""
    if game in PLAYERS_OF_FILES and ("@" in name or "~" in name):
        return PLAYERS_OF_FILES[game](name)
    entry(game, name)
    return name


def play(
    options: TuneOptions, numbers: Numbers, games: int, seed: int, workers: int | None
) -> dict[str, dict[str, Any]]:
    """Return the results of the agent with *numbers* against each opponent."""
    found = {}
    for opponent in options.opponents:
        player = options.space.make(numbers)
        other = find_opponent(options.game, opponent)
        result = match(options.game, player, other, games=games, seed=seed, rules=options.preset, workers=workers)
        found[opponent] = {
            "games": result.games,
            "seed": seed,
            "win_rate": round(result.win_rate.value, 5),
            "win_rate_ci": [_finite(x, 5) for x in result.win_rate.ci],
            "points_per_hand": round(result.points_per_hand.value, 4),
            "points_per_hand_ci": [_finite(x, 4) for x in result.points_per_hand.ci],
        }
    return found


def _finite(x: float, digits: int) -> float | None:
    """Return *x* rounded, or None for the ends of the interval of a single pair, which JSON does not have."""
    return round(x, digits) if isfinite(x) else None


class Tuner(Trainer):
    """A tuning run: one trial a round, then finalists and a measurement on fresh deals."""

    ARTIFACT = "tuned.json"
    COLUMNS = ("score", "best_score")

    def __init__(self, options: TuneOptions, *, workers: int | None = None) -> None:
        super().__init__(options)
        self.workers = workers
        self.study: Study = load_optuna().create_study(direction="maximize")
        self.trials: list[dict[str, Any]] = []
        """By trial: params, value, results against each opponent, and what the sampler keeps."""
        self.numbers: dict[str, float] = {}
        """The winner's numbers, once the run is over."""

    @property
    def rounds(self) -> int:
        return int(self.options.trials)

    def identity(self) -> dict[str, Any]:
        free = {"measured_games"} if self.options.sampler == "paper" else {"trials", "measured_games"}
        return {name: value for name, value in plain(self.options).items() if name not in free}

    def run_round(self) -> Sequence[float]:
        trial = _next_trial(self.options, self.study, self.round)
        results = self._play(trial.params, self.options.games, _SEARCH)
        score = self._score(results)
        told = self.study.tell(trial, score)
        kept = {"params": dict(told.params), "value": score, "results": results, "sampler": dict(told.system_attrs)}
        self.trials.append(kept)
        return score, max(trial["value"] for trial in self.trials)

    def state(self) -> State:
        return {"trials": self.trials}

    def set_state(self, state: State) -> None:
        optuna = load_optuna()
        ranges = {n: optuna.distributions.FloatDistribution(*bounds) for n, bounds in self.options.tuned.items()}
        for trial in state["trials"]:
            self.trials.append(dict(trial))
            known = {"params": trial["params"], "distributions": ranges, "system_attrs": trial["sampler"]}
            self.study.add_trial(optuna.trial.create_trial(value=trial["value"], **known))

    def data_size(self) -> Mapping[str, Any]:
        return {"trials": len(self.trials), "games": self.options.games, "opponents": list(self.options.opponents)}

    def result(self) -> Mapping[str, Any]:
        """Play the best few trials again on fresh deals, and measure the winner on others."""
        order = sorted(range(len(self.trials)), key=lambda i: -self.trials[i]["value"])[:FINALISTS]
        again = [self._score(self._play(self.trials[i]["params"], self.options.games, _FINAL)) for i in order]
        winner = order[max(range(len(order)), key=lambda k: again[k])]
        self.numbers = self.options.numbers(self.trials[winner]["params"])
        finalists = [
            {"trial": i, "in_search": self.trials[i]["value"], "again": score}
            for i, score in zip(order, again, strict=True)
        ]
        return {"finalists": finalists, "measured": self._play(self.numbers, self.options.measured_games, _MEASURE)}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        write_json(path, {**self.options.space.artifact(self.numbers), "manifest": manifest})
        write_json(path.with_name(TRIALS), self.trials_as_json(manifest["command"]))

    def trials_as_json(self, command: str) -> dict[str, Any]:
        """Return every trial, with the options that led to it."""
        trials = [{name: trial[name] for name in ("params", "value", "results")} for trial in self.trials]
        options = {**plain(self.options), "fixed": dict(self.options.fixed), "code": ", ".join(self.code)}
        return {"format": TRIALS_FORMAT, "version": 1, "command": command, "plan": options, "trials": trials}

    def _play(self, trial: Numbers, games: int, purpose: int) -> dict[str, dict[str, Any]]:
        return play(self.options, self.options.numbers(trial), games, _seed(self.options, purpose), self.workers)

    def _score(self, results: Mapping[str, Mapping[str, Any]]) -> float:
        return sum(float(result[self.options.objective]) for result in results.values()) / len(results)


def read_trials(path: Path) -> dict[str, Any]:
    """Return the trials of a run and its options, as `Tuner` wrote them to *path*."""
    found = read_numbers(path)
    check_kind(found, path.name, TRIALS_FORMAT, 1)
    return found
