"""Trains the opponent-hand network: ``rummylab train gin-opponent-hand``. The one module that needs PyTorch.

208-500-500-52 with ReLU and sigmoids, binary cross-entropy, Adam, as printed; the inputs are not scaled. Ours: the
learning rate falls along a cosine, and in every entry the four suits change places at random, which the game does not
notice. A twentieth of the games, by game, is held out; training ends early when the loss on them no longer falls.

Work goes round by round. After each a checkpoint is written, whole or not at all: an interrupted run carries on from
there and ends with the same weights as one that was not interrupted, on the same machine and number of threads.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import source_hash
from rummylab.arena import plots
from rummylab.beliefs.gin.network import BUNDLED, SHAPES, WIDTH, Network
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.rng import mix
from rummylab.engine.artifacts import write_whole
from rummylab.errors import ArtifactError, MissingExtraError, OptionError
from rummylab.learning.opponent_hand.dataset import Dataset
from rummylab.learning.opponent_hand.hands import Hands
from rummylab.learning.opponent_hand.measures import LOSS, N_MEASURES, measure

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
Floats = npt.NDArray[np.float32]

CHECKPOINT, MODEL, CURVE, FIGURE = "checkpoint.pt", BUNDLED, "curve.csv", "curve.png"
COLUMNS = ("round", "entries", "rate", "loss", "held_out_loss", "held_out_top_10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a training run hangs on, besides the data."""

    seed: int = 1
    epochs: float = 4.0
    """How often each entry is seen."""
    batch: int = 2048
    rate: float = 1e-3
    """Learning rate at the start."""
    round_entries: int = 500_000
    """Entries between two checkpoints."""
    held_out: float = 0.05
    """Share of the games that is not trained on."""
    patience: int = 10
    """Rounds without a better held-out loss after which training ends."""
    change_suits: bool = True

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch, self.rate, self.round_entries, self.patience) <= 0:
            raise OptionError("epochs, batch, rate, round_entries and patience must be positive")
        if not 0 < self.held_out < 1:
            raise OptionError(f"held_out is {self.held_out}, but must lie between 0 and 1")


def _torch(threads: int | None) -> Any:
    # Threads that wait must not spin: on a busy machine that made two of them six times slower than one.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
    except ImportError:
        raise MissingExtraError("training needs PyTorch: pip install 'rummylab[train]'") from None
    if threads:
        torch.set_num_threads(threads)
    return torch


# --- Data ---------------------------------------------------------------------------------------------------------


def is_held_out(games: npt.NDArray[np.uint32], data: int, settings: Settings) -> npt.NDArray[np.bool_]:
    """Return for each game of the *data*-th dataset whether it is kept from training."""
    unique, which = np.unique(games, return_inverse=True)
    lots = np.array([int(mix(settings.seed, data, int(game), _SPLIT)) for game in unique], np.float64) / 2**64
    return np.asarray(lots < settings.held_out)[which]


_SPLIT = 17  # purpose of the random stream that holds games out


def split(datasets: Sequence[Dataset], settings: Settings) -> tuple[Hands, Hands]:
    """Return the hands to train on and those held out; all hands of a game go the same way."""
    train, held_out = [], []
    for number, dataset in enumerate(datasets):
        for hands in dataset:
            out = is_held_out(hands.hands["game"], number, settings)
            train.append(hands.some(~out))
            held_out.append(hands.some(out))
    return Hands.join(train), Hands.join(held_out)


def suit_orders() -> npt.NDArray[np.int64]:
    """Return the 24 orders of the suits, each as the places of 52 cards."""
    from itertools import permutations

    cards = np.arange(13)
    return np.array([np.concatenate([13 * suit + cards for suit in order]) for order in permutations(range(4))])


def change_suits(planes: Floats, held: Floats, rng: np.random.Generator) -> None:
    """Give each block of entries another order of the suits, in place."""
    orders = suit_orders()
    which = rng.integers(0, len(orders), len(planes))
    four = planes.reshape(-1, 4, N_CARDS)
    for number, order in enumerate(orders):
        rows = np.flatnonzero(which == number)
        four[rows] = four[rows][:, :, order]
        held[rows] = held[rows][:, order]


