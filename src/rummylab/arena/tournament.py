"""Tournaments: every agent against every other, with cross table, ratings and cycles. A stopped one resumes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.backends import Backend, local
from rummylab.arena.chunks import Forecast, Progress, play_plan
from rummylab.arena.first_start import compile_together
from rummylab.arena.jobs import Played, rules_for
from rummylab.arena.keys import ChunkKey, Lineup
from rummylab.arena.match import KEEP_GAMES, MatchResult, result_of
from rummylab.arena.plan import PlayPlan
from rummylab.arena.ratings import Rating, cycles, rate
from rummylab.arena.statistics import Estimate
from rummylab.arena.store import Run, Store, opened
from rummylab.arena.sums import STARTER
from rummylab.arena.totals import LineupTotal
from rummylab.engine.streams import parse_key
from rummylab.errors import OptionError, StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(PlayPlan):
    """A tournament: which agents play, and how many games each pair plays.

    Raises:
        OptionError: Fewer than two agents play, one of them is listed twice, or the anchor is not among them.
    """

    KIND = "tournament"

    against_field: bool = False
    """Play only the first agent's matches."""
    self_play: bool = False
    """Let every agent play itself too, to measure the value of moving first."""
    anchor: str | None = field(default=None, compare=False)
    """The agent whose Elo is 0; by default the first that nobody sweeps. Affects the display only."""

    def __post_init__(self) -> None:
        if self.anchor is not None and self.anchor not in self.agents:
            raise OptionError(f"The anchor {self.anchor!r} is not among the agents: {', '.join(self.agents)}.")
        if len(self.agents) < 2:
            raise OptionError(f"A tournament needs at least two agents, not {len(self.agents)}.")
        if len(set(self.agents)) < len(self.agents):
            raise OptionError(f"An agent is listed twice: {', '.join(self.agents)}.")
        if self.games < 2:
            raise OptionError(f"games is {self.games}; a pair of agents plays at least 2.")
        rules_for(self.game, self.preset, 2)

    def lineups(self) -> list[Lineup]:
        pairs: list[Lineup] = list(itertools.combinations(self.agents, 2))
        pairs = [pair for pair in pairs if not self.against_field or pair[0] == self.agents[0]]
        return pairs + ([(name, name) for name in self.agents] if self.self_play else [])

    def to_dict(self) -> dict[str, Any]:
        return PlayPlan.to_dict(self) | {"against_field": self.against_field, "self_play": self.self_play}

    @classmethod
    def from_dict(cls, config: Mapping[str, Any], anchor: str | None = None) -> Plan:
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
            anchor=anchor,
        )


@dataclass(frozen=True, slots=True)
class Standings:
    """The results of a tournament, finished or not."""

    plan: Plan
    results: dict[Lineup, MatchResult]
    complete: bool = True

    def __repr__(self) -> str:
        plan, shown = self.plan, self.ratings()[:10]
        state = "" if self.complete else ", not complete"
        lines = [f"<Standings {plan.game} {plan.rules}: {len(plan.agents)} agents, {self.games} games{state}"]
        lines += [f"  {place}. {rating.name}: {rating}" for place, rating in enumerate(shown, start=1)]
        more = len(plan.agents) - len(shown)
        return "\n".join([*lines, f"  and {more} more"] if more else lines) + ">"

    @property
    def games(self) -> int:
        """The number of games played so far."""
        return sum(result.games for result in self.results.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that depend on the plan alone, not on time or machine."""
        return {
            "config": self.plan.to_dict(),
            "cross_table": self.cross_table(),
            "ratings": [rating.to_dict() for rating in self.ratings()],
            "cycles": [list(cycle) for cycle in self.cycles()],
            "skill": self.skill(),
            "forfeits": self.forfeits(),
            "complete": self.complete,
        }

    def matches(self) -> list[tuple[Lineup, MatchResult]]:
        """Return the matches between two different agents."""
        return [(pair, result) for pair, result in self.results.items() if pair[0] != pair[1]]

    def skill(self) -> list[dict[str, Any]]:
        """Return the advantage of moving first, and skill without it, for every ordered pair that met.

        *moving_first* is the row's win rate in the games it started. *skill* averages both orders. *adjusted_margin*
        follows section VIII of Saha et al.: the win rate moving first minus the agent's own win rate moving first
        against itself. It is a difference between -1 and 1, and needs the agents' games against themselves.
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
        """Return the number of games that each outside agent lost by a crash, a time-out or an illegal move."""
        names = self.plan.strangers
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

    def square(self) -> list[tuple[str, ...]]:
        """Return the cross table as rows of text, the first of which is the head."""
        cells = {(row["first"], row["second"]): row for row in self.cross_table()}
        names = self.plan.agents
        return [("win rate of", *names), *((one, *(_cell(cells.get((one, two))) for two in names)) for one in names)]

    def ratings(self) -> list[Rating]:
        """Return the agents' Elo ratings relative to the plan's anchor, strongest first."""
        number = {name: i for i, name in enumerate(self.plan.agents)}
        scores = {(number[one], number[two]): result.won_by_deal() for (one, two), result in self.matches()}
        return rate(self.plan.agents, scores, self.plan.anchor)

    def cycles(self) -> list[tuple[str, str, str]]:
        """Return triples in which each agent beats the next and the last beats the first, significantly at 5%."""
        names = self.plan.agents
        low = np.zeros((len(names), len(names)))
        for row in self.cross_table():
            low[names.index(row["first"]), names.index(row["second"])] = row["ci"][0]
        return cycles(names, low)


def _cell(row: dict[str, Any] | None) -> str:
    return "-" if row is None else f"{row['win_rate']:.3f} ± {(row['ci'][1] - row['ci'][0]) / 2:.3f}"


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "ci": list(estimate.ci)}


