"""List what a store holds, and write it as tables for other programs: CSV, or Parquet with Polars.

Games are read chunk by chunk, so that a run of any size fits into memory. A table appears under its name only when all
tables are complete. An existing table is not overwritten unless that is asked for.
"""

from __future__ import annotations

import csv
import itertools
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rummylab.arena.jobs import Played, tally_of
from rummylab.arena.keys import ChunkKey
from rummylab.arena.plan import MatchPlan
from rummylab.arena.seating import games_per_deal
from rummylab.arena.store import Run, Store
from rummylab.arena.tournament import Plan
from rummylab.engine.records import parse_records
from rummylab.errors import MissingExtraError, OptionError, RummyError, StoreError
from rummylab.games.registry import game

FORMATS: Final = ("csv", "parquet")
TABLES: Final = ("runs", "games", "faults", "hands")
PART: Final = 100_000
"""Rows held in memory before they are written."""
_PLANS: Final = (MatchPlan.KIND, Plan.KIND)
"""The kinds of runs whose chunks are games."""
_ROLES: Final = np.array(["first", "second", None], object)
Columns = dict[str, type]
Rows = list[tuple[Any, ...]]


def summaries(store: Store) -> list[dict[str, Any]]:
    """Return the facts about every run: what it is and how far it has come."""
    return [_summary(run, run.about) for run in store.every_run()]


def _summary(run: Run, about: dict[str, Any]) -> dict[str, Any]:
    config, chunks = about["config"], run.chunk_keys()
    all_orders = bool(config.get("all_orders"))
    games = sum(key.deals * games_per_deal(len(key.lineup), all_orders) for key in chunks if about["kind"] in _PLANS)
    return {
        "id": about["id"],
        "name": about["name"],
        "kind": about["kind"],
        "game": config.get("game"),
        "rules": config.get("rules"),
        "agents": config.get("agents", []),
        "games_a_pair": config.get("games"),
        "seed": config.get("seed"),
        "games_played": games,
        "chunks": len(chunks),
        "chunks_in_all": _chunks_in_all(about),
        "hands": len(run.hand_keys()),
        "artifacts": run.artifacts(),
        "code": about["code"],
        "machine": about["machine"],
        "created": about["created"],
        "finished": about["finished"],
        "key": about["key"],
    }


def _chunks_in_all(about: dict[str, Any]) -> int | None:
    """Return the number of chunks of the finished run, if its agents still exist."""
    try:
        return len(Plan.from_dict(about["config"]).tasks()) if about["kind"] == Plan.KIND else None
    except (RummyError, KeyError):
        return None


def drop_damaged(store: Store) -> list[str]:
    """Remove damaged chunks and records of hands and name them; the same command then plays them again."""
    dropped = []
    for run in store.every_run():
        game_name = run.about["config"].get("game")
        dtype = np.dtype([("any", "u1")]) if game_name is None else tally_of(game_name, 2)
        dropped += [str(key) for key in run.drop_damaged(dtype)]
    return dropped