# --- The run ------------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """A training run between two rounds."""

    model: Any
    optimiser: Any
    round: int = 0
    best: float = float("inf")
    best_round: int = 0
    best_weights: dict[str, Any] = field(default_factory=dict)
    curve: list[list[float]] = field(default_factory=list)


def build(torch: Any, seed: int) -> Any:
    """Return the untrained network."""
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(N_INPUTS, WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, N_CARDS),
    )


def tensors_of(weights: dict[str, Any]) -> dict[str, Floats]:
    """Return a PyTorch state as the tensors of the artifact."""
    return {name: weight.detach().numpy().copy() for name, weight in zip(SHAPES, weights.values(), strict=True)}


def train(
    data: Sequence[Path],
    out: Path,
    settings: Settings,
    *,
    command: str = "",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Network:
    """Train on the datasets *data*, write model, checkpoint and curve to *out*, and return the network."""
    torch = _torch(threads)
    plots.need_matplotlib()
    datasets = [Dataset(place) for place in data]
    hands, held_out = split(datasets, settings)
    if len(hands) < settings.batch or not len(held_out):
        raise OptionError(
            f"{len(hands)} entries to train on and {len(held_out)} held out are too few for batches of {settings.batch}"
        )
    plans = hashlib.sha256(json.dumps([dataset.plan for dataset in datasets], sort_keys=True).encode()).hexdigest()
    config = {**asdict(settings), "data": plans[:16]}
    out.mkdir(parents=True, exist_ok=True)
    run = _start(torch, out / CHECKPOINT, config, settings.seed)
    rounds = max(1, round(settings.epochs * len(hands) / settings.round_entries))
    while run.round < rounds and run.round - run.best_round < settings.patience:
        _play_round(torch, run, hands, settings, rounds)
        _judge(torch, run, held_out)
        _keep(torch, run, out, config)
        if progress:
            progress(run.round, rounds)
    manifest = {
        "command": command,
        "settings": asdict(settings),
        "seed": settings.seed,
        "code": source_hash(),
        "torch": torch.__version__,
        "data": {
            "entries": len(hands),
            "held_out": len(held_out),
            "games": int(sum(len(np.unique(part["game"])) for part in (hands.hands,))),
            "plans": [dataset.plan for dataset in datasets],
        },
        "result": {
            "rounds": run.round,
            "entries_seen": int(run.curve[-1][1]),
            "best_round": run.best_round,
            "held_out_loss": round(run.best, 6),
            "held_out_top_10": run.curve[run.best_round - 1][5],
        },
    }
    network = Network(tensors_of(run.best_weights), manifest)
    network.save(out / MODEL)
    return Network.load(out / MODEL)


def _start(torch: Any, place: Path, config: dict[str, Any], seed: int) -> _Run:
    """Return a fresh run, or the one of the checkpoint."""
    model = build(torch, seed)
    run = _Run(model, torch.optim.Adam(model.parameters()))
    if not place.exists():
        return run
    try:
        kept = torch.load(place, weights_only=True)
        found = json.loads(kept["config"])
    except Exception as error:  # noqa: BLE001 PyTorch raises many kinds for a damaged file
        raise ArtifactError(f"{place} is damaged ({error}); remove it to start anew") from None
    for name in {**found, **config}:
        if found.get(name) != config.get(name):
            raise ArtifactError(
                f"{place} belongs to a run with {name} = {found.get(name)}, not {config.get(name)}; "
                "choose another directory or the same settings"
            )
    model.load_state_dict(kept["model"])
    run.optimiser.load_state_dict(kept["optimiser"])
    run.round, run.best, run.best_round = kept["round"], kept["best"], kept["best_round"]
    run.best_weights, run.curve = kept["best_weights"], kept["curve"]
    return run


def rate_at(done: float, rate: float) -> float:
    """Return the learning rate when the share *done* of the run is over: half a cosine, after a short rise."""
    rise = min(1.0, done / 0.01 + 0.01)
    return rate * rise * (0.02 + 0.98 * (0.5 + 0.5 * float(np.cos(np.pi * done))))


def _entries_of_round(n: int, number: int, settings: Settings) -> npt.NDArray[np.int64]:
    """Return the entries of a round: the next stretch of an endless row of shuffled epochs."""
    start = number * settings.round_entries
    found: list[npt.NDArray[np.int64]] = []
    left = settings.round_entries
    while left > 0:
        epoch, at = divmod(start, n)
        order = np.random.default_rng([settings.seed, epoch]).permutation(n)
        found.append(order[at : at + left])
        start += len(found[-1])
        left -= len(found[-1])
    return np.concatenate(found)


def _play_round(torch: Any, run: _Run, hands: Hands, settings: Settings, rounds: int) -> None:
    """Train on the next round of entries."""
    entries = _entries_of_round(len(hands), run.round, settings)
    rng = np.random.default_rng([settings.seed, run.round, 1])
    steps = len(entries) // settings.batch
    planes = np.empty((settings.batch, N_INPUTS), np.float32)
    held = np.empty((settings.batch, N_CARDS), np.float32)
    x, y = torch.from_numpy(planes), torch.from_numpy(held)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    total, rate = 0.0, settings.rate
    for step in range(steps):
        hands.planes(entries[step * settings.batch : (step + 1) * settings.batch], planes, held)
        if settings.change_suits:
            change_suits(planes, held, rng)
        rate = rate_at((run.round + step / steps) / rounds, settings.rate)
        for group in run.optimiser.param_groups:
            group["lr"] = rate
        run.optimiser.zero_grad(set_to_none=True)
        loss = loss_of(run.model(x), y)
        loss.backward()
        run.optimiser.step()
        total += float(loss.detach())
    run.round += 1
    run.curve.append([run.round, run.round * settings.round_entries, rate, total / max(steps, 1)])


def _judge(torch: Any, run: _Run, held_out: Hands, most: int = 100_000) -> None:
    """Measure the network on held-out entries, at most *most* spread over them all; keep the best weights."""
    entries = np.linspace(0, len(held_out) - 1, min(most, len(held_out))).astype(np.int64)
    loss, top, size = 0.0, 0.0, 4096
    for start in range(0, len(entries), size):
        part = entries[start : start + size]
        planes, held = np.empty((len(part), N_INPUTS), np.float32), np.empty((len(part), N_CARDS), np.float32)
        held_out.planes(part, planes, held)
        with torch.no_grad():
            beliefs = torch.sigmoid(run.model(torch.from_numpy(planes))).numpy()
        found = np.empty((len(part), N_MEASURES), np.float32)
        measure(beliefs, held, found)
        loss += float(found[:, LOSS].sum())
        top += float(found[:, 0].sum())
    loss, top = loss / len(entries), top / len(entries)
    run.curve[-1] += [round(loss, 6), round(top, 5)]
    log.info("round %d: loss %.5f, held out %.5f, top 10 %.4f", run.round, run.curve[-1][3], loss, top)
    if loss < run.best:
        run.best, run.best_round = loss, run.round
        run.best_weights = {name: weight.clone() for name, weight in run.model.state_dict().items()}


def _keep(torch: Any, run: _Run, out: Path, config: dict[str, Any]) -> None:
    """Write checkpoint and learning curve."""
    buffer = io.BytesIO()
    kept = {
        "config": json.dumps(config),
        "model": run.model.state_dict(),
        "optimiser": run.optimiser.state_dict(),
        "round": run.round,
        "best": run.best,
        "best_round": run.best_round,
        "best_weights": run.best_weights,
        "curve": run.curve,
    }
    torch.save(kept, buffer)
    write_whole(out / CHECKPOINT, buffer.getvalue())
    lines = [",".join(COLUMNS), *(",".join(f"{value:.6g}" for value in row) for row in run.curve)]
    write_whole(out / CURVE, ("\n".join(lines) + "\n").encode())
    plots.learning_curve(
        out / FIGURE,
        [row[1] for row in run.curve],
        {"training": [row[3] for row in run.curve], "held-out games": [row[4] for row in run.curve]},
        title="Opponent-hand network",
    )
