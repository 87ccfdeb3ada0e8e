"""Play chunks of deals between given players, in one kernel call or at the Python table.

Every deal is played in all its seatings (:mod:`rummylab.arena.seating`). A job is called with a chunk and returns its
results, with the games of a deal next to each other.
"""

from __future__ import annotations

import io
import pickle
import sys
import time
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena.faults import Fault, OutsideError
from rummylab.arena.guests import CompiledGuest, play_chunk
from rummylab.arena.keys import ChunkKey, GameKey
from rummylab.arena.latency import Latency
from rummylab.arena.outside import Outsider, is_outside, player
from rummylab.arena.seating import Seating, games_per_deal, seatings, seatings_of
from rummylab.arena.sums import MatchSums, Smalls, sums_of, won_by_deal
from rummylab.cards.rng import root_of
from rummylab.engine.agent import STOPPED, STOPPED_WORDS, Agent, CompiledAgent
from rummylab.engine.options import parse_call
from rummylab.engine.records import Record
from rummylab.engine.rows import MAX_HANDS, Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import AgentError, IllegalActionError, NotationError, OptionError
from rummylab.games.lookup import rules_of
from rummylab.games.registry import game

WITHDRAWN_AFTER = 5
"""Consecutive faults after which an outside agent is not asked again in this chunk."""
Reasons = Mapping[int, tuple[str, str]]
"""Kind and details of forfeits, by the place of the game in its chunk."""


class Chunk(NamedTuple):
    """Consecutive deals."""

    start: int
    deals: int


@dataclass(frozen=True, slots=True)
class Played:
    """The results of a chunk. Only *rows* and *faults* depend on the configuration alone."""

    rows: Rows
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0
    latency: dict[int, Latency] = field(default_factory=dict)
    """Decision times by number of the player; empty if decisions are not timed one by one."""
    hands: tuple[tuple[GameKey, str], ...] = ()
    """The records of the first games, if they were asked for."""
    sums: MatchSums | None = None
    """What the statistics of a match need, if it was added up already; *rows* can then be empty."""
    won: Smalls | None = None
    """With *sums*: what the first agent won of each deal, in units of `MatchSums.share_unit`."""
    offenders: tuple[int, ...] = ()
    """With *sums*: the numbers of the agents behind *faults*."""

    def added_up(self, first_deal: int, *, keep: bool, all_orders: bool = False) -> Played:
        """Return these tallies of games with their sums, and without the tallies themselves unless *keep*."""
        rows, illegal = self.rows, self.rows["illegal"]
        return replace(
            self,
            rows=rows if keep else np.zeros(0, rows.dtype),
            sums=sums_of(rows, first_deal, all_orders),
            won=won_by_deal(rows, all_orders),
            offenders=tuple((illegal[illegal > 0] - 1).tolist()) if self.faults else (),
        )


