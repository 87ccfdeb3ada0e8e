"""Two agents play games on duplicate deals: the same cards twice, with the seats swapped."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import is_cold
from rummylab.agents.registry import agent as named_agent
from rummylab.agents.registry import entry
from rummylab.arena.statistics import Estimate, ratio, share
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rows, Rules
from rummylab.errors import AgentError, OptionError
from rummylab.games.registry import game

CHUNK = 250
"""Pairs played in one go. Results do not depend on how chunks are spread over processes."""
MAX_GAMES = 1_000_000_000
Progress = Callable[[int, int], None]
Player = str | CompiledAgent | Agent


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What a match between two agents showed, from the first agent's side."""

    game: str
    rules: str
    agents: tuple[str, str]
    seed: int
    tallies: Rows
    seconds: float

    @property
    def games(self) -> int:
        return len(self.tallies)

    @property
    def hands(self) -> int:
        return int(self.tallies["hands"].sum())

    @property
    def decisions(self) -> int:
        return int(self.tallies["decisions"].sum())

    def _by_pair(self, values: Any) -> Any:
        return np.asarray(values, np.float64).reshape(-1, 2)

    @property
    def win_rate(self) -> Estimate:
        """The share of games won; a game nobody won counts half."""
        winner = self.tallies["winner"]
        return share(self._by_pair(np.where(winner < 0, 0.5, winner == 0)).mean(axis=1))

    @property
    def points_per_hand(self) -> Estimate:
        """Points scored minus points conceded, per hand."""
        scores = self.tallies["scores"]
        gain = self._by_pair(scores[:, 0] - scores[:, 1]).sum(axis=1)
        return ratio(gain, self._by_pair(self.tallies["hands"]).sum(axis=1))

    def outcomes(self) -> dict[str, float]:
        """Return the share of hands that ended in each way."""
        counts = self.tallies["outcomes"].sum(axis=0)
        return {
            name: float(n) / self.hands for name, n in zip(game(self.game).batch.OUTCOMES, counts, strict=True) if n
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            "win_rate": self.win_rate.value,
            "win_rate_ci": list(self.win_rate.ci),
            "points_per_hand": self.points_per_hand.value,
            "points_per_hand_ci": list(self.points_per_hand.ci),
            "hands": self.hands,
            "hands_per_game": self.hands / self.games,
            "decisions": self.decisions,
            "outcomes": self.outcomes(),
            "hands_per_s": self.hands / self.seconds,
            "seconds": self.seconds,
        }


