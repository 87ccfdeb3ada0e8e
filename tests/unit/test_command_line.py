"""The grammar of the command line: names, shared options, help, completion, progress, Ctrl-C and exit codes."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helpers_cli import Done, run
from rummylab.arena import match as arena_match
from rummylab.arena.planning import PILOT_GAMES, WORST_VARIANCE
from rummylab.arena.store import Store
from rummylab.cli import bench, common, complete, options
from rummylab.cli.main import COMMANDS, GROUPS, MOVED

NAMES = [command.name for command in COMMANDS]
TALKERS = {"play", "bridge", "engine"}
"""Commands that hold a conversation: JSON is not for them."""


# --- Names and options ----------------------------------------------------------------------------------------------


def test_the_commands_are_those_of_the_grammar() -> None:
    top = {name.partition(" ")[0] for name in NAMES}
    assert top >= {
        "match", "tournament", "experiment", "reproduce", "hand", "move", "play", "record", "store", "train", "tune",
        "dataset", "evaluate", "bench", "conformance", "bridge", "agents", "games", "warm-up",
    }  # fmt: skip
    assert {name for name in NAMES if name.startswith("store ")} == {
        "store list", "store show", "store report", "store export", "store prune",
    }  # fmt: skip
    assert {name.partition(" ")[0] for name in NAMES if " " in name} == set(GROUPS)


@cache
def help_of(name: str) -> str:
    """The help of the command *name* on a terminal of 80 columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        return run([*name.split(), "--help"]).stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_fits_80_columns_and_has_an_example_of_the_command(command: Any) -> None:
    text = help_of(command.name)
    assert "Example: rummylab" in text
    assert command.example.startswith(command.name)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_with_a_shared_option_has_the_shared_one(command: Any) -> None:
    """``--seed``, ``--rules`` and the like have one meaning: they are annotated with the types of `options`."""
    types = inspect.get_annotations(command.function, eval_str=True)
    shared = {"quiet": options.Quiet, "as_json": options.AsJson, "workers": options.Workers}
    for name, kind in shared.items():
        assert types.get(name, kind) == kind, f"{command.name} has its own --{name}"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_whatever_prints_can_print_json(command: Any) -> None:
    has_json = "--json" in help_of(command.name)
    assert has_json == (command.name not in TALKERS)


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_command_names_the_new_one(old: str, new: str) -> None:
    assert run([old, "gin"]).refused() == f"error: `rummylab {old}` is now `rummylab {new}`.\n"
    assert new in {*NAMES, *GROUPS}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tournement gin all", "Did you mean 'tournament'?"),
        ("store lst runs.db", "Did you mean 'list'?"),
        ("match gin simple simple --seeed 1", "--seed"),
        ("match gin simple", "A match needs at least two agents, but only 'simple' is named."),
        ("match gin simple simple --plan 2", "--plan is 2, but a difference in win rate lies between 0 and 1"),
        ("match", "Missing argument 'GAME'. See: rummylab match --help"),
        ("store prune runs.db", "Nothing to prune. Name the runs to remove"),
        ("reproduce kaets", "'keats'"),
        ("games gim", "'gin'"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(words: str, message: str) -> None:
    error = run(words.split()).refused()
    assert message in error
    assert error.count("\n") == 1


# --- Starting -------------------------------------------------------------------------------------------------------


def test_help_and_lists_need_no_numba() -> None:
    code = (
        "import sys\n"
        "from rummylab.cli.main import main\n"
        "for words in (['match', '--help'], ['agents'], ['games'], ['games', 'gin']):\n"
        "    sys.argv = ['rummylab', *words]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        "sys.stderr.write(' '.join({'numba', 'torch', 'polars', 'matplotlib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_no_color_and_the_width_of_the_terminal_are_respected() -> None:
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rummylab", "store", "--help"]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert child.returncode == 0
    assert not re.search(rb"\x1b\[(?:\d+;)*(?:3|4|9)\d", text), "a color"
    plain = re.sub(rb"\x1b\[[\d;]*m", b"", text).decode()
    assert "rummylab store" in plain
    assert max(len(line.rstrip("\r")) for line in plain.split("\n")) <= 80


# --- Completion -----------------------------------------------------------------------------------------------------


def test_the_shell_completes_commands_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RUMMYLAB_COMPLETE", "complete_bash")
    for line, offered in (("rummylab tourn", "tournament"), ("rummylab match gin_", "gin_pass")):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
        assert run([]).stdout.split() == [offered]


def test_agents_presets_runs_and_studies_are_completed(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.open_run("match", {}, "code", "first")
    gin: Any = SimpleNamespace(params={"game": "gin"})
    assert [name for name, _ in complete.agents(gin, "sim")] == ["simple"]
    assert complete.presets(gin, "cl") == ["classic"]
    assert "platform" in complete.presets(SimpleNamespace(params={}), "")
    assert complete.runs(SimpleNamespace(params={"store": tmp_path / "runs.db"}), "f") == ["first"]
    assert complete.runs(SimpleNamespace(params={"store": tmp_path / "none.db"}), "") == []
    assert [name for name, _ in complete.studies("ke")] == ["keats"]


# --- Output ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [common, bench])
def test_figures_are_in_units_that_people_read(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_without_a_terminal_progress_is_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = common.ProgressLines("games", clock=lambda: now[0])
    for now[0] in (30.0, 60.0, 90.0, 119.0, 120.0):
        progress(int(now[0] * 10), 6000, "simple 51% ± 1%")
    assert capsys.readouterr().err.splitlines() == [
        "games: 600 of 6,000, 10/s, about 9 min 0 s left; simple 51% ± 1%",
        "games: 1,200 of 6,000, 10/s, about 8 min 0 s left; simple 51% ± 1%",
    ]


def test_quiet_means_no_progress() -> None:
    with common.progress_bar("games", quiet=True) as progress:
        assert progress is None


def test_long_lines_are_wrapped_and_indented(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    common.say("  one two three four five six seven eight nine")
    assert capsys.readouterr().out == "  one two three four five six seven\n    eight nine\n"


def test_games_lists_presets_and_options_in_full() -> None:
    listed = json.loads(run(["games", "--json"]).stdout)
    assert {"gin", "gin_pass", "indian", "contract"} <= {game["name"] for game in listed}
    gin = json.loads(run(["games", "gin", "--json"]).stdout)
    assert gin["options"]["eaai"]["knock_limit"] == 10
    assert set(gin["options"]) == set(gin["presets"])
    text = run(["games", "contract"]).stdout
    assert "Options of the preset chinese, and where other presets differ:" in text, "a terminal of 80 columns"
    assert "seats = 2; 3 in liverpool-7, shanghai-10. Players at the table" in text
    text = run(["games", "gin"]).stdout
    assert "knock_limit" in text
    assert max(map(len, text.splitlines())) <= 80


# --- A match that is planned, kept and resumed ----------------------------------------------------------------------


def match(*words: str) -> Done:
    return run(["match", "gin", "simple", "medium", "--workers", "1", *words])


def test_a_match_is_planned_from_a_pilot() -> None:
    plan = json.loads(match("--plan", "0.02", "--json").stdout)
    assert plan["basis"] == f"estimated from a pilot of {PILOT_GAMES} games"
    deals = plan["variance"] * ((1.959964 + 0.841621) / 0.02) ** 2
    assert plan["games"] == pytest.approx(2 * deals, abs=2)
    assert "games" in match("--plan", "0.02").stdout


def test_a_pilot_without_variance_means_the_worst_case() -> None:
    done = run(["match", "gin", "simple", "random", "--workers", "1", "--games", "4", "--plan", "0.1", "--json"])
    plan = json.loads(done.stdout)
    assert plan["variance"] == WORST_VARIANCE
    assert plan["basis"].startswith("the worst case")


def test_a_match_with_a_store_is_played_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--games", "600", "--seed", "3", "--store", str(tmp_path / "runs.db"), "--run", "one", "--json"]
    whole = json.loads(match(*words).stdout)

    monkeypatch.setattr(arena_match, "play_task", lambda task, record=0: pytest.fail("played") if task.deals else None)
    again = json.loads(match(*words).stdout)
    times = {"seconds", "hands_per_s"}
    assert {key: value for key, value in again.items() if key not in times} == {
        key: value for key, value in whole.items() if key not in times
    }
    listed = json.loads(run(["store", "list", str(tmp_path / "runs.db"), "--json"]).stdout)["runs"]
    assert [(found["name"], found["kind"], found["games_played"]) for found in listed] == [("one", "match", 600)]


def test_an_interrupted_match_says_what_was_kept_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--games", "1500", "--seed", "3", "--json"]
    whole = json.loads(match(*words).stdout)
    kept = ["--store", str(tmp_path / "runs.db")]
    play_task, played = arena_match.play_task, []

    def interrupted(task: Any, record: int = 0) -> Any:
        if task.deals > 25:  # a chunk, not the few games that tell how long it takes
            if played:
                raise KeyboardInterrupt
            played.append(task)
        return play_task(task, record)

    monkeypatch.setattr(arena_match, "play_task", interrupted)
    cut = match(*words, *kept)
    assert cut.returncode == 130
    assert json.loads(cut.stdout)["games"] == 500
    assert f"What was played is in {tmp_path / 'runs.db'}." in " ".join(cut.stderr.split())
    assert "Run the same command again to resume." in " ".join(cut.stderr.split())
    played.clear()
    alone = match(*words)
    assert alone.returncode == 130
    assert "Nothing was kept. With --store FILE" in " ".join(alone.stderr.split())
    monkeypatch.setattr(arena_match, "play_task", play_task)
    assert json.loads(match(*words, *kept).stdout)["win_rate"] == whole["win_rate"]


def test_ctrl_c_anywhere_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rummylab.games.registry.game", stop)
    done = run(["games", "gin"])
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted. Nothing was kept.\n"


def test_ctrl_c_that_the_compiler_swallows_is_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def swallow(*_: object, **__: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("rummylab.games.registry.game", swallow)
    done = run(["games", "gin"])
    assert (done.returncode, done.stderr) == (130, "Interrupted. Nothing was kept.\n")


def test_a_forfeit_in_an_experiment_is_exit_code_3(tmp_path: Path) -> None:
    (tmp_path / "forfeit.toml").write_text(
        'title = "A program that dies"\ngame = "indian"\n'
        '[[match]]\nname = "m"\nagents = ["mindist", "program:false"]\ngames = 2\n'
    )
    done = run(["experiment", "run", "forfeit.toml", "--workers", "1", "--json"], cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["forfeits"] == 2


# --- The store ------------------------------------------------------------------------------------------------------


def test_a_run_is_shown_and_pruned(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    for seed in "12":
        match("--games", "2", "--seed", seed, "--store", store, "--run", f"seed-{seed}")
    shown = json.loads(run(["store", "show", store, "seed-1", "--json"]).stdout)
    assert (shown["config"]["seed"], shown["games_played"]) == (1, 2)
    assert "seed: 1" in run(["store", "show", store, "seed-1"]).stdout
    assert json.loads(run(["store", "prune", store, "seed-1", "--damaged", "--json"]).stdout) == {
        "removed": ["1 seed-1"],
        "damaged": [],
    }
    assert [found["name"] for found in json.loads(run(["store", "list", store, "--json"]).stdout)["runs"]] == ["seed-2"]
