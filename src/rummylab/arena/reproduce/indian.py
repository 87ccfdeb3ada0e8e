"""Every experiment of Saha et al., section IV and VIII, played again.

`reproduce` plays what is not on disk yet, draws the figures and writes the report. What the paper printed is data:
``indian.toml`` beside this file.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import PACKAGE
from rummylab.agents.registry import entries, entry
from rummylab.arena.ordered import play_ordered
from rummylab.arena.reproduce.registry import Progress, Scale
from rummylab.arena.reproduce.store import Arrays, Store
from rummylab.arena.statistics import Estimate, Floats, mean, median, wilson
from rummylab.engine.agent import CompiledAgent
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.game import Indian, indian
from rummylab.games.indian.mindist import min_dist_many
from rummylab.games.indian.minscore import min_score_many

CAP = 80
EXTRA = ("mindist-drawn", "mindist-outs")
"""Agents beyond the paper's six: its published experiments' discard, and ours."""
OUR_DROPPER = ("mindist-outs-drop", "mindist-outs")
"""Our agent with its own rule for drops, and without."""
SWEEP = (3, 4, 5, 6)
"""Drop thresholds that are tried: drop before the first draw with MinDist this much or more."""
_HANDS_AT_ONCE = 50_000
_HANDS_PER_STEP = 250  # what a step of the progress bar is worth: one deal takes as long as so many hands
_MOST_POINTS, _MOST_DISTANCE = 131, 15
Counts = npt.NDArray[np.int64]


def paper() -> dict[str, Any]:
    """Return what the paper printed."""
    return tomllib.loads(resources.files(__package__).joinpath("indian.toml").read_text())


@dataclass(frozen=True, slots=True)
class Side:
    """An agent with its options, under the name it has in the report."""

    agent: str
    drop_from: int | None = None

    @property
    def label(self) -> str:
        return self.agent if self.drop_from is None else f"{self.agent}, drops from {self.drop_from}"

    @property
    def key(self) -> str:
        return self.agent if self.drop_from is None else f"{self.agent}-drop{self.drop_from}"

    def load(self) -> CompiledAgent:
        home = entry("indian", self.agent).load()
        if self.drop_from is None:
            return home
        # Every agent of the MinDist family keeps its drop threshold in the first place.
        return CompiledAgent(self.label, home.pointer, [self.drop_from, *home.par[1:]])


@dataclass(frozen=True, slots=True)
class HandSample:
    """Counts over random hands: ``joint[distance, points]``, points uncapped, under both rules."""

    decks: int
    printed_jokers: int
    n: int
    joint: Counts
    joint_platform: Counts

    @property
    def distances(self) -> Floats:
        return np.asarray(self.joint.sum(axis=1) / self.n)

    def points(self, rule: str = "paper") -> Floats:
        """Return the share of hands by uncapped MinScore."""
        return np.asarray((self.joint if rule == "paper" else self.joint_platform).sum(axis=0) / self.n)

    def at_cap(self, rule: str = "paper") -> float:
        """Return the share of hands whose capped MinScore is 80."""
        return float(self.points(rule)[CAP:].sum())

    def distances_at_cap(self) -> Floats:
        """Return the shares of MinDist among hands of MinScore 80."""
        counts = self.joint[:, CAP:].sum(axis=1)
        return np.asarray(counts / max(1, counts.sum()))

    @property
    def highest(self) -> int:
        return int(np.flatnonzero(self.joint.sum(axis=1))[-1])


@dataclass(frozen=True, slots=True)
class Series:
    """Deals that *mover* opened: deal number k has the same cards in every series."""

    mover: Side
    other: Side
    wins: Floats
    gains: Floats
    rounds: Floats
    dropped: Floats

    @property
    def n(self) -> int:
        return len(self.wins)

    @property
    def win_rate(self) -> Estimate:
        """The share of deals that the first mover won."""
        return wilson(float(self.wins.mean()), self.n)

    @property
    def gain(self) -> Estimate:
        return mean(self.gains)

    @property
    def median_gain(self) -> Estimate:
        return median(self.gains)


@dataclass(frozen=True)
class Results:
    """All experiments."""

    scale: Scale
    rules: Indian
    samples: dict[str, HandSample]
    agents: tuple[str, ...]
    extra: tuple[str, ...]
    series: dict[tuple[str, str], Series]

    def of(self, mover: str, other: str) -> Series:
        return self.series[mover, other]

    def edge(self, agent: str) -> Estimate:
        """Return the first mover's advantage in self-play."""
        rate = self.of(agent, agent).win_rate
        return Estimate(rate.value - 0.5, rate.low - 0.5, rate.high - 0.5)

    def adjusted(self, mover: str, other: str) -> Estimate:
        """Return the paper's Table I: the win rate less the mover's advantage in self-play, compared deal by deal."""
        if mover == other:
            return Estimate(0.5, 0.5, 0.5)
        return mean(self.of(mover, other).wins - self.of(mover, mover).wins + 0.5)

    def skill(self, one: str, two: str) -> Estimate:
        """Return how often *one* beats *two*, both orders averaged on the same deals."""
        return mean((self.of(one, two).wins + 1 - self.of(two, one).wins) / 2)

    def net_gain(self, one: str, two: str) -> Estimate:
        """Return the points a deal that *one* wins from *two*, both orders averaged on the same deals."""
        return mean((self.of(one, two).gains - self.of(two, one).gains) / 2)

    def drop_gain(self, dropper: str, same: str, opponent: str) -> Estimate:
        """Return the points a deal that *dropper* wins from *opponent* beyond what *same* without drops does."""
        gains = [(self.of(one, opponent).gains - self.of(opponent, one).gains) / 2 for one in (dropper, same)]
        return mean(gains[0] - gains[1])

    @cached_property
    def skilled(self) -> tuple[str, ...]:
        return tuple(name for name in paper()["skilled"] if name in self.agents)


