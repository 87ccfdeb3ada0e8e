"""Train the opponent-hand network of Gin on datasets of play.

    rummylab train gin-opponent-hand --data data1 --data data2 --out runs/net2

The network is 208-500-500-52 with ReLU and sigmoids, binary cross-entropy and Adam, as in the paper; the inputs are not
scaled. Ours: the learning rate falls along a cosine, and in every entry the four suits are permuted at random, which
does not change the game. A twentieth of the games is held out; training ends early when the loss on them stops falling.

A resumed run gives the same weights on the same machine with the same number of threads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.beliefs.gin.network import BUNDLED, SHAPES, WIDTH, Network
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.rng import mix
from rummylab.errors import OptionError
from rummylab.learning.networks import adam_state, build, load_torch, set_adam_state, set_weights, weights_of
from rummylab.learning.opponent_hand.beliefs import chunks
from rummylab.learning.opponent_hand.dataset import Dataset
from rummylab.learning.opponent_hand.hands import Hands
from rummylab.learning.opponent_hand.measures import LOSS, N_MEASURES, measure
from rummylab.learning.options import OpponentHandOptions
from rummylab.learning.trainer import State, Trainer

Floats = npt.NDArray[np.float32]

SIZES = (N_INPUTS, WIDTH, WIDTH, N_CARDS)
"""Of the layers."""
MOST_HELD_OUT = 100_000
"""Held-out entries that a round is measured on, at most."""
_SPLIT = 17  # purpose of the random stream that holds games out


# --- Data ---------------------------------------------------------------------------------------------------------


def is_held_out(games: npt.NDArray[np.uint32], data: int, options: OpponentHandOptions) -> npt.NDArray[np.bool_]:
    """Return for each game of dataset number *data* whether it is kept from training."""
    unique, which = np.unique(games, return_inverse=True)
    draws = np.array([int(mix(options.seed, data, int(game), _SPLIT)) for game in unique], np.float64) / 2**64
    return np.asarray(draws < options.held_out)[which]


def split(datasets: Sequence[Dataset], options: OpponentHandOptions) -> tuple[Hands, Hands]:
    """Return the hands to train on and those held out; all hands of a game go the same way."""
    train, held_out = [], []
    for number, dataset in enumerate(datasets):
        for hands in dataset:
            out = is_held_out(hands.hands["game"], number, options)
            train.append(hands.some(~out))
            held_out.append(hands.some(out))
    return Hands.join(train), Hands.join(held_out)


def suit_orders() -> npt.NDArray[np.int64]:
    """Return the 24 permutations of the suits, each as a permutation of 52 cards."""
    cards = np.arange(13)
    return np.array([np.concatenate([13 * suit + cards for suit in order]) for order in permutations(range(4))])


def permute_suits(planes: Floats, held: Floats, rng: np.random.Generator) -> None:
    """Permute the suits of every entry at random, in place."""
    orders = suit_orders()
    which = rng.integers(0, len(orders), len(planes))
    four = planes.reshape(-1, 4, N_CARDS)
    for number, order in enumerate(orders):
        rows = np.flatnonzero(which == number)
        four[rows] = four[rows][:, :, order]
        held[rows] = held[rows][:, order]


def entries_of_round(n: int, number: int, options: OpponentHandOptions) -> npt.NDArray[np.int64]:
    """Return the entries of a round: the next stretch of an endless sequence of shuffled epochs."""
    start = number * options.round_entries
    found: list[npt.NDArray[np.int64]] = []
    left = options.round_entries
    while left > 0:
        epoch, at = divmod(start, n)
        order = np.random.default_rng([options.seed, epoch]).permutation(n)
        found.append(order[at : at + left])
        start += len(found[-1])
        left -= len(found[-1])
    return np.concatenate(found)


def rate_at(done: float, rate: float) -> float:
    """Return the learning rate when the share *done* of the run is over: half a cosine, after a short rise."""
    rise = min(1.0, done / 0.01 + 0.01)
    return rate * rise * (0.02 + 0.98 * (0.5 + 0.5 * float(np.cos(np.pi * done))))


# --- The run ------------------------------------------------------------------------------------------------------


class GinOpponentHand(Trainer):
    """A network, its optimizer, and the best weights so far."""

    ARTIFACT = BUNDLED
    COLUMNS = ("entries", "rate", "loss", "held_out_loss", "held_out_top_10")
    MAY_CHANGE = ("data", "threads")

    def __init__(self, options: OpponentHandOptions) -> None:
        super().__init__(options)
        self.torch = load_torch(options.threads)
        datasets = [Dataset(place) for place in options.data]
        self.plans = [dataset.plan for dataset in datasets]
        self.hands, self.held_out = split(datasets, options)
        if len(self.hands) < options.batch or not len(self.held_out):
            raise OptionError(
                f"{len(self.hands)} entries to train on and {len(self.held_out)} held out are too few for batches of "
                f"{options.batch}; give more --data or a smaller --batch"
            )
        self.model = build(self.torch, SIZES, options.seed)
        self.optimizer = self.torch.optim.Adam(self.model.parameters())
        self.best, self.best_round = float("inf"), 0
        self.best_weights = weights_of(self.model)

    @property
    def rounds(self) -> int:
        rounds: int = round(self.options.epochs * len(self.hands) / self.options.round_entries)
        return max(1, rounds)

    @property
    def is_done(self) -> bool:
        return super().is_done or self.round - self.best_round >= self.options.patience

    def identity(self) -> dict[str, Any]:
        plans = hashlib.sha256(json.dumps(self.plans, sort_keys=True).encode()).hexdigest()
        return {**super().identity(), "data": plans[:16]}

    def run_round(self) -> Sequence[float]:
        loss, rate = self._learn()
        held_out_loss, top = self._measure()
        if held_out_loss < self.best:
            self.best, self.best_round = held_out_loss, self.round + 1
            self.best_weights = weights_of(self.model)
        return (self.round + 1) * self.options.round_entries, rate, loss, round(held_out_loss, 6), round(top, 5)

    def _learn(self) -> tuple[float, float]:
        """Train on the entries of the round; return the mean loss and the last learning rate."""
        options = self.options
        entries = entries_of_round(len(self.hands), self.round, options)
        rng = np.random.default_rng([options.seed, self.round, 1])
        planes, held = np.empty((options.batch, N_INPUTS), np.float32), np.empty((options.batch, N_CARDS), np.float32)
        x, y = self.torch.from_numpy(planes), self.torch.from_numpy(held)
        loss_of = self.torch.nn.functional.binary_cross_entropy_with_logits
        steps = len(entries) // options.batch
        total, rate = 0.0, options.rate
        for step in range(steps):
            self.hands.planes(entries[step * options.batch : (step + 1) * options.batch], planes, held)
            if options.permute_suits:
                permute_suits(planes, held, rng)
            rate = rate_at((self.round + step / steps) / self.rounds, options.rate)
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self.optimizer.zero_grad(set_to_none=True)
            loss = loss_of(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach())
        return total / max(steps, 1), rate

    def _measure(self) -> tuple[float, float]:
        """Return log loss and top-10 accuracy on held-out entries, spread over all of them."""
        n = len(self.held_out)
        sums = np.zeros(N_MEASURES)
        count = 0
        for _, planes, held in chunks(self.held_out, np.linspace(0, n - 1, min(MOST_HELD_OUT, n)).astype(np.int64)):
            with self.torch.no_grad():
                beliefs = self.torch.sigmoid(self.model(self.torch.from_numpy(planes))).numpy()
            found = np.empty((len(planes), N_MEASURES), np.float32)
            measure(beliefs, held, found)
            sums += found.sum(axis=0)
            count += len(planes)
        return float(sums[LOSS] / count), float(sums[0] / count)

    def state(self) -> State:
        return {
            **{f"model/{k}": weight for k, weight in enumerate(weights_of(self.model))},
            **{f"best/{k}": weight for k, weight in enumerate(self.best_weights)},
            **adam_state(self.optimizer),
            "best": self.best,
            "best_round": self.best_round,
        }

    def set_state(self, state: State) -> None:
        set_weights(self.torch, self.model, [state[f"model/{k}"] for k in range(len(SHAPES))])
        self.best_weights = [state[f"best/{k}"] for k in range(len(SHAPES))]
        set_adam_state(self.torch, self.optimizer, state)
        self.best, self.best_round = float(state["best"]), int(state["best_round"])

    def data_size(self) -> Mapping[str, Any]:
        return {
            "entries": len(self.hands),
            "held_out": len(self.held_out),
            "games": len(np.unique(self.hands.hands["game"])),
            "plans": self.plans,
        }

    def result(self) -> Mapping[str, Any]:
        return {
            "torch": self.torch.__version__,
            "rounds": self.round,
            "entries_seen": int(self.curve[-1][1]),
            "best_round": self.best_round,
            "held_out_loss": round(self.best, 6),
            "held_out_top_10": self.curve[self.best_round - 1][5],
        }

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        Network(dict(zip(SHAPES, self.best_weights, strict=True)), dict(manifest)).save(path)
