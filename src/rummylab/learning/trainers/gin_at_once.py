"""Tune the utility agents that knock at once: the opponent-hand paper's own terms.

    rummylab train gin-at-once --step first --numbers runs/numbers --out runs/first

Two sets of the paper's eight numbers are searched from the printed ones, by random search and then grid search, against
Simple and against each other. For the new agents of phases 2 and 3 the numbers are searched again, starting from those
of the first agent, with the network of the phase before. The final agent keeps the numbers of phase 3: the paper does
not say that it was tuned once more. The results of our run are in ``learning/opponent_hand/numbers``, with every trial.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rummylab.agents.gin import utility
from rummylab.agents.gin.utility_policy import NETWORK
from rummylab.engine.artifacts import read_numbers
from rummylab.engine.writing import write_whole
from rummylab.learning.opponent_hand.dataset import PRESET
from rummylab.learning.opponent_hand.line_ups import SIMPLE
from rummylab.learning.opponent_hand.players import NUMBERS
from rummylab.learning.options import AT_ONCE_STEPS, AtOnceOptions
from rummylab.learning.trainer import train
from rummylab.learning.tune import TRIALS, TuneOptions, Tuner
from rummylab.learning.tune_spaces import PAPER_NUMBERS, PRESENT, PRINTED

FIRST, SECOND, *RE_TUNED = AT_ONCE_STEPS
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


def tune_options(options: AtOnceOptions) -> TuneOptions:
    """Return the search as options of tuning."""
    numbers, network, budget = options.numbers or NUMBERS, options.network, BUDGETS[options.step]
    found = {name: f"utility@{numbers / name}.json~{SAMPLES}" for name in (FIRST, SECOND)}
    opponents = {FIRST: (SIMPLE,), SECOND: (SIMPLE, found[FIRST])}
    belief = () if network is None else (("belief", float(NETWORK)),)
    return TuneOptions(
        game="gin",
        agent="utility" if network is None else f"utility@{network}",
        opponents=opponents.get(options.step, (SIMPLE, found[FIRST], found[SECOND])),
        sampler="paper",
        objective="win_rate",
        trials=options.trials or budget.trials,
        games=options.games or budget.games,
        measured_games=options.measured_games or budget.measured_games,
        seed=options.seed + AT_ONCE_STEPS.index(options.step),
        preset=PRESET,
        start=PRINTED if network is None else PRESENT,
        only=PAPER_NUMBERS,
        fixed=(("samples", float(SAMPLES)), *belief),
    )


class GinAtOnce(Tuner):
    """One of the paper's searches."""

    def __init__(self, options: AtOnceOptions, *, workers: int | None = None) -> None:
        if options.network is not None:
            _give_numbers((options.numbers or NUMBERS) / f"{FIRST}.json", options.network)
        super().__init__(tune_options(options), workers=workers)


def search(options: AtOnceOptions, numbers: Path, out: Path, *, command: str, workers: int | None = None) -> None:
    """Run one search in *out* unless *numbers* has its result; give the result to the agent of ``options.network``.

    The result goes to ``STEP.json`` and ``STEP.trials.json`` in *numbers*.
    """
    place = numbers / f"{options.step}.json"
    if not place.exists():
        numbers.mkdir(parents=True, exist_ok=True)
        tuner = GinAtOnce(options, workers=workers)
        train(tuner, out, command=command)
        write_whole(place.with_suffix(".trials.json"), (out / TRIALS).read_bytes())
        write_whole(place, (out / tuner.ARTIFACT).read_bytes())
    if options.network is not None:
        _give_numbers(place, options.network)


def _give_numbers(place: Path, network: Path) -> None:
    write_whole(network / utility.ARTIFACT.name, place.read_bytes())


def numbers_of(place: Path) -> dict[str, float]:
    """Return the paper's eight numbers in the artifact *place*."""
    options = read_numbers(place)["options"]
    return {name: float(options[name]) for name in PAPER_NUMBERS}
