"""Deals in which the same agent always moves first, for tables in which the row moves first.

With the same seed, deal number k has the same cards for every pair, so pairs can be compared deal by deal.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rummylab.agents.registry import agent
from rummylab.arena.jobs import Played, complaint
from rummylab.arena.keys import ChunkKey
from rummylab.arena.statistics import Estimate, Floats, mean, median, wilson
from rummylab.cards.rng import root_of
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.errors import AgentError, OptionError
from rummylab.games.lookup import rules_of
from rummylab.games.registry import game

ORDERED_CHUNK = 500
"""Deals in a chunk. Results do not depend on it."""
ORDERED_DEAL = np.dtype([("winner", "i1"), ("outcome", "i1"), ("gain", "i4"), ("rounds", "i4")])
"""A deal: the winner (0 for the first mover), the number of the outcome, and the gain of the first mover."""


def has_gains(game_name: str) -> bool:
    """Return whether the tallies of a game have what a table of ordered pairs needs."""
    return "gains" in (game(game_name).batch.tally_for(2).names or ())


class OrderedJob:
    """Deals that *mover* opens, in one kernel call."""

    def __init__(self, rules: Rules, mover: CompiledAgent, other: CompiledAgent, seed: int) -> None:
        self.rules, self.players, self.seed = rules, (mover, other), seed
        self.batch = game(rules.name).batch
        if not has_gains(rules.name):
            raise OptionError(f"{rules.name} does not count what an agent gains in a deal; indian does")

    def __call__(self, start: int, n: int) -> Rows:
        """Play *n* deals from number *start* on; return one tally a deal, the mover being agent 0."""
        tallies = np.zeros(n, self.batch.tally_for(2))
        acts, params = [player.kernel for player in self.players], [player.params for player in self.players]
        where = self.rules.new_rows(1), root_of(self.seed), start
        self.batch.play_seatings(*where, [(0, 1)], acts, params, tallies, starter=0)
        illegal = tallies[tallies["illegal"] > 0]
        if len(illegal):
            raise AgentError(complaint(self.rules, self.players, illegal[0]))
        return tallies


class OrderedTask(NamedTuple):
    """Deals that *mover* opens against *other*: everything needed to play them anywhere."""

    game: str
    preset: str
    mover: str
    other: str
    seed: int
    start: int
    deals: int

    @property
    def releases_gil(self) -> bool:
        """Whether threads can play several tasks at once: each is one kernel call."""
        return True

    @property
    def key(self) -> ChunkKey:
        """The key of the result in a run."""
        return ChunkKey((self.mover, self.other), self.start, self.deals)


@cache
def _job(game_name: str, preset: str, mover: str, other: str, seed: int) -> OrderedJob:
    return OrderedJob(rules_of(game_name, preset), agent(game_name, mover), agent(game_name, other), seed)


def play_ordered(task: OrderedTask) -> Played:
    """Play *task*; the rows are of the type `ORDERED_DEAL`."""
    began = time.perf_counter()
    tallies = _job(*task[:5])(task.start, task.deals)
    return Played(deals_of(tallies), seconds=time.perf_counter() - began)


def deals_of(tallies: Rows) -> Rows:
    """Return what is kept of deals in which agent 0 moved first."""
    rows = np.zeros(len(tallies), ORDERED_DEAL)
    rows["winner"], rows["rounds"] = tallies["winner"], tallies["rounds"]
    rows["outcome"] = tallies["outcomes"].argmax(axis=1)
    rows["gain"] = tallies["gains"][:, 0]
    return rows


@dataclass(frozen=True, slots=True)
class OrderedDeals:
    """The deals that one agent opened against another."""

    rows: Rows

    @property
    def n(self) -> int:
        """Deals played."""
        return len(self.rows)

    @property
    def wins(self) -> Floats:
        """1 for each deal that the first mover won, else 0."""
        return np.asarray(self.rows["winner"] == 0, np.float64)

    @property
    def gains(self) -> Floats:
        """The first mover's points in each deal."""
        return np.asarray(self.rows["gain"], np.float64)

    @property
    def rounds(self) -> Floats:
        """Rounds of each deal."""
        return np.asarray(self.rows["rounds"], np.float64)

    @property
    def win_rate(self) -> Estimate:
        """The share of deals that the first mover won."""
        return wilson(float(self.wins.mean()), self.n)

    @property
    def mean_gain(self) -> Estimate:
        """The mean of the first mover's points."""
        return mean(self.gains)

    @property
    def median_gain(self) -> Estimate:
        """The median of the first mover's points."""
        return median(self.gains)

    def ended(self, outcome: int) -> float:
        """Return the share of deals that ended with *outcome*."""
        return float(np.mean(self.rows["outcome"] == outcome))


@dataclass(frozen=True)
class Ordered:
    """The deals of ordered pairs (first mover, second), all with the same cards."""

    series: Mapping[tuple[str, str], OrderedDeals]

    @classmethod
    def of_chunks(cls, tasks: Iterable[Any], parts: Iterable[Played]) -> Ordered:
        """Return the deals of all pairs from their chunks, in the order of the *tasks*."""
        rows: dict[tuple[str, str], list[Rows]] = {}
        for task, part in zip(tasks, parts, strict=True):
            rows.setdefault((task.mover, task.other), []).append(part.rows)
        return cls({pair: OrderedDeals(np.concatenate(chunks)) for pair, chunks in rows.items()})

    @classmethod
    def merged(cls, parts: Iterable[Ordered]) -> Ordered:
        """Return all series of *parts* together."""
        return cls({pair: series for part in parts for pair, series in part.series.items()})

    def of(self, mover: str, other: str) -> OrderedDeals:
        """Return the deals in which *mover* moved first against *other*."""
        return self.series[mover, other]

    def edge(self, agent_name: str) -> Estimate:
        """Return the first mover's advantage in self-play."""
        rate = self.of(agent_name, agent_name).win_rate
        return Estimate(rate.value - 0.5, rate.low - 0.5, rate.high - 0.5)

    def adjusted(self, mover: str, other: str) -> Estimate:
        """Return the win rate less the mover's advantage in self-play, compared deal by deal (Saha et al., VIII)."""
        if mover == other:
            return Estimate(0.5, 0.5, 0.5)
        return mean(self.of(mover, other).wins - self.of(mover, mover).wins + 0.5)

    def skill(self, one: str, two: str) -> Estimate:
        """Return how often *one* beats *two*, both orders averaged on the same deals."""
        return mean((self.of(one, two).wins + 1 - self.of(two, one).wins) / 2)

    def net_gains(self, one: str, two: str) -> Floats:
        """Return what *one* gained against *two* in each deal, the mean of both orders."""
        return np.asarray((self.of(one, two).gains - self.of(two, one).gains) / 2)

    def net_gain(self, one: str, two: str) -> Estimate:
        """Return the points a deal that *one* wins from *two*, both orders averaged on the same deals."""
        return mean(self.net_gains(one, two))

    def gain_beyond(self, new: str, old: str, opponent: str) -> Estimate:
        """Return the points a deal that *new* wins from *opponent* beyond what *old* does."""
        return mean(self.net_gains(new, opponent) - self.net_gains(old, opponent))


def ordered_pairs(agents: Sequence[str], against: Sequence[str] = (), *, both: bool = True) -> list[tuple[str, str]]:
    """Return all ordered pairs of *agents*, or those with an agent of *against* on the other side."""
    if not against:
        return [(one, two) for one in agents for two in agents]
    pairs = [pair for one in agents for two in against for pair in ((one, two), (two, one))]
    return list(dict.fromkeys(pairs if both else pairs[::2]))
