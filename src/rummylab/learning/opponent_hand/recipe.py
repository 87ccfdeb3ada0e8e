"""The whole study of the paper in one command: three phases of data and training, then judgement on fresh games.

    python -m rummylab.learning.opponent_hand.recipe --out runs/opponent-hand --entries 10000000

1. Data of phase 1 (two utility agents and Simple), 32 of 50 parts; network 1.
2. Data of phase 2 (the agent with network 1 against itself and the two), 9 parts; network 2 on both.
3. Data of phase 3 (the agent with network 2, likewise), 9 parts; the final network on all.
4. The weights of the hand's shape, fitted to games of the last phase that no network has seen.
5. Judgement on fresh games of the same mix, with the final agent as the new one.

Every step carries on where it was stopped. If a directory ``net1`` or ``net2`` has a ``utility.json`` (say from
``rummylab tune``) the agent of the next phase plays with those numbers, as the paper re-tuned its agents; put it there
before the next phase begins. ``--tiny`` does all of it in about a minute, to see that it works.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import BUNDLED, Network
from rummylab.engine.artifacts import write_whole
from rummylab.learning.opponent_hand.beliefs import certain
from rummylab.learning.opponent_hand.dataset import LineUp, Plan, generate, paper_mix, phase_mix, play_shard
from rummylab.learning.opponent_hand.evaluate import evaluate
from rummylab.learning.opponent_hand.shape import Positions, fit
from rummylab.learning.opponent_hand.train import Settings, train

log = logging.getLogger(__name__)

PARTS = (32, 9, 9)
"""Million entries of the paper's phases."""
_FRESH = 1_000_003  # added to the seed for games that nobody has trained on


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What the study hangs on."""

    entries: int = 10_000_000
    seed: int = 1
    epochs: tuple[float, float, float] = (1.0, 1.0, 3.0)
    """Of the three networks; the first two only serve to make data."""
    settings: Settings = field(default_factory=Settings)
    test_entries: int = 1_500_000
    shape_entries: int = 400_000
    shard_entries: int = 50_000


TINY = Recipe(
    entries=6_000,
    epochs=(4.0, 4.0, 8.0),
    settings=Settings(batch=128, round_entries=4_000),
    test_entries=2_000,
    shape_entries=4_000,
    shard_entries=2_000,
)


def run(out: Path, recipe: Recipe, *, workers: int | None = None, threads: int | None = None) -> dict[str, Any]:
    """Do all steps in *out* and return the judgement."""
    data: list[Path] = []
    model: Path | None = None
    for phase, part in enumerate(PARTS, 1):
        start = time.perf_counter()
        data.append(out / f"data{phase}")
        made = generate(data[-1], _plan(recipe, phase_mix(phase, model), phase, part), workers=workers)
        log.info("phase %d: data after %.0f s", phase, time.perf_counter() - start)
        model = out / f"net{phase}"
        settings = replace(recipe.settings, epochs=recipe.epochs[phase - 1], seed=recipe.seed)
        train(data, model, settings, command=_command(recipe), threads=threads)
        log.info("phase %d: %d shards, network after %.0f s", phase, made.shards, time.perf_counter() - start)
    assert model is not None
    network = Network.load(model / BUNDLED)
    fit_shape(model / hand_shape.BUNDLED, network, recipe, phase_mix(3, model))
    test = Plan(
        entries=recipe.test_entries,
        seed=recipe.seed + _FRESH,
        line_ups=paper_mix(model),
        shard_entries=min(10_000, recipe.shard_entries),
    )
    found = evaluate(test, network, shape=hand_shape.load(model / hand_shape.BUNDLED), workers=workers)
    write_whole(out / "result.json", (json.dumps(found, indent=1) + "\n").encode())
    return found


def _plan(recipe: Recipe, line_ups: tuple[LineUp, ...], phase: int, part: int) -> Plan:
    entries = -(-recipe.entries * part // sum(PARTS))
    return Plan(entries=entries, seed=1000 * recipe.seed + phase, line_ups=line_ups, shard_entries=recipe.shard_entries)


def _command(recipe: Recipe) -> str:
    return f"python -m rummylab.learning.opponent_hand.recipe --entries {recipe.entries} --seed {recipe.seed}"


def fit_shape(place: Path, network: Network, recipe: Recipe, line_ups: tuple[LineUp, ...]) -> None:
    """Fit the weights of the hand's shape to fresh games and write them to *place*."""
    if place.exists():
        return
    entries = recipe.shape_entries
    plan = Plan(entries=entries, seed=recipe.seed + 2 * _FRESH, line_ups=line_ups, shard_entries=entries)
    hands = play_shard(plan, 0)
    weights = fit(Positions.of(hands, certain(network.probabilities), len(hands)), recipe.seed)
    facts = {
        "command": _command(recipe),
        "entries": len(hands),
        "seed": recipe.seed,
        "network": network.manifest["sha256"],
        "plan": plan.to_dict(),
    }
    hand_shape.save(place, weights, facts)


def install(out: Path, package: Path = Path(hand_shape.__file__).parent) -> None:
    """Put the final network and the shape of *out* into the package; all is read before anything is written."""
    model = out / "net3"
    network, weights = Network.load(model / BUNDLED), hand_shape.load(model / hand_shape.BUNDLED)
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    kept = json.loads((model / hand_shape.BUNDLED).read_text(encoding="utf-8"))
    measured = {name: result[name] for name in ("entries", "seed", "line_ups", "network", "uniform")}
    manifest = {name: fact for name, fact in network.manifest.items() if name not in ("sha256", "shapes")}
    manifest["result"] = {**manifest["result"], "test": measured}
    Network(network.tensors, _without_place(manifest, out)).save(package / BUNDLED)
    hand_shape.save(package / hand_shape.BUNDLED, weights, _without_place(kept["manifest"], out))


def _without_place(facts: Any, out: Path) -> Any:
    """Return *facts* without the directory of the run: where it was is nobody's business."""
    return json.loads(json.dumps(facts).replace(f"{out}/", ""))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.opponent_hand.recipe")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--entries", type=int, help="of all phases together; the paper has 50000000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test-entries", type=int)
    parser.add_argument("--workers", type=int, help="processes that play; default: one per core")
    parser.add_argument("--threads", type=int, help="threads of PyTorch; default: one per core")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--install", action="store_true", help="put the network of a finished run into the package")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    recipe = replace(TINY if chosen.tiny else Recipe(), seed=chosen.seed)
    recipe = replace(recipe, entries=chosen.entries or recipe.entries)
    recipe = replace(recipe, test_entries=chosen.test_entries or recipe.test_entries)
    if chosen.install:
        install(chosen.out)
        return
    found = run(chosen.out, recipe, workers=chosen.workers, threads=chosen.threads)
    for name in ("network", "counts", "uniform"):
        log.info("%s: %s", name, found[name]["top_k"])


if __name__ == "__main__":
    main()
