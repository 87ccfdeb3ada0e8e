"""A chunk of deals between given players: in one kernel call, or at the Python table.

Every deal is played in all its seatings (:mod:`rummylab.arena.seating`). A job is called with ``(first deal, number of
deals)`` and returns what happened, the games of a deal side by side.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena.faults import Fault, OutsideError
from rummylab.arena.guests import CompiledGuest, play_chunk
from rummylab.arena.latency import Latency
from rummylab.arena.outside import Outsider, is_outside, player
from rummylab.arena.seating import games_per_deal, seatings
from rummylab.cards.rng import root_of
from rummylab.engine.agent import STOPPED, STOPPED_WORDS, Agent, CompiledAgent
from rummylab.engine.records import Record
from rummylab.engine.referee import MAX_HANDS
from rummylab.engine.rules import Rows, Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import AgentError, IllegalActionError, NotationError
from rummylab.games.registry import game

WITHDRAWN_AFTER = 5
"""Faults in a row after which an outside agent is not asked again in this chunk."""
Chunk = tuple[int, int]
Reasons = Mapping[int, tuple[str, str]]
"""Kind and details of forfeits, by the place of the game in its chunk."""


@dataclass(frozen=True, slots=True)
class Played:
    """What a chunk of deals gave. Only *rows* and *faults* depend on the configuration alone."""

    rows: Rows
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0
    latency: dict[int, Latency] = field(default_factory=dict)
    """How long the players took for a decision, by number; empty where it is not measured one by one."""
    hands: tuple[tuple[str, str], ...] = ()
    """The records of the first games, by name, where they were asked for."""


class CompiledJob:
    """Deals between compiled players in one kernel call."""

    def __init__(self, rules: Rules, players: Any, seed: int, guests: Collection[int] = ()) -> None:
        self.rules, self.players, self.seed, self.guests = rules, players, seed, guests
        self.batch = game(rules.name).batch

    def __call__(self, chunk: Chunk, record: int = 0) -> Played:
        """Play a chunk; the first *record* games are played once more at the Python table, to be written down."""
        start, n = chunk
        seats = self.rules.seats
        tallies = np.zeros(games_per_deal(seats) * n, tally_of(self.rules.name, seats))
        began = time.process_time()  # of this process, whatever else the machine does
        reasons = self._play(start, tallies)
        seconds = time.process_time() - began
        faults = self._faults(start, tallies, reasons)
        hands = tuple(self._recorded(start, i, tallies[i]) for i in range(min(record, len(tallies))))
        return Played(tallies, faults, seconds, hands=hands)

    def _play(self, start: int, tallies: Rows) -> Reasons:
        """Play the games; return why some were forfeited otherwise than by an illegal move."""
        if any(isinstance(player, CompiledGuest) for player in self.players):
            return play_chunk(self.rules, self.players, root_of(self.seed), start, tallies)
        where = self.rules.new_rows(1), root_of(self.seed), start
        acts, pars = [player.pointer for player in self.players], [player.par for player in self.players]
        if self.rules.seats == 2:
            self.batch.play_pairs(*where, *acts, *pars, tallies)
        else:
            self.batch.play_seatings(*where, seatings(self.rules.seats), acts, pars, tallies)
        return {}

    def _recorded(self, start: int, i: int, tally: Any) -> tuple[str, str]:
        """Return the record of the game that gave *tally*: the same cards, and the same streams of random numbers."""
        deal, place = start + i // games_per_deal(self.rules.seats), i % games_per_deal(self.rules.seats)
        table, again = TableJob(self.rules, self.players, self.seed, self.guests), np.zeros(1, tally.dtype)
        table.play(deal, place, again[0])
        if any((again[0][field] != tally[field]).any() for field in ("scores", "hands", "decisions", "starter")):
            names = " against ".join(player.name for player in self.players)
            raise AgentError(
                f"{names}, deal {deal}, seating {place}: another game at"
                " the Python table than in the batch; an agent depends on more than it is shown"
            )
        return table.record(deal, place)

    def _faults(self, start: int, tallies: Rows, reasons: Reasons) -> tuple[Fault, ...]:
        """A fault of a guest costs it the game; an illegal move of our own agents is an error in our code."""
        faults = []
        for i in np.flatnonzero(tallies["illegal"]):
            offender, words = int(tallies["illegal"][i]) - 1, complaint(self.rules, self.players, tallies[i])
            if offender not in self.guests:
                raise AgentError(words)
            seats = self.rules.seats
            tallies["winner"][i] = 1 - offender if seats == 2 else -1
            deal, place = start + int(i) // games_per_deal(seats), int(i) % games_per_deal(seats)
            kind = "crash" if tallies["illegal_code"][i] == STOPPED else "illegal move"
            faults.append(Fault(self.players[offender].name, deal, place, *reasons.get(int(i), (kind, words))))
        return tuple(faults)


def complaint(rules: Rules, players: Any, tally: Any) -> str:
    """Say which agent made the illegal move noted in *tally*, or stopped with an error."""
    name = players[int(tally["illegal"]) - 1].name
    code = int(tally["illegal_code"])
    phase = game(rules.name).batch.PHASES[int(tally["illegal_phase"])]
    if code == STOPPED:
        return f"agent {name!r} in the phase {phase!r} {STOPPED_WORDS}"
    return f"agent {name!r} made an illegal move in the phase {phase!r}: code {code}"


@cache
def tally_of(game_name: str, seats: int) -> np.dtype[np.void]:
    """Return the record of one game: the driver's own; where it has none for so many seats, what all have in common."""
    batch = game(game_name).batch
    if seats == 2 or hasattr(batch, "tally_for"):
        dtype: np.dtype[np.void] = batch.TALLY if seats == 2 else batch.tally_for(seats)
        return dtype
    n = len(batch.OUTCOMES)
    return np.dtype(
        [
            ("scores", "i4", (seats,)),
            ("winner", "i1"),
            ("starter", "i1"),
            ("hands", "i4"),
            ("decisions", "i8"),
            ("outcomes", "i4", (n,)),
            ("won_by", "i4", (seats, n)),
            ("illegal", "i2"),
        ]
    )


