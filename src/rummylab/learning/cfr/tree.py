"""The whole tree of a game in flat arrays, so that a solver is a few loops over them.

Nodes with an actor are numbered breadth first, so a child's number is higher than its parent's; ended games come after
them. An *edge* leads from a node to a child; the edges of a node are adjacent. A *slot* is one action in one
information set: policies, regrets and sums of policies are arrays over slots. Since players have perfect recall
(checked here), one slot identifies a player's path to a node: their last action.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab.errors import OptionError
from rummylab.learning.cfr.game import CHANCE, OVER, Game, Position

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

NOTHING_YET = -1
"""The slot before a player's first action."""


class Flat(NamedTuple):
    """The arrays that the kernels read."""

    actor: Bytes  # by node: 0, 1 or CHANCE
    infoset: Ints  # by node, -1 for chance
    edge: Ints  # by node, one more than there are nodes: where its edges begin
    child: Ints  # by edge
    chance: Floats  # by edge: the probability, 1 where a player acts
    luck: Floats  # by node: the product of the chances on the way to it
    last: Ints  # by player and node: the slot of the player's last action before it (2 * node + player)
    payoff: Floats  # by node: of ended games, for player 0; scratch for the others is kept elsewhere
    owner: Bytes  # by information set
    slot: Ints  # by information set, one more than there are: where its slots begin
    came_by: Ints  # by information set: the slot of the owner's last action before it


@dataclass(frozen=True, eq=False)
class Tree:
    """A flattened game."""

    game: str
    flat: Flat
    keys: tuple[Hashable, ...]
    """The key of each information set: what its owner knows."""
    actions: tuple[tuple[str, ...], ...]
    """The actions of each information set."""
    _number: dict[Hashable, int] = field(repr=False)

    @property
    def n_nodes(self) -> int:
        """The number of nodes with an actor."""
        return len(self.flat.actor)

    @property
    def n_slots(self) -> int:
        return int(self.flat.slot[-1])

    def slots_of(self, key: Hashable) -> slice:
        """Return the slots of the information set *key*."""
        number = self._number[key]
        return slice(int(self.flat.slot[number]), int(self.flat.slot[number + 1]))

    def table(self, policy: Floats) -> dict[Hashable, dict[str, float]]:
        """Return *policy* as probabilities by information set and action."""
        return {
            key: dict(zip(self.actions[i], policy[self.slots_of(key)].tolist(), strict=True))
            for i, key in enumerate(self.keys)
        }

    def uniform(self) -> Floats:
        """Return the uniform policy."""
        widths = np.diff(self.flat.slot)
        return np.repeat(1.0 / widths, widths)

    def fingerprint(self) -> str:
        """Return a short hash of all arrays, to match a checkpoint with its game."""
        digest = hashlib.blake2b(digest_size=8)
        for array in self.flat:
            digest.update(array.tobytes())
        return digest.hexdigest()


@dataclass(slots=True)
class _Node:
    """A position before it is written to the arrays."""

    position: Position
    luck: float
    last: tuple[int, int]
    infoset: int = -1
    children: list[tuple[int, float]] = field(default_factory=list)


class _Builder:
    """Flattens a game breadth first."""

    def __init__(self, game: Game) -> None:
        self.name = game.name
        self.nodes: list[_Node] = [_Node(game.root(), 1.0, (NOTHING_YET, NOTHING_YET))]
        self.numbers: dict[Hashable, int] = {}
        self.owner: list[int] = []
        self.slot: list[int] = [0]
        self.came_by: list[int] = []
        self.actions: list[tuple[str, ...]] = []
        for node in self.nodes:  # grows while it is read: that is breadth first
            self._expand(node)

    def _expand(self, node: _Node) -> None:
        actor = node.position.actor
        if actor == OVER:
            return
        if actor == CHANCE:
            outcomes = list(node.position.chances())
            if abs(sum(p for _, p in outcomes) - 1) > 1e-9:
                raise OptionError(f"{self.name}: the chances of {node.position!r} do not add up to 1")
            for action, p in outcomes:
                self._add(node, _Node(node.position.after(action), node.luck * p, node.last), p)
            return
        node.infoset = self._infoset(node, actor)
        first = self.slot[node.infoset]
        for i, action in enumerate(self.actions[node.infoset]):
            last = (first + i, node.last[1]) if actor == 0 else (node.last[0], first + i)
            self._add(node, _Node(node.position.after(action), node.luck, last), 1.0)

    def _add(self, parent: _Node, child: _Node, p: float) -> None:
        parent.children.append((len(self.nodes), p))
        self.nodes.append(child)

    def _infoset(self, node: _Node, actor: int) -> int:
        """Return the number of the node's information set; a new one gets the next slots."""
        key, actions = node.position.information_set(), tuple(node.position.actions())
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.owner)
            self.owner.append(actor)
            self.slot.append(self.slot[-1] + len(actions))
            self.came_by.append(node.last[actor])
            self.actions.append(actions)
        elif self.actions[number] != actions or self.owner[number] != actor:
            raise OptionError(f"{self.name}: positions of information set {key!r} differ in who acts or in the actions")
        elif self.came_by[number] != node.last[actor]:
            raise OptionError(f"{self.name}: in information set {key!r} player {actor} forgets what they knew or did")
        return number

    def tree(self) -> Tree:
        inner = [i for i, node in enumerate(self.nodes) if node.children]
        ended = [i for i, node in enumerate(self.nodes) if not node.children]
        place = {old: new for new, old in enumerate([*inner, *ended])}
        nodes = [self.nodes[i] for i in inner]
        edges = [(place[child], p) for node in nodes for child, p in node.children]
        flat = Flat(
            actor=np.array([node.position.actor for node in nodes], np.int8),
            infoset=np.array([node.infoset for node in nodes], np.int32),
            edge=np.cumsum([0, *(len(node.children) for node in nodes)], dtype=np.int32),
            child=np.array([child for child, _ in edges], np.int32),
            chance=np.array([p for _, p in edges], np.float64),
            luck=np.array([node.luck for node in nodes], np.float64),
            last=np.array([slot for node in nodes for slot in node.last], np.int32),
            payoff=np.array([0.0] * len(inner) + [self.nodes[i].position.payoff() for i in ended], np.float64),
            owner=np.array(self.owner, np.int8),
            slot=np.array(self.slot, np.int32),
            came_by=np.array(self.came_by, np.int32),
        )
        return Tree(self.name, flat, tuple(self.numbers), tuple(self.actions), self.numbers)


def flatten(game: Game) -> Tree:
    """Return the whole tree of *game*, which must fit in memory and have perfect recall.

    Raises:
        OptionError: Chances do not add up to 1, or an information set is inconsistent.
    """
    return _Builder(game).tree()
