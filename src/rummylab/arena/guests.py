"""Compiled agents from outside: each in a process of its own, asked about many tables at a time.

The referee plays all tables of a seating up to the guest's next decisions (:mod:`rummylab.engine.lockstep`), puts
what the guest may see into shared memory and sends how many views there are; the guest writes its codes there and
answers with a line. Only codes, notes and random streams are taken back. While one seating waits for its guest, the
referee plays the others. Each has processes of its own, since all play the same deals.
"""

from __future__ import annotations

import json
import os
import time
from functools import cache
from typing import Any

import numpy as np

import rummylab.arena.shared_views as shared_views
from rummylab.arena.compiled_host import READY
from rummylab.arena.faults import OutsideError
from rummylab.arena.line_process import LineProcess, printable
from rummylab.arena.outside import FRESH_AFTER, START_UP, Start, keep
from rummylab.arena.seating import games_per_deal, seatings_of
from rummylab.arena.shared_views import SharedViews
from rummylab.engine.action import Action
from rummylab.engine.agent import STOPPED, STOPPED_WORDS
from rummylab.engine.batch import BatchDriver, narrow, packed_by_deal
from rummylab.engine.lockstep import PENDING, answering
from rummylab.engine.observation import Observation
from rummylab.engine.pointers import N_FIELDS, addresses
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.streams import PlayerStream, as_player_stream
from rummylab.errors import NotationError
from rummylab.games.registry import game

TABLES = 1000
"""How many tables of a seating are played at the same time."""
WITHDRAWN_AFTER = 5
"""Consecutive faults after which a guest is not asked again in a chunk."""
FORFEIT = -(2**60)
"""The code of a decision that the guest did not make."""


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
        """Ask for the codes of the first *n* views; `wait` waits for them."""
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
        """End a process that has run for a while, so that a fresh one follows."""
        if self._process is not None and time.monotonic() - self._since > FRESH_AFTER:
            self.stop()

    def _begin(self) -> None:
        limit = max(START_UP, self.seconds)  # by then everything is compiled; rounds have no more than a move
        _compile_for_guests(self.game_name)
        self._process = LineProcess(self.start.start(pass_fds=(self._file,)))
        self._since = time.monotonic()
        keep(self._process)
        line = json.dumps({"game": self.game_name, "fd": self._file, "tables": TABLES})
        answer = self._process.ask(line, limit)
        if answer != READY:
            self.stop()
            raise OutsideError("bad answer", f"said {printable(answer, 80)!r} instead of {READY!r}")


@cache
def _compile_for_guests(game_name: str) -> None:
    """Compile into the cache what every guest needs: guests read the cache but cannot write to it."""
    kernels = game(game_name).kernels
    answering(kernels.VIEW, kernels.ACT)


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
        self._stream.state, self._memory = int(mine["rng"]), mine["memory"].copy()
        if code == STOPPED:
            raise OutsideError("crash", f"{self.name}: {STOPPED_WORDS}")
        try:
            return seen.rules.decode(code)
        except NotationError as error:
            raise OutsideError("illegal move", f"{self.name}: {error}") from None


class SeatingGames:
    """The games of a chunk in one seating of each deal, many at a time."""

    def __init__(
        self,
        driver: BatchDriver,
        rules: Rules,
        players: Any,
        root: Any,
        start: int,
        place: int,
        tallies: Rows,
        all_orders: bool = False,
    ) -> None:
        """Prepare the games in seating number *place* of the deals from *start* on; *tallies* has one for each."""
        self.players: list[Any] = [
            player.in_seating(place) if isinstance(player, CompiledGuest) else player for player in players
        ]
        self._advance = driver.advance
        self.tallies = tallies
        tables, seats = min(TABLES, len(tallies)), rules.seats
        seated = packed_by_deal(seatings_of(seats, start, len(tallies), all_orders), seats)
        self.where = root, start, np.ascontiguousarray(seated[:, place])
        self.rows = rules.new_rows(tables)
        self.game_at, self.started = np.full(tables, -1, np.int64), np.zeros(1, np.int64)
        self.slots, self.codes = np.zeros((seats, TABLES), np.int64), np.zeros((seats, TABLES), np.int64)
        self.counts = np.zeros(seats, np.int64)
        self.guests = {k: p.process for k, p in enumerate(self.players) if isinstance(p, CompiledGuest)}
        self.in_a_row = dict.fromkeys(self.guests, 0)
        self.reasons: dict[int, tuple[str, str]] = {}
        """Why a game was forfeited, by its number among the games of this seating."""
        self.failed: dict[int, OutsideError] = {}
        for process in self.guests.values():
            process.refresh()
        self.views, self.agents = np.zeros(seats, np.int64), np.zeros((seats, N_FIELDS), np.int64)
        for k, agent in enumerate(self.players):
            if k in self.guests:
                self.views[k] = self.guests[k].shared.views.ctypes.data
            else:
                self.agents[k] = addresses([agent.kernel], [agent.params], game(rules.name).act_signature)[0]

    def advance(self) -> bool:
        """Play up to the guests' next decisions and ask for them; return whether there are any."""
        games = self.rows, self.game_at, self.started, *self.where
        self._advance(*games, self.agents, self.views, self.tallies, self.slots, self.codes, self.counts)
        for k, process in self.guests.items():
            if self.counts[k] and self.in_a_row[k] < WITHDRAWN_AFTER:
                try:
                    process.ask(int(self.counts[k]))
                except OutsideError as error:
                    self.failed[k] = error
        return bool(self.counts.any())

    def collect(self) -> None:
        """Take the guests' answers, or forfeit the games of a guest that failed."""
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
                codes[codes == PENDING] = FORFEIT - 1  # an illegal move like any other

    def _blame(self, k: int, error: OutsideError) -> None:
        """Forfeit the game of the first view without an answer; the views after it are asked for again."""
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
            self.reasons[int(self.game_at[self.slots[k, j]])] = kind, words


def play_chunk(
    rules: Rules, players: Any, root: Any, start: int, tallies: Rows, all_orders: bool = False
) -> dict[int, tuple[str, str]]:
    """Play the games of *tallies*, every deal in all its seatings; return why games were forfeited, by their place."""
    driver: BatchDriver = game(rules.name).batch.DRIVER
    _ = driver.advance  # compiled before the referee's processes part
    if not len(tallies):
        return {}
    per_deal, wide = games_per_deal(rules.seats, all_orders), np.zeros(len(tallies), driver.widest)
    seatings = [
        SeatingGames(driver, rules, players, root, start, place, wide[place::per_deal], all_orders)
        for place in range(per_deal)
    ]
    waiting = [seating for seating in seatings if seating.advance()]
    while waiting:
        for seating in list(waiting):
            seating.collect()
            if not seating.advance():
                waiting.remove(seating)
    narrow(wide, tallies)
    return {
        per_deal * number + place: reason
        for place, seating in enumerate(seatings)
        for number, reason in seating.reasons.items()
    }
