"""Agents play games on duplicate deals: the same cards from every seat.

Two agents play each deal twice with the seats swapped; three or more play it in every circular order from every seat
(:mod:`rummylab.arena.seating`). A deal is the independent draw: every interval is clustered by deal.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rummylab._jit import is_cold
from rummylab.agents.compiled import guarded_agent
from rummylab.agents.registry import agent as named_agent
from rummylab.arena.backends import Backend, ThisProcess, in_order, local
from rummylab.arena.jobs import CompiledJob, Played, Task, has_driver, job_for, play_task
from rummylab.arena.latency import Latency
from rummylab.arena.orphans import end_with
from rummylab.arena.outside import Fault, is_compiled, is_outside, player
from rummylab.arena.seating import games_per_deal, predecessors
from rummylab.arena.sequential import Sprt
from rummylab.arena.statistics import Estimate, Floats, linearised, mean, ratio, share, student
from rummylab.arena.words import told_apart
from rummylab.cards.rng import is_key
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.rules import Rows, Rules
from rummylab.engine.streams import new_key, parse_key, seed_fields
from rummylab.errors import OptionError
from rummylab.games.registry import game

CHUNK = 250
"""Deals of two seats played in one go; fewer with more seats. Results do not depend on how chunks are spread."""
GUEST_CHUNK = 1000
"""The same where a compiled agent from outside is asked about many tables at a time."""
TABLE_CHUNK = 10
"""The same where somebody plays at the Python table, which is a thousand times slower."""
MAX_GAMES = 1_000_000_000
Progress = Callable[[int, int, str], None]
"""Called with the games done, the games in all, and the estimate so far in words."""
Player = str | CompiledAgent | Agent


@dataclass(frozen=True)
class MatchResult:
    """What a match showed. Without a number, a method speaks of the first agent."""

    game: str
    rules: str
    agents: tuple[str, ...]
    seed: int
    """What the deals came from: the typed seed, or the secret key where strangers sat."""
    tallies: Rows
    seconds: float
    """Wall-clock time of the whole match."""
    faults: tuple[Fault, ...] = ()
    busy: float = 0.0
    """Seconds that all processes together spent on playing."""
    latency: dict[int, Latency] = field(default_factory=dict)
    sprt: Sprt | None = None
    complete: bool = True

    @property
    def games(self) -> int:
        return len(self.tallies)

    @property
    def seats(self) -> int:
        return len(self.agents)

    @property
    def hands(self) -> int:
        return int(self.tallies["hands"].sum())

    @property
    def decisions(self) -> int:
        return int(self.tallies["decisions"].sum())

    @property
    def labels(self) -> tuple[str, ...]:
        """What the agents are called in a report: agents of the same name are numbered."""
        return told_apart(self.agents)

    def by_deal(self, values: Any) -> Floats:
        """Return one row for each deal of *values*, which has one number for each game."""
        return np.asarray(values, np.float64).reshape(-1, games_per_deal(self.seats))

    def wins(self, number: int = 0) -> Floats:
        """Return what an agent won of each game: 1, 0, or its part of a game that nobody won."""
        winner = self.tallies["winner"]
        nobody = 1 / self.seats if not self.faults else self._shared_by_the_innocent(number)
        return np.asarray(np.where(winner < 0, nobody, winner == number), np.float64)

    def _shared_by_the_innocent(self, number: int) -> Floats:
        """With more than two seats, a forfeited game is shared by those who did not forfeit."""
        offender = self.tallies["illegal"]
        guilty = offender == number + 1
        return np.where(offender == 0, 1 / self.seats, np.where(guilty, 0.0, 1 / (self.seats - 1)))

    def of_deals(self, number: int = 0) -> tuple[Floats, Floats, Floats]:
        """Return of every deal the share of its games that an agent won, its gain in points, and the hands."""
        hands = self.by_deal(self.tallies["hands"]).sum(axis=1)
        return self.by_deal(self.wins(number)).mean(axis=1), self.by_deal(self._gain(number)).sum(axis=1), hands

    def win_rate_of(self, number: int) -> Estimate:
        """The share of games won; a game nobody won is shared."""
        return share(self.of_deals(number)[0], games=games_per_deal(self.seats))

    def _gain(self, number: int) -> Floats:
        scores = np.asarray(self.tallies["scores"], np.float64)
        others = (scores.sum(axis=1) - scores[:, number]) / (self.seats - 1)
        return np.asarray(scores[:, number] - others)

    def points_per_hand_of(self, number: int) -> Estimate:
        """Points scored minus the mean of what the others scored, per hand."""
        return ratio(*self.of_deals(number)[1:])

    @cached_property
    def win_rate(self) -> Estimate:
        return self.win_rate_of(0)

    @cached_property
    def points_per_hand(self) -> Estimate:
        return self.points_per_hand_of(0)

    def variance_reduction(self) -> dict[str, float]:
        """Return how many games on independent deals are worth as much as one on duplicate deals; below 1 they cost."""
        return {
            "win_rate": _reduction(self.by_deal(self.wins())),
            "points": _reduction(self.by_deal(self._gain(0))),
        }

    def moving_first(self, number: int = 0) -> Estimate:
        """The share of games won among those that the agent started."""
        return self._win_rate_where(number, self.tallies["starter"] == number)

    def moving_second(self, number: int = 0) -> Estimate:
        """The share of games won among those that another agent started."""
        return self._win_rate_where(number, self.tallies["starter"] != number)

    def win_rate_after(self, number: int, other: int) -> Estimate:
        """The share of games won among those in which *other* plays just before the agent."""
        return self._win_rate_where(number, self._plays_before(number, other))

    def points_per_hand_after(self, number: int, other: int) -> Estimate:
        """Points per hand in the games in which *other* plays just before the agent."""
        return ratio(*self._points_after(number, other))

    def neighbor_effect(self, number: int, other: int) -> Estimate:
        """How many more points per hand the agent gains after *other* than in all its games, deal by deal."""
        gain, hands = self._points_after(number, other)
        played = self.by_deal(self._plays_before(number, other)).any(axis=1)
        all_gain, all_hands = (values[played] for values in self.of_deals(number)[1:])
        return mean(linearised(gain, hands) - linearised(all_gain, all_hands), student(max(1, len(gain) - 1)))

    def _points_after(self, number: int, other: int) -> tuple[Floats, Floats]:
        """Return gain and hands, deal by deal, of the games in which *other* plays just before the agent."""
        chosen = self._plays_before(number, other)
        hands = self.by_deal(self.tallies["hands"] * chosen).sum(axis=1)
        return self.by_deal(self._gain(number) * chosen).sum(axis=1)[hands > 0], hands[hands > 0]

    def _plays_before(self, number: int, other: int) -> Any:
        return self._predecessors[:, number] == other

    @cached_property
    def _predecessors(self) -> Any:
        return predecessors(self.seats, self.games)

    def _win_rate_where(self, number: int, chosen: Any) -> Estimate:
        """Return the share of games won among the chosen ones, clustered by deal."""
        games = self.by_deal(chosen).sum(axis=1)
        won = self.by_deal(self.wins(number) * chosen).sum(axis=1)
        return share(won[games > 0] / games[games > 0], games=round(float(games.max(initial=1.0))))

    def outcomes(self) -> dict[str, float]:
        """Return the share of hands that ended in each way."""
        return self._shares(self.tallies["outcomes"].sum(axis=0))

    def won_by(self, number: int = 0) -> dict[str, float]:
        """Return the share of hands that an agent won in each way."""
        return self._shares(self.tallies["won_by"][:, number].sum(axis=0))

    def _shares(self, counts: Any) -> dict[str, float]:
        names = game(self.game).batch.OUTCOMES
        return {name: float(n) / self.hands for name, n in zip(names, counts, strict=True) if n}

    @property
    def turns_per_hand(self) -> float | None:
        """The mean length of a hand in turns, where it was counted."""
        if "turns" not in (self.tallies.dtype.names or ()) or not self.tallies["turns"].any():
            return None
        return float(self.tallies["turns"].sum()) / self.hands

    def decision_time(self) -> dict[str, Any]:
        """Return how long a decision takes: by agent where it was measured, else the mean of the whole match."""
        whole = {"mean_us": 1e6 * self.busy / max(1, self.decisions)}
        return whole | {self.labels[k]: found.to_dict() for k, found in self.latency.items() if found.n}

    def forfeits(self) -> dict[str, int]:
        """Return how many games each agent lost by a crash, a time-out or an illegal move."""
        offender = self.tallies["illegal"]
        return {label: int((offender == number + 1).sum()) for number, label in enumerate(self.labels)}

    def first_faults(self, most: int = 20) -> list[dict[str, Any]]:
        """Return the first faults as plain values, the agents named as in the rest of the report."""
        offenders = self.tallies["illegal"][self.tallies["illegal"] > 0][:most].tolist()
        found = zip(self.faults[:most], offenders, strict=True)
        return [fault._asdict() | {"agent": self.labels[offender - 1]} for fault, offender in found]

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
            "by_agent": [self._of(number) for number in range(self.seats)],
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

    def _of(self, number: int) -> dict[str, Any]:
        return {"agent": self.labels[number]} | _plain(self.win_rate_of(number), self.points_per_hand_of(number))

    def neighbors(self) -> list[dict[str, Any]]:
        """Return how each agent does after each other one, who plays just before it; empty for two agents.

        Where orders are sampled and deals are few, pairs that never sat like this are left out.
        """
        rows = []
        for number, other in itertools.permutations(range(self.seats if self.seats > 2 else 0), 2):
            if not self._plays_before(number, other).any():
                continue
            effect = self.neighbor_effect(number, other)
            rows.append(
                {"agent": self.labels[number], "after": self.labels[other]}
                | _plain(self.win_rate_after(number, other), self.points_per_hand_after(number, other))
                | {"effect": effect.value, "effect_ci": list(effect.ci)}
            )
        return rows


def _plain(win: Estimate, points: Estimate) -> dict[str, Any]:
    return {
        "win_rate": win.value,
        "win_rate_ci": list(win.ci),
        "points_per_hand": points.value,
        "points_per_hand_ci": list(points.ci),
    }


def _reduction(by_deal: Floats) -> float:
    games, deals = float(np.var(by_deal)), float(np.var(by_deal.mean(axis=1)))
    return games / by_deal.shape[1] / deals if deals else 1.0


def collect(
    game_name: str, rules: str, agents: Sequence[str], seed: int, parts: Sequence[Played], **more: Any
) -> MatchResult:
    """Put the chunks of a match together, in the order given."""
    latency: dict[int, Latency] = {}
    for part in parts:
        for number, found in part.latency.items():
            latency.setdefault(number, Latency()).merge(found)
    return MatchResult(
        game_name,
        rules,
        tuple(agents),
        seed,
        np.frombuffer(b"".join(part.rows.tobytes() for part in parts), parts[0].rows.dtype),
        faults=tuple(fault for part in parts for fault in part.faults),
        busy=sum(part.seconds for part in parts),
        latency=latency,
        **({"seconds": 1.0} | more),
    )


def chunks_of(games: int, seats: int, size: int) -> list[tuple[int, int]]:
    """Cut *games*, rounded up to whole deals, into chunks of *size*: first deal and number of deals."""
    deals = -(-games // games_per_deal(seats))
    return [(start, min(size, deals - start)) for start in range(0, deals, size)]


def match(
    game_name: str,
    *players: Player,
    games: int = 1000,
    seed: int = 0,
    key: str | None = None,
    preset: str | None = None,
    workers: int | None = None,
    backend: Backend | None = None,
    sprt: Sprt | None = None,
    seconds_a_move: float = 10.0,
    progress: Progress | None = None,
    keep_partial: bool = False,
) -> MatchResult:
    """Play *games* games (rounded up to whole deals) and return the result.

    Same seed, same result, whatever the number of *workers* (processes; default: one per core). Players are names of
    registered agents, outside agents (``file.py:Class``, ``module:Class``, ``program:command``), compiled agents, or
    objects with ``sit`` and ``act``; the last play at the Python table. With *sprt* the match ends as soon as the
    test has decided, after *games* games at the latest. With *keep_partial* an interrupt returns what was played.

    Where an outside agent sits, a typed seed could be guessed: the deals come from a secret key instead, drawn at the
    start. The result has it as ``seed``, and *key* (its 32 digits) plays the same deals again.
    """
    rules = _rules(game_name, preset, len(players))
    if not rules.seats <= games <= MAX_GAMES:
        raise OptionError(
            f"games is {games}, but must lie between {rules.seats} and {MAX_GAMES} (deals are played from every seat)"
        )
    if sprt is not None and len(players) != 2:
        raise OptionError(f"a sequential test compares two agents, not {len(players)}")
    if workers is not None and workers < 1:
        raise OptionError(f"workers is {workers}, but at least one is needed")
    names = [p for p in players if isinstance(p, str)]
    seed = secret_seed(game_name, names, seed, key)
    compile_together(game_name, names)
    name_of_rules = preset or game(game_name).presets[0]
    work, items, labels = _prepare(game_name, name_of_rules, rules, players, games, seed, seconds_a_move)
    place = backend or (local(workers) if len(names) == len(players) or _all_compiled(players) else ThisProcess())
    work(_nothing(items[0]))  # compile and load before the processes part
    per_deal = games_per_deal(rules.seats)
    meter = _Meter(-(-games // per_deal) * per_deal, progress, sprt, told_apart(labels)[0])
    began = time.perf_counter()
    parts: list[Played] = []
    complete = True
    results = in_order(place.run(work, items), items)
    try:
        for part in results:
            parts.append(part)
            if meter.add(part):
                break
    except KeyboardInterrupt:
        if not keep_partial or not parts:
            raise
        complete = False
    finally:
        _close(results)
    seconds = time.perf_counter() - began
    return collect(game_name, name_of_rules, labels, seed, parts, seconds=seconds, sprt=sprt, complete=complete)


def secret_seed(game_name: str, names: Sequence[str], seed: int, key: str | None = None) -> int:
    """Return what the deals come from: *key* if there is one, a new secret key where a stranger sits, else *seed*."""
    if key is not None:
        return parse_key(key)
    seats_stranger = any(is_outside(game_name, name) for name in names)
    return new_key() if seats_stranger and not is_key(seed) else seed


def _rules(game_name: str, preset: str | None, seats: int) -> Rules:
    if seats < 2:
        raise OptionError(f"a match needs two agents or more, not {seats}")
    rules = game(game_name).rules(preset)
    if rules.seats == seats:
        return rules
    if "seats" not in rules.options.to_dict():
        raise OptionError(f"{game_name} has {rules.seats} seats, but {seats} agents were named")
    return game(game_name).rules(preset, seats=seats)


def _all_compiled(players: Sequence[Player]) -> bool:
    return all(isinstance(p, str | CompiledAgent) for p in players)


def _prepare(
    game_name: str, preset: str, rules: Rules, players: Sequence[Player], games: int, seed: int, seconds: float
) -> tuple[Any, list[Any], tuple[str, ...]]:
    """Return the work, its items and the agents' names: tasks where all are named, else a job on these objects."""
    if all(isinstance(p, str) for p in players):
        names = tuple(str(p) for p in players)
        size = chunk_size(game_name, names)
        items = [Task(game_name, preset, names, seed, *c, seconds) for c in chunks_of(games, rules.seats, size)]
        return play_task, items, names
    given = [player(game_name, p, seconds) if isinstance(p, str) else _guarded(game_name, p) for p in players]
    guests = [i for i, p in enumerate(players) if isinstance(p, str) and is_outside(game_name, p)]
    job = job_for(rules, given, seed, guests)
    size = _deals_in_a_chunk(isinstance(job, CompiledJob), rules.seats)
    return job, list(chunks_of(games, rules.seats, size)), tuple(p.name for p in given)


