"""The import graph of the package: what a module's machine code and a result's code version are made from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from rummylab._sources import PACKAGE, imports_of, sources_of

FILES = sorted(PACKAGE.rglob("*.py"))


def _statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements of a syntax tree, inside functions as well, but not those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _statements(child)


def _named(path: Path) -> Iterator[str]:
    """Yield the dotted names that *path* imports from the package, by its syntax tree."""
    for statement in _statements(ast.parse(path.read_bytes())):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        else:
            assert statement.level == 0, f"{path}: the import graph does not follow relative imports"
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def _file_of(name: str) -> Path | None:
    """Return the file of the module or of the attribute of a module called *name*, if it is in the package."""
    first, *parts = name.split(".")
    if first != "rummylab":
        return None
    place = PACKAGE.joinpath(*parts)
    for found in (
        place / "__init__.py",
        place.with_suffix(".py"),
        place.parent.with_suffix(".py"),
        place.parent / "__init__.py",
    ):
        if found.is_file():
            return found
    raise AssertionError(f"{name} is no module and no attribute of one")


def test_the_import_graph_is_that_of_the_syntax_trees() -> None:
    for path in FILES:
        expected = {file for name in _named(path) if (file := _file_of(name))}
        assert imports_of(path, PACKAGE) == expected, path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "engine").mkdir()
    for name in ("engine/__init__", "engine/state", "engine/rows", "engine/seats", "main"):
        (tmp_path / f"{name}.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from rummylab.engine import state", {"state"}),
        ("from rummylab.engine import state as s, rows  # both", {"state", "rows"}),
        ("from rummylab.engine import (\n    state,  # why\n    rows,\n)", {"state", "rows"}),
        ("from rummylab.engine.state import State", {"state"}),
        ("from rummylab.engine import NAME", {"__init__"}),
        ("from rummylab import engine", {"__init__", "state", "rows", "seats"}),
        ("from rummylab.engine import *", {"__init__", "state", "rows", "seats"}),
        ("import rummylab.engine.state as s, rummylab.engine.rows", {"state", "rows"}),
        ("import rummylab.engine", {"__init__", "state", "rows", "seats"}),
        ("def make():\n    from rummylab.engine import state", {"state"}),
        ("if TYPE_CHECKING:\n    from rummylab.engine import state\n\nfrom rummylab.engine import rows", {"rows"}),
        ("import rummylab", set()),  # it only names where things are
        ("import numpy", set()),
    ],
)
def test_an_import_counts_what_it_can_use_and_no_more(package: Path, line: str, expected: set[str]) -> None:
    (package / "main.py").write_text(line)
    assert {path.stem for path in imports_of(package / "main.py", package)} == expected


def test_editing_the_python_table_leaves_the_agents_compiled() -> None:
    table = ("state", "observation", "position", "rules", "records", "show", "batch", "referee")
    parts = {PACKAGE / "engine" / f"{name}.py" for name in table}
    agents = [path for path in (PACKAGE / "agents").glob("*/*.py") if "@register_agent" in path.read_text()]
    assert len(agents) > 20
    for path in agents:
        assert parts.isdisjoint(sources_of(path)), path
