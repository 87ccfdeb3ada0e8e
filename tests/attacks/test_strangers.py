"""Attacks by agents from outside: each costs the attacker its games, and nobody else anything."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers import FirstChooser
from rummylab import State
from rummylab.arena import line_process, outside, sandbox, supervisor
from rummylab.arena.faults import OutsideError
from rummylab.arena.jobs import TableJob
from rummylab.arena.line_process import LineProcess
from rummylab.arena.match import match
from rummylab.cli.main import app
from rummylab.engine.seats import Seat
from rummylab.errors import AgentError
from rummylab.games.registry import game
from waiting import PATIENCE, wait_until

HERE = Path(__file__).parent
PYTHON = f"{sys.executable} -I -S"


def needs(measure: str) -> None:
    if measure not in sandbox.achieved():
        pytest.skip(f"not on this machine: {measure}")


def running(word: str) -> list[int]:
    """Return the processes with *word* on their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                if word.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                    found.append(int(name))
    return found


def sleeping(mark: str) -> list[int]:
    """Return the processes that are ``sleep mark`` by now, and no more the ``setsid`` or the shell before it."""
    found = []
    for pid in running(mark):
        with suppress(OSError):
            if Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", mark.encode()]:
                found.append(pid)
    return found


# --- At import ----------------------------------------------------------------------------------------------------


def attacker(tmp_path: Path, attack: str) -> str:
    folder = tmp_path / attack
    folder.mkdir()
    return f"{shutil.copy(HERE / 'strangers.py', folder)}:Agent"


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        ("exits", "cannot be imported: SystemExit: 0"),
        ("exits-hard", "cannot be imported: ended with code 0"),
        ("loops", "cannot be imported: no answer within 1 s"),
        ("garbage", "cannot be imported: no answer within 1 s"),
    ],
)
def test_who_attacks_at_import_is_refused_in_a_sentence(
    tmp_path: Path, attack: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "within" in words:
        monkeypatch.setattr(outside, "START_UP", 1.0)
    done = CliRunner().invoke(app, ["match", "indian", "mindist", attacker(tmp_path, attack), "--games", "2"])
    assert isinstance(done.exception, AgentError)
    assert words in str(done.exception)
    assert "\x1b" not in str(done.exception)


def test_who_patches_the_package_at_import_gains_nothing(tmp_path: Path) -> None:
    honest = match("indian", FirstChooser(), "mindist", games=2, key="7" * 32, workers=1)
    before = set(sys.modules)  # other tests may have loaded files of agents in this process
    cheat = match("indian", attacker(tmp_path, "patches"), "mindist", games=2, key="7" * 32, workers=1)
    assert cheat.tallies.tobytes() == honest.tallies.tobytes()
    assert cheat.win_rate.value < 1
    assert "ATTACKED" not in os.environ
    assert not [name for name in set(sys.modules) - before if name.startswith("_outside_")]


# --- At the table -------------------------------------------------------------------------------------------------


def fault_of(command: str, seconds: float = PATIENCE) -> OutsideError:
    """Seat a program for one decision and return what it did wrong."""
    agent = outside.player("indian", f"program:{command}", seconds)
    state = State.deal(game("indian").rules(), seed=1)
    assert state.actor is not None
    try:
        agent.sit(state.rules, Seat(state.actor), np.random.default_rng(1))
        agent.act(state.observe(state.actor))
    except OutsideError as error:
        return error
    raise AssertionError(f"{command} did nothing wrong")


READY = (
    "import os, sys, time; sys.stdin.readline(); os.write(1, b'ready\\n'); sys.stdin.readline(); sys.stdin.readline()"
)


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("os.write(1, b'\\xff\\xfe\\x00\\x1b[2J\\n')", "illegal move", "not an action"),
        ("os.write(1, b'[' * 50000 + b'\\n')", "illegal move", "not an action"),
        ("os.write(1, b'{' * 50000 + b'\\n')", "illegal move", "not an action"),
        ("os.write(1, b'discard 7h' + b' 7h' * 20000 + b'\\n')", "illegal move", ""),
        ("os.write(1, b'lay off 7h on meld ' + b'9' * 9000 + b'\\n')", "illegal move", ""),
        ("os.write(1, b'x' * 100000 + b'\\n')", "bad answer", "more than 65,536 bytes"),
        ("[os.write(1, b'x' * 65536) for _ in iter(int, 1)]", "bad answer", "more than 65,536 bytes"),
        ("os.write(1, b'error: \\x1b[31mno idea\\n')", "crash", "?[31mno idea"),
        ("os.close(1); time.sleep(600)", "crash", "closed its pipes"),
        ("sys.exit(9)", "crash", "ended with code 9"),
        ("os.kill(os.getpid(), 9)", "crash", "ended with code 137"),
        ("os.kill(0, 9)", "crash", "ended with code 137"),
        (
            "[os.write(2, b'noise' * 9999 + b'\\n') for _ in range(2000)]; sys.exit(4)",
            "crash",
            "ended with code 4: noise",
        ),
    ],
)
def test_a_program_that_misbehaves_at_the_table_commits_a_fault(
    tmp_path: Path, code: str, kind: str, words: str
) -> None:
    script = tmp_path / "bot.py"
    script.write_text(f"{READY}\n{code}\n")
    fault = fault_of(f"{PYTHON} {script}")
    assert fault.kind == kind
    assert words in str(fault)
    assert len(str(fault)) < 500
    assert str(fault).isprintable()


