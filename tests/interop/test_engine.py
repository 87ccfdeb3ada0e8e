"""The engine answers questions about positions, one line each; a stranger's engine plays in the arena."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers_cli import run
from rummylab import State, gin, match, move
from rummylab.engine.protocol import MAX_LINE, PROTOCOL, SCHEMA, read_line, write_line
from rummylab.errors import ProtocolError
from rummylab.games.registry import GAMES
from rummylab.interop.engine import FIRST_LOOK, Engine, EngineOptions, can_value, serve

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/engine-protocol.md"
POSITION = State.deal(gin(), seed=7).observe(0)


def talk(*lines: dict[str, Any] | str, options: EngineOptions | None = None) -> list[dict[str, Any]]:
    """What the engine says to these lines."""
    said: list[str] = []
    serve([one if isinstance(one, str) else json.dumps(one) for one in lines], said.append, options)
    return [json.loads(line) for line in said]


def checker(part: str) -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{part}"}]})


def test_a_conversation_from_hello_to_bye() -> None:
    said = talk(
        {"type": "hello", "protocol": PROTOCOL},
        {"type": "options", "agent": "simple", "moves": 0},
        {"type": "position", "position": POSITION.to_text()},
        {"type": "go", "id": 1},
        {"type": "quit"},
    )
    assert [one["type"] for one in said] == ["hello", "options", "position", "bestmove", "bye"]
    hello, options, position, best, _ = said
    assert set(hello["games"]) == set(GAMES)
    assert "simple" in hello["games"]["gin"]
    assert options["agent"] == "simple"
    assert position["legal"] == best["legal"] == [str(action) for action in POSITION.legal]
    assert (best["id"], best["move"]) == (1, str(move(POSITION, "simple")))
    jsonschema = pytest.importorskip("jsonschema")
    for one in said:
        checker("answer").validate(one)
        jsonschema.Draft202012Validator(SCHEMA).validate(one)  # As a stranger does, who takes the file as it is.


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_is_answered_from_text_and_from_json(name: str) -> None:
    seen = State.deal(GAMES[name].rules(), 3).observe()
    text, parsed = seen.to_text(), json.loads(seen.to_json())
    ask = {"type": "go", "agent": "random", "seed": 4, "moves": 0}
    first, second = talk({**ask, "position": text}, {**ask, "position": parsed})
    assert first["move"] == second["move"] == str(move(seen, "random", seed=4))


def test_a_whole_table_is_answered_for_the_seat_to_act() -> None:
    state = State.deal(gin(), 3)
    (best,) = talk({"type": "go", "agent": "simple", "moves": 0, "position": state.to_text()})
    assert best["seat"] == state.actor


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "the line"),
        ("[]", '"type"'),
        ('{"type": "dance"}', "No message has the type 'dance'"),
        ('{"type": "go"}', "no position yet"),
        ('{"type": "go", "position": 5}', "text or a JSON object"),
        ('{"type": "position", "position": "chess"}', "chess"),
        ('{"type": "hello", "protocol": 99}', "version 1"),
        ('{"type": "options", "seconds": -1}', "'seconds'"),
        ('{"type": "options", "moves": "many"}', "whole number"),
        (json.dumps({"type": "go", "position": POSITION.to_text(), "agent": "simpel"}), "simple"),
        ('{"type": "hello", "x": "' + "x" * MAX_LINE + '"}', "at most"),
    ],
)
def test_a_bad_line_is_answered_with_an_error_and_the_conversation_goes_on(line: str, words: str) -> None:
    said = talk(line, {"type": "hello"})
    assert [one["type"] for one in said] == ["error", "hello"]
    error = said[0]
    assert words in error["message"]
    checker("answer").validate(error)


def test_a_question_depends_on_its_position_alone() -> None:
    other = State.deal(gin(), seed=8).observe()
    ask = {"type": "go", "agent": "random", "moves": 0}
    alone = talk({**ask, "position": POSITION.to_text()})[0]["move"]
    after = talk({**ask, "position": other.to_text()}, {**ask, "position": POSITION.to_text()})[1]["move"]
    assert alone == after


@pytest.mark.skipif(not can_value(), reason="the analysis package is not there yet")
def test_values_come_with_reasons_best_first_and_stop_ends_a_long_question() -> None:
    said: list[dict[str, Any]] = []
    engine = Engine(lambda message: said.append(dict(message)), EngineOptions(seconds=60))
    engine.hear(json.dumps({"type": "go", "position": POSITION.to_text()}))
    engine.hear('{"type": "stop"}')
    engine.wait()
    (best,) = said
    assert best["stopped"]
    assert best["nodes"] <= FIRST_LOOK, "in the minute it was given it would have sampled many more"
    assert best["move"] == best["values"][0]["action"]
    assert best["values"][0]["behind"] == 0
    assert {one["action"] for one in best["values"]} <= {str(action) for action in POSITION.legal}
    assert best["values"][0]["reasons"]
    checker("answer").validate(best)


def test_the_command_move_is_one_question() -> None:
    told = json.loads(run(["move", "gin", "--position", POSITION.to_text(), "--agent", "simple", "--json"]).stdout)
    (best,) = talk({"type": "go", "agent": "simple", "moves": 0, "position": POSITION.to_text()})
    told.pop("seconds")
    best.pop("seconds")
    assert told == best


def test_the_schema_in_the_documents_is_the_one_in_the_code_and_knows_requests() -> None:
    path = ROOT / "docs/reference/engine-protocol.schema.json"
    assert json.loads(path.read_text()) == json.loads(json.dumps(SCHEMA)), "run: make docs"
    validator = checker("request")
    validator.validate({"type": "go", "position": "gin ...", "seconds": 2, "moves": 3})
    assert not validator.is_valid({"type": "go", "seconds": 0})
    assert not validator.is_valid({"type": "position"})


def test_the_conversation_on_the_page_is_what_the_engine_says() -> None:
    block = re.search(r"<!-- conversation -->\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    lines = block[1].splitlines()
    asked = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    shown = [json.loads(line.removeprefix("< ")) for line in lines if line.startswith("< ")]
    said = talk(*asked)
    assert len(said) == len(shown)
    for there, here in zip(said, shown, strict=True):
        for name, value in here.items():
            if name not in ("seconds", "version", "games", "values"):
                assert there[name] == value, f"{name} in {here['type']}"


def test_lines_are_read_as_they_are_written() -> None:
    message = {"type": "hello", "protocol": 1}
    assert read_line(write_line(message)) == message
    with pytest.raises(ProtocolError, match="Known"):
        read_line('{"type": "bye"}')


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_an_engine_in_javascript_beats_random_in_the_arena() -> None:
    result = match("gin", f"engine:node {ROOT / 'examples/engine.js'}", "random", games=2, seed=3, workers=1)
    assert result.faults == ()
    assert result.wins().sum() == 2


def test_an_engine_that_cannot_be_understood_forfeits(tmp_path: Path) -> None:
    script = tmp_path / "mumbler.sh"
    script.write_text("#!/bin/sh\nwhile read line; do echo mumble; done\n")
    script.chmod(0o755)
    result = match("gin", f"engine:{script}", "random", games=2, seed=3, workers=1)
    assert result.faults
    assert "cannot be read" in str(result.faults[0])
