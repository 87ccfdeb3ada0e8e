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
from typing import Any, Final, NamedTuple

import numpy as np

from rummylab.arena.jobs import tally_of
from rummylab.arena.outside import Fault
from rummylab.arena.store import Run, Store
from rummylab.arena.tournament import Plan
from rummylab.engine.records import parse_records
from rummylab.engine.rules import Rows
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


def drop_damaged(store: Store) -> list[str]:
    """Forget damaged chunks and records of hands and return their names; the same command plays them again."""
    dropped = []
    for about in store.runs():
        run, config = Run(store, about["id"], about["key"]), about["config"]
        names = run.damaged(tally_of(config["game"], 2)) if "game" in config else []
        if names:
            run.drop(names)
        dropped += names + run.drop_damaged_hands()
    return dropped


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
            (out / "hands.rgr").unlink(missing_ok=True)  # without hands no new one takes its place
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
    tables = Tables(pl, runs)
    write = _write_csv if format == "csv" else _write_parquet
    written = {}
    for name, frames in zip(TABLES, (tables.runs(), tables.games(), tables.faults(), tables.hands()), strict=True):
        written[f"{name}.{format}"] = write(pl, place / f"{name}.{format}", _gathered(pl, frames))
    if written[f"hands.{format}"]:
        with (place / "hands.rgr").open("w", encoding="utf-8") as file:
            file.writelines(text for run in runs for _, text in run.hands())
        written["hands.rgr"] = written[f"hands.{format}"]
    return written


def _gathered(pl: Any, frames: Iterable[Any]) -> Iterator[Any]:
    """Put small frames together."""
    waiting: list[Any] = []
    for frame in frames:
        waiting.append(frame)
        if sum(map(len, waiting)) >= PART:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


def _write_csv(pl: Any, path: Path, frames: Iterable[Any]) -> int:
    rows = 0
    with path.open("wb") as file:
        for number, frame in enumerate(frames):
            frame.write_csv(file, include_header=number == 0)
            rows += len(frame)
    return rows


def _write_parquet(pl: Any, path: Path, frames: Iterable[Any]) -> int:
    """Write parts, then have Polars stream them into one file."""
    rows = 0
    parts: list[Path] = []
    for frame in frames:
        parts.append(path.with_name(f"{path.stem}-{len(parts)}.part"))
        frame.write_parquet(parts[-1])
        rows += len(frame)
    pl.scan_parquet(parts).sink_parquet(path)
    return rows


