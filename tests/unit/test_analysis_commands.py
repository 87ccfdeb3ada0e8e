"""``rummylab analyze`` and ``rummylab review``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis_tables import finished, table
from helpers_cli import run
from rummylab import Record
from rummylab.cli.main import app
from rummylab.engine.records import write_records


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "match.rgr"
    write_records(path, [Record.of(finished("gin", seed), ["ann", "bob"]) for seed in (3, 4)])
    return str(path)


def test_analyze_ranks_the_moves_of_a_position() -> None:
    seen = table("gin", 7).observe()
    done = run(["analyze", seen.to_text(), "--worlds", "20", "--json"])
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["worlds"] == 20
    assert {move["action"] for move in found["moves"]} == {str(action) for action in seen.legal}
    words = run(["analyze", seen.to_text(), "--worlds", "20"]).stdout
    assert found["moves"][0]["action"] in words
    assert "values of champion, reasons by play-outs of simple in 20 possible" in words


def test_analyze_takes_a_whole_table_as_the_player_to_act_sees_it() -> None:
    state = table("contract", 7)
    both = [run(["analyze", one, "--worlds", "4", "--json"]) for one in (state.to_text(), state.observe().to_text())]
    one, two = (json.loads(done.stdout) | {"seconds": 0} for done in both)
    assert one == two


def test_analyze_finds_a_decision_of_a_record(record: str) -> None:
    done = run(["analyze", record, "--hand", "2", "--at", "4", "--worlds", "4", "--json"])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["phase"] in ("offer", "draw", "discard")
    wrong = run(["analyze", record, "--hand", "2", "--at", "400"])
    assert wrong.returncode == 2
    assert "has the decisions 1 to" in wrong.stderr


def test_review_prints_a_ledger_that_adds_up(record: str) -> None:
    done = run(["review", record, "--worlds", "6", "--quiet"])
    assert done.returncode == 0, done.stderr
    assert "Hand 2" in done.stdout
    assert "kind of decision" in done.stdout
    assert "95% intervals: ±" in done.stdout.partition("All 2 hands: luck")[2]
    found = json.loads(run(["review", record, "--hand", "1", "--seat", "1", "--worlds", "6", "--json"]).stdout)
    (hand,) = found["hands"]
    assert hand["luck"] + hand["own"] + hand["opponents"] == pytest.approx(hand["result"], abs=1e-3)
    assert hand["names"] == ["ann", "bob"]


def test_retry_asks_first_and_answers_after(tmp_path: Path) -> None:
    path = tmp_path / "bad.rgr"
    state = table("gin", 0).copy()
    while state.actor is not None:  # the last legal move is mostly a poor one
        state.push(state.legal_actions[-1])
    write_records(path, [Record.of(state, ["ann", "bob"])])
    asked = CliRunner().invoke(app, ["review", str(path), "--worlds", "40", "--quiet", "--retry"], input="nothing\nq\n")
    assert "Position 1 of" in asked.stdout
    assert "Your move (q to stop)" in asked.stdout
    assert "You played" not in asked.stdout


def test_a_redacted_record_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "seen.rgr"
    write_records(path, [Record.of(finished("gin"), ["ann", "bob"]).seen_by(0)])
    done = run(["review", str(path)])
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
