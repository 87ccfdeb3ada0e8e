"""Where results are kept: one SQLite file, safe against being killed at any moment.

A *run* is a configuration (game, agents, seeds, sizes, code version) with its *chunks* of results, the records of
some *hands*, and *artifacts* (any files that belong to it). Finished chunks are written at once, at the latest after
a tenth of a second of play; starting the same run again plays only the chunks that are missing. A run with another
configuration is another run: nothing is overwritten. Chunks and artifacts carry checksums, so that a damaged one is
named and not used.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from rummylab.arena import sandbox
from rummylab.arena.columns import pack, unpack
from rummylab.arena.faults import Fault
from rummylab.arena.jobs import Played
from rummylab.errors import StoreError

SCHEMA: Final = 4
_MIGRATIONS: Final[dict[int, tuple[str, ...]]] = {
    0: (
        """create table runs (
            id integer primary key,
            key text not null unique,
            kind text not null,
            config text not null,
            code text not null,
            machine text not null,
            created text not null,
            finished text
        )""",
        """create table chunks (
            run integer not null references runs(id),
            name text not null,
            results blob not null,
            primary key (run, name)
        ) without rowid""",
    ),
    1: (
        "alter table runs add column name text",
        "create unique index runs_by_name on runs(name)",
        "alter table chunks add column faults text not null default '[]'",
        "alter table chunks add column seconds real not null default 0",
        """create table hands (
            run integer not null references runs(id),
            name text not null,
            record text not null,
            primary key (run, name)
        ) without rowid""",
        """create table artifacts (
            run integer not null references runs(id),
            name text not null,
            content blob not null,
            primary key (run, name)
        ) without rowid""",
    ),
    2: (
        "alter table chunks add column layout text not null default ''",  # empty: the driver's rows as they are
        "alter table chunks add column checksum integer",  # null: kept when there were none
        "alter table artifacts add column checksum integer",
    ),
    3: ("alter table hands add column checksum integer",),  # null: kept when there were none
}
"""From a schema version to the statements that lead to the next; 0 is an empty file."""
_ABOUT: Final = ("id", "key", "name", "kind", "config", "code", "machine", "created", "finished")
_KEEP_HAND: Final = "insert into hands (run, name, record, checksum) values (?,?,?,?) on conflict do nothing"
WORTH_WRITING: Final = 0.1
_WORDS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; what was kept before is safe: make room and start the same command again",
    sqlite3.SQLITE_IOERR: "the disk fails or is full; what was kept before is safe: start the same command again",
    sqlite3.SQLITE_BUSY: "another program keeps it locked; wait until that has ended and start the same command again",
    sqlite3.SQLITE_READONLY: "it cannot be written to",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened for writing",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; nothing was changed",
    sqlite3.SQLITE_NOTADB: "this is no results file, or it is damaged; nothing was changed",
}
"""What SQLite's error codes mean to somebody who wants results."""


def config_key(kind: str, config: dict[str, Any], code: str) -> str:
    """Return the name under which a configuration is found again."""
    text = json.dumps([kind, config, code], sort_keys=True)
    return blake2b(text.encode(), digest_size=12).hexdigest()


