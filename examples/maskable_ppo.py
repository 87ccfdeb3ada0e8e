"""Learn Gin with sb3-contrib's MaskablePPO, on the same environment as ``ppo_gin.py``.

pip install sb3-contrib 'rummylab[rl]'
python examples/maskable_ppo.py 100000
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO  # type: ignore[import-not-found, import-untyped, unused-ignore]

import rummylab.interop.gymnasium  # noqa: F401, registers the environments


def table(opponent: str = "simple") -> gymnasium.Env[Any, Any]:
    """Return a table of Gin against *opponent*; a hand pays its points, divided by 30."""
    made = gymnasium.make("rummylab/Gin-v0", opponent=opponent, dtype="float32")
    return gymnasium.wrappers.TransformReward(made, lambda points: float(points) / 30)


def learn(decisions: int, seed: int = 1, opponent: str = "simple", **settings: Any) -> Any:
    """Return a policy that has learned for so many decisions against *opponent*."""
    model = MaskablePPO("MlpPolicy", table(opponent), seed=seed, verbose=0, **settings)
    return model.learn(decisions) if decisions else model


def points(model: Any, hands: int, seed: int = 10_000, opponent: str = "simple") -> tuple[float, float]:
    """Return the mean points of *hands* hands with the most probable actions, and its standard error."""
    env, found = table(opponent), []
    for hand in range(hands):
        seen, info = env.reset(seed=seed + hand)
        done = False
        while not done:
            action, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
            seen, reward, done, _, info = env.step(int(action))
        found.append(30 * float(reward))
    return float(np.mean(found)), float(np.std(found) / len(found) ** 0.5)


if __name__ == "__main__":
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    for decisions in (0, int(sys.argv[1])):
        policy = learn(decisions, n_steps=4096, batch_size=256, learning_rate=1e-3)
        mean, error = points(policy, 400)
        print(f"after {decisions} decisions: {mean:+.1f} points a hand against simple, standard error {error:.1f}")
    policy.save("maskable_ppo_gin")