def export(
    store: Store, out: Path, *, run: str | int | None = None, format: str = "csv", force: bool = False
) -> dict[Path, int]:
    """Write the tables of one run, or of all, into the directory *out*; return the files and their numbers of rows.

    Recorded hands are also written as ``hands.rgr``, which ``rummylab record`` reads.

    Raises:
        OptionError: If *format* is not csv or parquet.
        StoreError: If *out* cannot be written to, or has tables already and *force* is not set.
        MissingExtraError: If *format* is parquet and Polars is not installed.
    """
    if format not in FORMATS:
        raise OptionError(f"The format is {format!r}, but must be one of: {', '.join(FORMATS)}.")
    write = _write_csv if format == "csv" else _parquet_writer()
    tables = _Tables([store.run(run)] if run is not None else store.every_run())
    files = [out / f"{table}.{format}" for table in TABLES] + [out / "hands.rgr"]
    there = [file.name for file in files if file.exists()]
    if there and not force:
        raise StoreError(f"{out} already has {', '.join(there)}. Use --force to overwrite.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as aside:
            written = {}
            for name in TABLES:
                columns, parts = getattr(tables, name)()
                written[f"{name}.{format}"] = write(Path(aside) / f"{name}.{format}", columns, _gathered(parts))
            if written[f"hands.{format}"]:
                written["hands.rgr"] = tables.write_records(Path(aside) / "hands.rgr")
            (out / "hands.rgr").unlink(missing_ok=True)
            for name in written:
                (Path(aside) / name).replace(out / name)
    except OSError as error:
        if isinstance(error, RummyError):
            raise
        raise StoreError(f"{out}: cannot be written to: {error}") from None
    return {out / name: rows for name, rows in written.items()}


def _gathered(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Put small parts together."""
    waiting: Rows = []
    for part in parts:
        waiting += part
        if len(waiting) >= PART:
            yield waiting
            waiting = []
    yield waiting


def _write_csv(path: Path, columns: Columns, parts: Iterable[Rows]) -> int:
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for part in parts:
            writer.writerows(part)
            n += len(part)
    return n


def _parquet_writer() -> Any:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtraError("Parquet needs Polars: pip install 'rummylab[data]'; CSV does not.") from None

    def write(path: Path, columns: Columns, parts: Iterable[Rows]) -> int:
        """Write the parts to files of their own, then have Polars stream them into one."""
        schema = {name: pl.Int64 if kind is int else pl.String for name, kind in columns.items()}
        files: list[Path] = []
        n = 0
        for part in parts:
            files.append(path.with_name(f"{path.stem}-{len(files)}.part"))
            pl.DataFrame(part, schema=schema, orient="row").write_parquet(files[-1])
            n += len(part)
        pl.scan_parquet(files).sink_parquet(path)
        return n

    return write


class _Tables:
    """The tables of some runs: the columns with their types, and the rows in parts."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.sources = [(run, run.about) for run in runs]
        games = {about["config"]["game"] for _, about in self.sources if "game" in about["config"]}
        self.outcomes = list(dict.fromkeys(name for found in sorted(games) for name in game(found).batch.OUTCOMES))

    def runs(self) -> tuple[Columns, Iterator[Rows]]:
        """One row for each run."""
        columns: Columns = {"run": int}
        columns |= dict.fromkeys(
            ("name", "kind", "game", "rules", "agents", "config", "code", "machine", "created", "finished", "key"), str
        )
        return columns, ([_run_row(about)] for _, about in self.sources)

    def games(self) -> tuple[Columns, Iterator[Rows]]:
        """One row for each game."""
        columns: Columns = {
            "run": int,
            "game": str,
            "rules": str,
            "first": str,
            "second": str,
            "deal": int,
            "seating": int,
        }
        columns |= {"starter": str, "winner": str, "forfeited_by": str}
        columns |= dict.fromkeys(("score_first", "score_second", "hands", "turns", "decisions"), int)
        columns |= {f"outcome_{name.replace(' ', '_')}": int for name in self.outcomes}
        parts = (
            self._game_rows((run.number, about["config"]["game"], about["config"]["rules"]), key, played)
            for run, about in self.sources
            for key, played in _chunks(run, about)
        )
        return columns, parts

    def _game_rows(self, head: tuple[Any, ...], key: ChunkKey, played: Played) -> Rows:
        rows, own = played.rows, list(game(head[1]).batch.OUTCOMES)
        number, nothing = np.arange(len(rows)), [None] * len(rows)
        columns: list[Any] = [
            *(itertools.repeat(value, len(rows)) for value in (*head, *key.lineup)),
            (key.start + number // 2).tolist(),
            (number % 2).tolist(),
            *(_ROLES[rows[name] - base] for name, base in (("starter", 0), ("winner", 0), ("illegal", 1))),
            *rows["scores"].T.tolist(),
            *(rows[name].tolist() for name in ("hands", "turns", "decisions")),
            *(rows["outcomes"][:, own.index(name)].tolist() if name in own else nothing for name in self.outcomes),
        ]
        return list(zip(*columns, strict=True))

    def faults(self) -> tuple[Columns, Iterator[Rows]]:
        """One row for each game that an agent lost by a crash, a time-out or an illegal move."""
        columns: Columns = {"run": int, "first": str, "second": str, "agent": str}
        columns |= {"deal": int, "seating": int, "kind": str, "words": str}
        chunks = ((run, *chunk) for run, about in self.sources for chunk in _chunks(run, about))
        return columns, ([(run.number, *key.lineup, *f) for f in played.faults] for run, key, played in chunks)

    def hands(self) -> tuple[Columns, Iterator[Rows]]:
        """One row for each recorded hand."""
        columns: Columns = {"run": int, "first": str, "second": str, "deal": int, "seating": int, "hand": int}
        columns |= {"seat_0": str, "seat_1": str, "starter": int, "outcome": str, "winner_seat": int, "record": str}
        return columns, (_hand_rows(run) for run, _ in self.sources)

    def write_records(self, path: Path) -> int:
        """Write all recorded hands as one file of records; return the number of games."""
        texts = [text for run, _ in self.sources for _, text in run.hands()]
        with path.open("w", encoding="utf-8") as file:
            file.writelines(texts)
        return len(texts)


def _chunks(run: Run, about: dict[str, Any]) -> Iterator[tuple[ChunkKey, Played]]:
    """Yield a run's chunks of games between two agents, lineup by lineup in the order of play."""
    agents = about["config"].get("agents", [])
    order = {lineup: i for i, lineup in enumerate(itertools.product(agents, repeat=2))}
    keys = [key for key in run.chunk_keys() if key.lineup in order]
    for key in sorted(keys, key=lambda key: (order[key.lineup], key.start)):
        played = run.chunk(key, tally_of(about["config"]["game"], 2))
        if played is not None:
            yield key, played


def _run_row(about: dict[str, Any]) -> tuple[Any, ...]:
    config = about["config"]
    played = (config.get("game"), config.get("rules"), ", ".join(config.get("agents", [])))
    rest = [about[key] for key in ("code", "machine", "created", "finished", "key")]
    return (about["id"], about["name"], about["kind"], *played, json.dumps(config, sort_keys=True), *rest)


def _hand_rows(run: Run) -> Rows:
    rows = []
    for key, text in run.hands():
        for record in parse_records(text, f"the record of {key} in run {run.number}") if len(key.lineup) == 2 else ():
            head, result = record.header, record.result or {}
            place = (run.number, *key.lineup, key.deal, key.seating, head["hand"])
            ended = (head["starter"], result.get("outcome"), result.get("winner"))
            rows.append((*place, *head["seats"], *ended, record.to_text()))
    return rows
