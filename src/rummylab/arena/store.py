"""The results file: one SQLite database that survives being killed at any moment.

A *run* is a configuration (game, agents, seed, sizes, code version) with its *chunks* of results, the records of some
*hands*, and *artifacts*: any files that belong to it. Finished chunks are written after at most a tenth of a second of
play. Starting the same run again plays only the missing chunks. A different configuration is a different run: nothing
is overwritten. Every entry has a checksum; a damaged one is reported and not used.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from rummylab.arena import sandbox, store_schema
from rummylab.arena.columns import pack, unpack
from rummylab.arena.faults import Fault
from rummylab.arena.jobs import Played
from rummylab.arena.keys import ChunkKey, GameKey, lineup_from_text, to_text
from rummylab.arena.store_schema import checksum
from rummylab.errors import StoreError
from rummylab.games.registry import current_name

_FACTS: Final = ("id", "key", "name", "kind", "config", "code", "machine", "created", "finished")
_ONE_CHUNK: Final = "run = ? and step = ? and lineup = ? and start = ? and deals = ?"
_ONE_HAND: Final = "run = ? and lineup = ? and deal = ? and seating = ?"
_KEEP_HAND: Final = "insert into hands values (?,?,?,?,?,?) on conflict do nothing"
WORTH_WRITING: Final = 0.1
"""Seconds of play after which waiting chunks are written."""
_REASONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; stored results are safe. Make room and start the same command again",
    sqlite3.SQLITE_IOERR: "the disk failed or is full; stored results are safe. Start the same command again",
    sqlite3.SQLITE_BUSY: "another program has locked it. Wait for that program and start the same command again",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened for writing",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; nothing was changed",
    sqlite3.SQLITE_NOTADB: "this is not a results file, or it is damaged; nothing was changed",
}
"""What SQLite's error codes mean for the results."""


def config_key(kind: str, config: dict[str, Any], code: str) -> str:
    """Return the key that identifies a configuration."""
    text = json.dumps([kind, config, code], sort_keys=True)
    return blake2b(text.encode(), digest_size=12).hexdigest()


def opened(store: Store | Path | str | None) -> Store | None:
    """Return *store*, opened if it is a path."""
    return Store(Path(store)) if isinstance(store, Path | str) else store


