"""The documents stay true: the README runs, the tables match the code, the public names are a frozen list."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rummylab
from helpers_cli import run
from rummylab import Record, agent, gin, play
from rummylab.cli import tables
from rummylab.engine.records import write_records

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_the_tour_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    assert "seat 0" in capsys.readouterr().out


COMMAND = re.compile(r"^\s*(?:\$ )?(rummylab .*)$", re.MULTILINE)
NEEDS_MORE = ("train ", "dataset ", "evaluate ", "tune ", "--backend ray", "play ")
"""Commands that take minutes, a cluster or a person; they have tests of their own."""


def _commands(path: Path) -> list[str]:
    blocks = re.findall(r"^ *```(\w*)\n(.*?)^ *```", path.read_text(), re.DOTALL | re.MULTILINE)
    return [line for language, block in blocks if language != "python" for line in COMMAND.findall(block)]


def _with_commands() -> list[Path]:
    return [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*/*.md"))] if _commands(path)]


def _made_small(line: str) -> list[str]:
    """Return the words of a command with a few games of a few agents."""
    line = re.sub(r"--games \d+", "--games 4", line).replace("--agents all", "--agents simple,random")
    if line.startswith("rummylab run ") and "--quick" not in line:
        line += " --quick"
    if re.match("rummylab (arena|tournament|run) ", line):
        line += " --workers 1"
    return shlex.split(line)[1:]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a directory with what the documents speak of: the examples, the guide's agents, a recorded match."""
    guide = (ROOT / "docs/guides/arena.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (tmp_path / "mine.py").write_text(next(block for block in blocks if "class Hoarder" in block))
    (tmp_path / "bot.py").write_text(next(block for block in blocks if "sys.stdin" in block))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    state = play(gin(), [agent("gin", "simple")] * 2, 3)
    write_records(tmp_path / "match.rgr", [Record.of(state, ["you", "simple"], 3)])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", _with_commands(), ids=lambda path: path.name)
def test_every_command_in_the_documents_works(path: Path, workplace: Path) -> None:
    for line in _commands(path):
        if not any(word in line for word in NEEDS_MORE):
            done = run(_made_small(line))
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            assert done.stdout, line


@pytest.mark.parametrize("words", ["agents", "reproduce --list", "hand gin 3c,4c,5c,Ks"])
def test_the_command_works_as_a_program(words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rummylab", *words.split()], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", tables.documents(ROOT), ids=lambda path: path.name)
def test_generated_tables_match_the_code(path: Path) -> None:
    assert tables.fill(path.read_text()) == path.read_text(), "run: make docs"


@pytest.mark.parametrize("path", tables.documents(ROOT), ids=lambda path: path.name)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(path: Path) -> None:
    for block in re.findall(r"(?:^\|.*\|\n)+", path.read_text(), re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(cells) == 1, f"{path.name}: {block[:200]}"


def test_links_in_the_documents_lead_somewhere() -> None:
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_public_names_are_these_and_exist() -> None:
    assert rummylab.__all__ == [
        "Action", "Agent", "Card", "CompiledAgent", "ContractOptions", "ContractRummy", "Deck", "Event", "Gin",
        "GinCourse", "GinCourseOptions", "GinOptions", "Hand", "Indian", "IndianOptions", "Observation",
        "Record", "RummyError", "Seat", "State", "agent", "chinese", "compiled_agent", "gin", "gin_course", "indian",
        "match", "play", "play_match",
    ]  # fmt: skip
    for name in rummylab.__all__:
        assert getattr(rummylab, name) is not None
    with pytest.raises(AttributeError):
        _ = rummylab.no_such_name


def test_no_document_speaks_of_a_machine() -> None:
    files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True).stdout.split()
    pattern = re.compile("/(w" + "ork|r" + "oot)/")
    for name in files:
        path = ROOT / name
        if path.suffix in (".md", ".py", ".toml", ".sh", ".cff") and path.exists():
            assert not pattern.search(path.read_text()), name
