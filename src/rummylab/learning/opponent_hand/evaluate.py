"""Measure beliefs about the opponent's hand on fresh games: ``rummylab evaluate gin-opponent-hand``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.arena.backends import in_order, local
from rummylab.beliefs.gin.network import Network
from rummylab.learning.opponent_hand.beliefs import Belief, Floats, certain, chunks, counts, uniform
from rummylab.learning.opponent_hand.dataset import DatasetPlan, ShardProgress, play_shard
from rummylab.learning.opponent_hand.hands import Hands
from rummylab.learning.opponent_hand.measures import N_TOP, TOP, Score, shard_interval
from rummylab.learning.opponent_hand.shape import Positions, deadwood_by_turn, marginals, sample

SHAPE_ENTRIES = 40_000
"""Entries for which hands are sampled."""


def score(hands: Hands, beliefs: dict[str, Belief]) -> dict[str, Score]:
    """Return the score of each of *beliefs* on *hands*."""
    scores = {name: Score.empty() for name in beliefs}
    for entries, planes, held in chunks(hands):
        own_turns = (hands.turn_of[entries] >> 1) + 1
        for name, belief in beliefs.items():
            scores[name].add(belief(planes), held, own_turns)
    return scores


def evaluate(
    plan: DatasetPlan,
    network: Network,
    *,
    shape: Floats | None = None,
    workers: int | None = None,
    progress: ShardProgress | None = None,
) -> dict[str, Any]:
    """Play *plan* and return the measures of the network, the uniform belief and card counting.

    The result also has the mean deadwood of hands sampled from each belief, beside that of the real ones, by the
    opponent's turns. *shape* holds the weights of shaped hands.
    """
    beliefs: dict[str, Belief] = {"network": network.probabilities, "uniform": uniform, "counts": counts}
    totals = {name: Score.empty() for name in beliefs}
    described = plan.to_dict()  # loads the agents
    by_shard: dict[str, list[tuple[npt.NDArray[np.float64], int]]] = {name: [] for name in beliefs}
    entries, first = 0, Hands.join([])
    for done, hands in enumerate(_fresh(plan, workers), 1):
        entries += len(hands)
        if len(first) < SHAPE_ENTRIES:
            first = Hands.join([first, hands])
        for name, found in score(hands, beliefs).items():
            totals[name].add_score(found)
            by_shard[name].append(found.totals)
        if progress:
            progress(done, plan.shards)
    return {
        "entries": entries,
        "seed": plan.seed,
        "line_ups": described["line_ups"],
        "model": network.manifest.get("sha256"),
        **{name: {**total.to_dict(), "half_interval": _halves(by_shard[name])} for name, total in totals.items()},
        **sampled(first, network, shape, plan.seed),
    }


def _halves(by_shard: list[tuple[npt.NDArray[np.float64], int]]) -> dict[str, dict[str, float]]:
    """Return half the width of the 95% interval of each top-K accuracy, in both readings."""
    sums, sizes = np.array([found for found, _ in by_shard]), np.array([n for _, n in by_shard])
    halves = [round(shard_interval(sums[:, t], sizes)[1], 5) for t in range(2 * N_TOP)]
    names = [str(k) for k in TOP]
    return {
        "top_k": dict(zip(names, halves[:N_TOP], strict=True)),
        "first_card_top_k": dict(zip(names, halves[N_TOP:], strict=True)),
    }


def sampled(hands: Hands, network: Network, shape: Floats | None, seed: int) -> dict[str, Any]:
    """Return the mean deadwood of sampled hands by the opponent's turns and, with *shape*, the scores of shaped hands.

    *shape* has weights for every kind of opponent; the first kind, the agents' default, is used.
    """
    n = min(len(hands), SHAPE_ENTRIES)
    beliefs: dict[str, Belief] = {"uniform": uniform, "counts": counts, "network": certain(network.probabilities)}
    positions = {name: Positions.of(hands, belief, n) for name, belief in beliefs.items()}
    ours = positions["network"]
    deadwood = {"truth": deadwood_by_turn(ours, ours.held)}
    deadwood |= {name: deadwood_by_turn(here, sample(here, None, seed)) for name, here in positions.items()}
    found: dict[str, Any] = {"deadwood": deadwood}
    if shape is not None:
        usual = shape[0]
        deadwood["shaped"] = deadwood_by_turn(ours, sample(ours, usual, seed))
        some = ours[: n // 4]
        own_turns = (hands.turn_of[: n // 4] >> 1) + 1
        for name, belief in (("shaped", marginals(some, usual, seed)), ("network_on_the_same", some.beliefs)):
            total = Score.empty()
            total.add(belief, some.held_cards, own_turns)
            found[name] = total.to_dict()
    return found


def _fresh(plan: DatasetPlan, workers: int | None) -> Iterator[Hands]:
    shards = range(plan.shards)
    return in_order(local(workers).run(partial(play_shard, plan), shards), shards)
