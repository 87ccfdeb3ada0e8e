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
from rummylab import Record, State, agent, gin, play
from rummylab.cli import tables
from rummylab.engine.commitment import commitment
from rummylab.engine.records import write_records

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_the_tour_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    assert "gin eaai; seat 1; phase offer" in capsys.readouterr().out


COMMAND = re.compile(r"^\s*(?:\$ )?(rummylab .*)$", re.MULTILINE)
NEEDS_MORE = (
    "train ", "dataset ", "evaluate ", "tune ", "--backend ray", "rummylab play", "bench ", "warm-up ", "bridge ",
    "reproduce ", "rummylab engine",
)  # fmt: skip
"""Commands that take minutes, a cluster, a person or a referee; they have tests of their own."""


def _commands(path: Path) -> list[str]:
    blocks = re.findall(r"^ *```(\w*)\n(.*?)^ *```", path.read_text(), re.DOTALL | re.MULTILINE)
    return [line for language, block in blocks if language != "python" for line in COMMAND.findall(block)]


def _with_commands() -> list[Path]:
    return [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*/*.md"))] if _commands(path)]


def _made_small(line: str) -> list[str]:
    """Return the words of a command with a few games of a few agents."""
    line = re.sub(r"--games \d+", "--games 4", line).replace(" all ", " simple random ")
    if line.startswith("rummylab experiment run ") and "--quick" not in line:
        line += " --quick"
    if re.match("rummylab (analyze|review) ", line) and "--worlds" not in line:
        line += " --worlds 8"
    if "--plan" in line:
        line += " --games 4"
    if re.match("rummylab (match|tournament|experiment run) ", line):
        line += " --workers 1"
    return shlex.split(line)[1:]


def _python_blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)


def _with_python() -> list[Path]:
    return [path for path in sorted(ROOT.glob("docs/**/*.md")) if _python_blocks(path)]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a directory with what the documents speak of: the examples, the agents' files, a recorded match.

    A block of Python that starts with ``# name.py`` is the file of that name, or what is added to it.
    """
    for block in (block for path in _with_python() for block in _python_blocks(path)):
        if name := re.match(r"# (\w+\.py)", block):
            with (tmp_path / name[1]).open("a") as file:
                file.write(block)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "hands.jsonl.gz").symlink_to(ROOT / "tests/conformance/data/gin_sample.jsonl.gz")
    state = play(gin(), [agent("gin", "simple")] * 2, 3)
    record = Record.of(state, ["you", "simple"], 3)
    sealed = {"salt": "00" * 16, "commitment": commitment("gin", record.header["options"], 0, 3, "00" * 16)}
    write_records(tmp_path / "match.rgr", [Record(record.header | sealed, record.events, record.result)])
    (tmp_path / "position.txt").write_text(State.deal(gin(), 7).observe().to_text())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", _with_commands(), ids=lambda path: path.name)
def test_every_command_in_the_documents_works(path: Path, workplace: Path) -> None:
    for line in _commands(path):
        if not any(word in line for word in NEEDS_MORE):
            done = run(_made_small(line))
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            assert done.stdout, line


@pytest.mark.parametrize("path", _with_python(), ids=lambda path: path.name)
def test_every_block_of_python_in_the_documents_runs(
    path: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(workplace)
    names: dict[str, object] = {}
    for block in _python_blocks(path):
        for package in re.findall(r"^import (gymnasium|pettingzoo)|rummylab\.interop\.(\w+)", block, re.MULTILINE):
            pytest.importorskip("".join(package))
        if "sys.stdin" not in block:  # a bot, which a command of its page seats
            small = re.sub(r"(games|hands)=\d+", r"\1=4", block)
            small = small.replace("worlds=40", "worlds=8").replace("entries=30_000", "entries=300")
            exec(compile(small, path.name, "exec"), names)
    for name in [
        name for name, module in sys.modules.items() if str(workplace) in str(getattr(module, "__file__", ""))
    ]:
        del sys.modules[name]


def test_the_command_works_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rummylab", "hand", "gin", "3c,4c,5c,Ks"], capture_output=True, text=True, check=False
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


FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?P<target>[^)#:\s]*)(?:#(?P<anchor>[^)\s]+))?\)")


def _anchors(path: Path) -> set[str]:
    """Return the names of a page's headings, as GitHub and MkDocs make them."""
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", path.read_text()), re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", head.replace("`", "")).strip().lower() for head in heads)
    return {re.sub(r"[-\s]+", "-", word) for word in words}


def test_links_in_the_documents_lead_somewhere() -> None:
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for link in LINK.finditer(FENCE.sub("", path.read_text())):
            target = path.parent / link["target"] if link["target"] else path
            assert target.exists(), f"{path.name}: {link[0]}"
            if link["anchor"] and target.suffix == ".md":
                assert link["anchor"] in _anchors(target), f"{path.name}: {link[0]}"


def test_the_public_names_are_these_and_exist() -> None:
    assert rummylab.__all__ == [
        "Action", "Agent", "AgentOptions", "Belief", "Card", "CompiledAgent", "ContractOptions",
        "ContractRummy", "Deck", "Event", "Gin", "GinOptions", "GinPass", "GinPassOptions", "Hand", "Indian",
        "IndianOptions", "Observation", "Record", "RummyError", "Seat", "State", "Variant", "agent", "belief",
        "contract", "gin", "gin_pass", "indian", "match", "move", "option", "play", "play_match",
        "register_agent",
    ]  # fmt: skip
    for name in rummylab.__all__:
        assert getattr(rummylab, name) is not None
    with pytest.raises(AttributeError):
        _ = rummylab.no_such_name