class Store:
    """An open results file.

    A file that does not exist is made, unless it *must_exist*. A file that another program has locked is waited for,
    *patience* seconds long.
    """

    def __init__(self, path: Path, *, must_exist: bool = False, patience: float = 30.0) -> None:
        self.path, self.patience = path, patience
        sandbox.hide(path)  # results and keys are none of a stranger's business
        if path.is_dir():
            raise StoreError(f"{path} is a directory, not a results file")
        if not path.parent.is_dir():
            raise StoreError(f"{path}: the directory {path.parent} does not exist")
        if must_exist and not path.is_file():
            raise StoreError(f"{path}: there is no such results file")
        with self._errors():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=patience)
        try:
            with self._errors():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            words = _WORDS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # the rest says more than we need
            raise StoreError(f"{self.path}: {words} ({error})" if words else f"{self.path}: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, and nobody else writes meanwhile."""
        with self._errors():
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    def _prepare(self) -> None:
        if self._version() < SCHEMA:
            with self._transaction():
                self._migrate(self._version())  # asked again: another process may have been faster
        self._use_write_ahead_log()
        self._db.execute("pragma synchronous = normal")

    def _version(self) -> int:
        """Return the schema of the file; one that is not ours, or of a later version, is refused untouched."""
        # In one statement: between two another process may have made the tables.
        version, names = self._db.execute(
            "select user_version, (select group_concat(name) from sqlite_master where type = 'table')"
            " from pragma_user_version"
        ).fetchone()
        if version > SCHEMA:
            raise StoreError(
                f"{self.path} has schema {version}; this version of Rummylab knows {SCHEMA}: use a later one"
            )
        tables = set((names or "").split(",")) - {""}
        if tables if version == 0 else not {"runs", "chunks"} <= tables:
            raise StoreError(f"{self.path} is a database of something else")
        return int(version)

    def _migrate(self, version: int) -> None:
        for step in range(version, SCHEMA):
            for statement in _MIGRATIONS[step]:
                self._db.execute(statement)
        self._db.execute(f"pragma user_version = {SCHEMA}")

    def _use_write_ahead_log(self) -> None:
        """Switch once and for good; SQLite does not wait for others by itself here."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self._db.execute("pragma journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def open_run(self, kind: str, config: dict[str, Any], code: str, name: str | None = None) -> Run:
        """Return the run of this configuration: the one begun before, or a new one.

        A run with a *name* has one configuration for good; asking for it with another is an error that says what
        differs.
        """
        key = config_key(kind, config, code)
        machine = (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        row = (key, name, kind, json.dumps(config, sort_keys=True), code, machine, _now())
        with self._transaction() as db:
            if name is not None:
                self._check_name(name, key, kind, config, code)
            db.execute(
                "insert into runs (key, name, kind, config, code, machine, created) values (?,?,?,?,?,?,?)"
                " on conflict (key) do update set name = coalesce(name, excluded.name)",
                row,
            )
            (number,) = db.execute("select id from runs where key = ?", (key,)).fetchone()
        return Run(self, number, key)

    def _check_name(self, name: str, key: str, kind: str, config: dict[str, Any], code: str) -> None:
        for before in self.runs():
            if before["key"] == key and before["name"] not in (None, name):
                raise StoreError(f"{self.path}: this configuration is the run {before['name']!r} already, not {name!r}")
            if before["name"] == name and before["key"] != key:
                old = before["config"] | {"kind": before["kind"], "code": before["code"]}
                words = _differences(old, config | {"kind": kind, "code": code})
                raise StoreError(
                    f"{self.path}: the run {name!r} has another configuration ({words}); give it another name"
                )

    def runs(self) -> list[dict[str, Any]]:
        """Return what runs there are, oldest first."""
        with self._errors():
            rows = self._db.execute(f"select {', '.join(_ABOUT)} from runs order by id").fetchall()
        runs = [dict(zip(_ABOUT, row, strict=True)) for row in rows]
        for run in runs:
            try:
                run["config"] = json.loads(run["config"])
            except ValueError:
                raise StoreError(f"{self.path}: the configuration of run {run['id']} is damaged") from None
        return runs

    def run(self, which: str | int) -> Run:
        """Return the run with this name, number, or beginning of its key."""
        runs, text = self.runs(), str(which)
        ways = (
            [run for run in runs if run["name"] == text],
            [run for run in runs if str(run["id"]) == text],
            [run for run in runs if text and run["key"].startswith(text)],
        )
        found = next(filter(None, ways), [])
        if len(found) == 1:
            return Run(self, found[0]["id"], found[0]["key"])
        there = ", ".join(_title(run) for run in found or runs) or "nothing"
        wrong = "several runs whose key begins with" if found else "no run"
        raise StoreError(f"{self.path} has {wrong} {text!r}; there is: {there}")


def _title(run: dict[str, Any]) -> str:
    return f"{run['id']} {run['name'] or run['key']}"


def _differences(old: dict[str, Any], new: dict[str, Any]) -> str:
    changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return ", ".join(f"{key} was {old.get(key)!r} and is now {new.get(key)!r}" for key in changed)


def _now() -> str:
    return datetime.now(UTC).isoformat()


class Run:
    """One configuration and what is known of it so far."""

    def __init__(self, store: Store, number: int, key: str) -> None:
        self.store, self.number, self.key = store, number, key
        self._waiting: dict[str, Played] = {}

    @property
    def about(self) -> dict[str, Any]:
        """Kind, configuration, code version, machine and times."""
        return next(run for run in self.store.runs() if run["id"] == self.number)

    def finish(self) -> None:
        """Note that everything has been played."""
        self._write("update runs set finished = coalesce(finished, ?) where id = ?", _now(), self.number)

    # --- Chunks of results ---

    def chunk(self, name: str, dtype: np.dtype[np.void]) -> Played | None:
        """Return the results kept under *name*, or nothing; *dtype* is the layout of chunks that do not tell theirs."""
        found = self._read(
            "select results, faults, seconds, layout, checksum from chunks where run = ? and name = ?", name
        )
        return self._played(name, found[0], dtype) if found else None

    def chunk_names(self) -> list[str]:
        return [name for (name,) in self._read("select name from chunks where run = ? order by name")]

    def keep(self, name: str, played: Played) -> dict[str, Played]:
        """Keep the results of one chunk with the records of its hands; return what `flush` returns.

        Chunks are written together as soon as they are worth `WORTH_WRITING` seconds of play: a process that is
        killed loses no more than that.
        """
        self._waiting[name] = played
        return self.flush() if sum(part.seconds for part in self._waiting.values()) >= WORTH_WRITING else {}

    def flush(self) -> dict[str, Played]:
        """Write what waits, for good; return the chunks that another process had kept before: theirs count."""
        if not self._waiting:
            return {}
        theirs = {}
        with self.store._transaction() as db:
            for name, played in self._waiting.items():
                if not self._insert(name, played) and (before := self.chunk(name, played.rows.dtype)) is not None:
                    theirs[name] = before
                if played.hands and np.array_equal(theirs.get(name, played).rows, played.rows):
                    db.executemany(_KEEP_HAND, [self._hand_row(*hand) for hand in played.hands])
        self._waiting.clear()
        return theirs

    def _insert(self, name: str, played: Played) -> bool:
        """Write a chunk, unless there is one of this name."""
        (results, layout), faults = pack(played.rows), json.dumps(played.faults)
        return bool(
            self.store._db.execute(
                "insert into chunks (run, name, results, faults, seconds, layout, checksum) values (?,?,?,?,?,?,?)"
                " on conflict do nothing",
                (self.number, name, results, faults, played.seconds, layout, _sum(results, name, layout, faults)),
            ).rowcount
        )

    def damaged(self, dtype: np.dtype[np.void]) -> list[str]:
        """Return the names of the chunks that cannot be used."""
        return [name for name in self.chunk_names() if not self._is_sound(name, dtype)]

    def drop(self, names: Sequence[str]) -> None:
        """Forget some chunks and that the run was finished, so that they are played again."""
        with self.store._transaction() as db:
            db.executemany("delete from chunks where run = ? and name = ?", [(self.number, name) for name in names])
            db.execute("update runs set finished = null where id = ?", (self.number,))

    def _is_sound(self, name: str, dtype: np.dtype[np.void]) -> bool:
        try:
            return self.chunk(name, dtype) is not None
        except StoreError:
            return False

    def _played(self, name: str, row: tuple[Any, ...], dtype: np.dtype[np.void]) -> Played:
        results, faults, seconds, layout, checksum = row
        is_whole = checksum == _sum(results, name, layout, faults) if layout else len(results) % dtype.itemsize == 0
        if not is_whole:
            raise self._damage(f"chunk {name}")
        rows = unpack(results, layout, dtype) if layout else np.frombuffer(results, dtype)
        return Played(rows, tuple(Fault(*fault) for fault in json.loads(faults)), seconds)

    def _damage(self, what: str) -> StoreError:
        return StoreError(
            f"{self.store.path}: {what} of run {self.number} is damaged and was not used;"
            f" `rummylab runs {self.store.path} --drop-damaged` forgets what is damaged, so that it is played again"
        )

    # --- Hands and artifacts ---

    def keep_hand(self, name: str, text: str) -> None:
        """Keep the record of a game; one that is there already stays."""
        self._write(_KEEP_HAND, *self._hand_row(name, text))

    def _hand_row(self, name: str, text: str) -> tuple[int, str, str, int]:
        return self.number, name, text, _sum(text.encode(), name)

    def hands(self) -> Iterator[tuple[str, str]]:
        """Yield the names and records (the text of an ``.rgr`` file) of the games that were kept, one by one."""
        for name in self.hand_names():
            text, checksum = self._read("select record, checksum from hands where run = ? and name = ?", name)[0]
            if not _is_sound_hand(name, text, checksum):
                raise self._damage(f"the record {name}")
            yield name, text

    def drop_damaged_hands(self) -> list[str]:
        """Forget damaged records and return their names: the same command with ``--keep-hands`` plays them again."""
        rows = self._read("select name, record, checksum from hands where run = ? order by name")
        damaged = [name for name, text, checksum in rows if not _is_sound_hand(name, text, checksum)]
        with self.store._transaction() as db:
            db.executemany("delete from hands where run = ? and name = ?", [(self.number, name) for name in damaged])
        return damaged

    def hand_names(self) -> list[str]:
        return [name for (name,) in self._read("select name from hands where run = ? order by name")]

    def keep_artifact(self, name: str, content: bytes) -> None:
        """Keep a file that belongs to the run; one of the same name is replaced."""
        self._write(
            "insert into artifacts (run, name, content, checksum) values (?,?,?,?)"
            " on conflict do update set content = excluded.content, checksum = excluded.checksum",
            *(self.number, name, content, _sum(content, name)),
        )

    def artifact(self, name: str) -> bytes:
        """Return the contents of the file *name*."""
        found = self._read("select content, checksum from artifacts where run = ? and name = ?", name)
        if not found:
            there = ", ".join(self.artifacts()) or "nothing"
            raise StoreError(f"{self.store.path}: run {self.number} has no artifact {name!r}; there is: {there}")
        content, checksum = found[0]
        if checksum not in (None, _sum(content, name)):
            raise StoreError(f"{self.store.path}: the artifact {name!r} of run {self.number} is damaged")
        return bytes(content)

    def artifacts(self) -> list[str]:
        """Return the names of the files that belong to the run."""
        return [name for (name,) in self._read("select name from artifacts where run = ? order by name")]

    def _read(self, query: str, *more: Any) -> list[Any]:
        with self.store._errors():
            return self.store._db.execute(query, (self.number, *more)).fetchall()

    def _write(self, statement: str, *values: Any) -> None:
        with self.store._errors():
            self.store._db.execute(statement, values)


def _is_sound_hand(name: str, text: Any, checksum: int | None) -> bool:
    return isinstance(text, str) and checksum in (None, _sum(text.encode(errors="replace"), name))


def _sum(content: bytes, *words: str) -> int:
    return zlib.crc32(content, zlib.crc32("\n".join(words).encode()))
