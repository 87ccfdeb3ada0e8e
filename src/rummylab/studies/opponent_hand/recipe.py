"""The paper's whole procedure in one command: three phases of data and training, then a measurement on fresh games.

    python -m rummylab.studies.opponent_hand.recipe --out runs/opponent-hand --entries 10000000

1. Data of phase 1 (two utility agents and Simple), 32 of 50 parts; network 1.
2. Data of phase 2 (the agent with network 1 against itself and the two), 9 parts; network 2 on both.
3. Data of phase 3 (likewise with network 2), 9 parts; the final network on all.
4. The weights of the hand's shape, fitted to games that no network has seen.
5. A measurement on fresh games of the same mix, with the final agent as the new one.

Every step resumes where it was stopped. If the directory ``net1`` or ``net2`` has a ``utility.json`` (say from
``rummylab tune``), the agent of the next phase plays with those numbers, as the paper re-tuned its agents; put it there
before the next phase begins. ``--tiny`` does everything in about a minute, to see that it works.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import AT_ONCE, BUNDLED, Network
from rummylab.engine.artifacts import read_numbers, write_json
from rummylab.engine.writing import write_whole
from rummylab.errors import OptionError
from rummylab.learning.opponent_hand.dataset import DatasetPlan, generate
from rummylab.learning.opponent_hand.evaluate import evaluate
from rummylab.learning.opponent_hand.line_ups import CASTS, Cast, LineUp, paper_mix, phase_mix
from rummylab.learning.opponent_hand.players import AT_ONCE_NUMBERS
from rummylab.learning.options import AT_ONCE_STEPS, AtOnceOptions, HandShapeOptions, OpponentHandOptions
from rummylab.learning.trainer import train
from rummylab.learning.trainers import gin_at_once
from rummylab.learning.trainers.gin_hand_shape import GinHandShape
from rummylab.learning.trainers.gin_opponent_hand import GinOpponentHand

log = logging.getLogger(__name__)

PARTS = (32, 9, 9)
"""Million entries of the paper's phases."""
AT_ONCE_NAME = "at-once"
_FRESH = 1_000_003  # added to the seed for games that no network was trained on


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that the result depends on."""

    entries: int = 10_000_000
    seed: int = 1
    epochs: tuple[float, float, float] = (1.0, 1.0, 3.0)
    """Of the three networks; the first two only serve to make data."""
    training: OpponentHandOptions = field(default_factory=OpponentHandOptions)
    """Options of every network; data, epochs and seed are filled in."""
    test_entries: int = 1_500_000
    shape_entries: int = 400_000
    """Entries of fresh games for the shape of hands; 0: no fit."""
    shard_entries: int = 50_000
    cast: str = "ours"
    """Who plays: the agents with our numbers or, on the paper's own terms, agents that knock at once."""
    numbers: Path | None = None
    """Directory of the tuned numbers of the agents that knock at once; missing ones are searched. None: in the run."""
    networks: Path | None = None
    """A finished run whose first two networks make the data, so that runs differ by the number of entries alone."""
    budgets: Mapping[str, gin_at_once.Budget] = field(default_factory=lambda: gin_at_once.BUDGETS)


TINY = Recipe(
    entries=6_000,
    epochs=(4.0, 4.0, 8.0),
    training=OpponentHandOptions(batch=128, round_entries=4_000),
    test_entries=2_000,
    shape_entries=4_000,
    shard_entries=2_000,
    budgets=dict.fromkeys(AT_ONCE_STEPS, gin_at_once.Budget(trials=2, games=2, measured_games=2)),
)


def run(out: Path, recipe: Recipe, *, workers: int | None = None) -> dict[str, Any]:
    """Carry out all steps in the directory *out* and return the measurement."""
    cast = _cast(out, recipe, workers)
    data: list[Path] = []
    model: Path | None = None
    for phase, part in enumerate(PARTS, 1):
        start = time.perf_counter()
        data.append(out / f"data{phase}")
        generate(data[-1], _plan(recipe, phase_mix(phase, model, cast), phase, part), workers=workers)
        log.info("phase %d: data after %.0f s", phase, time.perf_counter() - start)
        if recipe.networks and phase < len(PARTS):
            model = recipe.networks / f"net{phase}"
            continue
        model = out / f"net{phase}"
        options = replace(recipe.training, data=tuple(data), epochs=recipe.epochs[phase - 1], seed=recipe.seed)
        train(GinOpponentHand(options), model, command=_command(recipe))
        log.info("phase %d: network after %.0f s", phase, time.perf_counter() - start)
        if recipe.cast == AT_ONCE_NAME:
            last = min(phase, len(gin_at_once.RE_TUNED))  # the final agent keeps the numbers of phase 3
            _search(gin_at_once.RE_TUNED[last - 1], out, model, recipe, workers)
    assert model is not None
    network = Network.load(model / BUNDLED)
    if recipe.shape_entries:
        shape_options = HandShapeOptions(entries=recipe.shape_entries, model=model, cast=recipe.cast, seed=recipe.seed)
        train(GinHandShape(shape_options), out / "shape", command=_command(recipe))
        write_whole(model / hand_shape.BUNDLED, (out / "shape" / hand_shape.BUNDLED).read_bytes())
    test = DatasetPlan(
        entries=recipe.test_entries,
        seed=recipe.seed + _FRESH,
        line_ups=paper_mix(model, cast),
        shard_entries=min(10_000, recipe.shard_entries),
    )
    shape = hand_shape.load(model / hand_shape.BUNDLED) if recipe.shape_entries else None
    found = evaluate(test, network, shape=shape, workers=workers)
    write_json(out / "result.json", found)
    return found


