"""Whole hands and matches of Gin in one kernel call, with agents as function pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import AGENT, DECK, Root, stream
from rummylab.engine.drivers import duel
from rummylab.engine.referee import MAX_HANDS
from rummylab.games.gin.rules import (
    ACT_POINTER,
    OUTCOMES,
    PHASES,
    RECORD,
    Rows,
    first_starter,
    is_legal,
    match_is_over,
    match_total,
    next_starter,
    open_hand,
    open_match,
    shuffle_deck,
    step,
)

__all__ = ["OUTCOMES", "PHASES", "TALLY", "play_pairs"]

TALLY = np.dtype(
    [
        ("scores", "i4", (2,)),  # by line-up, not by seat: 0 is the first agent
        ("totals", "i4", (2,)),  # with boxes and bonuses
        ("winner", "i1"),  # 0, 1, or -1 if nobody won
        ("starter", "i1"),  # who started the first hand
        ("hands", "i4"),
        ("decisions", "i8"),
        ("outcomes", "i4", (7,)),  # hands by outcome
        ("won_by", "i4", (2, 7)),  # hands won, by agent and outcome
        ("turns", "i4"),
        ("illegal", "i2"),  # 0, or 1 + the agent that made an illegal move
        ("illegal_code", "i8"),
        ("illegal_phase", "i1"),
    ],
    align=True,
)
"""The result of one match."""


play_out = duel(is_legal, step)


@helper
def deal(row: np.void, root: Root, pair: int) -> None:
    """Deal the next hand; the deck depends on *root*, *pair* and the number of the hand alone."""
    shuffle_deck(row, stream(root, pair, np.int64(row.table.hand_no), np.int64(DECK)))
    open_hand(row)


@helper
def begin_match(row: np.void, root: Root, pair: int, swap: int, tally: np.void) -> None:
    """Begin a match and deal its first hand. Seat *swap* is the first agent's."""
    table = row.table
    open_match(row, first_starter(table, root, pair))
    tally.starter = table.starter ^ swap
    # Both matches of a pair use the same streams for the same agent, so that only the seats differ.
    row.mine[swap].rng = stream(root, pair, np.int64(0), np.int64(AGENT))
    row.mine[1 - swap].rng = stream(root, pair, np.int64(0), np.int64(AGENT + 1))
    deal(row, root, pair)


@helper
def end_hand(row: np.void, root: Root, pair: int, swap: int, tally: np.void) -> bool:
    """Count what became of the hand; deal the next, or count the match and return that it is over."""
    table = row.table
    tally.hands += 1
    tally.turns += table.turn
    tally.outcomes[table.outcome] += 1
    if table.winner >= 0:
        tally.won_by[table.winner ^ swap, table.outcome] += 1
    if not (tally.illegal or match_is_over(table) or table.hand_no >= MAX_HANDS):
        table.starter = next_starter(table)
        deal(row, root, pair)
        return False
    for agent in range(2):
        tally.scores[agent] = table.scores[agent ^ swap]
        tally.totals[agent] = match_total(table, agent ^ swap)
    tally.winner = -1
    if tally.scores[0] != tally.scores[1]:
        tally.winner = 0 if tally.scores[0] > tally.scores[1] else 1
    return True


@helper
def play_match(
    row: np.void, root: Root, pair: int, swap: int, first: Any, second: Any, par: Any, par2: Any, tally: np.void
) -> None:
    """Play one match between two compiled agents."""
    begin_match(row, root, pair, swap, tally)
    play_out(row, swap, first, second, par, par2, tally)
    while not end_hand(row, root, pair, swap, tally):
        play_out(row, swap, first, second, par, par2, tally)


@kernel_of(
    types.void(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
        types.int64,
        ACT_POINTER,
        ACT_POINTER,
        types.float32[::1],
        types.float32[::1],
        types.Array(from_dtype(TALLY), 1, "C"),
    )
)
def play_pairs(
    rows: Rows, root: Root, first_pair: int, first: Any, second: Any, par: Any, par2: Any, tallies: Rows
) -> None:
    """Play pairs of matches on the same decks with the seats swapped: two tallies a pair."""
    for i in range(tallies.shape[0]):
        play_match(rows[0], root, first_pair + i // 2, i & 1, first, second, par, par2, tallies[i])
