"""The batch driver: whole matches between compiled agents in one kernel call, for every game and number of seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.bits import always_inline, stack_table
from rummylab.cards.rng import Root
from rummylab.engine.lockstep import lockstep
from rummylab.engine.matches import SEAT_BITS, MatchParts, MatchRules, Tally, agent_in, match_parts, packed
from rummylab.engine.pointers import N_FIELDS, Floats, Ints, addresses, agent_caller
from rummylab.engine.rows import Rows
from rummylab.errors import OptionError

Kernel = Any
PAIR: Final = ((0, 1), (1, 0))
_MOST_SEATS: Final = 2**SEAT_BITS
_SEATS: Final = _MOST_SEATS - 1
BY_THE_RULES: Final = -1
"""Stands for a starter: the rules of the game choose who moves first."""


class BatchDriver:
    """The driver of one game. Creating it compiles one kernel, which is cached with the machine code of *home*."""

    def __init__(self, home: str, rules: MatchRules) -> None:
        self.home, self.rules = home, rules
        self._parts = match_parts(rules)
        self.widest = rules.tally_for(rules.max_seats)
        """The tallies that the kernels write for any number of seats, so that each is compiled once."""
        self._play = _matches(home, rules, self._parts, self.widest)

    def tally_for(self, seats: int) -> np.dtype[np.void]:
        """Return the record of one match between *seats* agents, who are numbered by lineup, not by seat."""
        return self.rules.tally_for(seats)

    def play_seatings(
        self,
        rows: Rows,
        root: Root,
        first_deal: int,
        seatings: Sequence[Any],
        acts: Sequence[Kernel],
        params: Sequence[Floats],
        tallies: Rows,
        *,
        starter: int = BY_THE_RULES,
    ) -> None:
        """Play every deal in each of *seatings*, on the same decks, and fill one tally a match, deal by deal.

        A seating is the number of the agent in each seat. If every deal has seatings of its own, *seatings* holds a
        sequence of them for each deal. With *starter*, that seat moves first in every match. An illegal move is noted
        in the tally and ends its match.

        Raises:
            AgentError: an agent is not a compiled function, or its parameters are not an array of float32.
            OptionError: a seating does not seat every agent once, there are too many agents, or no such *starter*.
        """
        if not (2 <= len(acts) <= self.rules.max_seats and BY_THE_RULES <= starter < len(acts)):
            words = f"2 to {self.rules.max_seats} agents and a starter among them"
            raise OptionError(f"The driver takes {words}, not {len(acts)} agents and seat {starter}.")
        codes = packed_by_deal(seatings, len(acts))
        agents = addresses(acts, params, self.rules.kernels.ACT)
        wide = tallies if tallies.dtype == self.widest else np.zeros(len(tallies), self.widest)
        self._play(rows, root, first_deal, codes, starter, agents, wide)
        if wide is not tallies:
            narrow(wide, tallies)

    def play_pairs(
        self, rows: Rows, root: Root, first_deal: int, acts: Sequence[Kernel], params: Sequence[Floats], tallies: Rows
    ) -> None:
        """Play every deal twice with the seats swapped: two tallies a deal."""
        self.play_seatings(rows, root, first_deal, PAIR, acts, params, tallies)

    @cached_property
    def advance(self) -> Kernel:
        """The kernel that plays many tables up to the next decisions of agents in processes of their own."""
        return lockstep(self.home, self.rules.kernels, self._parts, self.widest)


def packed_by_deal(seatings: Sequence[Any], seats: int) -> Ints:
    """Return one row of packed seatings for each deal, or one row for all deals.

    Raises:
        OptionError: a seating does not seat every agent once.
    """
    numbers = np.array(seatings if np.ndim(seatings[0]) == 2 else [seatings], np.int64)
    if numbers.shape[-1] != seats or (np.sort(numbers) != np.arange(seats)).any():
        raise OptionError(f"A seating holds every agent from 0 to {seats - 1} once.")
    return packed(numbers)


def narrow(wide: Rows, tallies: Rows) -> None:
    """Copy tallies of the most seats to records with fewer."""
    for name in tallies.dtype.names or ():
        part = wide[name]
        tallies[name] = part[:, : tallies.dtype[name].shape[0]] if part.ndim > 1 else part


def _matches(home: str, rules: MatchRules, parts: MatchParts, tally_type: np.dtype[np.void]) -> Kernel:
    """Return the kernel that plays matches from their first deal to their end."""
    move, begin, end_hand = parts
    ask = agent_caller(rules.kernels.ACT)

    @helper
    def play_hand(row: np.void, seating: int, seated: Ints, tally: Tally) -> None:
        """Play the hand to its end, or to the first illegal move."""
        always_inline()  # the compiler then knows the width of *seated*
        table = row.table
        while table.actor >= 0:
            seat = table.actor & _SEATS
            if not move(row, agent_in(seating, seat), ask(seated, seat, table, row.mine[seat]), tally):
                return

    @kernel_of(
        types.void(
            types.Array(from_dtype(rules.kernels.RECORD), 1, "C"),
            types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
            types.int64,
            types.int64[:, ::1],
            types.int64,
            types.int64[:, ::1],
            types.Array(from_dtype(tally_type), 1, "C"),
        ),
        home,
    )
    def play_matches(
        rows: Rows, root: Root, first_deal: int, seatings: Ints, starter: int, agents: Ints, tallies: Rows
    ) -> None:
        row, seats = rows[0], agents.shape[0]
        own, per_deal = seatings.shape
        seated = stack_table(_MOST_SEATS, N_FIELDS, np.int64)  # the agents by seat
        for i in range(tallies.shape[0]):
            number = i // per_deal
            seating, tally = seatings[number % own, i % per_deal], tallies[i]
            for seat in range(seats):
                for k in range(N_FIELDS):
                    seated[seat, k] = agents[agent_in(seating, seat), k]
            begin(row, root, first_deal + number, seats, seating, starter, tally)
            play_hand(row, seating, seated, tally)  # a loop that calls it once is 8% slower in Gin
            while not end_hand(row, root, first_deal + number, seats, seating, tally):
                play_hand(row, seating, seated, tally)

    return play_matches
