"""Agents from outside: they play, and whatever they do wrong costs them the game and nobody else anything."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab import State
from rummylab.arena import outside, wire
from rummylab.arena.backends import ThisProcess
from rummylab.arena.installed import GROUP, installed
from rummylab.arena.match import match
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, tournament
from rummylab.cli.main import app
from rummylab.errors import AgentError, UnknownNameError
from rummylab.games.registry import GAMES, game
from waiting import PATIENCE

HERE = Path(__file__).parent.parent / "outside"
BOT = f"program:{sys.executable} {HERE / 'bot.py'}"


def mine(name: str) -> str:
    return f"{HERE / ('compiled.py' if name == 'always_done' else 'agents.py')}:{name}"


def test_a_class_in_a_file_plays_and_gives_the_same_result_twice() -> None:
    one = match("indian", mine("Declarer"), "minscore", games=4, key="7" * 32, workers=1)
    two = match("indian", mine("Declarer"), "minscore", games=4, key="7" * 32, workers=1)
    assert one.tallies.tobytes() == two.tallies.tobytes()
    assert one.forfeits() == {mine("Declarer"): 0, "minscore": 0}
    times = one.decision_time()[mine("Declarer")]
    assert 0 < times["median_us"] <= times["p99_us"] <= times["max_us"]


def test_it_plays_gin_too() -> None:
    result = match("gin", "simple", mine("FirstLegal"), games=2, seed=1)
    assert result.win_rate.value == 1
    assert not result.faults


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("Raises", "crash", "act raised ValueError: no idea what to play"),
        ("Dies", "crash", "ended with code 7"),
        ("Sleeps", "time-out", "no answer within 0.2 s"),
        ("Cheats", "illegal move", "knock Ac by seat"),
        ("Mumbles", "illegal move", "'draw stock' is no action"),
        ("NoAgent", "crash", "has no method 'sit'"),
        ("always_done", "illegal move", "code 3"),
    ],
)
def test_a_fault_forfeits_the_game_and_the_run_goes_on(name: str, kind: str, words: str) -> None:
    seconds = 0.2 if kind == "time-out" else PATIENCE
    result = match("gin", mine(name), "simple", games=2, seed=1, seconds_a_move=seconds, workers=1)
    assert result.win_rate.value == 0
    assert [fault.kind for fault in result.faults] == [kind, kind]
    assert words in result.faults[0].words
    assert sum(result.forfeits().values()) == 2


def test_who_fails_again_and_again_is_withdrawn_from_the_chunk() -> None:
    faults = match("gin", "simple", mine("Cheats"), games=14, seed=1, workers=1).faults
    assert [fault.kind for fault in faults] == ["illegal move"] * 5 + ["withdrawn"] * 9


def test_a_forfeit_at_a_table_of_three_is_won_by_the_other_two() -> None:
    result = match("indian", "mindist", f"{BOT} mad", "minscore", games=3, seed=1)
    assert [round(result.win_rate_of(k).value, 3) for k in range(3)] == [0.5, 0.0, 0.5]


def test_a_program_plays_through_lines() -> None:
    result = match("indian", "mindist", BOT, games=4, seed=1, workers=1)
    assert result.games == 4
    assert not result.faults


def test_words_of_a_command_that_name_files_become_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").touch()
    (tmp_path / "data" / "new").mkdir(parents=True)
    start = outside._program("program:sh bot.py --mode data data/new")
    assert start.command[1:] == (f"{tmp_path}/bot.py", "--mode", "data", f"{tmp_path}/data/new")
    assert {str(tmp_path), f"{tmp_path}/data/new"} <= set(start.readable)


@pytest.mark.parametrize(
    ("argument", "kind", "words"),
    [("rude", "bad answer", "said 'hello' instead of 'ready'"), ("mad", "illegal move", "not an action: '!?'")],
)
def test_a_program_that_answers_nonsense_forfeits(argument: str, kind: str, words: str) -> None:
    result = match("indian", "mindist", f"{BOT} {argument}", games=2, seed=1, workers=1)
    assert {fault.kind for fault in result.faults} == {kind}
    assert words in result.faults[0].words
    assert result.win_rate.value == 1


def test_a_tournament_with_a_broken_guest_ends_and_is_kept(tmp_path: Path) -> None:
    plan = Plan(game="indian", agents=("mindist", mine("Raises")), games=4, seed=3)
    store = Store(tmp_path / "runs.db")
    standings = tournament(plan, store=store, backend=ThisProcess())
    assert standings.forfeits() == {mine("Raises"): 4}
    again = tournament(plan, store=store, backend=ThisProcess())
    assert json.dumps(again.to_dict()) == json.dumps(standings.to_dict())
    assert again.results["mindist", mine("Raises")].faults == standings.results["mindist", mine("Raises")].faults


def test_a_changed_file_is_another_agent(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("class A:\n    pass\n")
    before = outside.fingerprint(f"{path}:A")
    path.write_text("class A:\n    name = 'a'\n")
    assert outside.fingerprint(f"{path}:A") != before


def test_an_installed_package_offers_agents_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("guest", mine("FirstLegal"), GROUP)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    installed.cache_clear()
    try:
        assert list(installed()) == ["guest"]
        assert not outside.is_compiled("gin", "guest")
        assert not match("gin", "guest", "simple", games=2, workers=1).faults
    finally:
        installed.cache_clear()


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("simpel", UnknownNameError, "did you mean 'simple'"),
        ("nowhere.py:Agent", AgentError, "there is no file nowhere.py"),
        (f"{HERE / 'agents.py'}:Nobody", AgentError, "has no 'Nobody'"),
        (f"{HERE / 'broken.py'}:Agent", AgentError, "cannot be imported: RuntimeError: this file cannot be imported"),
        ("no.such.package:Agent", AgentError, "cannot be imported: ModuleNotFoundError"),
        ("program:", AgentError, "names no program"),
        ("program:no-such-program-here", AgentError, "no program 'no-such-program-here'"),
    ],
)
def test_who_cannot_play_is_refused_before_the_first_game(spec: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        match("gin", "simple", spec, games=2)
    with pytest.raises(error, match=words):
        tournament(Plan(game="gin", agents=("simple", spec)))


def test_the_command_line_takes_a_file() -> None:
    command = ["match", "indian", "mindist", mine("FirstLegal"), "--games", "2", "--workers", "1", "--json"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["agents"] == ["mindist", mine("FirstLegal")]


@pytest.mark.parametrize("name", GAMES)
def test_an_observation_made_from_lines_is_the_one_the_referee_made(name: str) -> None:
    """The lines tell all of the observation and no more: bytes of the view, the redacted log, the legal moves."""
    state = State.deal(game(name).rules(), seed=1)
    listener = wire.Listener(json.loads(wire.greeting(state.rules)))
    told = dict.fromkeys(range(state.rules.seats), 0)
    listeners = {seat: wire.Listener(json.loads(wire.greeting(state.rules))) for seat in told}
    rng = np.random.default_rng(1)
    while (seat := state.actor) is not None and state.n_moves < 60:
        seen = state.observe(seat)
        again = listeners[seat].observation(json.loads(wire.question(seen, told[seat], with_view=True)))
        told[seat] = len(seen.log)
        assert type(again) is type(seen)
        assert (again.rules, again.seat, again.log, again.codes) == (listener.rules, seen.seat, seen.log, seen.codes)
        assert again.view.dtype == seen.view.dtype
        assert again.view.tobytes() == seen.view.tobytes()
        assert again.legal == seen.legal
        assert again.hand == seen.hand
        state.push(seen.legal[int(rng.integers(len(seen.legal)))])
    assert listener.rules.options == state.rules.options
