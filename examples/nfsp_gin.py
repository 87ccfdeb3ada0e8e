"""OpenSpiel's neural fictitious self-play (NFSP) learns Gin and beats random play.

pip install open_spiel dm-tree 'rummylab[train]'
python examples/nfsp_gin.py --hands 2000

Two of OpenSpiel's NFSP agents (PyTorch; Heinrich and Silver, arXiv:1603.01121), one at each seat, learn the full game
of Gin that we register with OpenSpiel. While they learn, lower deadwood pays too: random hands rarely end with a knock.
Their average policies then play for points alone against random moves, each deal twice, once from each seat.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
import torch
from open_spiel.python import rl_environment  # type: ignore[import-untyped, unused-ignore]
from open_spiel.python.pytorch import nfsp  # type: ignore[import-untyped, unused-ignore]

import rummylab.interop.openspiel  # noqa: F401, registers the games
from ppo_gin import BITS
from rummylab.cards.bulk import deadwood
from rummylab.envs.tensors import Tensors

PARTS = ("hand", "upcard", "taken", "phase", "stock")
"""The parts of the information state that the networks read, the hand first."""
SCALE = 10.0
"""Rewards are divided by this many points."""
SETTINGS: dict[str, Any] = {
    "reservoir_buffer_capacity": 30_000,
    "replay_buffer_capacity": 30_000,
    "min_buffer_size_to_learn": 200,
    "learn_every": 4,
    "update_target_network_every": 200,  # counts only the steps of best responses
    "anticipatory_param": 0.3,
    "rl_learning_rate": 1e-3,
    "sl_learning_rate": 1e-3,
    "optimizer_str": "adam",
    "epsilon_start": 0.2,
    "epsilon_end": 0.02,
    "epsilon_decay_duration": 20_000,
    "discount_factor": 0.7,  # the rewards for deadwood come at once
}


def least_deadwood(hand: npt.NDArray[Any]) -> float:
    """Return the deadwood of a hand, 52 zeros and ones; with eleven cards, after the best discard."""
    bits = BITS[hand > 0]
    left = bits.sum() - bits if len(bits) == 11 else bits.sum(keepdims=True)
    return float(deadwood(left).min())


class SelfPlay:
    """Two NFSP agents at one table."""

    def __init__(self, seed: int = 1) -> None:
        game = pyspiel.load_game("python_rummylab_gin")
        self.env, self.eval_env = rl_environment.Environment(game), rl_environment.Environment(game)
        self.env.seed(seed)
        self.places = np.concatenate([np.r_[Tensors("gin").layout.places[part]] for part in PARTS])
        sizes = len(self.places), game.num_distinct_actions(), [128]
        self.agents = [nfsp.NFSP(seat, *sizes, seed=seed + seat, **SETTINGS) for seat in (0, 1)]

    def learn(self, hands: int) -> None:
        """Play *hands* hands and learn from them."""
        for _ in range(hands):
            now, before = self.env.reset(), [0.0, 0.0]
            while not now.last():
                seat = now.current_player()
                now = self.env.step([self.agents[seat].step(self._paid(now, seat, before)).action])
            for seat in (0, 1):
                self.agents[seat].step(self._paid(now, seat, before))

    def _seen(self, now: Any, seat: int) -> Any:
        """Return a time step with the parts that the networks read, for the agent at *seat*."""
        read = np.array(now.observations["info_state"][seat], np.float32)[self.places]
        return now._replace(observations={**now.observations, "info_state": {seat: read}})

    def _paid(self, now: Any, seat: int, before: list[float]) -> Any:
        """Return what the agent at *seat* sees, paid for lower deadwood than before, and at the end its points."""
        seen = self._seen(now, seat)
        if now.last():
            return seen._replace(rewards={seat: now.rewards[seat] / SCALE})
        after = least_deadwood(seen.observations["info_state"][seat][:52])
        saved, before[seat] = before[seat] - after, after
        return seen._replace(rewards={seat: saved / SCALE})

    def points(self, deals: int, seed: int = 10_000) -> tuple[float, float]:
        """Return the mean points a hand of the average policies against random moves, and its standard error."""
        rng = np.random.default_rng(seed)
        found = [np.mean([self._play(seat, seed + deal, rng) for seat in (0, 1)]) for deal in range(deals)]
        return float(np.mean(found)), float(np.std(found, ddof=1) / deals**0.5)

    def _play(self, learner: int, seed: int, rng: np.random.Generator) -> float:
        """Return the points of the agent at seat *learner* against random moves in one hand."""
        self.eval_env.seed(seed)
        now, agent = self.eval_env.reset(), self.agents[learner]
        with agent.temp_mode_as(nfsp.MODE.AVERAGE_POLICY):
            while not now.last():
                if (seat := now.current_player()) == learner:
                    action = agent.step(self._seen(now, seat), is_evaluation=True).action
                else:
                    action = rng.choice(now.observations["legal_actions"][seat])
                now = self.eval_env.step([int(action)])
        return float(now.rewards[learner])


def main() -> None:
    """Learn in four parts, and evaluate before and after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=2000, help="hands to learn from")
    parser.add_argument("--deals", type=int, default=500, help="deals of an evaluation, each played twice")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    play, part = SelfPlay(chosen.seed), chosen.hands // 4
    for number in range(5):
        play.learn(part if number else 0)
        mean, error = play.points(chosen.deals)
        about = f"{number * part} hands, {time.process_time():.0f} s of processor time"
        print(f"{about}: {mean:+.2f} ± {1.96 * error:.2f} points a hand against random (95% interval)", flush=True)


if __name__ == "__main__":
    main()