def _guarded(game_name: str, given: CompiledAgent | Agent) -> Agent:
    return guarded_agent(game_name, given) if isinstance(given, CompiledAgent) else given


def chunk_size(game_name: str, agents: Sequence[str]) -> int:
    """Return how many deals a chunk has for these agents."""
    compiled = has_driver(game_name, len(agents)) and all(is_compiled(game_name, name) for name in agents)
    if compiled and any(is_outside(game_name, name) for name in agents):
        return GUEST_CHUNK if len(agents) == 2 else _deals_in_a_chunk(False, len(agents))
    return _deals_in_a_chunk(compiled, len(agents))


def _deals_in_a_chunk(compiled: bool, seats: int) -> int:
    """Return how many deals make about as many games as *CHUNK* deals of two seats, which are played twice."""
    return max(1, 2 * (CHUNK if compiled else TABLE_CHUNK) // games_per_deal(seats))


def _nothing(item: Any) -> Any:
    return item._replace(deals=0) if isinstance(item, Task) else (0, 0)


def _close(results: Iterator[Played]) -> None:
    close = getattr(results, "close", None)
    if close is not None:
        close()


class _Meter:
    """Counts what is done, says how it stands, and knows when a sequential test has decided."""

    def __init__(self, total: int, progress: Progress | None, sprt: Sprt | None, name: str) -> None:
        self.total, self.progress, self.sprt, self.name = total, progress, sprt, name
        self.done, self._per_deal = 0, [np.zeros(0)]

    def add(self, part: Played) -> bool:
        """Take a chunk; return whether the match can end here."""
        seats = part.rows["scores"].shape[1]
        winner = part.rows["winner"]
        won = np.where(winner < 0, 1 / seats, winner == 0)
        per_deal = won.reshape(-1, games_per_deal(seats)).mean(axis=1)
        self.done += len(part.rows)
        if self.progress is not None:
            self._per_deal.append(per_deal)
            self.progress(self.done, self.total, self.words())
        return self.sprt is not None and self.sprt.add(per_deal) != "undecided"

    def words(self) -> str:
        """Return the estimate so far."""
        rate = share(np.concatenate(self._per_deal))
        text = f"{self.name} {rate.value:.2%} ± {(rate.high - rate.low) / 2:.2%}"
        return text if self.sprt is None else f"{text}, LLR {self.sprt.llr:+.2f}"


def compile_together(game_name: str, names: Sequence[str]) -> None:
    """On the very first start compile the agents in a second process, beside the driver: it takes half as long."""
    ours = [name for name in names if not is_outside(game_name, name)]
    if not is_cold(game(game_name).drivers) or not ours or "fork" not in multiprocessing.get_all_start_methods():
        return
    aside = multiprocessing.get_context("fork").Process(target=_load, args=(os.getpid(), game_name, ours), daemon=True)
    aside.start()
    _ = game(game_name).batch
    aside.join()


def _load(parent: int, game_name: str, names: Sequence[str]) -> None:
    end_with(parent)
    for name in names:
        named_agent(game_name, name)
