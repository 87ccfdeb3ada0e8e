"""Deals in which the same agent always moves first: what a table "row moves first" needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab.arena.backends import in_order, local
from rummylab.arena.jobs import complaint
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.rules import Rows, Rules
from rummylab.errors import AgentError, OptionError
from rummylab.games.registry import game

CHUNK = 500
"""Deals played in one go. Results do not depend on how chunks are spread over processes."""


class _Ordered:
    def __init__(self, rules: Rules, mover: CompiledAgent, other: CompiledAgent, seed: int) -> None:
        self.rules, self.players, self.seed = rules, (mover, other), seed
        self.batch = game(rules.name).batch

    def __call__(self, chunk: tuple[int, int]) -> Rows:
        start, n = chunk
        mover, other = self.players
        tallies = np.zeros(n, self.batch.TALLY)
        seed = np.array([self.seed % 2**64], np.uint64).view(np.int64)[0]
        self.batch.play_deals(
            self.rules.new_rows(1), seed, start, 0, mover.pointer, other.pointer, mover.par, other.par, tallies
        )
        illegal = tallies[tallies["illegal"] > 0]
        if len(illegal):
            raise AgentError(complaint(self.rules, self.players, illegal[0]))
        return tallies


def play_ordered(
    rules: Rules,
    mover: CompiledAgent,
    other: CompiledAgent,
    *,
    games: int,
    seed: int,
    workers: int | None = None,
    progress: Any = None,
) -> Rows:
    """Play *games* deals that *mover* opens; return one tally a deal, the mover being agent 0.

    Deal number k has the same cards in every call with the same seed, whoever plays: two line-ups can be compared deal
    by deal. *progress* is called with the number of deals just done.
    """
    if games < 1:
        raise OptionError(f"games is {games}, but at least one is needed")
    if not hasattr(game(rules.name).batch, "play_deals"):
        raise OptionError(f"{rules.name} has no driver in which one agent always moves first")
    chunks = [(start, min(CHUNK, games - start)) for start in range(0, games, CHUNK)]
    parts = []
    job = _Ordered(rules, mover, other, seed)
    job((0, 0))  # compile before the processes part
    for part in in_order(local(workers).run(job, chunks), chunks):
        parts.append(part)
        if progress is not None:
            progress(len(part))
    return np.concatenate(parts)
