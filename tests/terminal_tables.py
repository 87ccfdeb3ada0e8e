"""Tables in the terminal for the tests: typed by a script or a robot, and written into a list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rummylab.analysis.values import Budget
from rummylab.ui.table.store import TableStore
from rummylab.ui.terminal import opening
from rummylab.ui.terminal.moves import shown
from rummylab.ui.terminal.screen import Screen
from rummylab.ui.terminal.table import TerminalTable

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
QUICK = Budget(worlds=8, seconds=None)
QUIET = {"gin": "simple", "indian": "minscore", "contract": "chinese-heuristic", "gin_pass": "melder"}
"""Opponents that answer at once."""


class Table(TerminalTable):
    """A table with all that it wrote."""

    said: list[str]

    @property
    def text(self) -> str:
        """Everything that was written, without colors, in one line."""
        return " ".join(ANSI.sub("", "\n".join(self.said)).split())


def table(
    game: str,
    typed: Iterable[str] | Callable[[Table], str],
    *,
    agent: str | None = None,
    style: str = "text",
    redraws: bool = False,
    record: Path | None = None,
    store: TableStore | None = None,
    resume: bool = False,
    **wanted: Any,
) -> Table:
    """Return a table of *game*; *typed* are the lines, after which the player leaves, or a robot that types them."""
    said: list[str] = []
    lines = iter(()) if callable(typed) else iter(typed)

    def read(prompt: str) -> str:
        said.append(prompt)
        line = typed(made) if callable(typed) else next(lines, None)
        if line is None:
            raise EOFError
        return line

    screen = Screen(style=style, redraws=redraws, read=read, write=said.append, size=lambda: (80, 24))
    if resume:
        assert store is not None
        session = opening.resumed(store, game)
    else:
        session = opening.new_session({"game": game, "seed": 5, **wanted}, agent=agent or QUIET[game])
        session = opening.keep(session, store) if store is not None else session
    made = Table(session, screen, store=store, record=record, resume="rummylab play --resume", budget=QUICK)
    made.said = said
    return made


def sensible(made: Table) -> str:
    """Type, as it is shown, a move that ends hands soon: the end itself, or what the solver suggests."""
    if made.session.is_over:
        return ""
    actions = made._view().actions
    ends = [one for one in actions if one.tone == "end" and one.confirm == "hold"]
    best = [one for one in actions if one.suggested]
    quiet = [one for one in actions if one.verb not in ("drop", "lay down") and one.note != "not valid"]
    return made.screen.ink.words(shown((ends or best or quiet)[0].id))
