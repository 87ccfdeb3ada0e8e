"""Train `indian-champion`: a critic that sees all hands, and the agent's networks, which learn from it.

    rummylab train indian-champion --seed 1 --out runs/indian-champion

Each round does four things, for points and for deals won alike:

1. Play. The agent so far (`mindist-outs` in the first round) plays itself and other agents, at two to six seats and by
   several rules; every discard and every draw from the stock of the learner is noted with its result.
2. The critic learns the result of a deal from the position with all hands shown.
3. `AFTER` learns the critic's value of *every* discard that keeps the distance. What counts is the choice, so the loss
   compares the discards of one decision with their mean; the mean itself counts for little.
4. `STOCK` learns the critic's value of the position one draw later.

All networks go on from those of the round before, at a rate that falls from round to round.

``--against AGENT --from-champion`` fine-tunes the champion into a best response to AGENT, by points at two seats: what
it gains tells how far AGENT can be exploited. Its artifact is a player like the champion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.indian import champion as c
from rummylab.agents.indian import champion_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.rng import mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_artifact
from rummylab.engine.pointers import addresses
from rummylab.games.indian.rules import ACT
from rummylab.games.indian.view import indian
from rummylab.learning.indian_notes import N_CRITIC, note_deals
from rummylab.learning.indian_standings import drop_table
from rummylab.learning.networks import (
    RATE,
    build,
    fit,
    fit_choices,
    flat_weights,
    load_torch,
    predicted,
    rebuilt,
    size_of,
)
from rummylab.learning.notes import D_CHOSEN, D_SIZE, N_DECISION, N_STOCK, S_NEXT
from rummylab.learning.options import IndianChampionTraining
from rummylab.learning.trainer import State, Trainer

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

TABLES = (
    ("paper", 0.40),
    ("platform", 0.16),
    ("platform(decks=2, printed_jokers=2)", 0.10),
    ("paper(seats=3)", 0.06),
    ("platform(seats=4)", 0.14),
    ("platform(seats=6)", 0.14),
)
"""Rules and seats that the deals are played by, with the share of the work."""
OTHERS = ("mindist-outs", "mindist-outs-drop", "minscore")
SHARES = (0.25, 0.2, 0.1)
"""Who sits beside the learner, and how often; otherwise it is the learner once more."""
DUEL = (("paper", 1.0),)
"""The table of a best response."""
CRITIC = (N_CRITIC, 192, 64, 1)
AFTER = (v.N_AFTER, WIDTH, INNER, 1)
STOCK = (v.N_HAND, WIDTH, INNER, 1)
"""Sizes of the networks, layer by layer."""
LINES_A_DEAL, DECISIONS_A_DEAL = 150, 45
"""Room for the notes of a deal, with more than two players the notes of a share of the deals."""
KINDS = ("points", "wins")
LEARNER_MARGIN = 3.0
"""The margin of an upcard while learning: lower than in play, so that the networks see what upcards bring."""
_CRITIC_DATA, _DATA, _MEASURE, _STANDINGS = 7, 11, 13, 17  # purposes of seeds, so that their deals differ


@dataclass
class Notes:
    """What was noted of some deals."""

    lines: Floats
    """A line for each discard considered: the agent's inputs, then what only the critic sees."""
    decisions: Ints
    results: Floats
    draws: Floats
    draw_notes: Ints
    draw_results: Floats

    @property
    def decision_of(self) -> Ints:
        """The decision that each line belongs to."""
        return np.repeat(np.arange(len(self.decisions)), self.decisions[:, D_SIZE])


