"""The command line: what it prints, and how it fails."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import helpers_cli
from helpers_cli import Done

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, stdin: str = "") -> Done:
    return helpers_cli.run(arguments, stdin, ROOT)


def test_arena_prints_the_promised_keys() -> None:
    done = run("match", "gin", "simple", "random", "--games", "200", "--seed", "7", "--json")
    result = json.loads(done.stdout)
    assert set(result) >= {
        "game", "agents", "games", "seed", "win_rate", "win_rate_ci", "points_per_hand", "points_per_hand_ci",
        "hands", "hands_per_s", "seconds",
    }  # fmt: skip
    assert result["agents"] == ["simple", "random"]
    assert result["games"] == 200
    assert result["win_rate_ci"][0] <= result["win_rate"] <= result["win_rate_ci"][1]


def test_arena_speaks_to_people_too() -> None:
    done = run("match", "gin", "simple", "random", "--games", "50")
    assert "simple wins" in done.stdout
    assert "points per hand" in done.stdout


def test_agents_are_listed_with_their_source() -> None:
    done = run("agents", "gin", "--json")
    by_name = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert "EAAI-2021" in by_name["simple"]["source"]
    assert "random" in by_name


def test_a_gap_separates_every_agent_from_its_summary() -> None:
    rows = json.loads(run("agents", "--json").stdout)
    listed = run("agents").stdout
    assert [row["name"] for row in rows if f"  {row['name']}  " not in listed] == []


def test_a_hand_is_evaluated() -> None:
    done = run("hand", "gin", "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks", "--json")
    result = json.loads(done.stdout)
    assert result["deadwood"] == 10
    assert result["discard"] == ["Ks"]
    assert result["deadwood_after_discard"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "gin", "simpel", "random"), "no gin agent named 'simpel'; did you mean 'simple'?"),
        (("match", "gun", "simple", "random"), "no game named 'gun'; did you mean 'gin'?"),
        (("match", "gin", "simple"), "A match needs at least two agents"),
        (("match", "gin", "simple", "random", "--games", "-4"), "games is -4"),
        (("match", "gin", "simple", "random", "--rules", "clasic"), "did you mean 'classic'?"),
        (("hand", "gin", "7h 1x"), "not a card: '1x'"),
        (("hand", "gin", "7h 7h"), "7h occurs 2 times"),
        (("hand", "gin", ""), "up to 11 cards, not 0"),
        (("conformance", "gin", "nowhere.jsonl.gz"), "no such file"),
        (("record", "check", "nowhere.rgr"), "cannot be read"),
        (("bench", "bridge"), "no game named 'bridge'"),
    ],
)
def test_bad_input_is_one_line_and_a_non_zero_exit(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_conformance_counts_mismatches_and_fails_on_them(tmp_path: Path) -> None:
    sample = ROOT / "tests" / "conformance" / "data" / "gin_sample.jsonl.gz"
    done = run("conformance", "gin", str(sample))
    assert done.returncode == 0
    lines = gzip.decompress(sample.read_bytes()).decode().splitlines()
    assert done.stdout.strip() == f"{len(lines)} hands, 0 mismatches"
    hand = json.loads(lines[0])
    hand["points"] = [99, 0]
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(hand) + "\n")
    done = run("conformance", "gin", str(broken))
    assert done.returncode == 1
    assert "points: ours" in done.stdout
    assert done.stdout.endswith("1 hands, 1 mismatches\n")


def test_conformance_of_indian_values_counts_values(tmp_path: Path) -> None:
    sample = ROOT / "tests" / "conformance" / "data" / "indian" / "sample.jsonl.gz"
    done = run("conformance", "indian", str(sample))
    assert done.returncode == 0
    assert done.stdout == "1721 values, 0 mismatches\n"
    hand = json.loads(gzip.decompress(sample.read_bytes()).decode().splitlines()[0])
    broken = tmp_path / "broken.jsonl"
    broken.write_text(json.dumps(hand | {"mindist": 5}) + "\n")
    done = run("conformance", "indian", str(broken))
    assert done.returncode == 1
    assert "mindist is 1, recorded 5" in " ".join(done.stdout.split())
    assert done.stdout.endswith("7 values, 1 mismatches\n")


def test_a_match_can_be_played_from_the_keyboard_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "mine.rgr"
    script = "help\nhint\nn\ns\nn\nnonsense\nu\nlog\n" + "s\nhint\nAc\nKd\n7h\n2s\n" * 40 + "quit\n"
    done = run(
        "play", "gin", "--terminal", "--agent", "simple", "--seed", "3", "--plain", "--record", str(path), stdin=script
    )
    assert done.returncode == 0
    assert "Simple   10 cards" in done.stdout
    assert "You leave the table." in done.stdout
    assert "Traceback" not in done.stderr


def test_records_are_shown_checked_and_redacted(tmp_path: Path) -> None:
    from rummylab import Record, agent, gin, play
    from rummylab.engine.records import write_records

    path, seen = tmp_path / "one.rgr", tmp_path / "seen.rgr"
    write_records(path, [Record.of(play(gin(), [agent("gin", "simple")] * 2, 4), ["a", "b"], 4)])
    assert "a against b" in run("record", "show", str(path)).stdout
    assert run("record", "check", str(path)).stdout == "1 hand replays correctly\n"
    assert run("record", "redact", str(path), "--seat", "1", "--out", str(seen)).returncode == 0
    assert "deck" not in seen.read_text()
    assert run("record", "check", str(seen)).returncode == 2
    assert run("record", "redact", str(path), "--seat", "5", "--out", str(seen)).returncode == 2


def test_bench_prints_the_promised_keys() -> None:
    done = run("bench", "gin", "--json")
    figures = json.loads(done.stdout)
    assert set(figures) == {
        "deadwood_ns", "random_decisions_per_s", "simple_decisions_per_s", "facade_decisions_per_s",
    }  # fmt: skip
    assert all(value > 0 for value in figures.values())
