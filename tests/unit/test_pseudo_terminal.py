"""The table in a real terminal: keys go through a pseudo-terminal of 80 x 24, and its screen is read back."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminal_tables import QUIET
from waiting import PATIENCE

pexpect = pytest.importorskip("pexpect", reason="the pseudo-terminal needs pexpect, which is in the extra `test`")
pyte = pytest.importorskip("pyte", reason="the screen is read with pyte, which is in the extra `test`")

COLUMNS, LINES = 80, 24
PROMPTS = ["> $", r"Press Enter[^\n]*\. $", r"\(y/n\) $"]
COLOR = re.compile(r"\x1b\[[0-9;]*m")
MOVE = re.compile(r"(discard|pass|knock|declare) (\S+) \(([^)]*)\)")


class Terminal:
    """A person at a terminal: what they type, and what they see."""

    def __init__(self, *words: str, tables: Path, **environment: str) -> None:
        wanted = {"TERM": "xterm", "RUMMYLAB_TABLES": str(tables), "PYTHONIOENCODING": "utf-8", **environment}
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "rummylab", "play", *words, "--terminal"],
            env=kept | wanted,
            dimensions=(LINES, COLUMNS),
            encoding="utf-8",
            timeout=PATIENCE,
            echo=True,
        )
        self.child.delaybeforesend = None
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""
        self.wait()

    def wait(self) -> None:
        """Read until the table asks for something, or ends."""
        self.child.expect([*PROMPTS, pexpect.EOF])
        new = self.child.before + (self.child.after if isinstance(self.child.after, str) else "")
        self.raw += new
        self.stream.feed(new)

    def type(self, line: str) -> str:
        """Type a line and return the screen after it."""
        self.child.sendline(line)
        self.wait()
        return self.text

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display).strip("\n")

    @property
    def offered(self) -> str:
        """The line with the moves."""
        found = re.search(r"^Type: (.*?), hint, help", self.text, re.MULTILINE | re.DOTALL)
        return " ".join(found[1].split()) if found else ""


@pytest.fixture
def sit_down(tmp_path: Path) -> Iterator[object]:
    """Return a function that starts tables; all of them end with the test."""
    started: list[Terminal] = []

    def start(*words: str, **environment: str) -> Terminal:
        started.append(Terminal(*words, tables=tmp_path / "tables.db", **environment))
        return started[-1]

    yield start
    for terminal in started:
        terminal.child.close(force=True)


def cost(note: str) -> tuple[int, ...]:
    """Order moves by what they leave: points away from declaring come last in the note, so they count first."""
    return tuple(reversed([int(number) for number in re.findall(r"\d+", note)]))


def next_line(terminal: Terminal) -> str:
    """Type as a person who reads the screen: draw from the stock, lay down what fits, throw what costs least."""
    if "Press Enter" in terminal.text.splitlines()[-1]:
        return ""
    offered = terminal.offered
    for verb in ("lay down", "knock", "declare"):
        if found := re.search(rf"{verb} ([^,/]+)", offered):
            return f"{verb} {found[1]}"
    if found := re.search(r"lay off \S+ on \d+", offered):
        return found[0]
    if "draw stock" in offered or "draw upcard (y)" in offered:
        return "n" if "(n)" in offered else "s"
    listed = MOVE.findall(" ".join(terminal.type("moves").split()))
    if "Press Enter" in terminal.text.splitlines()[-1]:
        terminal.type("")
    verb, card, _ = min(listed, key=lambda move: cost(move[2]))
    return f"{verb} {card}"


@pytest.mark.parametrize("game", QUIET)
def test_a_hand_is_played_to_its_end_on_a_screen_of_80_by_24(game: str, sit_down) -> None:  # type: ignore[no-untyped-def]
    terminal = sit_down(game, "--agent", QUIET[game], "--seed", "11")
    title = terminal.text.splitlines()[0]
    for _ in range(200):
        if "Press Enter for the next" in terminal.text:
            break
        assert terminal.text.splitlines()[0] == title  # nothing has scrolled away
        line = next_line(terminal)
        assert "can't do that" not in terminal.type(line), (line, terminal.text)
        assert "nothing you can do" not in terminal.text, (line, terminal.text)
    else:
        pytest.fail(f"the hand did not end:\n{terminal.text}")
    assert re.search(r"^You: \d+, [\w ]+: \d+\. ", terminal.text, re.MULTILINE)
    assert "Score: " in terminal.text
    assert "♥" in terminal.raw
    assert COLOR.search(terminal.raw)


def test_help_log_and_errors_stand_below_the_table_which_stays(sit_down) -> None:  # type: ignore[no-untyped-def]
    terminal = sit_down("gin", "--agent", "simple", "--seed", "11")
    table = terminal.text.splitlines()[:-1]
    for line, note in (("log", "The cards are dealt."), ("fold", "'fold' is nothing you can do now.")):
        assert note in terminal.type(line)
        assert terminal.text.splitlines()[: len(table)] == table
    for line, note in (("help", "take back your last move"), ("rules", "Aim: Arrange ten cards")):
        assert note in terminal.type(line)
        assert "Press Enter to go back to the table." in terminal.text
        assert terminal.type("").splitlines()[: len(table)] == table


def test_without_color_the_screen_has_symbols_and_a_table_goes_on_where_it_was_left(sit_down) -> None:  # type: ignore[no-untyped-def]
    terminal = sit_down("gin", "--agent", "simple", "--seed", "11", NO_COLOR="1")
    terminal.type("n")
    before = terminal.type("s")
    assert not COLOR.search(terminal.raw)
    assert "♥" in before or "♠" in before
    assert "The table is saved. To go on: rummylab play gin --terminal --resume" in terminal.type("quit")
    again = sit_down("gin", "--resume", NO_COLOR="1")
    assert again.text == before
    assert not terminal.child.isalive()
    assert "draw stock" in again.type("back")
    assert "Your last move is taken back." in again.text
