"""The opponent-hand network of the paper: 208 inputs, two layers of 500 with ReLU, 52 sigmoids.

Source: "Opponent hand estimation in Gin Rummy", section Model Design. This module has what playing needs:
loading the trained weights, and inference for one position (compiled) and for many (BLAS). Training is ``rummylab train
gin-opponent-hand``.

An agent appends `Network.flat` to its parameters and tells `fill` where the weights start.
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
from rummylab.beliefs.dot import Shorts, pack, padded, product, quantize
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.bits import ALL_CARDS, IDS_52, index_of, lowest, noinline, stack_array
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
_ROW = padded(WIDTH)
_BIAS1 = N_INPUTS * WIDTH
_LAYER2 = _BIAS1 + WIDTH
_SCALE2 = _LAYER2 + WIDTH * _ROW // 2
_BIAS2 = _SCALE2 + WIDTH
_LAYER3 = _BIAS2 + WIDTH
_SCALE3 = _LAYER3 + N_CARDS * _ROW // 2
_BIAS3 = _SCALE3 + N_CARDS
N_WEIGHTS = _BIAS3 + N_CARDS

BUNDLED = "opponent_hand.safetensors"
"""The trained network that comes with the package."""
AT_ONCE = "opponent_hand_at_once.safetensors"
"""The network trained on the paper's own terms, with agents that knock at once."""


@dataclass(frozen=True, eq=False)
class Network:
    """Trained weights and their manifest."""

    tensors: Tensors
    manifest: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read a trained network.

        Raises:
            ArtifactError: The files are missing or damaged, or hold something else.
        """
        tensors, manifest = read_artifact(path, SHAPES)
        check_kind(manifest, str(path), FORMAT, VERSION)
        return cls(tensors, manifest)

    def save(self, path: Path) -> None:
        """Write the weights and their manifest."""
        write_artifact(path, self.tensors, {"format": FORMAT, "version": VERSION, **self.manifest})

    @cached_property
    def flat(self) -> Floats:
        """The weights in the order of `fill`: the first layer by input, the others packed by output, with scales."""
        first, bias1, second, bias2, third, bias3 = self.tensors.values()
        parts = [first.T, bias1, *pack(second), bias2, *pack(third), bias3]
        return np.concatenate([part.ravel() for part in parts]).astype(np.float32)

    def logits(self, planes: Floats) -> Floats:
        """Return the log-odds of all 52 cards for each row of *planes*, without what is certain."""
        t = self.tensors
        hidden = np.maximum(planes @ t["layer1.weight"].T + t["layer1.bias"], 0)
        hidden = np.maximum(hidden @ t["layer2.weight"].T + t["layer2.bias"], 0)
        return np.asarray(hidden @ t["layer3.weight"].T + t["layer3.bias"], np.float32)

    def probabilities(self, planes: Floats) -> Floats:
        """Return the probability of all 52 cards for each row of *planes*."""
        with np.errstate(over="ignore"):  # an infinite exponential is a probability of 0
            return np.asarray(1 / (1 + np.exp(-self.logits(planes))), np.float32)


@cache
def bundled(name: str = BUNDLED) -> Network:
    """Return a trained network that comes with the package."""
    return Network.load(Path(str(files("rummylab.beliefs.gin") / name)))


# --- One position -------------------------------------------------------------------------------------------------


@helper
def _add_row(params: Floats, row: int, weight: np.float32, out: Floats) -> None:
    """Add *weight* times the WIDTH numbers of *params* from *row* on to *out*."""
    for j in range(WIDTH):
        out[j] += weight * params[np.uint64(row) + np.uint64(j)]


@helper
def _first_layer(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the sums of the first layer to *out*. Few inputs (see `planes`) are not 0."""
    noinline()
    opponent = 1 - mine.seat
    for j in range(WIDTH):
        out[j] = params[at + _BIAS1 + j]
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        where = (mine.hand >> card & 1) - (table.pile >> card & 1)
        if where != 0:
            _add_row(params, at + WIDTH * i, np.float32(where), out)
        if table.took[opponent, i] > 0:
            _add_row(params, at + WIDTH * (N_CARDS + i), np.float32(table.took[opponent, i]), out)
        if table.passed[opponent, i] > 0:
            _add_row(params, at + WIDTH * (2 * N_CARDS + i), np.float32(table.passed[opponent, i]), out)
        if table.threw[opponent, i] > 0:
            _add_row(params, at + WIDTH * (3 * N_CARDS + i), np.float32(table.threw[opponent, i]), out)


@helper
def _second_layer(params: Floats, at: int, first: Floats, active: Shorts, out: Floats) -> None:
    """Write the sums of the second layer to *out*."""
    noinline()
    unit, total = quantize(first, WIDTH, active)
    weights, scales, biases = params[at + _LAYER2 :].view(np.int16), params[at + _SCALE2 :], params[at + _BIAS2 :]
    for j in range(WIDTH):
        out[j] = biases[j] + product(weights, j * _ROW, active, total) * (unit * scales[j])


@helper
def write_logits(table: np.void, mine: np.void, params: Floats, at: int, cards: int, out: Floats) -> None:
    """Write the log-odds of *cards* to *out*."""
    first = stack_array(WIDTH, np.float32)
    second = stack_array(WIDTH, np.float32)
    active = stack_array(_ROW, np.int16)
    _first_layer(table, mine, params, at, first)
    _second_layer(params, at, first, active, second)
    unit, total = quantize(second, WIDTH, active)
    weights = params[at + _LAYER3 :].view(np.int16)
    while cards:
        j = index_of(lowest(cards))
        cards &= cards - 1
        out[j] = params[at + _BIAS3 + j] + product(weights, j * _ROW, active, total) * (unit * params[at + _SCALE3 + j])


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the probability that the opponent holds each card to *out*: 0 or 1 where that is certain."""
    known = table.known[1 - mine.seat]
    possible = ALL_CARDS & ~(mine.hand | table.pile | known)
    write_logits(table, mine, params, at, possible, out)
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        if possible >> card & 1:
            out[i] = np.float32(1 / (1 + np.exp(-out[i])))
        else:
            out[i] = np.float32(known >> card & 1)
