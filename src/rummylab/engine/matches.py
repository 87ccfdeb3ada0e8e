"""Matches between compiled agents: the tally, how a match begins, how a hand ends.

The batch driver (:mod:`rummylab.engine.batch`) and the driver for agents in processes of their own
(:mod:`rummylab.engine.lockstep`) play matches from these parts. A game supplies its rules as helpers; the parts are
compiled for its records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import always_inline
from rummylab.cards.rng import AGENT, DECK, Root, stream
from rummylab.engine.rows import MAX_HANDS

Helper = Any
Tally = np.void
Ints = npt.NDArray[np.int64]
SEAT_BITS = 4
_MASK = 2**SEAT_BITS - 1


@helper
def count_nothing(table: np.void, tally: Tally) -> None:
    """Count nothing beyond what every game counts."""


@helper
def note_nothing(table: np.void, seat: int, tally: Tally, number: int) -> None:
    """Note nothing about a seat beyond its score."""


@helper
def most_points(table: np.void, seats: int, hands: int) -> int:
    """Return the seat that won the match by points, or -1: a single hand can be won without points."""
    if hands == 1 and table.winner >= 0:
        return np.int64(table.winner)
    best, winner = np.int64(table.scores[0]), np.int64(0)
    for seat in range(1, seats):
        score = np.int64(table.scores[seat])
        if score > best:
            best, winner = score, np.int64(seat)
        elif score == best:
            winner = np.int64(-1)
    return winner


class MatchRules(NamedTuple):
    """What a game supplies: records, rules as helpers, and what to count."""

    kernels: Any
    """Module with ``RECORD``, ``VIEW``, ``ACT``, ``OUTCOMES`` and the helpers ``is_legal``, ``step``, ``shuffle_deck``,
    ``open_hand``, ``open_match``, ``first_starter``, ``next_starter`` and ``match_is_over``."""
    max_seats: int = 2
    by_agent: tuple[str, ...] = ()
    """More numbers for each agent than its score."""
    counts: tuple[str, ...] = ()
    """More counts for each match."""
    count_hand: Helper = count_nothing
    """``count_hand(table, tally)`` adds a finished hand to the counts."""
    note_seat: Helper = note_nothing
    """``note_seat(table, seat, tally, number)`` notes the numbers of the agent in *seat* at the end of a match."""
    match_winner: Helper = most_points
    """``match_winner(table, seats, hands)`` returns the seat that won the match of so many hands, or -1."""

    def tally_for(self, seats: int) -> np.dtype[np.void]:
        """Return the record of one match between *seats* agents, who are numbered by lineup, not by seat."""
        outcomes = len(self.kernels.OUTCOMES)
        return np.dtype(
            [
                ("scores", "i4", (seats,)),
                *((name, "i4", (seats,)) for name in self.by_agent),
                ("winner", "i1"),  # -1 if nobody won
                ("starter", "i1"),  # who started the first hand
                ("hands", "i4"),
                ("decisions", "i8"),
                ("outcomes", "i4", (outcomes,)),  # hands by outcome
                ("won_by", "i4", (seats, outcomes)),  # hands won, by agent and outcome
                ("turns", "i4"),
                *((name, "i4") for name in self.counts),
                ("illegal", "i2"),  # 0, or 1 + the agent that made an illegal move
                ("illegal_code", "i8"),
                ("illegal_phase", "i1"),
            ],
            align=True,
        )


@helper
def agent_in(seating: int, seat: int) -> int:
    """Return the number of the agent that sits at *seat* in a packed *seating*."""
    return (seating >> (SEAT_BITS * np.int64(seat))) & _MASK


def packed(seatings: Ints) -> Ints:
    """Return seatings, the number of the agent in each seat, as one whole number each for :func:`agent_in`."""
    return np.asarray((seatings << (SEAT_BITS * np.arange(seatings.shape[-1]))).sum(axis=-1))


class MatchParts(NamedTuple):
    """The helpers from which a driver plays matches."""

    move: Helper
    """``move(row, number, code, tally)`` carries out the move of agent *number*, or notes that it is illegal."""
    begin: Helper
    """``begin(row, root, deal, seats, seating, starter, tally)`` begins a match and deals its first hand."""
    end_hand: Helper
    """``end_hand(row, root, deal, seats, seating, tally)`` counts a hand and deals the next; true at the end."""


def checked_move(kernels: Any) -> Helper:
    """Return ``move(row, code)``, which carries out a move if it is legal: the game's own, or `is_legal` and `step`."""
    if hasattr(kernels, "move"):
        return kernels.move
    is_legal, step = kernels.is_legal, kernels.step

    @helper
    def move(row: np.void, code: int) -> bool:
        always_inline()
        table = row.table
        if not is_legal(table, row.mine[table.actor], code):
            return False
        step(row, code)
        return True

    return move


def match_parts(rules: MatchRules) -> MatchParts:
    """Return the helpers that begin and end the hands of a match, compiled for the records of a game."""
    kernels = rules.kernels
    checked, shuffle_deck, open_hand = checked_move(kernels), kernels.shuffle_deck, kernels.open_hand
    open_match, first_starter, next_starter = kernels.open_match, kernels.first_starter, kernels.next_starter
    match_is_over, count_hand, note_seat = kernels.match_is_over, rules.count_hand, rules.note_seat
    match_winner = rules.match_winner

    @helper
    def move(row: np.void, number: int, code: int, tally: Tally) -> bool:
        """Carry out the actor's move and return true, or note that agent *number* made an illegal one."""
        always_inline()
        if checked(row, code):
            tally.decisions += 1
            return True
        tally.illegal = 1 + number
        tally.illegal_code = code
        tally.illegal_phase = row.table.phase
        return False

    @helper
    def deal_hand(row: np.void, root: Root, deal: int, hand: int) -> None:
        """Deal hand number *hand*; the deck depends on *root*, *deal* and *hand* alone."""
        shuffle_deck(row, stream(root, deal, np.int64(hand), np.int64(DECK)))
        open_hand(row)

    @helper
    def begin(row: np.void, root: Root, deal: int, seats: int, seating: int, starter: int, tally: Tally) -> None:
        """Begin a match and deal its first hand; a negative *starter* leaves the choice to the rules."""
        table = row.table
        open_match(row, first_starter(table, root, deal) if starter < 0 else starter)
        tally.starter = agent_in(seating, table.starter)
        for seat in range(seats):  # an agent has the same stream in every seating of a deal
            row.mine[seat].rng = stream(root, deal, np.int64(0), AGENT + agent_in(seating, seat))
        deal_hand(row, root, deal, 0)

    @helper
    def end_hand(row: np.void, root: Root, deal: int, seats: int, seating: int, tally: Tally) -> bool:
        """Count the hand. Deal the next one and return false, or count the match and return true."""
        table = row.table
        tally.hands += 1
        tally.turns += table.turn
        tally.outcomes[table.outcome] += 1
        if table.winner >= 0:
            tally.won_by[agent_in(seating, table.winner), table.outcome] += 1
        count_hand(table, tally)
        if not (tally.illegal or match_is_over(table) or tally.hands >= MAX_HANDS):
            table.starter = next_starter(table)
            deal_hand(row, root, deal, tally.hands)
            return False
        for seat in range(seats):
            number = agent_in(seating, seat)
            tally.scores[number] = table.scores[seat]
            note_seat(table, seat, tally, number)
        winner = match_winner(table, seats, tally.hands)
        tally.winner = agent_in(seating, winner) if winner >= 0 else np.int64(-1)
        return True

    return MatchParts(move, begin, end_hand)
