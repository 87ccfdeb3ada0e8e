"""Monte-Carlo CFR: each iteration visits a sample of the tree (Lanctot et al., 2009), once for each player.

External sampling draws the actions of chance and the opponent and tries every action of the player. Outcome sampling
draws a single game, with some random actions of the player, and weights what it learns by how unlikely the sample was.
The regret update is that of whole sweeps, so both work with the regrets of CFR and of CFR+.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import unit
from rummylab.learning.cfr.game import CHANCE
from rummylab.learning.cfr.regrets import UPDATE_POINTER, match_regrets
from rummylab.learning.cfr.sweeps import FLAT
from rummylab.learning.cfr.tree import Flat, Floats
from rummylab.learning.signatures import FLOAT, FLOATS, INT

Queue = npt.NDArray[np.int32]
_QUEUE = types.int32[:, ::1]

RNG = np.dtype([("rng", "u8")])
"""A random stream of the solver's own."""


@helper
def pick(weights: Floats, first: int, end: int, u: float) -> int:
    """Return the index from *first* to *end* that *u* selects; the weights add up to 1."""
    for i in range(first, end - 1):
        u -= weights[i]
        if u < 0:
            return i
    return end - 1


@helper
def _add_policy(policy: Floats, first: int, end: int, weight: float, sums: Floats) -> None:
    for s in range(first, end):
        sums[s] += weight * policy[s]


@helper
def _visit(
    tree: Flat, player: int, regrets: Floats, sums: Floats, policy: Floats, weight: float, rng: Any, queue: Queue
) -> int:
    """Write the sampled nodes to ``queue[:, 0]``, parents first, and to ``queue[:, 1]`` where their children begin.

    The opponent's policy is added to its average here, since nodes are sampled as often as the opponent plays to them.
    """
    queue[0, 0] = 0
    n = 1
    i = 0
    while i < n:
        h = queue[i, 0]
        queue[i, 1] = n
        if h < tree.actor.shape[0]:
            first, end = tree.edge[h], tree.edge[h + 1]
            if tree.actor[h] == CHANCE:
                queue[n, 0] = tree.child[pick(tree.chance, first, end, unit(rng))]
                n += 1
            else:
                s, after = tree.slot[tree.infoset[h]], tree.slot[tree.infoset[h] + 1]
                match_regrets(regrets, s, after, policy)
                if tree.actor[h] == player:
                    for e in range(first, end):
                        queue[n, 0] = tree.child[e]
                        n += 1
                else:
                    queue[n, 0] = tree.child[first + pick(policy, s, after, unit(rng)) - s]
                    n += 1
                    _add_policy(policy, s, after, weight, sums)
        i += 1
    return n


@helper
def _learn_from_sample(
    tree: Flat,
    player: int,
    regrets: Floats,
    policy: Floats,
    value: Floats,
    gains: Floats,
    update: Any,
    keep_negative: float,
    queue: Queue,
    n: int,
) -> None:
    """Go back over the sample and update values, by place in the queue, and the regrets of the player."""
    sign = 1.0 - 2.0 * player
    for i in range(n - 1, -1, -1):
        h, below = queue[i, 0], queue[i, 1]
        if h >= tree.actor.shape[0]:
            value[i] = sign * tree.payoff[h]
        elif tree.actor[h] != player:
            value[i] = value[below]
        else:
            first, end = tree.slot[tree.infoset[h]], tree.slot[tree.infoset[h] + 1]
            total = 0.0
            for s in range(first, end):
                total += policy[s] * value[below + s - first]
            for s in range(first, end):
                gains[s] = value[below + s - first] - total
            update(regrets, gains, first, end, 1.0, keep_negative)
            value[i] = total


@kernel_of(types.void(FLAT, *[FLOATS] * 5, UPDATE_POINTER, *[FLOAT] * 2, from_dtype(RNG), _QUEUE, INT, INT))
def sample_externally(
    tree: Flat,
    regrets: Floats,
    sums: Floats,
    policy: Floats,
    value: Floats,
    gains: Floats,
    update: Any,
    keep_negative: float,
    averaging: float,
    rng: Any,
    queue: Queue,
    done: int,
    iterations: int,
) -> None:
    """Run *iterations* iterations of external sampling after number *done*."""
    for t in range(done + 1, done + iterations + 1):
        weight = float(t) ** averaging
        for player in range(2):
            n = _visit(tree, player, regrets, sums, policy, weight, rng, queue)
            _learn_from_sample(tree, player, regrets, policy, value, gains, update, keep_negative, queue, n)