class _Meter:
    def __init__(self, total: int, report: Progress | None) -> None:
        self.done, self.total, self.report = 0, total, report

    def add(self, n: int) -> None:
        self.done += n
        if self.report is not None:
            self.report(self.done, self.total)


SAMPLES = {"small": (1, 2), "large": (1, 2), "one-joker": (1, 1), "two-decks": (2, 2)}
"""Random hands by name: decks and printed jokers. The small sample is of the paper's size."""


def _sample_sizes(scale: Scale) -> dict[str, int]:
    return {name: min(scale.hands, paper()["hands"]) if name == "small" else scale.hands for name in SAMPLES}


def _pairings(agents: Sequence[str], extra: Sequence[str]) -> list[tuple[Side, Side]]:
    """Return every ordered pair to play: all agents, ours against each, and the drop experiments."""
    pairs = [(Side(one), Side(two)) for one in agents for two in agents]
    for new in extra:
        pairs += [pair for name in agents for pair in ((Side(new), Side(name)), (Side(name), Side(new)))]
        pairs.append((Side(new), Side(new)))
    for dropper, opponent in _drop_experiments(agents, extra):
        pairs += [(dropper, opponent), (opponent, dropper)]
    return pairs


def _drop_experiments(agents: Sequence[str], extra: Sequence[str]) -> Iterator[tuple[Side, Side]]:
    name = paper()["table_2"]["agent"]
    if OUR_DROPPER[1] in extra and OUR_DROPPER[0] in {found.name for found in entries("indian")}:
        yield from ((Side(OUR_DROPPER[0]), Side(opponent)) for opponent in (OUR_DROPPER[1], name))
    if name not in agents:
        return
    for threshold in SWEEP:
        for opponent in (name, "minscore"):
            if opponent in agents:
                yield Side(name, threshold), Side(opponent)


