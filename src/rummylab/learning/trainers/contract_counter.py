"""Train `contract-counter`: a critic that sees all hands, and the agent's networks, which learn from it.

    rummylab train contract-counter --seed 1 --out runs/contract-counter

Each round does this for two seats and for more, whose networks have nothing in common:

1. Play. The agent so far (`contract-greedy` in the first round) plays itself and `contract-greedy` in all contracts of
   the presets; every discard, draw from the stock and offer to buy of the learner is noted.
2. The critic learns the result of a round from the position with all hands shown.
3. `AFTER` learns the critic's value of *every* discard that the contract can spare. The loss compares the discards of
   one decision with their mean, and the means count less.
4. `STOCK` learns what `AFTER` says of the best discard one draw later, `BUY` that of the best discard in the next turn.
   So they are as optimistic as the value of an upcard that is taken, with which they are compared.

All networks go on from those of the round before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.contract import contract_counter as c
from rummylab.agents.contract import contract_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.rng import mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_artifact
from rummylab.engine.pointers import addresses
from rummylab.games.contract.rules import ACT
from rummylab.games.contract.view import contract
from rummylab.learning.contract_notes import N_CRITIC, note_rounds
from rummylab.learning.networks import build, fit, fit_choices, flat_weights, load_torch, predicted, rebuilt, size_of
from rummylab.learning.notes import D_SIZE, N_DECISION, N_STOCK, S_NEXT
from rummylab.learning.options import ContractCounterTraining
from rummylab.learning.trainer import State, Trainer

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

TABLES = (
    ("contract-7", "chinese-7"),
    ("contract-7(seats=4)", "chinese-7(seats=4)", "contract-7(seats=3)"),
)
"""The rules for each set of networks."""
OTHER = "contract-greedy"
SHARE = 0.6
"""Who sits beside the learner, and how often; otherwise it is the learner once more."""
STRAYS = 0.05
"""How often a learner makes another move than it wants, so that the critic sees other choices."""
CRITIC = (N_CRITIC, 96, 32, 1)
AFTER = (v.N_AFTER, WIDTH, INNER, 1)
STOCK = BUY = (v.N_HAND, WIDTH, INNER, 1)
"""Sizes of the networks, layer by layer."""
NETWORKS = (AFTER, STOCK, BUY)
LEVEL = 0.3
"""Weight of the mean of a decision in the loss; that of the differences is 1."""
DECISIONS, LINES, OFFERS = 16, 6, 3
"""Room for the notes: discards of a learner in a round, cards to choose from, and offers for each discard."""
_CRITIC_DATA, _DATA, _MEASURE = 7, 11, 13  # purposes of seeds, so that their rounds differ


@dataclass
class Notes:
    """What was noted of some rounds."""

    lines: Floats
    """A line for each discard considered: the agent's inputs, then what only the critic sees."""
    decisions: Ints
    results: Floats
    draws: Floats
    draw_notes: Ints
    draw_results: Floats
    offers: Floats
    offer_notes: Ints
    offer_results: Floats


def play(player: CompiledAgent, rules: str, seed: int, n_rounds: int, every: bool, bonus: float) -> Notes:
    """Return the notes of *n_rounds* rounds by the *rules*: of every discard, or only of those made."""
    game = contract(rules)
    size = int(n_rounds * DECISIONS * (1 + (1 - SHARE) * (game.seats - 1))) + 4000
    n_lines = size * LINES if every else size
    n_offers = size * OFFERS if game.seats > 2 else 1000
    room = Notes(
        np.empty((n_lines, N_CRITIC), np.float32),
        np.empty((size, N_DECISION), np.int64),
        np.empty(size, np.float32),
        np.empty((size, v.N_HAND), np.float32),
        np.empty((size, N_STOCK), np.int64),
        np.empty(size, np.float32),
        np.empty((n_offers, v.N_HAND), np.float32),
        np.empty((n_offers, N_STOCK), np.int64),
        np.empty(n_offers, np.float32),
    )
    arrays = _columns(room)
    players = (player, agent("contract", OTHER))
    n, n_decisions, n_draws, n_offers = note_rounds(
        game.new_rows(1),
        seed,
        0,
        n_rounds,
        np.array([SHARE]),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        bonus,
        STRAYS,
        *arrays,
    )
    sizes = (n, *(n_decisions,) * 2, *(n_draws,) * 3, *(n_offers,) * 3)
    return Notes(*(array[:k] for array, k in zip(arrays, sizes, strict=True)))


def joined(parts: Sequence[Notes]) -> Notes:
    """Return several notes as one."""
    before = 0
    for part in parts:
        for following in (part.draw_notes[:, S_NEXT], part.offer_notes[:, S_NEXT]):
            following[following >= 0] += before
        before += len(part.decisions)
    return Notes(*(np.concatenate(arrays) for arrays in zip(*map(_columns, parts), strict=True)))


