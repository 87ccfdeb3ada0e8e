"""All open tables: finds them, lets people and agents move, tells listeners, and keeps everything in the store.

Everything here runs in one event loop, so a table changes in one place at a time. Only an agent's thinking may run in
another thread; if the table has changed meanwhile, its answer is dropped.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import msgspec

from rummylab.agents.levels import agent_at
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record, parse_records
from rummylab.engine.seats import Seat
from rummylab.engine.show import LogEntry
from rummylab.errors import OptionError, RecordError, TableError
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import (
    Chair,
    TableConfig,
    agent_chair,
    chairs_for,
    daily_seed,
    watched_chairs,
)
from rummylab.ui.table.lessons import Lesson, Script, script
from rummylab.ui.table.opening import wanted_rules
from rummylab.ui.table.session import Command, Session
from rummylab.ui.table.store import Game, TableStore
from rummylab.ui.table.view import (
    TableSummary,
    TableView,
    match_outcome,
    news_of,
    rules_title,
    show_of,
    summary,
    table_view,
)

log = logging.getLogger(__name__)

TOKEN_BYTES: Final = 24
"""Random bytes in the name of a table, a record or an invitation."""
MOST_LIVE: Final = 2000
"""Tables held in memory; the longest unused are loaded again when somebody asks."""
QUICK_MOVE: Final = 0.002
"""Processor seconds: agents that answer faster are asked in the event loop, others in a thread."""
MARKS: Final = 64
"""Versions whose place in the log is remembered for those who reconnect."""


def _timed(ask: Callable[[], tuple[Action, bytes | None]]) -> tuple[tuple[Action, bytes | None], float]:
    """Return the answer, and the processor seconds that it took. They do not depend on what else the machine does."""
    began = time.thread_time()
    return ask(), time.thread_time() - began


def new_token() -> str:
    """Return a name that nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(slots=True, eq=False)
class Live:
    """A table in memory, with those who listen to it."""

    session: Session
    listeners: set[asyncio.Event] = field(default_factory=set)
    driver: asyncio.Task[None] | None = None
    views: dict[int | None, tuple[int, TableView, bytes]] = field(default_factory=dict)
    """The last view of each seat, with its version and its JSON."""
    marks: dict[tuple[int | None, int], int] = field(default_factory=OrderedDict)
    """The number of the last log entry that a seat had been sent at a version."""

    def tell(self) -> None:
        """Wake all listeners."""
        for listener in self.listeners:
            listener.set()


