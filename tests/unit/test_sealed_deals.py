"""Deals are sealed: the commitment of a record is checked against its key, its salt and its deck."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from helpers_cli import run
from rummylab import Record, agent, gin, play
from rummylab.engine.commitment import commitment, verify
from rummylab.engine.records import write_records
from rummylab.engine.streams import new_key
from rummylab.errors import RecordError

SALT = "0123456789abcdef" * 2


def sealed(root: int = 11, **changes: Any) -> Record:
    state = play(gin(), [agent("gin", "simple")] * 2, root)
    record = Record.of(state, ["Ann", "simple"], root)
    found = commitment("gin", record.header["options"], 0, root, SALT)
    return dataclasses.replace(record, header=record.header | {"commitment": found, "salt": SALT} | changes)


@pytest.mark.parametrize("seed", [11, new_key()], ids=["seed", "key"])
def test_a_sealed_deal_is_verified(seed: int) -> None:
    assert verify(sealed(seed), gin()).names == ("Ann", "simple")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"salt": "f" * 32}, "do not give the commitment"),
        ({"seed": 12}, "do not give the commitment"),
        ({"hand": 1}, "do not give the commitment"),
        ({"options": {**gin().options.to_dict(), "target": 50}}, "do not give the commitment"),
    ],
)
def test_a_seal_breaks_with_anything_it_covers(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RecordError, match=words):
        verify(sealed(**changes), gin())


def test_another_deck_than_the_sealed_one_is_found() -> None:
    other = Record.of(play(gin(), [agent("gin", "simple")] * 2, 12), ["Ann", "simple"], 12)
    with pytest.raises(RecordError, match="another deck"):
        verify(sealed(deck=other.header["deck"]), gin())


def test_a_record_without_a_seal_cannot_be_verified() -> None:
    record = Record.of(play(gin(), [agent("gin", "simple")] * 2, 3), ["a", "b"], 3)
    with pytest.raises(RecordError, match="no commitment and no salt"):
        verify(record, gin())


def test_a_redacted_record_keeps_the_seal_and_hides_what_opens_it() -> None:
    seen = sealed().seen_by(0).header
    assert "commitment" in seen
    assert not {"salt", "seed", "key", "deck"} & set(seen)


def test_verify_and_export_replay_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "match.rgr"
    write_records(path, [sealed()])
    assert "1 deal verified" in run(["verify", str(path)]).stdout
    (found,) = json.loads(run(["verify", str(path), "--json"]).stdout)
    assert found["commitment"] == sealed().header["commitment"]
    broken = tmp_path / "broken.rgr"
    write_records(broken, [sealed(salt="e" * 32)])
    assert "do not give the commitment" in run(["verify", str(broken)]).refused()
    assert run(["export-replay", str(path)]).returncode == 0
    page = path.with_suffix(".html").read_text()
    data = page.partition('type="application/json">')[2].partition("</script>")[0]
    (hand,) = json.loads(data)
    assert hand["fairness"]["verified"]
    assert len(hand["steps"]) > 10
    assert "http://" not in page
    assert "https://" not in page


def test_names_in_a_record_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "match.rgr"
    write_records(path, [sealed(seats=["</script><script>alert(1)</script>", "simple"])])
    run(["export-replay", str(path)])
    assert "<script>alert" not in path.with_suffix(".html").read_text()
