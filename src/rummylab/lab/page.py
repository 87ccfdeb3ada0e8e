"""Turn Markdown into one HTML page that needs nothing else: figures are embedded, and raw HTML is shown, not obeyed."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import jinja2
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

_KINDS: Final = {".svg": "image/svg+xml", ".png": "image/png"}
_FOLD: Final = re.compile(r"\s*(<details><summary>[^<>&]*</summary>|</details>)\s*")
"""The only raw HTML that passes: the fold around a long table."""


@cache
def templates() -> jinja2.Environment:
    """Return the templates of the reports. Those of HTML pages escape every value."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("rummylab.lab"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def to_html(markdown: str, folder: Path) -> str:
    """Return *markdown* as an HTML page. Figures are read from *folder* and become part of the page."""
    parser = MarkdownIt("commonmark", renderer_cls=_Renderer).enable("table")
    tokens = parser.parse(markdown)
    title = ""
    places: list[tuple[str, str]] = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            text = _plain(tokens[number + 1])
            if token.tag == "h1" and not title:
                title = text
                continue
            token.attrSet("id", f"part-{len(places) + 1}")
            places.append((f"part-{len(places) + 1}", text))
    body = parser.renderer.render(_without_title(tokens), parser.options, {"folder": folder})
    return templates().get_template("page.html.j2").render(title=title, places=places, body=Markup(body)) + "\n"


def write_pages(folder: Path) -> list[Path]:
    """Write an HTML page beside every ``report.md`` and ``README.md`` below *folder*; return the pages."""
    pages = []
    for source in sorted([*folder.rglob("report.md"), *folder.rglob("README.md")]):
        page = source.with_name("report.html")
        page.write_text(to_html(source.read_text(encoding="utf-8"), source.parent), encoding="utf-8")
        pages.append(page)
    return pages


def _without_title(tokens: Sequence[Token]) -> list[Token]:
    """Return *tokens* without the first heading, which the template shows."""
    is_title = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return list(tokens[3:] if is_title else tokens)


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


class _Renderer(RendererHTML):
    """Markdown-it's own renderer, with embedded figures, scrolling tables and no raw HTML."""

    def html_block(self, tokens: Sequence[Token], number: int, options: Any, env: Any) -> str:
        text = tokens[number].content
        return text if _FOLD.fullmatch(text) else f"<p>{escapeHtml(text)}</p>\n"

    def html_inline(self, tokens: Sequence[Token], number: int, options: Any, env: Any) -> str:
        return escapeHtml(tokens[number].content)

    def table_open(self, tokens: Sequence[Token], number: int, options: Any, env: Any) -> str:
        return '<div class="wide"><table>\n'

    def table_close(self, tokens: Sequence[Token], number: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def image(self, tokens: Sequence[Token], number: int, options: Any, env: Any) -> str:
        """Embed a figure of the report's own folder; of anything else show the description."""
        token = tokens[number]
        name, words = str(token.attrs.get("src", "")), _plain(token)
        file = env["folder"] / name
        if Path(name).name != name or file.suffix not in _KINDS or not file.is_file():
            return escapeHtml(words)
        data = base64.b64encode(file.read_bytes()).decode()
        return f'<img alt="{escapeHtml(words)}" src="data:{_KINDS[file.suffix]};base64,{data}">'


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