def _cast(out: Path, recipe: Recipe, workers: int | None) -> Cast:
    """Return who plays. The two agents that knock at once are tuned first, unless their numbers are there."""
    if recipe.cast != AT_ONCE_NAME:
        return CASTS[recipe.cast]
    pair = (gin_at_once.FIRST, gin_at_once.SECOND)
    for step in pair:
        _search(step, out, None, recipe, workers)
    numbers = recipe.numbers or out / "numbers"
    first, second = (f"utility@{numbers / step}.json~{gin_at_once.SAMPLES}" for step in pair)
    return CASTS[recipe.cast]._replace(first=first, second=second)


def _search(step: str, out: Path, network: Path | None, recipe: Recipe, workers: int | None) -> None:
    budget, numbers = recipe.budgets[step], recipe.numbers or out / "numbers"
    options = AtOnceOptions(
        step=step,
        numbers=numbers,
        network=network,
        trials=budget.trials,
        games=budget.games,
        measured_games=budget.measured_games,
        seed=recipe.seed,
    )
    gin_at_once.search(options, numbers, out / "searches" / step, command=_command(recipe), workers=workers)


def _plan(recipe: Recipe, line_ups: tuple[LineUp, ...], phase: int, part: int) -> DatasetPlan:
    entries = -(-recipe.entries * part // sum(PARTS))
    return DatasetPlan(
        entries=entries, seed=1000 * recipe.seed + phase, line_ups=line_ups, shard_entries=recipe.shard_entries
    )


def _command(recipe: Recipe) -> str:
    cast = "" if recipe.cast == "ours" else f" --cast {recipe.cast}"
    return f"python -m rummylab.studies.opponent_hand.recipe{cast} --entries {recipe.entries} --seed {recipe.seed}"


def install(out: Path, package: Path = Path(hand_shape.__file__).parent) -> None:
    """Put the final network and the shape of hands of the run *out* into the package.

    Everything is read before anything is written.
    """
    model = out / "net3"
    if not (model / hand_shape.BUNDLED).exists():
        raise OptionError(f"{out} has no shape of hands, so it is a run of another cast; give --cast {AT_ONCE_NAME}")
    network, weights = Network.load(model / BUNDLED), hand_shape.load(model / hand_shape.BUNDLED)
    result = read_numbers(out / "result.json")
    facts = hand_shape.read_manifests(model / hand_shape.BUNDLED)
    Network(network.tensors, _manifest(network, result, out)).save(package / BUNDLED)
    by_kind = dict(zip(hand_shape.KINDS, weights, strict=True))
    hand_shape.save(package / hand_shape.BUNDLED, by_kind, _without_place(facts, out))


def install_at_once(
    out: Path, numbers: Path, package: Path = Path(hand_shape.__file__).parent, agents: Path = AT_ONCE_NUMBERS.parent
) -> None:
    """Put the final network of *out* and the final agent's *numbers* into the package."""
    network = Network.load(out / "net3" / BUNDLED)
    result = read_numbers(out / "result.json")
    chosen = (numbers / f"{AT_ONCE_STEPS[-1]}.json").read_bytes()
    Network(network.tensors, _manifest(network, result, out)).save(package / AT_ONCE)
    write_whole(agents / AT_ONCE_NUMBERS.name, chosen)


def _manifest(network: Network, result: dict[str, Any], out: Path) -> Any:
    """Return the manifest of *network* with the measurement."""
    measured = {name: result[name] for name in ("entries", "seed", "line_ups", "network", "uniform")}
    manifest = {name: fact for name, fact in network.manifest.items() if name not in ("sha256", "shapes")}
    return _without_place({**manifest, "result": {**manifest["result"], "test": measured}}, out)


def _without_place(facts: Any, out: Path) -> Any:
    """Return *facts* without the directory of the run, which says nothing to other readers."""
    return json.loads(json.dumps(facts).replace(f"{out}/", ""))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the recipe from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.studies.opponent_hand.recipe")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--entries", type=int, help="in all three phases; the paper has 50000000")
    parser.add_argument("--cast", choices=CASTS, default="ours", help="at-once: the paper's own terms")
    parser.add_argument("--numbers", type=Path, help="tuned numbers of the cast at-once; missing ones are searched")
    parser.add_argument("--networks", type=Path, help="finished run whose first two networks make the data")
    parser.add_argument("--epochs", type=float, help="epochs of the final network")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test-entries", type=int)
    parser.add_argument("--workers", type=int, help="processes that play; default: one per core")
    parser.add_argument("--threads", type=int, default=0, help="threads of PyTorch; 0: one per core")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--install", action="store_true", help="put the network of a finished run into the package")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    recipe = replace(TINY if chosen.tiny else Recipe(), seed=chosen.seed)
    recipe = replace(recipe, entries=chosen.entries or recipe.entries)
    recipe = replace(
        recipe,
        test_entries=chosen.test_entries or recipe.test_entries,
        cast=chosen.cast,
        numbers=chosen.numbers,
        networks=chosen.networks,
        epochs=(*recipe.epochs[:2], chosen.epochs or recipe.epochs[2]),
        training=replace(recipe.training, threads=chosen.threads),
        shape_entries=0 if chosen.cast == AT_ONCE_NAME else recipe.shape_entries,
    )
    if chosen.install and chosen.cast == AT_ONCE_NAME:
        install_at_once(chosen.out, chosen.numbers or chosen.out / "numbers")
        return
    if chosen.install:
        install(chosen.out)
        return
    found = run(chosen.out, recipe, workers=chosen.workers)
    for name in ("network", "counts", "uniform"):
        log.info("%s: %s", name, found[name]["top_k"])


if __name__ == "__main__":
    main()
