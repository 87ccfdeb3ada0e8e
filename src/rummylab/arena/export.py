"""What a store holds, as lists and as tables for other programs: Parquet and CSV, by Polars.

Games are read chunk by chunk, so that a run of any size fits into memory. A file is only put in its place when it is
complete, and one that exists is not overwritten unless that is asked for.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rummylab.arena.jobs import tally_of
from rummylab.arena.outside import Fault
from rummylab.arena.store import Run, Store
from rummylab.arena.tournament import Plan
from rummylab.engine.records import parse_records
from rummylab.errors import MissingExtraError, OptionError, RummyError, StoreError
from rummylab.games.registry import game

FORMATS: Final = ("parquet", "csv")
TABLES: Final = ("runs", "games", "faults", "hands")
PART: Final = 100_000
"""Games held in memory before they are written."""
_CHUNK = re.compile(r"(?P<lineup>.+):(?P<start>\d+)\+(?P<deals>\d+)")
_HAND = re.compile(r"(?P<lineup>.+):(?P<deal>\d+):(?P<seating>\d+)")


def summaries(store: Store) -> list[dict[str, Any]]:
    """Return a line for every run: what it is and how far it has come."""
    return [_summary(store, run) for run in store.runs()]


def _summary(store: Store, about: dict[str, Any]) -> dict[str, Any]:
    config, run = about["config"], Run(store, about["id"], about["key"])
    chunks = run.chunk_names()
    deals = sum(int(found["deals"]) for name in chunks if (found := _CHUNK.fullmatch(name)))
    return {
        "id": about["id"],
        "name": about["name"],
        "kind": about["kind"],
        "game": config.get("game"),
        "rules": config.get("rules"),
        "agents": config.get("agents", []),
        "games_a_pair": config.get("games"),
        "seed": config.get("seed"),
        "games_played": 2 * deals,
        "chunks": len(chunks),
        "chunks_in_all": _chunks_in_all(about),
        "hands": len(run.hand_names()),
        "artifacts": run.artifacts(),
        "code": about["code"],
        "machine": about["machine"],
        "created": about["created"],
        "finished": about["finished"],
        "key": about["key"],
    }


def _chunks_in_all(about: dict[str, Any]) -> int | None:
    """Return how many chunks the run will have, if its agents are still here to tell."""
    try:
        return len(Plan.from_dict(about["config"]).tasks()) if about["kind"] == "tournament" else None
    except (RummyError, KeyError):
        return None


def export(
    store: Store, out: Path, *, run: str | int | None = None, format: str = "parquet", force: bool = False
) -> dict[Path, int]:
    """Write the tables of one run, or of all, into the directory *out*; return the files and their numbers of rows.

    The records of kept hands also come as ``hands.rgr``, which ``rummylab record`` reads.
    """
    if format not in FORMATS:
        raise OptionError(f"the format is {format!r}, but must be one of: {', '.join(FORMATS)}")
    pl = _polars()
    runs = [store.run(run)] if run is not None else [Run(store, a["id"], a["key"]) for a in store.runs()]
    files = [out / f"{table}.{format}" for table in TABLES] + [out / "hands.rgr"]
    there = [file.name for file in files if file.exists()]
    if there and not force:
        raise StoreError(f"{out} has {', '.join(there)} already; --force overwrites")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as aside:
            written = _write_all(pl, runs, Path(aside), format)
            for name in written:  # all is written: now it takes its place
                (Path(aside) / name).replace(out / name)
    except OSError as error:
        if isinstance(error, RummyError):
            raise
        raise StoreError(f"{out}: cannot be written to: {error}") from None
    return {out / name: rows for name, rows in written.items()}


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingExtraError("export needs Polars: pip install 'rummylab[data]'") from None
    return polars


def _write_all(pl: Any, runs: Sequence[Run], place: Path, format: str) -> dict[str, int]:
    sources = {
        "runs": (_run_columns(pl), ([_run_row(run)] for run in runs)),
        "games": (_game_columns(pl, runs), _games(runs)),
        "faults": (_fault_columns(pl), _faults(runs)),
        "hands": (_hand_columns(pl), _hands(runs)),
    }
    write = _write_csv if format == "csv" else _write_parquet
    written = {}
    for table, (columns, parts) in sources.items():
        frames = (pl.DataFrame(part, schema=columns, orient="row") for part in _gathered(parts, PART))
        written[f"{table}.{format}"] = write(pl, place / f"{table}.{format}", columns, frames)
    if written[f"hands.{format}"]:
        with (place / "hands.rgr").open("w", encoding="utf-8") as file:
            file.writelines(text for run in runs for _, text in run.hands())
        written["hands.rgr"] = written[f"hands.{format}"]
    return written


def _gathered(parts: Iterable[list[Any]], size: int) -> Iterator[list[Any]]:
    """Put small parts together until they have *size* rows; at least one part comes, if only an empty one."""
    rows: list[Any] = []
    for part in parts:
        rows += part
        if len(rows) >= size:
            yield rows
            rows = []
    yield rows


def _write_csv(pl: Any, path: Path, columns: dict[str, Any], frames: Iterable[Any]) -> int:
    rows = 0
    with path.open("wb") as file:
        for frame in frames:
            frame.write_csv(file, include_header=rows == 0)
            rows += len(frame)
    return rows


def _write_parquet(pl: Any, path: Path, columns: dict[str, Any], frames: Iterable[Any]) -> int:
    """Write parts, then have Polars stream them into one file."""
    rows, parts = 0, []
    for frame in frames:
        parts.append(path.with_name(f"{path.stem}-{len(parts)}.part"))
        frame.write_parquet(parts[-1])
        rows += len(frame)
    pl.scan_parquet(parts).sink_parquet(path)
    return rows