def play(
    player: CompiledAgent,
    rules: str,
    seed: int,
    n_deals: int,
    every: bool,
    others: Sequence[str] = OTHERS,
    shares: Sequence[float] = SHARES,
) -> Notes:
    """Return the notes of *n_deals* deals by the *rules*: of every discard, or only of those made.

    Each of *others* takes its share of the other seats; the rest is for the *player* once more.
    """
    room = n_deals * (LINES_A_DEAL if every else DECISIONS_A_DEAL) + 2000
    lines = np.empty((room, N_CRITIC), np.float32)
    size = n_deals * DECISIONS_A_DEAL + 1000
    decisions, results = np.empty((size, N_DECISION), np.int64), np.empty(size, np.float32)
    draws, draw_notes = np.empty((size, v.N_HAND), np.float32), np.empty((size, N_STOCK), np.int64)
    draw_results = np.empty(size, np.float32)
    players = [player, *(agent("indian", name) for name in others)]
    n, n_decisions, n_draws = note_deals(
        indian(rules).new_rows(1),
        seed,
        0,
        n_deals,
        np.cumsum(shares),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        lines,
        decisions,
        results,
        draws,
        draw_notes,
        draw_results,
    )
    return Notes(
        lines[:n],
        decisions[:n_decisions],
        results[:n_decisions],
        draws[:n_draws],
        draw_notes[:n_draws],
        draw_results[:n_draws],
    )


def joined(parts: Sequence[Notes]) -> Notes:
    """Return the notes of several sets of deals as one."""
    lines = decisions = 0
    moved = []
    for part in parts:
        own, draw_notes = part.decisions.copy(), part.draw_notes.copy()
        own[:, D_CHOSEN] += lines
        draw_notes[:, S_NEXT] += np.where(draw_notes[:, S_NEXT] >= 0, decisions, 0)
        moved.append((own, draw_notes))
        lines += len(part.lines)
        decisions += len(part.decisions)
    return Notes(
        np.concatenate([part.lines for part in parts]),
        np.concatenate([own for own, _ in moved]),
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.draws for part in parts]),
        np.concatenate([notes for _, notes in moved]),
        np.concatenate([part.draw_results for part in parts]),
    )


def target_of(kind: str, results: Floats) -> Floats:
    """Return what the networks learn of a deal's *results*, in units of `v.POINTS`: the points, or 40 for a win."""
    return np.asarray(results / v.POINTS if kind == "points" else np.where(results > 0, 1.0, -1.0), np.float32)