def source_mark() -> str:
    """Return a short hash of the rules and agents: results of other code are not taken for ours."""
    digest = hashlib.blake2b(digest_size=8)
    for part in ("cards", "games/indian", "agents/indian"):
        for path in sorted((PACKAGE / part).rglob("*.*")):
            if path.suffix in (".py", ".json"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


class Study:
    """The experiments, one after the other, with what is already on disk taken from there."""

    def __init__(self, out: Path, scale: Scale, progress: Progress | None = None) -> None:
        self.scale, self.store = scale, Store(out / "raw")
        self.rules = indian("paper")
        self.mark = source_mark()
        known = [found.name for found in entries("indian")]
        self.agents = tuple(name for name in paper()["agents"] if name in known)
        self.extra = tuple(name for name in EXTRA if name in known)
        self.pairs = _pairings(self.agents, self.extra)
        hands = sum(_sample_sizes(scale).values()) // _HANDS_PER_STEP
        self.meter = _Meter(hands + scale.games * len(self.pairs), progress)

    def run(self) -> Results:
        samples = {name: self._sample(name, n) for name, n in _sample_sizes(self.scale).items()}
        series = {}
        for mover, other in self.pairs:
            series[mover.key, other.key] = self._series(mover, other)
        return Results(self.scale, self.rules, samples, self.agents, self.extra, series)

    def _sample(self, name: str, n: int) -> HandSample:
        decks, jokers = SAMPLES[name]
        config = {"code": self.mark, "decks": decks, "printed_jokers": jokers, "hands": n, "seed": self.scale.seed}
        before = self.meter.done
        arrays = self.store.get(f"hands-{name}", config, lambda: self._count_hands(decks, jokers, n))
        self.meter.add(n // _HANDS_PER_STEP - (self.meter.done - before))
        return HandSample(decks, jokers, n, arrays["joint"], arrays["joint_platform"])

    def _count_hands(self, decks: int, jokers: int, n: int) -> Arrays:
        joints = {name: np.zeros((_MOST_DISTANCE, _MOST_POINTS), np.int64) for name in ("joint", "joint_platform")}
        for first in range(0, n, _HANDS_AT_ONCE):
            size = min(_HANDS_AT_ONCE, n - first)
            hands = random_hands(size, seed=self.scale.seed, first=first, decks=decks, printed_jokers=jokers)
            distances, points = np.empty(size, np.int64), np.empty(size, np.int64)
            min_dist_many(hands, distances)
            for strict, joint in enumerate(joints.values()):
                min_score_many(hands, bool(strict), points)
                np.add.at(joint, (distances, points), 1)
            self.meter.add(size // _HANDS_PER_STEP)
        return dict(joints)

    def _series(self, mover: Side, other: Side) -> Series:
        config = {
            "code": self.mark,
            "rules": {**self.rules.options.to_dict(), "version": self.rules.version},
            "agents": [mover.key, other.key],
            "games": self.scale.games,
            "seed": self.scale.seed,
        }
        before = self.meter.done
        arrays = self.store.get(f"{mover.key}--{other.key}", config, lambda: self._play(mover, other))
        self.meter.add(self.scale.games - (self.meter.done - before))
        columns = {name: np.asarray(arrays[name], np.float64) for name in ("wins", "gains", "rounds", "dropped")}
        return Series(mover, other, **columns)

    def _play(self, mover: Side, other: Side) -> Arrays:
        scale = self.scale
        tallies = play_ordered(
            self.rules,
            mover.load(),
            other.load(),
            games=scale.games,
            seed=scale.seed,
            workers=scale.workers,
            progress=self.meter.add,
        )
        outcomes = import_module("rummylab.games.indian.batch").OUTCOMES
        return {
            "wins": tallies["winner"] == 0,
            "gains": tallies["gains"][:, 0].astype(np.int16),
            "rounds": tallies["rounds"].astype(np.int16),
            "dropped": tallies["outcomes"][:, outcomes.index("dropped")].astype(np.int8),
        }


def reproduce(out: Path, scale: Scale, progress: Progress | None = None) -> Path:
    """Run the study below *out* and write ``out/README.md`` with its figures; return its path."""
    from rummylab.arena import plots
    from rummylab.arena.reproduce import indian_report

    plots.need_matplotlib()
    results = Study(out, scale, progress).run()
    return indian_report.write(results, out)