def test_time_runs_out_for_who_never_answers_and_for_who_floods_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "START_UP", 0.5)
    for command in ("sleep 600", "sh -c 'yes noise >&2'", "sh -c 'trap \"\" TERM INT HUP; exec sleep 600 <&-'"):
        assert fault_of(command, 0.5).kind == "time-out"


def test_a_process_that_never_reads_does_not_block_the_referee() -> None:
    process = LineProcess(sandbox.launch(["sleep", "600"]))
    with pytest.raises(OutsideError, match=r"no answer within 0\.3 s"):
        process.tell("x" * 1_000_000, 0.3)
    assert not process.is_running


def test_of_stderr_only_the_end_is_kept() -> None:
    process = LineProcess(sandbox.launch(["sh", "-c", "yes noise | head -c 5000000 >&2; echo done; sleep 600"]))
    assert process.hear(PATIENCE) == "done"
    assert len(process._stderr) <= line_process.KEPT_STDERR
    process.stop()


def test_an_answer_before_the_question_is_a_fault() -> None:
    process = LineProcess(sandbox.launch(["sh", "-c", "printf 'a\\nb\\n'; sleep 600"]))
    assert process.ask("first?", PATIENCE) == "a"
    with pytest.raises(OutsideError, match="before it was asked"):
        process.ask("second?", PATIENCE)


@pytest.mark.parametrize("command", [("match", "indian", "mindist"), ("tournament", "indian", "mindist")])
def test_a_program_that_dies_at_once_forfeits_and_the_exit_code_says_so(command: tuple[str, ...]) -> None:
    more = ["program:false", "--games", "2", "--workers", "1", "--json"]
    done = CliRunner().invoke(app, [*command, *more])
    assert done.exit_code == 3
    assert json.loads(done.stdout)["forfeits"]["program:false"] == 2
    assert done.stderr.startswith("outside agents: own session")


def test_a_run_without_forfeits_ends_with_code_0() -> None:
    assert CliRunner().invoke(app, ["match", "indian", "mindist", "minscore", "--games", "2"]).exit_code == 0


def test_who_played_a_deal_from_one_seat_does_not_play_it_from_another(tmp_path: Path) -> None:
    """A process that remembers the deal would know the other hand when the seats are swapped."""
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    if 'sit' not in line.split(':')[0]:\n"
        "        print('error: ' + os.getcwd() if 'legal' in line else 'ready', flush=True)\n"
    )
    rules = game("indian").rules()
    job = TableJob(
        rules, [outside.player("indian", f"program:{PYTHON} {script}"), outside.player("indian", "random")], 1
    )
    faults = job((0, 1)).faults
    assert [fault.seating for fault in faults] == [0, 1]
    assert len({fault.words for fault in faults}) == 2


# --- What a stranger can find out, and touch ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def spied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What a program found that looked around, started as an agent is."""
    home = tmp_path_factory.mktemp("home")
    for name, text in {"agent/runs.db": "key", "agent/runs.db-wal": "key", "other/letter": "dear"}.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    script = shutil.copy(HERE / "spy.py", home / "agent" / "spy.py")
    sandbox.hide(home / "agent" / "runs.db")
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUMMYLAB_KEY", "abc")
        command = f"program:{PYTHON} {script} {home / 'agent' / 'runs.db'} {server.getsockname()[1]} {os.getpid()}"
        child = outside._program(command).start()
        said, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, errors
    yield json.loads(said) | {"notes": sorted(path.name for path in (home / "agent").iterdir())}
    sandbox._hidden.discard(home / "agent" / "runs.db")


