"""Exact MinScore and MinDist values are met; a changed one is noticed; a damaged file is named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from helpers import write_lines
from rummylab.errors import VectorError
from rummylab.games.indian.vectors import compare_file, read_lines

SAMPLE = Path(__file__).parent / "data" / "indian" / "sample.jsonl.gz"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "vectors"
SHARED = Path(os.environ.get("RUMMYLAB_VECTORS", BESIDE)) / "indian"
FILES = sorted(SHARED.glob("*.jsonl.gz"))

Record = dict[str, Any]


def sample() -> list[Record]:
    return [record for _, record in read_lines(SAMPLE)]


def test_every_value_of_the_sample_is_met() -> None:
    report = compare_file(SAMPLE)
    assert report.mismatches == []
    assert str(report) == "1721 values, 0 mismatches"


def test_the_sample_holds_every_kind_of_record() -> None:
    records = sample()
    assert {record["ndeck"] for record in records} == {1, 2}
    assert {len(record["hand"]) for record in records} == {13, 14}
    assert "PJ" in {record["indicator"] for record in records}
    assert 7 in {record.get("mindist") for record in records}
    assert sum("name" in record for record in records) == 23


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason=f"the full files are not here ({SHARED})")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_value_of_the_full_files_is_met(path: Path) -> None:
    report = compare_file(path)
    assert report.mismatches == []
    assert report.count > 100


# --- Changed values are noticed ---------------------------------------------------------------------------------------


def changed(tmp_path: Path, records: list[Record]) -> list[str]:
    return compare_file(write_lines(tmp_path / "changed.jsonl.gz", records)).mismatches


def test_any_changed_value_of_thirteen_cards_is_named(tmp_path: Path) -> None:
    record = next(record for record in sample() if len(record["hand"]) == 13)
    names = [name for name in record if name.startswith("min")]
    assert len(names) == 7
    for name in names:
        (mismatch,) = changed(tmp_path, [record | {name: record[name] + 1}])
        assert f"{name} is {record[name]}, recorded {record[name] + 1}" in mismatch
        assert " ".join(record["hand"]) in mismatch


def test_any_changed_value_of_fourteen_cards_is_named(tmp_path: Path) -> None:
    record = next(record for record in sample() if len(record["hand"]) == 14)
    for name in (name for name in record if name.startswith("best_")):
        wrong = record[name][1:] if isinstance(record[name], list) else record[name] + 1
        (mismatch,) = changed(tmp_path, [record | {name: wrong}])
        assert f"{name} is" in mismatch
    for name in (name for name in record["per_discard"][5] if name != "discard"):
        after = [dict(values) for values in record["per_discard"]]
        after[5][name] += 1
        (mismatch,) = changed(tmp_path, [record | {"per_discard": after}])
        assert f"discard 6 ({record['hand'][5]}): {name}" in mismatch


def test_a_hand_listed_in_another_order_has_the_same_values(tmp_path: Path) -> None:
    records = [record | {"hand": record["hand"][::-1]} for record in sample() if len(record["hand"]) == 13]
    assert changed(tmp_path, records) == []


# --- Damaged files are named ------------------------------------------------------------------------------------------

DAMAGE: list[tuple[dict[str, Any], str]] = [
    ({"hand": ["2C"] * 13}, "2c occurs 2 times"),
    ({"hand": ["2C", "3C"]}, "2 cards, expected 13 or 14"),
    ({"hand": ["1X"] * 13}, "not a card"),
    ({"hand": None}, "not a hand with values"),
    ({"indicator": "5X"}, "not a card: .5X"),
    ({"wild": "2", "indicator": "5D"}, "but the wild rank 2"),
    ({"printed_jokers": 0, "hand": [*("A23456789TJQ"[i] + "C" for i in range(12)), "PJ"]}, "1 printed jokers"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGE, ids=[message for _, message in DAMAGE])
def test_a_damaged_record_is_named_with_its_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    good = next(record for record in sample() if len(record["hand"]) == 13 and record["ndeck"] == 1)
    path = write_lines(tmp_path / "damaged.jsonl.gz", [good, good | change])
    with pytest.raises(VectorError, match=message) as caught:
        compare_file(path)
    assert "line 2" in str(caught.value)


def test_discards_that_are_not_the_cards_of_the_hand_are_named(tmp_path: Path) -> None:
    record = next(record for record in sample() if len(record["hand"]) == 14)
    after = [record["per_discard"][1], record["per_discard"][0], *record["per_discard"][2:]]
    with pytest.raises(VectorError, match="discard 1 is"):
        compare_file(write_lines(tmp_path / "swapped.jsonl.gz", [record | {"per_discard": after}]))


@pytest.mark.parametrize("record", [[], 3, {}, {"hand": ["2C"]}], ids=str)
def test_lines_that_are_no_records_are_named(tmp_path: Path, record: Any) -> None:
    with pytest.raises(VectorError, match="line 1"):
        compare_file(write_lines(tmp_path / "odd.jsonl.gz", [record]))


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(SAMPLE.read_bytes()[:1500])
    with pytest.raises(VectorError, match="cannot be read"):
        compare_file(path)
