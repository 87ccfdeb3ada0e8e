"""Decisions of an agent as arrays, for learning without an environment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummylab.agents.registry import agent as named_agent
from rummylab.engine.lockstep import answering
from rummylab.engine.pointers import addresses
from rummylab.engine.rows import Rows
from rummylab.engine.tensors import Bytes
from rummylab.envs.tensors import Masks, Tensors
from rummylab.envs.vector import VectorEnv
from rummylab.errors import AgentError, DatasetError
from rummylab.games.registry import game as game_of

FILE: Final = "tensors.npz"
FORMAT: Final = 1
_ARRAYS: Final = ("observations", "masks", "actions", "returns", "seats", "deals")


@dataclass(frozen=True, eq=False)
class TensorData:
    """Decisions, one line each: what was seen, what was legal, what was done, what came of it."""

    observations: Bytes
    masks: Masks
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]
    """What the seat gained in the hand."""
    seats: npt.NDArray[np.int8]
    deals: npt.NDArray[np.int64]
    """Number of the deal: decisions of one hand have the same."""
    about: dict[str, Any]
    """Game, rules, agent, seed, versions, and the names of planes, scalars and actions."""

    def __len__(self) -> int:
        return len(self.actions)

    def save(self, path: Path) -> None:
        """Write the data to a NumPy archive; masks are packed to bits."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays["masks"] = np.packbits(self.masks, axis=1)
        np.savez_compressed(path, about=np.array(json.dumps(self.about)), **arrays)

    @classmethod
    def load(cls, path: Path | str) -> TensorData:
        """Read the data that :meth:`save` wrote.

        Raises:
            DatasetError: The file is damaged or of another format.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                arrays = {name: file[name] for name in _ARRAYS}
        except (OSError, ValueError, KeyError) as error:
            raise DatasetError(f"{path} cannot be read as tensors: {error}") from None
        if about.get("format") != FORMAT:
            raise DatasetError(f"{path} has the format {about.get('format')}, not {FORMAT}.")
        arrays["masks"] = np.unpackbits(arrays["masks"], axis=1, count=about["n_actions"]).view(np.bool_)
        return cls(**arrays, about=about)

    def batches(self, size: int, seed: int = 0) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the numbers of all decisions once, in random order, *size* at a time."""
        order = np.random.default_rng(np.random.PCG64(seed)).permutation(len(self))
        for start in range(0, len(self), size):
            yield order[start : start + size]


def record(
    game: str, agent: str | None = None, *, entries: int, seed: int = 0, rules: str | None = None, tables: int = 256
) -> TensorData:
    """Return *entries* decisions of *agent* against itself; by default the game's own opponent plays.

    Raises:
        UnknownNameError: If there is no such game or agent.
        DatasetError: If there are to be no entries.
        AgentError: If the agent makes a move that the numbering of the actions does not have.
    """
    if entries < 1:
        raise DatasetError(f"A data set has at least one entry, not {entries}.")
    env = VectorEnv(game, min(tables, entries), rules=rules, seed=seed)
    name = agent or game_of(game).opponent_for(env.rules.options)
    player = _Player(env, name)
    step = env.reset()
    seen: list[list[Any]] = []
    open_at: list[list[tuple[int, int]]] = [[] for _ in range(env.n)]  # places in `seen` of unfinished hands
    finished = 0
    gains: dict[tuple[int, int], float] = {}
    deals = np.arange(env.n)
    while finished < entries:
        actions = player.act(step.actor)
        seen.append([step.observation.copy(), step.mask.copy(), actions, step.actor.copy(), deals.copy()])
        for table in range(env.n):
            open_at[table].append((len(seen) - 1, int(step.actor[table])))
        step = env.step(actions)
        for table in np.flatnonzero(step.done).tolist():
            for place, seat in open_at[table]:
                gains[place, table] = float(step.reward[table, seat])
            finished += len(open_at[table])
            open_at[table] = []
            deals[table] += env.n
    keep = sorted(gains)[:entries]
    observations, masks, actions, seats, numbers = (
        np.array([seen[at][k][table] for at, table in keep]) for k in range(5)
    )
    returns = np.array([gains[one] for one in keep], np.float32)
    about = {"format": FORMAT, "agent": name, "seed": seed, **_about(env.tensors)}
    return TensorData(observations, masks, actions, returns, seats, numbers, about)


def _about(tensors: Tensors) -> dict[str, Any]:
    rules, layout = tensors.rules, tensors.layout
    return {
        "game": rules.name,
        "rules": str(rules.options),
        "version": rules.version,
        "n_actions": tensors.n_actions,
        "actions": [tensors.name_of(number) for number in range(tensors.n_actions)],
        "places": {name: [place.start, place.stop] for name, place in layout.places.items()},
    }


class _Player:
    """A compiled agent in every seat of an environment."""

    def __init__(self, env: VectorEnv, name: str) -> None:
        spec = env.rules.spec
        self.env, self.name = env, name
        player = named_agent(spec.name, name)
        self._kept = player
        self._agents = addresses([player.kernel], [player.params], spec.act_signature)
        self._answer = _answering(spec.name)
        self._views: Rows = np.zeros(env.n, spec.kernels.VIEW)
        self._codes = np.zeros(env.n, np.int64)
        self._tables = np.arange(env.n)
        self._numbers: dict[int, int] = {}

    def act(self, actors: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Return the agent's action at every table."""
        rows, views = self.env._rows, self._views
        views["table"], views["mine"] = rows["table"], rows["mine"][self._tables, actors]
        self._answer(views, self._codes, len(views), self._agents)
        for field in ("rng", "memory"):
            rows["mine"][field][self._tables, actors] = views["mine"][field]
        return np.array([self._number(int(code)) for code in self._codes])

    def _number(self, code: int) -> int:
        """Return the learner's action for a code of the rules: by its verb, and its card if it names one."""
        if code not in self._numbers:
            tensors = self.env.tensors
            number, action = int(tensors.lookup[code]), tensors.rules.decode(code)
            if number < 0:
                for choice, first in zip(tensors.numbering.choices, tensors.numbering.firsts, strict=True):
                    if choice.words == action.verb.removesuffix(" low"):
                        cards = tensors.numbering.cards[first : first + choice.size].tolist()
                        number = first + (cards.index(action.cards[0].id) if choice.cards else 0)
            if number < 0:
                raise AgentError(f"{self.name} chooses {action}, which has no number.")
            self._numbers[code] = number
        return self._numbers[code]


@cache
def _answering(name: str) -> Any:
    return answering(game_of(name).kernels.VIEW, game_of(name).act_signature)
