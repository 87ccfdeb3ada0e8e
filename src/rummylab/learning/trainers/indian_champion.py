"""Train `indian-champion`: a critic that sees all hands, and the agent's networks, which learn from it.

    rummylab train indian-champion --seed 1 --out runs/indian-champion

Each round does four things, for points and for deals won alike:

1. Play. The agent so far (`mindist-outs` in the first round) plays itself and other agents, at two to six seats and by
   several rules; every discard and every draw from the stock of the learner is noted with its result.
2. The critic learns the result of a deal from the position with all hands shown.
3. `AFTER` learns the critic's value of *every* discard that keeps the distance. What counts is the choice, so the loss
   compares the discards of one decision with their mean; the mean itself counts for little.
4. `STOCK` learns the critic's value of the position one draw later.

All networks go on from those of the round before, at a rate that falls from round to round. Several sets of networks of
one kind learn each with a seed of its own; the agent plays by their mean.

``--against AGENT --from-champion`` fine-tunes the champion into a best response to AGENT, by points at two seats: what
it gains tells how far AGENT can be exploited. Its artifact is a player like the champion; the manifest has the points a
deal and the share of deals won, with 95% intervals, in ten times as many deals as after a round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from rummylab.agents.indian import champion as c
from rummylab.agents.indian import champion_values as v
from rummylab.agents.network import INNER, WIDTH
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.arena.statistics import Estimate
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.pointers import addresses
from rummylab.games.indian.rules import ACT
from rummylab.games.indian.view import indian
from rummylab.learning.critic import MEASUREMENT, CriticTrainer, Floats, Notes, joined, room_for
from rummylab.learning.indian_notes import N_CRITIC, note_deals
from rummylab.learning.indian_standings import drop_table
from rummylab.learning.networks import load_torch, predicted
from rummylab.learning.options import IndianChampionTraining
from rummylab.learning.trainer import seed_for

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
KINDS = tuple(c.SETS)
SETS = tuple((kind, k) for kind, n in c.SETS.items() for k in range(n))
"""The sets of networks: what each values, and what is added to its seed."""
LEARNER_MARGIN = 3.0
"""The margin of an upcard while learning: lower than in play, so that the networks see what upcards bring."""
STANDINGS, RESULT = 17, 19
"""Purposes of the seeds for the table of drops, and for the deals of the result, which no round has seen."""


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
    n_lines = n_deals * (LINES_A_DEAL if every else DECISIONS_A_DEAL) + 2000
    room = Notes(*room_for(n_lines, N_CRITIC, n_deals * DECISIONS_A_DEAL + 1000, v.N_HAND))
    players = [player, *(agent("indian", name) for name in others)]
    sizes = note_deals(
        indian(rules).new_rows(1),
        seed,
        0,
        n_deals,
        np.cumsum(shares),
        addresses([one.kernel for one in players], [one.params for one in players], ACT),
        int(every),
        *room.columns,
    )
    return room.cut(sizes)


def target_of(kind: str, results: Floats) -> Floats:
    """Return what the networks learn of a deal's *results*, in units of `v.POINTS`: the points, or 40 for a win."""
    return np.asarray(results / v.POINTS if kind == "points" else np.where(results > 0, 1.0, -1.0), np.float32)


# --- The trainer --------------------------------------------------------------------------------------------------


def player_of(weights: Floats, **options: Any) -> CompiledAgent:
    """Return the champion with these *weights*, a line for each set, or one set alone.

    It drops by the points of a deal, whatever the standing.
    """
    drops = np.full(c.N_STEPS**2, -c.USUAL_DROP, np.float32)
    numbers = c.trained(np.atleast_2d(weights), drops)
    return c.act.with_options(c.IndianChampionOptions(**options), weights=numbers)


