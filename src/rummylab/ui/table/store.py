"""What the tables keep, in one SQLite file: players, open tables, finished hands, reviews and puzzles.

Of a table it keeps the seed, the options and the moves of the hand in play; loading it repeats the moves. Tokens are
kept as hashes: who reads the file cannot take a seat.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rummylab.engine.streams import key_text
from rummylab.errors import StoreError
from rummylab.ui.table.config import TableConfig
from rummylab.ui.table.session import Command, HandStart, Session

VERSION: Final = 1
TERMINAL: Final = "terminal"
"""Takes the place of a token's hash for the person at the terminal."""
SCHEMA: Final = """
CREATE TABLE players (id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, name TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE tables (
    id TEXT PRIMARY KEY, config TEXT NOT NULL, version INTEGER NOT NULL, step INTEGER NOT NULL DEFAULT 0,
    hand TEXT NOT NULL, row BLOB NOT NULL, record TEXT, changed REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE seats (
    tbl TEXT NOT NULL, player INTEGER NOT NULL, seat INTEGER, PRIMARY KEY (tbl, player)) WITHOUT ROWID;
CREATE INDEX seats_of ON seats (player);
CREATE TABLE commands (
    tbl TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL, seat INTEGER NOT NULL, text TEXT NOT NULL,
    memo BLOB, PRIMARY KEY (tbl, version)) WITHOUT ROWID;
CREATE TABLE games (
    record TEXT NOT NULL, player INTEGER NOT NULL, seat INTEGER, game TEXT NOT NULL, source TEXT NOT NULL,
    heading TEXT NOT NULL, opponents TEXT NOT NULL, agent TEXT, level INTEGER, result TEXT NOT NULL,
    points REAL NOT NULL, won INTEGER, rated INTEGER NOT NULL, date TEXT, finished REAL NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (record, player)) WITHOUT ROWID;
CREATE INDEX games_of ON games (player, finished);
CREATE TABLE reviews (
    record TEXT NOT NULL, seat INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (record, seat)) WITHOUT ROWID;
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY, player INTEGER NOT NULL, record TEXT NOT NULL, game TEXT NOT NULL, kind TEXT NOT NULL,
    loss REAL NOT NULL, body TEXT NOT NULL, solved INTEGER);
CREATE TABLE invites (code TEXT PRIMARY KEY, tbl TEXT NOT NULL, seat INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0);
"""
ADDED: Final = """
CREATE TABLE IF NOT EXISTS match_hands (
    record TEXT NOT NULL, player INTEGER NOT NULL, tbl TEXT NOT NULL, outcome TEXT NOT NULL,
    PRIMARY KEY (record, player)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hands_of_match ON match_hands (player, tbl);
"""
"""What was added since files of this version exist. Files without it get it, and earlier programs do not read it."""


def default_store() -> Path:
    """Return the file that tables are kept in: ``$RUMMYLAB_TABLES``, or in the user's data directory."""
    if given := os.environ.get("RUMMYLAB_TABLES"):
        return Path(given)
    base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "rummylab" / "tables.db"


def hashed(token: str) -> str:
    """Return a token as the store keeps it."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Game:
    """A finished hand in a player's list."""

    record: str
    seat: int | None
    game: str
    source: str
    heading: str
    opponents: str
    agent: str | None
    level: int | None
    result: str
    points: float
    won: bool | None
    rated: bool
    date: str | None
    finished: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Finished hands of one match in a player's list."""

    id: str
    """The table that it was played at."""
    hands: int
    outcome: str
    """Who won it, in words; empty: it is not over."""
    last: Game


