"""Recorded hands for the opponent-hand network, in shards on disk.

A directory holds ``dataset.json`` (the plan) and ``hands-00000.npz`` and so on. Every shard has the whole mix of
lineups and depends on the plan and its own number alone. So a run that was stopped resumes with any number of workers
and writes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.backends import local
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_json
from rummylab.errors import DatasetError, OptionError
from rummylab.games.gin.view import gin
from rummylab.learning.checkpoint import Checkpoint
from rummylab.learning.opponent_hand.hands import HAND, Hands, play_game
from rummylab.learning.opponent_hand.line_ups import LineUp
from rummylab.learning.opponent_hand.players import player

ShardProgress = Callable[[int, int], None]

PRESET = "eaai"
PLAN_FILE = "dataset.json"
FORMAT, VERSION = "rummylab-hands", 2
_GAMES_PER_SHARD = 1 << 16  # game numbers are unique within a dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """What a dataset consists of."""

    entries: int
    seed: int
    line_ups: tuple[LineUp, ...]
    shard_entries: int = 50_000

    def __post_init__(self) -> None:
        if self.entries < 1 or self.shard_entries < 1:
            raise OptionError(f"entries is {self.entries}, shard_entries {self.shard_entries}; both must be positive")
        if not self.line_ups or any(not line_up.share > 0 for line_up in self.line_ups):
            raise OptionError("a mix needs at least one lineup, and every share must be positive")

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.entries // self.shard_entries)

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent once, in order; entries name agents by their place here."""
        names = [name for line_up in self.line_ups for name in (line_up.first, line_up.second)]
        return tuple(dict.fromkeys(names))

    def goal(self, shard: int) -> int:
        """Return the least number of entries of *shard*."""
        return min(self.shard_entries, self.entries - shard * self.shard_entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values, with a fingerprint of every agent's parameters."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": f"gin {PRESET} v{gin(PRESET).version}",
            **asdict(self),
            "line_ups": [asdict(line_up) for line_up in self.line_ups],
            "agents": {name: _fingerprint(player(name)) for name in self.agents},
        }


def _fingerprint(agent: CompiledAgent) -> str:
    return hashlib.sha256(agent.params.tobytes()).hexdigest()[:16]


# --- One shard ----------------------------------------------------------------------------------------------------


def play_shard(plan: DatasetPlan, shard: int) -> Hands:
    """Play games, each of the lineup that is furthest behind its share, until the shard is full."""
    rules, places = gin(PRESET), {name: i for i, name in enumerate(plan.agents)}
    shares = np.array([line_up.share for line_up in plan.line_ups])
    shares /= shares.sum()
    done = np.zeros(len(shares), np.int64)
    games = np.zeros(len(shares), np.int64)
    parts: list[Hands] = []
    while done.sum() < plan.goal(shard):
        at = int(np.argmax(shares * (done.sum() + 1) - done))
        names = plan.line_ups[at].first, plan.line_ups[at].second
        number = shard * _GAMES_PER_SHARD + len(parts)
        which = places[names[0]], places[names[1]]
        parts.append(
            play_game(rules, plan.seed, number, int(games[at]) & 1, (player(names[0]), player(names[1])), which)
        )
        done[at] += len(parts[-1])
        games[at] += 1
    return Hands.join(parts)


def shard_path(directory: Path, shard: int) -> Path:
    """Return the file of shard number *shard*."""
    return directory / f"hands-{shard:05d}.npz"


def _read_shard(path: Path, digest: str) -> Hands:
    if not path.exists():
        raise DatasetError(f"{path} is missing; run the command that made the dataset again")
    found = Checkpoint.load(path, DatasetError)
    hands, turns = found.arrays.get("hands"), found.arrays.get("turns")
    if hands is None or turns is None or hands.dtype != HAND or turns.shape != (int(hands["turns"].sum()), 2):
        raise DatasetError(f"{path} is not a shard of a dataset")
    if found.label.get("plan") != digest:
        raise DatasetError(f"{path} belongs to another dataset")
    return Hands(hands, turns)


def _write_shard(directory: Path, plan: DatasetPlan, shard: int) -> int:
    hands = play_shard(plan, shard)
    label = {"plan": _digest(_described(plan))}
    Checkpoint({"hands": hands.hands, "turns": hands.turns}, label).save(shard_path(directory, shard))
    return len(hands)


@cache
def _described(plan: DatasetPlan) -> dict[str, Any]:
    return plan.to_dict()


def _digest(plan: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16]


# --- The whole dataset --------------------------------------------------------------------------------------------


def generate(
    directory: Path, plan: DatasetPlan, *, workers: int | None = None, progress: ShardProgress | None = None
) -> Dataset:
    """Play the shards that *directory* does not have yet, and return the dataset.

    Raises:
        DatasetError: The directory holds a dataset of another plan, or a damaged shard.
    """
    described = _described(plan)  # loads the agents, before any worker starts
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / PLAN_FILE).exists():
        _compare(read_plan(directory), described, directory)
    else:
        write_json(directory / PLAN_FILE, described)
    dataset = Dataset(directory)
    missing = [shard for shard in range(plan.shards) if not shard_path(directory, shard).exists()]
    for shard in set(range(plan.shards)) - set(missing):
        dataset.shard(shard)  # finds damage before hours of play, not after
    done = plan.shards - len(missing)
    if progress:
        progress(done, plan.shards)
    for _ in local(workers).run(partial(_write_shard, directory, plan), missing):
        done += 1
        if progress:
            progress(done, plan.shards)
    return dataset


def _compare(found: dict[str, Any], wanted: dict[str, Any], directory: Path) -> None:
    for name in {**found, **wanted}:
        if found.get(name) != wanted.get(name):
            raise DatasetError(
                f"{directory} holds a dataset with {name} = {found.get(name)}, not {wanted.get(name)}; "
                "choose another directory or the same options"
            )


def read_plan(directory: Path) -> dict[str, Any]:
    """Return the plan of the dataset in *directory* as JSON values."""
    place = directory / PLAN_FILE
    try:
        plan = json.loads(place.read_text(encoding="utf-8"))
    except OSError:
        raise DatasetError(f"{directory} does not hold a dataset: there is no {PLAN_FILE}") from None
    except ValueError:
        raise DatasetError(f"{place} is damaged: it is not JSON") from None
    if not isinstance(plan, dict) or (plan.get("format"), plan.get("version")) != (FORMAT, VERSION):
        raise DatasetError(f"{place} is not a plan of hands, version {VERSION}")
    return plan


@dataclass(frozen=True)
class Dataset:
    """A dataset on disk, read shard by shard."""

    directory: Path

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return read_plan(self.directory)

    @property
    def shards(self) -> int:
        """The number of shards."""
        plan = self.plan
        return -(-int(plan["entries"]) // int(plan["shard_entries"]))

    def shard(self, number: int) -> Hands:
        """Return the hands of one shard."""
        return _read_shard(shard_path(self.directory, number), _digest(self.plan))

    def __iter__(self) -> Iterator[Hands]:
        return (self.shard(number) for number in range(self.shards))

    def load(self) -> Hands:
        """Return all hands at once; an entry takes about five bytes."""
        return Hands.join(list(self))