class TableJob:
    """Deals at the Python table: for players that are not compiled, and where no driver has so many seats."""

    def __init__(self, rules: Rules, players: Sequence[Agent], seed: int, guests: Collection[int] = ()) -> None:
        self.rules, self.players, self.seed, self.guests = rules, tuple(players), seed, guests
        self.batch = game(rules.name).batch
        self.dtype = tally_of(rules.name, rules.seats)
        self.latency = {number: Latency() for number in range(rules.seats)}
        self.states: list[State] = []
        """The hands of the game played last."""
        self._seated: list[Agent] = []

    def __call__(self, chunk: Chunk, record: int = 0) -> Played:
        """Play a chunk and write down the first *record* games."""
        start, n = chunk
        seats, per_deal = self.rules.seats, games_per_deal(self.rules.seats)
        hands: list[tuple[str, str]] = []
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
        """Return the games in the order of play: with outsiders, who have a process for each seating, by seating."""
        by_seating = any(isinstance(player, Outsider | CompiledGuest) for player in self.players)
        return sorted(range(games), key=lambda i: i % per_deal if by_seating else 0)

    def record(self, deal: int, place: int) -> tuple[str, str]:
        """Return the game just played as a record, with its place in the chunk's order as a name."""
        names = [self.players[number].name for number in seatings(self.rules.seats, deal)[place]]
        return f"{deal}:{place}", "".join(Record.of(state, names, self.seed).to_text() for state in self.states)

    def play(self, deal: int, place: int, tally: Any, withdrawn: int | None = None) -> Fault | None:
        """Play one game in seating number *place* of the deal; return who lost it by a fault, if anybody."""
        seats = self.rules.seats
        number_at = list(seatings(seats, deal)[place])  # which player sits where
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
        scores = state.scores
        for seat, number in enumerate(number_at):
            tally["scores"][number] = scores[seat]
            if "gains" in self.dtype.names:  # type: ignore[operator]
                tally["gains"][number] = state.payoffs()[seat]
        if state.actor is not None:
            return
        outcome = self.batch.OUTCOMES.index(state.result["outcome"])
        tally["outcomes"][outcome] += 1
        if state.result["winner"] is not None:
            tally["won_by"][number_at[state.result["winner"]], outcome] += 1


def _winner(state: State, number_at: list[int], hands: int) -> int:
    won = state.result["winner"] if hands == 1 else None  # a single deal can be won without points
    if won is not None:
        return number_at[int(won)]
    best = max(state.scores)
    ahead = [number_at[seat] for seat, score in enumerate(state.scores) if score == best]
    return ahead[0] if len(ahead) == 1 else -1


def has_driver(game_name: str, seats: int) -> bool:
    """Return whether compiled agents can play this game at so many seats in one kernel call."""
    return seats == 2 or hasattr(game(game_name).batch, "play_seatings")


def job_for(rules: Rules, players: Sequence[Agent], seed: int, guests: Collection[int] = ()) -> Any:
    """Return the fastest job that these players can sit in; *guests* forfeit by an illegal move, others must not."""
    compiled = CompiledAgent | CompiledGuest if rules.seats == 2 else CompiledAgent
    if has_driver(rules.name, rules.seats) and all(isinstance(player, compiled) for player in players):
        return CompiledJob(rules, players, seed, guests)
    return TableJob(rules, players, seed, guests)


class Task(NamedTuple):
    """Some deals between agents given by their names: enough to be played anywhere, again, and in any order."""

    game: str
    preset: str
    agents: tuple[str, ...]
    seed: int
    start: int
    deals: int
    seconds_a_move: float = 10.0
    """What an outside agent has for a decision."""

    @property
    def name(self) -> str:
        """What the store keeps the result under."""
        return f"{':'.join(self.agents)}:{self.start}+{self.deals}"

    def game_names(self, first: int) -> list[str]:
        """Return what the store calls those games of this task that are among the *first* of the match."""
        per_deal = games_per_deal(len(self.agents))
        return [
            f"{':'.join(self.agents)}:{number // per_deal}:{number % per_deal}"
            for number in range(per_deal * self.start, min(first, per_deal * (self.start + self.deals)))
        ]


@cache
def _job(task_key: tuple[Any, ...]) -> Any:
    game_name, preset, names, seed, seconds = task_key
    rules = game(game_name).rules(preset, **({"seats": len(names)} if len(names) != 2 else {}))
    players = [player(game_name, name, seconds) for name in names]
    return job_for(rules, players, seed, [i for i, name in enumerate(names) if is_outside(game_name, name)])


def play_task(task: Task, record: int = 0) -> Played:
    """Play *task* here and now, and write down its games that are among the first *record* of the match."""
    job = _job((*task[:4], task.seconds_a_move))
    played: Played = job((task.start, task.deals), max(0, record - games_per_deal(len(task.agents)) * task.start))
    lineup = ":".join(task.agents)
    return replace(played, hands=tuple((f"{lineup}:{place}", text) for place, text in played.hands))