class IndianChampion(CriticTrainer):
    """Rounds of play, a critic, and the agent's networks: one set for points, one for deals won."""

    ARTIFACT = "champion.safetensors"
    COLUMNS = ("points_error", "wins_error", "choice_error", "points_a_deal", "win_rate")
    KIND = c.FORMAT, c.VERSION
    CRITIC, NETWORKS, POINTS = CRITIC, (AFTER, STOCK), v.POINTS

    def __init__(self, options: IndianChampionTraining) -> None:
        super().__init__(options, len(SETS))
        if options.from_champion:
            self.weights[...] = np.concatenate([c.load_tensors(c.ARTIFACT)[kind] for kind in KINDS])
        self.sets = SETS[:1] if options.against else SETS

    @property
    def is_new(self) -> bool:
        return self.round == 0 and not self.options.from_champion

    def run_round(self) -> Sequence[float]:
        errors = [self.learn(number) for number in range(len(self.sets))]
        measured = self.measure(self.options.games)
        return errors[0][0], errors[-1][0], errors[0][1], measured["points"], measured["win_rate"]

    def seed_of(self, number: int) -> int:
        return int(self.options.seed) + SETS[number][1]

    def of(self, kind: str) -> Floats:
        """Return the sets of networks that value *kind*."""
        return self.weights[[kind == its for its, _ in SETS]]

    def learner(self, number: int) -> CompiledAgent:
        """Return the agent so far; it makes small mistakes, so that the critic sees other choices."""
        if self.is_new:
            return agent("indian", "mindist-outs")
        return player_of(self.weights[number], margin=LEARNER_MARGIN, noise=self.options.spread, drops=False)

    def goals(self, number: int, results: Floats) -> Floats:
        return target_of(SETS[number][0], results)

    def notes(self, number: int, purpose: int, every: bool) -> Notes:
        player, against = self.learner(number), self.options.against
        others, shares = ((against,), (1.0,)) if against else (OTHERS, SHARES)
        deals = self.options.deals // (3 if every else 1)
        found, kind = [], KINDS.index(SETS[number][0])
        for k, (rules, share) in enumerate(DUEL if against else TABLES):
            seats = indian(rules).seats
            seed = seed_for(self.seed_of(number), purpose, self.round, 10 * kind + k)
            found.append(play(player, rules, seed, max(int(2 * share * deals / seats), 2), every, others, shares))
        return joined(found)

    def learn_others(self, number: int, critic: Any, networks: Sequence[Any], made: Any, every: Any) -> None:
        values = predicted(load_torch(), critic, made.lines)
        self.fit_next(number, networks[1], made.draws, made.draw_notes, made.draw_results, values)

    @property
    def frozen(self) -> str:
        """The opponent of the measurements."""
        return self.options.against or "mindist-outs"

    def measure(self, games: int) -> dict[str, float]:
        return {name: found.value for name, found in self.estimates(games, MEASUREMENT).items()}

    def estimates(self, games: int, purpose: int) -> dict[str, Estimate]:
        """Return points a deal against the frozen opponent, and the share of deals won.

        Except for a best response, the share is that of the agent that plays for deals.
        """
        seed = seed_for(self.options.seed, purpose)
        wins = points = match("indian", player_of(self.of("points")), self.frozen, games=games, seed=seed, workers=1)
        if not self.options.against:
            for_wins = player_of(self.of("wins"), **asdict(c.FOR_WINS))
            wins = match("indian", for_wins, self.frozen, games=games, seed=seed, workers=1)
        return {"points": points.points_per_hand, "win_rate": wins.win_rate}

    def data_size(self) -> Mapping[str, Any]:
        return {"deals": self.rounds * self.options.deals, "decisions": self.decisions}

    def result(self) -> Mapping[str, Any]:
        games = 10 * self.options.games
        found: dict[str, Any] = {"against": self.frozen, "games": games}
        for name, one in self.estimates(games, RESULT).items():
            found |= {name: round(one.value, 4), f"{name}, 95%": [round(one.low, 4), round(one.high, 4)]}
        return found

    def tensors(self) -> dict[str, Floats]:
        seed = seed_for(self.options.seed, STANDINGS)
        drops = drop_table(player_of(self.of("points"), drops=False), seed, self.options.deals // 6)
        return {**{kind: self.of(kind) for kind in KINDS}, "drops": drops}