class Tables:
    """The tables of some runs, each as frames of the same columns; the first is empty, for the columns' sake."""

    def __init__(self, pl: Any, runs: Sequence[Run]) -> None:
        self.pl, self.sources = pl, [(run, run.about) for run in runs]
        games = {about["config"]["game"] for _, about in self.sources if "game" in about["config"]}
        self.outcomes = list(dict.fromkeys(name for found in sorted(games) for name in game(found).batch.OUTCOMES))

    def _frames(self, columns: dict[str, Any], parts: Iterable[list[tuple[Any, ...]]]) -> Iterator[Any]:
        for part in itertools.chain([[]], parts):
            yield self.pl.DataFrame(part, schema=columns, orient="row")

    def runs(self) -> Iterator[Any]:
        """One row for each run."""
        text, whole = self.pl.String, self.pl.Int64
        columns = {"run": whole} | dict.fromkeys(
            ("name", "kind", "game", "rules", "agents", "config", "code", "machine", "created", "finished", "key"), text
        )
        return self._frames(columns, ([_run_row(about)] for _, about in self.sources))

    def faults(self) -> Iterator[Any]:
        """One row for each game that somebody lost by a crash, a time-out or an illegal move."""
        text, whole = self.pl.String, self.pl.Int64
        columns = {"run": whole, "first": text, "second": text}
        columns |= {"agent": text, "deal": whole, "seating": whole, "kind": text, "words": text}
        chunks = ((run, chunk) for run, about in self.sources for chunk in _chunks(run, about))
        return self._frames(columns, ([(run.number, *chunk.lineup, *f) for f in chunk.faults] for run, chunk in chunks))

    def hands(self) -> Iterator[Any]:
        """One row for each recorded hand."""
        text, whole = self.pl.String, self.pl.Int64
        columns = {"run": whole, "first": text, "second": text, "deal": whole, "seating": whole, "hand": whole}
        columns |= {"seat_0": text, "seat_1": text, "starter": whole, "outcome": text, "winner_seat": whole}
        columns |= {"record": text}
        return self._frames(columns, (_hand_rows(run, about) for run, about in self.sources))

    def games(self) -> Iterator[Any]:
        """One row for each game."""
        pl = self.pl
        text, whole = pl.String, pl.Int64
        columns = {"run": whole, "game": text, "rules": text, "first": text, "second": text}
        columns |= {"deal": whole, "seating": pl.Int8, "starter": text, "winner": text, "forfeited_by": text}
        columns |= dict.fromkeys(("score_first", "score_second", "hands", "turns", "decisions"), whole)
        columns |= {f"outcome_{name.replace(' ', '_')}": pl.Int32 for name in self.outcomes}
        yield pl.DataFrame(schema=columns)
        for run, about in self.sources:
            config = about["config"]
            for chunk in _chunks(run, about):
                values = self._game_values(chunk, game(config["game"]).batch.OUTCOMES)
                values |= {"run": run.number, "game": config["game"], "rules": config["rules"]}
                missing = [pl.lit(None).alias(name) for name in columns if name not in values]
                frame = pl.DataFrame(values).with_columns(missing)
                yield frame.select(pl.col(name).cast(kind) for name, kind in columns.items())

    def _game_values(self, chunk: _Chunk, outcomes: Sequence[str]) -> dict[str, Any]:
        rows = chunk.rows
        number = np.arange(len(rows))
        places = self.pl.Series(["first", "second", None])
        values = {
            "first": chunk.lineup[0],
            "second": chunk.lineup[1],
            "deal": chunk.start + number // 2,
            "seating": number % 2,
            "starter": places.gather(rows["starter"]),
            "winner": places.gather(rows["winner"] % 3),  # -1, nobody, is the third
            "forfeited_by": places.gather((rows["illegal"] - 1) % 3),
            "score_first": rows["scores"][:, 0],
            "score_second": rows["scores"][:, 1],
        }
        values |= {name: rows[name] for name in ("hands", "turns", "decisions")}
        return values | {f"outcome_{name.replace(' ', '_')}": rows["outcomes"][:, i] for i, name in enumerate(outcomes)}


class _Chunk(NamedTuple):
    lineup: tuple[str, str]
    start: int
    rows: Rows
    faults: tuple[Fault, ...]


def _chunks(run: Run, about: dict[str, Any]) -> Iterator[_Chunk]:
    """Yield a run's chunks of games between two agents, in the order of play; a run of another kind may have none."""
    lineups = _lineups(about)
    found = [match for name in run.chunk_names() if (match := _CHUNK.fullmatch(name)) and match["lineup"] in lineups]
    order = {lineup: i for i, lineup in enumerate(lineups)}
    for match in sorted(found, key=lambda match: (order[match["lineup"]], int(match["start"]))):
        played = run.chunk(match[0], tally_of(about["config"]["game"], 2))
        if played is not None:
            yield _Chunk(lineups[match["lineup"]], int(match["start"]), played.rows, played.faults)


def _lineups(about: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the pairs that may have met, by what their chunks are called."""
    agents = about["config"].get("agents", [])
    return {f"{first}:{second}": (first, second) for first, second in itertools.product(agents, repeat=2)}


def _run_row(about: dict[str, Any]) -> tuple[Any, ...]:
    config = about["config"]
    played = (config.get("game"), config.get("rules"), ", ".join(config.get("agents", [])))
    rest = [about[key] for key in ("code", "machine", "created", "finished", "key")]
    return (about["id"], about["name"], about["kind"], *played, json.dumps(config, sort_keys=True), *rest)


def _hand_rows(run: Run, about: dict[str, Any]) -> list[tuple[Any, ...]]:
    lineups, rows = _lineups(about), []
    for name, text in run.hands():
        match = _HAND.fullmatch(name)
        if match is None or match["lineup"] not in lineups:
            continue
        place = (run.number, *lineups[match["lineup"]], int(match["deal"]), int(match["seating"]))
        for record in parse_records(text, f"hand {name} of run {run.number}"):
            head, result = record.header, record.result or {}
            ended = (result.get("outcome"), result.get("winner"))
            rows.append((*place, head["hand"], *head["seats"], head["starter"], *ended, record.to_text()))
    return rows
