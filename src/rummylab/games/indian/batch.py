"""Whole deals of Indian Rummy between two players in one kernel call, with agents as function pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import AGENT, DECK, Root, stream
from rummylab.engine.drivers import duel
from rummylab.games.indian.rules import (
    ACT_POINTER,
    OUTCOMES,
    PHASES,
    RECORD,
    Rows,
    first_starter,
    is_legal,
    open_hand,
    shuffle_deck,
    step,
)

__all__ = ["OUTCOMES", "PAIRS", "PHASES", "TALLY", "play_deals", "play_pairs"]

TALLY = np.dtype(
    [
        ("scores", "i4", (2,)),  # points won, by line-up, not by seat: 0 is the first agent
        ("gains", "i4", (2,)),  # the same, signed
        ("winner", "i1"),  # 0, 1, or -1 if the deal was broken off
        ("starter", "i1"),  # who moved first
        ("hands", "i4"),  # deals
        ("decisions", "i8"),
        ("outcomes", "i4", (5,)),  # deals by outcome
        ("won_by", "i4", (2, 5)),  # deals won, by agent and outcome
        ("turns", "i4"),
        ("rounds", "i4"),  # begun
        ("reshuffles", "i4"),
        ("illegal", "i2"),  # 0, or 1 + the agent that made an illegal move
        ("illegal_code", "i8"),
        ("illegal_phase", "i1"),
    ],
    align=True,
)
"""The result of one deal between two agents."""


play_hand = duel(is_legal, step)


@helper
def begin_deal(row: np.void, root: Root, number: int, starter: int, swap: int, tally: np.void) -> None:
    """Deal; the cards depend on *root* and the deal's *number* alone, the agents' streams too."""
    table = row.table
    table.scores[0] = 0
    table.scores[1] = 0
    table.starter = starter
    tally.starter = starter ^ swap
    row.mine[swap].rng = stream(root, number, np.int64(0), np.int64(AGENT))
    row.mine[1 - swap].rng = stream(root, number, np.int64(0), np.int64(AGENT + 1))
    shuffle_deck(row, stream(root, number, np.int64(0), np.int64(DECK)))
    open_hand(row)


@helper
def end_deal(row: np.void, swap: int, tally: np.void) -> None:
    """Count what became of the deal."""
    table = row.table
    tally.hands = 1
    tally.turns = table.turn
    tally.rounds = (table.turn + 1) // 2
    tally.reshuffles = table.reshuffles
    tally.outcomes[table.outcome] = 1
    tally.winner = -1
    if table.winner >= 0:
        tally.winner = table.winner ^ swap
        tally.won_by[tally.winner, table.outcome] = 1
    for agent in range(2):
        tally.scores[agent] = table.scores[agent ^ swap]
        tally.gains[agent] = table.gains[agent ^ swap]


@helper
def play_deal(
    row: np.void,
    root: Root,
    number: int,
    starter: int,
    swap: int,
    first: Any,
    second: Any,
    par: Any,
    par2: Any,
    tally: np.void,
) -> None:
    """Play one deal between two compiled agents."""
    begin_deal(row, root, number, starter, swap, tally)
    play_hand(row, swap, first, second, par, par2, tally)
    end_deal(row, swap, tally)


PAIRS = -1
"""Instead of an agent that moves first: pairs of deals with the seats swapped."""


@kernel_of(
    types.void(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
        types.int64,
        types.int64,
        ACT_POINTER,
        ACT_POINTER,
        types.float32[::1],
        types.float32[::1],
        types.Array(from_dtype(TALLY), 1, "C"),
    )
)
def play_deals(
    rows: Rows, root: Root, first_deal: int, mover: int, first: Any, second: Any, par: Any, par2: Any, tallies: Rows
) -> None:
    """Play deals in which agent number *mover* (0 or 1) always moves first: one tally a deal.

    The mover has seat 0, so that both line-ups of two agents see the same cards. With `PAIRS` every deal is played
    twice with the seats swapped; who moves first is drawn at random and keeps the seat.
    """
    for i in range(tallies.shape[0]):
        number = first_deal + (i // 2 if mover == PAIRS else i)
        starter, swap = np.int64(0), mover
        if mover == PAIRS:
            starter, swap = first_starter(rows[0].table, root, number), i & 1
        play_deal(rows[0], root, number, starter, swap, first, second, par, par2, tallies[i])


def play_pairs(
    rows: Rows, root: Root, first_pair: int, first: Any, second: Any, par: Any, par2: Any, tallies: Rows
) -> None:
    """Play pairs of deals on the same cards with the seats swapped: two tallies a pair."""
    play_deals(rows, root, first_pair, PAIRS, first, second, par, par2, tallies)
