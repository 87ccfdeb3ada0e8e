"""One table: the hand in play, who sits where, and every change numbered.

A session is the only place that holds a `State`. Front ends get views, which are built from one seat's observation. All
changes go through `act`, `take_back`, `next_hand` and their like; each has the version it answers, so a request
that comes twice or too late changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from rummylab.agents.handicap import Handicapped
from rummylab.agents.registry import agent as named_agent
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action, Event
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.commitment import commitment, new_salt
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record
from rummylab.engine.rows import Rows, copy_of, count_hands
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import new_key, player_stream
from rummylab.errors import IllegalActionError, NotationError, TableError
from rummylab.ui.table.config import TableConfig
from rummylab.ui.table.missed import missed_move

TAKE_BACK: Final = "take back"
MOVE: Final = "move"


@dataclass(frozen=True, slots=True)
class Command:
    """One change to the hand in play, as it is stored."""

    version: int
    kind: str
    """``move``, or ``take back``."""
    seat: int
    text: str
    """The move in words, or how many moves were taken back."""
    memo: bytes | None = None
    """What an agent remembers after its move."""


@dataclass(slots=True)
class HandStart:
    """What a hand begins with."""

    number: int
    seed: int
    salt: str
    row: bytes
    """The position before the deal: scores and standing."""
    starter: int
    scores: tuple[int, ...]
    standing: dict[str, list[int]]
    rated: bool = True
    why_unrated: str = ""
    deck: str = ""
    """The deck of a hand that continues a record; empty: the seed deals it."""


@dataclass(slots=True)
class _Memo:
    """What an agent remembered after move number *n*."""

    n: int
    seat: int
    memo: bytes


@lru_cache(maxsize=256)
def _prototype(game: str, name: str) -> Any:
    return named_agent(game, name)


def make_agent(game: str, name: str, noise: float = 0.0) -> Agent:
    """Return a new agent, perhaps with a handicap; tables share its numbers, which may be many."""
    found = _prototype(game, name)
    is_plain = type(found) is CompiledAgent
    agent = CompiledAgent(found.name, found.kernel, found.params) if is_plain else named_agent(game, name)
    return Handicapped(agent, noise) if noise else agent


@dataclass(slots=True)
class Session:
    """A table with a hand in play."""

    id: str
    config: TableConfig
    rules: Rules
    start: HandStart
    state: State
    version: int = 0
    changed: float = field(default_factory=time.time)
    agents: dict[int, Agent] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    """Changes to this hand."""
    on_command: Callable[[Command], None] = lambda command: None
    record_id: str | None = None
    missed: dict[int, int] = field(default_factory=dict)
    """Turns in a row that a person has missed, by seat."""
    taken_back_at: int = -1
    """The version of the last take-back."""
    closed: bool = False
    _memos: list[_Memo] = field(default_factory=list)
    _movers: list[int] = field(default_factory=list)
    """Who made each move that `State.pop` can take back."""
    _auto: list[bool] = field(default_factory=list)
    """Which of them the table made for a person."""
    lesson_step: int = 0

    # --- Opening ----------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, id: str, config: TableConfig, *, seed: int | None = None) -> Session:
        """Open a table and deal its first hand."""
        rules = config.make_rules()
        seed = config.seed if seed is None else seed
        key = new_key() if seed is None else seed
        start = cls._new_start(rules, rules.new_rows(1), key, 0, int(rules.first_starter(key)))
        if seed is not None and config.kind != "daily":
            start.rated, start.why_unrated = False, "The cards come from a typed seed."
        return cls(id, config, rules, start, cls._deal(rules, start))._take_seats()

    @classmethod
    def continued(cls, id: str, config: TableConfig, record: Record, n_events: int) -> Session:
        """Open a table in the middle of a recorded hand, after *n_events* of its events. Such a hand does not count."""
        rules, head = config.make_rules(), record.header
        row = rules.new_rows(1)
        rules.set_scores(row, head["scores"])
        rules.set_standing(row, head.get("standing", {}))
        count_hands(row, head["hand"])
        start = cls._new_start(rules, row, new_key(), head["hand"], head["starter"])
        start.rated, start.why_unrated, start.deck = False, "The hand continues a recorded one.", head["deck"]
        found = cls(id, config, rules, start, cls._deal(rules, start))._take_seats()
        for event in record.events[:n_events]:
            if event.chosen and not found.is_over:
                found._push(event.action, int(event.seat))
        found._auto = [True] * len(found._auto)  # what was recorded cannot be taken back
        return found

    @staticmethod
    def _new_start(rules: Rules, row: Rows, seed: int, number: int, starter: int) -> HandStart:
        return HandStart(
            number, seed, new_salt(), row.tobytes(), starter, tuple(rules.scores(row)), rules.standing(row)
        )

    @staticmethod
    def _deal(rules: Rules, start: HandStart) -> State:
        """Deal the hand that *start* describes. Bytes of another version of the record give way to the scores."""
        if len(start.row) == rules.record.itemsize:
            row = copy_of(np.frombuffer(start.row, rules.record))
        else:
            row = rules.new_rows(1)
            rules.set_scores(row, start.scores)
            rules.set_standing(row, start.standing)
            count_hands(row, start.number)
        deck = Deck.parse(start.deck) if start.deck else rules.shuffled(start.seed, 0, start.number)
        return State(rules, row, deck, start.starter, hand_no=start.number)

    @classmethod
    def load(
        cls, id: str, config: TableConfig, start: HandStart, version: int, commands: Sequence[Command], step: int = 0
    ) -> Session:
        """Return a table as it was left: the hand is dealt again, and its moves are repeated."""
        rules = config.make_rules()
        found = cls(id, config, rules, start, cls._deal(rules, start), version)._take_seats()
        found.lesson_step = step
        for command in commands:
            found._repeat(command)
        found.commands = list(commands)
        found._restore_agents()
        return found

    def _repeat(self, command: Command) -> None:
        if command.kind == TAKE_BACK:
            for _ in range(int(command.text)):
                self._pop()
            return
        self.state.push(Action.parse(command.text))
        self._movers.append(command.seat)
        self._auto.append(False)
        if command.memo is not None:
            self._memos.append(_Memo(self.state.n_moves, command.seat, command.memo))

    def _take_seats(self) -> Session:
        """Make the agents and let them sit down for this hand."""
        for seat, chair in enumerate(self.config.chairs):
            if chair.kind == "agent" and chair.agent is not None:
                if seat not in self.agents:
                    self.agents[seat] = make_agent(self.config.game, chair.agent, chair.noise)
                self._sit(seat)
        return self

    def _sit(self, seat: int) -> None:
        # A stream for each hand: a restart replays the hand in play, not the match.
        self.agents[seat].sit(self.rules, Seat(seat), player_stream(self.start.seed, self.start.number, seat))

    def _restore_agents(self) -> None:
        """Let every agent remember what it knew at the present move."""
        for seat, agent in self.agents.items():
            self._sit(seat)
            last = next((memo for memo in reversed(self._memos) if memo.seat == seat), None)
            if last is not None and isinstance(agent, CompiledAgent | Handicapped):
                agent.restore(last.memo)

    # --- Questions --------------------------------------------------------------------------------------------------

    @property
    def actor(self) -> int | None:
        """Whose turn it is; None if the hand is over."""
        return None if self.state.actor is None else int(self.state.actor)

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.state.actor is None

    @property
    def match_is_over(self) -> bool:
        """Whether no hand follows."""
        return self.is_over and (self.config.one_hand or self.state.match_is_over)

    @property
    def agent_is_due(self) -> bool:
        """Whether an agent is to act."""
        return self.actor in self.agents

    @property
    def commitment(self) -> str:
        """The hash that was published before the hand."""
        options = self.rules.options.to_dict()
        return commitment(self.rules.name, options, self.start.number, self.start.seed, self.start.salt)

    def observe(self, seat: int) -> Observation:
        """Return what *seat* may know."""
        return self.state.observe(seat)

    def names(self) -> list[str]:
        """Return the players' short names, by seat."""
        return [chair.short for chair in self.config.chairs]

    def check_version(self, version: int) -> None:
        """Raise `TableError` unless *version* is the present one."""
        if version != self.version:
            raise TableError("stale", "The table has moved on since then.", self.version)

    # --- Changes ----------------------------------------------------------------------------------------------------

    def _push(self, action: Action, seat: int, *, automatic: bool = False, memo: bytes | None = None) -> None:
        self.state.push(action)
        self.version += 1
        self.changed = time.time()
        self._movers.append(seat)
        self._auto.append(automatic)
        if memo is not None:
            self._memos.append(_Memo(self.state.n_moves, seat, memo))
        command = Command(self.version, MOVE, seat, str(action), memo)
        self.commands.append(command)
        self.on_command(command)

    def act(self, seat: int, text: str, version: int) -> None:
        """Make a person's move.

        Raises:
            TableError: The version is old, it is not their turn, or the move is not legal. Nothing has changed.
        """
        self.check_version(version)
        if self.is_over:
            raise TableError("hand_over", "The hand is over.", self.version)
        if self.actor != seat:
            raise TableError("not_your_turn", "It isn't your turn.", self.version)
        action = self._legal(seat, text)
        self._push(action, seat)
        self.missed[seat] = 0
        self.finish_for_people()

    def _legal(self, seat: int, text: str) -> Action:
        """Return the move that *text* names, if it is legal; otherwise say why not, in words that only *seat* reads."""
        try:
            action = Action.parse(text)
        except NotationError:
            raise TableError("illegal_move", "That is not a move of this game.", self.version) from None
        seen = self.observe(seat)
        if action in seen.legal:
            return action
        for legal in seen.legal:
            if (legal.verb, legal.on, sorted(legal.cards)) == (action.verb, action.on, sorted(action.cards)):
                return legal
        raise TableError("illegal_move", f"You can't do that: {self._why_not(action)}.", self.version)

    def _why_not(self, action: Action) -> str:
        """Say why a move is refused. The rules explain it from the actor's own cards and the table."""
        try:
            self.state.push(action)
        except IllegalActionError as error:
            return str(error.reason or "it is not legal now")
        self.state.pop()  # another spelling of a legal move: the referee is strict
        return "it is not legal now"

    def finish_for_people(self) -> None:
        """Make the moves that the table makes for people: melds and layoffs at the showdown."""
        while (seat := self.actor) is not None and self.config.chairs[seat].kind == "person":
            automatic = self.observe(seat).automatic()
            if automatic is None:
                return
            self._push(automatic, seat, automatic=True)

    def agent_move(self) -> Callable[[], tuple[Action, bytes | None]]:
        """Return a function that asks the agent whose turn it is; it may run in another thread."""
        seat = self.actor
        assert seat is not None
        agent, seen = self.agents[seat], self.observe(seat)

        def ask() -> tuple[Action, bytes | None]:
            action = agent.act(seen)
            return action, agent.snapshot() if isinstance(agent, CompiledAgent | Handicapped) else None

        return ask

    def agent_name(self) -> str:
        """Return the game and the name of the agent whose turn it is."""
        seat = self.actor
        assert seat is not None
        return f"{self.config.game} {self.config.chairs[seat].agent}"

    def apply_agent(self, action: Action, memo: bytes | None) -> None:
        """Make an agent's move."""
        seat = self.actor
        assert seat is not None
        self._push(action, seat, memo=memo)
        self.finish_for_people()

    def play_agents(self, until: str = "turn") -> None:
        """Let agents move, in this thread: one turn, or all that are due before a person is."""
        first = self.actor
        while self.agent_is_due and (until != "turn" or self.actor == first):
            self.apply_agent(*self.agent_move()())

    def play_missed(self, seat: int) -> None:
        """Play the turn of a person who has missed it."""
        self.missed[seat] = self.missed.get(seat, 0) + 1
        while self.actor == seat:
            n = len(self.state.log)
            self._push(missed_move(self.observe(seat), self.missed[seat]), seat, automatic=True)
            if self.state.log[n].action.verb in ("discard", "drop"):
                break

    # --- Taking back ------------------------------------------------------------------------------------------------

    def take_back_plan(self, seat: int) -> tuple[int, bool]:
        """Return how many moves a take-back undoes (0: none is possible), and whether a card was seen since."""
        if self.is_over or self.closed or self.config.kind == "tutorial":
            return 0, False
        n = next((i for i in range(len(self._movers) - 1, -1, -1) if self._is_choice(i, seat)), None)
        if n is None:
            return 0, False
        pops = len(self._movers) - n
        if self.config.n_people > 1 and any(self._movers[i] != seat for i in range(n, len(self._movers))):
            return 0, False
        return pops, any(map(self._reveals, self._events_since(n, seat), [seat] * len(self.state.log)))

    def _is_choice(self, i: int, seat: int) -> bool:
        return self._movers[i] == seat and not self._auto[i]

    def _events_since(self, n: int, seat: int) -> list[Event]:
        """Return what *seat* saw from move number *n* on."""
        log = self.observe(seat).log
        chosen = [i for i, event in enumerate(log) if event.chosen]
        return list(log[chosen[n] :]) if n < len(chosen) else []

    @staticmethod
    def _reveals(event: Event, seat: int) -> bool:
        """Return whether *seat* saw a card that it did not know before."""
        if event.seat == seat and event.chosen:
            return bool(event.secret) and not event.action.cards  # a card drawn; a card thrown or passed was known
        return bool(event.secret or event.action.cards)

    def take_back(self, seat: int, version: int) -> None:
        """Undo the last decision of *seat* and all that followed. After a card was seen the hand does not count.

        Raises:
            TableError: There is nothing to take back, or the version is old.
        """
        self.check_version(version)
        pops, seen = self.take_back_plan(seat)
        if not pops:
            raise TableError("nothing_to_take_back", "There is nothing to take back.", self.version)
        for _ in range(pops):
            self._pop()
        self._restore_agents()
        self.version += 1
        self.changed = time.time()
        self.taken_back_at = self.version
        if seen:
            self.start.rated, self.start.why_unrated = False, "A move was taken back after a card was seen."
        command = Command(self.version, TAKE_BACK, seat, str(pops))
        self.commands.append(command)
        self.on_command(command)

    def _pop(self) -> None:
        self.state.pop()
        self._movers.pop()
        if self._auto:
            self._auto.pop()
        self._memos = [memo for memo in self._memos if memo.n <= self.state.n_moves]

    # --- The next hand ----------------------------------------------------------------------------------------------

    def next_hand(self, version: int) -> None:
        """Deal the next hand.

        Raises:
            TableError: This hand is not over, the match is, or the version is old.
        """
        self.check_version(version)
        if not self.is_over:
            raise TableError("hand_not_over", "This hand is not over yet.", self.version)
        if self.match_is_over:
            raise TableError("hand_over", "The match is over.", self.version)
        row = self.state.rows()
        seed = new_key() if self.config.seed is None else self.config.seed
        number, unrated = self.start.number + 1, self.config.seed is not None and self.config.kind != "daily"
        self.start = self._new_start(self.rules, row, seed, number, int(self.rules.next_starter(row)))
        if unrated:
            self.start.rated, self.start.why_unrated = False, "The cards come from a typed seed."
        self.state = self._deal(self.rules, self.start)
        self.version += 1
        self.changed = time.time()
        self.commands, self._memos, self._movers, self._auto = [], [], [], []
        self.record_id = None
        self._take_seats()

    def join(self, seat: int, name: str) -> None:
        """Seat a person on an open chair.

        Raises:
            TableError: The chair is taken.
        """
        if self.config.chairs[seat].kind != "open":
            raise TableError("table_full", "That seat is taken.", self.version)
        self.config = self.config.seated(seat, name)
        self.version += 1
        self.changed = time.time()

    def record(self) -> Record:
        """Return the record of the hand, with its commitment and what it was made from."""
        record = Record.of(self.state, [chair.name for chair in self.config.chairs], self.start.seed)
        return Record(
            record.header | {"commitment": self.commitment, "salt": self.start.salt}, record.events, record.result
        )

    def people(self) -> Iterator[int]:
        """Yield the seats of people."""
        for seat, chair in enumerate(self.config.chairs):
            if chair.kind == "person":
                yield seat
