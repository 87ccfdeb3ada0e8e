"""Everybody against everybody, or one against the field: cross-table, ratings, cycles. Resumable."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rummylab.arena.backends import Backend, local
from rummylab.arena.jobs import Played, Task, play_task, tally_of
from rummylab.arena.match import MatchResult, Progress, chunk_size, chunks_of, collect, compile_together
from rummylab.arena.outside import fingerprint, is_compiled, is_outside
from rummylab.arena.ratings import Rating, cycles, rate
from rummylab.arena.statistics import Z95, Estimate, Floats, share
from rummylab.arena.store import Run, Store
from rummylab.arena.version import version_of_play
from rummylab.cards.rng import is_key
from rummylab.engine.streams import key_text, new_key, parse_key
from rummylab.errors import OptionError
from rummylab.games.registry import game

KIND = "tournament"
"""What the store calls these runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played."""

    game: str
    agents: tuple[str, ...]
    games: int = 1000
    seed: int = 0
    key: int | None = None
    """The secret that deals come from where outside agents sit; drawn when the tournament starts."""
    preset: str | None = None
    against_field: bool = False
    """Only the first agent's matches."""
    self_play: bool = False
    """Every agent against itself too: what the first move is worth."""
    seconds_a_move: float = 10.0
    """What an outside agent has for a decision."""
    anchor: str | None = field(default=None, compare=False)
    """The agent whose Elo is 0; default: the first that nobody sweeps. Changes how a run is shown, not the run."""

    def __post_init__(self) -> None:
        if self.anchor is not None and self.anchor not in self.agents:
            raise OptionError(f"The anchor {self.anchor!r} is not among the agents: {', '.join(self.agents)}.")
        if len(self.agents) < 2:
            raise OptionError(f"a tournament needs two agents or more, not {len(self.agents)}")
        if len(set(self.agents)) < len(self.agents):
            raise OptionError(f"an agent is listed twice: {', '.join(self.agents)}")
        if self.games < 2:
            raise OptionError(f"games is {self.games}, but a pair of agents plays at least 2")
        for name in self.agents:
            is_compiled(self.game, name)  # whoever cannot play is refused before anything is played

    @property
    def root(self) -> int:
        """What the deals come from."""
        return self.seed if self.key is None else self.key

    @property
    def rules(self) -> str:
        return self.preset or game(self.game).presets[0]

    def pairings(self) -> list[tuple[str, str]]:
        every = itertools.combinations(self.agents, 2)
        pairs = [pair for pair in every if not self.against_field or pair[0] == self.agents[0]]
        return pairs + ([(name, name) for name in self.agents] if self.self_play else [])

    @property
    def games_in_all(self) -> int:
        """How many games this is, rounded up to whole deals."""
        return len(self.pairings()) * 2 * -(-self.games // 2)

    def tasks(self) -> list[Task]:
        return [
            Task(self.game, self.rules, pair, self.root, *chunk, self.seconds_a_move)
            for pair in self.pairings()
            for chunk in chunks_of(self.games, 2, chunk_size(self.game, pair))
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": list(self.agents),
            "games": self.games,
            "seed": self.seed,
            **({} if self.key is None else {"key": key_text(self.key)}),
            "against_field": self.against_field,
            "self_play": self.self_play,
            "seconds_a_move": self.seconds_a_move,
            "outside": {name: fingerprint(name) for name in self.agents if is_outside(self.game, name)},
        }

    def code_version(self) -> str:
        """Return the release and a hash of the code that this tournament depends on."""
        return version_of_play([(self.game, name) for name in self.agents])

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_dict` wrote."""
        return cls(
            game=config["game"],
            agents=tuple(config["agents"]),
            games=config["games"],
            seed=config["seed"],
            key=parse_key(config["key"]) if "key" in config else None,
            preset=config["rules"],
            against_field=config["against_field"],
            self_play=config.get("self_play", False),
            seconds_a_move=config.get("seconds_a_move", 10.0),
        )


@dataclass(frozen=True, slots=True)
class Standings:
    """How a tournament ended (or stands, if it was interrupted)."""

    plan: Plan
    results: dict[tuple[str, str], MatchResult]
    complete: bool = True

    @property
    def games(self) -> int:
        """How many games have been played."""
        return sum(result.games for result in self.results.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values. It depends on the plan alone: no times, no machine."""
        return {
            "config": self.plan.to_dict(),
            "cross_table": self.cross_table(),
            "ratings": [rating.to_dict() for rating in self.ratings()],
            "cycles": [list(cycle) for cycle in self.cycles()],
            "skill": self.skill(),
            "forfeits": self.forfeits(),
            "complete": self.complete,
        }

    def matches(self) -> list[tuple[tuple[str, str], MatchResult]]:
        """Return the matches between two different agents."""
        return [(pair, result) for pair, result in self.results.items() if pair[0] != pair[1]]

    def skill(self) -> list[dict[str, Any]]:
        """Return the first mover's edge and the skill without it, for every ordered pair that met.

        *moving_first* is the row's win rate in the games it started. *skill* takes the edge out by averaging both
        orders. *adjusted_margin* takes it out as section VIII of Saha et al. does: how far the win rate moving first
        exceeds the agent's own win rate moving first against itself. It is a difference, not a rate: from -1 to 1.
        It needs the agents' games against themselves.
        """
        rows = []
        for first, second in self._ordered_pairs():
            result, number = self._result(first, second)
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "moving_first": _plain(result.moving_first(number)),
                    "moving_second": _plain(result.moving_second(number)),
                    "skill": _plain(result.win_rate_of(number)),
                    "adjusted_margin": self._adjusted_margin(first, result.moving_first(number)),
                }
            )
        return rows

    def _adjusted_margin(self, name: str, moving_first: Estimate) -> dict[str, Any] | None:
        alone = self.results.get((name, name))
        if alone is None:
            return None
        edge = first_movers_share(alone)
        half = np.hypot(moving_first.high - moving_first.low, edge.high - edge.low) / 2
        value = moving_first.value - edge.value
        return _plain(Estimate(value, value - float(half), value + float(half)))

    def _ordered_pairs(self) -> list[tuple[str, str]]:
        met = {pair for pair, _ in self.matches()}
        return [(a, b) for a in self.plan.agents for b in self.plan.agents if (a, b) in met or (b, a) in met]

    def _result(self, first: str, second: str) -> tuple[MatchResult, int]:
        """Return the match of two agents and the number that *first* has in it."""
        if (first, second) in self.results:
            return self.results[first, second], 0
        return self.results[second, first], 1

    def forfeits(self) -> dict[str, int]:
        """Return how many games each outside agent lost by a crash, a time-out or an illegal move."""
        names = [name for name in self.plan.agents if is_outside(self.plan.game, name)]
        faults = [fault for result in self.results.values() for fault in result.faults]
        return {name: sum(fault.agent == name for fault in faults) for name in names}

    def cross_table(self) -> list[dict[str, Any]]:
        """Return a row for every ordered pair that met."""
        rows = []
        for (first, second), result in self.matches():
            win, points = result.win_rate, result.points_per_hand
            rows.append(_row(first, second, result, win.value, win.ci, points.value, points.ci))
            back, (low, high), (least, most) = 1 - win.value, win.ci, points.ci
            rows.append(_row(second, first, result, back, (1 - high, 1 - low), -points.value, (-most, -least)))
        place = {name: i for i, name in enumerate(self.plan.agents)}
        return sorted(rows, key=lambda row: (place[row["first"]], place[row["second"]]))

    def ratings(self) -> list[Rating]:
        """Return the agents' strengths relative to the plan's anchor, strongest first."""
        number = {name: i for i, name in enumerate(self.plan.agents)}
        scores = {(number[one], number[two]): result.of_deals()[0] for (one, two), result in self.matches()}
        return rate(self.plan.agents, scores, self.plan.anchor)

    def cycles(self) -> list[tuple[str, str, str]]:
        names = self.plan.agents
        low = np.zeros((len(names), len(names)))
        for row in self.cross_table():
            low[names.index(row["first"]), names.index(row["second"])] = row["ci"][0]
        return cycles(names, low)


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "ci": list(estimate.ci)}


def first_movers_share(alone: MatchResult) -> Estimate:
    """Return how often the first mover wins when an agent plays itself."""
    winner, starter = alone.tallies["winner"], alone.tallies["starter"]
    return share(np.where(winner < 0, 0.5, winner == starter).reshape(-1, 2).mean(axis=1))


def _row(
    first: str, second: str, result: MatchResult, win: float, ci: tuple[float, float], points: float, points_ci: Any
) -> dict[str, Any]:
    return {
        "first": first,
        "second": second,
        "games": result.games,
        "win_rate": win,
        "ci": list(ci),
        "points_per_hand": points,
        "points_per_hand_ci": list(points_ci),
    }


def tournament(
    plan: Plan,
    *,
    store: Store | None = None,
    name: str | None = None,
    backend: Backend | None = None,
    progress: Progress | None = None,
    keep_partial: bool = False,
    keep_hands: int = 0,
) -> Standings:
    """Play *plan*, or what is still missing of it in *store*, and return the standings.

    With *keep_partial* an interrupt returns the standings of what was played so far. The store keeps the records of
    the first *keep_hands* games of every pairing; a chunk kept before without them is played again for them.
    """
    if keep_hands < 0 or (keep_hands and store is None):
        raise OptionError(f"keep_hands is {keep_hands}, but hands are kept in a store, and not fewer than none")
    plan = with_key(plan, store, name)
    tasks = plan.tasks()
    run = None if store is None else store.open_run(KIND, plan.to_dict(), plan.code_version(), name)
    known = {} if run is None else _known(run, tasks, tally_of(plan.game, 2))
    recorded = set() if run is None or not keep_hands else set(run.hand_names())
    missing = [task for task in tasks if task not in known or not recorded.issuperset(task.game_names(keep_hands))]
    complete = True
    try:
        _play(missing, known, run, backend or local(), _Meter(plan, known, progress), keep_hands)
    except KeyboardInterrupt:
        if not keep_partial or not known:
            raise
        complete = False
    if run is not None and complete:
        run.finish()
    return standings_of(plan, known, complete=complete)


def with_key(plan: Plan, store: Store | None = None, name: str | None = None) -> Plan:
    """Return *plan* with the secret key it needs: that of the run begun before in *store*, or a new one."""
    if is_key(plan.root) or not any(is_outside(plan.game, agent) for agent in plan.agents):
        return plan
    wanted = plan.to_dict()
    for run in store.runs() if store is not None else ():
        config = dict(run["config"])
        key = config.pop("key", None)
        if (
            key is not None
            and run["kind"] == KIND
            and config == wanted
            and (name is None or run["name"] in (None, name))
        ):
            return replace(plan, key=parse_key(key))
    return replace(plan, key=new_key())


def _may_be(run: Mapping[str, Any], name: str | None) -> bool:
    return name is None or run["name"] in (None, name)


def standings_of(plan: Plan, known: Mapping[Task, Played], *, complete: bool = True) -> Standings:
    """Put the chunks together by pairing, in the order of the plan whatever the order of play."""
    parts: dict[tuple[str, str], list[Played]] = {}
    for task in plan.tasks():
        if task in known:
            parts.setdefault((task.agents[0], task.agents[1]), []).append(known[task])
    results = {pair: collect(plan.game, plan.rules, pair, plan.root, found) for pair, found in parts.items()}
    return Standings(plan, results, complete)


def _known(run: Run, tasks: Sequence[Task], dtype: np.dtype[np.void]) -> dict[Task, Played]:
    """Return what the store has of *tasks*."""
    there = set(run.chunk_names())
    found = ((task, run.chunk(task.name, dtype)) for task in tasks if task.name in there)
    return {task: part for task, part in found if part is not None}


def _play(
    missing: Sequence[Task], known: dict[Task, Played], run: Run | None, backend: Backend, meter: _Meter, record: int
) -> None:
    if not missing:
        return
    compile_together(missing[0].game, sorted({name for task in missing for name in task.agents}))
    for lineup in {task.agents: task for task in missing}.values():
        play_task(lineup._replace(deals=0))  # compile and load before the processes part
    work = partial(play_task, record=record) if record else play_task
    named = {task.name: task for task in missing}
    try:
        for task, part in backend.run(work, missing):
            known[task] = part
            if run is not None:
                known |= {named[name]: theirs for name, theirs in run.keep(task.name, part).items()}
            meter.show(task, part)
    finally:
        if run is not None:
            known |= {named[name]: theirs for name, theirs in run.flush().items()}


class _Meter:
    """Says how many games are done and how the pairing just played stands."""

    def __init__(self, plan: Plan, known: Mapping[Task, Played], progress: Progress | None) -> None:
        self.progress = progress
        self.total = sum(2 * task.deals for task in plan.tasks())
        self.games = sum(2 * task.deals for task in known)
        self._sums: dict[tuple[str, ...], Floats] = {}
        if progress is not None:
            for task, part in known.items():
                self._add(task, part)

    def _add(self, task: Task, part: Played) -> None:
        """Keep number, sum and squares of the pairs' shares: enough for an interval, however long the run."""
        winner = part.rows["winner"]
        pairs = np.where(winner < 0, 0.5, winner == 0).reshape(-1, 2).mean(axis=1)
        sums = self._sums.setdefault(task.agents, np.zeros(3))
        sums += len(pairs), pairs.sum(), (pairs**2).sum()

    def show(self, task: Task, part: Played) -> None:
        """Tell that *task* is done."""
        self.games += 2 * task.deals
        if self.progress is None:
            return
        self._add(task, part)
        n, total, squares = self._sums[task.agents]
        mean = total / n
        half = Z95 * np.sqrt(max(squares / n - mean * mean, 0.0) / n)
        self.progress(self.games, self.total, f"{task.agents[0]} against {task.agents[1]}: {mean:.1%} ± {half:.1%}")
