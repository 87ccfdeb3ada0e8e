"""The facts of a tournament's report: who leads, and which differences are significant."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np

from rummylab.arena.match import MatchResult
from rummylab.arena.ratings import Rating, rating_notes
from rummylab.arena.statistics import Z95, Estimate, Floats, holm, mean, p_value, share, wilson
from rummylab.arena.tournament import Standings, first_movers_share

LEVEL = 0.05
"""A difference is significant if its p-value, corrected for the number of comparisons, is below this."""
_LONGEST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two agents that met, seen from the one with the higher rating."""

    first: str
    second: str
    result: MatchResult
    number: int
    """The number of *first* among the match's agents."""
    win: Estimate
    points: Estimate
    p_win: float
    """Corrected by Holm's method for all comparisons of the tournament, as is *p_points*."""
    p_points: float

    @property
    def is_significant(self) -> bool:
        """Whether one of the two wins significantly more games."""
        return self.p_win < LEVEL

    @property
    def points_are_significant(self) -> bool:
        """Whether one of the two wins significantly more points."""
        return self.p_points < LEVEL

    @property
    def is_split(self) -> bool:
        """Whether one wins significantly more games and the other significantly more points."""
        return self.is_significant and self.points_are_significant and (self.win.value > 0.5) != (self.points.value > 0)

    @property
    def winner(self) -> str:
        """Who won more games."""
        return self.first if self.win.value > 0.5 else self.second

    def per_deal(self) -> Floats:
        """Return the first's share of the games of each deal, in the order of play."""
        return np.asarray(self.result.wins(self.number).reshape(-1, 2).mean(axis=1))


class Facts:
    """A tournament's standings with everything its report says about them."""

    def __init__(self, standings: Standings) -> None:
        self.standings, self.plan = standings, standings.plan

    @cached_property
    def ratings(self) -> list[Rating]:
        """The agents that have played, strongest first."""
        playing = {name for pair, _ in self.standings.matches() for name in pair}
        return [rating for rating in self._all_ratings if rating.name in playing]

    @cached_property
    def _all_ratings(self) -> list[Rating]:
        return self.standings.ratings()

    @property
    def anchor(self) -> str:
        """The agent whose Elo is 0."""
        return next(rating.name for rating in self._all_ratings if rating.is_anchor)

    @property
    def rating_notes(self) -> str:
        """Notes for readers of the ratings."""
        return " ".join(rating_notes(self._all_ratings, lambda name: f"`{self.labels[name]}`"))

    @cached_property
    def order(self) -> list[str]:
        """Names of the agents, best first."""
        return [rating.name for rating in self.ratings]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short, distinct names that fit into figures; those of outside agents are cut."""
        labels: dict[str, str] = {}
        for name in self.plan.agents:
            short = label = short_name(name)
            while label in labels.values():
                label = f"{short} {2 + sum(other.startswith(short + ' ') for other in labels.values())}"
            labels[name] = label
        return labels

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every pair that met, in the order of strength."""
        place = {name: i for i, name in enumerate(self.order)}
        found = []
        for (one, two), result in self.standings.matches():
            number = 0 if place[one] < place[two] else 1
            pair = (one, two) if number == 0 else (two, one)
            win, points = result.win_rate_of(number), result.points_per_hand_of(number)
            found.append(
                Comparison(*pair, result, number, win, points, p_of(win, 0.5), p_of(points, 0.0)),
            )
        found.sort(key=lambda c: (place[c.first], place[c.second]))
        wins, points_ = holm([c.p_win for c in found]), holm([c.p_points for c in found])
        return [replace(c, p_win=p, p_points=q) for c, p, q in zip(found, wins, points_, strict=True)]

    @cached_property
    def by_pair(self) -> dict[tuple[str, str], Comparison]:
        """The comparisons by either order of the names."""
        return {pair: c for c in self.comparisons for pair in ((c.first, c.second), (c.second, c.first))}

    def against_field(self, name: str, what: str = "wins") -> Estimate:
        """Return an agent's mean over its opponents, clustered by deal: all pairs play the same deals.

        *what* is ``wins``, ``points`` (a game) or ``edge``, what moving first adds to the win rate.
        """
        per_deal = []
        for c in self.comparisons:
            if name in (c.first, c.second):
                per_deal.append(_values(c.result, c.result.agents.index(name), what))
        shortest = min(len(values) for values in per_deal)
        values = np.mean([found[:shortest] for found in per_deal], axis=0)
        if what == "wins":
            return share(values)
        found = mean(values)
        if what == "edge" and found.low == found.high:  # all deals alike: no surer than a clean sweep of as many games
            half = (1 - wilson(1.0, shortest).low) / 2
            return Estimate(found.value, found.value - half, found.value + half)
        return found

    def edge_alone(self, name: str) -> Estimate | None:
        """Return what moving first adds to the win rate when an agent plays itself, if it did."""
        alone = self.standings.results.get((name, name))
        if alone is None:
            return None
        found = first_movers_share(alone)
        return Estimate(found.value - 0.5, found.low - 0.5, found.high - 0.5)

    @cached_property
    def cycles(self) -> list[tuple[tuple[str, str, str], bool]]:
        """The cycles, and whether every step of each is significant after Holm's correction."""
        found = []
        for cycle in self.standings.cycles():
            steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
            found.append((cycle, all(self.by_pair[pair].is_significant for pair in steps)))
        return found


def p_of(estimate: Estimate, null: float) -> float:
    """Return the two-sided p-value that belongs to an interval: below 5% exactly when *null* is outside."""
    arm = estimate.value - estimate.low if estimate.value > null else estimate.high - estimate.value
    if estimate.value == null or math.isinf(arm):
        return 1.0
    return p_value(Z95 * (estimate.value - null) / arm) if arm > 0 else 0.0


def _values(result: MatchResult, number: int, what: str) -> Floats:
    wins = result.wins(number)
    if what == "edge":
        started = np.where(result.tallies["starter"] == number, 1.0, -1.0)
        return np.asarray((wins * started).reshape(-1, 2).sum(axis=1) / 2)
    values = wins if what == "wins" else gains(result, number)
    return np.asarray(values.reshape(-1, 2).mean(axis=1))


def gains(result: MatchResult, number: int) -> Floats:
    """Return an agent's points minus its opponent's, game by game."""
    scores = np.asarray(result.tallies["scores"], np.float64)
    return np.asarray(scores[:, number] - scores[:, 1 - number])


def short_name(spec: str) -> str:
    """Return what an agent is called in figures: the class of a file, the last word of a command."""
    label = spec
    if spec.startswith("program:"):
        label = PurePath(spec.removeprefix("program:").split()[-1]).name
    elif re.search(r"\.py:", spec) or "." in spec.partition(":")[0]:
        label = spec.rpartition(":")[2]
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def listed(words: Sequence[str], most: int = 8) -> str:
    """Join *words* as in a sentence; what is beyond *most* is counted."""
    shown = list(words[:most])
    if len(words) > most:
        shown.append(f"{len(words) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def percent(value: float, digits: int = 1) -> str:
    """Return a share as percent."""
    return f"{100 * value:.{digits}f}%"


def signed(value: float) -> str:
    """Return a number with its sign and two digits."""
    return f"{value:+.2f}"


def within(estimate: Estimate, form: Any = percent) -> str:
    """Return *estimate* with its interval in words."""
    return f"{form(estimate.value)} ({form(estimate.low)} to {form(estimate.high)})"
