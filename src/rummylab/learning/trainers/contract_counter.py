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

All networks go on from those of the round before, at a rate that falls from round to round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab.agents.contract import contract_counter as c
from rummylab.agents.contract import contract_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.pointers import addresses
from rummylab.games.contract.rules import ACT
from rummylab.games.contract.view import contract
from rummylab.learning.contract_notes import N_CRITIC, note_rounds
from rummylab.learning.critic import MEASUREMENT, CriticTrainer, Floats, Ints, Notes, joined, room_for
from rummylab.learning.networks import load_torch, predicted
from rummylab.learning.notes import D_SIZE, N_STOCK
from rummylab.learning.options import ContractCounterTraining
from rummylab.learning.trainer import seed_for

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
LEARNER_MARGIN = 15.0
"""While learning, the margin of an upcard that brings the contract no nearer; one that does is always taken."""
CRITIC = (N_CRITIC, 96, 32, 1)
AFTER = (v.N_AFTER, WIDTH, INNER, 1)
STOCK = BUY = (v.N_HAND, WIDTH, INNER, 1)
"""Sizes of the networks, layer by layer."""
NETWORKS = (AFTER, STOCK, BUY)
DECISIONS, LINES, OFFERS = 16, 6, 3
"""Room for the notes: discards of a learner in a round, cards to choose from, and offers for each discard."""


@dataclass
class ContractNotes(Notes):
    """What was noted of some rounds: upcards bought or declined, too."""

    offers: Floats
    offer_notes: Ints
    offer_results: Floats

    GROUPS = (*Notes.GROUPS, 3)
    FOLLOWED = (*Notes.FOLLOWED, "offer_notes")


def play(player: CompiledAgent, rules: str, seed: int, n_rounds: int, every: bool, bonus: float) -> ContractNotes:
    """Return the notes of *n_rounds* rounds by the *rules*: of every discard, or only of those made."""
    game = contract(rules)
    size = int(n_rounds * DECISIONS * (1 + (1 - SHARE) * (game.seats - 1))) + 4000
    n_lines = size * LINES if every else size
    n_offers = size * OFFERS if game.seats > 2 else 1000
    room = ContractNotes(
        *room_for(n_lines, N_CRITIC, size, v.N_HAND),
        np.empty((n_offers, v.N_HAND), np.float32),
        np.empty((n_offers, N_STOCK), np.int64),
        np.empty(n_offers, np.float32),
    )
    players = (player, agent("contract", OTHER))
    sizes = note_rounds(
        game.new_rows(1),
        seed,
        0,
        n_rounds,
        np.array([SHARE]),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        bonus,
        STRAYS,
        *room.columns,
    )
    return room.cut(sizes)


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the agent with these *weights*."""
    return c.act.with_options(c.ContractCounterOptions(**options), weights=weights)


class ContractCounter(CriticTrainer):
    """Rounds of play, a critic, and the agent's networks, for each number of seats."""

    ARTIFACT = "contract_counter.safetensors"
    COLUMNS = ("critic_error", "choice_error", "two_seats", "four_seats")
    KIND = c.FORMAT, c.VERSION
    CRITIC, NETWORKS, POINTS, LEVEL = CRITIC, NETWORKS, v.POINTS, 0.3

    def __init__(self, options: ContractCounterTraining) -> None:
        super().__init__(options, v.N_SETS)

    def learner(self) -> CompiledAgent:
        """Return the agent so far; it makes small mistakes, so that the critic sees other choices."""
        if self.is_new:
            return agent("contract", OTHER)
        return player_of(self.weights, margin=LEARNER_MARGIN, decline=c.ALWAYS, noise=self.options.spread)

    def notes(self, number: int, purpose: int, every: bool) -> ContractNotes:
        tables, player = TABLES[number], self.learner()
        n_rounds = self.options.deals // len(tables) // (2 if every else 1)
        parts = []
        for k, rules in enumerate(tables):
            seed = seed_for(self.options.seed, purpose, self.round, 8 * number + k)
            parts.append(play(player, rules, seed, n_rounds, every, self.options.bonus))
        return joined(parts)

    def learn_others(self, number: int, critic: Any, networks: Sequence[Any], made: Any, every: Any) -> None:
        after, stock, buy = networks
        sizes = every.decisions[:, D_SIZE]
        best = np.maximum.reduceat(predicted(load_torch(), after, self.own_inputs(every)), np.cumsum(sizes) - sizes)
        self.fit_next(number, stock, every.draws, every.draw_notes, every.draw_results, best)
        if len(every.offers):  # at two seats nobody buys
            self.fit_next(number, buy, every.offers, every.offer_notes, every.offer_results, best)

    def measure(self, games: int) -> dict[str, float]:
        """Return the share of matches of the first preset that the agent wins among `contract-greedy`."""
        seed = seed_for(self.options.seed, MEASUREMENT)
        found, player = {}, player_of(self.weights)
        for tables in TABLES:
            seats = contract(tables[0]).seats
            n = max(games // 24, 1) * 24  # a multiple of all seatings
            result = match("contract", player, *[OTHER] * (seats - 1), rules=tables[0], games=n, seed=seed, workers=1)
            found[f"seats_{seats}"] = round(result.win_rate.value, 4)
        return found

    def data_size(self) -> Mapping[str, Any]:
        return {"rounds": self.rounds * self.options.deals * v.N_SETS, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 2 * self.options.games
        return {"games": games, "against": OTHER, **self.measure(games)}