def match(
    game_name: str,
    first: Player,
    second: Player,
    *,
    games: int = 1000,
    seed: int = 0,
    preset: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play *games* games (rounded up to whole pairs) and return the result.

    Same seed, same result, whatever the number of *workers* (processes; default: one per core). Players are names of
    registered agents, compiled agents, or objects with ``sit`` and ``act``; the last play at the Python table.
    """
    if not 2 <= games <= MAX_GAMES:
        raise OptionError(f"games is {games}, but must lie between 2 and {MAX_GAMES} (they are played in pairs)")
    if workers is not None and workers < 1:
        raise OptionError(f"workers is {workers}, but at least one is needed")
    rules = game(game_name).rules(preset)
    for player in (first, second):
        if isinstance(player, str):
            entry(game_name, player)  # an unknown name is said before anything is compiled
    _compile_together(game_name, [p for p in (first, second) if isinstance(p, str)])
    players = tuple(named_agent(game_name, p) if isinstance(p, str) else p for p in (first, second))
    n_pairs = (games + 1) // 2
    chunks = [(start, min(CHUNK, n_pairs - start)) for start in range(0, n_pairs, CHUNK)]
    if all(isinstance(player, CompiledAgent) for player in players):
        job: Any = CompiledJob(rules, players, seed)
    else:
        job = _AtTheTable(rules, players, seed)
        workers = 1  # a user's own objects may not survive the way to another process
    started = time.perf_counter()
    parts, done = [], 0
    for part in run_chunks(job, chunks, workers or os.cpu_count() or 1):
        parts.append(part)
        done += len(part)
        if progress is not None:
            progress(done, 2 * n_pairs)
    seconds = time.perf_counter() - started
    names = (players[0].name, players[1].name)
    return MatchResult(game_name, rules.options.preset_name(), names, seed, np.concatenate(parts), seconds)


def _compile_together(game_name: str, names: list[str]) -> None:
    """On the very first start compile the agents in a second process, beside the driver: it takes half as long."""
    if not is_cold() or not names or "fork" not in multiprocessing.get_all_start_methods():
        return
    aside = multiprocessing.get_context("fork").Process(target=_load, args=(game_name, names), daemon=True)
    aside.start()
    _ = game(game_name).batch
    aside.join()


def _load(game_name: str, names: list[str]) -> None:
    for name in names:
        named_agent(game_name, name)


_job: Any = None


def run_chunks(job: Any, chunks: list[tuple[int, int]], workers: int) -> Iterator[Rows]:
    """Yield the tallies of every chunk, in order."""
    global _job
    workers = min(workers, len(chunks))
    if workers == 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(job, chunks)
        return
    job((0, 0))  # compile before the fork, so that every process has it
    _job = job
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        yield from pool.map(_run_chunk, chunks)


def _run_chunk(chunk: tuple[int, int]) -> Rows:
    part: Rows = _job(chunk)
    return part


class CompiledJob:
    """A chunk of pairs in one kernel call."""

    def __init__(self, rules: Rules, players: Any, seed: int) -> None:
        self.rules, self.players, self.seed = rules, players, seed
        self.batch = game(rules.name).batch

    def __call__(self, chunk: tuple[int, int]) -> Rows:
        start, n = chunk
        first, second = self.players
        tallies = np.zeros(2 * n, self.batch.TALLY)
        seed = np.array([self.seed % 2**64], np.uint64).view(np.int64)[0]
        self.batch.play_pairs(
            self.rules.new_rows(1), seed, start, first.pointer, second.pointer, first.par, second.par, tallies
        )
        illegal = tallies[tallies["illegal"] > 0]
        if len(illegal):
            raise AgentError(complaint(self.rules, self.players, illegal[0]))
        return tallies


def complaint(rules: Rules, players: Any, tally: Any) -> str:
    """Say which agent made the illegal move noted in *tally*."""
    name = players[int(tally["illegal"]) - 1].name
    code = int(tally["illegal_code"])
    phase = game(rules.name).batch.PHASES[int(tally["illegal_phase"])]
    return f"agent {name!r} made an illegal move in the phase {phase!r}: code {code}"


class _AtTheTable:
    """A chunk of pairs at the Python table, for agents that are not compiled."""

    def __init__(self, rules: Rules, players: Any, seed: int) -> None:
        self.rules, self.players, self.seed = rules, players, seed
        self.batch = game(rules.name).batch

    def __call__(self, chunk: tuple[int, int]) -> Rows:
        start, n = chunk
        tallies = np.zeros(2 * n, self.batch.TALLY)
        for i in range(2 * n):
            self._play(start + i // 2, i & 1, tallies[i])
        return tallies

    def _play(self, pair: int, swap: int, tally: Any) -> None:
        seated = self.players if swap == 0 else self.players[::-1]
        scores: tuple[int, ...] = (0, 0)
        for state in play_match(self.rules, seated, self.seed, pair=pair):
            if tally["hands"] == 0:
                tally["starter"] = state.starter ^ swap
            tally["hands"] += 1
            tally["decisions"] += state.n_moves
            outcome = self.batch.OUTCOMES.index(state.result["outcome"])
            tally["outcomes"][outcome] += 1
            scores = state.scores
        tally["scores"] = [scores[swap], scores[1 - swap]]
        if "gains" in tally.dtype.names:
            tally["gains"] = [scores[swap] - scores[1 - swap], scores[1 - swap] - scores[swap]]
        ahead = -1 if scores[0] == scores[1] else int(np.argmax(tally["scores"]))
        won = state.result["winner"] if tally["hands"] == 1 else None  # a single deal can be won without points
        tally["winner"] = ahead if won is None else won ^ swap
