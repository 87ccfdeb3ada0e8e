"""The opponent-hand network of the paper: 208 inputs, two layers of 500 with ReLU, 52 sigmoids.

Source: "Opponent hand estimation in Gin Rummy", section Model Design. This module has what playing needs:
loading the trained weights, and inference for one position (compiled) and for many (BLAS). Training is ``rummylab train
gin-opponent-hand``.

An agent appends `Network.flat` to its parameters and tells `fill` where the weights start.
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.beliefs.dot import Shorts, pack, padded, write_layer
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.bits import ALL_CARDS, IDS_52, noinline, stack_array
from rummylab.engine.artifacts import Trained

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

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
_ROOM = N_INPUTS + 4
"""Room for all inputs and for zeros after the last."""

BUNDLED = "opponent_hand.safetensors"
"""The trained network that comes with the package."""
AT_ONCE = "opponent_hand_at_once.safetensors"
"""The network trained on the paper's own terms, with agents that knock at once."""


class Network(Trained):
    """The trained network."""

    FORMAT, SHAPES = "rummylab-opponent-hand", SHAPES

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
def _note(row: int, size: int, n: int, rows: Ints, sizes: Floats) -> int:
    """Write an input and where its weights begin as the *n*-th; return how many there are: an input of 0 is none."""
    rows[n], sizes[n] = row, np.float32(size)
    return n + np.int64(size != 0)


@helper
def _note_inputs(table: np.void, mine: np.void, rows: Ints, sizes: Floats) -> int:
    """Write the inputs (see `planes`) that are not 0, and where their weights begin; return how many there are."""
    opponent = 1 - mine.seat
    n = np.int64(0)
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        n = _note(WIDTH * i, (mine.hand >> card & 1) - (table.pile >> card & 1), n, rows, sizes)
        n = _note(WIDTH * (N_CARDS + i), table.took[opponent, i], n, rows, sizes)
        n = _note(WIDTH * (2 * N_CARDS + i), table.passed[opponent, i], n, rows, sizes)
        n = _note(WIDTH * (3 * N_CARDS + i), table.threw[opponent, i], n, rows, sizes)
    return n


@helper
def _first_layer(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the sums of the first layer to *out*: four inputs at a time, so that *out* is seldom read and written."""
    noinline()
    rows, sizes = stack_array(_ROOM, np.int64), stack_array(_ROOM, np.float32)
    n = _note_inputs(table, mine, rows, sizes)
    for i in range(n, n + 4):  # the last four need not be full
        rows[i], sizes[i] = 0, 0.0
    for j in range(WIDTH):
        out[j] = params[at + _BIAS1 + j]
    for i in range(0, n, 4):
        size, size2, size3, size4 = sizes[i], sizes[i + 1], sizes[i + 2], sizes[i + 3]
        row, row2 = params[at + rows[i] :], params[at + rows[i + 1] :]
        row3, row4 = params[at + rows[i + 2] :], params[at + rows[i + 3] :]
        for j in range(WIDTH):
            out[j] = out[j] + size * row[j] + size2 * row2[j] + size3 * row3[j] + size4 * row4[j]


@helper
def _layer(
    params: Floats, weights: int, scales: int, biases: int, values: Floats, active: Shorts, n: int, out: Floats
) -> None:
    """Write the *n* sums of a later layer to *out*; *weights*, *scales* and *biases* are where these begin."""
    write_layer(params[weights:].view(np.int16), params[scales:], params[biases:], values, active, n, out)


@helper
def write_logits(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the log-odds of all cards to *out*."""
    first, second = stack_array(WIDTH, np.float32), stack_array(WIDTH, np.float32)
    active = stack_array(_ROW, np.int16)
    _first_layer(table, mine, params, at, first)
    _layer(params, at + _LAYER2, at + _SCALE2, at + _BIAS2, first, active, WIDTH, second)
    _layer(params, at + _LAYER3, at + _SCALE3, at + _BIAS3, second, active, N_CARDS, out)


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the probability that the opponent holds each card to *out*: 0 or 1 where that is certain."""
    known = table.known[1 - mine.seat]
    possible = ALL_CARDS & ~(mine.hand | table.pile | known)
    write_logits(table, mine, params, at, out)
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        if possible >> card & 1:
            out[i] = np.float32(1 / (1 + np.exp(-out[i])))
        else:
            out[i] = np.float32(known >> card & 1)
