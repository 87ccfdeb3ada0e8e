"""Small fully connected networks in PyTorch, for the trainers; agents run what they learned without it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.learning.trainer import missing

Floats = npt.NDArray[np.float32]


def load_torch(threads: int = 0) -> Any:
    """Return PyTorch, set to use *threads* threads (0: as many as it likes).

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    # Threads that wait must not spin: on a busy machine that made two of them six times slower than one.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch
    except ImportError:
        raise missing("PyTorch") from None
    if threads:
        torch.set_num_threads(threads)
    return torch


def build(torch: Any, sizes: Sequence[int], seed: int) -> Any:
    """Return an untrained network with layers of these *sizes* and ReLU between them."""
    torch.manual_seed(seed)
    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        layers += [torch.nn.ReLU()] * bool(layers) + [torch.nn.Linear(inputs, outputs)]
    return torch.nn.Sequential(*layers)


def weights_of(model: Any) -> list[Floats]:
    """Return copies of the weights and biases of *model*, layer by layer."""
    return [parameter.detach().numpy().copy() for parameter in model.parameters()]


def set_weights(torch: Any, model: Any, weights: Sequence[npt.NDArray[Any]]) -> None:
    """Give *model* the weights that `weights_of` returned."""
    with torch.no_grad():
        for parameter, weight in zip(model.parameters(), weights, strict=True):
            parameter.copy_(torch.from_numpy(np.array(weight, np.float32)))


def adam_state(optimizer: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the state of an Adam optimizer as arrays, empty before the first step."""
    state: Mapping[int, Mapping[str, Any]] = optimizer.state_dict()["state"]
    return {f"adam/{k}/{name}": part.numpy().copy() for k, parts in state.items() for name, part in parts.items()}


def set_adam_state(torch: Any, optimizer: Any, arrays: Mapping[str, Any]) -> None:
    """Give *optimizer* the state that `adam_state` returned; other entries of *arrays* are ignored."""
    state: dict[int, dict[str, Any]] = {}
    for key, array in arrays.items():
        if key.startswith("adam/"):
            _, k, name = key.split("/")
            state.setdefault(int(k), {})[name] = torch.from_numpy(np.array(array))
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
