"""Train `pass-counter`: a critic that sees all hands, and the agent's networks, which learn from it.

    rummylab train pass-counter --seed 1 --out runs/pass-counter

Each round does this for two, three and four seats, whose networks have nothing in common:

1. Play. The agent so far (`keats-tuned` in the first round) plays itself and other agents; every pass, discard, draw
   from the stock and possible knock of the learner is noted.
2. The critic learns the result of a hand from the position with all hands shown.
3. `AFTER` learns the critic's value of *every* discard worth a thought. The loss compares the discards of one decision
   with their mean, and the means count as much: a knock is compared with them.
4. `STOCK` learns the critic's value of the position one draw later, `KNOCK` the exact result of a knock, and `PASS` the
   result of the hand.

All networks go on from those of the round before, at the same rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab.agents.gin_pass import counter as c
from rummylab.agents.gin_pass import counter_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.pointers import addresses
from rummylab.games.gin_pass.rules import ACT
from rummylab.games.gin_pass.view import gin_pass
from rummylab.learning.critic import MEASUREMENT, CriticTrainer, Floats, Notes, room_for
from rummylab.learning.gin_pass_notes import N_CRITIC, note_hands
from rummylab.learning.networks import RATE, load_torch, predicted
from rummylab.learning.options import PassCounterTraining
from rummylab.learning.trainer import seed_for

TABLES = ("course", "course(seats=3)", "course(seats=4)")
"""The rules for each set of networks."""
OTHERS = ("keats-tuned", "melder", "keats")
SHARES = (0.5, 0.3, 0.05)
"""Who sits beside the learner, and how often; otherwise it is the learner once more."""
CRITIC = (N_CRITIC, 96, 32, 1)
AFTER = PASS = (v.N_AFTER, WIDTH, INNER, 1)
STOCK = KNOCK = (v.N_HAND, WIDTH, INNER, 1)
"""Sizes of the networks, layer by layer."""
NETWORKS = (AFTER, STOCK, KNOCK, PASS)
PATIENCE, PASSING = 0.6, 0.3
"""How often `keats-tuned` does not knock, in half of the hands of the first round, and how often a learner passes a
random card. Later learners decide about knocks themselves: holding them back would make positions look worse."""
LINES_A_HAND, DECISIONS_A_HAND = 130, 30
"""Room for the notes of a hand."""


@dataclass
class PassNotes(Notes):
    """What was noted of some hands: knocks and passed cards, too."""

    knocks: Floats
    knock_results: Floats
    passes: Floats
    pass_results: Floats

    GROUPS = (*Notes.GROUPS, 2, 2)


def play(player: CompiledAgent, rules: str, seed: int, n_hands: int, every: bool, patience: float = 0.0) -> PassNotes:
    """Return the notes of *n_hands* hands by the *rules*: of every discard, or only of those made."""
    game = gin_pass(rules)
    size = n_hands * DECISIONS_A_HAND + 4000
    n_lines = n_hands * (LINES_A_HAND if every else DECISIONS_A_HAND) + 4000
    n_passes = n_hands * game.seats
    room = PassNotes(
        *room_for(n_lines, N_CRITIC, size, v.N_HAND),
        np.empty((size, v.N_HAND), np.float32),
        np.empty(size, np.float32),
        np.empty((n_passes, v.N_AFTER), np.float32),
        np.empty(n_passes, np.float32),
    )
    players = [player, *(agent("gin_pass", name) for name in OTHERS)]
    sizes = note_hands(
        game.new_rows(2),
        seed,
        0,
        n_hands,
        np.cumsum(SHARES),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        patience,
        PASSING,
        *room.columns,
    )
    return room.cut(sizes)


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the agent with these *weights*."""
    return c.act.with_options(c.PassCounterOptions(**options), weights=weights)


class PassCounter(CriticTrainer):
    """Rounds of play, a critic, and the agent's networks, for each number of seats."""

    ARTIFACT = "counter.safetensors"
    COLUMNS = ("critic_error", "choice_error", "two_seats", "three_seats", "four_seats")
    KIND = c.FORMAT, c.VERSION
    CRITIC, NETWORKS, POINTS, LEVEL = CRITIC, NETWORKS, v.POINTS, 1.0

    def __init__(self, options: PassCounterTraining) -> None:
        super().__init__(options, v.N_SETS)

    @property
    def rate(self) -> float:
        return RATE

    def learner(self) -> CompiledAgent:
        """Return the agent so far; it makes small mistakes, so that the critic sees other choices."""
        return agent("gin_pass", OTHERS[0]) if self.is_new else player_of(self.weights, noise=self.options.spread)

    def notes(self, number: int, purpose: int, every: bool) -> PassNotes:
        seed = seed_for(self.options.seed, purpose, self.round, number)
        hands = self.options.hands // (4 if every else 1)
        return play(self.learner(), TABLES[number], seed, hands, every, PATIENCE if self.is_new else 0.0)

    def learn_others(self, number: int, critic: Any, networks: Sequence[Any], made: Any, every: Any) -> None:
        _, stock, knock, passed = networks
        values = predicted(load_torch(), critic, made.lines)
        self.fit_next(number, stock, made.draws, made.draw_notes, made.draw_results, values)
        self.fit(knock, made.knocks, self.goals(number, made.knock_results))
        self.fit(passed, made.passes, self.goals(number, made.pass_results))

    def measure(self, games: int) -> dict[str, float]:
        """Return points a hand against `keats-tuned`, at three and four seats with `melder` and `keats` as well."""
        seed = seed_for(self.options.seed, MEASUREMENT)
        found, player = {}, player_of(self.weights)
        for number, rules in enumerate(TABLES):
            seatings = 2 if number == 0 else 6 * number * (number + 1)
            n = max(games // seatings, 1) * seatings
            result = match("gin_pass", player, *OTHERS[: number + 1], rules=rules, games=n, seed=seed, workers=1)
            found[f"seats_{number + 2}"] = round(result.points_per_hand.value, 3)
        return found

    def data_size(self) -> Mapping[str, Any]:
        return {"hands": self.rounds * self.options.hands * v.N_SETS, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 5 * self.options.games
        return {"games": games, "against": ", ".join(OTHERS), **self.measure(games)}