class House:
    """All tables of a server."""

    def __init__(self, store: TableStore, *, now: Callable[[], float] = time.time) -> None:
        self.store, self.now = store, now
        self.live: OrderedDict[str, Live] = OrderedDict()
        self.threads = ThreadPoolExecutor(2, "agent")
        self.thinking: dict[str, float] = {}
        """Processor seconds that the slowest recent move of each agent took; the first one may compile."""

    def close(self) -> None:
        """Stop the threads and close the store."""
        for live in self.live.values():
            if live.driver is not None:
                live.driver.cancel()
        self.threads.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    # --- Finding tables ---------------------------------------------------------------------------------------------

    def _keep(self, session: Session) -> Live:
        session.on_command = partial(self._stored, session.id)
        live = self.live[session.id] = Live(session)
        for name in list(self.live)[: max(0, len(self.live) - MOST_LIVE)]:
            other = self.live[name]
            if not other.listeners and (other.driver is None or other.driver.done()):
                del self.live[name]
        return live

    def _stored(self, table: str, command: Command) -> None:
        self.store.add_command(table, command)

    def find(self, player: int, table: str) -> tuple[Live, int | None]:
        """Return a player's table and their seat.

        Raises:
            TableError: There is no such table, or it belongs to others; which of the two is not told.
        """
        belongs, seat = self.store.seat_of(table, player)
        if not belongs:
            raise TableError("not_found", "There is no such table.")
        return self.get(table), seat

    def get(self, table: str) -> Live:
        """Return a table, from memory or from the store.

        Raises:
            TableError: There is no such table.
        """
        if table in self.live:
            self.live.move_to_end(table)
            return self.live[table]
        session = self.store.load(table)
        if session is None:
            raise TableError("not_found", "There is no such table.")
        live = self._keep(session)
        self.drive(live)
        return live

    def open_tables(self, player: int) -> list[TableSummary]:
        """Return a player's open tables."""
        found = []
        for table in self.store.tables_of(player):
            live, seat = self.find(player, table)
            if not live.session.match_is_over:
                found.append(summary(live.session, seat, self.now()))
        return found

    # --- Opening tables ---------------------------------------------------------------------------------------------

    def open(self, player: int, wanted: Mapping[str, Any]) -> tuple[Live, int | None]:
        """Open a table as a player wants it, and return it with their seat.

        Raises:
            RummyError: The game, the rules, the agents or the seats cannot be had.
        """
        kind = wanted.get("kind") or "play"
        make = {"tutorial": self._tutorial, "daily": self._daily, "watch": self._watch}.get(kind, self._play)
        session, seat = make(player, wanted)
        return self._opened(session, player, seat), seat

    def _opened(self, session: Session, player: int, seat: int | None) -> Live:
        session.finish_for_people()
        self.store.add_table(session, player, seat)
        live = self._keep(session)
        self.drive(live)
        return live

    def _play(self, player: int, wanted: Mapping[str, Any]) -> tuple[Session, int | None]:
        opponents = wanted.get("opponents") or []
        seats = wanted.get("seats") or (len(opponents) + 1 if len(opponents) > 1 else None)
        rules, base = wanted_rules(wanted, seats)
        chairs = chairs_for(rules, self.store.name_of(player), opponents, wanted.get("level"))
        return Session.create(new_token(), TableConfig(chairs=chairs, **base)), 0

    def _watch(self, player: int, wanted: Mapping[str, Any]) -> tuple[Session, int | None]:
        watch = wanted.get("watch") or {}
        agents = watch.get("agents") or []
        rules, base = wanted_rules(wanted, wanted.get("seats") or (len(agents) if len(agents) > 1 else None))
        eyes = watch.get("eyes") or 0
        if eyes >= rules.seats:
            raise OptionError(f"There is no seat {eyes} at a table of {rules.seats}.")
        config = TableConfig(chairs=watched_chairs(rules, agents), kind="watch", eyes=eyes, **base)
        session = Session.create(new_token(), config)
        session.start.rated = False
        return session, None

    def _tutorial(self, player: int, wanted: Mapping[str, Any]) -> tuple[Session, int | None]:
        lesson = script(game_named(wanted["game"]).name)
        if lesson is None:
            raise OptionError(f"There is no tutorial for {wanted['game']}.")
        rules, base = wanted_rules({**wanted, "rules": lesson.rules, "format": None}, None)
        chairs = chairs_for(rules, self.store.name_of(player), [{"agent": lesson.agent}], None)
        base |= {"seed": lesson.seed, "one_hand": True, "hints": "off"}
        session = Session.create(new_token(), TableConfig(chairs=chairs, kind="tutorial", **base))
        session.start.why_unrated = "It is a lesson."
        session.play_agents("person")
        return session, 0

    def today(self) -> str:
        """Return the date of the daily deal."""
        return dt.datetime.fromtimestamp(self.now(), dt.UTC).date().isoformat()

    def daily_table(self, player: int, game: str) -> str | None:
        """Return a player's open table with today's deal."""
        for table in self.store.tables_of(player):
            config = self.get(table).session.config
            if config.kind == "daily" and (config.game, config.date) == (game, self.today()):
                return table
        return None

    def _daily(self, player: int, wanted: Mapping[str, Any]) -> tuple[Session, int | None]:
        game, date = game_named(wanted["game"]).name, self.today()
        if self.store.daily(player, game, date) is not None or self.daily_table(player, game) is not None:
            raise TableError("already_played", "You have played today's deal, or it is still open.")
        rules, base = wanted_rules({"game": game, "hints": "off"}, None)
        chairs = chairs_for(rules, self.store.name_of(player), [{"agent": agent_at(game, 10, rules.options)}], None)
        base |= {"seed": daily_seed(game, date), "one_hand": True}
        return Session.create(new_token(), TableConfig(chairs=chairs, kind="daily", date=date, **base)), 0

    def what_if(self, player: int, record: Record, seat: int, n_events: int, source: str) -> tuple[Live, int]:
        """Open a table in the middle of a recorded hand; the others are played by agents."""
        head = record.header
        spec = game_named(head["game"])
        rules = spec.rules(None, **head["options"])
        chairs = []
        for place in range(rules.seats):
            if place == seat:
                name = self.store.name_of(player)
                chairs.append(Chair("person", name, name))
            else:
                chair = agent_chair(rules, None, None, rules.seats == 2, place)
                chairs.append(chair)
        config = TableConfig(
            game=spec.name,
            rules=str(rules.options),
            rules_title=rules_title(spec, rules),
            kind="what_if",
            chairs=tuple(chairs),
            one_hand=True,
            start={"record": source, "events": n_events},
        )
        session = Session.continued(new_token(), config, record, n_events)
        return self._opened(session, player, seat), seat

    # --- Moves ------------------------------------------------------------------------------------------------------

    def script_of(self, session: Session) -> Script | None:
        """Return the tutorial that a table follows."""
        return script(session.config.game) if session.config.kind == "tutorial" else None

    def move(self, live: Live, seat: int | None, version: int, action: str) -> None:
        """Make a person's move.

        Raises:
            TableError: It is refused. Nothing has changed.
        """
        session = live.session
        if seat is None:
            raise TableError("not_your_turn", "You are watching this table.", session.version)
        lesson = self.script_of(session)
        if lesson is not None:
            session.check_version(version)
            wrong = lesson.explain(session.lesson_step, action)
            if wrong is not None and not session.is_over:
                raise TableError("wrong_move", wrong, session.version)
        session.act(seat, action, version)
        session.lesson_step += lesson is not None
        self.changed(live)

    def next_hand(self, live: Live, version: int) -> None:
        """Deal the next hand."""
        live.session.next_hand(version)
        self.store.save(live.session, new_hand=True)
        self.changed(live, saved=True)

    def take_back(self, live: Live, seat: int | None, version: int) -> None:
        """Take back a person's last move.

        Raises:
            TableError: There is nothing to take back.
        """
        if seat is None:
            raise TableError("nothing_to_take_back", "You are watching this table.", live.session.version)
        live.session.take_back(seat, version)
        self.store.save(live.session)
        self.changed(live, saved=True)

    async def step(self, live: Live, version: int, until: str) -> None:
        """Let the agents of a watched table play one turn, or to the end of the hand."""
        session = live.session
        if session.config.kind != "watch":
            raise TableError("not_your_turn", "Only a table that you watch is played on request.", session.version)
        session.check_version(version)
        if session.is_over:
            raise TableError("hand_over", "The hand is over.", session.version)
        first = session.actor
        while session.agent_is_due and (until == "hand" or session.actor == first):
            if not await self._agent_move(live):
                return
        self.changed(live)

    def leave(self, live: Live, version: int) -> None:
        """Close a table for good."""
        live.session.check_version(version)
        live.session.closed = True
        self.store.delete_table(live.session.id)
        self.live.pop(live.session.id, None)
        live.tell()

    def invite(self, live: Live) -> tuple[str, int]:
        """Return an invitation to an open seat.

        Raises:
            TableError: The table has no open seat.
        """
        seat = next((i for i, chair in enumerate(live.session.config.chairs) if chair.kind == "open"), None)
        if seat is None:
            raise TableError("table_full", "This table has no open seat.", live.session.version)
        code = new_token()
        self.store.add_invite(code, live.session.id, seat)
        return code, seat

    def join(self, player: int, code: str, name: str) -> tuple[Live, int]:
        """Seat a player who was invited.

        Raises:
            TableError: The invitation is used up, or the player sits at the table already.
        """
        found = self.store.invited(code)
        if found is None:
            raise TableError("not_found", "This invitation is not good any more.")
        table, seat = found
        if self.store.seat_of(table, player)[0]:
            raise TableError("table_full", "You already sit at this table.")
        live = self.get(table)
        live.session.join(seat, name)
        self.store.use_invite(code, table, player, seat)
        self.store.save(live.session)
        self.changed(live, saved=True)
        return live, seat

    def changed(self, live: Live, *, saved: bool = False) -> None:
        """Keep what has changed, tell listeners, and let agents move."""
        if live.session.is_over and live.session.record_id is None:
            self._finished(live.session)
            saved = False
        if not saved and (live.session.is_over or live.session.config.kind == "tutorial"):
            self.store.save(live.session)
        live.tell()
        self.drive(live)

    # --- Agents -----------------------------------------------------------------------------------------------------

    def drive(self, live: Live) -> None:
        """Let the agents move who are due, in the background."""
        session = live.session
        if not session.agent_is_due or session.config.kind == "watch" or session.closed:
            return
        if live.driver is None or live.driver.done():
            live.driver = asyncio.get_running_loop().create_task(self._drive(live))

    async def _drive(self, live: Live) -> None:
        session = live.session
        while session.agent_is_due and not session.closed:
            turn = session.actor
            if not await self._agent_move(live):
                await asyncio.sleep(0)
                continue
            if session.actor != turn:
                self._turn_over(live)

    def _turn_over(self, live: Live) -> None:
        session = live.session
        if session.is_over and session.record_id is None:
            self._finished(session)
            self.store.save(session)
        live.tell()

    async def _agent_move(self, live: Live) -> bool:
        """Ask the agent who is due, and make its move; return whether the table had not changed meanwhile."""
        session, version = live.session, live.session.version
        name = session.agent_name()
        ask = partial(_timed, session.agent_move())
        if self.thinking.get(name, 1.0) < QUICK_MOVE:
            answer, seconds = ask()
        else:
            answer, seconds = await asyncio.get_running_loop().run_in_executor(self.threads, ask)
        before = self.thinking.get(name)
        self.thinking[name] = QUICK_MOVE if before is None else max(0.9 * before, seconds)  # the first may compile
        if session.version != version:
            return False
        session.apply_agent(*answer)
        return True

    async def miss_turns(self) -> None:
        """Play for people who miss their turn at tables with others."""
        for live in list(self.live.values()):
            session = live.session
            seat = session.actor
            if session.config.n_people < 2 or seat is None or session.config.chairs[seat].kind != "person":
                continue
            if self.now() - session.changed > session.config.turn_seconds:
                session.play_missed(seat)
                session.finish_for_people()
                self.changed(live)

    # --- Views ------------------------------------------------------------------------------------------------------

    def lesson(self, session: Session) -> Lesson | None:
        """Return where a learner is."""
        found = self.script_of(session)
        return found.lesson(session.lesson_step, session.is_over) if found is not None else None

    def view(self, live: Live, seat: int | None) -> tuple[TableView, bytes]:
        """Return the view of a seat, and its JSON."""
        version = live.session.version
        found = live.views.get(seat)
        if found is None or found[0] != version or live.session.record_id != found[1].record:
            view = table_view(live.session, seat, self.lesson(live.session))
            found = live.views[seat] = version, view, msgspec.json.encode(view)
            self._mark(live, seat, view)
        return found[1], found[2]

    def _mark(self, live: Live, seat: int | None, view: TableView) -> None:
        live.marks[seat, view.version] = view.log[-1].n if view.log else -1
        while len(live.marks) > MARKS:
            live.marks.pop(next(iter(live.marks)))

    def update(self, live: Live, seat: int | None, last: int | None) -> tuple[int, bytes]:
        """Return the message that brings a listener up to date who has seen version *last*."""
        view, body = self.view(live, seat)
        news: tuple[LogEntry, ...] = ()
        if last is not None and live.session.taken_back_at == view.version:
            news = (
                LogEntry(-1, view.hand_no, seat if seat is not None else -1, "A move was taken back.", "take back"),
            )
        elif last is not None and (seat, last) in live.marks:
            news = news_of(view.log, live.marks[seat, last])
        head = msgspec.json.encode({"version": view.version, "news": news})
        return view.version, head[:-1] + b',"view":' + body + b"}"

    # --- The end of a hand ------------------------------------------------------------------------------------------

    def _finished(self, session: Session) -> None:
        """Keep a finished hand in the lists of all who played or watched it."""
        if session.config.kind in ("tutorial", "what_if"):
            return
        session.record_id = new_token()
        text = session.record().to_text()
        for player, seat in self.store.players_at(session.id):
            self.store.add_game(player, replace(self._game(session, seat), text=text))
            if not session.config.one_hand:
                self.store.add_to_match(player, session.id, session.record_id, match_outcome(session, seat))

    def _game(self, session: Session, seat: int | None) -> Game:
        eyes, config = session.config.eyes if seat is None else seat, session.config
        show = show_of(session.observe(eyes), config.chairs, you=seat is not None, hand_no=session.start.number)
        others = [chair for place, chair in enumerate(config.chairs) if place != seat]
        result, gains = show.result(), show.gains()
        alone = others[0] if len({(chair.agent, chair.level) for chair in others}) == 1 else None
        source = {"watch": "watch", "daily": "daily"}.get(config.kind, "table")
        parts = (show.spec.title, config.rules_title, show.match_words(), show.hand_words())
        return Game(
            record=str(session.record_id),
            seat=seat,
            game=config.game,
            source=source,
            heading=" · ".join(part for part in parts if part),
            opponents=", ".join(chair.name for chair in others),
            agent=alone.agent if alone else None,
            level=alone.level if alone else None,
            result=show.end_title(),
            points=float(gains[eyes]),
            won=None if seat is None or result["winner"] is None else result["winner"] == seat,
            rated=session.start.rated and seat is not None,
            date=config.date,
            finished=self.now(),
        )

    def open_file(self, player: int, text: str) -> list[Game]:
        """Keep the hands of a record file in a player's list.

        Raises:
            RecordError: The text is not a record file, or a hand does not follow the rules.
        """
        found = []
        for record in parse_records(text, "the file")[:100]:
            if record.is_redacted:
                raise RecordError("A record of what one seat saw cannot be replayed.")
            state = record.replay()
            rules, names = state.rules, [str(name) for name in record.header["seats"]]
            chairs = tuple(Chair("agent", name, name) for name in names)
            title = rules_title(rules.spec, rules)
            seen: Observation = state.observe(Seat(0))
            show = show_of(seen, chairs, you=False, hand_no=state.hand_no)
            over = state.actor is None
            game = Game(
                record=new_token(),
                seat=None,
                game=rules.name,
                source="file",
                heading=" · ".join((rules.spec.title, title, show.hand_words())),
                opponents=", ".join(names),
                agent=None,
                level=None,
                result=show.end_title() if over else "The hand was not finished.",
                points=float(show.gains()[0]) if over else 0.0,
                won=None,
                rated=False,
                date=None,
                finished=self.now(),
                text=record.to_text(),
            )
            self.store.add_game(player, game)
            found.append(game)
        return found
