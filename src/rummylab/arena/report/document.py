"""A report as a list of blocks, written as Markdown and as one HTML page that needs nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rummylab.arena.plots import Picture
from rummylab.arena.words import as_cell, without_html

_LONG = 60
"""A cell with more letters may take several lines."""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str

    def markdown(self) -> str:
        return f"## {without_html(self.text)}"

    def html(self) -> str:
        return f'<h2 id="{_anchor(self.text)}">{_inline(self.text)}</h2>'


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; `code` and **bold** as in Markdown."""

    text: str
    kind: str = ""
    """``lead`` for the summary, ``warning`` for what must not be missed."""

    def markdown(self) -> str:
        text = without_html(self.text)
        return f"> **{text}**" if self.kind == "warning" else text

    def html(self) -> str:
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<p{kind}>{_inline(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: Sequence[str]

    def markdown(self) -> str:
        return "\n".join(f"- {without_html(item)}" for item in self.items)

    def html(self) -> str:
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in self.items) + "</ul>"


@dataclass(frozen=True, slots=True)
class Tiles:
    """A few numbers to see first: value and what it counts."""

    tiles: Sequence[tuple[str, str]]

    def markdown(self) -> str:
        return " · ".join(f"**{value}** {words}" for value, words in self.tiles)

    def html(self) -> str:
        cells = "".join(f"<div><dd>{_inline(v)}</dd><dt>{_inline(words)}</dt></div>" for v, words in self.tiles)
        return f'<dl class="tiles">{cells}</dl>'


@dataclass(frozen=True, slots=True)
class Code:
    """Commands, one a line."""

    text: str

    def markdown(self) -> str:
        return f"```sh\n{self.text}\n```"

    def html(self) -> str:
        return f"<pre><code>{html.escape(self.text)}</code></pre>"


@dataclass(frozen=True, slots=True)
class Number:
    """A cell that shows *text* and sorts by *value*."""

    text: str
    value: float


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of words and numbers; with *folded* it is closed until asked for."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Number]]
    folded: str = ""

    def _is_number(self, column: int) -> bool:
        return any(isinstance(row[column], Number) for row in self.rows)

    def markdown(self) -> str:
        rule = "|".join("--:" if self._is_number(i) else ":--" for i in range(len(self.columns)))
        lines = [f"| {' | '.join(map(as_cell, self.columns))} |", f"|{rule}|"]
        lines += [f"| {' | '.join(_plain(cell) for cell in row)} |" for row in self.rows]
        table = "\n".join(lines)
        if not self.folded:
            return table
        return f"<details><summary>{self.folded}</summary>\n\n{table}\n\n</details>"

    def html(self) -> str:
        head = "".join(f'<th scope="col"{self._align(i)}>{_inline(name)}</th>' for i, name in enumerate(self.columns))
        body = "".join(f"<tr>{''.join(self._cell(i, c) for i, c in enumerate(row))}</tr>\n" for row in self.rows)
        table = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'
        if not self.folded:
            return table
        return f"<details><summary>{_inline(self.folded)}</summary>{table}</details>"

    def _align(self, column: int) -> str:
        return ' class="n"' if self._is_number(column) else ""

    def _cell(self, column: int, cell: str | Number) -> str:
        if isinstance(cell, Number):
            return f'<td class="n" data-sort="{cell.value!r}">{_inline(cell.text)}</td>'
        kind = ' class="words"' if len(cell) > _LONG else self._align(column)
        return f"<td{kind}>{_inline(cell)}</td>"


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, what it shows in words for those who cannot see it, and how to read it."""

    picture: Picture
    shows: str
    caption: str

    def markdown(self) -> str:
        return f"![{self.shows}]({self.picture.path.name})\n\n*{self.caption}*"

    def html(self) -> str:
        svg = self.picture.svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(self.shows)}"', 1)
        width = round(96 * self.picture.width)
        size = f"max-width:{width}px;min-width:{min(width, 560)}px"
        return (
            f'<figure><div class="wide"><div style="{size}">{svg}</div></div>'
            f"<figcaption>{_inline(self.caption)}</figcaption></figure>"
        )


Block = Heading | Text | Items | Tiles | Code | Table | Figure


def to_markdown(title: str, blocks: Sequence[Block]) -> str:
    return "\n\n".join([f"# {without_html(title)}", *(block.markdown() for block in blocks)]) + "\n"


def to_html(title: str, blocks: Sequence[Block]) -> str:
    places = [block.text for block in blocks if isinstance(block, Heading)]
    links = "".join(f'<a href="#{_anchor(text)}">{_inline(text)}</a>' for text in places)
    body = "\n".join(block.html() for block in blocks)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{_CSS}</style>
</head>
<body>
<main>
<h1>{_inline(title)}</h1>
<nav aria-label="Contents">{links}</nav>
{body}
</main>
<script>{_SORT}</script>
</body>
</html>
"""


def _plain(cell: str | Number) -> str:
    text = cell.text if isinstance(cell, Number) else cell
    return as_cell(text)


def _inline(text: str) -> str:
    safe = html.escape(text, quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


_CSS = """
:root { color-scheme: light; --ink: #1b1f24; --quiet: #57606a; --line: #d8dee4; --accent: #0072B2; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .8rem; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; margin: 3rem 0 .6rem; padding-top: .6rem; border-top: 2px solid var(--ink); }
p, ul { max-width: 46rem; margin: .7rem 0; }
.lead { font-size: 1.1rem; }
.warning { background: #fff4e0; border-left: 4px solid #D55E00; padding: .7rem 1rem; font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .9rem; margin-bottom: 1.4rem; }
a { color: #005a8e; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem; margin: 1.6rem 0;
  padding: 1rem 0; border: solid var(--line); border-width: 1px 0; }
.tiles div { display: flex; flex-direction: column; }
.tiles dd { margin: 0; font-size: 1.45rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.tiles dt { color: var(--quiet); font-size: .85rem; }
figure { margin: 1.2rem 0 1.6rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: .88rem; max-width: 46rem; margin-top: .4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; margin: .8rem 0; }
th, td { padding: .28rem .8rem .28rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; }
td + td, th + th { padding-left: .4rem; }
.n { text-align: right; }
.words { white-space: normal; min-width: 14rem; }
.sorts th { cursor: pointer; }
.sorts th:hover, .sorts th:focus { color: var(--accent); }
th[aria-sort=ascending]::after { content: " \\25B4"; }
th[aria-sort=descending]::after { content: " \\25BE"; }
tbody tr:hover { background: #f3f6f9; }
summary { cursor: pointer; color: #005a8e; margin: .6rem 0; }
pre { background: #f3f6f9; padding: .9rem 1rem; overflow-x: auto; font-size: .85rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em;
  overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { padding: 1.2rem 1rem 3rem; } h1 { font-size: 1.5rem; } .lead { font-size: 1rem; } }
@media print {
  nav, script { display: none; }
  main { max-width: none; padding: 0; }
  body { font-size: 10pt; }
  h2 { break-after: avoid; margin-top: 1.6rem; }
  figure, tr, pre { break-inside: avoid; }
  .wide { overflow: visible; }
  .wide > div { min-width: 0 !important; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""

_SORT = """
for (const table of document.querySelectorAll("table")) {
  table.classList.add("sorts");
  table.querySelectorAll("th").forEach((th, column) => {
    const key = row => {
      const cell = row.cells[column], value = cell.dataset.sort;
      return value === undefined ? cell.textContent : +value;
    };
    const sort = () => {
      const up = th.getAttribute("aria-sort") !== "ascending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => { const x = key(a), y = key(b); return (x > y) - (x < y); });
      body.append(...(up ? rows : rows.reverse()));
    };
    th.tabIndex = 0;
    th.addEventListener("click", sort);
    th.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
  });
}
"""
