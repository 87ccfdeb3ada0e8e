"""Training with a critic: what the trainers of `contract-counter`, `pass-counter` and `indian-champion` share.

The critic learns the result of a deal from the position with all hands shown. The agent's networks learn the critic's
values from what the agent sees.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rummylab.engine.artifacts import write_artifact
from rummylab.learning import networks as net
from rummylab.learning.notes import D_CHOSEN, D_SIZE, N_DECISION, N_STOCK, S_NEXT
from rummylab.learning.trainer import State, Trainer

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Sizes = tuple[int, ...]

CRITIC_DATA, CHOICE_DATA, MEASUREMENT = 7, 11, 13
"""Purposes of seeds, so that their deals differ."""


@dataclass
class Notes:
    """What was noted of some deals; a game may add more kinds of notes."""

    lines: Floats
    """A line for each discard considered: the agent's inputs, then what only the critic sees."""
    decisions: Ints
    results: Floats
    draws: Floats
    draw_notes: Ints
    draw_results: Floats

    GROUPS: ClassVar[tuple[int, ...]] = (1, 2, 3)
    """How many arrays belong to the lines, to the decisions, to the draws, and so on."""
    FOLLOWED: ClassVar[tuple[str, ...]] = ("draw_notes",)
    """The notes that point at a later decision."""

    @property
    def columns(self) -> list[Any]:
        """All arrays, in order."""
        return [getattr(self, field.name) for field in fields(self)]

    @property
    def decision_of(self) -> Ints:
        """The decision that each line belongs to."""
        return np.repeat(np.arange(len(self.decisions)), self.decisions[:, D_SIZE])

    def cut(self, sizes: Sequence[int]) -> Self:
        """Return the first *sizes* lines, decisions, draws, and so on."""
        each = np.repeat(sizes, self.GROUPS)
        return type(self)(*(column[:size] for column, size in zip(self.columns, each, strict=True)))

    def moved(self, lines: int, decisions: int) -> Self:
        """Return the notes numbered to follow *lines* and *decisions* of other deals."""
        changed: dict[str, Any] = {"decisions": self.decisions.copy()}
        changed["decisions"][:, D_CHOSEN] += lines
        for name in self.FOLLOWED:
            changed[name] = getattr(self, name).copy()
            changed[name][:, S_NEXT] += np.where(changed[name][:, S_NEXT] >= 0, decisions, 0)
        return replace(self, **changed)


def room_for(
    n_lines: int, n_critic: int, n_decisions: int, n_hand: int
) -> tuple[Floats, Ints, Floats, Floats, Ints, Floats]:
    """Return empty arrays for `Notes`: *n_critic* inputs of the critic, *n_hand* of a hand before a draw."""
    return (
        np.empty((n_lines, n_critic), np.float32),
        np.empty((n_decisions, N_DECISION), np.int64),
        np.empty(n_decisions, np.float32),
        np.empty((n_decisions, n_hand), np.float32),
        np.empty((n_decisions, N_STOCK), np.int64),
        np.empty(n_decisions, np.float32),
    )


N = TypeVar("N", bound=Notes)


def joined(parts: Sequence[N]) -> N:
    """Return the notes of several sets of deals as one."""
    lines = decisions = 0
    moved = []
    for part in parts:
        moved.append(part.moved(lines, decisions).columns)
        lines += len(part.lines)
        decisions += len(part.decisions)
    return type(parts[0])(*map(np.concatenate, zip(*moved, strict=True)))


