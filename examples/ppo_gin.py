"""Learn Gin with PPO, in one file: masked policy, vector environment, PyTorch.

python examples/ppo_gin.py --minutes 6 --out ppo.pt     # of processor time
python examples/ppo_gin.py --play ppo.pt --games 2000 --seed 7

The learner plays single hands against `simple` and is paid the points of each hand. While it plays, it is also paid for
lower deadwood; this shaping is a potential (Ng, Harada and Russell 1999), so the best policy stays the same. It reads
planes of the environment and the deadwood that each discard leaves. The network treats all suits alike. Proximal policy
optimization as in Schulman et al., arXiv:1707.06347. `--play` seats the trained policy in the arena.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from rummylab import Action, Observation, Seat, match
from rummylab.arena.plots import BLUE, GREY, WIDTH, figure
from rummylab.cards.bulk import deadwood
from rummylab.engine.rules import Rules
from rummylab.engine.tensors import Bytes
from rummylab.envs.tensors import Tensors
from rummylab.envs.vector import Step, VectorEnv
from rummylab.games.gin.view import SHOWDOWN, GinObservation

PLANES = ("hand", "upcard", "taken", "pile", "known_1", "refused_1", "thrown_1")
"""The planes that the network reads, beside the one of `with_deadwood`; the others say nothing new."""
BITS = np.int64(1) << (16 * np.arange(4)[:, None] + np.arange(13)).reshape(52)
"""The bit of each card in a mask, by its place in a plane."""


def with_deadwood(seen: Bytes, tensors: Tensors) -> Bytes:
    """Return observations with 53 bytes more: the deadwood left by each discard, plus 1, and that of the hand.

    Before a draw it is the deadwood that each discard would leave after taking the upcard.
    """
    hand, up = (seen[:, tensors.layout.places[name]] for name in ("hand", "upcard"))
    is_draw = hand.sum(1) == 10
    cards = hand | (up & is_draw[:, None])
    masks, out = cards @ BITS, np.zeros((len(seen), seen.shape[1] + 53), np.uint8)
    row, place = cards.nonzero()
    out[:, : seen.shape[1]] = seen
    out[row, seen.shape[1] + place] = 1 + deadwood(masks[row] & ~BITS[place])
    out[:, -1] = deadwood(hand @ BITS)
    return out


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a run."""

    opponent: str = "simple"
    tables: int = 1024
    horizon: int = 32
    epochs: int = 2
    minibatch: int = 1024
    width: int = 128
    rate: float = 2e-3
    """Learning rate at the start; it falls to a twentieth."""
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.02
    """Weight of the entropy at the start; it falls to a twentieth."""
    scale: float = 30.0
    """Rewards are divided by this many points."""
    shaping: float = 1.0
    """Points for each point of deadwood less."""
    seed: int = 1


class Suits(nn.Module):  # type: ignore[misc]
    """A linear layer on one vector for each suit, which all suits share: the suit itself, and the mean of the four."""

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.own, self.mean = nn.Linear(size, width), nn.Linear(size, width, bias=False)

    def forward(self, suits: Any) -> Any:
        """Return a vector of the new width for each suit."""
        return self.own(suits) + self.mean(suits.mean(1)).unsqueeze(1)


class Policy(nn.Module):  # type: ignore[misc]
    """Layers shared by the suits; each suit answers for its cards, all together for draws and the value."""

    def __init__(self, tensors: Tensors, width: int) -> None:
        super().__init__()
        places, size = tensors.layout.places, tensors.size
        starts = [*(places[name].start for name in PLANES), size]
        by_suit = [start + 13 * suit + np.arange(13) for suit in range(4) for start in starts]
        scalars = [*range(tensors.layout.cards_size, size), size + 52]
        scales = np.append(tensors.layout.scales, np.full(53, 1 / 30)).astype(np.float32)
        at = np.concatenate((*by_suit, scalars))
        self.register_buffer("at", torch.tensor(at), persistent=False)
        self.register_buffer("scales", torch.tensor(scales[at]), persistent=False)
        self.suit_size = 13 * len(starts)
        self.first, self.scalars = Suits(self.suit_size, width), nn.Linear(len(scalars), width, bias=False)
        self.second, self.direct = Suits(width, width), nn.Linear(self.suit_size, 26, bias=False)
        self.by_card, self.draws, self.value = nn.Linear(width, 26), nn.Linear(width, 4), nn.Linear(width, 1)
        for head in (self.by_card, self.draws, self.direct):
            nn.init.orthogonal_(head.weight, 0.01)

    def forward(self, seen: Any, mask: Any) -> tuple[Any, Any]:
        """Return logits, with illegal actions out of reach, and values; *seen* comes from `with_deadwood`."""
        n, numbers = len(seen), seen[:, self.at].float() * self.scales
        suits, scalars = numbers[:, : 4 * self.suit_size].view(n, 4, -1), numbers[:, 4 * self.suit_size :]
        hidden = torch.relu(self.second(torch.relu(self.first(suits) + self.scalars(scalars).unsqueeze(1))))
        pooled = hidden.mean(1)
        by_card = (self.by_card(hidden) + self.direct(suits)).view(n, 4, 2, 13).transpose(1, 2).reshape(n, 104)
        logits = torch.cat((self.draws(pooled), by_card), 1)
        return logits.masked_fill(~mask, -1e9), self.value(pooled).squeeze(-1)


