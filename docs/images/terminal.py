"""Draw the picture of the README, docs/images/terminal.svg: the first moves of a hand of Gin Rummy in the terminal.

Run ``python docs/images/terminal.py``. The person at the keyboard asks for a hint and follows it.
"""

import re
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from rummylab import agent, gin
from rummylab.ui.terminal.table import TerminalTable

KEYS = iter(["hint", "n", "hint", "Th", "s", "hint", "quit"])


def main() -> None:
    """Play the hand and write the picture beside this file."""
    console = Console(record=True, width=78, file=StringIO(), force_terminal=True)

    def write(text: str) -> None:
        console.print(Text.from_ansi(text))

    def read(prompt: str) -> str:
        key = next(KEYS)
        console.print(Text(prompt) + Text(key, "bold cyan"))
        return key

    players = [agent("gin", "simple")]
    TerminalTable(gin(), players, 11, coach=agent("gin", "simple"), read=read, write=write).play()
    picture = console.export_svg(title="rummylab play gin", theme=SVG_EXPORT_THEME)
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # no font from another host
    Path(__file__).with_suffix(".svg").write_text(picture)


if __name__ == "__main__":
    main()
