"""What is kept of a match while its chunks arrive: sums of fixed size, and more only if somebody asked for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab.arena.faults import Fault
from rummylab.arena.jobs import Played
from rummylab.arena.latency import Latency
from rummylab.arena.sums import MatchSums, Smalls
from rummylab.engine.rows import Rows


class LineupTotal:
    """The chunks of one lineup, added up in any order.

    *keep_games* keeps the tallies too, and *keep_deals* what the first agent won of each deal: a byte a deal, for
    ratings, which compare the deals of different pairs.
    """

    def __init__(self, *, keep_games: bool = False, keep_deals: bool = False, all_orders: bool = False) -> None:
        self.keep_games, self.keep_deals, self.all_orders = keep_games, keep_deals, all_orders
        self.busy = 0.0
        """Seconds of play, over all workers."""
        self.latency: dict[int, Latency] = {}
        self._sums: MatchSums | None = None
        self._faults: dict[int, tuple[Fault, ...]] = {}
        self._offenders: dict[int, tuple[int, ...]] = {}
        self._rows: dict[int, Rows] = {}
        self._won: dict[int, Smalls] = {}

    def add(self, start: int, part: Played) -> MatchSums:
        """Add the chunk that begins with deal *start*, added up or not; return its own sums."""
        if part.sums is None:
            part = part.added_up(start, keep=self.keep_games, all_orders=self.all_orders)
        assert part.sums is not None
        if self._sums is None:
            self._sums = MatchSums.over([part.sums])
        else:
            self._sums.add(part.sums)
        self.busy += part.seconds
        for number, found in part.latency.items():
            self.latency.setdefault(number, Latency()).merge(found)
        if part.faults:
            self._faults[start], self._offenders[start] = part.faults, part.offenders
        if self.keep_games:
            self._rows[start] = part.rows
        if self.keep_deals and part.won is not None:
            self._won[start] = part.won
        return part.sums

    @property
    def sums(self) -> MatchSums:
        """The sums over all chunks, of which there is at least one."""
        assert self._sums is not None
        return self._sums

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, in the order of the deals."""
        return tuple(fault for start in sorted(self._faults) for fault in self._faults[start])

    @property
    def offenders(self) -> tuple[int, ...]:
        """The number of the agent behind each of `faults`."""
        return tuple(number for start in sorted(self._offenders) for number in self._offenders[start])

    def rows(self) -> Rows | None:
        """Return the tallies of all games, if they were kept. Call it once: the chunks are released."""
        return joined(self._rows) if self.keep_games else None

    def won(self) -> Smalls | None:
        """Return what the first agent won of each deal, if that was kept. Call it once too."""
        return joined(self._won) if self.keep_deals else None


def joined(parts: dict[int, Any]) -> Any:
    """Move the rows of *parts*, which are under their first deal, into one array: hardly more memory is needed."""
    first = parts[min(parts)]
    whole = np.zeros(sum(map(len, parts.values())), first.dtype)
    place = 0
    for start in sorted(parts):
        part = parts.pop(start).view(np.uint8).reshape(-1)
        whole.view(np.uint8)[place : place + len(part)] = part  # padding too: the same bytes for the same games
        place += len(part)
    return whole
