"""The documents stay true: the README runs, the tables match the code, the public names are a frozen list."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rummylab
from rummylab.cli import tables

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_the_tour_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    assert "seat 0" in capsys.readouterr().out


@pytest.mark.parametrize("line", re.findall(r"^\$ (rummylab .*)$", README, re.MULTILINE))
def test_every_command_in_the_readme_works(line: str) -> None:
    words = shlex.split(line)
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, check=False)
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
