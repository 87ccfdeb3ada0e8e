"""The seatings in which a deal is played.

Two agents swap seats. With more agents it also matters who sits before whom: every circular order is played, each
from every seat, so a deal of three seats is played 6 times and a deal of four 24 times. With five seats or more
that is many (120 and 720 times): unless *all_orders* are asked for, each deal is played in a random sample of the
orders, which depends on the number of the deal alone.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

SAMPLED_ORDERS = 6
"""Circular orders that a deal is played in where there are more: with five seats 6 of 24, with six 6 of 120."""
Seating = tuple[int, ...]
"""The number of the agent in each seat."""


def orders_in_all(seats: int) -> int:
    """Return in how many circular orders *seats* agents can sit."""
    return math.factorial(seats - 1)


def are_sampled(seats: int, all_orders: bool = False) -> bool:
    """Return whether a deal is played in a sample of the circular orders."""
    return not all_orders and orders_in_all(seats) > SAMPLED_ORDERS


def games_per_deal(seats: int, all_orders: bool = False) -> int:
    """Return how often a deal is played: every order, or every sampled one, from each seat."""
    return seats * (SAMPLED_ORDERS if are_sampled(seats, all_orders) else orders_in_all(seats))


@lru_cache(maxsize=4096)
def orders(seats: int, deal: int = 0, all_orders: bool = False) -> tuple[Seating, ...]:
    """Return the circular orders in which *deal* is played: agent 0, then who follows, in the order of play."""
    if not are_sampled(seats, all_orders):
        return tuple((0, *rest) for rest in itertools.permutations(range(1, seats)))
    rng = np.random.default_rng((seats, deal))
    chosen: dict[Seating, None] = {}
    while len(chosen) < SAMPLED_ORDERS:
        chosen[0, *(1 + rng.permutation(seats - 1)).tolist()] = None
    return tuple(chosen)


def seatings(seats: int, deal: int = 0, all_orders: bool = False) -> tuple[Seating, ...]:
    """Return the seatings in which *deal* is played; the first ones are the lineup as it was given, rotated."""
    return _seatings(seats, deal if are_sampled(seats, all_orders) else 0, all_orders)


@lru_cache(maxsize=4096)
def _seatings(seats: int, deal: int, all_orders: bool) -> tuple[Seating, ...]:
    return tuple(
        tuple(order[(seat - turn) % seats] for seat in range(seats))
        for order in orders(seats, deal, all_orders)
        for turn in range(seats)
    )


def seatings_of(seats: int, first_deal: int, deals: int, all_orders: bool = False) -> list[tuple[Seating, ...]]:
    """Return the seatings of each of some deals; one entry stands for all deals if they have the same seatings."""
    if not are_sampled(seats, all_orders):
        return [seatings(seats, 0, all_orders)]
    return [seatings(seats, deal) for deal in range(first_deal, first_deal + max(1, deals))]


def predecessors(seats: int, n_games: int, first_deal: int = 0, all_orders: bool = False) -> npt.NDArray[np.int64]:
    """Return for each game from *first_deal* on, by agent, the number of the agent that plays just before it."""
    found = np.empty((n_games, seats), np.int64)
    per_deal = games_per_deal(seats, all_orders)
    for first in range(0, n_games, per_deal):
        seated = np.array(seatings(seats, first_deal + first // per_deal, all_orders))
        np.put_along_axis(found[first : first + per_deal], seated, np.roll(seated, 1, axis=1), axis=1)
    return found
