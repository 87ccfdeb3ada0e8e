"""The kinds of steps that every game has: a match, a tournament, a field of common opponents, and series in which one
side always moves first.

A step is cut into tasks, each of which gives a chunk of rows; the chunks together make its result. A game's own kinds
of steps come from the experiment's hook (``docs/guides/experiments.md``).
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from rummylab.agents.registry import entry
from rummylab.arena.experiment.verdicts import Measured
from rummylab.arena.field import DEAL as FIELD_DEAL
from rummylab.arena.field import Field, play_deals
from rummylab.arena.jobs import Played, Task, play_task, tally_of
from rummylab.arena.match import CHUNK, MAX_GAMES, MatchResult, chunk_size, chunks_of, collect
from rummylab.arena.ordered import CHUNK as ORDERED_CHUNK
from rummylab.arena.ordered import DEAL, Ordered, OrderedTask, Series, ordered_pairs, play_ordered
from rummylab.arena.outside import fingerprint, is_compiled, is_outside
from rummylab.arena.ratings import rating_notes
from rummylab.arena.seating import games_per_deal
from rummylab.arena.sequential import Sprt
from rummylab.arena.statistics import Estimate, mean, ratio
from rummylab.arena.tournament import Plan, Standings, standings_of
from rummylab.arena.words import as_code, share_words, signed_words, table
from rummylab.engine.streams import seed_option
from rummylab.errors import OptionError
from rummylab.games.registry import game


class StepResult(Protocol):
    """What a step showed."""

    def measure(self, quantity: str, agents: Sequence[str]) -> Measured: ...

    def to_dict(self) -> dict[str, Any]: ...

    def markdown(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """What every step has. Keys that a step leaves out come from the file's ``[defaults]``."""

    KIND: ClassVar[str]
    WORK: ClassVar[Any]
    """Plays a task; its module belongs to the code that the results depend on."""

    name: str
    """By which expectations and ``--set`` speak of the step."""
    game: str
    """By default the file's."""
    rules: str = ""
    """Preset; by default the file's, else the game's first."""
    seed: int = 0
    """Same seed, same deals."""

    def __post_init__(self) -> None:
        if not self.rules:
            object.__setattr__(self, "rules", game(self.game).presets[0])
        game(self.game).rules(self.rules)
        if not self.name or set(self.name) & set("./:="):
            raise OptionError(f"a step's name is text without . / : =, not {self.name!r}")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Complain about values that make no sense."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.void]:
        """The rows of a chunk."""

    @abstractmethod
    def tasks(self) -> list[Any]:
        """Return the tasks: named tuples with ``name`` and ``deals``."""

    @abstractmethod
    def result(self, parts: Sequence[Played]) -> StepResult:
        """Put the chunks together, in the order of the tasks."""

    @abstractmethod
    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        """Return what can be expected of the result, each with the numbers of agents it may be asked for."""

    def players(self) -> tuple[str, ...]:
        """Return the agents that sit at the step's tables."""
        return ()

    def work(self, task: Any) -> int:
        """Return how much work a task is, in games."""
        return int(task.deals)

    def decided(self) -> Callable[[Played], bool]:
        """Return what is told every chunk in order and says whether the step can end there."""
        return lambda part: False

    def command(self) -> str:
        """Return the command that plays this step alone, if there is one."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        outside = {name: fingerprint(name) for name in self.players() if is_outside(self.game, name)}
        return {"kind": self.KIND, **asdict(self), "outside": outside}


def _check_games(games: int, least: int) -> None:
    if not least <= games <= MAX_GAMES:
        raise OptionError(f"games is {games}, but must lie between {least} and {MAX_GAMES}")


# --- Matches ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MatchStep(Step):
    """Two or more agents on duplicate deals; with *sprt* until the sequential test decides."""

    KIND = "match"
    WORK = staticmethod(play_task)

    agents: tuple[str, ...]
    """One for each seat: names, ``name(options)``, ``file.py:Class``, ``program:command``."""
    games: int = 1000
    """At most, with *sprt*."""
    sprt: tuple[float, float] | None = None
    """Two win rates: the match ends as soon as a sequential test has decided between them."""
    alpha: float = 0.05
    """Error rate of that test if the lower rate is true."""
    beta: float = 0.05
    """Error rate of that test if the higher rate is true."""
    seconds_a_move: float = 10.0
    """What an outside agent has for a decision."""

    def check(self) -> None:
        seats = len(self.agents)
        if seats < 2:
            raise OptionError(f"a match needs two agents or more, not {seats}")
        _check_games(self.games, seats)
        rules = game(self.game).rules(self.rules)
        if seats != rules.seats and "seats" not in rules.options.to_dict():
            raise OptionError(f"{self.game} has {rules.seats} seats, but {seats} agents are named")
        if self.sprt is not None and seats != 2:
            raise OptionError(f"a sequential test compares two agents, not {seats}")
        self.test()
        for name in self.agents:
            is_compiled(self.game, name)

    def test(self) -> Sprt | None:
        return None if self.sprt is None else Sprt(*self.sprt, self.alpha, self.beta)

    def players(self) -> tuple[str, ...]:
        return self.agents

    @property
    def dtype(self) -> np.dtype[np.void]:
        return tally_of(self.game, len(self.agents))

    def tasks(self) -> list[Task]:
        chunks = chunks_of(self.games, len(self.agents), chunk_size(self.game, self.agents))
        return [Task(self.game, self.rules, self.agents, self.seed, *c, self.seconds_a_move) for c in chunks]

    def work(self, task: Task) -> int:
        return task.deals * games_per_deal(len(self.agents))

    def decided(self) -> Callable[[Played], bool]:
        test = self.test()
        return lambda part: test is not None and _fed(test, part) != "undecided"

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        by_agent = dict.fromkeys(("win_rate", "points_per_hand", "moving_first", "moving_second"), (0, 1))
        ended = [f"{_plain(name)}_rate" for name in game(self.game).batch.OUTCOMES]
        return by_agent | dict.fromkeys(("hands_per_game", "turns_per_hand", *ended), (0,))

    def result(self, parts: Sequence[Played]) -> MatchStepResult:
        test = self.test()
        for part in parts:
            if test is not None:
                _fed(test, part)
        return MatchStepResult(collect(self.game, self.rules, self.agents, self.seed, parts, sprt=test))

    def command(self) -> str:
        words = ["rummylab", "arena", self.game, *self.agents, "--games", self.games, *seed_option(self.seed)]
        words += ["--rules", self.rules]
        if self.sprt is not None:
            words += ["--sprt", f"{self.sprt[0]:g},{self.sprt[1]:g}", "--alpha", self.alpha, "--beta", self.beta]
        return shlex.join(str(word) for word in words)


def _fed(test: Sprt, part: Played) -> str:
    winner = part.rows["winner"]
    return test.add(np.where(winner < 0, 0.5, winner == 0).reshape(-1, 2).mean(axis=1))


def _plain(name: str) -> str:
    return name.replace(" ", "_")


@dataclass(frozen=True)
class MatchStepResult:
    """What a match showed."""

    match: MatchResult

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        number = self.match.agents.index(agents[0]) if agents else 0
        by_agent = {
            "win_rate": self.match.win_rate_of,
            "points_per_hand": self.match.points_per_hand_of,
            "moving_first": self.match.moving_first,
            "moving_second": self.match.moving_second,
        }
        if quantity in by_agent:
            return Measured.of(by_agent[quantity](number))
        if quantity == "hands_per_game":
            return Measured.of(mean(self.match.by_deal(self.match.tallies["hands"]).mean(axis=1)))
        if quantity == "turns_per_hand" and self.match.turns_per_hand is None:
            return Measured.exact(np.nan)
        return Measured.of(ratio(self._by_deal(self._count(quantity)), self._by_deal(self.match.tallies["hands"])))

    def _count(self, quantity: str) -> Any:
        if quantity == "turns_per_hand":
            return self.match.tallies["turns"]
        outcomes = [f"{_plain(name)}_rate" for name in game(self.match.game).batch.OUTCOMES]
        return self.match.tallies["outcomes"][:, outcomes.index(quantity)]

    def _by_deal(self, counts: Any) -> Any:
        return self.match.by_deal(counts).sum(axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain values, without what depends on the machine."""
        machine = ("seconds", "hands_per_s", "decision_time")
        return {key: value for key, value in self.match.to_dict().items() if key not in machine}

    def markdown(self) -> str:
        match = self.match
        rows = [
            (as_code(name), share_words(match.win_rate_of(k)), signed_words(match.points_per_hand_of(k), 3))
            for k, name in enumerate(match.labels)
        ]
        ends = ", ".join(f"{name} {share:.1%}" for name, share in match.outcomes().items())
        text = table(("agent", "win rate (95 %)", "points a hand (95 %)"), rows)
        text += f"\n{match.games:,} games, {match.hands:,} hands: {ends}.\n"
        if match.sprt is not None:
            test = match.sprt
            text += (
                f"Sequential test of {test.low:g} against {test.high:g}: {test.verdict} after {test.pairs:,} pairs"
                f" (log-likelihood ratio {test.llr:+.2f}).\n"
            )
        return text + _forfeits(match.forfeits())


