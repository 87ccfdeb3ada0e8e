"""Imitate an agent from its recorded decisions: a masked softmax regression in NumPy.

rummylab dataset gin --tensors --agent simple --entries 50000 --out cloning
python examples/behavior_cloning.py cloning/tensors.npz
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rummylab.envs.datasets import TensorData


def learn(data: TensorData, epochs: int = 5, rate: float = 0.5, batch: int = 256, seed: int = 0) -> Any:
    """Return weights, one column for each action, that make the recorded actions probable."""
    seen = data.observations.astype(np.float32) / np.maximum(data.observations.max(axis=0), 1)
    weights = np.zeros((seen.shape[1], data.masks.shape[1]), np.float32)
    for epoch in range(epochs):
        for rows in data.batches(batch, seed + epoch):
            chances = softmax(seen[rows] @ weights, data.masks[rows])
            chances[np.arange(len(rows)), data.actions[rows]] -= 1
            weights -= rate / len(rows) * seen[rows].T @ chances
    return weights


def softmax(logits: Any, masks: Any) -> Any:
    """Return probabilities of the legal actions."""
    logits = np.where(masks, logits, -np.inf)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def agreement(weights: Any, data: TensorData) -> float:
    """Return how often the most probable legal action is the recorded one."""
    seen = data.observations.astype(np.float32) / np.maximum(data.observations.max(axis=0), 1)
    logits = np.where(data.masks, seen @ weights, -np.inf)
    return float((logits.argmax(axis=1) == data.actions).mean())


def main(path: str) -> None:
    """Learn from the file *path* and say how well it went."""
    data = TensorData.load(path)
    weights = learn(data)
    chance = float((1 / data.masks.sum(axis=1)).mean())
    sys.stdout.write(f"agrees with {data.about['agent']} in {agreement(weights, data):.1%} (at random {chance:.1%})\n")


if __name__ == "__main__":
    main(sys.argv[1])
