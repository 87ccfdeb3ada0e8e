"""The paper's own terms: utility agents that knock at once, whose eight numbers are tuned and re-tuned as it says.

Two sets of numbers are searched from the printed ones, by random search and then grid search, against Simple and
against each other; for the new agents of phases 2 and 3 the numbers are searched again, from those of the first agent.
The final agent keeps the numbers of phase 3: the paper does not say that it was tuned once more. What was found
lies in ``numbers`` beside this file, with each study: every trial, its numbers and its games.
"""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from rummylab.agents.gin import utility
from rummylab.agents.gin.utility_options import NETWORK
from rummylab.learning.opponent_hand.dataset import PRESET, SIMPLE
from rummylab.learning.tune import TunePlan, open_study, trials_as_json, tune, write_artifact
from rummylab.learning.tune_spaces import PAPER_NUMBERS, PRESENT, PRINTED

log = logging.getLogger(__name__)

STEPS = ("first", "second", "phase2", "phase3")
"""The two agents of phase 1, then the new agent of phases 2 and 3: with the networks of the phase before."""
FIRST, SECOND, *RE_TUNED = STEPS
SAMPLES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Trials of a search, and games of each trial against each opponent."""

    trials: int
    games: int
    measured_games: int = 4000


BUDGETS = {
    FIRST: Budget(trials=96, games=400),
    SECOND: Budget(trials=32, games=60, measured_games=600),
    **dict.fromkeys(RE_TUNED, Budget(trials=16, games=30, measured_games=200)),
}


def plan_of(step: str, numbers: Path, network: Path | None, budget: Budget, seed: int) -> TunePlan:
    """Return the search of *step*; the numbers found so far lie in *numbers*, the newest network in *network*."""
    found = {name: f"utility@{numbers / name}.json~{SAMPLES}" for name in (FIRST, SECOND)}
    opponents = {FIRST: (SIMPLE,), SECOND: (SIMPLE, found[FIRST])}
    belief = () if network is None else (("belief", float(NETWORK)),)
    return TunePlan(
        game="gin",
        agent="utility" if network is None else f"utility@{network}",
        opponents=opponents.get(step, (SIMPLE, found[FIRST], found[SECOND])),
        sampler="paper",
        objective="win_rate",
        trials=budget.trials,
        games=budget.games,
        measured_games=budget.measured_games,
        seed=seed + STEPS.index(step),
        preset=PRESET,
        start=PRINTED if network is None else PRESENT,
        only=PAPER_NUMBERS,
        fixed=(("samples", float(SAMPLES)), *belief),
    )


def search(
    step: str, numbers: Path, network: Path | None, *, budget: Budget, seed: int, command: str, workers: int | None
) -> None:
    """Search the numbers of *step* unless *numbers* has them, and give them to the agent in *network*."""
    place = numbers / f"{step}.json"
    if not place.exists():
        if network is not None:
            shutil.copy(numbers / f"{FIRST}.json", network / utility.ARTIFACT.name)
        numbers.mkdir(parents=True, exist_ok=True)
        plan = plan_of(step, numbers, network, budget, seed)
        tuned = tune(plan, numbers / f"{step}.db", workers=workers)
        study = open_study(plan, numbers / f"{step}.db")
        write_artifact(trials_as_json(plan, study, command), numbers / f"{step}.trials.json")
        write_artifact(tuned.artifact(command), place)
        log.info("%s: %s", step, {name: result["win_rate"] for name, result in tuned.results.items()})
    if network is not None:
        shutil.copy(place, network / utility.ARTIFACT.name)


def numbers_of(place: Path) -> dict[str, float]:
    """Return the eight numbers of the artifact *place*."""
    options = json.loads(place.read_text(encoding="utf-8"))["options"]
    return {name: float(options[name]) for name in PAPER_NUMBERS}