def _forfeits(counts: Mapping[str, int]) -> str:
    lines = [f"{as_code(name)} forfeited {n:,} games.\n" for name, n in counts.items() if n]
    return "".join(lines)


# --- Tournaments --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TournamentStep(Step):
    """Everybody against everybody, or the first against the field."""

    KIND = "tournament"
    WORK = staticmethod(play_task)

    agents: tuple[str, ...]
    """As in a match."""
    games: int = 1000
    """Of each pair."""
    against_field: bool = False
    """Only the first agent's matches."""
    self_play: bool = False
    """Also every agent against itself."""
    seconds_a_move: float = 10.0
    """What an outside agent has for a decision."""

    def check(self) -> None:
        _check_games(self.games, 2)
        _ = self.plan

    @cached_property
    def plan(self) -> Plan:
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("name", "rules")}
        return Plan(**own, preset=self.rules)

    def players(self) -> tuple[str, ...]:
        return self.agents

    @property
    def dtype(self) -> np.dtype[np.void]:
        return tally_of(self.game, 2)

    def tasks(self) -> list[Task]:
        return self.plan.tasks()

    def work(self, task: Task) -> int:
        return 2 * task.deals

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return {"win_rate": (2,), "points_per_hand": (2,), "elo": (1,)}

    def result(self, parts: Sequence[Played]) -> TournamentStepResult:
        return TournamentStepResult(standings_of(self.plan, dict(zip(self.tasks(), parts, strict=True))))

    def command(self) -> str:
        words = ["rummylab", "tournament", self.game, "--agents", ",".join(self.agents), "--games", self.games]
        words += [*seed_option(self.seed), "--rules", self.rules]
        words += ["--against-field"] * self.against_field + ["--self-play"] * self.self_play
        return shlex.join(str(word) for word in words)