class CompiledJob:
    """Deals between compiled players in one kernel call."""

    def __init__(
        self, rules: Rules, players: Any, seed: int, guests: Collection[int] = (), all_orders: bool = False
    ) -> None:
        self.rules, self.players, self.seed, self.guests = rules, players, seed, guests
        self.all_orders, self.per_deal = all_orders, games_per_deal(rules.seats, all_orders)
        self.batch = game(rules.name).batch
        self.releases_gil = not any(isinstance(player, CompiledGuest) for player in players)

    def __call__(self, chunk: Chunk, record: int = 0) -> Played:
        """Play a chunk. The first *record* games are played again at the Python table, to record them."""
        start, n = chunk
        seats = self.rules.seats
        tallies = np.zeros(self.per_deal * n, tally_of(self.rules.name, seats))
        began = time.thread_time()  # of this thread, whatever else the machine does
        reasons = self._play(start, tallies)
        seconds = time.thread_time() - began
        faults = self._faults(start, tallies, reasons)
        hands = tuple(self._recorded(start, i, tallies[i]) for i in range(min(record, len(tallies))))
        return Played(tallies, faults, seconds, hands=hands)

    def _play(self, start: int, tallies: Rows) -> Reasons:
        """Play the games; return the reasons of forfeits other than illegal moves."""
        if any(isinstance(player, CompiledGuest) for player in self.players):
            return play_chunk(self.rules, self.players, root_of(self.seed), start, tallies, self.all_orders)
        seated = seatings_of(self.rules.seats, start, len(tallies) // self.per_deal, self.all_orders)
        acts, params = [player.kernel for player in self.players], [player.params for player in self.players]
        self.batch.play_seatings(self.rules.new_rows(1), root_of(self.seed), start, seated, acts, params, tallies)
        return {}

    def _recorded(self, start: int, i: int, tally: Any) -> tuple[GameKey, str]:
        """Return the record of the game behind *tally*, played with the same cards and random numbers."""
        deal, place = start + i // self.per_deal, i % self.per_deal
        players = [copy(player) for player in self.players]  # at a table they keep notes, and threads share ours
        table = TableJob(self.rules, players, self.seed, self.guests, self.all_orders)
        again = np.zeros(1, tally.dtype)
        table.play(deal, place, again[0])
        if any((again[0][field] != tally[field]).any() for field in ("scores", "hands", "decisions", "starter")):
            names = " against ".join(player.name for player in self.players)
            raise AgentError(
                f"{names}, deal {deal}, seating {place}: another game at"
                " the Python table than in the batch; an agent depends on more than it is shown"
            )
        return table.record(deal, place)

    def _faults(self, start: int, tallies: Rows, reasons: Reasons) -> tuple[Fault, ...]:
        """Return the faults of guests, which cost them the game; raise `AgentError` for those of our own agents."""
        faults = []
        for i in np.flatnonzero(tallies["illegal"]):
            offender, words = int(tallies["illegal"][i]) - 1, complaint(self.rules, self.players, tallies[i])
            if offender not in self.guests:
                raise AgentError(words)
            seats = self.rules.seats
            tallies["winner"][i] = 1 - offender if seats == 2 else -1
            deal, place = start + int(i) // self.per_deal, int(i) % self.per_deal
            kind = "crash" if tallies["illegal_code"][i] == STOPPED else "illegal move"
            faults.append(Fault(self.players[offender].name, deal, place, *reasons.get(int(i), (kind, words))))
        return tuple(faults)


def complaint(rules: Rules, players: Any, tally: Any) -> str:
    """Return which agent made the illegal move noted in *tally*, or stopped with an error, in words."""
    name = players[int(tally["illegal"]) - 1].name
    code = int(tally["illegal_code"])
    phase = game(rules.name).batch.PHASES[int(tally["illegal_phase"])]
    if code == STOPPED:
        return f"agent {name!r} in the phase {phase!r} {STOPPED_WORDS}"
    return f"agent {name!r} made an illegal move in the phase {phase!r}: code {code}"


@cache
def tally_of(game_name: str, seats: int) -> np.dtype[np.void]:
    """Return the record of one game between *seats* agents."""
    found: np.dtype[np.void] = game(game_name).batch.tally_for(seats)
    return found


class TableJob:
    """Deals at the Python table: for players that are not compiled."""

    releases_gil = False

    def __init__(
        self, rules: Rules, players: Sequence[Agent], seed: int, guests: Collection[int] = (), all_orders: bool = False
    ) -> None:
        self.rules, self.players, self.seed, self.guests = rules, tuple(players), seed, guests
        self.all_orders, self.per_deal = all_orders, games_per_deal(rules.seats, all_orders)
        self.batch = game(rules.name).batch
        self.dtype = tally_of(rules.name, rules.seats)
        self.latency = {number: Latency() for number in range(rules.seats)}
        self.states: list[State] = []
        """The hands of the game played last."""
        self._seated: list[Agent] = []

    def __call__(self, chunk: Chunk, record: int = 0) -> Played:
        """Play a chunk and record its first *record* games."""
        start, n = chunk
        seats, per_deal = self.rules.seats, self.per_deal
        hands: list[tuple[GameKey, str]] = []
        tallies = np.zeros(per_deal * n, self.dtype)
        self.latency = {number: Latency() for number in range(seats)}
        faults: list[Fault] = []
        in_a_row = [0] * seats
        began = time.perf_counter()
        for i in self._order(len(tallies), per_deal):
            withdrawn = next((k for k in range(seats) if in_a_row[k] >= WITHDRAWN_AFTER), None)
            fault = self.play(start + i // per_deal, i % per_deal, tallies[i], withdrawn)
            if i < record and withdrawn is None:
                hands.append(self.record(start + i // per_deal, i % per_deal))
            for k in range(seats):
                in_a_row[k] = in_a_row[k] + 1 if fault is not None and tallies[i]["illegal"] == k + 1 else 0
            if fault is not None:
                faults.append(fault)
        return Played(tallies, tuple(faults), time.perf_counter() - began, self.latency, tuple(hands))

    def _order(self, games: int, per_deal: int) -> list[int]:
        """Return the games in the order of play: by seating for outside agents, which have a process per seating."""
        by_seating = any(isinstance(player, Outsider | CompiledGuest) for player in self.players)
        return sorted(range(games), key=lambda i: i % per_deal if by_seating else 0)

    def _seating(self, deal: int, place: int) -> Seating:
        """Return seating number *place* of *deal*."""
        return seatings(self.rules.seats, deal, self.all_orders)[place]

    def record(self, deal: int, place: int) -> tuple[GameKey, str]:
        """Return the record of the game just played, under its key."""
        lineup = tuple(player.name for player in self.players)
        names = [lineup[number] for number in self._seating(deal, place)]
        text = "".join(Record.of(state, names, self.seed).to_text() for state in self.states)
        return GameKey(lineup, deal, place), text

    def play(self, deal: int, place: int, tally: Any, withdrawn: int | None = None) -> Fault | None:
        """Play one game in seating number *place* of the deal; return the fault that ended it, if any."""
        seats = self.rules.seats
        number_at = list(self._seating(deal, place))  # which player sits where
        apart = Outsider | CompiledGuest
        self._seated = [player.in_seating(place) if isinstance(player, apart) else player for player in self.players]
        tally["winner"] = -1
        if withdrawn is not None:
            tally["hands"] = 1
            words = f"not asked after {WITHDRAWN_AFTER} faults in a row"
            fault: tuple[int, str, str] | None = (withdrawn, "withdrawn", words)
        else:
            fault = self._play_out(deal, number_at, tally)
        if fault is None:
            return None
        offender, kind, words = fault
        tally["illegal"] = offender + 1
        tally["winner"] = 1 - offender if seats == 2 else -1
        return Fault(self.players[offender].name, deal, place, kind, words)

    def _play_out(self, deal: int, number_at: list[int], tally: Any) -> tuple[int, str, str] | None:
        rules = self.rules
        rngs = [player_stream(self.seed, deal, number) for number in range(rules.seats)]
        state = State(rules, rules.new_rows(1), rules.shuffled(self.seed, deal), rules.first_starter(self.seed, deal))
        tally["starter"] = number_at[state.starter]
        self.states = []
        while True:
            self.states.append(state)
            for seat, number in enumerate(number_at):
                fault = self._sit(number, Seat(seat), rngs[number])
                if fault is not None:
                    tally["hands"] += 1
                    return fault
            fault = self._hand(state, number_at)
            self._count(state, number_at, tally)
            if fault is not None:
                return fault
            if state.match_is_over or state.hand_no + 1 == MAX_HANDS:
                tally["winner"] = _winner(state, number_at, int(tally["hands"]))
                return None
            state = state.next_hand(rules.shuffled(self.seed, deal, state.hand_no + 1))

    def _sit(self, number: int, seat: Seat, rng: np.random.Generator) -> tuple[int, str, str] | None:
        try:
            self._seated[number].sit(self.rules, seat, rng)
        except OutsideError as error:
            return number, error.kind, str(error)
        return None

    def _hand(self, state: State, number_at: list[int]) -> tuple[int, str, str] | None:
        """Play the hand to its end, or to the first fault of an outside player."""
        while (seat := state.actor) is not None:
            number = number_at[seat]
            player = self._seated[number]
            seen = state.observe(seat)
            began = time.perf_counter_ns()
            try:
                action = player.act(seen)
                self.latency[number].add(time.perf_counter_ns() - began)
                state.push(action)
            except OutsideError as error:
                return number, error.kind, str(error)
            except (IllegalActionError, NotationError) as error:
                if number not in self.guests and not isinstance(player, Outsider):
                    raise AgentError(f"agent {player.name!r} made an illegal move: {error}") from None
                return number, "illegal move", str(error)
        return None

    def _count(self, state: State, number_at: list[int], tally: Any) -> None:
        tally["hands"] += 1
        tally["decisions"] += state.n_moves
        scores, row = state.scores, state.rows()
        for seat, number in enumerate(number_at):
            tally["scores"][number] = scores[seat]
            for name, value in state.rules.match_numbers(row, Seat(seat)).items():
                tally[name][number] = value
        if state.actor is not None:
            return
        outcome = self.batch.OUTCOMES.index(state.result["outcome"])
        tally["outcomes"][outcome] += 1
        if state.result["winner"] is not None:
            tally["won_by"][number_at[state.result["winner"]], outcome] += 1


def _winner(state: State, number_at: list[int], hands: int) -> int:
    ahead = [number_at[seat] for seat in state.match_winners]
    if len(ahead) != 1 and hands == 1 and not state.standing and state.result["winner"] is not None:
        return number_at[int(state.result["winner"])]  # a single hand can be won without points
    return ahead[0] if len(ahead) == 1 else -1


class CopiedJob:
    """A job whose players are objects, for other processes: every chunk is played by fresh copies of them.

    So the result does not depend on who played which chunk, and what the copies note down is lost.
    """

    releases_gil = False

    def __init__(self, job: TableJob) -> None:
        """Copy the players; whatever keeps one from being copied to another process is raised."""
        from cloudpickle import Pickler

        kernels = {type(player.kernel): _by_name for player in job.players if isinstance(player, CompiledAgent)}

        class Copier(Pickler):  # type: ignore[misc]
            dispatch_table = ChainMap(kernels, Pickler.dispatch_table)

        Copier(file := io.BytesIO()).dump(job)
        self._job = file.getvalue()

    def __call__(self, chunk: Chunk, record: int = 0) -> Played:
        """Play a chunk and record its first *record* games."""
        played: Played = pickle.loads(self._job)(chunk, record)
        return played


def _by_name(kernel: Any) -> Any:
    """Pickle the kernel of a listed agent as the name of its module, because a copy is recompiled in every process."""
    home = kernel.py_func.__module__
    listed = getattr(sys.modules.get(home), "act", None)
    if getattr(listed, "kernel", None) is kernel:
        return _kernel_in, (home,)
    return kernel.__reduce__()


def _kernel_in(home: str) -> Any:
    return import_module(home).act.kernel


def job_for(
    rules: Rules, players: Sequence[Agent], seed: int, guests: Collection[int] = (), all_orders: bool = False
) -> Any:
    """Return the fastest job for these players. Only *guests* may forfeit by an illegal move."""
    if all(isinstance(player, CompiledAgent | CompiledGuest) for player in players):
        return CompiledJob(rules, players, seed, guests, all_orders)
    return TableJob(rules, players, seed, guests, all_orders)


class Task(NamedTuple):
    """Deals between named agents: everything needed to play them anywhere, in any order."""

    game: str
    preset: str
    agents: tuple[str, ...]
    seed: int
    start: int
    deals: int
    seconds_a_move: float = 10.0
    """Time limit for a decision of an outside agent."""
    all_orders: bool = False
    """Play every deal in all circular orders, however many there are."""

    @property
    def releases_gil(self) -> bool:
        """Whether the whole task is one kernel call, so that threads can play several at once."""
        return not any(is_outside(self.game, name) for name in self.agents)

    @property
    def key(self) -> ChunkKey:
        """The key of the result in a run."""
        return ChunkKey(self.agents, self.start, self.deals)

    @property
    def per_deal(self) -> int:
        """Games of a deal."""
        return games_per_deal(len(self.agents), self.all_orders)

    def game_keys(self, first: int) -> list[GameKey]:
        """Return the keys of those games of this task that are among the *first* of the match."""
        per_deal = self.per_deal
        games = range(per_deal * self.start, min(first, per_deal * (self.start + self.deals)))
        return [GameKey(self.agents, number // per_deal, number % per_deal) for number in games]


def rules_for(game_name: str, preset: str | None, seats: int) -> Rules:
    """Return the rules for a lineup of *seats* agents.

    Raises:
        OptionError: The rules are for another number of players.
    """
    rules = rules_of(game_name, preset)
    if rules.seats == seats:
        return rules
    if "seats" not in rules.options.to_dict():
        raise OptionError(f"{game_name} has {rules.seats} seats, but {seats} agents are named.")
    if preset is not None and "seats" in parse_call(preset)[1]:
        raise OptionError(f"The rules {preset} have {rules.seats} seats, but {seats} agents play.")
    return rules_of(game_name, preset, seats=seats)


@cache
def _job(task_key: tuple[Any, ...]) -> Any:
    game_name, preset, names, seed, seconds, all_orders = task_key
    rules = rules_for(game_name, preset, len(names))
    players = [player(game_name, name, seconds) for name in names]
    guests = [i for i, name in enumerate(names) if is_outside(game_name, name)]
    return job_for(rules, players, seed, guests, all_orders)


def play_task(task: Task, record: int = 0) -> Played:
    """Play *task*, and record its games that are among the first *record* of the match."""
    job = _job((*task[:4], task.seconds_a_move, task.all_orders))
    played: Played = job(Chunk(task.start, task.deals), max(0, record - task.per_deal * task.start))
    return replace(played, hands=tuple((key._replace(lineup=task.agents), text) for key, text in played.hands))


@dataclass(frozen=True, slots=True)
class AddingUp:
    """Plays chunks by *work* and adds their games up where they are played, so that only the sums travel."""

    work: Any
    keep: bool
    """Return the tallies too: for a store, or because somebody wants to see the games."""
    record: int = 0
    """Games at the beginning of the match to record."""
    all_orders: bool = False
    """Every deal is played in all circular orders."""

    @property
    def releases_gil(self) -> bool:
        """Whether threads can play several chunks at once."""
        return bool(getattr(self.work, "releases_gil", False))

    def __call__(self, task: Any) -> Played:
        played: Played = self.work(task, self.record) if self.record else self.work(task)
        return played.added_up(task.start, keep=self.keep, all_orders=self.all_orders)
