"""The kinds of steps that every game has: match, tournament, ordered pairs and common opponents.

A step is divided into tasks, each of which yields a chunk of rows; the chunks together make its result. A study can add
kinds of its own (``docs/guides/experiments.md``).
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Protocol

import msgspec
import numpy as np

from rummylab.agents.registry import entry
from rummylab.arena.common_opponents import DEAL_SUMS, CommonOpponents, play_deals
from rummylab.arena.jobs import AddingUp, Played, Task, play_task
from rummylab.arena.markdown import as_code, share_words, signed_words, table
from rummylab.arena.match import KEEP_GAMES, MatchResult, result_of
from rummylab.arena.ordered import (
    ORDERED_CHUNK,
    ORDERED_DEAL,
    Ordered,
    OrderedTask,
    has_gains,
    ordered_pairs,
    play_ordered,
)
from rummylab.arena.outside import fingerprint, is_outside
from rummylab.arena.plan import CHUNK, MAX_GAMES, MatchPlan, PlayPlan, chunks_of
from rummylab.arena.ratings import rating_notes
from rummylab.arena.statistics import Estimate, Floats, RatioSums, mean, ratio_of
from rummylab.arena.totals import LineupTotal
from rummylab.arena.tournament import Plan, Standings, standings_of
from rummylab.engine.rows import Rows
from rummylab.engine.streams import seed_option
from rummylab.errors import OptionError
from rummylab.games.registry import game
from rummylab.lab.experiment.verdicts import Measured

Games = Annotated[int, msgspec.Meta(ge=2, le=MAX_GAMES)]


class StepResult(Protocol):
    """The result of a step."""

    def measure(self, quantity: str, agents: Sequence[str]) -> Measured:
        """Return one of the step's quantities; NaN if the step did not measure it."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that do not depend on the machine."""
        ...

    def markdown(self) -> str:
        """Return the section of the report."""
        ...


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """The keys that every step has. Keys that a step omits come from the file's ``[defaults]``."""

    KIND: ClassVar[str]
    WORK: ClassVar[Any]
    """Plays a task. The results depend on the code of its module."""

    name: Annotated[str, msgspec.Meta(pattern="^[^./:=]+$")]
    """The name by which expectations and `--set` refer to the step; without `.`, `/`, `:` and `=`."""
    game: str
    """By default the file's."""
    rules: str = ""
    """A preset; by default the file's, or else the game's first."""
    seed: int = 0
    """The same seed gives the same deals."""

    def __post_init__(self) -> None:
        if not self.rules:
            object.__setattr__(self, "rules", game(self.game).presets[0])
        game(self.game).rules(self.rules)
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Raise `OptionError` for values that do not go together."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.void]:
        """The rows of a chunk."""

    @abstractmethod
    def tasks(self) -> list[Any]:
        """Return the tasks: named tuples with ``start``, ``deals`` and ``key``."""

    @abstractmethod
    def result(self, parts: Iterable[Played]) -> StepResult:
        """Return the result from the chunks, which come in the order of the tasks as they are played.

        Keep no more of a chunk than the result needs. To stop iterating ends the step.
        """

    @abstractmethod
    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        """Return the quantities that can be expected, each with the numbers of agents it applies to."""

    def players(self) -> tuple[str, ...]:
        """Return the agents that play in this step."""
        return ()

    def work(self, task: Any) -> int:
        """Return how much work a task is, in games."""
        return int(task.deals)

    def worker(self, *, keep_rows: bool) -> Any:
        """Return what plays a task; with *keep_rows* its result has all rows, because a store keeps them."""
        return type(self).WORK

    def command(self) -> str:
        """Return the command that plays this step alone, if there is one."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that identify the step's results."""
        outside = {name: fingerprint(name) for name in self.players() if is_outside(self.game, name)}
        return {"kind": self.KIND, **asdict(self), "outside": outside}