@dataclass(frozen=True)
class TournamentStepResult:
    """What a tournament showed."""

    standings: Standings

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        if quantity == "elo":
            rating = next(found for found in self.standings.ratings() if found.name == agents[0])
            value = rating.elo if rating.is_rated or not rating.is_comparable else rating.bound
            return Measured(value, rating.low, rating.high)
        row = self._cells().get((agents[0], agents[1]))
        if row is None:
            return Measured.exact(np.nan)
        return Measured(row[quantity], *row["ci" if quantity == "win_rate" else "points_per_hand_ci"])

    def _cells(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(row["first"], row["second"]): row for row in self.standings.cross_table()}

    def to_dict(self) -> dict[str, Any]:
        return self.standings.to_dict()

    def markdown(self) -> str:
        names, cells = self.standings.plan.agents, self._cells()

        def cell(one: str, two: str) -> str:
            row = cells.get((one, two))
            return "-" if row is None else f"{row['win_rate']:.3f} ± {(row['ci'][1] - row['ci'][0]) / 2:.3f}"

        square = [(f"**{one}**", *(cell(one, two) for two in names)) for one in names]
        elo = [(as_code(r.name), str(r), r.interval) for r in self.standings.ratings()]
        text = table(("win rate of", *names), square) + "\n" + table(("agent", "Elo", "95%"), elo)
        text += "\n" + " ".join(rating_notes(self.standings.ratings(), "`{}`".format)) + "\n"
        for cycle in self.standings.cycles():
            text += f"\nCycle: {' beats '.join([*cycle, cycle[0]])}.\n"
        return text + _forfeits(self.standings.forfeits())


