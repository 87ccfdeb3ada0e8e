"""Measures beliefs about the opponent's hand on fresh games: ``rummylab evaluate gin-opponent-hand``."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.beliefs.gin.network import Network
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.learning.opponent_hand.dataset import Plan, Progress, play_shard
from rummylab.learning.opponent_hand.hands import Hands
from rummylab.learning.opponent_hand.measures import Score

Floats = npt.NDArray[np.float32]
Belief = Callable[[Floats], Floats]
"""From planes, one entry a row, to the probability of each card."""

CHUNK = 4096


def uniform(planes: Floats) -> Floats:
    """Return the uniform belief: equal for all cards neither in the own hand nor in the pile."""
    unseen = planes[:, :N_CARDS] == 0
    return np.asarray(10 * unseen / unseen.sum(axis=1, keepdims=True), np.float32)


def counts(planes: Floats) -> Floats:
    """Return the belief of who counts cards: what the opponent took and kept is certain, the rest uniform."""
    unseen = planes[:, :N_CARDS] == 0
    took, threw = planes[:, N_CARDS : 2 * N_CARDS], planes[:, 3 * N_CARDS :]
    known = unseen & (took > threw)
    rest = unseen & ~known
    each = (10 - known.sum(axis=1, keepdims=True)) / rest.sum(axis=1, keepdims=True)
    return np.asarray(known + each * rest, np.float32)


def chunks(hands: Hands, size: int = CHUNK) -> Iterator[tuple[npt.NDArray[np.int64], Floats, Floats]]:
    """Yield the entries of *hands* in order: their numbers, planes and targets."""
    for start in range(0, len(hands), size):
        entries = np.arange(start, min(start + size, len(hands)))
        planes = np.empty((len(entries), N_INPUTS), np.float32)
        held = np.empty((len(entries), N_CARDS), np.float32)
        hands.planes(entries, planes, held)
        yield entries, planes, held


def score(hands: Hands, beliefs: dict[str, Belief]) -> dict[str, Score]:
    """Return how each of *beliefs* does on *hands*."""
    scores = {name: Score.empty() for name in beliefs}
    for entries, planes, held in chunks(hands):
        own_turns = (hands.turn_of[entries] >> 1) + 1
        for name, belief in beliefs.items():
            scores[name].add(belief(planes), held, own_turns)
    return scores


def evaluate(
    plan: Plan, network: Network, *, workers: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Play *plan* and return the measures of the network, the uniform belief and that of counting cards."""
    beliefs: dict[str, Belief] = {"network": network.probabilities, "uniform": uniform, "counts": counts}
    totals = {name: Score.empty() for name in beliefs}
    described = plan.to_dict()  # loads the agents
    entries = 0
    for done, hands in enumerate(_fresh(plan, workers or os.cpu_count() or 1), 1):
        entries += len(hands)
        for name, found in score(hands, beliefs).items():
            totals[name].sums += found.sums
            totals[name].counts += found.counts
            totals[name].bins += found.bins
        if progress:
            progress(done, plan.shards)
    return {
        "entries": entries,
        "seed": plan.seed,
        "line_ups": described["line_ups"],
        "model": network.manifest.get("sha256"),
        **{name: total.to_dict() for name, total in totals.items()},
    }


def _fresh(plan: Plan, workers: int) -> Iterator[Hands]:
    if workers == 1 or plan.shards == 1:
        yield from (play_shard(plan, shard) for shard in range(plan.shards))
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        yield from pool.map(play_shard, [plan] * plan.shards, range(plan.shards))
