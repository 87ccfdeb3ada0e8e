"""Where a table is drawn: a terminal that is cleared for every picture, or a stream of lines."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from rummylab.cards.card import Card

CLEAR: Final = "\x1b[H\x1b[2J"
CARD: Final = re.compile(r"(?:10|[2-9AJQK])[♣♥♠♦]")
JOKER: Final = re.compile(r"(?<!printed )(?<![Aa] )\bjoker\b")
"""A joker where sentences name cards; the words "a joker" and "printed joker" stay."""
ASCII: Final = str.maketrans({"·": "|", "−": "-", "±": "+/-", "─": "-", "×": "x", "✓": "x", "–": "-"})
BOLD, DIM, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Ink:
    """How words and cards are written: ``text`` (7h, ASCII only), ``unicode`` (7♥) or ``color``."""

    style: str = "text"

    def words(self, text: str) -> str:
        """Return *text* in the characters of this style, without colors, so that its width can be measured."""
        text = JOKER.sub("PJ", text)
        if self.style != "text":
            return text
        return CARD.sub(lambda found: str(Card.parse(found[0])), text).translate(ASCII)

    def wrapped(self, text: str, width: int, indent: str = "") -> list[str]:
        """Return *text* in lines of at most *width* characters, in color; lines after the first begin with *indent*."""
        lines = textwrap.wrap(self.words(text), width, subsequent_indent=indent, break_long_words=False)
        return [self.colored(line) for line in lines]

    def colored(self, line: str) -> str:
        """Return *line* with its cards in the colors of their suits."""
        return CARD.sub(_in_color, line) if self.style == "color" else line

    def bold(self, line: str) -> str:
        """Return *line* in bold, where there are colors."""
        return self._in(BOLD, line)

    def dim(self, line: str) -> str:
        """Return *line* in gray, where there are colors."""
        return self._in(DIM, line)

    def _in(self, code: str, line: str) -> str:
        """Return *line* in one look; a card in it, which ends with a reset, does not end that look."""
        return f"{code}{line.replace(RESET, RESET + code)}{RESET}" if self.style == "color" else line


def _in_color(found: re.Match[str]) -> str:
    card = Card.parse(found[0])
    return format(card, "color").replace(format(card, "unicode"), found[0])


class Screen:
    """Draws pictures of text and reads lines."""

    def __init__(
        self,
        *,
        style: str = "text",
        redraws: bool = False,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] | None = None,
        size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
    ) -> None:
        self.ink, self.redraws, self._read = Ink(style), redraws, read
        self._write = write or _print
        self._size = size

    @classmethod
    def here(cls, *, plain: bool = False) -> Screen:
        """Return the screen of this process: what its output can show, and what ``NO_COLOR`` and ``TERM`` ask for."""
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        can_symbols = "utf" in (sys.stdout.encoding or "").lower()
        if plain or not is_terminal or not can_symbols:
            style = "text"
        else:
            style = "unicode" if os.environ.get("NO_COLOR") else "color"
        if is_terminal:
            _edit_lines()
        return cls(style=style, redraws=is_terminal and not plain and os.environ.get("TERM") != "dumb")

    @property
    def width(self) -> int:
        """Columns to draw in: those of the terminal, from 40 to 100."""
        return max(40, min(100, self._size()[0]))

    @property
    def height(self) -> int:
        """Lines of a picture that leave room for the prompt; without redrawing there is no limit."""
        return self._size()[1] - 1 if self.redraws else 1000

    def draw(self, picture: Sequence[str], note: Sequence[str] = ()) -> None:
        """Show *picture*, and a *note* beside it: below it where both fit on the screen, else before it."""
        if not self.redraws:
            self._write("\n".join([*note, *([""] if note else []), *picture]))
            return
        room = self._size()[1] - len(picture) - 2
        if note and len(note) > room:
            self._pages(note)
            note = ()
        self._write(CLEAR + "\n".join([*picture, *([""] if note else []), *note]))

    def _pages(self, note: Sequence[str]) -> None:
        """Show a long note page by page; Enter turns the page."""
        page = max(1, self._size()[1] - 2)
        for first in range(0, len(note), page):
            self._write(CLEAR + "\n".join(note[first : first + page]))
            more = first + page < len(note)
            self._read("Press Enter for more. " if more else "Press Enter to go back to the table. ")

    def say(self, text: str) -> None:
        """Write a line below what is shown."""
        self._write(text)

    def ask(self, prompt: str) -> str:
        """Return the line that is typed after *prompt*."""
        return self._read(prompt).strip()


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _edit_lines() -> None:
    """Let the arrow keys edit the line and recall earlier ones, where Python has readline."""
    try:
        import readline
    except ImportError:  # Windows
        return
    readline.parse_and_bind("set enable-bracketed-paste off")
