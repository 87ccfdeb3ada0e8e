"""Run notebooks without Jupyter, and turn them into Markdown for the site.

``python docs/tools/notebooks.py docs/notebooks`` runs every notebook of a folder and writes what its cells print and
draw back into the file, as Jupyter would. A cell is plain Python: what it prints is kept, and so is the value of its
last line, as SVG if the value has ``_repr_svg_``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    """Return the notebook of a file."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def run(notebook: dict[str, Any], name: str = "notebook") -> dict[str, Any]:
    """Return *notebook* with the outputs of a fresh run, each cell in the names that those before have left."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = _outputs("".join(cell["source"]), f"{name}, cell {count}", names, count)
            cell = cell | {"execution_count": count, "outputs": outputs}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(source: str, place: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run one cell; return what it printed and the value of its last line."""
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, place, "exec"), names)
        value = eval(compile(ast.Expression(last.value), place, "eval"), names) if isinstance(last, ast.Expr) else None
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {"data": _data(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _data(value: Any) -> dict[str, list[str]]:
    data = {"text/plain": _lines(repr(value))}
    return {"image/svg+xml": _lines(value._repr_svg_())} | data if hasattr(value, "_repr_svg_") else data


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def printed(notebook: dict[str, Any]) -> list[str]:
    """Return what each code cell shows as text; pictures differ between versions of Matplotlib and are left out."""
    return ["".join(_texts(cell)) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _texts(cell: Cell) -> Iterator[str]:
    for output in cell["outputs"]:
        yield "".join(output["text"] if "text" in output else output["data"]["text/plain"])


def to_markdown(notebook: dict[str, Any], file: str) -> str:
    """Return *notebook* as Markdown, with its outputs; *file* is the name that the page links to."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *_shown(cell)]
    where = f'<a href="{file}" download>Download the notebook</a>. The tests run it and compare what it prints.'
    title, _, rest = parts[0].partition("\n")
    return "\n\n".join([title, f"*{where}*", rest.strip(), *parts[1:]]) + "\n"


def _shown(cell: Cell) -> Iterator[str]:
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/svg+xml" in data:
            yield f'<figure class="drawn">{"".join(data["image/svg+xml"]).strip()}</figure>'
        else:
            text = "".join(output["text"] if "text" in output else data["text/plain"])
            yield f"```{{ .text .output }}\n{text.rstrip()}\n```"


def write(path: Path) -> None:
    """Run the notebook of a file and write it back with its outputs."""
    fresh = run(read(path), path.name)
    path.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for notebook_file in sorted(Path(sys.argv[1]).glob("*.ipynb")):
        write(notebook_file)
