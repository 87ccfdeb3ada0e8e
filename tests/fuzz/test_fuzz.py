"""A slice of the fuzzing: the corpus, some mutations of it, and what Hypothesis makes up. `make fuzz` does more."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from corruption import TOKENS, mutated
from targets import TARGETS, answers, artifacts, bridge, inputs, records, specifications, toml

from rummylab import Record, agent, gin, play
from rummylab.errors import RummyError

MUTATIONS = 12
QUICK = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=5), parts, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "commands"])
def test_mutations_of_the_corpus_raise_nothing_unexpected(target: str, tmp_path: Path) -> None:
    corpus = inputs(target)
    for data in corpus:
        TARGETS[target](data, tmp_path)
    for number in range(MUTATIONS):
        rng = random.Random(f"{target} test {number}")
        TARGETS[target](mutated(rng.choice(corpus), corpus, rng), tmp_path)


CHEAP = ("hand", "record", "agents", "--", "bridge", "conformance", "store list")


def test_commands_end_with_an_exit_code(tmp_path: Path) -> None:
    corpus = [data for data in inputs("commands") if data.decode().startswith(CHEAP)]
    for number, data in enumerate(corpus):
        rng = random.Random(f"commands test {number}")
        TARGETS["commands"](data, tmp_path)
        TARGETS["commands"](mutated(data, corpus, rng), tmp_path)


@QUICK
@given(key=st.sampled_from(["game", "options", "seats", "scores", "hand", "starter", "deck", "viewer"]), value=JSON)
def test_any_value_in_a_header(key: str, value: Any, tmp_path: Path) -> None:
    lines = _lines()
    records("\n".join([json.dumps(json.loads(lines[0]) | {key: value}), *lines[1:]]).encode(), tmp_path)


@QUICK
@given(value=JSON)
def test_any_value_as_an_artifact_and_as_an_option(value: Any, tmp_path: Path) -> None:
    artifacts(json.dumps(value).encode(), tmp_path)
    toml(f"knock_limit = {json.dumps(value)}".encode(), tmp_path)


@QUICK
@given(words=st.lists(st.sampled_from(["draw", "stock", "7h", "meld", "on", "PJ", "9" * 99]) | st.text(max_size=9)))
def test_any_words_of_a_stranger(words: list[str], tmp_path: Path) -> None:
    line = " ".join(words)
    answers(f"ready\n{line}\n".encode(errors="replace"), tmp_path)
    bridge(f"newgame\n{line}\n".encode(errors="replace"), tmp_path)
    specifications(line.encode(errors="replace"), tmp_path)


def test_the_fuzzer_finds_a_planted_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fuzz import problem_of

    def fails(data: bytes, scratch: Path) -> None:
        with contextlib.suppress(RummyError):
            json.loads(data)

    def grows(data: bytes, scratch: Path) -> None:
        bytearray(600 * 2**20)

    monkeypatch.setitem(TARGETS, "fails", fails)
    monkeypatch.setitem(TARGETS, "grows", grows)
    assert "JSONDecodeError" in problem_of("fails", b"{", tmp_path)
    assert problem_of("fails", b"{}", tmp_path) == ""
    assert "RecursionError" in problem_of("fails", TOKENS[-2], tmp_path)
    assert "MB" in problem_of("grows", b"", tmp_path)


def _lines() -> list[str]:
    global _kept
    if not _kept:
        _kept = Record.of(play(gin(), [agent("gin", "simple")] * 2, 3), ["a", "b"], 3).to_text().splitlines()
    return _kept


_kept: list[str] = []
