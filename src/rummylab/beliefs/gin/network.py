"""The opponent-hand network of the paper: 208 inputs, two layers of 500 with ReLU, 52 sigmoids.

Source: "Opponent hand estimation in Gin Rummy", section Model Design. Here is what playing needs: loading the trained
weights, the answer for one position (compiled) and for many (BLAS). Training is in ``learning``.

An agent appends :attr:`Network.flat` to its parameters and tells :func:`fill` where the weights begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.bits import IDS_52, stay_apart
from rummylab.engine.artifacts import Tensors, check_kind, read_artifact, write_artifact

Floats = npt.NDArray[np.float32]

FORMAT = "rummylab-opponent-hand"
VERSION = 1
WIDTH = 500
SHAPES = {
    "layer1.weight": (WIDTH, N_INPUTS),
    "layer1.bias": (WIDTH,),
    "layer2.weight": (WIDTH, WIDTH),
    "layer2.bias": (WIDTH,),
    "layer3.weight": (N_CARDS, WIDTH),
    "layer3.bias": (N_CARDS,),
}
_BIAS1 = N_INPUTS * WIDTH
_LAYER2 = _BIAS1 + WIDTH
_BIAS2 = _LAYER2 + WIDTH * WIDTH
_LAYER3 = _BIAS2 + WIDTH
_BIAS3 = _LAYER3 + WIDTH * N_CARDS
N_WEIGHTS = _BIAS3 + N_CARDS

BUNDLED = "opponent_hand.safetensors"
"""The trained network that comes with the package."""
AT_ONCE = "opponent_hand_at_once.safetensors"
"""The one trained on the paper's own terms: agents that knock at once."""


@dataclass(frozen=True, eq=False)
class Network:
    """Trained weights and where they come from."""

    tensors: Tensors
    manifest: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read and check a trained network."""
        tensors, manifest = read_artifact(path, SHAPES)
        check_kind(manifest, str(path), FORMAT, VERSION)
        return cls(tensors, manifest)

    def save(self, path: Path) -> None:
        """Write the weights and their manifest."""
        write_artifact(path, self.tensors, {"format": FORMAT, "version": VERSION, **self.manifest})

    @cached_property
    def flat(self) -> Floats:
        """The weights as :func:`fill` reads them: of every layer first the rows by input, then the biases."""
        return np.concatenate([tensor.T.ravel() for tensor in self.tensors.values()]).astype(np.float32)

    def logits(self, planes: Floats) -> Floats:
        """Return the log-odds of all 52 cards for each row of *planes*, before certainty is put in."""
        t = self.tensors
        hidden = np.maximum(planes @ t["layer1.weight"].T + t["layer1.bias"], 0)
        hidden = np.maximum(hidden @ t["layer2.weight"].T + t["layer2.bias"], 0)
        return np.asarray(hidden @ t["layer3.weight"].T + t["layer3.bias"], np.float32)

    def probabilities(self, planes: Floats) -> Floats:
        """Return the probability of all 52 cards for each row of *planes*."""
        with np.errstate(over="ignore"):  # exp of a hopeless card's log-odds is infinite, its probability 0
            return np.asarray(1 / (1 + np.exp(-self.logits(planes))), np.float32)


@cache
def bundled(name: str = BUNDLED) -> Network:
    """Return a trained network that comes with the package."""
    return Network.load(Path(str(files("rummylab.beliefs.gin") / name)))


# --- One position -------------------------------------------------------------------------------------------------


@helper
def _add_row(par: Floats, row: int, weight: np.float32, out: Floats) -> None:
    """Add *weight* times the WIDTH numbers of *par* from *row* on to *out*."""
    for j in range(WIDTH):
        out[j] += weight * par[np.uint64(row) + np.uint64(j)]


@helper
def _second_layer(par: Floats, at: int, hidden: Floats, out: Floats) -> None:
    """Write the sums of the second layer to *out*; silent neurons, half of them all, cost nothing."""
    stay_apart()
    for j in range(WIDTH):
        out[j] = par[at + _BIAS2 + j]
    for i in range(WIDTH):
        if hidden[i] > 0:
            _add_row(par, at + _LAYER2 + WIDTH * i, hidden[i], out)


@helper
def _first_layer(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the sums of the first layer to *out*: the planes of :mod:`planes`, of which few numbers are not 0."""
    stay_apart()
    opponent = 1 - mine.seat
    for j in range(WIDTH):
        out[j] = par[at + _BIAS1 + j]
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        where = (mine.hand >> card & 1) - (table.pile >> card & 1)
        if where != 0:
            _add_row(par, at + WIDTH * i, np.float32(where), out)
        if table.took[opponent, i] > 0:
            _add_row(par, at + WIDTH * (N_CARDS + i), np.float32(table.took[opponent, i]), out)
        if table.passed[opponent, i] > 0:
            _add_row(par, at + WIDTH * (2 * N_CARDS + i), np.float32(table.passed[opponent, i]), out)
        if table.threw[opponent, i] > 0:
            _add_row(par, at + WIDTH * (3 * N_CARDS + i), np.float32(table.threw[opponent, i]), out)


@helper
def write_logits(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the log-odds of all 52 cards to *out*."""
    first = np.empty(WIDTH, np.float32)
    second = np.empty(WIDTH, np.float32)
    _first_layer(table, mine, par, at, first)
    _second_layer(par, at, first, second)
    for j in range(N_CARDS):
        out[j] = par[at + _BIAS3 + j]
    for i in range(WIDTH):
        if second[i] > 0:
            for j in range(N_CARDS):
                out[j] += second[i] * par[np.uint64(at + _LAYER3 + N_CARDS * i) + np.uint64(j)]


@helper
def fill(table: np.void, mine: np.void, par: Floats, at: int, out: Floats) -> None:
    """Write the probability that the opponent holds each card to *out*; what is certain is 0 or 1."""
    write_logits(table, mine, par, at, out)
    gone = mine.hand | table.pile
    known = table.known[1 - mine.seat]
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        if gone >> card & 1:
            out[i] = 0
        elif known >> card & 1:
            out[i] = 1
        else:
            out[i] = np.float32(1 / (1 + np.exp(-out[i])))