class TableStore:
    """The file that tables are kept in."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._open()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be used to keep tables in: {error}") from None

    def _open(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found == 0:
            self._db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        elif found != VERSION:
            raise StoreError(f"{self.path} keeps tables of version {found}, not {VERSION}: use another file.")
        self._db.executescript(ADDED)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        found = self._all(sql, *values)
        return found[0] if found else None

    def _do(self, sql: str, *values: Any) -> None:
        with self._lock:
            self._db.execute(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything inside, or nothing."""
        with self._lock:
            self._db.execute("BEGIN")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # --- Players ----------------------------------------------------------------------------------------------------

    def player(self, token: str) -> int | None:
        """Return the player with this token."""
        found = self._one("SELECT id FROM players WHERE token=?", hashed(token))
        return int(found[0]) if found else None

    def new_player(self, token: str, name: str = "You") -> int:
        """Add a player and return their number."""
        with self._lock:
            done = self._db.execute(
                "INSERT INTO players (token, name, created) VALUES (?, ?, ?)", (hashed(token), name, time.time())
            )
            return int(done.lastrowid or 0)

    def local_player(self) -> int:
        """Return the person at this machine's terminal. Tokens are kept as hashes, so none of them leads here."""
        with self._lock:
            self._db.execute(
                "INSERT OR IGNORE INTO players (token, name, created) VALUES (?, ?, ?)", (TERMINAL, "You", time.time())
            )
        found = self._one("SELECT id FROM players WHERE token=?", TERMINAL)
        assert found is not None
        return int(found[0])

    def name_of(self, player: int) -> str:
        """Return a player's name."""
        found = self._one("SELECT name FROM players WHERE id=?", player)
        return str(found[0]) if found else "You"

    def rename(self, player: int, name: str) -> None:
        """Change a player's name."""
        self._do("UPDATE players SET name=? WHERE id=?", name, player)

    # --- Tables -----------------------------------------------------------------------------------------------------

    def add_table(self, session: Session, player: int, seat: int | None) -> None:
        """Keep a new table, with its first player or watcher."""
        hand, row = _hand_json(session.start), session.start.row
        config = json.dumps(session.config.to_dict())
        with self.transaction():
            self._do(
                "INSERT INTO tables (id, config, version, step, hand, row, changed) VALUES (?, ?, ?, ?, ?, ?, ?)",
                session.id, config, session.version, session.lesson_step, hand, row, session.changed,
            )  # fmt: skip
            self._do("INSERT INTO seats VALUES (?, ?, ?)", session.id, player, seat)
            for command in session.commands:
                self.add_command(session.id, command)

    def add_command(self, table: str, command: Command) -> None:
        """Keep one change to the hand in play."""
        self._do(
            "INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)",
            table, command.version, command.kind, command.seat, command.text, command.memo,
        )  # fmt: skip

    def save(self, session: Session, *, new_hand: bool = False) -> None:
        """Keep a table's version, chairs and flags; at a *new_hand* the moves of the last one are dropped."""
        with self.transaction():
            if new_hand:
                self._do("DELETE FROM commands WHERE tbl=?", session.id)
            self._do(
                "UPDATE tables SET config=?, version=?, step=?, hand=?, row=?, record=?, changed=?, closed=? "
                "WHERE id=?",
                json.dumps(session.config.to_dict()), session.version, session.lesson_step, _hand_json(session.start),
                session.start.row, session.record_id, session.changed, int(session.closed), session.id,
            )  # fmt: skip

    def load(self, table: str) -> Session | None:
        """Return the table as it was left; None if there is no open one."""
        found = self._one(
            "SELECT config, version, step, hand, row, record, changed FROM tables WHERE id=? AND NOT closed", table
        )
        if found is None:
            return None
        config, version, step, hand, row, record, changed = found
        rows = self._all("SELECT version, kind, seat, text, memo FROM commands WHERE tbl=? ORDER BY version", table)
        commands = [Command(*one) for one in rows]
        version = max([version, *(command.version for command in commands)])
        start = _hand_start(hand, row)
        session = Session.load(table, TableConfig.from_dict(json.loads(config)), start, version, commands, step)
        session.record_id, session.changed = record, changed
        return session

    def seat_of(self, table: str, player: int) -> tuple[bool, int | None]:
        """Return whether a player belongs to a table, and where they sit (None: they watch)."""
        found = self._one("SELECT seat FROM seats WHERE tbl=? AND player=?", table, player)
        return (False, None) if found is None else (True, found[0])

    def players_at(self, table: str) -> list[tuple[int, int | None]]:
        """Return the players and watchers of a table with their seats."""
        return [(int(player), seat) for player, seat in self._all("SELECT player, seat FROM seats WHERE tbl=?", table)]

    def tables_of(self, player: int, most: int = 20) -> list[str]:
        """Return a player's open tables, the last used first."""
        rows = self._all(
            "SELECT id FROM tables JOIN seats ON tbl=id WHERE player=? AND NOT closed ORDER BY changed DESC LIMIT ?",
            player, most,
        )  # fmt: skip
        return [str(row[0]) for row in rows]

    def delete_table(self, table: str) -> None:
        """Forget a table; its finished hands stay."""
        with self.transaction():
            for sql in ("DELETE FROM commands WHERE tbl=?", "DELETE FROM seats WHERE tbl=?",
                        "DELETE FROM invites WHERE tbl=?", "DELETE FROM tables WHERE id=?"):  # fmt: skip
                self._do(sql, table)

    # --- Invitations ------------------------------------------------------------------------------------------------

    def add_invite(self, code: str, table: str, seat: int) -> None:
        """Keep an invitation; a seat has one at a time."""
        self._do("DELETE FROM invites WHERE tbl=? AND seat=?", table, seat)
        self._do("INSERT INTO invites (code, tbl, seat) VALUES (?, ?, ?)", hashed(code), table, seat)

    def invited(self, code: str) -> tuple[str, int] | None:
        """Return the table and seat of an invitation that is still good."""
        found = self._one("SELECT tbl, seat FROM invites WHERE code=? AND NOT used", hashed(code))
        return (str(found[0]), int(found[1])) if found else None

    def use_invite(self, code: str, table: str, player: int, seat: int) -> None:
        """Give a player the seat of an invitation."""
        with self.transaction():
            self._do("UPDATE invites SET used=1 WHERE code=?", hashed(code))
            self._do("INSERT INTO seats VALUES (?, ?, ?)", table, player, seat)

    # --- Finished hands ---------------------------------------------------------------------------------------------

    def add_game(self, player: int, game: Game) -> None:
        """Keep a finished hand."""
        self._do(
            "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            game.record, player, game.seat, game.game, game.source, game.heading, game.opponents, game.agent,
            game.level, game.result, game.points, game.won, int(game.rated), game.date, game.finished, game.text,
        )  # fmt: skip

    def games(self, player: int, most: int = 50, game: str | None = None) -> list[Game]:
        """Return a player's finished hands without their records, the latest first."""
        rows = self._all(
            f"SELECT {_GAME}, '' FROM games WHERE player=? AND (? IS NULL OR game=?) ORDER BY finished DESC LIMIT ?",
            player, game, game, most,
        )  # fmt: skip
        return [_game(row) for row in rows]

    def game(self, player: int, record: str) -> Game | None:
        """Return one finished hand with its record."""
        row = self._one(f"SELECT {_GAME}, text FROM games WHERE player=? AND record=?", player, record)
        return _game(row) if row else None

    def n_games(self, player: int) -> int:
        """Return how many hands a player has finished."""
        return int((self._one("SELECT COUNT(*) FROM games WHERE player=?", player) or (0,))[0])

    def daily(self, player: int, game: str, date: str) -> Game | None:
        """Return how a player did in a daily deal."""
        row = self._one(
            f"SELECT {_GAME}, '' FROM games WHERE player=? AND game=? AND date=? AND source='daily'", player, game, date
        )
        return _game(row) if row else None

    def add_to_match(self, player: int, match: str, record: str, outcome: str) -> None:
        """Keep which match a finished hand belongs to; *outcome* is how the match ended, if this was its last hand."""
        self._do("INSERT OR REPLACE INTO match_hands VALUES (?, ?, ?, ?)", record, player, match, outcome)

    def matches(self, player: int, most: int = 20) -> list[Match]:
        """Return a player's matches of two finished hands or more, the latest first."""
        # SQLite takes columns outside an aggregate from the row of the maximum: the last hand.
        rows = self._all(
            f"SELECT {_GAME}, '', tbl, outcome, COUNT(*), MAX(finished) AS ended FROM match_hands "
            "JOIN games USING (record, player) WHERE player=? GROUP BY tbl HAVING COUNT(*) > 1 "
            "ORDER BY ended DESC LIMIT ?",
            player, most,
        )  # fmt: skip
        return [Match(table, hands, outcome, _game(row)) for *row, table, outcome, hands, _ in rows]

    def outcome(self, player: int, record: str) -> str:
        """Return how the match ended with this hand; empty: it did not."""
        found = self._one("SELECT outcome FROM match_hands WHERE player=? AND record=?", player, record)
        return str(found[0]) if found else ""

    def hands_of(self, player: int, match: str) -> list[Game]:
        """Return a player's finished hands of a match without their records, in the order of play."""
        rows = self._all(
            f"SELECT {_GAME}, '' FROM match_hands JOIN games USING (record, player) WHERE player=? AND tbl=? "
            "ORDER BY finished",
            player, match,
        )  # fmt: skip
        return [_game(row) for row in rows]

    # --- Reviews and puzzles ----------------------------------------------------------------------------------------

    def add_review(self, record: str, seat: int, body: Mapping[str, Any]) -> None:
        """Keep a review."""
        self._do("INSERT OR REPLACE INTO reviews VALUES (?, ?, ?)", record, seat, json.dumps(body))

    def review(self, record: str, seat: int) -> dict[str, Any] | None:
        """Return a review."""
        found = self._one("SELECT body FROM reviews WHERE record=? AND seat=?", record, seat)
        return json.loads(found[0]) if found else None

    def is_reviewed(self, record: str, seat: int) -> bool:
        """Return whether there is a review."""
        return self._one("SELECT 1 FROM reviews WHERE record=? AND seat=?", record, seat) is not None

    def reviews_of(self, player: int) -> list[tuple[str, dict[str, Any]]]:
        """Return the reviews of a player's own decisions, with the games they belong to."""
        rows = self._all(
            "SELECT game, body FROM reviews JOIN games ON games.record=reviews.record AND games.seat=reviews.seat "
            "WHERE player=? ORDER BY finished DESC LIMIT 500",
            player,
        )
        return [(str(game), json.loads(body)) for game, body in rows]

    def add_puzzles(self, player: int, record: str, game: str, puzzles: Sequence[Mapping[str, Any]]) -> None:
        """Keep puzzles made from a player's mistakes."""
        with self.transaction():
            for number, puzzle in enumerate(puzzles):
                self._do(
                    "INSERT OR IGNORE INTO puzzles VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                    f"{record}-{number}", player, record, game, puzzle["kind"], puzzle["loss"], json.dumps(puzzle),
                )  # fmt: skip

    def puzzles(self, player: int, most: int = 100) -> list[tuple[str, str, str, float, bool | None]]:
        """Return a player's puzzles: id, game, kind, loss and whether it was solved."""
        rows = self._all(
            "SELECT id, game, kind, loss, solved FROM puzzles WHERE player=? ORDER BY solved IS NOT NULL, loss LIMIT ?",
            player, most,
        )  # fmt: skip
        return [
            (id_, game, kind, loss, None if solved is None else bool(solved)) for id_, game, kind, loss, solved in rows
        ]

    def puzzle(self, player: int, id_: str) -> dict[str, Any] | None:
        """Return one puzzle."""
        found = self._one("SELECT body FROM puzzles WHERE player=? AND id=?", player, id_)
        return json.loads(found[0]) if found else None

    def solve(self, player: int, id_: str, right: bool) -> None:
        """Keep whether the first answer to a puzzle was right."""
        self._do("UPDATE puzzles SET solved=? WHERE player=? AND id=? AND solved IS NULL", int(right), player, id_)


_GAME: Final = (
    "record, seat, game, source, heading, opponents, agent, level, result, points, won, rated, date, finished"
)


def _game(row: Sequence[Any]) -> Game:
    *_, won, rated, date, finished, text = row
    record, seat, game, source, heading, opponents, agent, level, result, points = row[:10]
    is_won = None if won is None else bool(won)
    return Game(
        record, seat, game, source, heading, opponents, agent, level, result, points, is_won, bool(rated), date,
        finished, text,
    )  # fmt: skip


def _hand_json(start: HandStart) -> str:
    values = {
        "number": start.number, "seed": key_text(start.seed), "salt": start.salt, "starter": start.starter,
        "scores": list(start.scores), "standing": start.standing, "rated": start.rated,
        "why_unrated": start.why_unrated, "deck": start.deck,
    }  # fmt: skip
    return json.dumps(values)


def _hand_start(text: str, row: bytes) -> HandStart:
    values = json.loads(text)
    return HandStart(**{**values, "seed": int(values["seed"], 16), "scores": tuple(values["scores"])}, row=row)
