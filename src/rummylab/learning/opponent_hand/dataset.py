"""Hands of play for the opponent-hand network, in shards on disk.

A directory holds ``dataset.json`` (the plan) and ``hands-00000.rgh`` and so on. Every shard has the whole mix of
line-ups, depends on the plan and its own number alone, and is written whole or not at all: an interrupted run goes on
where it stopped, with any number of workers, and gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena.orphans import end_with
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_whole
from rummylab.errors import DatasetError, OptionError
from rummylab.games.gin.game import gin
from rummylab.learning.opponent_hand.hands import HAND, Hands, play_game
from rummylab.learning.opponent_hand.players import player

Progress = Callable[[int, int], None]

PRESET = "eaai"
SIMPLE = "simple"
"""The official baseline, part of every mix."""
PLAN_FILE = "dataset.json"
_MAGIC = b"RLHANDS1"
_GAMES_PER_SHARD = 1 << 16  # game numbers are unique within a dataset


class Cast(NamedTuple):
    """The agents of the paper's mix besides Simple: two utility agents, and the one with the network."""

    first: str
    second: str
    new: str


OURS = Cast("utility~10", "utility-patient~10", "utility@ours~10")
"""Agents with our numbers and options: they wait with a knock that does not pay."""
AT_ONCE = Cast("utility@first~10", "utility@second~10", "utility@at-once~10")
"""The paper's own terms: agents that knock at once, with two sets of its eight numbers."""
CASTS = {"ours": OURS, "at-once": AT_ONCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUp:
    """Two agents and their share of the entries."""

    first: str
    second: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a dataset hangs on."""

    entries: int
    seed: int
    line_ups: tuple[LineUp, ...]
    shard_entries: int = 50_000

    def __post_init__(self) -> None:
        if self.entries < 1 or self.shard_entries < 1:
            raise OptionError(f"entries is {self.entries}, shard_entries {self.shard_entries}; both must be positive")
        if not self.line_ups or any(not line_up.share > 0 for line_up in self.line_ups):
            raise OptionError("a mix needs at least one line-up, and every share must be positive")

    @property
    def shards(self) -> int:
        return -(-self.entries // self.shard_entries)

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent once, in order; entries name agents by their place here."""
        names = [name for line_up in self.line_ups for name in (line_up.first, line_up.second)]
        return tuple(dict.fromkeys(names))

    def goal(self, shard: int) -> int:
        """Return how many entries *shard* has at least."""
        return min(self.shard_entries, self.entries - shard * self.shard_entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON, with a fingerprint of every agent's parameters."""
        return {
            "format": "rummylab-hands",
            "version": 1,
            "rules": f"gin {PRESET} v{gin(PRESET).version}",
            **asdict(self),
            "line_ups": [asdict(line_up) for line_up in self.line_ups],
            "agents": {name: _fingerprint(player(name)) for name in self.agents},
        }


def _fingerprint(agent: CompiledAgent) -> str:
    return hashlib.sha256(agent.par.tobytes()).hexdigest()[:16]


def parse_mix(text: str) -> tuple[LineUp, ...]:
    """Read line-ups such as ``utility:simple=1,utility:utility-b=6``."""
    found = []
    for part in text.split(","):
        pair, _, share = part.partition("=")
        first, _, second = pair.partition(":")
        try:
            found.append(LineUp(first=first.strip(), second=second.strip(), share=float(share or 1)))
        except ValueError:
            raise OptionError(f"{part!r} is no line-up; write FIRST:SECOND=SHARE") from None
        if not second.strip():
            raise OptionError(f"{part!r} is no line-up; write FIRST:SECOND=SHARE")
    return tuple(found)


def phase_mix(phase: int, model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return the paper's mix of a phase; the new agent of phases 2 and 3 has the network of *model*, or *cast*'s.

    Phase 1: each pair of the two utility agents and Simple, with Simple the opponent in 4 of 32 million entries and the
    two agents in 14 each. Phases 2 and 3: the new agent against itself and the two original ones.
    """
    first, second = cast.first, cast.second
    new = f"utility@{model}~10" if model else cast.new
    if phase == 1:
        shares = ((first, second, 6.0), (first, SIMPLE, 1.0), (second, SIMPLE, 1.0))
    elif phase in (2, 3):
        shares = ((new, new, 1.0), (new, first, 1.0), (new, second, 1.0))
    else:
        raise OptionError(f"phase is {phase}, but the paper has phases 1, 2 and 3")
    return tuple(LineUp(first=a, second=b, share=share) for a, b, share in shares)


def paper_mix(model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return the mix of all three phases, 32 to 9 to 9 million entries, with the final agent as the new one."""
    parts = [(phase_mix(1, cast=cast), 32 / 50), (phase_mix(3, model, cast), 18 / 50)]
    return tuple(
        replace(line_up, share=weight * line_up.share / sum(each.share for each in mix))
        for mix, weight in parts
        for line_up in mix
    )


# --- One shard ----------------------------------------------------------------------------------------------------


def play_shard(plan: Plan, shard: int) -> Hands:
    """Play games, each of the line-up that is most behind its share, until the shard is full."""
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


def to_bytes(hands: Hands, digest: str) -> bytes:
    """Return a shard as it is written: magic, checksum, header, compressed hands and turns."""
    header = json.dumps({"plan": digest, "hands": len(hands.hands), "entries": len(hands)}).encode()
    payload = zlib.compress(hands.hands.tobytes() + hands.turns.tobytes(), 6)
    rest = len(header).to_bytes(4, "little") + header + payload
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def from_bytes(data: bytes, name: str, digest: str) -> Hands:
    """Read a shard; what is damaged or of another plan is an error that names it."""
    rest = data[40:]
    if data[:8] != _MAGIC:
        raise DatasetError(f"{name} is no shard of a dataset")
    if hashlib.sha256(rest).digest() != data[8:40]:
        raise DatasetError(f"{name} is damaged: its checksum is wrong; remove it and run the same command again")
    length = int.from_bytes(rest[:4], "little")
    header = json.loads(rest[4 : 4 + length])
    if header["plan"] != digest:
        raise DatasetError(f"{name} belongs to another dataset")
    raw = zlib.decompress(rest[4 + length :])
    split = header["hands"] * HAND.itemsize
    return Hands(
        np.frombuffer(raw[:split], HAND),
        np.frombuffer(raw[split:], np.uint8).reshape(-1, 2),
    )


def _digest(plan: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16]


def shard_path(directory: Path, shard: int) -> Path:
    return directory / f"hands-{shard:05d}.rgh"


# --- The whole dataset --------------------------------------------------------------------------------------------


@cache
def _described(plan: Plan) -> dict[str, Any]:
    return plan.to_dict()


def _make(directory: Path, plan: Plan, shard: int) -> int:
    hands = play_shard(plan, shard)
    write_whole(shard_path(directory, shard), to_bytes(hands, _digest(_described(plan))))
    return len(hands)


def generate(directory: Path, plan: Plan, *, workers: int | None = None, progress: Progress | None = None) -> Dataset:
    """Make what is missing of the dataset in *directory* and return it; a directory of another plan is an error."""
    described = _described(plan)
    directory.mkdir(parents=True, exist_ok=True)
    place = directory / PLAN_FILE
    if place.exists():
        _compare(read_plan(directory), described, directory)
    else:
        write_whole(place, (json.dumps(described, indent=1) + "\n").encode())
    dataset = Dataset(directory)
    missing = [shard for shard in range(plan.shards) if not shard_path(directory, shard).exists()]
    for shard in set(range(plan.shards)) - set(missing):
        dataset.shard(shard)  # damage is found before hours of play, not after
    if progress:
        progress(plan.shards - len(missing), plan.shards)
    for done, _ in enumerate(_make_all(directory, plan, missing, workers or os.cpu_count() or 1), 1):
        if progress:
            progress(plan.shards - len(missing) + done, plan.shards)
    return dataset


def _make_all(directory: Path, plan: Plan, shards: Sequence[int], workers: int) -> Iterator[int]:
    if workers == 1 or len(shards) <= 1:
        for shard in shards:
            yield _make(directory, plan, shard)
        return
    # The agents are loaded (by the fingerprints) before the fork, so that every process has them compiled.
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(workers, len(shards)), fork, initializer=end_with, initargs=(os.getpid(),)) as pool:
        waiting = [pool.submit(_make, directory, plan, shard) for shard in shards]
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _compare(found: dict[str, Any], wanted: dict[str, Any], directory: Path) -> None:
    for name in {**found, **wanted}:
        if found.get(name) != wanted.get(name):
            raise DatasetError(
                f"{directory} holds a dataset with {name} = {found.get(name)}, not {wanted.get(name)}; "
                "choose another directory or the same settings"
            )


def read_plan(directory: Path) -> dict[str, Any]:
    """Return the plan of the dataset in *directory*."""
    place = directory / PLAN_FILE
    try:
        plan = json.loads(place.read_text(encoding="utf-8"))
    except OSError:
        raise DatasetError(f"{directory} holds no dataset: there is no {PLAN_FILE}") from None
    except ValueError:
        raise DatasetError(f"{place} is damaged: it is no JSON") from None
    if not isinstance(plan, dict) or plan.get("format") != "rummylab-hands" or plan.get("version") != 1:
        raise DatasetError(f"{place} is no plan of hands, version 1")
    return plan


@dataclass(frozen=True)
class Dataset:
    """A dataset on disk, read shard by shard."""

    directory: Path

    @property
    def plan(self) -> dict[str, Any]:
        return read_plan(self.directory)

    @property
    def agents(self) -> list[str]:
        return list(self.plan["agents"])

    @property
    def shards(self) -> int:
        plan = self.plan
        return -(-int(plan["entries"]) // int(plan["shard_entries"]))

    def shard(self, number: int) -> Hands:
        """Return one shard."""
        path = shard_path(self.directory, number)
        try:
            data = path.read_bytes()
        except OSError:
            raise DatasetError(f"{path} is missing; run the command that made the dataset again") from None
        return from_bytes(data, str(path), _digest(self.plan))

    def __iter__(self) -> Iterator[Hands]:
        return (self.shard(number) for number in range(self.shards))

    def load(self) -> Hands:
        """Return all hands at once: five bytes an entry."""
        return Hands.join(list(self))
