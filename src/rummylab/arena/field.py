"""Several agents against the same opponents on the same deals: they are compared deal by deal.

Of every deal three numbers are kept, so that hundreds of line-ups fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rummylab.arena.jobs import Played, Task, play_task
from rummylab.arena.match import collect
from rummylab.arena.statistics import Estimate, Floats, linearised, mean, share
from rummylab.engine.rules import Rows

DEAL = np.dtype([("won", "f4"), ("gain", "i4"), ("hands", "i4")])
"""What is kept of a deal: the share of its two games that the first agent won, its gain in points, the hands."""


def play_deals(task: Task) -> Played:
    """Play *task* here and now; the rows are of the type `DEAL`."""
    played = play_task(task)
    rows = np.zeros(task.deals, DEAL)
    rows["won"], rows["gain"], rows["hands"] = collect(*task[:4], [played]).of_deals()
    return Played(rows, seconds=played.seconds)


@dataclass(frozen=True)
class Field:
    """Agents and opponents; a method that is not told an opponent speaks of the mean over all of them."""

    agents: Sequence[str]
    against: Sequence[str]
    deals: Mapping[tuple[str, str], Rows]
    """The deals of each agent against each opponent, all in the same order."""

    @property
    def games(self) -> int:
        """How many games each agent played against each opponent."""
        return 2 * len(next(iter(self.deals.values())))

    def wins(self, agent: str, opponent: str | None = None) -> Floats:
        """Return the share of games won, deal by deal."""
        return self._mean([self.deals[agent, other]["won"] for other in self._opponents(opponent)])

    def points(self, agent: str, opponent: str | None = None) -> Floats:
        """Return numbers, deal by deal, whose mean is the points per hand."""
        rows = [self.deals[agent, other] for other in self._opponents(opponent)]
        return self._mean([linearised(row["gain"].astype(np.float64), row["hands"]) for row in rows])

    def win_rate(self, agent: str, opponent: str | None = None) -> Estimate:
        return share(self.wins(agent, opponent))

    def points_per_hand(self, agent: str, opponent: str | None = None) -> Estimate:
        return mean(self.points(agent, opponent))

    def lead(self, one: str, two: str, opponent: str | None = None) -> Estimate:
        """How much more of the games *one* wins than *two*, against the same opponents."""
        return mean(self.wins(one, opponent) - self.wins(two, opponent))

    def points_lead(self, one: str, two: str, opponent: str | None = None) -> Estimate:
        """How many points a hand more *one* gains than *two*, against the same opponents."""
        return mean(self.points(one, opponent) - self.points(two, opponent))

    def _opponents(self, opponent: str | None) -> Sequence[str]:
        return self.against if opponent is None else (opponent,)

    @staticmethod
    def _mean(columns: Sequence[Floats]) -> Floats:
        return np.asarray(np.mean(columns, axis=0), np.float64)
