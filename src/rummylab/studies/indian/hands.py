"""A step that counts random hands of Indian Rummy by MinScore and MinDist."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab.arena.jobs import Played
from rummylab.arena.keys import ChunkKey
from rummylab.arena.markdown import table
from rummylab.arena.plan import chunks_of
from rummylab.arena.statistics import Floats, wilson
from rummylab.errors import OptionError
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.mindist import min_dist_many
from rummylab.games.indian.minscore import min_score_many
from rummylab.lab.experiment.steps import Step
from rummylab.lab.experiment.verdicts import Measured

CAP = 80
_HANDS_AT_ONCE = 50_000
_HANDS_A_DEAL = 250  # hands that take as long as one deal, for the progress bar
_SHAPE = (15, 131)
"""Distances and points, from 0 on."""
COUNTS = np.dtype([("paper", "i8", _SHAPE), ("platform", "i8", _SHAPE)])
"""Hands by MinDist and uncapped MinScore, under both rules."""


class HandsTask(NamedTuple):
    """A chunk of random hands."""

    decks: int
    printed_jokers: int
    seed: int
    start: int
    deals: int

    @property
    def key(self) -> ChunkKey:
        return ChunkKey((), self.start, self.deals)


def count_hands(task: HandsTask) -> Played:
    """Return one row of `COUNTS`."""
    began, n = time.perf_counter(), task.deals
    hands = random_hands(n, seed=task.seed, first=task.start, decks=task.decks, printed_jokers=task.printed_jokers)
    distances, points, row = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(1, COUNTS)
    min_dist_many(hands, distances)
    for number, rule in enumerate(("paper", "platform")):
        min_score_many(hands, number, points)
        np.add.at(row[rule][0], (distances, points), 1)
    return Played(row, seconds=time.perf_counter() - began)


@dataclass(frozen=True, kw_only=True)
class HandsStep(Step):
    """Random hands of thirteen cards."""

    KIND = "indian-hands"
    WORK = staticmethod(count_hands)

    hands: int = 100_000
    at_most: int = 1_000_000_000
    """An upper limit on *hands*, for a sample of a paper's size."""
    decks: int = 1
    printed_jokers: int = 1

    def check(self) -> None:
        for name, low, high in (("hands", 100, 1_000_000_000), ("decks", 1, 2), ("printed_jokers", 0, 8)):
            if not low <= getattr(self, name) <= high:
                raise OptionError(f"{name} is {getattr(self, name)}, but must be between {low} and {high}")

    @property
    def dtype(self) -> np.dtype[np.void]:
        return COUNTS

    def tasks(self) -> list[HandsTask]:
        chunks = chunks_of(min(self.hands, self.at_most), 1, _HANDS_AT_ONCE)
        return [HandsTask(self.decks, self.printed_jokers, self.seed, *chunk) for chunk in chunks]

    def work(self, task: HandsTask) -> int:
        return task.deals // _HANDS_A_DEAL

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return dict.fromkeys(("minscore_80", "platform_minscore_80", "highest_mindist"), (0,))

    def result(self, parts: Iterable[Played]) -> HandSample:
        rows = [part.rows for part in parts]
        joint = {rule: np.sum([row[rule][0] for row in rows], axis=0) for rule in ("paper", "platform")}
        return HandSample(self.decks, self.printed_jokers, joint)


@dataclass(frozen=True, slots=True)
class HandSample:
    """Counts over random hands: ``joint[rule][distance, points]``, points uncapped."""

    decks: int
    printed_jokers: int
    joint: Mapping[str, npt.NDArray[np.int64]]

    @property
    def n(self) -> int:
        """Hands drawn."""
        return int(self.joint["paper"].sum())

    @property
    def distances(self) -> Floats:
        """The share of hands by MinDist."""
        return np.asarray(self.joint["paper"].sum(axis=1) / self.n)

    @property
    def mean_distance(self) -> float:
        """Mean MinDist."""
        return float((self.distances * np.arange(len(self.distances))).sum())

    def points(self, rule: str = "paper") -> Floats:
        """Return the share of hands by uncapped MinScore."""
        return np.asarray(self.joint[rule].sum(axis=0) / self.n)

    def at_cap(self, rule: str = "paper") -> float:
        """Return the share of hands whose capped MinScore is 80."""
        return float(self.points(rule)[CAP:].sum())

    def distances_at_cap(self) -> Floats:
        """Return the shares of MinDist among hands of MinScore 80."""
        counts = self.joint["paper"][:, CAP:].sum(axis=1)
        return np.asarray(counts / max(1, counts.sum()))

    @property
    def highest(self) -> int:
        """Highest MinDist."""
        return int(np.flatnonzero(self.distances)[-1])

    @property
    def cards(self) -> str:
        """The pack in words."""
        return f"{self.decks} deck{'s' * (self.decks > 1)} + {self.printed_jokers}"

    def share(self, value: float) -> Measured:
        """Return a share of the hands with its 95% interval."""
        return Measured.of(wilson(value, self.n))

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        if quantity == "highest_mindist":
            return Measured.exact(self.highest)
        return self.share(self.at_cap("platform" if quantity.startswith("platform") else "paper"))

    def to_dict(self) -> dict[str, Any]:
        rules = ("paper", "platform")
        return {
            "hands": self.n,
            "mindist": self.distances.tolist(),
            "mindist_at_cap": self.distances_at_cap().tolist(),
            "minscore_80": {rule: self.at_cap(rule) for rule in rules},
            "minscore": {rule: self.points(rule).tolist() for rule in rules},
        }

    def markdown(self) -> str:
        return hands_table({f"{self.cards}, {self.n:,} hands": self})


def hands_table(samples: Mapping[str, HandSample]) -> str:
    """Return the shares of hands by MinDist, one row for each sample."""
    n = max(sample.highest for sample in samples.values()) + 1
    rows = [
        (
            label,
            *(f"{share:.4f}" for share in sample.distances[:n]),
            f"{sample.mean_distance:.3f}",
            f"{sample.at_cap():.3f}",
            f"{sample.at_cap('platform'):.3f}",
        )
        for label, sample in samples.items()
    ]
    return table(("hands", *(str(k) for k in range(n)), "mean", "MinScore 80", "by the platform rule"), rows)
