"""The belief about every hidden card of Gin with a passed card: fuzzy collections of the other hands and the stock.

All of them share the possible cards, which the seat has never seen. Known are the cards taken from the pile and kept,
and the card that the seat itself passed. So the chances are exact together (`rummylab.beliefs.fuzzy`).

The belief is a helper ``fill(table, mine, params, at, out)`` as in `rummylab.beliefs.gin.uniform`, with a row for each
place: ``out[seat, 13 * suit + rank]``, the player's own hand included, and ``out[STOCK, ...]``.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper, kernel
from rummylab.beliefs.fuzzy import Floats, FuzzyCards, write_chances
from rummylab.cards.bits import popcount
from rummylab.cards.hand import Hand
from rummylab.engine.seats import Seat
from rummylab.games.gin_pass.rules import DISCARD, MAX_SEATS, Rows, known_cards, unseen
from rummylab.games.gin_pass.view import GinPassObservation

STOCK = MAX_SEATS
"""The row of the stock, after those of the seats."""
PLACES = MAX_SEATS + 1


@helper
def n_cards(table: np.void, seat: int) -> int:
    """Return the number of cards that *seat* holds."""
    return table.rules.cards + (table.phase == DISCARD and table.actor == seat)


@helper
def fill(table: np.void, mine: np.void, params: Floats, at: int, out: Floats) -> None:
    """Write the chance of each card at each place to *out*, as the seat that holds *mine* sees it."""
    hidden = unseen(table, mine)
    for seat in range(table.rules.seats):
        if seat == mine.seat:
            write_chances(mine.hand, np.int64(0), popcount(mine.hand), out[seat])
        else:
            write_chances(known_cards(table, mine, seat), hidden, n_cards(table, seat), out[seat])
    write_chances(np.int64(0), hidden, np.int64(table.stock), out[STOCK])


@kernel
def _fill_many(views: Rows, params: Floats, out: Floats) -> None:
    for i in range(views.shape[0]):
        fill(views[i].table, views[i].mine, params, 0, out[i])


@kernel
def _n_cards(views: Rows, seat: int) -> int:
    return n_cards(views[0].table, seat)


def believe(views: Rows) -> Floats:
    """Return the chance of each card at each place, ``[view, place, 13 * suit + rank]``, for any number of views."""
    out = np.zeros((len(views), PLACES, 52), np.float32)
    _fill_many(views, np.zeros(1, np.float32), out)
    return out


def hand_of(seen: GinPassObservation, seat: Seat) -> FuzzyCards:
    """Return what is known about another seat's hand from the observation *seen*."""
    return FuzzyCards(seen.known(seat), seen.unseen, int(_n_cards(seen.view, seat)))


def stock_of(seen: GinPassObservation) -> FuzzyCards:
    """Return what is known about the stock from the observation *seen*."""
    return FuzzyCards(Hand(), seen.unseen, seen.stock)
