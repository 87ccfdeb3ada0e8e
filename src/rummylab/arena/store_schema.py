"""The tables of a results file, and how files of earlier versions are brought up to date."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from rummylab.arena.keys import ChunkKey, GameKey, Lineup, to_text
from rummylab.errors import StoreError

SCHEMA: Final = 5
_DAMAGED: Final = -1
"""A checksum that no content has."""


def checksum(content: bytes, *words: str) -> int:
    """Return a checksum of *content* and of the *words* that belong to it."""
    return zlib.crc32(content, zlib.crc32("\n".join(words).encode(errors="replace")))


def version_of(db: sqlite3.Connection, path: object) -> int:
    """Return the schema version of a file; 0 if it is empty.

    Raises:
        StoreError: The file is not ours or was written by a later version; the file is not changed.
    """
    # One statement: between two of them another process may create the tables.
    version, names = db.execute(
        "select user_version, (select group_concat(name) from sqlite_master where type = 'table')"
        " from pragma_user_version"
    ).fetchone()
    if version > SCHEMA:
        raise StoreError(f"{path} has schema {version}, and this version of Rummylab reads up to {SCHEMA}. Upgrade it.")
    tables = set((names or "").split(",")) - {""}
    if tables if version == 0 else not {"runs", "chunks"} <= tables:
        raise StoreError(f"{path} is a database of something else.")
    return int(version)


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Bring the tables from *version* to the present one. Call it inside a transaction."""
    for step in range(version, SCHEMA):
        for change in MIGRATIONS[step]:
            if isinstance(change, str):
                db.execute(change)
            else:
                change(db)
    db.execute(f"pragma user_version = {SCHEMA}")


# --- From names to keys, in schema 5 --------------------------------------------------------------------------------


def _key_chunks(db: sqlite3.Connection) -> None:
    """Replace the names of chunks, such as ``simple:random:0+250``, by columns."""
    rows = db.execute("select run, name, results, faults, seconds, layout, checksum from named_chunks")
    for run, name, results, faults, seconds, layout, old in rows:
        key = _chunk_key(name, _agents(db, run))
        new = _renewed(old, results, (name, layout, faults), (to_text(key), layout, faults))
        values = (run, key.step, to_text(key.lineup), key.start, key.deals, results, faults, seconds)
        db.execute("insert into chunks values (?,?,?,?,?,?,?,?,?,?)", (*values, layout, new))


def _key_hands(db: sqlite3.Connection) -> None:
    """Replace the names of recorded games, such as ``simple:random:0:1``, by columns."""
    for run, name, record, old in db.execute("select run, name, record, checksum from named_hands"):
        key = _game_key(name, _agents(db, run))
        content = record.encode(errors="replace") if isinstance(record, str) else bytes(record)
        values = (run, to_text(key.lineup), key.deal, key.seating, record)
        db.execute(
            "insert into hands values (?,?,?,?,?,?)", (*values, _renewed(old, content, (name,), (to_text(key),)))
        )


def _renewed(old: int | None, content: bytes, before: Iterable[str], after: Iterable[str]) -> int | None:
    """Return the checksum under the new key; content that was damaged stays damaged."""
    if old is None:
        return None
    return checksum(content, *after) if old == checksum(content, *before) else _DAMAGED


def _agents(db: sqlite3.Connection, run: int) -> dict[str, list[str]]:
    """Return the agents of a run: under their step for an experiment, else under the empty text."""
    (text,) = db.execute("select config from runs where id = ?", (run,)).fetchone()
    try:
        config = json.loads(text)
    except ValueError:
        return {"": []}
    steps = config.get("steps", ())
    return {"": config.get("agents", [])} | {
        step["name"]: [*step.get("agents", ()), *step.get("against", ())] for step in steps
    }


def _chunk_key(name: str, agents: dict[str, list[str]]) -> ChunkKey:
    step, rest = _step(name, agents)
    names, _, span = rest.rpartition(":")
    start, plus, deals = span.partition("+")
    if not (plus and start.isdecimal() and deals.isdecimal()):
        return ChunkKey((rest,), 0, 0, step)
    return ChunkKey(_lineup(names, agents[step]), int(start), int(deals), step)


def _game_key(name: str, agents: dict[str, list[str]]) -> GameKey:
    names, *places = name.rsplit(":", 2)
    if len(places) < 2 or not all(place.isdecimal() for place in places):
        return GameKey((name,), 0, 0)
    return GameKey(_lineup(names, agents[""]), int(places[0]), int(places[1]))


def _step(name: str, agents: dict[str, list[str]]) -> tuple[str, str]:
    step, slash, rest = name.partition("/")
    return (step, rest) if slash and step in agents else ("", name)


def _lineup(text: str, agents: Iterable[str]) -> Lineup:
    """Return the lineup in *text*, agents joined by colons; an agent's own name may contain colons too."""
    return next(_splits(text, list(agents)), (text,) * bool(text))


def _splits(text: str, agents: list[str]) -> Iterator[Lineup]:
    for agent in agents:
        if text == agent:
            yield (agent,)
        elif text.startswith(f"{agent}:"):
            yield from ((agent, *others) for others in _splits(text[len(agent) + 1 :], agents))


MIGRATIONS: dict[int, tuple[str | Callable[[Any], None], ...]] = {
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
        "alter table chunks add column layout text not null default ''",  # empty: the driver's rows, not packed
        "alter table chunks add column checksum integer",  # null: written before there were checksums
        "alter table artifacts add column checksum integer",
    ),
    3: ("alter table hands add column checksum integer",),  # null: written before there were checksums
    4: (
        "alter table chunks rename to named_chunks",
        "alter table hands rename to named_hands",
        """create table chunks (
            run integer not null references runs(id),
            step text not null,
            lineup text not null,
            start integer not null,
            deals integer not null,
            results blob not null,
            faults text not null,
            seconds real not null,
            layout text not null,
            checksum integer,
            primary key (run, step, lineup, start, deals)
        ) without rowid""",
        """create table hands (
            run integer not null references runs(id),
            lineup text not null,
            deal integer not null,
            seating integer not null,
            record text not null,
            checksum integer,
            primary key (run, lineup, deal, seating)
        ) without rowid""",
        _key_chunks,
        _key_hands,
        "drop table named_chunks",
        "drop table named_hands",
    ),
}
"""From a schema version to the statements that lead to the next; 0 is an empty file."""
