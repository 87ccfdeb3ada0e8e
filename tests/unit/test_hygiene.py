"""The repository keeps its own promises: one version, no exceptions to the layers, no machine's paths, one spelling."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import rummylab
from lowest import constraints
from rummylab.games.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TEXT = {".py", ".md", ".toml", ".sh", ".cff", ".yml", ".yaml", ".json", ".txt", ".lock", ".j2", ".css", ".js", ""}


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, cwd=ROOT, check=False).stdout
    files = [ROOT / name for name in listed.split("\0") if name]
    if not files:
        pytest.skip("this is not a Git checkout")
    return [path for path in files if path.suffix in TEXT and path.is_file()]


def test_the_version_is_written_in_one_place() -> None:
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "src/rummylab/__init__.py"
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {rummylab.__version__}\n" in citation, "a citation names a release: keep it in step"


def test_the_changelog_has_dated_releases_and_a_section_for_what_is_not_released() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", heading) for heading in headings[1:])
    assert headings[1].startswith(f"[{rummylab.__version__}]")


def test_the_layers_have_no_exceptions() -> None:
    for contract in PYPROJECT["tool"]["importlinter"]["contracts"]:
        assert "ignore_imports" not in contract, contract["name"]


def test_nothing_outside_the_games_asks_which_game_it_is() -> None:
    quoted = re.compile("|".join(f"[\"']{name}[\"']" for name in GAMES))
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text()
        if "games" in path.parts or not quoted.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare):
                named = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)} & set(GAMES)
                assert not named, f"{path}:{node.lineno}: compares with {named}"


def test_every_requirement_has_a_lowest_version() -> None:
    project = PYPROJECT["project"]
    assert len(constraints()) == len(project["dependencies"])
    assert {"numpy", "numba", "pytest"} <= {line.partition("==")[0] for line in constraints("lowest")}


def test_no_tracked_file_names_a_machine_or_a_package_mirror() -> None:
    # In pieces, so that this file does not find itself.
    pattern = re.compile("|".join(["/(?:w" + "ork|r" + "oot)/", "/opt/" + "pypi", r"[\w.-]+\.inter" + "nal\\b"]))
    for path in _tracked():
        found = pattern.search(path.read_text(errors="replace"))
        assert found is None, f"{path.relative_to(ROOT)}: {found}"


BANNED = {
    r"the same,? but": "say what it does (STYLE 5)",
    r"\bhe\b|\bhim\b": "they, the opponent",
    r"\bwhom (?:no|nobody|the|it)\b": "rewrite the sentence",
    r"\bby lot\b": "at random",
    r"\banew\b": "again, or re-",
    r"\bup-cards?\b": "upcard",
    r"(?<!out by )\blay-offs?\b": "layoff (noun), lay off (verb)",
    r"\bline-ups?\b": "lineup",
    r"\bself play\b": "self-play",
    r"\bthe own\b": "the player's own",
    r"(?:col|behavi|fav|neighb)our|licence": "American spelling",
    r"(?:normal|optim|random|serial|summar|initial|recogn|student)is[ei]": "American spelling: -ize",
    r"\d %(?!\s*[\w(}])|\d % (?:of|in|to|interval|error)\b": "95%, without a space",
    r"\bis no agent\b": "is not an agent",
    r"\bcomplain unless\b": "Raise ... unless",
    r"\bplayed again in small\b": "quick version",
    r"\bcarr(?:y|ies|ied) on where\b": "resume",
    r"\bhangs? on\b": "depends on",
    r"\bsurely\b": "significantly, or leave it out",
}
"""Phrases that STYLE.md rules out, and what to write instead."""
QUOTES = ("docs/adr/", "CHANGELOG.md", "tests/")
"""Where old words may stand: decisions and history are not edited, and tests quote sources."""


def test_prose_has_one_spelling_and_no_banned_phrase() -> None:
    found = []
    any_of_them = re.compile("|".join(f"(?:{pattern})" for pattern in BANNED), re.IGNORECASE)
    for path in _tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".py", ".md", ".toml", ".j2", ".yml") or name.startswith(QUOTES):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not any_of_them.search(line):
                continue
            for pattern, instead in BANNED.items():
                if match := re.search(pattern, line, re.IGNORECASE):
                    found.append(f"{name}:{number}: {match[0]!r} ({instead}): {line.strip()[:90]}")
    assert not found, "\n".join(["", *found])
