"""How fast a game is on one core of this machine: its kernels, whole games in one call, and the Python table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product

from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.agent import Agent
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.engine.spec import GameSpec, Workload
from rummylab.games.registry import game

SEED = 7
REPEATS = 5
TABLE_REPEATS = 50


def speed(name: str) -> dict[str, float]:
    """Return the speed figures of the game *name*: those of its ``bench`` module, then those of its workloads."""
    spec = game(name)
    figures: dict[str, float] = dict(spec.module("bench").kernel_speed(best_seconds)) if spec.has("bench") else {}
    return figures | {workload.figure: _figure(spec, workload) for workload in spec.workloads}


def best_seconds(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the least processor time of several runs: what the machine can do when nothing disturbs it."""
    run()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return min(times)


def _figure(spec: GameSpec, workload: Workload) -> float:
    """Return hands or decisions a second."""
    if workload.table:
        return table_speed(spec.rules(workload.rules or None), workload.agents[0], workload.games)
    tables = list(product(workload.agents, repeat=2)) if workload.all_pairs else [workload.agents]
    played = [_batch(spec.name, names, workload.games) for names in tables]
    counted = 1 if workload.figure.endswith("decisions_per_s") else 0
    return sum(one[counted] for one in played) / sum(one[2] for one in played)


def _batch(name: str, agents: tuple[str, ...], games: int) -> tuple[int, int, float]:
    """Return hands, decisions and seconds of processor time of the fastest of several matches in the batch kernel."""
    match(name, *agents, games=len(agents), workers=1)  # compile and load
    results = [match(name, *agents, games=games, seed=SEED, workers=1) for _ in range(REPEATS)]
    best = min(results, key=lambda result: result.busy)
    return best.hands, best.decisions, best.busy


def table_speed(rules: Rules, name: str, matches: int = 1) -> float:
    """Return decisions a second of *matches* matches between agents *name* at the Python table.

    Every hand counts with the fastest of several runs, the deal included: a hand is short enough to be left alone by
    the other programs of the machine now and then.
    """
    players = [agent(rules.name, name)] * rules.seats
    moves, seconds = 0, 0.0
    for seed in range(SEED, SEED + matches):
        runs = [_timed_hands(rules, players, seed) for _ in range(TABLE_REPEATS)]
        for hands in zip(*runs, strict=True):
            moves += hands[0][0]
            seconds += min(time_of_hand for _, time_of_hand in hands)
    return moves / seconds


def _timed_hands(rules: Rules, players: Sequence[Agent], seed: int) -> list[tuple[int, float]]:
    """Play a match; return the moves of every hand, and its processor time."""
    found, before = [], time.thread_time()
    for state in play_match(rules, players, seed):
        now = time.thread_time()
        found.append((state.n_moves, now - before))
        before = now
    return found