def first_movers_share(alone: MatchResult) -> Estimate:
    """Return how often the first mover wins when an agent plays itself."""
    return alone.sums.share(STARTER)


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
    store: Store | Path | str | None = None,
    name: str | None = None,
    backend: Backend | None = None,
    progress: Progress | None = None,
    forecast: Forecast | None = None,
    keep_partial: bool = False,
    keep_games: int = KEEP_GAMES,
    keep_hands: int = 0,
) -> Standings:
    """Play *plan*, or what *store* lacks of it, and return the standings.

    With *keep_partial* an interrupt returns the standings so far. The store keeps the records of the first
    *keep_hands* games of every pairing and replays chunks that lack them. The results include single games as long as
    the tournament has at most *keep_games*. *forecast* receives the expected seconds before a long tournament.

    Raises:
        UnknownNameError: No agent has this name. Nothing was played.
        AgentError: An agent cannot play. Nothing was played.
    """
    kept = opened(store)
    if keep_hands < 0 or (keep_hands and kept is None):
        raise OptionError(f"keep_hands is {keep_hands}; hands are kept in a store, and the number is not negative.")
    plan.check_agents()
    plan = plan.with_key(kept, name)
    tasks = plan.tasks()
    run = None if kept is None else plan.open(kept, name)
    compile_together(plan.game, plan.agents)
    totals, complete = play_plan(
        plan,
        tasks,
        backend or local(),
        run=run,
        keep_games=plan.games_in_all <= keep_games,
        keep_deals=True,
        keep_hands=keep_hands,
        progress=progress,
        forecast=forecast,
        keep_partial=keep_partial,
    )
    return _standings(plan, totals, complete=complete)


def standings_of(
    plan: Plan, known: Iterable[tuple[ChunkKey, Played]], *, complete: bool = True, keep_games: bool = True
) -> Standings:
    """Return the standings from chunks that were played in any order; with *keep_games* they have every game."""
    totals: dict[Lineup, LineupTotal] = {}
    for key, part in known:
        totals.setdefault(key.lineup, LineupTotal(keep_games=keep_games, keep_deals=True)).add(key.start, part)
    return _standings(plan, totals, complete=complete)


def _standings(plan: Plan, totals: Mapping[Lineup, LineupTotal], *, complete: bool) -> Standings:
    results = {
        lineup: result_of(plan.game, plan.rules, lineup, plan.root, totals[lineup])
        for lineup in plan.lineups()
        if lineup in totals
    }
    return Standings(plan, results, complete)


# --- Tournaments in a store -----------------------------------------------------------------------------------------


def find_tournament(store: Store, which: str | None) -> Run:
    """Return the tournament with this name, number or beginning of its key; by default the latest.

    Raises:
        OptionError: The run is not a tournament.
        StoreError: There is no such run.
    """
    if which is not None:
        run = store.run(which)
        if (kind := run.about["kind"]) != Plan.KIND:
            raise OptionError(f"{store.path}: run {which!r} is a {kind}, not a tournament.")
        return run
    known = [about["id"] for about in store.runs() if about["kind"] == Plan.KIND]
    if not known:
        raise StoreError(f"{store.path} has no tournament.")
    return store.run(known[-1])


def read_tournament(run: Run, anchor: str | None = None) -> Standings:
    """Return the standings of a run as far as it was played. Its agents need not exist any more.

    Raises:
        StoreError: No game is finished yet, or a chunk is damaged.
    """
    about = run.about
    plan = Plan.from_dict(about["config"], anchor)
    lineups = set(plan.lineups())
    keys = [key for key in run.chunk_keys() if key.lineup in lineups]
    standings = standings_of(plan, run.chunks(keys, plan.dtype))
    if not standings.matches():
        raise StoreError(f"{run.store.path}: the run {about['name'] or run.key} has no games yet.")
    return Standings(plan, standings.results, complete=standings.games == plan.games_in_all)