class Learner:
    """PPO on one vector environment."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.env = self._environment(settings.seed, settings.tables)
        self.policy = Policy(self.env.tensors, settings.width)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), settings.rate, eps=1e-5)
        self._see(self.env.reset(), np.zeros(settings.tables, np.float32))
        self.decisions = 0
        self.entropy = settings.entropy

    def _environment(self, seed: int, n: int) -> VectorEnv:
        return VectorEnv("gin", n, opponents=self.settings.opponent, seed=seed)

    def _see(self, step: Step, before: npt.NDArray[np.float32]) -> None:
        """Take note of a step: the potential is minus the deadwood; with eleven cards, what it was before the draw."""
        self.now, self.seen = step, with_deadwood(step.observation, self.env.tensors)
        after = -self.settings.shaping * self.seen[:, -1].astype(np.float32)
        self.potential = np.where(step.mask[:, 4:].any(1), before, after)

    def anneal(self, done: float) -> None:
        """Set learning rate and entropy for a run of which the part *done* is over."""
        part = 0.05 + 0.95 * (1 + math.cos(math.pi * min(done, 1.0))) / 2
        self.entropy = self.settings.entropy * part
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate * part

    def update(self) -> None:
        """Play `horizon` decisions at every table, then improve the policy on them."""
        seen, masks, actions, logs, values, rewards, dones = self._play()
        advantages = self._advantages(values, rewards, dones)
        flat = [x.reshape(-1, *x.shape[2:]) for x in (seen, masks, actions, logs, advantages, advantages + values[:-1])]
        n = len(flat[2])
        for _ in range(self.settings.epochs):
            for part in torch.randperm(n).split(self.settings.minibatch):
                self._improve(*(x[part] for x in flat))
        self.decisions += n

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _play(self) -> tuple[Any, ...]:
        kept: list[list[Any]] = [[] for _ in range(7)]
        for _ in range(self.settings.horizon):
            seen, mask = torch.tensor(self.seen), torch.tensor(self.now.mask)
            logits, value = self.policy(seen, mask)
            chosen: Any = torch.distributions.Categorical(logits=logits, validate_args=False)
            action = chosen.sample()
            reward = torch.tensor(self._step(action.numpy()) / self.settings.scale)
            row = (seen, mask, action, chosen.log_prob(action), value, reward, torch.tensor(self.now.done))
            for column, one in zip(kept, row, strict=True):
                column.append(one)
        _, last = self.policy(torch.tensor(self.seen), torch.tensor(self.now.mask))
        kept[4].append(last)
        return tuple(torch.stack(column) for column in kept)

    def _step(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Play, and return rewards with the change of the potential, which is 0 when a hand is over."""
        before = self.potential
        self._see(self.env.step(actions), before)
        return self.now.reward + np.where(self.now.done, 0, self.potential).astype(np.float32) - before

    def _advantages(self, values: Any, rewards: Any, dones: Any) -> Any:
        """Return generalized advantage estimates; a hand is short, so rewards are not discounted."""
        out, carried = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
        for t in reversed(range(len(rewards))):
            goes_on = (~dones[t]).float()
            carried = rewards[t] + values[t + 1] * goes_on - values[t] + self.settings.trace * goes_on * carried
            out[t] = carried
        return out

    def _improve(self, seen: Any, mask: Any, action: Any, old: Any, advantage: Any, target: Any) -> None:
        logits, value = self.policy(seen, mask)
        logs = logits.log_softmax(1)
        ratio = (logs.gather(1, action[:, None]).squeeze(1) - old).exp()
        entropy = -(logs.exp() * logs).sum(1).mean()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = ratio.clamp(1 - self.settings.clip, 1 + self.settings.clip)
        gain = torch.min(ratio * advantage, clipped * advantage).mean()
        loss = 0.5 * (value - target).pow(2).mean() - gain - self.entropy * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.optimizer.step()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def evaluate(self, hands: int, seed: int = 10_000) -> dict[str, float]:
        """Return wins, points and their standard error over *hands* hands with the most probable actions."""
        env = self._environment(seed, 512)
        step = env.reset()
        points: list[float] = []
        while len(points) < hands:
            seen = with_deadwood(step.observation, env.tensors)
            logits, _ = self.policy(torch.tensor(seen), torch.tensor(step.mask))
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


