"""Recorded hands are the games that were counted; tables for other programs say what the store holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from rummylab import gin, register_agent
from rummylab.agents.registry import agent
from rummylab.arena.backends import ThisProcess
from rummylab.arena.jobs import Chunk, CompiledJob, Played, TableJob, tally_of
from rummylab.arena.keys import ChunkKey, GameKey
from rummylab.arena.outside import Fault
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, Standings, tournament
from rummylab.cli.main import app
from rummylab.engine.records import parse_records
from rummylab.errors import MissingExtraError, OptionError, StoreError
from rummylab.lab.export import drop_damaged, export, summaries

GIN = Plan(game="gin", agents=("simple", "random"), games=700, seed=3)
INDIAN = Plan(game="indian", agents=("minscore", "random"), games=40, seed=-5)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Standings]]:
    path = tmp_path_factory.mktemp("store") / "runs.db"
    with Store(path) as store:
        played = [
            tournament(plan, store=store, name=plan.game, backend=ThisProcess(), keep_hands=6) for plan in (GIN, INDIAN)
        ]
    return path, played


# --- Hands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1])
def test_a_recorded_game_is_the_game_that_was_counted(filled: tuple[Path, list[Standings]], number: int) -> None:
    path, played = filled
    (((first, second), result),) = played[number].results.items()
    with Store(path) as store:
        hands = dict(store.run(number + 1).hands())
    assert list(hands) == [GameKey((first, second), deal, turn) for deal in range(3) for turn in range(2)]
    for (_, deal, turn), text in hands.items():
        tally = result.tallies[2 * deal + turn]
        states = [record.replay() for record in parse_records(text)]
        assert parse_records(text)[0].header["seats"] == ([first, second] if turn == 0 else [second, first])
        assert [states[-1].scores[turn], states[-1].scores[1 - turn]] == tally["scores"].tolist()
        assert sum(state.n_moves for state in states) == tally["decisions"]
        assert len(states) == tally["hands"]


def test_hands_can_be_asked_for_after_the_run(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        plain = tournament(INDIAN, store=store, backend=ThisProcess())
        again = tournament(INDIAN, store=store, backend=ThisProcess(), keep_hands=3)
        assert again.to_dict() == plain.to_dict()
        assert len(store.run(1).hand_keys()) == 3


def test_a_game_at_the_python_table_is_recorded_as_it_is_played() -> None:
    job = TableJob(gin(), [agent("gin", "random"), agent("gin", "simple")], 5)
    played = job(Chunk(4, 1), 1)
    ((key, text),) = played.hands
    assert key == GameKey(("random", "simple"), 4, 0)
    assert list(parse_records(text)[-1].replay().scores) == played.rows[0]["scores"].tolist()


def test_the_record_of_a_forfeited_game_ends_before_the_illegal_move() -> None:
    @register_agent(game="gin")
    def stubborn(table: Any, mine: Any, params: Any) -> int:
        return 9999

    played = CompiledJob(gin(), [agent("gin", "simple"), stubborn], 5, guests=[1])(Chunk(0, 1), 1)
    (record,) = parse_records(played.hands[0][1])
    assert record.result is None
    assert played.faults[0].agent == "stubborn"


# --- Tables -------------------------------------------------------------------------------------------------------


def test_the_list_of_runs_says_how_far_they_have_come(filled: tuple[Path, list[Standings]]) -> None:
    with Store(filled[0]) as store:
        first, second = summaries(store)
    assert (first["name"], first["games_played"], first["chunks"], first["chunks_in_all"]) == ("gin", 700, 2, 2)
    assert (second["game"], second["agents"], second["hands"]) == ("indian", ["minscore", "random"], 6)
    assert first["finished"]


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_the_table_of_games_has_every_game_as_it_was_counted(
    filled: tuple[Path, list[Standings]], tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rummylab.lab.export.PART", 300)  # so that several parts are put together
    path, played = filled
    with Store(path) as store:
        files = export(store, tmp_path / "out", format=format)
    assert {file.name: n for file, n in files.items()}[f"games.{format}"] == 740
    assert [file.name for file in (tmp_path / "out").iterdir() if file.name.startswith(".")] == []
    games = read(tmp_path / "out" / f"games.{format}")
    for number, standings in enumerate(played):
        (result,) = standings.results.values()
        mine = games.filter(pl.col("run") == number + 1)
        assert mine["score_first"].to_list() == result.tallies["scores"][:, 0].tolist()
        assert mine["deal"].to_list() == [i // 2 for i in range(result.games)]
        assert mine["decisions"].sum() == result.decisions
        assert (mine["winner"] == "first").sum() == (result.tallies["winner"] == 0).sum()
        assert mine["winner"].null_count() == (result.tallies["winner"] < 0).sum()
        assert (mine["starter"] == "second").sum() == (result.tallies["starter"] == 1).sum()
        assert mine["forfeited_by"].null_count() == len(mine)
    gins = games.filter(pl.col("game") == "gin")
    assert gins["outcome_knock"].sum() == next(iter(played[0].results.values())).tallies["outcomes"][:, 1].sum()
    assert gins["outcome_declared"].null_count() == len(gins)
    assert read(tmp_path / "out" / f"runs.{format}")["name"].to_list() == ["gin", "indian"]
    assert len(read(tmp_path / "out" / f"hands.{format}")) == len(
        parse_records((tmp_path / "out/hands.rgr").read_text())
    )


def test_faults_are_exported(tmp_path: Path) -> None:
    rows = np.zeros(4, tally_of("gin", 2))
    rows["illegal"] = [0, 2, 0, 1]
    fault = Fault("a", 1, 1, "time-out", "no answer, within 1 s")
    with Store(tmp_path / "runs.db") as store:
        run = store.open_run("tournament", {"game": "gin", "rules": "eaai", "agents": ["a", "b"]}, "code")
        run.keep(ChunkKey(("a", "b"), 0, 2), Played(rows, (fault,), seconds=1))
        export(store, tmp_path / "out", format="csv")
    assert read(tmp_path / "out/games.csv")["forfeited_by"].to_list() == [None, "second", None, "first"]
    assert read(tmp_path / "out/faults.csv").rows() == [(1, "a", "b", *fault)]


def test_existing_tables_are_overwritten_only_by_force(filled: tuple[Path, list[Standings]], tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("mine")
    with Store(filled[0]) as store:
        with pytest.raises(StoreError, match=r"already has games.csv. Use --force"):
            export(store, tmp_path, format="csv")
        assert (tmp_path / "games.csv").read_text() == "mine"
        export(store, tmp_path, run="indian", format="csv", force=True)
    assert len(read(tmp_path / "games.csv")) == 40


def test_bad_requests_for_tables_are_refused(
    filled: tuple[Path, list[Standings]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with Store(filled[0]) as store:
        with pytest.raises(OptionError, match="csv, parquet"):
            export(store, tmp_path, format="xls")
        with pytest.raises(StoreError, match=r"no run 'chess'. Its runs: 1 gin, 2 indian"):
            export(store, tmp_path, run="chess")
        with pytest.raises(StoreError, match="cannot be written to"):
            export(store, tmp_path / "file" / "out")
        monkeypatch.setitem(sys.modules, "polars", None)
        with pytest.raises(MissingExtraError, match=r"rummylab\[data\]"):
            export(store, tmp_path, format="parquet")
        assert export(store, tmp_path / "out")


def test_a_run_with_a_damaged_chunk_goes_on_when_it_is_dropped(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        whole = tournament(INDIAN, store=store, backend=ThisProcess()).to_dict()
        store._db.execute("update chunks set faults = '[ ]'")
        with pytest.raises(StoreError, match="is damaged and was not used"):
            tournament(INDIAN, store=store, backend=ThisProcess())
        assert drop_damaged(store) == [str(INDIAN.tasks()[0].key)]
        assert tournament(INDIAN, store=store, backend=ThisProcess()).to_dict() == whole


def test_the_commands_list_and_export(filled: tuple[Path, list[Standings]], tmp_path: Path) -> None:
    path = str(filled[0])
    listed = rummylab("store", "list", path, "--json")
    assert [run["name"] for run in json.loads(listed)["runs"]] == ["gin", "indian"]
    assert "1  gin · tournament · gin (eaai) · finished" in rummylab("store", "list", path)
    written = rummylab("store", "export", path, "gin", "--out", str(tmp_path), "--format", "csv")
    assert f"{tmp_path / 'games.csv'}: 700 rows" in " ".join(written.split())
    with pytest.raises(StoreError, match="there is no such results file"):
        rummylab("store", "list", str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()


def rummylab(*words: str) -> str:
    return CliRunner().invoke(app, words, catch_exceptions=False).stdout
