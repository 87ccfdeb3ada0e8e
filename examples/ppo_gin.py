"""Learn Gin with PPO, in one file: masked policy, vector environment, PyTorch.

python examples/ppo_gin.py --minutes 30 --out ppo.pt

The learner plays single hands against `simple` and is paid the points of each hand. After every few updates it plays
evaluation hands with its best actions. Proximal policy optimization as in Schulman et al., arXiv:1707.06347.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from rummylab.envs.vector import VectorEnv


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a run."""

    opponent: str = "simple"
    tables: int = 256
    horizon: int = 64
    epochs: int = 3
    minibatches: int = 8
    width: int = 256
    rate: float = 5e-4
    discount: float = 0.995
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    scale: float = 50.0
    """Rewards are divided by this many points."""
    seed: int = 1


class Policy(nn.Module):  # type: ignore[misc]
    """Two hidden layers, a head for the actions and one for the value."""

    def __init__(self, size: int, actions: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.head, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.head.weight, 0.01)

    def forward(self, seen: Any, mask: Any) -> tuple[Any, Any]:
        """Return logits, with illegal actions out of reach, and values."""
        hidden = self.body(seen)
        return self.head(hidden).masked_fill(~mask, -1e9), self.value(hidden).squeeze(-1)


class Learner:
    """PPO on one vector environment."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.env = self._environment(settings.seed, settings.tables)
        self.policy = Policy(self.env.size, self.env.n_actions, settings.width)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), settings.rate, eps=1e-5)
        self.now = self.env.reset()
        self.decisions = 0

    def _environment(self, seed: int, n: int) -> VectorEnv:
        return VectorEnv("gin", n, opponents=self.settings.opponent, dtype="float32", seed=seed)

    def update(self) -> None:
        """Play `horizon` decisions at every table, then improve the policy on them."""
        seen, masks, actions, logs, values, rewards, dones = self._play()
        advantages = self._advantages(values, rewards, dones)
        flat = [x.reshape(-1, *x.shape[2:]) for x in (seen, masks, actions, logs, advantages, advantages + values[:-1])]
        n = len(flat[2])
        for _ in range(self.settings.epochs):
            for part in torch.randperm(n).chunk(self.settings.minibatches):
                self._improve(*(x[part] for x in flat))
        self.decisions += n

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _play(self) -> tuple[Any, ...]:
        kept: list[list[Any]] = [[] for _ in range(7)]
        for _ in range(self.settings.horizon):
            seen, mask = torch.tensor(self.now.observation), torch.tensor(self.now.mask)
            logits, value = self.policy(seen, mask)
            chosen: Any = torch.distributions.Categorical(logits=logits)
            action = chosen.sample()
            self.now = self.env.step(action.numpy())
            reward = torch.tensor(self.now.reward) / self.settings.scale
            row = (seen, mask, action, chosen.log_prob(action), value, reward, torch.tensor(self.now.done))
            for column, one in zip(kept, row, strict=True):
                column.append(one)
        _, last = self.policy(torch.tensor(self.now.observation), torch.tensor(self.now.mask))
        kept[4].append(last)
        return tuple(torch.stack(column) for column in kept)

    def _advantages(self, values: Any, rewards: Any, dones: Any) -> Any:
        """Return generalized advantage estimates."""
        discount, trace = self.settings.discount, self.settings.trace
        out, carried = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
        for t in reversed(range(len(rewards))):
            goes_on = (~dones[t]).float()
            carried = rewards[t] + discount * values[t + 1] * goes_on - values[t] + discount * trace * goes_on * carried
            out[t] = carried
        return out

    def _improve(self, seen: Any, mask: Any, action: Any, old: Any, advantage: Any, target: Any) -> None:
        logits, value = self.policy(seen, mask)
        chosen: Any = torch.distributions.Categorical(logits=logits)
        ratio = (chosen.log_prob(action) - old).exp()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = ratio.clamp(1 - self.settings.clip, 1 + self.settings.clip)
        gain = torch.min(ratio * advantage, clipped * advantage).mean()
        loss = 0.5 * (value - target).pow(2).mean() - gain - self.settings.entropy * chosen.entropy().mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.optimizer.step()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def evaluate(self, hands: int, seed: int = 10_000) -> dict[str, float]:
        """Return wins, points and their standard error over *hands* hands with the most probable actions."""
        env = self._environment(seed, 128)
        step = env.reset()
        points: list[float] = []
        while len(points) < hands:
            logits, _ = self.policy(torch.tensor(step.observation), torch.tensor(step.mask))
            step = env.step(logits.argmax(1).numpy())
            points += step.reward[step.done].tolist()
        got = np.array(points[:hands])
        decided = got[got != 0]
        return {
            "points": float(got.mean()),
            "se": float(got.std() / np.sqrt(len(got))),
            "wins": float((decided > 0).mean()) if len(decided) else 0.0,
            "decided": len(decided),
        }


def main() -> None:
    """Learn for some minutes and print a line of JSON after every evaluation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=int, default=20, help="updates between evaluations")
    parser.add_argument("--hands", type=int, default=1000, help="hands of an evaluation")
    parser.add_argument("--out", type=Path, default=None)
    chosen = parser.parse_args()
    learner, began, updates = Learner(Settings()), time.process_time(), 0
    while time.process_time() - began < 60 * chosen.minutes:
        learner.update()
        updates += 1
        if updates % chosen.every == 0:
            about = {"cpu_seconds": round(time.process_time() - began), "decisions": learner.decisions}
            print(json.dumps({**about, **learner.evaluate(chosen.hands)}), flush=True)
            if chosen.out is not None:
                torch.save(learner.policy.state_dict(), chosen.out)


if __name__ == "__main__":
    main()