# --- Series -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OrderedStep(Step):
    """Series in which the same agent always moves first, all on the same deals.

    All ordered pairs of *agents*; or *agents* against each of *against*, in both orders if *both_orders*.
    """

    KIND = "ordered"
    WORK = staticmethod(play_ordered)

    agents: tuple[str, ...]
    """Registered agents: all ordered pairs of them, everybody against itself included."""
    against: tuple[str, ...] = ()
    """If given: each of *agents* against each of these instead."""
    both_orders: bool = True
    """With *against*: who moved second also moves first; else *agents* always move first."""
    self_play: bool = False
    """With *against*: also every agent against itself."""
    games: int = 1000
    """Deals of each ordered pair."""

    def check(self) -> None:
        _check_games(self.games, 2)
        if not self.agents:
            raise OptionError("at least one agent is needed")
        for name in self.players():
            entry(self.game, name)
        if not hasattr(game(self.game).batch, "play_deals"):
            raise OptionError(f"{self.game} has no driver in which one agent always moves first")

    def players(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.agents, *self.against)))

    def pairs(self) -> list[tuple[str, str]]:
        pairs = ordered_pairs(self.agents, self.against, both=self.both_orders)
        return list(dict.fromkeys(pairs + [(name, name) for name in self.agents] * self.self_play))

    @property
    def dtype(self) -> np.dtype[np.void]:
        return DEAL

    def tasks(self) -> list[OrderedTask]:
        chunks = chunks_of(self.games, 1, ORDERED_CHUNK)
        return [OrderedTask(self.game, self.rules, *pair, self.seed, *c) for pair in self.pairs() for c in chunks]

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        pair = ("win_rate", "mean_gain", "median_gain", "rounds", "skill", "net_gain", "adjusted")
        return dict.fromkeys(pair, (2,)) | {"edge": (1,)}

    def result(self, parts: Sequence[Played]) -> OrderedStepResult:
        rows: dict[tuple[str, str], list[Any]] = {}
        for task, part in zip(self.tasks(), parts, strict=True):
            rows.setdefault((task.mover, task.other), []).append(part.rows)
        found = Ordered({pair: Series(np.concatenate(chunks)) for pair, chunks in rows.items()})
        return OrderedStepResult(found, game(self.game).batch.OUTCOMES)


@dataclass(frozen=True)
class OrderedStepResult:
    """What series with a fixed first mover showed."""

    ordered: Ordered
    outcomes: Sequence[str]

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        try:
            return Measured.of(self._estimate(quantity, agents))
        except KeyError:  # the step did not play this pair, or only one order of it
            return Measured.exact(np.nan)

    def _estimate(self, quantity: str, agents: Sequence[str]) -> Estimate:
        if quantity in ("skill", "net_gain", "adjusted", "edge"):
            found: Estimate = getattr(self.ordered, quantity)(*agents)
            return found
        series = self.ordered.of(agents[0], agents[1])
        if quantity == "rounds":
            return mean(series.rounds)
        found = getattr(series, quantity)
        return found

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": [self._pair(*pair) for pair in self.ordered.series]}

    def _pair(self, mover: str, other: str) -> dict[str, Any]:
        series = self.ordered.of(mover, other)
        row: dict[str, Any] = {"first": mover, "second": other, "games": series.n}
        for name in ("win_rate", "mean_gain", "median_gain"):
            estimate = getattr(series, name)
            row |= {name: estimate.value, f"{name}_ci": list(estimate.ci)}
        ends = {name: series.ended(number) for number, name in enumerate(self.outcomes)}
        return row | {
            "mean_rounds": float(series.rounds.mean()),
            "outcomes": {name: share for name, share in ends.items() if share},
        }

    def markdown(self) -> str:
        rows = [
            (as_code(one), as_code(two), share_words(series.win_rate), signed_words(series.mean_gain))
            for (one, two), series in self.ordered.series.items()
        ]
        return table(("moves first", "moves second", "win rate of the first (95 %)", "its points a deal (95 %)"), rows)


