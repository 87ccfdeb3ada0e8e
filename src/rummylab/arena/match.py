"""Matches on duplicate deals: the same cards from every seat.

Two agents play each deal twice with the seats swapped; three or more play it in every circular order from every seat
(:mod:`rummylab.arena.seating`). Deals are independent, the games of one deal are not: intervals are clustered by deal.
"""

from __future__ import annotations

import itertools
import logging
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.agents.register import guarded_agent
from rummylab.arena.backends import Backend, ThisProcess, local
from rummylab.arena.chunks import Forecast, Progress, play_plan
from rummylab.arena.first_start import compile_together
from rummylab.arena.jobs import Chunk, CompiledJob, CopiedJob, Played, TableJob, job_for, play_task, rules_for
from rummylab.arena.latency import Latency
from rummylab.arena.markdown import percent_words, signed_words, told_apart
from rummylab.arena.outside import Fault, is_outside, player
from rummylab.arena.plan import CHUNK, TABLE_CHUNK, MatchPlan, chunks_of, deals_in_a_chunk
from rummylab.arena.seating import games_per_deal, predecessors
from rummylab.arena.sequential import Sprt
from rummylab.arena.statistics import Estimate, Floats, ratio_of
from rummylab.arena.store import Store, opened
from rummylab.arena.sums import AFTER, FIRST, SECOND, MatchSums, pair_number, sums_over
from rummylab.arena.totals import LineupTotal
from rummylab.cards.rng import is_key
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.options import Options
from rummylab.engine.rows import Rows
from rummylab.engine.streams import new_key, parse_key, seed_fields
from rummylab.errors import AgentError, OptionError, check_type
from rummylab.games.lookup import rules_of
from rummylab.games.registry import game

