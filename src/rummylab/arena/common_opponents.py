"""Compare agents deal by deal, by their results against the same opponents on the same deals.

Three numbers are kept per deal, so that hundreds of lineups fit into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rummylab.arena.jobs import Played, Task, play_task
from rummylab.arena.match import collect
from rummylab.arena.statistics import Estimate, Floats, linearized, mean, share
from rummylab.engine.rows import Rows

DEAL_SUMS = np.dtype([("won", "f4"), ("gain", "i4"), ("hands", "i4")])
"""A deal: the share of its two games that the first agent won, its gain in points, and the number of hands."""


def play_deals(task: Task) -> Played:
    """Play *task* now; the rows are of the type `DEAL_SUMS`."""
    played = play_task(task)
    rows = np.zeros(task.deals, DEAL_SUMS)
    rows["won"], rows["gain"], rows["hands"] = collect(*task[:4], [played]).of_deals()
    return Played(rows, seconds=played.seconds)


@dataclass(frozen=True)
class CommonOpponents:
    """Results of agents against opponents. Methods without an opponent return the mean over all of them."""

    agents: Sequence[str]
    against: Sequence[str]
    deals: Mapping[tuple[str, str], Rows]
    """The deals of each agent against each opponent, in the same order for all."""

    @property
    def games(self) -> int:
        """The number of games that each agent played against each opponent."""
        return 2 * len(next(iter(self.deals.values())))

    def wins(self, agent: str, opponent: str | None = None) -> Floats:
        """Return the share of games won, deal by deal."""
        return self._mean([self.deals[agent, other]["won"] for other in self._opponents(opponent)])

    def points(self, agent: str, opponent: str | None = None) -> Floats:
        """Return numbers, deal by deal, whose mean is the points per hand."""
        rows = [self.deals[agent, other] for other in self._opponents(opponent)]
        return self._mean([linearized(row["gain"].astype(np.float64), row["hands"]) for row in rows])

    def win_rate(self, agent: str, opponent: str | None = None) -> Estimate:
        """Return the share of games won."""
        return share(self.wins(agent, opponent))

    def points_per_hand(self, agent: str, opponent: str | None = None) -> Estimate:
        """Return the points gained per hand."""
        return mean(self.points(agent, opponent))

    def lead(self, one: str, two: str, opponent: str | None = None) -> Estimate:
        """Return the win rate of *one* minus that of *two*, against the same opponents."""
        return mean(self.wins(one, opponent) - self.wins(two, opponent))

    def points_lead(self, one: str, two: str, opponent: str | None = None) -> Estimate:
        """Return the points per hand of *one* minus those of *two*, against the same opponents."""
        return mean(self.points(one, opponent) - self.points(two, opponent))

    def _opponents(self, opponent: str | None) -> Sequence[str]:
        return self.against if opponent is None else (opponent,)

    @staticmethod
    def _mean(columns: Sequence[Floats]) -> Floats:
        return np.asarray(np.mean(columns, axis=0), np.float64)
