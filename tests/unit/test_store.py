"""The store: migrations, hands, artifacts, damage, a full disk, two processes at once."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rummylab.arena import store_schema
from rummylab.arena.backends import ThisProcess
from rummylab.arena.columns import pack, unpack
from rummylab.arena.jobs import Played, play_task, tally_of
from rummylab.arena.keys import ChunkKey, GameKey
from rummylab.arena.outside import Fault
from rummylab.arena.store import Run, Store, config_key
from rummylab.arena.tournament import Plan, tournament
from rummylab.errors import OptionError, StoreError

PLAN = Plan(game="gin", agents=("simple", "random"), games=1400, seed=3)
DTYPE = np.dtype([("scores", "i4", (2,)), ("winner", "i1"), ("turns", "i8")], align=True)
V1 = """
create table runs (id integer primary key, key text not null unique, kind text not null, config text not null,
    code text not null, machine text not null, created text not null, finished text);
create table chunks (run integer not null references runs(id), name text not null, results blob not null,
    primary key (run, name)) without rowid;
pragma user_version = 1;
"""


def some_rows(n: int = 40, seed: int = 0) -> Any:
    rows = np.zeros(n, DTYPE)
    rng = np.random.default_rng(seed)
    rows["scores"] = rng.integers(-500, 500, (n, 2))
    rows["winner"] = rng.integers(-1, 2, n)
    return rows


def played(seed: int = 0, seconds: float = 1.0, **more: Any) -> Played:
    return Played(some_rows(seed=seed), seconds=seconds, **more)


def chunk(number: int, step: str = "") -> ChunkKey:
    """Return a key; chunks are told apart by their first deal."""
    return ChunkKey(("a", "b"), number, 20, step)


GAME = GameKey(("a", "b"), 0, 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


@pytest.fixture
def run(store: Store) -> Run:
    return store.open_run("test", {"seed": 1}, "code", "mine")


# --- Schema -------------------------------------------------------------------------------------------------------


def old_file(path: Path, *, chunk: bytes = b"") -> None:
    config, code = PLAN.to_dict(), PLAN.code_version()
    with sqlite3.connect(path) as db:
        db.executescript(V1)
        key = config_key("tournament", config, code)
        row = (key, "tournament", json.dumps(config, sort_keys=True), code, "a machine", "2025-01-01")
        db.execute("insert into runs (key, kind, config, code, machine, created) values (?,?,?,?,?,?)", row)
        db.execute("insert into chunks values (1, 'simple:random:0+250', ?)", (chunk,))
    db.close()


def dump(path: Path) -> list[str]:
    with sqlite3.connect(path) as db:
        text = [*db.iterdump(), str(db.execute("pragma user_version").fetchone())]
    db.close()
    return text


def test_a_file_of_the_first_schema_is_migrated_and_its_run_goes_on(path: Path) -> None:
    first = play_task(PLAN.tasks()[0]).rows.copy()
    first["scores"] += 7  # a mark by which to tell that it was not played again
    old_file(path, chunk=first.tobytes())
    with Store(path) as store:
        assert store.runs()[0]["machine"] == "a machine"
        tournament(PLAN, store=store, backend=ThisProcess())
        assert [run["id"] for run in store.runs()] == [1]
        kept = [store.run(1).chunk(task.key, tally_of("gin", 2)) for task in PLAN.tasks()]
    assert kept[0] is not None
    assert (kept[0].rows == first).all()
    assert all(part is not None for part in kept)
    with sqlite3.connect(path) as db:
        assert db.execute("pragma user_version").fetchone() == (store_schema.SCHEMA,)
    db.close()


def test_names_of_earlier_schemas_become_keys(path: Path) -> None:
    lineup = ("some/mine.py:Me", "program:sh bot")
    config = {"game": "gin-course", "agents": list(lineup)}
    steps = {"steps": [{"name": "first", "agents": ["a", "b", "c"]}]}
    with sqlite3.connect(path, isolation_level=None) as db:
        for version in range(4):
            for statement in store_schema.MIGRATIONS[version]:
                db.execute(str(statement))
        for number, (kind, found) in enumerate((("tournament", config), ("experiment", steps)), 1):
            row = (number, str(number), kind, json.dumps(found))
            db.execute(
                "insert into runs (id, key, kind, config, code, machine, created) values (?,?,?,?,'','','')", row
            )
        results, layout = pack(some_rows())
        names = [(1, f"{':'.join(lineup)}:40+20"), (2, "first/a:c:b:0+10"), (2, "first/shard 3")]
        for run, name in names:
            total = store_schema.checksum(results, name, layout, "[]")
            db.execute("insert into chunks values (?,?,?,'[]',1,?,?)", (run, name, results, layout, total))
        db.execute("update chunks set checksum = 7 where name = 'first/a:c:b:0+10'")
        db.execute("insert into hands values (1, ?, 'a record', null)", (f"{':'.join(lineup)}:40:1",))
        db.execute("pragma user_version = 4")
    db.close()
    with Store(path) as store:
        assert store.runs()[0]["config"]["game"] == "gin_pass"
        first, second = store.every_run()
        assert first.chunk_keys() == [ChunkKey(lineup, 40, 20)]
        kept = first.chunk(ChunkKey(lineup, 40, 20), DTYPE)
        assert kept is not None
        assert (kept.rows == some_rows()).all()
        assert list(first.hands()) == [(GameKey(lineup, 40, 1), "a record")]
        damaged = ChunkKey(("a", "c", "b"), 0, 10, "first")
        assert second.chunk_keys() == [damaged, ChunkKey(("shard 3",), 0, 0, "first")]
        assert second.drop_damaged(DTYPE) == [damaged]


def test_a_migration_that_fails_half_way_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_file(path)
    before = dump(path)
    broken = store_schema.MIGRATIONS | {2: ("alter table chunks add column layout text", "alter table nowhere")}
    with monkeypatch.context() as patch:
        patch.setattr(store_schema, "MIGRATIONS", broken)
        with pytest.raises(StoreError, match="incomplete input"):
            Store(path)
    assert dump(path) == before
    Store(path).close()
    assert dump(path) != before


def test_a_file_that_claims_our_version_but_has_other_tables_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.executescript("create table letters (x); pragma user_version = 1")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="something else"):
        Store(path)
    assert path.read_bytes() == before


# --- Chunks, hands, artifacts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 40])
def test_packed_rows_come_back_as_they_were(n: int) -> None:
    rows = some_rows(n)
    data, layout = pack(rows)
    assert len(data) <= rows.nbytes
    again = unpack(data, layout, DTYPE)
    assert again.dtype == DTYPE
    assert again.tobytes() == rows.tobytes()


def test_rows_can_be_read_when_the_drivers_count_other_things() -> None:
    other = np.dtype([("scores", "i4", (2,)), ("melds", "i4")])
    again = unpack(*pack(some_rows()), other)
    assert again.dtype.names == DTYPE.names
    assert (again["scores"] == some_rows()["scores"]).all()


def test_a_chunk_comes_back_with_its_faults(store: Store, run: Run) -> None:
    faults = (Fault("mine.py:Me", 3, 1, "crash", "ended with code 1"),)
    run.keep(chunk(0), played(faults=faults))
    kept = store.run("mine").chunk(chunk(0), DTYPE)
    assert kept is not None
    assert kept.faults == faults
    assert (kept.rows == some_rows()).all()
    assert run.chunk(chunk(20), DTYPE) is None


def test_small_chunks_are_written_together_and_large_ones_at_once(path: Path, run: Run) -> None:
    with Store(path) as reader:
        seen = reader.run("mine")
        run.keep(chunk(1), played(seconds=0.001))
        assert seen.chunk_keys() == []
        run.keep(chunk(0), played(seconds=5))
        assert seen.chunk_keys() == [chunk(0), chunk(1)]
        run.keep(chunk(2), played(seconds=0.001))
        run.flush()
        assert len(seen.chunk_keys()) == 3


def test_who_keeps_a_chunk_first_counts(path: Path, run: Run) -> None:
    with Store(path) as other:
        assert list(other.run("mine").keep(chunk(0), played(seed=1))) == [chunk(0)]
    settled = run.keep(chunk(0), played(seed=2, hands=((GAME, "of another chunk"),)))
    assert (settled[chunk(0)].rows == some_rows(seed=1)).all()
    assert run.hand_keys() == []


def test_hands_and_artifacts_come_back(run: Run) -> None:
    run.keep_hand(GAME, "a record\n")
    run.keep_hand(GAME, "another")
    assert list(run.hands()) == [(GAME, "a record\n")]
    run.keep_artifact("curve.png", b"\x00\x01")
    run.keep_artifact("curve.png", b"\x02")
    assert run.artifact("curve.png") == b"\x02"
    assert run.artifacts() == ["curve.png"]
    with pytest.raises(StoreError, match=r"no artifact 'curve.svg'. Its artifacts: curve.png"):
        run.artifact("curve.svg")


def test_a_run_is_found_by_name_number_and_beginning_of_its_key(store: Store, run: Run) -> None:
    other = store.open_run("test", {"seed": 2}, "code")
    for which in ("mine", 1, "1", run.key, run.key[:10]):
        assert store.run(which).number == run.number
    assert store.run(2).key == other.key
    with pytest.raises(StoreError, match=f"no run 'yours'. Its runs: 1 mine, 2 {other.key}"):
        store.run("yours")


def test_a_run_that_had_no_name_gets_one_and_keeps_it(store: Store) -> None:
    store.open_run("test", {"seed": 2}, "code")
    assert store.open_run("test", {"seed": 2}, "code", "late").about["name"] == "late"
    with pytest.raises(StoreError, match="already has the name 'late' and cannot be 'later'"):
        store.open_run("test", {"seed": 2}, "code", "later")


# --- Whatever goes wrong ------------------------------------------------------------------------------------------


def test_a_changed_configuration_under_the_same_name_is_refused(path: Path, store: Store, run: Run) -> None:
    before = dump(path)
    with pytest.raises(StoreError, match=r"'mine' has another configuration \(games was None and is now 5, seed was 1"):
        store.open_run("test", {"seed": 2, "games": 5}, "code", "mine")
    assert dump(path) == before


def keep_some(path: Path, n: int = 20) -> None:
    with Store(path) as store:
        run = store.open_run("test", {"seed": 1}, "code", "mine")
        for i in range(n):
            run.keep(chunk(i), Played(some_rows(400, seed=i), seconds=1))


def test_a_file_cut_in_the_middle_is_refused_and_left_alone(path: Path) -> None:
    keep_some(path)
    half = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(half)
    with pytest.raises(StoreError, match="the file is damaged; nothing was changed"):
        Store(path)
    assert path.read_bytes() == half


def test_a_damaged_chunk_is_named_and_not_used_until_it_is_dropped(path: Path) -> None:
    keep_some(path)
    content = bytearray(path.read_bytes())
    inside = content.index(pack(some_rows(400, seed=7))[0][:100]) + 50
    content[inside] ^= 0xFF
    path.write_bytes(content)
    with Store(path) as store:
        run = store.run("mine")
        run.finish()
        assert run.chunk(chunk(6), DTYPE) is not None
        with pytest.raises(
            StoreError, match=r"the chunk a against b, deals 7 to 26 of run 1 is damaged .*prune .* --damaged"
        ):
            run.chunk(chunk(7), DTYPE)
        assert run.drop_damaged(DTYPE) == [chunk(7)]
        assert run.chunk(chunk(7), DTYPE) is None
        assert run.about["finished"] is None
        assert len(run.chunk_keys()) == 19


def test_a_damaged_artifact_is_not_handed_out(path: Path, run: Run) -> None:
    run.keep_artifact("report.html", b"<html>")
    run.store._db.execute("update artifacts set content = ?", (b"<html?",))
    with pytest.raises(StoreError, match=r"'report.html' of run 1 is damaged"):
        run.artifact("report.html")


def test_a_full_disk_is_told_and_what_was_kept_stays(path: Path, store: Store, run: Run) -> None:
    run.keep(chunk(0), played())
    (pages,) = store._db.execute("pragma page_count").fetchone()
    store._db.execute(f"pragma max_page_count = {pages + 1}")
    with pytest.raises(StoreError, match="the disk is full; stored results are safe"):
        run.keep(chunk(1), Played(some_rows(20_000), seconds=1))
    with Store(path) as again:
        assert again.run("mine").chunk_keys() == [chunk(0)]
    store._db.execute(f"pragma max_page_count = {pages + 1000}")
    run.flush()
    assert run.chunk_keys() == [chunk(0), chunk(1)]


def test_a_file_that_may_not_grow_further_is_told_and_the_run_goes_on_later(path: Path) -> None:
    keep_some(path, 3)
    child = multiprocessing.get_context("spawn").Process(target=_keep_until_full, args=(path,))
    child.start()
    child.join()
    assert child.exitcode == 7
    keep_some(path)
    with Store(path) as store:
        run = store.run("mine")
        assert run.drop_damaged(DTYPE) == []
        assert len(run.chunk_keys()) == 20


def _keep_until_full(path: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    try:
        keep_some(path, 500)
    except StoreError as error:
        raise SystemExit(7 if "stored results are safe" in str(error) else 1) from None


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a file"
    file.write_text("")
    with pytest.raises(StoreError, match=r"the directory .*a file does not exist"):
        Store(file / "runs.db")
    with pytest.raises(StoreError, match="there is no such results file"):
        Store(tmp_path / "none.db", must_exist=True)
    if Path("/proc/self").is_dir():  # where not even the superuser can make files
        with pytest.raises(StoreError, match="cannot be opened for writing"):
            Store(Path("/proc/self/runs.db"))
    keep_some(tmp_path / "runs.db", 1)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **more: connect(f"file:{path}?mode=ro", uri=True, **more))
    with Store(tmp_path / "runs.db") as store, pytest.raises(StoreError, match="it is read-only"):
        store.run("mine").keep(chunk(9), played())


def test_a_file_locked_by_another_program_is_told(path: Path, run: Run) -> None:
    with Store(path, patience=0.01) as impatient:
        run.store._db.execute("begin immediate")
        with pytest.raises(StoreError, match="another program has locked it"):
            impatient.run("mine").keep(chunk(0), played())
        run.store._db.execute("commit")
        impatient.run("mine").keep(chunk(0), played())


def _play_into(path: Path, out: Path, barrier: Any) -> None:
    barrier.wait()
    with Store(path) as store:
        out.write_text(json.dumps(tournament(PLAN, store=store, backend=ThisProcess(), keep_hands=2).to_dict()))


def test_two_processes_on_one_run_both_end_with_the_same_table(path: Path, tmp_path: Path) -> None:
    whole = json.dumps(tournament(PLAN, backend=ThisProcess()).to_dict())
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    both = [spawn.Process(target=_play_into, args=(path, tmp_path / f"{i}.json", barrier)) for i in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [(tmp_path / f"{i}.json").read_text() for i in range(2)] == [whole, whole]
    with Store(path) as store:
        assert [run["id"] for run in store.runs()] == [1]
        assert len(store.run(1).chunk_keys()) == len(PLAN.tasks())
        assert len(store.run(1).hand_keys()) == 2


def test_hands_need_a_store() -> None:
    with pytest.raises(OptionError, match="hands are kept in a store"):
        tournament(PLAN, keep_hands=3)
