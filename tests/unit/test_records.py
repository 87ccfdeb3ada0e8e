"""Game record files: they write, read, replay to the same bytes, hide secrets, and name what is wrong."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from rummylab import Record, State, agent, gin, play, play_match
from rummylab.engine.records import parse_records, read_records, validate_records, write_records
from rummylab.engine.writing import write_whole
from rummylab.errors import RecordError, WrongTypeError
from rummylab.games.gin.options import GinOptions
from waiting import PATIENCE


def finished(seed: int = 3, preset: str = "eaai") -> State:
    return play(gin(preset), [agent("gin", "simple"), agent("gin", "simple")], seed)


def record(seed: int = 3, preset: str = "eaai") -> Record:
    return Record.of(finished(seed, preset), ["simple", "simple"], seed)


@pytest.mark.parametrize("preset", ["eaai", "classic", "openspiel"])
def test_a_record_replays_to_the_same_bytes(preset: str) -> None:
    for seed in range(20):
        state = finished(seed, preset)
        text = Record.of(state, ["a", "b"], seed).to_text()
        (read,) = parse_records(text)
        again = read.replay()
        assert again.to_bytes() == state.to_bytes()
        assert Record.of(again, ["a", "b"], seed).to_text() == text


def test_a_file_holds_a_whole_match(tmp_path: Path) -> None:
    states = list(play_match(gin(), [agent("gin", "simple"), agent("gin", "random")], 5))
    path = tmp_path / "match.rgr"
    write_records(path, [Record.of(state, ["simple", "random"], 5) for state in states])
    assert [s.scores for s in validate_records(path)] == [s.scores for s in states]


def test_a_redacted_record_hides_the_other_seat_and_the_stock() -> None:
    whole = record()
    for seat in (0, 1):
        text = whole.seen_by(seat).to_text()
        head = json.loads(text.splitlines()[0])
        assert "deck" not in head
        assert "seed" not in head
        for event in parse_records(text)[0].events:
            assert event.seat == seat or event.secret == ()
        assert any(event.secret for event in parse_records(text)[0].events)


def test_a_redacted_record_cannot_be_replayed_nor_turned_round() -> None:
    seen = record().seen_by(0)
    with pytest.raises(RecordError, match="only what seat 0 saw"):
        seen.replay()
    with pytest.raises(RecordError, match="only what seat 0 saw"):
        seen.seen_by(1)


def test_a_record_prints_as_a_readable_story() -> None:
    story = record().story()
    assert "simple against simple" in story
    assert "table: turn up" in story
    assert "discard" in story
    assert "outcome" in story


def _write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_truncated_file_is_named_with_its_line(tmp_path: Path) -> None:
    lines = record().to_text().splitlines()
    path = _write(tmp_path / "cut.rgr", lines[:-3])
    with pytest.raises(RecordError, match=rf"cut.rgr, line {len(lines) - 2}: the file ends here; expected an event"):
        read_records(path)
    path = _write(tmp_path / "half.rgr", [*lines[:5], lines[5][:10]])
    with pytest.raises(RecordError, match=r"half.rgr, line 6: not JSON"):
        read_records(path)


def test_an_empty_file_and_a_stranger_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="line 1: the file is empty; expected a header"):
        read_records(_write(tmp_path / "empty.rgr", [""]))
    with pytest.raises(RecordError, match="line 1: expected a header"):
        read_records(_write(tmp_path / "other.rgr", ['{"hello": 1}']))
    with pytest.raises(RecordError, match="cannot be read"):
        read_records(tmp_path / "missing.rgr")


def test_a_changed_line_breaks_the_checksum(tmp_path: Path) -> None:
    lines = record().to_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"do": "discard' in line)
    changed = [*lines]
    changed[at] = changed[at].replace("discard", "knock")
    with pytest.raises(RecordError, match=r"expected '[0-9a-f]{64}': the record was changed"):
        read_records(_write(tmp_path / "x.rgr", changed))


def _forge(lines: list[str]) -> list[str]:
    """Put the right checksum under wrong lines, as a careful cheat would."""
    from rummylab.engine.records import _digest

    result = json.loads(lines[-1])
    result["sha256"] = _digest(lines[:-1], json.loads(lines[0])["format"], result["result"])
    return [*lines[:-1], json.dumps(result)]


def test_an_illegal_move_is_found_even_under_a_right_checksum(tmp_path: Path) -> None:
    lines = record().to_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"do": "discard' in line)
    value = json.loads(lines[at])
    value["do"] = "draw stock"
    lines[at] = json.dumps(value)
    with pytest.raises(RecordError, match=rf"line {at + 1}: .*expected a legal move"):
        validate_records(_write(tmp_path / "x.rgr", _forge(lines)))


def test_a_forged_draw_and_a_forged_result_are_found(tmp_path: Path) -> None:
    lines = record().to_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"draw stock' in line)
    value = json.loads(lines[at])
    value["secret"] = "Ac" if value["secret"] != "Ac" else "2c"
    with pytest.raises(RecordError, match=rf"line {at + 1}: found .*, expected"):
        validate_records(_write(tmp_path / "x.rgr", _forge([*lines[:at], json.dumps(value), *lines[at + 1 :]])))
    result = json.loads(lines[-1])
    result["result"]["points"] += 1
    with pytest.raises(RecordError, match=rf"line {len(lines)}: found the result"):
        validate_records(_write(tmp_path / "y.rgr", _forge([*lines[:-1], json.dumps(result)])))


def test_a_header_with_an_impossible_deck_or_option_is_refused(tmp_path: Path) -> None:
    lines = record().to_text().splitlines()
    head = json.loads(lines[0])
    for change, message in (
        ({"deck": head["deck"].replace("Ac", "2c")}, "lacks Ac"),
        ({"options": head["options"] | {"knock_limit": 500}}, "knock_limit"),
        ({"game": "jin"}, "no game named 'jin'; did you mean 'gin'"),
        ({"version": 99}, "version 99"),
        ({"starter": 4}, "starter"),
    ):
        forged = _forge([json.dumps(head | change), *lines[1:]])
        with pytest.raises(RecordError, match="line 1: the header does not describe a table") as error:
            validate_records(_write(tmp_path / "x.rgr", forged))
        assert message in str(error.value)


def test_a_record_with_former_names_of_options_replays(tmp_path: Path) -> None:
    lines = record(preset="classic").to_text().splitlines()
    former = {name: old for old, name in GinOptions.FORMER.items()}
    head = json.loads(lines[0])
    head["options"] = {former.get(name, name): value for name, value in head["options"].items()}
    assert {"lay_offs", "up_card_cap"} <= set(head["options"])
    (state,) = validate_records(_write(tmp_path / "x.rgr", _forge([json.dumps(head), *lines[1:]])))
    assert state.to_bytes() == finished(preset="classic").to_bytes()


def test_wrong_types_are_named(tmp_path: Path) -> None:
    for call, words in (
        (lambda: write_records(3, 4), "the path of a record must be .* not 3"),  # type: ignore[arg-type]
        (lambda: write_records(tmp_path / "x.rgr", 4), "records must be a list of records, not 4"),  # type: ignore[arg-type]
        (lambda: write_records(tmp_path / "x.rgr", [4]), "one of the records must be .* not 4"),  # type: ignore[list-item]
        (lambda: read_records(3), "the path of a record must be .* not 3"),  # type: ignore[arg-type]
        (lambda: validate_records(3), "the path of a record must be .* not 3"),  # type: ignore[arg-type]
    ):
        with pytest.raises(WrongTypeError, match=words):
            call()
    assert not list(tmp_path.iterdir())


def test_a_device_is_written_to_and_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"all of it")
    reader.join(PATIENCE)
    assert got == [b"all of it"]
    assert pipe.is_fifo()
