"""Where results are kept: one SQLite file, safe against being killed at any moment.

A *run* is a configuration (game, agents, seeds, sizes, code version) with its *chunks* of results. Every finished
chunk is committed at once; starting the same run again plays only the chunks that are missing. A run with another
configuration is another run: nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from rummylab.arena.jobs import Played
from rummylab.arena.outside import Fault
from rummylab.errors import StoreError

SCHEMA: Final = 2
_TABLES: Final = """
create table runs (
    id integer primary key,
    key text not null unique,
    kind text not null,
    config text not null,
    code text not null,
    machine text not null,
    created text not null,
    finished text
);
create table chunks (
    run integer not null references runs(id),
    name text not null,
    results blob not null,
    primary key (run, name)
) without rowid;
"""
_SINCE_2: Final = """
alter table runs add column name text;
create unique index runs_by_name on runs(name);
alter table chunks add column faults text not null default '[]';
alter table chunks add column seconds real not null default 0;
create table hands (
    run integer not null references runs(id),
    name text not null,
    record text not null,
    primary key (run, name)
) without rowid;
create table artifacts (
    run integer not null references runs(id),
    name text not null,
    content blob not null,
    primary key (run, name)
) without rowid;
"""
_MIGRATIONS: Final[dict[int, str]] = {1: _SINCE_2}
"""From a schema version to the statements that lead to the next."""


def config_key(kind: str, config: dict[str, Any], code: str) -> str:
    """Return the name under which a configuration is found again."""
    text = json.dumps([kind, config, code], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


class Store:
    """An open results file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise StoreError(f"{path} is a directory, not a results file")
        if not path.parent.is_dir():
            raise StoreError(f"{path}: the directory {path.parent} does not exist")
        with self._errors():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            self._prepare()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from None

    def _prepare(self) -> None:
        (version,) = self._db.execute("pragma user_version").fetchone()
        if version > SCHEMA:
            raise StoreError(f"{self.path} has schema {version}; this version of Rummylab knows {SCHEMA}")
        if version == 0:
            if self._db.execute("select count(*) from sqlite_master").fetchone()[0]:
                raise StoreError(f"{self.path} is a database of something else")
            self._db.executescript(f"begin; {_TABLES} pragma user_version = 1; commit;")
            version = 1
        while version < SCHEMA:
            self._db.executescript(f"begin; {_MIGRATIONS[version]} pragma user_version = {version + 1}; commit;")
            version += 1

    def open_run(self, kind: str, config: dict[str, Any], code: str, name: str | None = None) -> Run:
        """Return the run of this configuration: the one begun before, or a new one.

        A run with a *name* has one configuration for good; asking for it with another is an error that says what
        differs.
        """
        key = config_key(kind, config, code)
        if name is not None:
            self._check_name(name, key, kind, config, code)
        machine = (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        row = (key, kind, json.dumps(config, sort_keys=True), code, machine, datetime.now(UTC).isoformat(), name)
        with self._errors():
            self._db.execute(
                "insert into runs (key, kind, config, code, machine, created, name) values (?,?,?,?,?,?,?)"
                " on conflict (key) do nothing",
                row,
            )
            (number,) = self._db.execute("select id from runs where key = ?", (key,)).fetchone()
        return Run(self, number, key)

    def _check_name(self, name: str, key: str, kind: str, config: dict[str, Any], code: str) -> None:
        before = next((run for run in self.runs() if run["name"] == name), None)
        if before is None or before["key"] == key:
            return
        old = before["config"] | {"kind": before["kind"], "code": before["code"]}
        new = config | {"kind": kind, "code": code}
        changed = [k for k in sorted(old.keys() | new.keys()) if old.get(k) != new.get(k)]
        words = ", ".join(f"{k} was {old.get(k)!r} and is now {new.get(k)!r}" for k in changed)
        raise StoreError(f"{self.path}: the run {name!r} has another configuration ({words}); give it another name")

    def runs(self) -> list[dict[str, Any]]:
        """Return what runs there are, oldest first."""
        names = ("id", "key", "kind", "config", "code", "machine", "created", "finished", "name")
        with self._errors():
            rows = self._db.execute(f"select {', '.join(names)} from runs order by id")
            return [dict(zip(names, row, strict=True)) | {"config": json.loads(row[3])} for row in rows]

    def close(self) -> None:
        self._db.close()


class Run:
    """One configuration and what is known of it so far."""

    def __init__(self, store: Store, number: int, key: str) -> None:
        self.store, self.number, self.key = store, number, key

    def chunk(self, name: str, dtype: np.dtype[np.void]) -> Played | None:
        """Return the results kept under *name*, or nothing."""
        with self.store._errors():
            row = self.store._db.execute(
                "select results, faults, seconds from chunks where run = ? and name = ?", (self.number, name)
            ).fetchone()
        if row is None:
            return None
        if len(row[0]) % dtype.itemsize:
            raise StoreError(f"{self.store.path}: chunk {name} of run {self.key} is damaged")
        faults = tuple(Fault(*fault) for fault in json.loads(row[1]))
        return Played(np.frombuffer(row[0], dtype), faults, row[2])

    def chunk_names(self) -> list[str]:
        """Return under what names results are kept so far."""
        with self.store._errors():
            rows = self.store._db.execute("select name from chunks where run = ? order by name", (self.number,))
            return [name for (name,) in rows]

    def keep(self, name: str, played: Played) -> None:
        """Keep the results of one chunk, at once and for good."""
        with self.store._errors():
            self.store._db.execute(
                "insert into chunks (run, name, results, faults, seconds) values (?,?,?,?,?) on conflict do nothing",
                (self.number, name, played.rows.tobytes(), json.dumps(played.faults), played.seconds),
            )

    def finish(self) -> None:
        with self.store._errors():
            self.store._db.execute(
                "update runs set finished = coalesce(finished, ?) where id = ?",
                (datetime.now(UTC).isoformat(), self.number),
            )