def test_environment_and_working_directory_tell_nothing(spied: dict[str, Any]) -> None:
    allowed = {*sandbox._PASSED_ON, *sandbox._FIXED, "PYTHONPATH", "HOME", "TMPDIR", "NUMBA_CACHE_DIR"}
    assert set(spied["environment"]) <= allowed | {"RUMMYLAB_CACHE", "RUMMYLAB_CACHE_READ_ONLY"}
    assert spied["environment"]["HOME"] == spied["cwd"]
    assert spied["folder"] == []
    assert spied["scratch"] == "done"


def test_the_scratch_folder_is_removed(spied: dict[str, Any]) -> None:
    assert not Path(spied["cwd"]).exists()


def test_command_lines_of_others_cannot_be_read(spied: dict[str, Any]) -> None:
    needs(supervisor.PROCESSES)
    ours = Path("/proc/self/cmdline").read_text()[:200]
    assert ours not in [line[:200] for line in spied["command_lines"]]


def test_nothing_but_the_scratch_folder_can_be_written(spied: dict[str, Any]) -> None:
    needs(supervisor.FILES)
    assert {spied[place] for place in ("beside", "tmp", "shm")} <= {"OSError", "PermissionError"}
    assert "note" not in spied["notes"]


def test_the_store_and_the_files_of_others_cannot_be_read(spied: dict[str, Any]) -> None:
    needs(supervisor.READS)
    assert spied["itself"] == '"""A progr'
    assert {spied["secret"], spied["journal"], spied["home"]} <= {"PermissionError", ""}


def test_the_network_cannot_be_reached(spied: dict[str, Any]) -> None:
    needs(supervisor.NETWORK)
    assert spied["network"] != "connected"


def test_others_get_no_signals(spied: dict[str, Any]) -> None:
    needs(supervisor.SIGNALS)
    assert spied["signal"] in ("ProcessLookupError", "PermissionError")


def test_memory_and_processes_are_limited(spied: dict[str, Any]) -> None:
    needs(supervisor.LIMITS)
    assert spied["memory"] == "MemoryError"
    needs(supervisor.COUNT)
    assert spied["forks"] < 200


def test_what_may_be_read_leaves_out_what_is_hidden(tmp_path: Path) -> None:
    for name in ("a/b/runs.db", "a/b/runs.db-wal", "a/b/mine.py", "a/c/other.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    root = os.path.realpath(tmp_path)
    found = dict(supervisor.visible([root], [f"{root}/a/b/runs.db"]))
    files = {path.removeprefix(root) for path, access in found.items() if access != supervisor._READ_DIR}
    assert files == {"/a/b/mine.py", "/a/c"}
    assert set(found) - {root + path for path in files} == {root, f"{root}/a", f"{root}/a/b"}


def test_the_line_about_strangers_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "achieved", lambda: (supervisor.SESSION,))
    assert "; not on this machine: limits" in sandbox.sentence()
    monkeypatch.setenv(sandbox.SWITCH, "off")
    assert sandbox.sentence() == "outside agents: own session only (RUMMYLAB_SANDBOX=off)"


# --- Nothing is left ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no /proc to look for processes")
@pytest.mark.parametrize("switch", ["on", "off"])
def test_processes_that_an_agent_has_started_end_with_it(switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox.SWITCH, switch)
    mark = f"9{os.getpid()}.{time.time_ns() % 10**9}"
    code = f"(trap '' TERM HUP; setsid setsid sleep {mark}) & trap '' TERM HUP; echo up; sleep {mark}"
    process = LineProcess(sandbox.launch(["sh", "-c", code]))
    assert process.hear(PATIENCE) == "up"
    assert wait_until(lambda: len(sleeping(mark)) == 2)
    process.stop()
    assert wait_until(lambda: not running(mark))


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no /proc to look for processes")
@pytest.mark.parametrize("switch", ["on", "off"])
def test_nothing_survives_a_killed_referee(tmp_path: Path, switch: str) -> None:
    mark = f"9{os.getpid()}.{time.time_ns() % 10**9}"
    code = f"(trap '' TERM HUP; setsid setsid sleep {mark}) & trap '' TERM HUP; sleep {mark}"
    script = f"""
import time
from rummylab.arena import sandbox
from rummylab.arena.backends import Processes
def work(item):
    child = sandbox.launch(["sh", "-c", {code!r}])
    time.sleep(600)
for _ in Processes(2).run(work, ["{mark}", 2]):
    pass
"""
    environment = os.environ | {sandbox.SWITCH: switch, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as referee:
        try:
            assert wait_until(lambda: len(sleeping(mark)) == 4)
        finally:
            referee.send_signal(signal.SIGKILL)  # without it, leaving this block would wait for the referee's end
    assert wait_until(lambda: not running(mark))
    assert wait_until(lambda: not list(tmp_path.iterdir()))