# --- Matches --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _PlannedStep(Step):
    """A step that is a match or a tournament."""

    PLAN: ClassVar[type[PlayPlan]]
    WORK = staticmethod(play_task)

    agents: tuple[str, ...]
    """Agents: names, `name(options)`, `file.py:Class`, `program:command`. A match needs one for each seat."""
    games: Games = 1000
    """Games of each pair; in a match with *sprt*, at most so many."""
    seconds_a_move: float = 10.0
    """Time limit for a decision of an outside agent."""

    def check(self) -> None:
        self.plan.check_agents()

    @cached_property
    def plan(self) -> Any:
        """The step as a plan of the arena."""
        own = {key.name: getattr(self, key.name) for key in fields(self) if key.name not in ("name", "rules")}
        return self.PLAN(**own, preset=self.rules)

    def players(self) -> tuple[str, ...]:
        return self.agents

    @property
    def dtype(self) -> np.dtype[np.void]:
        found: np.dtype[np.void] = self.plan.dtype
        return found

    def tasks(self) -> list[Task]:
        return list(self.plan.tasks())

    def work(self, task: Task) -> int:
        return task.deals * task.per_deal

    @property
    def keeps_games(self) -> bool:
        """Whether the result includes every game; of a long step it has the sums that statistics need."""
        return bool(self.plan.games_in_all <= KEEP_GAMES)

    def worker(self, *, keep_rows: bool) -> Any:
        return AddingUp(play_task, keep_rows or self.keeps_games, all_orders=self.plan.all_orders)

    def _command(self, verb: str, *more: object) -> str:
        words = ["rummylab", verb, self.game, *self.agents, "--games", self.games, *seed_option(self.seed)]
        return shlex.join(str(word) for word in [*words, "--rules", self.rules, *more])


@dataclass(frozen=True, kw_only=True)
class MatchStep(_PlannedStep):
    """Two or more agents on duplicate deals; with *sprt* until the sequential test decides."""

    KIND = "match"
    PLAN = MatchPlan

    sprt: tuple[float, float] | None = None
    """Two win rates: the match ends as soon as a sequential test has decided between them."""
    alpha: float = 0.05
    """Error rate of that test if the lower rate is true."""
    beta: float = 0.05
    """Error rate of that test if the higher rate is true."""
    all_orders: bool = False
    """Play every deal in all circular orders, also with five seats or more, where a sample is the default."""

    def to_dict(self) -> dict[str, Any]:
        found = super().to_dict()
        return found if self.all_orders else {key: value for key, value in found.items() if key != "all_orders"}

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        names = ["win_rate", "points_per_hand", "moving_first", "moving_second"]
        by_agent = dict.fromkeys([*names, *_OF_MATCHES] if game(self.game).formats else names, (0, 1))
        ended = [f"{_plain(name)}_rate" for name in game(self.game).batch.OUTCOMES]
        return by_agent | dict.fromkeys(("hands_per_game", "turns_per_hand", *ended), (0,))

    def result(self, parts: Iterable[Played]) -> MatchStepResult:
        test, total = self.plan.test(), LineupTotal(keep_games=self.keeps_games, all_orders=self.all_orders)
        for task, part in zip(self.tasks(), parts, strict=False):
            sums = total.add(task.start, part)
            if test is not None and test.add_sums(*sums.wins(0)) != "undecided":
                break
        return MatchStepResult(result_of(self.game, self.rules, self.agents, self.seed, total, sprt=test))

    def command(self) -> str:
        if self.sprt is None:
            return self._command("match", *["--all-orders"] * self.all_orders)
        rates = ",".join(f"{rate:g}" for rate in self.sprt)
        return self._command("match", "--sprt", rates, "--alpha", self.alpha, "--beta", self.beta)


_OF_MATCHES: Final = ("place", "gain_per_match")
"""What is measured of matches of several deals too, in games with formats: the mean place, and points or chips."""


def _plain(name: str) -> str:
    return name.replace(" ", "_")


