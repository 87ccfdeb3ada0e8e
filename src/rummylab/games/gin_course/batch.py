"""Whole matches of Gin with a passed card in one kernel call, with agents as function pointers.

Every deal is played in several seatings of two to four agents, on the same decks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import AGENT, DECK, Root, stream
from rummylab.games.gin_course.rules import (
    ACT_POINTER,
    MAX_SEATS,
    OUTCOMES,
    PHASES,
    RECORD,
    Rows,
    is_legal,
    match_is_over,
    next_starter,
    open_hand,
    open_match,
    shuffle_deck,
    step,
)

__all__ = ["OUTCOMES", "PHASES", "TALLY", "play_pairs", "play_seatings", "tally_for"]


def tally_for(seats: int) -> np.dtype[np.void]:
    """Return the record of one match between *seats* agents; agents are numbered by line-up, not by seat."""
    return np.dtype(
        [
            ("scores", "i4", (seats,)),
            ("winner", "i1"),  # who scored most, or -1 if nobody did alone
            ("starter", "i1"),  # who started the first hand
            ("hands", "i4"),
            ("decisions", "i8"),
            ("outcomes", "i4", (len(OUTCOMES),)),  # hands by outcome
            ("won_by", "i4", (seats, len(OUTCOMES))),  # hands won, by agent and outcome
            ("turns", "i4"),
            ("illegal", "i2"),  # 0, or 1 + the agent that made an illegal move
            ("illegal_code", "i8"),
            ("illegal_phase", "i1"),
        ],
        align=True,
    )


TALLY = tally_for(2)
"""The result of one match between two agents."""
_WIDEST = tally_for(MAX_SEATS)
"""What the kernel writes, whatever the number of seats: so it is compiled once."""
_PARS = types.UniTuple(types.float32[::1], MAX_SEATS)  # type: ignore[no-untyped-call]


@helper
def agent_at(seating: int, seat: int) -> int:
    """Return which agent of the line-up sits at *seat*: *seating* holds two bits for each seat."""
    return (seating >> (2 * np.int64(seat))) & 3


def packed(seating: Sequence[int]) -> int:
    """Return *seating*, the agent in each seat, as `agent_at` reads it."""
    return sum(number << (2 * seat) for seat, number in enumerate(seating))


@helper
def ask(
    number: int, first: Any, second: Any, third: Any, fourth: Any, table: np.void, mine: np.void, par: np.void
) -> int:
    """Return the move of agent *number*. Numba takes function pointers one by one, not in a tuple."""
    if number == 0:
        return first(table, mine, par)
    if number == 1:
        return second(table, mine, par)
    if number == 2:
        return third(table, mine, par)
    return fourth(table, mine, par)


@helper
def play_hand(
    row: np.void, seating: int, first: Any, second: Any, third: Any, fourth: Any, pars: Any, tally: np.void
) -> None:
    """Play the open hand to its end. An illegal move stops it and is noted."""
    table = row.table
    n = 0
    while table.actor >= 0:
        mine = row.mine[table.actor]
        number = agent_at(seating, table.actor)
        code = ask(number, first, second, third, fourth, table, mine, pars[number])
        if not is_legal(table, mine, code):
            tally.illegal = 1 + number
            tally.illegal_code = code
            tally.illegal_phase = table.phase
            break
        step(row, code)
        n += 1
    tally.decisions += n


@helper
def deal_hand(row: np.void, root: Root, deal: int) -> None:
    """Deal the next hand; the deck depends on *root*, *deal* and the number of the hand alone."""
    shuffle_deck(row, stream(root, deal, np.int64(row.table.hand_no), np.int64(DECK)))
    open_hand(row)


@helper
def begin_match(row: np.void, root: Root, deal: int, seating: int, tally: np.void) -> None:
    """Begin a match and deal its first hand."""
    table = row.table
    open_match(row)
    tally.starter = agent_at(seating, table.starter)
    for seat in range(table.rules.seats):  # one stream an agent, wherever it sits
        row.mine[seat].rng = stream(root, deal, np.int64(0), AGENT + agent_at(seating, seat))
    deal_hand(row, root, deal)


@helper
def end_hand(row: np.void, root: Root, deal: int, seating: int, tally: np.void) -> bool:
    """Count what became of the hand; deal the next, or count the match and return that it is over."""
    table = row.table
    tally.hands += 1
    tally.turns += table.turn
    tally.outcomes[table.outcome] += 1
    if table.winner >= 0:
        tally.won_by[agent_at(seating, table.winner), table.outcome] += 1
    if not (tally.illegal or match_is_over(table)):
        table.starter = next_starter(table)
        deal_hand(row, root, deal)
        return False
    best = np.int64(-1)
    tally.winner = -1
    for seat in range(table.rules.seats):
        number, score = agent_at(seating, seat), np.int64(table.scores[seat])
        tally.scores[number] = score
        if score == best:
            tally.winner = -1
        elif score > best:
            best = score
            tally.winner = number
    return True


@helper
def play_match(
    row: np.void,
    root: Root,
    deal: int,
    seating: int,
    first: Any,
    second: Any,
    third: Any,
    fourth: Any,
    pars: Any,
    tally: np.void,
) -> None:
    """Play one match between compiled agents."""
    begin_match(row, root, deal, seating, tally)
    play_hand(row, seating, first, second, third, fourth, pars, tally)
    while not end_hand(row, root, deal, seating, tally):
        play_hand(row, seating, first, second, third, fourth, pars, tally)


@kernel_of(
    types.void(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
        types.int64,
        types.Array(types.int64, 1, "C"),
        ACT_POINTER,
        ACT_POINTER,
        ACT_POINTER,
        ACT_POINTER,
        _PARS,
        types.Array(from_dtype(_WIDEST), 1, "C"),
    )
)
def _play_seatings(
    rows: Rows,
    root: Root,
    first_deal: int,
    seatings: Any,
    first: Any,
    second: Any,
    third: Any,
    fourth: Any,
    pars: Any,
    tallies: Rows,
) -> None:
    n = seatings.shape[0]
    for i in range(tallies.shape[0]):
        play_match(rows[0], root, first_deal + i // n, seatings[i % n], first, second, third, fourth, pars, tallies[i])


def play_seatings(
    rows: Rows,
    root: Root,
    first_deal: int,
    seatings: Sequence[Sequence[int]],
    acts: Sequence[Any],
    pars: Sequence[Any],
    tallies: Rows,
) -> None:
    """Play every deal in each of *seatings* (the agent in each seat) on the same decks: one tally a match."""
    seats = len(acts)
    first, second, third, fourth = (*acts, *acts)[:MAX_SEATS]  # unused slots are never called
    wide = np.zeros(len(tallies), _WIDEST)
    codes = np.array([packed(seating) for seating in seatings], np.int64)
    _play_seatings(rows, root, first_deal, codes, first, second, third, fourth, (*pars, *pars)[:MAX_SEATS], wide)
    for name in _WIDEST.names or ():
        tallies[name] = wide[name][:, :seats] if name in ("scores", "won_by") else wide[name]


def play_pairs(
    rows: Rows, root: Root, first_pair: int, first: Any, second: Any, par: Any, par2: Any, tallies: Rows
) -> None:
    """Play pairs of matches on the same decks with the seats swapped: two tallies a pair."""
    play_seatings(rows, root, first_pair, ((0, 1), (1, 0)), (first, second), (par, par2), tallies)