def _columns(notes: Notes) -> list[Any]:
    return [getattr(notes, field.name) for field in fields(Notes)]


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the agent with these *weights*."""
    numbers = np.array(c.ContractCounterOptions(**options).params, np.float32)
    return CompiledAgent("contract-counter", c.act.kernel, np.concatenate([numbers, weights.ravel()]))


class ContractCounter(Trainer):
    """Rounds of play, a critic, and the agent's networks, for each number of seats."""

    ARTIFACT = "contract_counter.safetensors"
    COLUMNS = ("critic_error", "choice_error", "two_seats", "four_seats")
    MAY_CHANGE = ("rounds",)

    def __init__(self, options: ContractCounterTraining) -> None:
        super().__init__(options)
        self.weights = np.zeros((v.N_SETS, v.N_NUMBERS), np.float32)
        self.critics = np.zeros((v.N_SETS, size_of(CRITIC)), np.float32)
        self.decisions = 0

    @property
    def rounds(self) -> int:
        return int(self.options.rounds)

    def run_round(self) -> Sequence[float]:
        torch = load_torch(1)
        player = self.learner()
        errors = [self._learn(torch, player, number) for number in range(v.N_SETS)]
        return errors[0][0], errors[0][1], *self.measure(self.options.games).values()

    def learner(self) -> CompiledAgent:
        """Return the agent so far; it makes small mistakes, so that the critic sees other choices."""
        if self.round == 0:
            return agent("contract", OTHER)
        return player_of(self.weights, noise=self.options.spread)

    def _learn(self, torch: Any, player: CompiledAgent, number: int) -> tuple[float, float]:
        """Learn the networks of one number of seats; return the errors of the critic and of the choices."""
        seed, epochs = self.options.seed, self.options.epochs
        made = self._notes(player, number, _CRITIC_DATA, every=False)
        critic, after, stock, buy = self._networks(torch, number)
        loss = fit(torch, critic, made.lines, made.results / v.POINTS, epochs, seed)
        every = self._notes(player, number, _DATA, every=True)
        own, sizes = np.ascontiguousarray(every.lines[:, : v.N_AFTER]), every.decisions[:, D_SIZE]
        choice = fit_choices(torch, after, own, predicted(torch, critic, every.lines), sizes, epochs, seed, LEVEL)
        best = np.maximum.reduceat(predicted(torch, after, own), np.cumsum(sizes) - sizes)
        later = (
            (every.draws, every.draw_notes, every.draw_results),
            (every.offers, every.offer_notes, every.offer_results),
        )
        for model, (inputs, notes, results) in zip((stock, buy), later, strict=True):
            if len(inputs):  # at two seats nobody buys
                following = notes[:, S_NEXT]
                goals = np.where(following >= 0, best[following], results / v.POINTS)
                fit(torch, model, inputs, goals.astype(np.float32), epochs, seed)
        self.weights[number] = flat_weights(after, stock, buy)
        self.critics[number] = flat_weights(critic)
        self.decisions += len(made.decisions) + len(every.decisions)
        return v.POINTS * loss**0.5, v.POINTS * choice**0.5

    def _networks(self, torch: Any, number: int) -> list[Any]:
        """Return the critic and the agent's networks: new ones, or those of the round before."""
        if self.round == 0:
            return [build(torch, sizes, self.options.seed + k) for k, sizes in enumerate((CRITIC, *NETWORKS))]
        return [*rebuilt(torch, self.critics[number], CRITIC), *rebuilt(torch, self.weights[number], *NETWORKS)]

    def _notes(self, player: CompiledAgent, number: int, purpose: int, every: bool) -> Notes:
        tables = TABLES[number]
        n_rounds = self.options.deals // len(tables) // (2 if every else 1)
        parts = []
        for k, rules in enumerate(tables):
            seed = int(mix(self.options.seed, self.round, 8 * number + k, purpose) >> np.uint64(1))
            parts.append(play(player, rules, seed, n_rounds, every, self.options.bonus))
        return joined(parts)

    def measure(self, games: int) -> dict[str, float]:
        """Return the share of matches of the first preset that the agent wins among `contract-greedy`."""
        seed = int(mix(self.options.seed, 0, 0, _MEASURE) >> np.uint64(1))
        found, player = {}, player_of(self.weights)
        for tables in TABLES:
            seats = contract(tables[0]).seats
            n = max(games // 24, 1) * 24  # a multiple of all seatings
            result = match("contract", player, *[OTHER] * (seats - 1), rules=tables[0], games=n, seed=seed, workers=1)
            found[f"seats_{seats}"] = round(result.win_rate.value, 4)
        return found

    def state(self) -> State:
        return {"weights": self.weights, "critics": self.critics, "decisions": self.decisions}

    def set_state(self, state: State) -> None:
        self.weights[...], self.critics[...] = state["weights"], state["critics"]
        self.decisions = int(state["decisions"])

    def data_size(self) -> Mapping[str, Any]:
        return {"rounds": self.rounds * self.options.deals * v.N_SETS, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 2 * self.options.games
        return {"games": games, "against": OTHER, **self.measure(games)}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        write_artifact(
            path, {"weights": self.weights}, {"format": c.FORMAT, "version": c.VERSION, **manifest}, half=True
        )
