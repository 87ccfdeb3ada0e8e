"""Draw the picture of the README, docs/images/terminal.svg: the table in the terminal, with a hint.

Run ``python docs/images/terminal.py``. The first hint compiles for a while.
"""

import re
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from rummylab.ui.terminal.opening import new_session
from rummylab.ui.terminal.screen import CLEAR, Screen
from rummylab.ui.terminal.table import TerminalTable

KEYS = iter(["n", "s", "10h", "s", "hint", "quit"])
WIDTH = 80


def main() -> None:
    """Play the first moves of a hand and write the picture with the hint beside this file."""
    said: list[str] = []
    screen = Screen(
        style="color", redraws=True, read=lambda prompt: next(KEYS), write=said.append, size=lambda: (WIDTH, 24)
    )
    TerminalTable(new_session({"game": "gin", "seed": 3}, level=6), screen).play()
    picture = next(text for text in reversed(said) if "Hint: " in text).removeprefix(CLEAR)
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"{picture}\n> "))
    svg = console.export_svg(title="rummylab play gin --terminal", theme=SVG_EXPORT_THEME)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no font from another host
    Path(__file__).with_suffix(".svg").write_text(svg)


if __name__ == "__main__":
    main()
