"""Train the joint belief over the opponent's hand in Gin.

    rummylab train gin-joint-belief --rounds 60 --out runs/joint

Each round plays fresh games: half between strong agents, half between a strong agent and one of fixed style. In each
noted position the network has to tell the hand that the opponent really holds from eleven hands of the proposal
(InfoNCE: cross-entropy over the twelve). Another small network learns from the same games who knocks with what. The
first round also fits the proposal: the odds of single cards and the number of planted melds by turn. The weights that
are written are the average over the last third of the rounds.

A resumed run gives the same weights on the same machine with the same number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.beliefs.gin import joint
from rummylab.beliefs.gin.joint import BUNDLED, KNOCK_WIDTH, N_HAND, N_KNOCK, N_PUBLIC, WIDTHS, Joint
from rummylab.errors import OptionError
from rummylab.games.gin.view import gin
from rummylab.learning.joint_belief import N_FALSE, Positions, fit_odds, planted_shares, play_game, write_inputs
from rummylab.learning.networks import adam_state, build, load_torch, set_adam_state, set_weights, weights_of
from rummylab.learning.opponent_hand.players import player
from rummylab.learning.options import JointBeliefOptions
from rummylab.learning.trainer import State, Trainer
from rummylab.learning.trainers.gin_opponent_hand import rate_at, suit_orders

Floats = npt.NDArray[np.float32]

SHARE = 0.25
"""The share of decisions that is noted."""
MOST_OF_A_GAME = 400
_FRESH = 3_000_000  # added to the seed: games that nothing else was trained on
_HELD_OUT = 7_000_000


def parse_cast(text: str) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Read agents and their shares, such as ``simple=2;medium=1``; return the names and the chance of each.

    Raises:
        OptionError: A part is not of the form NAME=SHARE.
    """
    names, shares = [], []
    for part in text.split(";"):
        name, _, share = part.rpartition("=")
        try:
            shares.append(float(share))
        except ValueError:
            name = ""
        if not name:
            raise OptionError(f"{part!r} is not an agent with its share; write NAME=SHARE")
        names.append(name.strip())
    return names, np.array(shares) / sum(shares)


def play_positions(options: JointBeliefOptions, seed: int, n: int) -> Positions:
    """Play games of the cast until *n* positions are noted; the games depend on *seed* alone."""
    rules, rng = gin(), np.random.default_rng([seed, 1])
    strong, styles = parse_cast(options.strong), parse_cast(options.styles)
    parts: list[Positions] = []
    left, game = n, 0
    while left > 0:
        first = strong[0][rng.choice(len(strong[0]), p=strong[1])]
        names, chances = strong if rng.random() < options.self_play else styles
        second = names[rng.choice(len(names), p=chances)]
        most = min(left, MOST_OF_A_GAME)
        parts.append(play_game(rules, seed, game, (player(first), player(second)), share=SHARE, most=most))
        left -= len(parts[-1])
        game += 1
    return Positions.join(parts)


