"""What the notes of several games have in common: the columns, who plays, and the cards left in the stock."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import bit
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import AGENT, mix, unit
from rummylab.engine.rows import Floats

Ints = npt.NDArray[np.int64]

D_SEAT, D_CHOSEN, D_SIZE, N_DECISION = range(4)
"""Notes on a decision: the seat, the line of the chosen card, the number of lines."""
S_SEAT, S_NEXT, N_STOCK = range(3)
"""Notes on a draw from the stock: the seat, and the decision that follows, or -1 if the deal ends before it."""


@helper
def left_in_stock(row: np.void) -> tuple[int, int, int]:
    """Return the cards in the stock as planes, and the number of printed jokers."""
    once = twice = jokers = np.int64(0)
    for i in range(row.pos, row.pos + row.table.stock):
        if row.deck[i] == JOKER_ID:
            jokers += 1
        else:
            card = bit(row.deck[i])
            twice |= once & card
            once |= card
    return once, twice, jokers


@helper
def seat_players(row: np.void, seed: int, deal: int, learner: int, shares: npt.NDArray[np.float64], who: Ints) -> None:
    """Seat the players of a deal: ``who[seat]`` is 0 for a learner.

    The seat *learner* has one; each other seat has player k+1 with the share that *shares*, cumulative, gives it, else
    another learner.
    """
    for seat in range(row.table.rules.seats):
        row.mine[seat].rng = mix(seed, deal, 0, AGENT + seat)
        lot, k = unit(row.mine[seat]), 0
        while k < len(shares) and lot >= shares[k]:
            k += 1
        who[seat] = 0 if k == len(shares) or seat == learner else k + 1


@helper
def note_inputs(lines: Any, n: int, inputs: Any, first: int, end: int) -> None:
    """Copy the numbers from *first* up to *end* of *inputs* to line *n*."""
    for i in range(first, end):
        lines[n, i] = inputs[i]


@helper
def note_discard(lines: Any, n: int, inputs: Any, sight: Floats, own: int) -> int:
    """Note a discard on line *n*: the agent's *own* inputs, then what only the referee sees; return the next line."""
    note_inputs(lines, n, inputs, 0, own)
    note_inputs(lines, n, sight, own, len(sight))
    return n + 1


@helper
def note_draw(notes: Any, n: int, seat: int, waiting: Ints) -> None:
    """Note draw number *n* of *seat*, which is *waiting* for the decision that follows."""
    notes[n, S_SEAT] = seat
    notes[n, S_NEXT] = -1
    waiting[seat] = n


@helper
def note_choice(decisions: Any, n: int, seat: int, chosen: int, size: int) -> None:
    """Note decision number *n* of *seat*: the line of the chosen card, and the number of lines."""
    decisions[n, D_SEAT] = seat
    decisions[n, D_CHOSEN] = chosen
    decisions[n, D_SIZE] = size


@helper
def note_follower(notes: Any, decision: int, seat: int, waiting: Ints) -> None:
    """Note that *decision* follows the draw of *seat* that was *waiting* for it."""
    if waiting[seat] >= 0:
        notes[waiting[seat], S_NEXT] = decision
        waiting[seat] = -1