log = logging.getLogger(__name__)
Seated = str | CompiledAgent | Agent
Player = Seated | type[Agent]
KEEP_GAMES = 100_000
"""A match of at most this many games keeps their tallies, unless told otherwise: 14 MB in Gin."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match. A *number* is that of an agent, from 0; without one, a figure is the first agent's."""

    game: str
    rules: str
    agents: tuple[str, ...]
    seed: int
    """What the deals came from: the typed seed, or the secret key where outside agents sat."""
    rows: Rows | None = field(repr=False)
    """One tally for each game, if they were kept."""
    seconds: float
    """Wall-clock time of the match."""
    faults: tuple[Fault, ...] = ()
    busy: float = 0.0
    """Seconds of play, summed over all workers."""
    latency: dict[int, Latency] = field(default_factory=dict)
    sprt: Sprt | None = None
    complete: bool = True
    added_up: MatchSums | None = None
    """Sums over all games; None: they are computed from *rows*."""
    won: Any = None
    """What the first agent won of each deal, in units of `MatchSums.share_unit`, if that was kept."""
    offenders: tuple[int, ...] = ()
    """The number of the agent behind each of *faults*."""

    def __repr__(self) -> str:
        lines = [f"<MatchResult {self.game} {self.rules}: {' vs '.join(self.labels)}, {self.games} games"]
        for number, label in enumerate(self.labels[: 1 if self.seats == 2 else None]):
            won, points = percent_words(self.win_rate_of(number)), signed_words(self.points_per_hand_of(number))
            lines.append(f"  {label}: wins {won}, {points} points per hand")
        forfeited = {label: n for label, n in self.forfeits().items() if n}
        lines += [f"  games forfeited: {forfeited}"] if forfeited else []
        return "\n".join([*lines, "  stopped early"] if not self.complete else lines) + ">"

    @property
    def tallies(self) -> Rows:
        """What was counted in each game.

        Raises:
            OptionError: The match was too long for its games to be kept.
        """
        if self.rows is None:
            raise OptionError(
                f"The games of this match were not kept. Play it with keep_games={self.games} to have them."
            )
        return self.rows

    @cached_property
    def sums(self) -> MatchSums:
        """Sums over all games, which the statistics follow from."""
        return sums_over(self.tallies) if self.added_up is None else self.added_up

    @property
    def games(self) -> int:
        """Games played."""
        return self.sums.games if self.rows is None else len(self.rows)

    @property
    def seats(self) -> int:
        """Number of agents, and of seats at the table."""
        return len(self.agents)

    @property
    def hands(self) -> int:
        """Hands played in all games."""
        return int(self.sums["hands"])

    @property
    def decisions(self) -> int:
        """Decisions made in all games, by all agents."""
        return int(self.sums["decisions"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The agents' names; agents of the same name are numbered."""
        return told_apart(self.agents)

    def by_deal(self, values: Any) -> Floats:
        """Return one row for each deal of *values*, which has one number for each game."""
        return np.asarray(values, np.float64).reshape(-1, self.sums.per_deal)

    def wins(self, number: int = 0) -> Floats:
        """Return the share of each game that an agent won: 1, 0, or its part of a game that nobody won."""
        winner = self.tallies["winner"]
        nobody = 1 / self.seats if not self.faults else self._share_without_winner(number)
        return np.asarray(np.where(winner < 0, self._split(number, nobody), winner == number), np.float64)

    def _split(self, number: int, nobody: Any) -> Any:
        """Return an agent's share of games without one winner: of the pot if it was split, otherwise *nobody*."""
        if "shares" not in (self.tallies.dtype.names or ()):
            return nobody
        shares = np.asarray(self.tallies["shares"], np.float64)
        in_all = shares.sum(axis=1)
        is_split = (in_all > 0) & (self.tallies["illegal"] == 0)
        return np.where(is_split, shares[:, number] / np.maximum(in_all, 1), nobody)

    def _share_without_winner(self, number: int) -> Floats:
        """Return an agent's share of games without a winner; a forfeited game is shared by the other agents."""
        offender = self.tallies["illegal"]
        forfeited = offender == number + 1
        return np.where(offender == 0, 1 / self.seats, np.where(forfeited, 0.0, 1 / (self.seats - 1)))

    def of_deals(self, number: int = 0) -> tuple[Floats, Floats, Floats]:
        """Return for every deal the share of games that an agent won, its gain in points, and the number of hands."""
        hands = self.by_deal(self.tallies["hands"]).sum(axis=1)
        return self.by_deal(self.wins(number)).mean(axis=1), self.by_deal(self._gain(number)).sum(axis=1), hands

    def won_by_deal(self) -> Floats:
        """Return the share of its games that the first agent won, deal by deal."""
        if self.won is None:
            return self.of_deals()[0]
        return np.asarray(self.won / (self.sums.share_unit * self.sums.per_deal))

    def win_rate_of(self, number: int) -> Estimate:
        """Return the share of games won; a game that nobody won is split."""
        return self.sums.win_rate(number)

    @property
    def has_places(self) -> bool:
        """Whether every game ends with a place for each agent, as in a pool: it is a match of several deals."""
        return bool(self.sums["long"])

    def place_of(self, number: int) -> Estimate:
        """Return the mean place in matches of several deals: 1 for the winner; agents who share a place all have it."""
        return self.sums.mean_of_games("places", number)

    def gain_per_match_of(self, number: int) -> Estimate:
        """Return the points or chips that an agent wins in a match of several deals less those it loses."""
        return self.sums.mean_of_games("gains", number)

    def _gain(self, number: int) -> Floats:
        if "gains" in (self.tallies.dtype.names or ()):
            return np.asarray(self.tallies["gains"][:, number], np.float64)
        scores = np.asarray(self.tallies["scores"], np.float64)
        others = (scores.sum(axis=1) - scores[:, number]) / (self.seats - 1)
        return np.asarray(scores[:, number] - others)

    def points_per_hand_of(self, number: int) -> Estimate:
        """Return the points scored minus the mean of the others, per hand; where losers pay, the points gained."""
        pairs = None if self.rows is None else lambda: self.of_deals(number)[1:]
        return ratio_of(self.sums.points(number), self.sums.gain_unit, pairs)

    @cached_property
    def win_rate(self) -> Estimate:
        """The first agent's share of the games won, with its 95% interval."""
        return self.win_rate_of(0)

    @cached_property
    def points_per_hand(self) -> Estimate:
        """The first agent's gain in a hand, with its 95% interval."""
        return self.points_per_hand_of(0)

    def variance_reduction(self) -> dict[str, float]:
        """Return the variance on independent deals over that on duplicate deals; above 1, duplicate deals help."""
        return self.sums.variance_reduction()

    def moving_first(self, number: int = 0) -> Estimate:
        """Return the share of games won among those that the agent started."""
        return self.sums.share(FIRST, number)

    def moving_second(self, number: int = 0) -> Estimate:
        """Return the share of games won among those that another agent started."""
        return self.sums.share(SECOND, number)

    def win_rate_after(self, number: int, other: int) -> Estimate:
        """Return the share of games won among those in which *other* plays just before the agent."""
        return self.sums.share(AFTER, pair_number(self.seats, number, other))

    def points_per_hand_after(self, number: int, other: int) -> Estimate:
        """Return the points per hand in the games in which *other* plays just before the agent."""
        pairs = None if self.rows is None else lambda: self._points_after(number, other)
        return ratio_of(self.sums.points_after(number, other), self.sums.gain_unit, pairs)

    def neighbor_effect(self, number: int, other: int) -> Estimate:
        """Return the points per hand after *other* minus those in all games, compared deal by deal."""
        return self.sums.effect_after(number, other)

    def _points_after(self, number: int, other: int) -> tuple[Floats, Floats]:
        """Return gain and hands, deal by deal, of the games in which *other* plays just before the agent."""
        chosen = predecessors(self.seats, self.games, 0, self.sums.all_orders)[:, number] == other
        hands = self.by_deal(self.tallies["hands"] * chosen).sum(axis=1)
        return self.by_deal(self._gain(number) * chosen).sum(axis=1)[hands > 0], hands[hands > 0]

    def outcomes(self) -> dict[str, float]:
        """Return the share of hands that ended in each way."""
        return self._shares(self.sums["outcomes"])

    def won_by(self, number: int = 0) -> dict[str, float]:
        """Return the share of hands that an agent won in each way."""
        return self._shares(self.sums["won_by"][number])

    def _shares(self, counts: Any) -> dict[str, float]:
        names = game(self.game).batch.OUTCOMES
        return {name: float(n) / self.hands for name, n in zip(names, counts, strict=True) if n}

    @property
    def turns_per_hand(self) -> float | None:
        """The mean length of a hand in turns, if it was counted."""
        turns = self.sums["turns"]
        return int(turns) / self.hands if turns else None

    def decision_time(self) -> dict[str, Any]:
        """Return the time per decision: the mean of the match, and by agent if it was measured."""
        whole = {"mean_us": 1e6 * self.busy / max(1, self.decisions)}
        return whole | {self.labels[k]: found.to_dict() for k, found in self.latency.items() if found.n}

    def forfeits(self) -> dict[str, int]:
        """Return the number of games that each agent lost by a crash, a time-out or an illegal move."""
        return {label: int(n) for label, n in zip(self.labels, self.sums["forfeits"], strict=True)}

    def first_faults(self, most: int = 20) -> list[dict[str, Any]]:
        """Return the first faults as plain values, the agents named as in the rest of the report."""
        found = zip(self.faults[:most], self.offenders[:most], strict=True)
        return [fault._asdict() | {"agent": self.labels[offender]} for fault, offender in found]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        several = {} if self.seats == 2 else {"neighbors": self.neighbors()}
        sequential = {} if self.sprt is None else {"sprt": self.sprt.to_dict()}
        return {
            "game": self.game,
            "rules": self.rules,
            "agents": list(self.agents),
            "games": self.games,
            **seed_fields(self.seed),
            "complete": self.complete,
            "win_rate": self.win_rate.value,
            "win_rate_ci": list(self.win_rate.ci),
            "points_per_hand": self.points_per_hand.value,
            "points_per_hand_ci": list(self.points_per_hand.ci),
            "hands": self.hands,
            "hands_per_game": self.hands / self.games,
            "turns_per_hand": self.turns_per_hand,
            "decisions": self.decisions,
            "outcomes": self.outcomes(),
            "by_agent": [self._figures_of(number) for number in range(self.seats)],
            "won_by": {label: self.won_by(number) for number, label in enumerate(self.labels)},
            "moving_first": self.moving_first().value,
            "moving_second": self.moving_second().value,
            "variance_reduction": self.variance_reduction(),
            "decision_time": self.decision_time(),
            "forfeits": self.forfeits(),
            "faults": self.first_faults(),
            "hands_per_s": self.hands / self.seconds,
            "seconds": self.seconds,
            **several,
            **sequential,
        }

    def _figures_of(self, number: int) -> dict[str, Any]:
        known = {"agent": self.labels[number]} | _rates(self.win_rate_of(number), self.points_per_hand_of(number))
        if not self.has_places:
            return known
        place, gain = self.place_of(number), self.gain_per_match_of(number)
        return known | {
            "place": place.value,
            "place_ci": list(place.ci),
            "gain_per_match": gain.value,
            "gain_per_match_ci": list(gain.ci),
            "rejoins_per_match": int(self.sums["rejoins"][number]) / self.games,
        }

    def neighbors(self) -> list[dict[str, Any]]:
        """Return how each agent does after each other one, who plays just before it; empty for two agents.

        Where orders are sampled and deals are few, pairs that never sat like this are left out.
        """
        rows = []
        for number, other in itertools.permutations(range(self.seats if self.seats > 2 else 0), 2):
            if not self.sums.points_after(number, other).n:
                continue
            effect = self.neighbor_effect(number, other)
            rows.append(
                {"agent": self.labels[number], "after": self.labels[other]}
                | _rates(self.win_rate_after(number, other), self.points_per_hand_after(number, other))
                | {"effect": effect.value, "effect_ci": list(effect.ci)}
            )
        return rows


def _rates(win: Estimate, points: Estimate) -> dict[str, Any]:
    return {
        "win_rate": win.value,
        "win_rate_ci": list(win.ci),
        "points_per_hand": points.value,
        "points_per_hand_ci": list(points.ci),
    }


def collect(
    game_name: str,
    rules: str,
    agents: Sequence[str],
    seed: int,
    parts: Sequence[Played],
    *,
    all_orders: bool = False,
    **more: Any,
) -> MatchResult:
    """Return the result of a match from its chunks of tallies, in the order given."""
    total, start = LineupTotal(keep_games=True, all_orders=all_orders), 0
    for part in parts:
        total.add(start, part)
        start += len(part.rows) // games_per_deal(len(agents), all_orders)
    return result_of(game_name, rules, agents, seed, total, **more)


def result_of(
    game_name: str, rules: str, agents: Sequence[str], seed: int, total: LineupTotal, **more: Any
) -> MatchResult:
    """Return the result of a match whose chunks are in *total*."""
    return MatchResult(
        game_name,
        rules,
        tuple(agents),
        seed,
        total.rows(),
        faults=total.faults,
        busy=total.busy,
        latency=total.latency,
        added_up=total.sums,
        won=total.won(),
        offenders=total.offenders,
        **({"seconds": 1.0} | more),
    )


def match(
    game_name: str,
    *players: Player,
    games: int = 1000,
    seed: int = 0,
    key: str | None = None,
    rules: str | Options | None = None,
    workers: int | None = None,
    backend: Backend | None = None,
    sprt: Sprt | None = None,
    seconds_a_move: float = 10.0,
    progress: Progress | None = None,
    forecast: Forecast | None = None,
    keep_partial: bool = False,
    keep_games: int = KEEP_GAMES,
    store: Store | Path | str | None = None,
    name: str | None = None,
    all_orders: bool = False,
) -> MatchResult:
    """Play *games* games, rounded up to whole deals, and return the result.

    The same seed gives the same result for any number of *workers* (default: one per core). Players are names of
    registered agents, outside agents (``file.py:Class``, ``module:Class``, ``program:command``, ``engine:command``),
    compiled agents, or objects with ``sit`` and ``act`` or classes of such objects, which play at the slower Python
    table. With more than one worker, copies of the objects play, and what they remember is lost. With *sprt* the match
    ends as soon as the test has decided, after *games* games at the latest. With *keep_partial* an interrupt returns
    what was played. *forecast* is called before a long match with the seconds that it will take.

    Memory does not grow with the number of games. The result has the tallies of a match of at most *keep_games* games;
    of a longer one it has what the statistics need.

    *rules* is a preset, text such as ``platform(decks=2)``, or an options object; by default the game's first preset.

    With *store*, a results file, every finished chunk is kept: the same match started again plays only what is missing.
    *name* names the run in that file. All players must then be given by name.

    Two agents swap seats, three or four sit in every circular order. Five and six sit in six of the orders, which are
    drawn for each deal, or with *all_orders* in all 24 or 120, each from every seat.

    Outside agents could guess a typed seed, so their deals come from a secret key that is drawn at the start. The
    result has it as ``seed``, and *key* (its 32 digits) repeats the match.

    Raises:
        OptionError: If the game cannot be played by so many agents, or an option is out of range.
        UnknownNameError: If there is no such game or agent.
        AgentError: If an agent cannot be loaded, or one of ours makes an illegal move.

    >>> match("gin", "simple", "random", games=20, seed=1).win_rate.value > 0.5
    True
    """
    check_type(game_name, str, "the name of a game")
    check_type(games, int, "games")
    check_type(rules, (str, Options, type(None)), "rules", "a preset, text such as 'platform(decks=2)' or options")
    if isinstance(rules, Options):
        rules_of(game_name, rules)  # refuses the options of another game
    seated = tuple(map(_made, players))
    names = [player for player in seated if isinstance(player, str)]
    kept = opened(store)
    if kept is not None and len(names) < len(players):
        raise OptionError("A match with a store needs players given by name, so that it can be resumed.")
    plan = MatchPlan(
        game=game_name,
        agents=tuple(map(_name, seated)),
        games=games,
        seed=seed,
        key=None if key is None else parse_key(key),
        preset=None if rules is None else str(rules),
        seconds_a_move=seconds_a_move,
        sprt=None if sprt is None else (sprt.low, sprt.high),
        alpha=0.05 if sprt is None else sprt.alpha,
        beta=0.05 if sprt is None else sprt.beta,
        all_orders=all_orders,
    )
    compile_together(game_name, names)
    if len(names) == len(players):
        plan = plan.with_key(kept, name)
        work: Any = play_task
        tasks: Sequence[Any] = plan.tasks()
        place = backend or local(workers)
    else:
        plan = replace(plan, key=_secret(plan, names))
        work, tasks = _object_tasks(plan, seated)
        if backend is None and workers != 1 and len(tasks) > 1:
            work = _in_processes(work)
        can_run_anywhere = work.releases_gil or isinstance(work, CopiedJob)  # other processes do not have the objects
        place = backend or (local(workers) if can_run_anywhere else ThisProcess())
    run = None if kept is None else plan.open(kept, name)
    began = time.perf_counter()
    totals, complete = play_plan(
        plan,
        tasks,
        place,
        work=work,
        run=run,
        keep_games=plan.games_in_all <= keep_games,
        test=sprt,
        progress=progress,
        forecast=forecast,
        keep_partial=keep_partial,
        ordered=True,
    )
    more = {"seconds": time.perf_counter() - began, "sprt": sprt, "complete": complete}
    return result_of(game_name, plan.rules, plan.agents, plan.root, totals[plan.agents], **more)


def _made(given: Player) -> Seated:
    """Return a player, or an object of the class that was given."""
    if not isinstance(given, type):
        return given
    try:
        return given()
    except TypeError as error:
        raise AgentError(f"{given.__name__} cannot be created without arguments ({error}). Pass an object.") from None


def _in_processes(job: Any) -> Any:
    """Return *job* for other processes: at the Python table, with copies of its players, if they can be copied."""
    if not isinstance(job, TableJob):
        return job
    try:
        return CopiedJob(job)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        log.warning("The players cannot be copied to other processes (%s); one core plays.", error)
        return job


def _name(given: Seated) -> str:
    if isinstance(given, str):
        return given
    if not isinstance(getattr(given, "name", None), str) or not hasattr(given, "act"):
        raise AgentError(f"{given!r} is not an agent. Pass a name, a compiled agent, or an object with sit and act.")
    return given.name


def _secret(plan: MatchPlan, names: Sequence[str]) -> int | None:
    """Return the key for a match between objects and named agents: a new one if any of the names is from outside."""
    has_stranger = any(is_outside(plan.game, name) for name in names)
    return new_key() if has_stranger and not is_key(plan.root) else plan.key


def _object_tasks(plan: MatchPlan, players: Sequence[Seated]) -> tuple[Any, Sequence[Chunk]]:
    """Return a job for players of which some are objects, and the chunks to play."""
    seats = len(players)
    rules = rules_for(plan.game, plan.preset, seats)
    given = [
        player(plan.game, p, plan.seconds_a_move) if isinstance(p, str) else _guarded(plan.game, p) for p in players
    ]
    guests = [i for i, p in enumerate(players) if isinstance(p, str) and is_outside(plan.game, p)]
    job = job_for(rules, given, plan.root, guests, plan.all_orders)
    size = deals_in_a_chunk(CHUNK if isinstance(job, CompiledJob) else TABLE_CHUNK, job.per_deal)
    return job, chunks_of(plan.games, job.per_deal, size)


def _guarded(game_name: str, given: CompiledAgent | Agent) -> Agent:
    return guarded_agent(game_name, given) if isinstance(given, CompiledAgent) else given