class GinJointBelief(Trainer):
    """The two networks, their optimizer, and the proposal."""

    ARTIFACT = BUNDLED
    COLUMNS = ("positions", "rate", "loss", "held_out_loss", "held_out_found", "knock_loss")
    MAY_CHANGE = ("threads",)

    def __init__(self, options: JointBeliefOptions) -> None:
        super().__init__(options)
        self.torch = load_torch(options.threads)
        self.net = build(self.torch, (N_PUBLIC + N_HAND, *WIDTHS, 1), options.seed)
        self.knock = build(self.torch, (N_KNOCK, KNOCK_WIDTH, 1), options.seed)
        self.model = self.torch.nn.ModuleList([self.net, self.knock])
        self.optimizer = self.torch.optim.Adam(self.model.parameters())
        start = Joint.untrained()
        self.odds, self.planted = start.tensors["odds"], start.tensors["planted"]
        self.sums = [np.zeros(weight.shape, np.float64) for weight in weights_of(self.model)]
        self._held_out: tuple[Any, Any] | None = None

    @property
    def rounds(self) -> int:
        rounds: int = self.options.rounds
        return rounds

    def run_round(self) -> Sequence[float]:
        options = self.options
        positions = play_positions(options, options.seed + _FRESH + self.round, options.positions)
        if self.round == 0:
            self.odds, self.planted = fit_odds(positions), planted_shares(positions)
        public, hands = self._inputs(positions, self.round)
        loss, rate = self._learn(public, hands)
        knock_loss = self._learn_knocks(positions)
        if self.round >= self.averaged_from:
            for total, weight in zip(self.sums, weights_of(self.model), strict=True):
                total += weight
        held_out, found = self._measure()
        done = (self.round + 1) * options.positions
        return done, rate, loss, round(held_out, 5), round(found, 4), knock_loss

    @property
    def averaged_from(self) -> int:
        """The first round whose weights count in the average."""
        return self.rounds - max(1, self.rounds // 3)

    def _inputs(self, positions: Positions, seed: int) -> tuple[Floats, Floats]:
        public = np.zeros((len(positions), N_PUBLIC), np.float32)
        hands = np.zeros((len(positions), 1 + N_FALSE, N_HAND), np.float32)
        params = Joint({**Joint.untrained().tensors, "odds": self.odds, "planted": self.planted}, {}).flat
        write_inputs(positions.views, positions.notes["held"].copy(), params, seed, public, hands)
        return public, hands

    def _scores(self, public: Any, hands: Any) -> Any:
        """Return S of every hand: the public part of the first layer is computed once for all of them."""
        first, _, second, _, third = self.net
        weight = first.weight
        sums = (public @ weight[:, :N_PUBLIC].T)[:, None, :] + hands @ weight[:, N_PUBLIC:].T + first.bias
        return third(self.torch.relu(second(self.torch.relu(sums)))).squeeze(-1)

    def _learn(self, public: Floats, hands: Floats) -> tuple[float, float]:
        torch, options = self.torch, self.options
        rng = np.random.default_rng([options.seed, self.round, 2])
        order, orders = rng.permutation(len(public)), suit_orders()
        steps = max(1, len(public) // options.batch)
        total, rate = 0.0, options.rate
        for step in range(steps):
            which = order[step * options.batch : (step + 1) * options.batch]
            x, h = permuted(public[which], hands[which], orders[rng.integers(len(orders))])
            rate = rate_at((self.round + step / steps) / self.rounds, options.rate)
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self.optimizer.zero_grad(set_to_none=True)
            scores = self._scores(torch.from_numpy(x), torch.from_numpy(h))
            loss = (torch.logsumexp(scores, dim=1) - scores[:, 0]).mean()
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach())
        return total / steps, rate

    def _learn_knocks(self, positions: Positions) -> float:
        torch, options = self.torch, self.options
        inputs, knocked = positions.knocks["inputs"].copy(), positions.knocks["knocked"].copy()
        order = np.random.default_rng([options.seed, self.round, 3]).permutation(len(inputs))
        loss_of = torch.nn.functional.binary_cross_entropy_with_logits
        steps: int = max(1, len(inputs) // options.batch)
        total = 0.0
        for step in range(steps):
            which = order[step * options.batch : (step + 1) * options.batch]
            self.optimizer.zero_grad(set_to_none=True)
            loss = loss_of(self.knock(torch.from_numpy(inputs[which])).squeeze(-1), torch.from_numpy(knocked[which]))
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach())
        return total / steps

    def _measure(self) -> tuple[float, float]:
        """Return the loss on held-out games, and how often the true hand scores highest."""
        if self._held_out is None:
            options = self.options
            positions = play_positions(options, options.seed + _HELD_OUT, options.held_out)
            self._held_out = self._inputs(positions, _HELD_OUT)
        public, hands = self._held_out
        with self.torch.no_grad():
            scores = self._scores(self.torch.from_numpy(public), self.torch.from_numpy(hands)).numpy()
        top = scores.max(axis=1)
        loss = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - scores[:, 0]
        return float(loss.mean()), float((scores[:, 0] >= top).mean())

    def state(self) -> State:
        return {
            **{f"model/{k}": weight for k, weight in enumerate(weights_of(self.model))},
            **{f"sum/{k}": total for k, total in enumerate(self.sums)},
            **adam_state(self.optimizer),
            "odds": self.odds,
            "planted": self.planted,
        }

    def set_state(self, state: State) -> None:
        n = len(self.sums)
        set_weights(self.torch, self.model, [state[f"model/{k}"] for k in range(n)])
        self.sums = [np.array(state[f"sum/{k}"]) for k in range(n)]
        set_adam_state(self.torch, self.optimizer, state)
        self.odds, self.planted = np.array(state["odds"]), np.array(state["planted"])

    def data_size(self) -> Mapping[str, Any]:
        return {"positions": self.round * self.options.positions, "false_hands": N_FALSE}

    def result(self) -> Mapping[str, Any]:
        last = dict(zip(self.COLUMNS, self.curve[-1][1:], strict=True))
        found = {name: last[name] for name in ("held_out_loss", "held_out_found", "knock_loss")}
        return {"torch": self.torch.__version__, "chance_loss": round(float(np.log(1 + N_FALSE)), 5), **found}

    def trained(self) -> Joint:
        """Return the average of the weights over the last rounds, with the proposal."""
        n = self.rounds - self.averaged_from
        w1, b1, w2, b2, w3, _, k1, kb1, k2, kb2 = (np.asarray(total / n, np.float32) for total in self.sums)
        tensors = {
            "public.weight": w1[:, :N_PUBLIC].T,
            "hand.weight": w1[:, N_PUBLIC:].T,
            "layer1.bias": b1,
            "layer2.weight": w2.T,
            "layer2.bias": b2,
            "layer3.weight": w3[0],
            "odds": self.odds,
            "planted": self.planted,
            "knock.layer1.weight": k1.T,
            "knock.layer1.bias": kb1,
            "knock.layer2.weight": k2[0],
            "knock.layer2.bias": kb2,
        }
        return Joint({name: np.ascontiguousarray(tensors[name], np.float32) for name in joint.SHAPES}, {})

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        Joint(self.trained().tensors, dict(manifest)).save(path)


def permuted(public: Floats, hands: Floats, order: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the inputs with the suits in another *order*, which changes nothing in the game."""
    x, h = public.copy(), hands.copy()
    for start in range(0, joint.TURN, 52):
        x[:, start : start + 52] = public[:, start + order]
    h[:, :, :52] = hands[:, :, order]
    return x, h
