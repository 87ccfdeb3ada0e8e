"""A changed agent, and changed code of our own, is noticed when a run resumes; unrelated changes are not."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from rummylab import _sources
from rummylab.arena import fingerprint as fingerprints
from rummylab.arena import version
from rummylab.arena.outside import fingerprint
from rummylab.arena.tournament import Plan


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "parts").mkdir(parents=True)
    (folder / "bot.py").write_text("from parts import nets\nclass A: pass\n")
    (folder / "parts" / "nets.py").write_text("SIZE = 1\n")
    (folder / "weights.toml").write_text("a = 1\n")
    return folder


def _is_noticed(spec: str, path: Path, text: str = "changed\n") -> bool:
    before = fingerprint(spec)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return fingerprint(spec) != before


@pytest.mark.parametrize("name", ["bot.py", "parts/nets.py", "weights.toml", "net.npz", "parts/new.safetensors"])
def test_every_file_in_the_folder_of_an_agent_counts(agent: Path, name: str) -> None:
    spec = f"{agent / 'bot.py'}:A"
    assert fingerprint(spec) == fingerprint(spec)
    assert _is_noticed(spec, agent / name)


@pytest.mark.parametrize("name", [".git", "__pycache__/bot.pyc", "parts/notes.md", "report.html", "../other.py"])
def test_hidden_files_bytecode_documents_and_other_folders_do_not_count(agent: Path, name: str) -> None:
    assert not _is_noticed(f"{agent / 'bot.py'}:A", agent / name)


def test_the_store_of_the_results_may_lie_in_the_folder_of_an_agent(agent: Path) -> None:
    spec = f"{agent / 'bot.py'}:A"
    before = fingerprint(spec)
    with sqlite3.connect(agent / "results") as db:
        db.execute("create table chunks (x)")
    assert fingerprint(spec) == before


def test_every_file_of_a_package_counts_and_none_is_imported(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(agent.parent)
    (agent / "__init__.py").write_text("raise RuntimeError('imported')\n")
    assert _is_noticed("bot.bot:A", agent / "parts" / "nets.py")
    assert _is_noticed("bot.bot:A", agent / "config.json", "{}")
    assert "bot" not in sys.modules


def test_a_program_found_on_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, neighbor = tmp_path / "bin" / "my-bot", tmp_path / "bin" / "unrelated"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    assert _is_noticed("program:my-bot", program, "#!/bin/sh\nexit 1\n")
    assert not _is_noticed("program:my-bot", neighbor)


def test_scripts_and_files_among_the_arguments_of_a_program_count(agent: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    weights.write_text("1")
    spec = f"program:{sys.executable} {agent / 'bot.py'} --net={weights}"
    assert _is_noticed(spec, weights, "2")
    assert _is_noticed(spec, agent / "weights.toml")
    assert _is_noticed(spec, agent / "parts" / "nets.py")


@pytest.mark.parametrize("module", [np, numba])
def test_the_versions_of_numpy_and_numba_count(agent: Path, monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    spec, plan = f"{agent / 'bot.py'}:A", Plan(game="gin", agents=("simple", "random"))
    before = fingerprint(spec), plan.code_version()
    monkeypatch.setattr(module, "__version__", "0.0")
    after = fingerprint(spec), plan.code_version()
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_the_version_of_python_counts(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(f"{agent / 'bot.py'}:A")
    monkeypatch.setattr("platform.python_version", lambda: "3.0.0")
    assert fingerprint(f"{agent / 'bot.py'}:A") != before


def test_more_files_than_the_limit_are_told_and_the_nearest_count(
    agent: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fingerprints, "MAX_FILES", 2)
    spec = f"{agent / 'bot.py'}:A"
    assert _is_noticed(spec, agent / "weights.toml")
    assert "put the agent into a folder of its own" in caplog.text
    assert not _is_noticed(spec, agent / "parts" / "nets.py")


def test_a_pipe_in_the_folder_of_an_agent_holds_up_nobody(agent: Path) -> None:
    import os

    os.mkfifo(agent / "pipe")
    assert fingerprint(f"{agent / 'bot.py'}:A")


# --- Our own code -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("code") / "rummylab"
    shutil.copytree(_sources.PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


@pytest.mark.parametrize(
    ("game", "agent_name", "edited", "counts"),
    [
        ("gin_pass", "dummy", "cards/melds.py", True),
        ("gin_pass", "dummy", "games/contract/rules.py", False),
        ("gin_pass", "dummy", "agents/gin/simple.py", False),
        ("gin", "simple", "games/contract/rules.py", False),
        ("gin", "simple", "cards/melds.py", True),
        ("gin", "simple", "agents/gin/simple.py", True),
        ("gin", "utility(belief=0)", "agents/gin/utility.json", True),
        ("gin", "file.py:A", "arena/wire.py", True),
        ("gin", "simple", "cards/rng.py", True),
        ("gin", "simple", "lab/report/figures.py", False),
        ("gin", "simple", "cli/main.py", False),
    ],
)
def test_code_counts_if_a_run_imports_it(copy: Path, game: str, agent_name: str, edited: str, *, counts: bool) -> None:
    before, text = version.version_of_play([(game, agent_name)], root=copy), (copy / edited).read_bytes()
    (copy / edited).write_bytes(text + b"\n")
    after = version.version_of_play([(game, agent_name)], root=copy)
    (copy / edited).write_bytes(text)
    assert (before != after) is counts
