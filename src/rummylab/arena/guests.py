"""Compiled agents from outside: each in a process of its own, asked about many tables at a time.

The referee plays all tables of a seating up to the guest's next decisions (:mod:`rummylab.engine.lockstep`), puts
what the guest may see into shared memory and sends how many views there are; the guest writes its codes there and
answers with a line. Only codes, notes and random streams are taken back. While one seating waits for its guest the
referee plays the other one: they have processes of their own, since both play the same deals.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

import numpy as np

import rummylab.arena.shared_views as shared_views
from rummylab.arena.compiled_host import READY
from rummylab.arena.faults import OutsideError
from rummylab.arena.line_process import LineProcess, printable
from rummylab.arena.outside import FRESH_AFTER, START_UP, Start, keep
from rummylab.arena.shared_views import SharedViews
from rummylab.engine.action import Action
from rummylab.engine.agent import STOPPED, STOPPED_WORDS
from rummylab.engine.lockstep import PENDING
from rummylab.engine.observation import Observation
from rummylab.engine.pointers import addresses
from rummylab.engine.rules import Rows, Rules, copy_of
from rummylab.engine.seats import Seat
from rummylab.engine.streams import PlayerStream, as_player_stream
from rummylab.errors import NotationError
from rummylab.games.registry import game

TABLES = 1000
"""Tables of a seating that are played at a time."""
WITHDRAWN_AFTER = 5
"""Faults in a row after which a guest is not asked again in a chunk."""
FORFEIT = -(2**60)
"""The code of a decision that the guest did not make."""
NOTHING, NOWHERE = np.zeros(1, np.float32), np.zeros(2, np.int64)


class GuestProcess:
    """The process of one guest in one seating. It starts when it is first asked, and again after a fault."""

    def __init__(self, game_name: str, start: Start, seconds: float) -> None:
        self.game_name, self.start, self.seconds = game_name, start, seconds
        self.owner = os.getpid()
        self._process: LineProcess | None = None
        self._since = 0.0
        self._asked = ""
        view = game(game_name).rules().view
        size = SharedViews.size(view, TABLES)
        self._file = shared_views.new_file(size)
        self.shared = SharedViews.within(shared_views.mapped(self._file, size), view, TABLES)

    def __del__(self) -> None:
        os.close(self._file)

    def ask(self, n: int) -> None:
        """Ask for the codes of the first *n* views; `answers` waits for them."""
        self.shared.codes[:n] = PENDING
        if self._process is None or not self._process.is_running:
            self._begin()
        assert self._process is not None
        self._asked = str(n)
        self._process.tell(self._asked, self.seconds)

    def wait(self) -> None:
        """Wait for the answer to what was asked."""
        assert self._process is not None
        answer = self._process.hear(self.seconds)
        if answer != self._asked:
            self.stop()
            raise OutsideError("bad answer", f"said {printable(answer, 80)!r} instead of {self._asked!r}")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def refresh(self) -> None:
        """Let a process that is no longer young be followed by a fresh one."""
        if self._process is not None and time.monotonic() - self._since > FRESH_AFTER:
            self.stop()

    def _begin(self) -> None:
        limit = max(START_UP, self.seconds)  # by then everything is compiled; rounds have no more than a move
        self._process = LineProcess(self.start.start(pass_fds=(self._file,)))
        self._since = time.monotonic()
        keep(self._process)
        line = json.dumps({"game": self.game_name, "fd": self._file, "tables": TABLES})
        answer = self._process.ask(line, limit)
        if answer != READY:
            self.stop()
            raise OutsideError("bad answer", f"said {printable(answer, 80)!r} instead of {READY!r}")


class CompiledGuest:
    """A compiled agent from outside. At the Python table it is an :class:`~rummylab.engine.agent.Agent`."""

    def __init__(self, name: str, game_name: str, start: Start, seconds: float) -> None:
        self.name, self.game_name, self._start, self._seconds = name, game_name, start, seconds
        self._seatings: dict[int, CompiledGuest] = {}
        self._own: GuestProcess | None = None
        self._stream = PlayerStream(0)
        self._memory: Any = None

    def in_seating(self, turn: int) -> CompiledGuest:
        """Return the agent for games in seating number *turn*: every seating has a process of its own."""
        new = CompiledGuest(self.name, self.game_name, self._start, self._seconds)
        return self._seatings.setdefault(turn, new)

    @property
    def process(self) -> GuestProcess:
        """The process, with memory that no fork of the referee shares."""
        if self._own is None or self._own.owner != os.getpid():
            self._own = GuestProcess(self.game_name, self._start, self._seconds)
        return self._own

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self._stream = as_player_stream(rng)
        self._memory = None

    def act(self, seen: Observation) -> Action:
        view = copy_of(seen.view)
        view["mine"]["rng"] = self._stream.state
        if self._memory is not None:
            view["mine"]["memory"] = self._memory
        shared = self.process.shared
        shared.views[0] = view[0]
        try:
            self.process.ask(1)
            self.process.wait()
        except OutsideError as error:
            raise OutsideError(error.kind, f"{self.name}: {error}") from None
        code, mine = int(shared.codes[0]), shared.views["mine"][0]
        self._stream.state, self._memory = np.uint64(mine["rng"]), mine["memory"].copy()
        if code == STOPPED:
            raise OutsideError("crash", f"{self.name}: {STOPPED_WORDS}")
        try:
            return seen.rules.decode(code)
        except NotationError as error:
            raise OutsideError("illegal move", f"{self.name}: {error}") from None


class Seating:
    """The games of a chunk in one of the two seatings, many at a time."""

    def __init__(
        self, drivers: Any, rules: Rules, players: Any, root: Any, start: int, swap: int, tallies: Rows
    ) -> None:
        self.players: list[Any] = [
            player.in_seating(swap) if isinstance(player, CompiledGuest) else player for player in players
        ]
        self._advance = drivers.advance
        self.tallies, self.swap = tallies, swap
        self.where = root, start, swap
        tables = min(TABLES, len(tallies) // 2)
        self.rows = rules.new_rows(tables)
        self.game_at, self.started = np.full(tables, -1, np.int64), np.zeros(1, np.int64)
        self.slots, self.codes = np.zeros((2, TABLES), np.int64), np.zeros((2, TABLES), np.int64)
        self.counts = np.zeros(2, np.int64)
        self.guests = {k: p.process for k, p in enumerate(self.players) if isinstance(p, CompiledGuest)}
        self.in_a_row = dict.fromkeys(self.guests, 0)
        self.reasons: dict[int, tuple[str, str]] = {}
        """Why a game was forfeited, by its place among the tallies."""
        self.failed: dict[int, OutsideError] = {}
        for process in self.guests.values():
            process.refresh()
        none = np.zeros(0, rules.view)
        self.views = [self.guests[k].shared.views if k in self.guests else none for k in range(2)]
        signature = game(rules.name).act_signature
        self.acts = [
            NOWHERE if k in self.guests else addresses(p.pointer, signature) for k, p in enumerate(self.players)
        ]
        self.pars = [NOTHING if k in self.guests else p.par for k, p in enumerate(self.players)]

    def advance(self) -> bool:
        """Play up to the guests' next decisions and ask for them; return whether there are any."""
        mask = sum(1 << k for k in self.guests)
        self._advance(
            self.rows,
            self.game_at,
            self.started,
            *self.where,
            *self.acts,
            *self.pars,
            mask,
            self.tallies,
            *self.views,
            self.slots,
            self.codes,
            self.counts,
        )
        for k, process in self.guests.items():
            if self.counts[k] and self.in_a_row[k] < WITHDRAWN_AFTER:
                try:
                    process.ask(int(self.counts[k]))
                except OutsideError as error:
                    self.failed[k] = error
        return bool(self.counts.any())

    def collect(self) -> None:
        """Take the guests' answers."""
        for k, process in self.guests.items():
            n = int(self.counts[k])
            if not n:
                continue
            codes = self.codes[k, :n]
            if self.in_a_row[k] >= WITHDRAWN_AFTER:
                codes[:] = FORFEIT
                words = f"not asked after {WITHDRAWN_AFTER} faults in a row"
                self._forfeit(k, range(n), "withdrawn", words)
                continue
            try:
                if k in self.failed:
                    raise self.failed.pop(k)
                process.wait()
            except OutsideError as error:
                self._blame(k, error)
            else:
                self.in_a_row[k] = 0
                codes[:] = process.shared.codes[:n]
                codes[codes == PENDING] = FORFEIT - 1  # an answer like any other that is not a move

    def _blame(self, k: int, error: OutsideError) -> None:
        """The first view without an answer costs its game; those after it are asked for again."""
        n = int(self.counts[k])
        codes = self.codes[k, :n]
        codes[:] = self.guests[k].shared.codes[:n]
        open_ones = np.flatnonzero(codes == PENDING)
        culprit = int(open_ones[0]) if len(open_ones) else n - 1
        codes[culprit] = FORFEIT
        codes[culprit + 1 :] = PENDING
        self.in_a_row[k] += 1
        self._forfeit(k, [culprit], error.kind, f"{self.players[k].name}: {error}")

    def _forfeit(self, k: int, places: Any, kind: str, words: str) -> None:
        for j in places:
            self.reasons[2 * int(self.game_at[self.slots[k, j]]) + self.swap] = kind, words


def play_chunk(rules: Rules, players: Any, root: Any, start: int, tallies: Rows) -> dict[int, tuple[str, str]]:
    """Play the games of *tallies*, two a deal; return why games were forfeited, by their place."""
    drivers = game(rules.name).guests  # compiled before the referee's processes part
    if not len(tallies):
        return {}
    seatings = [Seating(drivers, rules, players, root, start, swap, tallies) for swap in range(2)]
    waiting = [seating for seating in seatings if seating.advance()]
    while waiting:
        for seating in list(waiting):
            seating.collect()
            if not seating.advance():
                waiting.remove(seating)
    return {place: reason for seating in seatings for place, reason in seating.reasons.items()}