@dataclass(frozen=True)
class MatchStepResult:
    """The result of a match."""

    match: MatchResult

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        number = self.match.agents.index(agents[0]) if agents else 0
        by_agent = {
            "win_rate": self.match.win_rate_of,
            "points_per_hand": self.match.points_per_hand_of,
            "moving_first": self.match.moving_first,
            "moving_second": self.match.moving_second,
            "place": self.match.place_of,
            "gain_per_match": self.match.gain_per_match_of,
        }
        if quantity in by_agent:
            return Measured.of(by_agent[quantity](number))
        sums = self.match.sums
        if quantity == "hands_per_game":
            return Measured.of(sums.hands_per_game())
        if quantity == "turns_per_hand":
            return self._per_hand(sums.turns(), lambda rows: rows["turns"]) if sums["turns"] else Measured.exact(np.nan)
        ends = [f"{_plain(name)}_rate" for name in game(self.match.game).batch.OUTCOMES]
        number = ends.index(quantity)
        return self._per_hand(sums.ended(number), lambda rows: rows["outcomes"][:, number])

    def _per_hand(self, sums: RatioSums, counted: Callable[[Rows], Any]) -> Measured:
        """Return a number of things per hand; *counted* finds it in the games, if they were kept, for a bootstrap."""
        rows = self.match.rows
        pairs = None if rows is None else lambda: (self._by_deal(counted(rows)), self._by_deal(rows["hands"]))
        return Measured.of(ratio_of(sums, 1, pairs))

    def _by_deal(self, counts: Any) -> Floats:
        found: Floats = self.match.by_deal(counts).sum(axis=1)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain values, without what depends on the machine."""
        machine = ("seconds", "hands_per_s", "decision_time")
        return {key: value for key, value in self.match.to_dict().items() if key not in machine}

    def markdown(self) -> str:
        match = self.match
        heads: tuple[str, ...] = "agent", "win rate (95%)", "points per hand (95%)"
        rows: list[tuple[str, ...]] = [
            (as_code(name), share_words(match.win_rate_of(k)), signed_words(match.points_per_hand_of(k), 3))
            for k, name in enumerate(match.labels)
        ]
        if match.has_places:
            heads = "agent", "matches won (95%)", heads[2], "mean place (95%)", "points or chips per match (95%)"
            rows = [(*row, *_place_words(match, k)) for k, row in enumerate(rows)]
        ends = ", ".join(f"{name} {share:.1%}" for name, share in match.outcomes().items())
        text = table(heads, rows)
        text += f"\n{match.games:,} games, {match.hands:,} hands: {ends}.\n"
        if match.sprt is not None:
            test = match.sprt
            text += (
                f"Sequential test of {test.low:g} against {test.high:g}: {test.verdict} after {test.pairs:,} pairs"
                f" (log-likelihood ratio {test.llr:+.2f}).\n"
            )
        return text + _forfeits(match.forfeits())


def _place_words(match: MatchResult, number: int) -> tuple[str, str]:
    """Return an agent's mean place and what it wins in a match of several deals, with their intervals."""
    return share_words(match.place_of(number), 2), signed_words(match.gain_per_match_of(number), 1)


def _forfeits(counts: Mapping[str, int]) -> str:
    lines = [f"{as_code(name)} forfeited {n:,} games.\n" for name, n in counts.items() if n]
    return "".join(lines)


# --- Tournaments ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TournamentStep(_PlannedStep):
    """Every agent against every other, or the first against the others."""

    KIND = "tournament"
    PLAN = Plan

    against_field: bool = False
    """Only the first agent's matches."""
    self_play: bool = False
    """Also every agent against itself."""

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return {"win_rate": (2,), "points_per_hand": (2,), "elo": (1,)}

    def result(self, parts: Iterable[Played]) -> TournamentStepResult:
        known = ((task.key, part) for task, part in zip(self.tasks(), parts, strict=True))
        return TournamentStepResult(standings_of(self.plan, known, keep_games=self.keeps_games))

    def command(self) -> str:
        flags = ["--against-field"] * self.against_field + ["--self-play"] * self.self_play
        return self._command("tournament", *flags)


@dataclass(frozen=True)
class TournamentStepResult:
    """The result of a tournament."""

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
        head, *rows = self.standings.square()
        square = [(f"**{name}**", *cells) for name, *cells in rows]
        elo = [(as_code(r.name), str(r), r.interval) for r in self.standings.ratings()]
        text = table(head, square) + "\n" + table(("agent", "Elo", "95%"), elo)
        text += "\n" + " ".join(rating_notes(self.standings.ratings(), "`{}`".format)) + "\n"
        for cycle in self.standings.cycles():
            text += f"\nCycle: {' beats '.join([*cycle, cycle[0]])}.\n"
        return text + _forfeits(self.standings.forfeits())