# --- The trainer --------------------------------------------------------------------------------------------------


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the champion with these *weights*; it drops by the points of a deal, whatever the standing."""
    numbers = np.array(c.IndianChampionOptions(**options).params, np.float32)
    drops = np.full(c.N_STEPS**2, -c.USUAL_DROP, np.float32)
    return CompiledAgent("indian-champion", c.act.kernel, np.concatenate([numbers, weights, drops]))


class IndianChampion(Trainer):
    """Rounds of play, a critic, and the agent's networks."""

    ARTIFACT = "champion.safetensors"
    COLUMNS = ("points_error", "wins_error", "choice_error", "points_a_deal", "win_rate")
    MAY_CHANGE = ("rounds",)

    def __init__(self, options: IndianChampionTraining) -> None:
        super().__init__(options)
        self.weights = np.zeros((len(KINDS), v.N_WEIGHTS), np.float32)
        if options.from_champion:
            self.weights[...] = [c.load_tensors(c.ARTIFACT)[kind] for kind in KINDS]
        self.kinds = KINDS[:1] if options.against else KINDS
        self.critics = np.zeros((len(KINDS), size_of(CRITIC)), np.float32)
        self.decisions = 0

    @property
    def rounds(self) -> int:
        return int(self.options.rounds)

    def run_round(self) -> Sequence[float]:
        torch = load_torch(1)
        errors = [self._learn(torch, number, kind) for number, kind in enumerate(self.kinds)]
        measured = self.measure(self.options.games)
        return errors[0][0], errors[-1][0], errors[0][1], measured["points"], measured["win_rate"]

    @property
    def is_new(self) -> bool:
        """Whether there are no networks yet that could play."""
        return self.round == 0 and not self.options.from_champion

    def learner(self, number: int) -> CompiledAgent:
        """Return the agent so far; it makes small mistakes, so that the critic sees other choices."""
        if self.is_new:
            return agent("indian", "mindist-outs")
        return player_of(self.weights[number], margin=LEARNER_MARGIN, noise=self.options.spread, drops=False)

    def _learn(self, torch: Any, number: int, kind: str) -> tuple[float, float]:
        """Learn one kind of value; return the errors of the critic and of the choices."""
        seed, epochs, rate = self.options.seed, self.options.epochs, RATE / (1 + self.round)
        made = self._notes(number, _CRITIC_DATA, every=False)
        critic, after, stock = self._networks(torch, number)
        loss = fit(torch, critic, made.lines, target_of(kind, made.results), epochs, seed, rate)
        # One draw later: the critic's opinion, or the result of a declaration.
        values, following = predicted(torch, critic, made.lines), made.draw_notes[:, S_NEXT]
        goals = np.where(following >= 0, values[following], target_of(kind, made.draw_results))
        fit(torch, stock, made.draws, goals.astype(np.float32), epochs, seed, rate)
        every = self._notes(number, _DATA, every=True)
        judged = predicted(torch, critic, every.lines)
        sizes = every.decisions[:, D_SIZE]
        own = np.ascontiguousarray(every.lines[:, : v.N_AFTER])
        choice = fit_choices(torch, after, own, judged, sizes, epochs, seed, rate=rate)
        self.weights[number] = flat_weights(after, stock)
        self.critics[number] = flat_weights(critic)
        self.decisions += len(made.decisions) + len(every.decisions)
        return v.POINTS * loss**0.5, v.POINTS * choice**0.5

    def _networks(self, torch: Any, number: int) -> list[Any]:
        """Return the critic and the agent's two networks: new ones, or those of the round before."""
        new = [build(torch, sizes, self.options.seed + k) for k, sizes in enumerate((CRITIC, AFTER, STOCK))]
        if self.is_new:
            return new
        critic = rebuilt(torch, self.critics[number], CRITIC) if self.round else new[:1]
        return [*critic, *rebuilt(torch, self.weights[number], AFTER, STOCK)]

    def _notes(self, number: int, purpose: int, every: bool) -> Notes:
        """Return the notes of this round's deals, at all tables."""
        player, against = self.learner(number), self.options.against
        others, shares = ((against,), (1.0,)) if against else (OTHERS, SHARES)
        deals = self.options.deals // (3 if every else 1)
        found = []
        for k, (rules, share) in enumerate(DUEL if against else TABLES):
            seats = indian(rules).seats
            seed = int(mix(self.options.seed, self.round, 10 * number + k, purpose) >> np.uint64(1))
            found.append(play(player, rules, seed, max(int(2 * share * deals / seats), 2), every, others, shares))
        return joined(found)

    @property
    def frozen(self) -> str:
        """The opponent of the measurements."""
        return self.options.against or "mindist-outs"

    def measure(self, games: int) -> dict[str, float]:
        """Return points a deal against the frozen opponent, and the share of deals won.

        Except for a best response, the share is that of the agent that plays for deals.
        """
        seed = int(mix(self.options.seed, 0, 0, _MEASURE) >> np.uint64(1))
        wins = points = match("indian", player_of(self.weights[0]), self.frozen, games=games, seed=seed, workers=1)
        if not self.options.against:
            for_wins = player_of(self.weights[1], margin=c.WINS_MARGIN, drops=False)
            wins = match("indian", for_wins, self.frozen, games=games, seed=seed, workers=1)
        return {"points": round(points.points_per_hand.value, 3), "win_rate": round(wins.win_rate.value, 4)}

    def state(self) -> State:
        return {"weights": self.weights, "critics": self.critics, "decisions": self.decisions}

    def set_state(self, state: State) -> None:
        self.weights[...], self.critics[...] = state["weights"], state["critics"]
        self.decisions = int(state["decisions"])

    def data_size(self) -> Mapping[str, Any]:
        return {"deals": self.rounds * self.options.deals, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 10 * self.options.games
        return {"games": games, "against": self.frozen, **self.measure(games)}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        seed = int(mix(self.options.seed, 0, 0, _STANDINGS) >> np.uint64(1))
        drops = drop_table(player_of(self.weights[0], drops=False), seed, self.options.deals // 6)
        tensors = {**dict(zip(KINDS, self.weights, strict=True)), "drops": drops}
        write_artifact(path, tensors, {"format": c.FORMAT, "version": c.VERSION, **manifest}, half=True)
