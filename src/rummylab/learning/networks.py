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
Ints = npt.NDArray[np.int64]

LEVEL = 0.05
"""Usual weight of the mean of a decision in the loss of choices; that of the differences is 1."""
BATCH, RATE = 2048, 2e-3


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


def flat_weights(*models: Any) -> Floats:
    """Return the weights of *models* in the order of ``params``: layer by layer, a row for each input."""
    parts = [part for model in models for part in weights_of(model)]
    return np.concatenate([(part.T if part.ndim == 2 else part).ravel() for part in parts]).astype(np.float32)


def rebuilt(torch: Any, flat: Floats, *kinds: tuple[int, ...]) -> list[Any]:
    """Return the networks of these sizes whose weights `flat_weights` returned."""
    models = [build(torch, sizes, 0) for sizes in kinds]
    for model in models:
        parts = []
        for part in weights_of(model):
            own, flat = flat[: part.size], flat[part.size :]
            parts.append(own.reshape(part.T.shape).T if part.ndim == 2 else own)
        set_weights(torch, model, parts)
    return models


def size_of(sizes: Sequence[int]) -> int:
    """Return how many numbers a network with layers of these *sizes* has."""
    return sum(inputs * outputs + outputs for inputs, outputs in pairwise(sizes))


# --- Learning from examples ---------------------------------------------------------------------------------------


def fit(torch: Any, model: Any, inputs: Floats, targets: Floats, epochs: int, seed: int, rate: float = RATE) -> float:
    """Fit *model* to *targets* by least squares; return the mean squared error of the last epoch."""
    x, y = torch.from_numpy(inputs), torch.from_numpy(targets)

    def loss_of(rows: Any) -> Any:
        return ((model(x[rows])[:, 0] - y[rows]) ** 2).mean()

    return _descend(torch, model, loss_of, len(inputs), epochs, seed, rate)


def fit_choices(
    torch: Any,
    model: Any,
    inputs: Floats,
    targets: Floats,
    sizes: Ints,
    epochs: int,
    seed: int,
    level: float = LEVEL,
    rate: float = RATE,
) -> float:
    """Fit *model* to the differences of *targets* within decisions of these *sizes*, and to their means.

    The means of the decisions have the weight *level*, the differences the weight 1.
    """
    x, y, ends = torch.from_numpy(inputs), torch.from_numpy(targets), torch.from_numpy(np.cumsum(sizes))
    counts = torch.from_numpy(sizes)

    def loss_of(chosen: Any) -> Any:
        many = counts[chosen]
        group = torch.repeat_interleave(torch.arange(len(chosen)), many)
        starts = torch.repeat_interleave(ends[chosen] - many, many)
        within = torch.arange(len(group)) - torch.repeat_interleave(torch.cumsum(many, 0) - many, many)
        rows = starts + within
        error = model(x[rows])[:, 0] - y[rows]
        mean = torch.zeros(len(chosen)).index_add(0, group, error) / many
        return ((error - mean[group]) ** 2).mean() + level * (mean**2).mean()

    return _descend(torch, model, loss_of, len(sizes), epochs, seed, rate, BATCH // 4)


def _descend(
    torch: Any, model: Any, loss_of: Any, size: int, epochs: int, seed: int, rate: float, batch: int = BATCH
) -> float:
    """Minimize a loss over *size* cases by Adam with a rate that falls to zero; return the last epoch's mean."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    steps = epochs * -(-size // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(1 - step / steps, 0.01))
    total = 0.0
    for epoch in range(epochs):
        order = torch.randperm(size, generator=generator)
        for rows in order.split(batch):
            loss = loss_of(rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if epoch == epochs - 1:
                total += float(loss.detach()) * len(rows)
    return total / size


def predicted(torch: Any, model: Any, inputs: Floats) -> Floats:
    """Return the outputs of *model*."""
    with torch.no_grad():
        return np.concatenate([model(part)[:, 0].numpy() for part in torch.from_numpy(inputs).split(65536)])