# --- Ordered pairs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OrderedStep(Step):
    """Deals that the same agent always opens; all pairs play the same deals.

    Without *against*, all ordered pairs of *agents*.
    """

    KIND = "ordered"
    WORK = staticmethod(play_ordered)

    agents: tuple[str, ...]
    """Registered agents. Without *against*, all ordered pairs of them play, including each agent against itself."""
    against: tuple[str, ...] = ()
    """Opponents: each of *agents* plays each of these instead."""
    both_orders: bool = True
    """With *against*: play both orders; otherwise *agents* always move first."""
    self_play: bool = False
    """With *against*: also every agent against itself."""
    games: Games = 1000
    """Deals of each ordered pair."""

    def check(self) -> None:
        if not self.agents:
            raise OptionError("agents is empty; name at least one agent.")
        for name in self.players():
            entry(self.game, name)
        if not has_gains(self.game):
            raise OptionError(f"{self.game} does not count the points an agent gains in a deal; indian does.")

    def players(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.agents, *self.against)))

    def pairs(self) -> list[tuple[str, str]]:
        pairs = ordered_pairs(self.agents, self.against, both=self.both_orders)
        return list(dict.fromkeys(pairs + [(name, name) for name in self.agents] * self.self_play))

    @property
    def dtype(self) -> np.dtype[np.void]:
        return ORDERED_DEAL

    def tasks(self) -> list[OrderedTask]:
        chunks = chunks_of(self.games, 1, ORDERED_CHUNK)
        return [OrderedTask(self.game, self.rules, *pair, self.seed, *c) for pair in self.pairs() for c in chunks]

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        pair = ("win_rate", "mean_gain", "median_gain", "rounds", "skill", "net_gain", "adjusted")
        return dict.fromkeys(pair, (2,)) | {"edge": (1,)}

    def result(self, parts: Iterable[Played]) -> OrderedStepResult:
        return OrderedStepResult(Ordered.of_chunks(self.tasks(), parts), game(self.game).batch.OUTCOMES)


@dataclass(frozen=True)
class OrderedStepResult:
    """The result of deals with a fixed first mover."""

    ordered: Ordered
    outcomes: Sequence[str]

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        try:
            return Measured.of(self._estimate(quantity, agents))
        except KeyError:  # the step did not play this pair, or only in one order
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
        return table(("moves first", "moves second", "win rate of the first (95%)", "points per deal (95%)"), rows)


# --- Common opponents -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CommonOpponentsStep(Step):
    """Each of *agents* against each of *against*, all on the same duplicate deals."""

    KIND = "field"
    WORK = staticmethod(play_deals)

    agents: tuple[str, ...]
    """Registered agents to compare with each other."""
    against: tuple[str, ...]
    """The opponents that each of them plays."""
    games: Games = 1000
    """Games of each pair."""

    def check(self) -> None:
        for what, names in (("agents", self.agents), ("against", self.against)):
            if not names or len(set(names)) < len(names):
                raise OptionError(f"{what} must name at least one agent, and none twice.")
        for name in self.players():
            entry(self.game, name)

    def players(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.agents, *self.against)))

    @property
    def dtype(self) -> np.dtype[np.void]:
        return DEAL_SUMS

    def tasks(self) -> list[Task]:
        pairs = [(one, two) for one in self.agents for two in self.against]
        chunks = chunks_of(self.games, 2, CHUNK)
        return [Task(self.game, self.rules, pair, self.seed, *c) for pair in pairs for c in chunks]

    def work(self, task: Task) -> int:
        return 2 * task.deals

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        by_agent = dict.fromkeys(("win_rate", "points_per_hand"), (1, 2))
        return by_agent | dict.fromkeys(("lead", "points_lead"), (2, 3))

    def result(self, parts: Iterable[Played]) -> CommonOpponentsResult:
        rows: dict[tuple[str, str], list[Any]] = {}
        for task, part in zip(self.tasks(), parts, strict=True):
            rows.setdefault((task.agents[0], task.agents[1]), []).append(part.rows)
        deals = {pair: np.concatenate(chunks) for pair, chunks in rows.items()}
        return CommonOpponentsResult(CommonOpponents(self.agents, self.against, deals))


@dataclass(frozen=True)
class CommonOpponentsResult:
    """The results of agents against the same opponents."""

    field: CommonOpponents

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        try:
            return Measured.of(getattr(self.field, quantity)(*agents))
        except KeyError:  # the last agent is not an opponent here
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
        return table(("win rate (95%) of", *head, "points per hand (95%)"), rows)


KINDS: Mapping[str, type[Step]] = {
    kind.KIND: kind for kind in (MatchStep, TournamentStep, OrderedStep, CommonOpponentsStep)
}
"""The kinds of steps that every experiment can have."""
