"""The documentation site builds without a warning, needs no other host, and its notebooks say what they print."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import notebooks

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?P<src>[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preconnect|preload))[^>]*\bhref=["']?(?P<href>[^"'\s>]+)"""
    r"""|url\(["']?(?P<url>[^"')]+)|@import ["'](?P<import>[^"']+)"""
)
"""What a browser loads by itself, in HTML and CSS."""


def loaded(text: str) -> list[str]:
    """Return the addresses that a page or a style sheet loads."""
    return [found[found.lastgroup or 0] for found in LOADED.finditer(text)]


def is_elsewhere(address: str) -> bool:
    """Return whether *address* is on another host."""
    return bool(re.match(r"(?:\w+:)?//", address))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once."""
    pytest.importorskip("material")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr
    return out


def test_the_site_loads_nothing_from_another_host(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        elsewhere = [address for address in loaded(path.read_text(encoding="utf-8")) if is_elsewhere(address)]
        assert not elsewhere, f"{path.name}: {elsewhere[:3]}"


def test_every_document_is_a_page_of_the_site_and_can_be_searched(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.relative_to(ROOT / "docs").with_suffix(".html").as_posix().replace("README.html", "index.html")
        assert (site / page).is_file(), page
        assert page in found or page == "index.html", page
    assert (site / "search/search_index.js").is_file(), "pages opened from disk read the index from here"
    assert "Card fitness in Gin" in (site / "results/indian/index.html").read_text(encoding="utf-8"), "beside its page"
    weight = {entry["location"]: entry.get("boost", 1) for entry in index["docs"]}
    assert weight["games/gin.html"] > weight["guides/arena.html"] > weight["results/indian/index.html"]


def test_a_reference_to_another_host_is_found() -> None:
    page = '<link rel="stylesheet" href="https://a/b.css"><script src=//c/d.js></script><a href="https://e">fine</a>'
    assert loaded(page) == ["https://a/b.css", "//c/d.js"]
    assert [is_elsewhere(address) for address in [*loaded(page), "../f.css", "data:g"]] == [True, True, False, False]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    shown = notebooks.read(path)
    assert notebooks.printed(notebooks.run(shown, path.name)) == notebooks.printed(shown), "run: make notebooks"


def test_a_notebook_becomes_markdown_with_its_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Words."]},
        {"cell_type": "code", "source": ["x = 2\n", "print(x)\n", "x + 1"]},
    ]
    text = notebooks.to_markdown(notebooks.run({"cells": cells}), "this.ipynb")
    assert text.startswith("# Title\n")
    assert "```{ .text .output }\n2\n```\n\n```{ .text .output }\n3\n```" in text
    assert 'href="this.ipynb"' in text
