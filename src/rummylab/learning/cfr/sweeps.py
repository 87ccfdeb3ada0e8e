"""CFR by whole sweeps of the tree: every iteration visits every node, once for each player."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from rummylab._jit import helper, kernel_of
from rummylab.learning.cfr.regrets import UPDATE_POINTER, kept, match_regrets
from rummylab.learning.cfr.tree import Flat, Floats
from rummylab.learning.signatures import FLOAT, FLOATS, INT

_BYTES, _INTS = types.int8[::1], types.int32[::1]
FLAT = types.NamedTuple(  # type: ignore[no-untyped-call]
    (_BYTES, _INTS, _INTS, _INTS, FLOATS, FLOATS, _INTS, FLOATS, _BYTES, _INTS, _INTS), Flat
)
"""The type of `Flat` in a kernel's signature."""


@helper
def write_reach(tree: Flat, policy: Floats, reach: Floats) -> None:
    """Write for each slot the product of its owner's probabilities on the way to it and through it."""
    for i in range(tree.owner.shape[0]):
        before = 1.0 if tree.came_by[i] < 0 else reach[tree.came_by[i]]
        for s in range(tree.slot[i], tree.slot[i + 1]):
            reach[s] = before * policy[s]


@helper
def write_values(tree: Flat, policy: Floats, value: Floats) -> None:
    """Write the value of each node to player 0 when both play *policy*; ended games have theirs already."""
    for h in range(tree.actor.shape[0] - 1, -1, -1):
        first = tree.edge[h]
        s = np.int64(tree.slot[tree.infoset[h]]) if tree.infoset[h] >= 0 else np.int64(-1)
        total = 0.0
        for e in range(first, tree.edge[h + 1]):
            p = tree.chance[e] if s < 0 else policy[s + e - first]
            total += p * value[tree.child[e]]
        value[h] = total


@helper
def _learn(
    tree: Flat,
    player: int,
    regrets: Floats,
    policy: Floats,
    value: Floats,
    reach: Floats,
    gains: Floats,
    update: Any,
    keep_positive: float,
    keep_negative: float,
) -> None:
    """Update the regrets and policy of *player* against the policy of the other."""
    # 1. The gain of each action, weighted by the probability that chance and the opponent lead here.
    sign = 1.0 - 2.0 * player
    for h in range(tree.actor.shape[0]):
        if tree.actor[h] == player:
            last = tree.last[2 * h + 1 - player]
            weight = sign * tree.luck[h] * (1.0 if last < 0 else reach[last])
            first = tree.edge[h]
            s = tree.slot[tree.infoset[h]]
            for e in range(first, tree.edge[h + 1]):
                gains[s + e - first] += weight * (value[tree.child[e]] - value[h])
    # 2. New regrets, new policy.
    for i in range(tree.owner.shape[0]):
        if tree.owner[i] == player:
            first, end = tree.slot[i], tree.slot[i + 1]
            update(regrets, gains, first, end, keep_positive, keep_negative)
            match_regrets(regrets, first, end, policy)
            for s in range(first, end):
                gains[s] = 0.0


@helper
def _add_to_average(tree: Flat, player: int, reach: Floats, weight: float, sums: Floats) -> None:
    for i in range(tree.owner.shape[0]):
        if tree.owner[i] == player:
            for s in range(tree.slot[i], tree.slot[i + 1]):
                sums[s] += weight * reach[s]


@kernel_of(types.void(FLAT, *[FLOATS] * 6, UPDATE_POINTER, *[FLOAT] * 3, INT, INT))
def sweep(
    tree: Flat,
    regrets: Floats,
    sums: Floats,
    policy: Floats,
    value: Floats,
    reach: Floats,
    gains: Floats,
    update: Any,
    positive: float,
    negative: float,
    averaging: float,
    done: int,
    iterations: int,
) -> None:
    """Run *iterations* iterations after number *done*.

    *value* holds the payoffs of ended games, *gains* zeros, *policy* the policy of the last iteration.
    """
    for t in range(done + 1, done + iterations + 1):
        weight = float(t) ** averaging
        for player in range(2):
            write_reach(tree, policy, reach)
            write_values(tree, policy, value)
            _add_to_average(tree, player, reach, weight, sums)
            _learn(tree, player, regrets, policy, value, reach, gains, update, kept(t, positive), kept(t, negative))
