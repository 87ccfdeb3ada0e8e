"""What MkDocs does not do by itself: pages from outside ``docs/``, notebooks, and a navigation that misses no page.

The documents are written for readers of the repository, too, so they link to files outside ``docs/``: the project's
own pages and the examples. The site gets a page for each, and the links are pointed there.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import notebooks

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROJECT = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "README.md": "index.md",
}
"""Pages of the repository's root, by where they are in the site."""
LANGUAGES = {".py": "python", ".js": "javascript", ".cpp": "cpp", ".toml": "toml", ".cff": "yaml", ".json": "json"}
LINK = re.compile(r"(?P<before>\]\()(?P<target>[^()\s:#]+)(?P<anchor>#[^()\s]*)?(?P<after>\))")
FENCE = re.compile(r"(^ *(?P<fence>```+)[^\n]*\n.*?^ *(?P=fence) *$)", re.DOTALL | re.MULTILINE)
MORE = {"guides": "How-to guides", "results": "Studies", "concepts": "Concepts", "tutorials": "Tutorials"}
"""Folders whose pages get a place in the navigation even if nobody has given them one."""
WEIGHTS = {"games": 4, "concepts": 4, "start": 2, "tutorials": 2, "guides": 2}
WEIGHTS |= {"reference": 0.5, "results": 0.5, "project": 0.2, "adr": 0.2}
"""How much a folder's pages count in a search: what a word means comes before where it was measured."""


def title_of(text: str) -> str:
    """Return the first heading of a Markdown page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else ""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Complete the navigation: every decision, and every page that ``mkdocs.yml`` does not name."""
    nav: list[Any] = list(config.nav or [])
    listed = set(_pages_of(nav))
    for folder, section in MORE.items():
        pages = (path.relative_to(DOCS).as_posix() for path in sorted((DOCS / folder).rglob("*.md")))
        more = [page for page in pages if page not in listed]
        if more:
            _part(nav, section).append({"More": more})
    decisions: list[Any] = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.glob("adr/*.md"))]
    _part(nav, "Project").append({"Decisions": ["adr/index.md", *decisions]})
    config.nav = nav
    return config


def _pages_of(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in _pages_of(part)]


def _part(nav: list[Any], name: str) -> list[Any]:
    found: list[Any] = next(part[name] for part in nav if isinstance(part, dict) and name in part)
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of something else."""
    for name, page in PROJECT.items():
        if page != "index.md":
            files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    for path in sorted(_linked_code()):
        files.append(File.generated(config, f"{path}.md", content=_code_page(path)))
    files.append(File.generated(config, "adr/index.md", content=_decisions()))
    for path in sorted(DOCS.glob("notebooks/*.ipynb")):
        text = notebooks.to_markdown(notebooks.read(path), path.name)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
    return files


def _linked_code() -> set[str]:
    """Return the files outside ``docs/`` that are no pages of the project and that a page links to."""
    pages = [*DOCS.rglob("*.md"), *(ROOT / name for name in PROJECT)]
    targets = (
        (path.parent / link["target"]).resolve()
        for path in pages
        for link in LINK.finditer(FENCE.sub("", path.read_text(encoding="utf-8")))
    )
    outside = {target for target in targets if target.is_file() and not target.is_relative_to(DOCS)}
    return {path.relative_to(ROOT).as_posix() for path in outside} - set(PROJECT)


def _code_page(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    language = LANGUAGES.get(Path(path).suffix, "text")
    head = f"---\ntitle: {path}\nsearch:\n  exclude: true\n---\n\n# `{path}`\n\n"
    return f'{head}````{language} linenums="1"\n{text.rstrip()}\n````\n'


def _decisions() -> str:
    rows = []
    for path in sorted(DOCS.glob("adr/*.md")):
        rows.append(f"- [{title_of(path.read_text(encoding='utf-8'))}]({path.name})")
    text = "Decisions that bind us, one page each: context, decision, consequences. They are superseded, never edited."
    return f"# Decisions\n\n{text}\n\n" + "\n".join(rows) + "\n"


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Keep every report in its list: the theme hides a ``README.md`` there, taking it for the section's own page."""
    for page in nav.pages:
        if page.file.src_uri.endswith("/README.md"):
            _ = page.file.url  # Made of the name that changes here; the address stays.
            page.file.name = "README"
    return nav


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to where the site has the file, let folded tables be Markdown, and weigh the page for searches."""
    uri = page.file.src_uri
    page.meta.setdefault("search", {"boost": WEIGHTS.get(uri.partition("/")[0], 1)})
    home = next((name for name, place in PROJECT.items() if place == uri and uri != "index.md"), f"docs/{uri}")

    def moved(link: re.Match[str]) -> str:
        place = _place(posixpath.normpath(posixpath.join(posixpath.dirname(home), link["target"])), files)
        target = posixpath.relpath(place, posixpath.dirname(uri) or ".")
        return f"{link['before']}{target}{link['anchor'] or ''}{link['after']}"

    parts = FENCE.split(markdown)[::3]
    fences = [match[1] for match in FENCE.finditer(markdown)]
    parts = [LINK.sub(moved, part).replace("<details>", '<details markdown="1">') for part in parts]
    return "".join(text for pair in zip(parts, [*fences, ""], strict=True) for text in pair)


def _place(path: str, files: Files) -> str:
    """Return where the site has the repository's file *path*; a path that it does not have stays as it is."""
    if path in PROJECT:
        return PROJECT[path]
    if path.endswith(".ipynb"):
        path = f"{path.removesuffix('.ipynb')}.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{path}.md" if files.get_file_from_path(f"{path}.md") else path


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show a pipe inside code in a table as GitHub does, without the backslash that keeps the columns apart."""
    return re.sub(r"<code>[^<]*\\\|[^<]*</code>", lambda code: code[0].replace(r"\|", "|"), html)
