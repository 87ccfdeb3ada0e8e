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

All networks go on from those of the round before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.gin_pass import counter as c
from rummylab.agents.gin_pass import counter_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.rng import mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_artifact
from rummylab.engine.pointers import addresses
from rummylab.games.gin_pass.rules import ACT
from rummylab.games.gin_pass.view import gin_pass
from rummylab.learning.gin_pass_notes import N_CRITIC, note_hands
from rummylab.learning.networks import (
    build,
    fit,
    fit_choices,
    flat_weights,
    load_torch,
    predicted,
    rebuilt,
    size_of,
)
from rummylab.learning.notes import D_SIZE, N_DECISION, N_STOCK, S_NEXT
from rummylab.learning.options import PassCounterTraining
from rummylab.learning.trainer import State, Trainer

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

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
LEVEL = 1.0
"""Weight of the mean of a decision in the loss; that of the differences is 1."""
PATIENCE, PASSING = 0.6, 0.3
"""How often `keats-tuned` does not knock, in half of the hands of the first round, and how often a learner passes a
random card. Later learners decide about knocks themselves: holding them back would make positions look worse."""
LINES_A_HAND, DECISIONS_A_HAND = 130, 30
"""Room for the notes of a hand."""
_CRITIC_DATA, _DATA, _MEASURE = 7, 11, 13  # purposes of seeds, so that their hands differ


@dataclass
class Notes:
    """What was noted of some hands."""

    lines: Floats
    """A line for each discard considered: the agent's inputs, then what only the critic sees."""
    decisions: Ints
    results: Floats
    draws: Floats
    draw_notes: Ints
    draw_results: Floats
    knocks: Floats
    knock_results: Floats
    passes: Floats
    pass_results: Floats


