"""Bad input: one sentence for each kind, never a traceback, never more memory or time than it is worth."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers_cli import Done, run
from rummylab import CompiledAgent, Record, agent, gin, play
from rummylab.arena import outside
from rummylab.arena.keys import GameKey
from rummylab.arena.markdown import as_code, table
from rummylab.arena.store import Store
from rummylab.engine import artifacts, reading
from rummylab.engine.records import _digest, parse_records, read_records, validate_records, write_records
from rummylab.errors import AgentError, ArtifactError, ExperimentError, RecordError, StoreError, VectorError


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return Record.of(play(gin(), [agent("gin", "simple")] * 2, 3), ["a", "b"], 3).to_text().splitlines()


def _signed(lines: list[str]) -> str:
    """Put the right checksum under wrong lines."""
    end = json.loads(lines[-1])
    record_format = json.loads(lines[0])["format"]
    end["sha256"] = _digest(lines[:-1], record_format if record_format == 1 else 2, end["result"])
    return "\n".join([*lines[:-1], json.dumps(end)]) + "\n"


# --- Records ------------------------------------------------------------------------------------------------------

WRONG: tuple[Any, ...] = (None, True, -1, 1.5, 10**30, "x", [], {}, [1, [2]], {"a": 1})


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("format", lambda value: False),
        ("game", lambda value: value == "x"),
        ("version", lambda value: value == -1),
        ("options", lambda value: value == {"a": 1}),
        ("seats", lambda value: False),
        ("starter", lambda value: value == -1),
        ("scores", lambda value: value == []),
        ("hand", lambda value: False),
        ("deck", lambda value: value == "x"),
        ("viewer", lambda value: False),
    ],
)
def test_every_key_of_a_header_is_checked(lines: list[str], key: str, right: Callable[[Any], bool]) -> None:
    head = json.loads(lines[0])
    for value in [value for value in WRONG if (key, value) != ("options", {})]:
        text = _signed([json.dumps(head | {key: value}), *lines[1:]])
        if right(value):  # of the right type, but no table can be made of it
            (record,) = parse_records(text)
            with pytest.raises(RecordError, match="line 1: "):
                record.replay()
        else:
            with pytest.raises(RecordError, match=r"line [12]: "):
                parse_records(text)


@pytest.mark.parametrize("key", ["seat", "do", "secret", "by_rule"])
def test_every_key_of_an_event_is_checked(lines: list[str], key: str) -> None:
    event = json.loads(lines[1])
    for value in WRONG:
        if (key, value) != ("by_rule", True):
            with pytest.raises(RecordError, match=r"line 2: not an event|line 2: found"):
                parse_records(_signed([lines[0], json.dumps(event | {key: value}), *lines[2:]]))[0].replay()


def test_a_result_is_checked_and_covered_by_the_checksum(lines: list[str]) -> None:
    end = json.loads(lines[-1])
    for value in (True, 1, "x", [], {"a": {"b": 1}}):
        with pytest.raises(RecordError, match="not a result"):
            parse_records("\n".join([*lines[:-1], json.dumps(end | {"result": value})]))
    end["result"]["points"] += 1
    with pytest.raises(RecordError, match="the record was changed"):
        parse_records("\n".join([*lines[:-1], json.dumps(end)]))


def test_records_of_format_1_are_still_read(lines: list[str]) -> None:
    old = [json.dumps(json.loads(lines[0]) | {"format": 1}), *lines[1:]]
    (record,) = parse_records(_signed(old))
    assert record.header["format"] == 1
    record.replay()
    assert parse_records(record.to_text()) == [record]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[" * 100_000, "nested more than 50 deep"),
        ("[" * 60 + "]" * 60, "nested more than 50 deep"),
        ('{"a": ' + "9" * 5000 + "}", "4300 digits"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": 1e999}', "1e999 is not a number"),
        ('{"a": "\\ud800"}', "surrogates not allowed"),
    ],
)
def test_json_that_python_chokes_on_is_not_json(line: str, why: str) -> None:
    with pytest.raises(RecordError, match=rf"line 1: not JSON \(.*{why}.*\); expected a header"):
        parse_records(line)


def test_names_that_could_command_a_terminal_are_refused_and_odd_ones_come_back(lines: list[str]) -> None:
    head = json.loads(lines[0])
    with pytest.raises(RecordError, match="'seats' must be a list of names"):
        parse_records(_signed([json.dumps(head | {"seats": ["a", "\x1b[2J"]}), *lines[1:]]))
    odd = Record(head | {"seats": ["ä`|<b>", "b"]}, (), None)
    assert parse_records(odd.to_text()) == [odd]


def test_files_without_an_end_and_large_files_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="not a regular file"):
        read_records(Path("/dev/zero"))
    large = tmp_path / "large.rgr"
    with large.open("wb") as file:
        file.truncate(reading.MAX_BYTES + 1)
    with pytest.raises(RecordError, match="larger than 32 MiB"):
        read_records(large)


def test_appending_keeps_what_is_there(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "match.rgr"
    (record,) = parse_records("\n".join(lines))
    for n in (1, 2):
        write_records(path, [record])
        assert len(validate_records(path)) == n


# --- Vectors ------------------------------------------------------------------------------------------------------


def _bomb(path: Path, part: bytes, n: int) -> Path:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    path.write_bytes(b"".join([*(pack.compress(part) for _ in range(n)), pack.flush()]))
    return path


@pytest.mark.parametrize(
    ("part", "n", "why"),
    [(b" " * 2**20, 2, "line 1: longer than 1 MiB"), (b" " * (2**20 - 1) + b"\n", 5, "more than 4 MiB of text")],
)
def test_a_packed_file_is_unpacked_up_to_a_limit(tmp_path: Path, part: bytes, n: int, why: str) -> None:
    bomb = _bomb(tmp_path / "bomb.jsonl.gz", part, n)
    with pytest.raises(VectorError, match=why):
        list(reading.read_lines(bomb, VectorError, limit=4 * 2**20))


@pytest.mark.parametrize("game", ["gin", "indian"])
def test_an_empty_file_of_vectors_does_not_pass(tmp_path: Path, game: str) -> None:
    for name, content in (("a.jsonl", b""), ("b.jsonl", b"\n\n"), ("c.jsonl.gz", gzip.compress(b""))):
        (tmp_path / name).write_bytes(content)
        assert "nothing to compare" in run(["conformance", game, str(tmp_path / name)]).refused()


# --- Experiments, artifacts, agents -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["nan", "inf", "9" * 25, "0x" + "f" * 6000, "9" * 5000, "[" * 2000])
def test_numbers_in_toml_are_finite_and_of_a_sensible_size(value: str) -> None:
    with pytest.raises(ExperimentError, match=r"^x: (not valid TOML: |margin )"):
        reading.parse_toml(f"margin = {value}", ExperimentError, "x")


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    for bad in (np.nan, np.inf):
        artifacts.write_artifact(path, {"w": np.array([1, bad], np.float32)}, {})
        with pytest.raises(ArtifactError, match="'w' has entries that are not finite"):
            artifacts.read_artifact(path, {"w": (2,)})
        with pytest.raises(ArtifactError, match="not finite numbers"):
            artifacts.check_numbers([bad], 1, "x", "y")
        with pytest.raises(AgentError, match="finite numbers"):
            CompiledAgent("x", None, [1.0, bad])
    with pytest.raises(ArtifactError, match="not finite numbers"):
        artifacts.check_numbers([10**400], 1, "x", "y")


def test_an_unclosed_quote_is_told() -> None:
    with pytest.raises(AgentError, match="No closing quotation"):
        outside._command("program:'unclosed")


# --- Reports and the store ----------------------------------------------------------------------------------------


def test_a_name_cannot_break_out_of_a_markdown_report() -> None:
    name = "program:`x` | <img src=x onerror=alert(1)>\n# gotcha"
    assert as_code(name) == "`program:'x' | <img src=x onerror=alert(1)>?# gotcha`"
    text = table(("agent",), [(as_code(name),), (name,)])
    rows = text.splitlines()
    assert len(rows) == 4
    assert all(row.count("|") - row.count(r"\|") == 2 for row in rows)
    assert "<img" not in rows[3].replace(r"\|", "")


def test_a_recorded_hand_in_the_store_has_a_checksum(tmp_path: Path) -> None:
    with Store(tmp_path / "x.db") as store:
        kept = store.open_run("tournament", {"agents": []}, "code")
        one, two = (GameKey(("a", "b"), 0, seating) for seating in range(2))
        kept.keep_hand(one, "text")
        kept.keep_hand(two, "other")
        store._db.execute("update hands set record = 'next' where seating = 0")
        with pytest.raises(StoreError, match=r"the record of a against b, deal 0, seating 0 of run 1 is damaged"):
            list(kept.hands())
        assert kept.drop_damaged(np.dtype("u1")) == [one]
        assert list(kept.hands()) == [(two, "other")]
        store._db.execute("update hands set checksum = null")  # kept by an earlier version
        assert list(kept.hands()) == [(two, "other")]


# --- The command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> Callable[..., Done]:
    (tmp_path / "match.rgr").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return lambda text, **more: run(text.split(), **more)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tournament gin simple random --games 99999999999999999999999", "1000000000"),
        ("match gin simple random --workers 99999999", "1024"),
        ("match gin simple random --seconds-a-move nan", "not a finite number"),
        ("record belief match.rgr --at 3 --seat 2", "--seat is 2, but the table has the seats 0 to 1"),
        ("record redact match.rgr --seat 2 --out out.rgr", "no seat 2 at a table of 2"),
        ("bridge indian mindist", "The bridge speaks a protocol of gin, not of indian"),
        ("hand gin PJ,2c,3c", "Gin is played without jokers"),
        ("hand gin_pass PJ,2c,3c", "Gin is played without jokers"),
        ("play gin --terminal --record other.txt", "expected a header"),
    ],
)
def test_a_bad_command_is_one_sentence(command: Callable[..., Done], text: str, why: str) -> None:
    Path("other.txt").write_text('{"not": "a record"}\n')
    assert why in " ".join(command(text).refused().replace("│", " ").split())


def test_play_appends_to_a_record(command: Callable[..., Done]) -> None:
    """A match of one hand, played twice by the first moves that come to mind, and left after it."""
    typed = "s\nn\n" + "".join(f"{rank}{suit}\ns\n" for suit in "chsd" for rank in "KQJT98765432A") * 6
    for n in (2, 3):
        done = command("play gin --terminal --rules openspiel --agent simple --seed 1 --record match.rgr", stdin=typed)
        assert done.returncode == 0
        assert len(read_records(Path("match.rgr"))) == n


def test_no_output_of_ours_needs_a_terminal() -> None:
    assert run(["--version"]).stdout == f"rummylab {sys.modules['rummylab'].__version__}\n"