@helper
def _play_out(
    tree: Flat, player: int, regrets: Floats, policy: Floats, explore: float, rng: Any, path: Queue, odds: Floats
) -> int:
    """Draw one game; return the number of its nodes, the ended one included.

    *path* gets each node and the index of the action taken; *odds* gets the probability that the sample reaches the
    node, and the player's own part of it.
    """
    h = 0
    n = 0
    all_odds, own_odds = 1.0, 1.0
    while h < tree.actor.shape[0]:
        first, end = tree.edge[h], tree.edge[h + 1]
        odds[2 * n], odds[2 * n + 1] = all_odds, own_odds
        path[n, 0] = h
        if tree.actor[h] == CHANCE:
            e = pick(tree.chance, first, end, unit(rng))
            all_odds *= tree.chance[e]
        else:
            s, after = tree.slot[tree.infoset[h]], tree.slot[tree.infoset[h] + 1]
            match_regrets(regrets, s, after, policy)
            if tree.actor[h] == player and unit(rng) < explore:
                e = first + np.int64(unit(rng) * (end - first))
            else:
                e = first + pick(policy, s, after, unit(rng)) - s
            p = policy[s + e - first]
            if tree.actor[h] == player:
                p = explore / (end - first) + (1.0 - explore) * p
                own_odds *= p
            all_odds *= p
        path[n, 1] = e - first
        n += 1
        h = tree.child[e]
    path[n, 0] = h
    odds[2 * n], odds[2 * n + 1] = all_odds, own_odds
    return n + 1


@helper
def _learn_from_game(
    tree: Flat,
    player: int,
    regrets: Floats,
    sums: Floats,
    policy: Floats,
    gains: Floats,
    update: Any,
    keep_negative: float,
    weight: float,
    path: Queue,
    odds: Floats,
    n: int,
) -> None:
    """Learn from one game. ``own`` is the product of the player's probabilities on the way to a node.

    Chance and the opponent were sampled from their own probabilities, so these cancel and the player's remain.
    """
    worth = (1.0 - 2.0 * player) * tree.payoff[path[n - 1, 0]] / odds[2 * n - 1]
    tail = 1.0
    for i in range(n - 2, -1, -1):  # the player's policy from here to the end
        h = path[i, 0]
        if tree.actor[h] == player:
            s = tree.slot[tree.infoset[h]]
            odds[2 * i + 1] = tail  # from now on: the probability of the player's later actions
            tail *= policy[s + path[i, 1]]
    own = 1.0
    for i in range(n - 1):
        h = path[i, 0]
        if tree.actor[h] == player:
            first, end = tree.slot[tree.infoset[h]], tree.slot[tree.infoset[h] + 1]
            taken = first + path[i, 1]
            _add_policy(policy, first, end, weight * own / odds[2 * i], sums)
            own *= policy[taken]
            for s in range(first, end):
                gains[s] = worth * odds[2 * i + 1] * ((1.0 if s == taken else 0.0) - policy[taken])
            update(regrets, gains, first, end, 1.0, keep_negative)


@kernel_of(types.void(FLAT, *[FLOATS] * 5, UPDATE_POINTER, *[FLOAT] * 3, from_dtype(RNG), _QUEUE, INT, INT))
def sample_outcomes(
    tree: Flat,
    regrets: Floats,
    sums: Floats,
    policy: Floats,
    odds: Floats,
    gains: Floats,
    update: Any,
    keep_negative: float,
    averaging: float,
    explore: float,
    rng: Any,
    path: Queue,
    done: int,
    iterations: int,
) -> None:
    """Run *iterations* iterations of outcome sampling after number *done*.

    A share *explore* of the player's actions is drawn uniformly.
    """
    for t in range(done + 1, done + iterations + 1):
        weight = float(t) ** averaging
        for player in range(2):
            n = _play_out(tree, player, regrets, policy, explore, rng, path, odds)
            _learn_from_game(tree, player, regrets, sums, policy, gains, update, keep_negative, weight, path, odds, n)