def play(player: CompiledAgent, rules: str, seed: int, n_hands: int, every: bool, patience: float = 0.0) -> Notes:
    """Return the notes of *n_hands* hands by the *rules*: of every discard, or only of those made."""
    game = gin_pass(rules)
    size = n_hands * DECISIONS_A_HAND + 4000
    room = n_hands * (LINES_A_HAND if every else DECISIONS_A_HAND) + 4000
    lines = np.empty((room, N_CRITIC), np.float32)
    decisions, results = np.empty((size, N_DECISION), np.int64), np.empty(size, np.float32)
    draws, draw_notes = np.empty((size, v.N_HAND), np.float32), np.empty((size, N_STOCK), np.int64)
    draw_results = np.empty(size, np.float32)
    knocks, knock_results = np.empty((size, v.N_HAND), np.float32), np.empty(size, np.float32)
    seats = n_hands * game.seats
    passes, pass_results = np.empty((seats, v.N_AFTER), np.float32), np.empty(seats, np.float32)
    players = [player, *(agent("gin_pass", name) for name in OTHERS)]
    n, n_decisions, n_draws, n_knocks, n_passes = note_hands(
        game.new_rows(2),
        seed,
        0,
        n_hands,
        np.cumsum(SHARES),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        patience,
        PASSING,
        lines,
        decisions,
        results,
        draws,
        draw_notes,
        draw_results,
        knocks,
        knock_results,
        passes,
        pass_results,
    )
    return Notes(
        lines[:n],
        decisions[:n_decisions],
        results[:n_decisions],
        draws[:n_draws],
        draw_notes[:n_draws],
        draw_results[:n_draws],
        knocks[:n_knocks],
        knock_results[:n_knocks],
        passes[:n_passes],
        pass_results[:n_passes],
    )


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the agent with these *weights*."""
    numbers = np.array(c.PassCounterOptions(**options).params, np.float32)
    return CompiledAgent("pass-counter", c.act.kernel, np.concatenate([numbers, weights.ravel()]))


class PassCounter(Trainer):
    """Rounds of play, a critic, and the agent's networks, for each number of seats."""

    ARTIFACT = "counter.safetensors"
    COLUMNS = ("critic_error", "choice_error", "two_seats", "three_seats", "four_seats")
    MAY_CHANGE = ("rounds",)

    def __init__(self, options: PassCounterTraining) -> None:
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
            return agent("gin_pass", "keats-tuned")
        return player_of(self.weights, noise=self.options.spread)

    def _learn(self, torch: Any, player: CompiledAgent, number: int) -> tuple[float, float]:
        """Learn the networks of one number of seats; return the errors of the critic and of the choices."""
        seed, epochs = self.options.seed, self.options.epochs
        made = self._notes(player, number, _CRITIC_DATA, every=False)
        critic, after, stock, knock, passed = self._networks(torch, number)
        loss = fit(torch, critic, made.lines, made.results / v.POINTS, epochs, seed)
        # One draw later: the critic's opinion, or the result of a knock.
        values, following = predicted(torch, critic, made.lines), made.draw_notes[:, S_NEXT]
        goals = np.where(following >= 0, values[following], made.draw_results / v.POINTS)
        fit(torch, stock, made.draws, goals.astype(np.float32), epochs, seed)
        fit(torch, knock, made.knocks, made.knock_results / v.POINTS, epochs, seed)
        fit(torch, passed, made.passes, made.pass_results / v.POINTS, epochs, seed)
        every = self._notes(player, number, _DATA, every=True)
        own = np.ascontiguousarray(every.lines[:, : v.N_AFTER])
        judged = predicted(torch, critic, every.lines)
        choice = fit_choices(torch, after, own, judged, every.decisions[:, D_SIZE], epochs, seed, LEVEL)
        self.weights[number] = flat_weights(after, stock, knock, passed)
        self.critics[number] = flat_weights(critic)
        self.decisions += len(made.decisions) + len(every.decisions)
        return v.POINTS * loss**0.5, v.POINTS * choice**0.5

    def _networks(self, torch: Any, number: int) -> list[Any]:
        """Return the critic and the agent's networks: new ones, or those of the round before."""
        if self.round == 0:
            return [build(torch, sizes, self.options.seed + k) for k, sizes in enumerate((CRITIC, *NETWORKS))]
        return [*rebuilt(torch, self.critics[number], CRITIC), *rebuilt(torch, self.weights[number], *NETWORKS)]

    def _notes(self, player: CompiledAgent, number: int, purpose: int, every: bool) -> Notes:
        seed = int(mix(self.options.seed, self.round, number, purpose) >> np.uint64(1))
        hands = self.options.hands // (4 if every else 1)
        return play(player, TABLES[number], seed, hands, every, 0.0 if self.round else PATIENCE)

    def measure(self, games: int) -> dict[str, float]:
        """Return points a hand against `keats-tuned`, at three and four seats with `melder` and `keats` as well."""
        seed = int(mix(self.options.seed, 0, 0, _MEASURE) >> np.uint64(1))
        found, player = {}, player_of(self.weights)
        for number, rules in enumerate(TABLES):
            seatings = 2 if number == 0 else 6 * number * (number + 1)
            n = max(games // seatings, 1) * seatings
            result = match("gin_pass", player, *OTHERS[: number + 1], rules=rules, games=n, seed=seed, workers=1)
            found[f"seats_{number + 2}"] = round(result.points_per_hand.value, 3)
        return found

    def state(self) -> State:
        return {"weights": self.weights, "critics": self.critics, "decisions": self.decisions}

    def set_state(self, state: State) -> None:
        self.weights[...], self.critics[...] = state["weights"], state["critics"]
        self.decisions = int(state["decisions"])

    def data_size(self) -> Mapping[str, Any]:
        return {"hands": self.rounds * self.options.hands * v.N_SETS, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 5 * self.options.games
        return {"games": games, "against": ", ".join(OTHERS), **self.measure(games)}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        write_artifact(
            path, {"weights": self.weights}, {"format": c.FORMAT, "version": c.VERSION, **manifest}, half=True
        )
