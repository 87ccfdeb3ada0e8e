"""Which terminal table a game is played at."""

from __future__ import annotations

from rummylab.play.terminal.chinese import ChineseTable
from rummylab.play.terminal.gin import GinTable
from rummylab.play.terminal.indian import IndianTable
from rummylab.play.terminal.table import TerminalTable

_TABLES: dict[str, type[TerminalTable]] = {"gin": GinTable, "indian": IndianTable, "chinese": ChineseTable}


def table_for(game: str) -> type[TerminalTable]:
    """Return the table of *game*; a game without one of its own gets the plain table."""
    return _TABLES.get(game, TerminalTable)