class Store:
    """An open results file.

    A missing file is created, unless it *must_exist*. If another program has locked the file, wait for up to
    *patience* seconds.

    Raises:
        StoreError: The file cannot be opened, is damaged, or belongs to another program or a later version.
    """

    def __init__(self, path: Path, *, must_exist: bool = False, patience: float = 30.0) -> None:
        self.path, self.patience = path, patience
        sandbox.hide(path)  # outside agents must not read results and keys
        if path.is_dir():
            raise StoreError(f"{path} is a directory, not a results file.")
        if not path.parent.is_dir():
            raise StoreError(f"{path}: the directory {path.parent} does not exist.")
        if must_exist and not path.is_file():
            raise StoreError(f"{path}: there is no such results file.")
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
        """Close the file."""
        self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            reason = _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)  # the low byte is the general code
            raise StoreError(f"{self.path}: {reason} ({error})" if reason else f"{self.path}: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing, with no other writer in between."""
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
        if store_schema.version_of(self._db, self.path) < store_schema.SCHEMA:
            with self._transaction() as db:  # read the version again: another process may have been faster
                store_schema.migrate(db, store_schema.version_of(db, self.path))
        self._use_write_ahead_log()
        self._db.execute("pragma synchronous = normal")

    def _use_write_ahead_log(self) -> None:
        """Switch the journal mode of the file. For this, SQLite does not wait for a lock by itself."""
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
        """Return the run of this configuration: the one started before, or a new one.

        Raises:
            StoreError: *name* belongs to another configuration, and says what differs.
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
                raise StoreError(
                    f"{self.path}: this configuration already has the name {before['name']!r} and cannot be {name!r}."
                )
            if before["name"] == name and before["key"] != key:
                old = before["config"] | {"kind": before["kind"], "code": before["code"]}
                changes = _differences(old, config | {"kind": kind, "code": code})
                raise StoreError(
                    f"{self.path}: the run {name!r} has another configuration ({changes}). Choose another name."
                )

    def runs(self) -> list[dict[str, Any]]:
        """Return the facts about every run, oldest first, as plain values; `every_run` returns the runs themselves.

        Games have their current names, even if the file is older.

        Raises:
            StoreError: A configuration is damaged.
        """
        with self._errors():
            rows = self._db.execute(f"select {', '.join(_FACTS)} from runs order by id").fetchall()
        runs = [dict(zip(_FACTS, row, strict=True)) for row in rows]
        for run in runs:
            try:
                run["config"] = json.loads(run["config"])
            except ValueError:
                raise StoreError(f"{self.path}: the configuration of run {run['id']} is damaged.") from None
            if isinstance(run["config"].get("game"), str):
                run["config"]["game"] = current_name(run["config"]["game"])
        return runs

    def run(self, which: str | int) -> Run:
        """Return the run with this name, number, or beginning of its key.

        Raises:
            StoreError: There is no such run, or more than one.
        """
        runs, text = self.runs(), str(which)
        ways = (
            [run for run in runs if run["name"] == text],
            [run for run in runs if str(run["id"]) == text],
            [run for run in runs if text and run["key"].startswith(text)],
        )
        found = next(filter(None, ways), [])
        if len(found) == 1:
            return Run(self, found[0]["id"], found[0]["key"])
        there = ", ".join(_title(run) for run in found or runs) or "none"
        wrong = "several runs whose key begins with" if found else "no run"
        raise StoreError(f"{self.path} has {wrong} {text!r}. Its runs: {there}.")

    def every_run(self) -> list[Run]:
        """Return all runs, oldest first."""
        return [Run(self, about["id"], about["key"]) for about in self.runs()]

    def remove(self, number: int) -> str:
        """Remove run *number* with its chunks, records and artifacts; return its title."""
        title = next(_title(run) for run in self.runs() if run["id"] == number)
        with self._transaction() as db:
            for table in ("chunks", "hands", "artifacts"):
                db.execute(f"delete from {table} where run = ?", (number,))
            db.execute("delete from runs where id = ?", (number,))
        return title

    def compact(self) -> None:
        """Return the space of removed runs to the file system."""
        with self._errors():
            self._db.execute("vacuum")


def _title(run: dict[str, Any]) -> str:
    return f"{run['id']} {run['name'] or run['key']}"


def _differences(old: dict[str, Any], new: dict[str, Any]) -> str:
    changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return ", ".join(f"{key} was {old.get(key)!r} and is now {new.get(key)!r}" for key in changed)


def _now() -> str:
    return datetime.now(UTC).isoformat()


class Run:
    """One configuration and its results so far."""

    def __init__(self, store: Store, number: int, key: str) -> None:
        self.store, self.number, self.key = store, number, key
        self._waiting: dict[ChunkKey, Played] = {}

    @property
    def about(self) -> dict[str, Any]:
        """The facts about the run: kind, configuration, code version, machine and times."""
        return next(run for run in self.store.runs() if run["id"] == self.number)

    def finish(self) -> None:
        """Note that everything has been played."""
        self._write("update runs set finished = coalesce(finished, ?) where id = ?", _now(), self.number)

    # --- Chunks of results ---

    def chunk(self, key: ChunkKey, dtype: np.dtype[np.void]) -> Played | None:
        """Return the chunk under *key*, or None. Old chunks do not say how they are laid out: *dtype* does.

        Raises:
            StoreError: The chunk is damaged.
        """
        found = self._read(
            f"select results, faults, seconds, layout, checksum from chunks where {_ONE_CHUNK}", *_chunk_row(key)
        )
        return self._played(key, found[0], dtype) if found else None

    def chunk_keys(self) -> list[ChunkKey]:
        """Return the keys of all chunks, ordered by step, lineup and first deal."""
        rows = self._read(
            "select lineup, start, deals, step from chunks where run = ? order by step, lineup, start, deals"
        )
        return [ChunkKey(lineup_from_text(lineup), start, deals, step) for lineup, start, deals, step in rows]

    def chunks(self, keys: Iterable[ChunkKey], dtype: np.dtype[np.void]) -> Iterator[tuple[ChunkKey, Played]]:
        """Yield those of the chunks *keys* that are stored, one by one."""
        for key in keys:
            if (found := self.chunk(key, dtype)) is not None:
                yield key, found

    def keep(self, key: ChunkKey, played: Played) -> dict[ChunkKey, Played]:
        """Keep a chunk and the records of its hands; return what `flush` returns, or nothing while it can wait.

        Chunks are written together as soon as they are worth `WORTH_WRITING` seconds of play: a killed process loses
        no more than that.
        """
        self._waiting[key] = played
        return self.flush() if sum(part.seconds for part in self._waiting.values()) >= WORTH_WRITING else {}

    def flush(self) -> dict[ChunkKey, Played]:
        """Write the waiting chunks and return them; one that another process had stored first is returned instead."""
        if not self._waiting:
            return {}
        settled = dict(self._waiting)
        with self.store._transaction() as db:
            for key, played in self._waiting.items():
                if not self._insert(key, played) and (before := self.chunk(key, played.rows.dtype)) is not None:
                    settled[key] = before
                if played.hands and np.array_equal(settled[key].rows, played.rows):
                    db.executemany(_KEEP_HAND, [self._hand_row(*hand) for hand in played.hands])
        self._waiting.clear()
        return settled

    def _insert(self, key: ChunkKey, played: Played) -> bool:
        """Write a chunk unless there is one under *key*."""
        (results, layout), faults = pack(played.rows), json.dumps(played.faults)
        values = (results, faults, played.seconds, layout, checksum(results, to_text(key), layout, faults))
        statement = "insert into chunks values (?,?,?,?,?,?,?,?,?,?) on conflict do nothing"
        return bool(self.store._db.execute(statement, (self.number, *_chunk_row(key), *values)).rowcount)

    def drop_damaged(self, dtype: np.dtype[np.void]) -> list[ChunkKey | GameKey]:
        """Remove damaged chunks and records and return their keys; the same command then plays them again."""
        chunks = [key for key in self.chunk_keys() if not self._is_sound(key, dtype)]
        hands = [key for key, text, stored in self._hands() if not _is_sound_hand(key, text, stored)]
        with self.store._transaction() as db:
            if chunks:
                rows = [(self.number, *_chunk_row(key)) for key in chunks]
                db.executemany(f"delete from chunks where {_ONE_CHUNK}", rows)
                db.execute("update runs set finished = null where id = ?", (self.number,))
            db.executemany(f"delete from hands where {_ONE_HAND}", [(self.number, *_game_row(key)) for key in hands])
        return [*chunks, *hands]

    def _is_sound(self, key: ChunkKey, dtype: np.dtype[np.void]) -> bool:
        try:
            return self.chunk(key, dtype) is not None
        except StoreError:
            return False

    def _played(self, key: ChunkKey, row: tuple[Any, ...], dtype: np.dtype[np.void]) -> Played:
        results, faults, seconds, layout, stored = row
        if layout:
            is_whole = stored == checksum(results, to_text(key), layout, faults)
        else:
            is_whole = len(results) % dtype.itemsize == 0
        if not is_whole:
            raise self._damage(f"the chunk {key}")
        rows = unpack(results, layout, dtype) if layout else np.frombuffer(results, dtype)
        return Played(rows, tuple(Fault(*fault) for fault in json.loads(faults)), seconds)

    def _damage(self, what: str) -> StoreError:
        return StoreError(
            f"{self.store.path}: {what} of run {self.number} is damaged and was not used."
            f" `rummylab store prune {self.store.path} --damaged` removes it, so that it can be played again."
        )

    # --- Hands and artifacts ---

    def keep_hand(self, key: GameKey, text: str) -> None:
        """Keep the record of a game, unless there is one under *key*."""
        self._write(_KEEP_HAND, *self._hand_row(key, text))

    def _hand_row(self, key: GameKey, text: str) -> tuple[object, ...]:
        return self.number, *_game_row(key), text, checksum(text.encode(), to_text(key))

    def _hands(self) -> Iterator[tuple[GameKey, Any, int | None]]:
        query = f"select record, checksum from hands where {_ONE_HAND}"
        for key in self.hand_keys():
            yield key, *self._read(query, *_game_row(key))[0]

    def hands(self) -> Iterator[tuple[GameKey, str]]:
        """Yield the recorded games one by one: key and record, the text of an ``.rgr`` file."""
        for key, text, stored in self._hands():
            if not _is_sound_hand(key, text, stored):
                raise self._damage(f"the record of {key}")
            yield key, text

    def hand_keys(self) -> list[GameKey]:
        """Return the keys of all recorded games, in the order of lineup, deal and seating."""
        rows = self._read("select lineup, deal, seating from hands where run = ? order by lineup, deal, seating")
        return [GameKey(lineup_from_text(lineup), deal, seating) for lineup, deal, seating in rows]

    def keep_artifact(self, name: str, content: bytes) -> None:
        """Keep a file that belongs to the run, in place of one with the same name."""
        self._write(
            "insert into artifacts (run, name, content, checksum) values (?,?,?,?)"
            " on conflict do update set content = excluded.content, checksum = excluded.checksum",
            *(self.number, name, content, checksum(content, name)),
        )

    def artifact(self, name: str) -> bytes:
        """Return the contents of the file *name*.

        Raises:
            StoreError: There is no such file, or it is damaged.
        """
        found = self._read("select content, checksum from artifacts where run = ? and name = ?", name)
        if not found:
            there = ", ".join(self.artifacts()) or "none"
            raise StoreError(f"{self.store.path}: run {self.number} has no artifact {name!r}. Its artifacts: {there}.")
        content, stored = found[0]
        if stored not in (None, checksum(content, name)):
            raise StoreError(f"{self.store.path}: the artifact {name!r} of run {self.number} is damaged.")
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


def _chunk_row(key: ChunkKey) -> tuple[str, str, int, int]:
    return key.step, to_text(key.lineup), key.start, key.deals


def _game_row(key: GameKey) -> tuple[str, int, int]:
    return to_text(key.lineup), key.deal, key.seating


def _is_sound_hand(key: GameKey, text: Any, stored: int | None) -> bool:
    return isinstance(text, str) and stored in (None, checksum(text.encode(errors="replace"), to_text(key)))
