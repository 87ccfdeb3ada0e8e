"""What is to be played, and the tasks it is divided into. A match is a plan, and so is a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from rummylab.arena.jobs import Chunk, Task, rules_for, tally_of
from rummylab.arena.keys import Lineup
from rummylab.arena.outside import fingerprint, is_compiled, is_outside
from rummylab.arena.seating import games_per_deal
from rummylab.arena.sequential import Sprt
from rummylab.arena.store import Run, Store
from rummylab.arena.version import version_of_play
from rummylab.cards.rng import is_key
from rummylab.engine.streams import key_text, new_key, parse_key
from rummylab.errors import OptionError
from rummylab.games.registry import game

CHUNK = 250
"""Deals in a chunk for two compiled agents; fewer with more seats. Results do not depend on it."""
GUEST_CHUNK = 1000
"""Deals in a chunk if one of them is a compiled agent from outside, which decides for many tables at a time."""
TABLE_CHUNK = 10
"""Deals in a chunk at the Python table, which is a thousand times slower."""
MAX_GAMES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Chunks(Sequence[Chunk]):
    """Deals cut into chunks of *size*: a sequence that takes no memory, however long it is."""

    deals: int
    size: int

    def __len__(self) -> int:
        return -(-self.deals // self.size)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        start = self.size * range(len(self))[place]
        return Chunk(start, min(self.size, self.deals - start))


@dataclass(frozen=True, slots=True)
class Tasks(Sequence[Task]):
    """The tasks of all lineups, one lineup after the other, made when they are asked for."""

    wholes: Sequence[Task]
    """Each lineup with all its deals."""
    chunks: Sequence[Chunks]

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        left = range(len(self))[place]
        for whole, chunks in zip(self.wholes, self.chunks, strict=True):
            if left < len(chunks):
                return _part(whole, chunks[left])
            left -= len(chunks)
        raise IndexError(place)

    def __iter__(self) -> Iterator[Task]:
        for whole, chunks in zip(self.wholes, self.chunks, strict=True):
            yield from (_part(whole, chunk) for chunk in chunks)

    @property
    def releases_gil(self) -> bool:
        """Whether every task is one kernel call, so that threads can play several at once."""
        return all(whole.releases_gil for whole in self.wholes)


def wholes(tasks: Sequence[Any]) -> Sequence[Any]:
    """Return tasks with the same deals as *tasks*, and fewer of them if that is possible."""
    return tasks.wholes if isinstance(tasks, Tasks) else tasks


def _part(whole: Task, chunk: Chunk) -> Task:
    return whole._replace(start=chunk.start, deals=chunk.deals)


def chunks_of(games: int, per_deal: int, size: int) -> Chunks:
    """Cut *games*, rounded up to whole deals of *per_deal* games, into chunks of *size* deals."""
    return Chunks(-(-games // per_deal), size)


def chunk_size(game_name: str, agents: Sequence[str], per_deal: int) -> int:
    """Return the number of deals in a chunk for these agents."""
    if not all(is_compiled(game_name, name) for name in agents):
        return deals_in_a_chunk(TABLE_CHUNK, per_deal)
    has_guest = any(is_outside(game_name, name) for name in agents)
    return deals_in_a_chunk(GUEST_CHUNK if has_guest else CHUNK, per_deal)


def deals_in_a_chunk(pairs: int, per_deal: int) -> int:
    """Return the number of deals that takes about as many games as *pairs* deals with two seats."""
    return max(1, 2 * pairs // per_deal)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayPlan:
    """The settings that matches and tournaments share."""

    KIND: ClassVar[str]
    """What the store calls these runs."""

    game: str
    agents: tuple[str, ...]
    games: int = 1000
    """Games of each lineup, rounded up to whole deals."""
    seed: int = 0
    key: int | None = None
    """The secret from which the deals come if outside agents play."""
    preset: str | None = None
    seconds_a_move: float = 10.0
    """Time limit for a decision of an outside agent."""
    all_orders: bool = False
    """Play every deal in all circular orders, also with five seats or more, where a sample is the default."""

    def lineups(self) -> list[Lineup]:
        """Return who plays whom."""
        raise NotImplementedError

    @property
    def root(self) -> int:
        """The seed or secret key from which the deals come."""
        return self.seed if self.key is None else self.key

    @property
    def rules(self) -> str:
        """The rules in words: a preset, possibly with changes in brackets."""
        return self.preset or game(self.game).presets[0]

    @property
    def strangers(self) -> list[str]:
        """The agents that are not in our registry."""
        return [name for name in self.agents if is_outside(self.game, name)]

    def check_agents(self) -> None:
        """Raise `UnknownNameError` or `AgentError` for an agent that cannot play."""
        for name in self.agents:
            is_compiled(self.game, name)

    @property
    def games_in_all(self) -> int:
        """The number of games, rounded up to whole deals."""
        per_deal = [games_per_deal(len(found), self.all_orders) for found in self.lineups()]
        return sum(n * -(-self.games // n) for n in per_deal)

    def tasks(self) -> Tasks:
        """Return the plan as tasks that can be played anywhere and in any order."""
        chunks = []
        for lineup in self.lineups():
            n = games_per_deal(len(lineup), self.all_orders)
            chunks.append(chunks_of(self.games, n, chunk_size(self.game, lineup, n)))
        wholes = [
            Task(self.game, self.rules, lineup, self.root, 0, found.deals, self.seconds_a_move, self.all_orders)
            for lineup, found in zip(self.lineups(), chunks, strict=True)
        ]
        return Tasks(wholes, chunks)

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The record of one game."""
        return tally_of(self.game, len(self.lineups()[0]))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that identify a run, as plain values."""
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            **({} if self.key is None else {"key": key_text(self.key)}),
            **({"all_orders": True} if self.all_orders else {}),
            "seconds_a_move": self.seconds_a_move,
            "outside": {name: fingerprint(name) for name in self.strangers},
        }

    def code_version(self) -> str:
        """Return the release and a hash of the code that the results depend on."""
        return version_of_play([(self.game, name) for name in self.agents])

    def open(self, store: Store, name: str | None) -> Run:
        """Return the run of this plan in *store*."""
        return store.open_run(self.KIND, self.to_dict(), self.code_version(), name)

    def with_key(self, store: Store | None = None, name: str | None = None) -> Self:
        """Return the plan with the secret key it needs: that of the same run in *store*, or a new one.

        Outside agents could guess a typed seed, so their deals come from a key.
        """
        if is_key(self.root) or not self.strangers:
            return self
        wanted = self.to_dict()
        for run in store.runs() if store is not None else ():
            config = dict(run["config"])
            key = config.pop("key", None)
            is_named = name is None or run["name"] in (None, name)
            if key is not None and run["kind"] == self.KIND and config == wanted and is_named:
                return replace(self, key=parse_key(key))
        return replace(self, key=new_key())


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan(PlayPlan):
    """One lineup that plays *games* games, or fewer if a sequential test decides earlier.

    Raises:
        OptionError: The game cannot be played like this.
    """

    KIND = "match"

    sprt: tuple[float, float] | None = None
    """Two win rates: stop as soon as a sequential test decides between them."""
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        seats = len(self.agents)
        if seats < 2:
            raise OptionError(f"A match needs at least two agents, not {seats}.")
        rules_for(self.game, self.preset, seats)
        check_games(self.games, seats)
        if self.sprt is not None and seats != 2:
            raise OptionError(f"A sequential test compares two agents, not {seats}.")
        self.test()

    def lineups(self) -> list[Lineup]:
        return [self.agents]

    def test(self) -> Sprt | None:
        """Return a new sequential test, if the plan has one."""
        return None if self.sprt is None else Sprt(*self.sprt, self.alpha, self.beta)

    def to_dict(self) -> dict[str, Any]:
        test = {} if self.sprt is None else {"sprt": [*self.sprt, self.alpha, self.beta]}
        return PlayPlan.to_dict(self) | test


def check_games(games: int, fewest: int) -> None:
    """Raise `OptionError` unless *games* is between *fewest* and `MAX_GAMES`."""
    if not fewest <= games <= MAX_GAMES:
        raise OptionError(
            f"games is {games}; use {fewest} to {MAX_GAMES:,}, so that every deal is played from each seat."
        )