# --- A common field -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FieldStep(Step):
    """Each of *agents* against each of *against*, all on the same duplicate deals."""

    KIND = "field"
    WORK = staticmethod(play_deals)

    agents: tuple[str, ...]
    """Registered agents, which are compared with each other ..."""
    against: tuple[str, ...]
    """... by what they do against each of these."""
    games: int = 1000
    """Of each pair."""

    def check(self) -> None:
        _check_games(self.games, 2)
        for what, names in (("agents", self.agents), ("against", self.against)):
            if not names or len(set(names)) < len(names):
                raise OptionError(f"{what} must name somebody, and nobody twice")
        for name in self.players():
            entry(self.game, name)

    def players(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.agents, *self.against)))

    @property
    def dtype(self) -> np.dtype[np.void]:
        return FIELD_DEAL

    def tasks(self) -> list[Task]:
        pairs = [(one, two) for one in self.agents for two in self.against]
        chunks = chunks_of(self.games, 2, CHUNK)
        return [Task(self.game, self.rules, pair, self.seed, *c) for pair in pairs for c in chunks]

    def work(self, task: Task) -> int:
        return 2 * task.deals

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        by_agent = dict.fromkeys(("win_rate", "points_per_hand"), (1, 2))
        return by_agent | dict.fromkeys(("lead", "points_lead"), (2, 3))

    def result(self, parts: Sequence[Played]) -> FieldStepResult:
        rows: dict[tuple[str, str], list[Any]] = {}
        for task, part in zip(self.tasks(), parts, strict=True):
            rows.setdefault((task.agents[0], task.agents[1]), []).append(part.rows)
        deals = {pair: np.concatenate(chunks) for pair, chunks in rows.items()}
        return FieldStepResult(Field(self.agents, self.against, deals))


@dataclass(frozen=True)
class FieldStepResult:
    """What agents did against the same opponents."""

    field: Field

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        try:
            return Measured.of(getattr(self.field, quantity)(*agents))
        except KeyError:  # the last of them is no opponent here
            return Measured.exact(np.nan)

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": [self._pair(*pair) for pair in self.field.deals]}

    def _pair(self, agent: str, opponent: str) -> dict[str, Any]:
        win, points = self.field.win_rate(agent, opponent), self.field.points_per_hand(agent, opponent)
        return {
            "first": agent,
            "second": opponent,
            "games": self.field.games,
            "win_rate": win.value,
            "win_rate_ci": list(win.ci),
            "points_per_hand": points.value,
            "points_per_hand_ci": list(points.ci),
        }

    def markdown(self) -> str:
        several = [None] * (len(self.field.against) > 1)
        head = [f"against {as_code(name)}" for name in self.field.against] + ["mean"] * len(several)
        rows = [
            (
                as_code(agent),
                *(share_words(self.field.win_rate(agent, other)) for other in (*self.field.against, *several)),
                signed_words(self.field.points_per_hand(agent)),
            )
            for agent in self.field.agents
        ]
        return table(("win rate (95 %) of", *head, "points a hand (95 %)"), rows)


KINDS: Mapping[str, type[Step]] = {kind.KIND: kind for kind in (MatchStep, TournamentStep, OrderedStep, FieldStep)}
"""The kinds of steps that every experiment may have."""