class Trained:
    """A trained policy as an agent for the arena: it plays the most probable action."""

    def __init__(self, path: Path, width: int = Settings().width) -> None:
        self.name = f"ppo:{path.stem}"
        self.path, self.width = path, width

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        """Read the weights, the first time."""
        if not hasattr(self, "policy"):
            torch.set_num_threads(1)
            self.tensors = Tensors(rules)
            self.policy = Policy(self.tensors, self.width)
            self.policy.load_state_dict(torch.load(self.path, weights_only=True))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def act(self, seen: Observation) -> Action:
        """Return the most probable action; the solver melds and lays off."""
        assert isinstance(seen, GinObservation)
        if seen.phase in SHOWDOWN:
            return seen.showdown()
        tensor, mask = self.tensors.encode_with_masks(seen)
        logits, _ = self.policy(torch.tensor(with_deadwood(tensor[None], self.tensors)), torch.tensor(mask)[None])
        return self.tensors.action(int(logits.argmax()), seen)


def draw(lines: Sequence[Mapping[str, float]], path: Path) -> None:
    """Draw the points a hand over the minutes of learning, with 95% intervals."""
    at, points, errors = (np.array([line[name] for line in lines]) for name in ("cpu_minutes", "points", "se"))
    with figure(path, WIDTH, 3.2) as (_, axes):
        axes.axhline(0, color=GREY, lw=0.8)
        axes.errorbar(at, points, 1.96 * errors, color=BLUE, marker="o", ms=4, capsize=2)
        axes.set(xlabel="minutes of processor time", ylabel="points a hand against simple", title="PPO learns Gin")
        axes.set(xlim=(0, None))


def learn(minutes: float, every: float, hands: int, out: Path | None, settings: Settings) -> None:
    """Learn for some minutes of processor time and print a line of JSON after every evaluation."""
    torch.set_num_threads(1)
    learner, began, due = Learner(settings), time.process_time(), every
    spent, is_over, lines = 0.0, False, []
    while not is_over:
        learner.anneal(spent / minutes)
        learner.update()
        spent = (time.process_time() - began) / 60
        is_over = spent >= minutes
        if spent >= due or is_over:
            due += every
            about = {"cpu_minutes": round(spent, 2), "decisions": learner.decisions}
            lines.append({**about, **learner.evaluate(hands)})
            print(json.dumps(lines[-1]), flush=True)
            if out is not None:
                torch.save(learner.policy.state_dict(), out)
                draw(lines, out.with_suffix(".svg"))


def main() -> None:
    """Learn, or play a match with what was learned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=6.0, help="processor minutes to learn")
    parser.add_argument("--every", type=float, default=0.5, help="processor minutes between evaluations")
    parser.add_argument("--hands", type=int, default=2000, help="hands of an evaluation")
    parser.add_argument("--out", type=Path, default=None, help="where the weights go, and beside them the curve as SVG")
    parser.add_argument("--play", type=Path, default=None, help="weights to play a match with, instead of learning")
    parser.add_argument("--against", default="simple", help="opponent of the match")
    parser.add_argument("--games", type=int, default=2000, help="games of the match")
    parser.add_argument("--seed", type=int, default=1)
    for name, value in asdict(Settings()).items():
        if name != "seed":
            parser.add_argument(f"--{name}", type=type(value), default=value)
    chosen = parser.parse_args()
    settings = Settings(**{name: getattr(chosen, name) for name in asdict(Settings())})
    if chosen.play is None:
        learn(chosen.minutes, chosen.every, chosen.hands, chosen.out, settings)
    else:
        player: Any = Trained(chosen.play, settings.width)
        print(match("gin", player, chosen.against, games=chosen.games, seed=chosen.seed, workers=1))


if __name__ == "__main__":
    main()