class CriticTrainer(Trainer):
    """Rounds of play, a critic, and the agent's networks; there may be several sets of networks."""

    MAY_CHANGE = ("rounds",)
    KIND: ClassVar[tuple[str, int]]
    """Format and version of the artifact."""
    CRITIC: ClassVar[Sizes]
    NETWORKS: ClassVar[tuple[Sizes, ...]]
    """Sizes of the networks, layer by layer; the first network values the discards."""
    POINTS: ClassVar[float]
    """The unit in which the networks count points."""
    LEVEL: ClassVar[float] = net.LEVEL
    """Weight of the mean of a decision in the loss of choices; that of the differences is 1."""

    def __init__(self, options: Any, n_sets: int) -> None:
        super().__init__(options)
        self.weights = np.zeros((n_sets, sum(map(net.size_of, self.NETWORKS))), np.float32)
        self.critics = np.zeros((n_sets, net.size_of(self.CRITIC)), np.float32)
        self.decisions = 0

    @property
    def rounds(self) -> int:
        return int(self.options.rounds)

    def seed_of(self, number: int) -> int:
        """Return the seed that set *number* of the networks learns with: that of the run."""
        return int(self.options.seed)

    @property
    def is_new(self) -> bool:
        """Whether there are no networks yet that could play."""
        return self.round == 0

    @property
    def rate(self) -> float:
        """The learning rate, which falls from round to round."""
        return net.RATE / (1 + self.round)

    def run_round(self) -> Sequence[float]:
        errors = [self.learn(number) for number in range(len(self.weights))]
        return *errors[0], *self.measure(self.options.games).values()

    @abstractmethod
    def measure(self, games: int) -> dict[str, float]:
        """Measure the agent in *games* games against each of its opponents."""

    @abstractmethod
    def notes(self, number: int, purpose: int, every: bool) -> Any:
        """Return the notes of this round's deals for set *number*: of every discard, or only of those made."""

    def goals(self, number: int, results: Floats) -> Floats:
        """Return what set *number* learns of these *results*, in units of `POINTS`."""
        return results / self.POINTS

    @abstractmethod
    def learn_others(self, number: int, critic: Any, networks: Sequence[Any], made: Any, every: Any) -> None:
        """Fit the networks after the first one, which is fitted already.

        *made* has the notes that the critic learned from, *every* those that the first network learned from.
        """

    def learn(self, number: int) -> tuple[float, float]:
        """Learn set *number* of the networks; return the errors of the critic and of the choices."""
        torch = net.load_torch(1)
        made = self.notes(number, CRITIC_DATA, every=False)
        critic, *networks = self._networks(torch, number)
        loss = self.fit(critic, made.lines, self.goals(number, made.results), number)
        every = self.notes(number, CHOICE_DATA, every=True)
        choice = net.fit_choices(
            torch,
            networks[0],
            self.own_inputs(every),
            net.predicted(torch, critic, every.lines),
            every.decisions[:, D_SIZE],
            self.options.epochs,
            self.seed_of(number),
            self.LEVEL,
            self.rate,
        )
        self.learn_others(number, critic, networks, made, every)
        self.weights[number] = net.flat_weights(*networks)
        self.critics[number] = net.flat_weights(critic)
        self.decisions += len(made.decisions) + len(every.decisions)
        return self.POINTS * loss**0.5, self.POINTS * choice**0.5

    def fit(self, model: Any, inputs: Floats, targets: Floats, number: int = 0) -> float:
        """Fit *model*, of set *number*, to *targets*; return the mean squared error of the last epoch."""
        seed = self.seed_of(number)
        return net.fit(net.load_torch(), model, inputs, targets, self.options.epochs, seed, self.rate)

    def fit_next(self, number: int, model: Any, inputs: Floats, notes: Ints, results: Floats, values: Floats) -> None:
        """Fit *model* to the *values* of the decisions that follow, or to the *results* where none follows."""
        following = notes[:, S_NEXT]
        goals = np.where(following >= 0, values[following], self.goals(number, results))
        self.fit(model, inputs, goals.astype(np.float32), number)

    def own_inputs(self, notes: Notes) -> Floats:
        """Return what the agent itself sees of the discards."""
        return np.ascontiguousarray(notes.lines[:, : self.NETWORKS[0][0]])

    def _networks(self, torch: Any, number: int) -> list[Any]:
        """Return the critic and the agent's networks: new ones, or those of the round before."""
        seed = self.seed_of(number)
        new = [net.build(torch, sizes, seed + k) for k, sizes in enumerate((self.CRITIC, *self.NETWORKS))]
        critic = net.rebuilt(torch, self.critics[number], self.CRITIC) if self.round else new[:1]
        return [*critic, *(new[1:] if self.is_new else net.rebuilt(torch, self.weights[number], *self.NETWORKS))]

    def state(self) -> State:
        return {"weights": self.weights, "critics": self.critics, "decisions": self.decisions}

    def set_state(self, state: State) -> None:
        self.weights[...], self.critics[...] = state["weights"], state["critics"]
        self.decisions = int(state["decisions"])

    def tensors(self) -> dict[str, Floats]:
        """Return the tensors of the artifact."""
        return {"weights": self.weights}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        kind, version = self.KIND
        write_artifact(path, self.tensors(), {"format": kind, "version": version, **manifest}, half=True)
