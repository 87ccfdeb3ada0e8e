"""Cards of two decks as two planes: a mask of the kinds that are there, and one of the kinds that are there twice.

Copies of a card are never told apart. Jokers are counted, not part of a plane.
"""

from __future__ import annotations

from rummylab._jit import helper
from rummylab.cards.bits import popcount
from rummylab.cards.card import JOKER_ID

JOKER_BIT = 1 << JOKER_ID
"""A joker in a mask of kinds."""


@helper
def plus(once: int, twice: int, more: int, more_twice: int) -> tuple[int, int]:
    """Return the cards of two collections together."""
    return once | more, twice | more_twice | (once & more)


@helper
def minus(once: int, twice: int, less: int, less_twice: int) -> tuple[int, int]:
    """Return a collection without a part of it."""
    return (once & ~less) | (twice & less & ~less_twice), twice & ~less


@helper
def take_away(once: int, twice: int, cards: int) -> tuple[int, int]:
    """Return a collection without one copy of each of *cards*, all of them in it."""
    doubles = twice & cards
    return once & ~(cards ^ doubles), twice ^ doubles


@helper
def holds(once: int, twice: int, part: int, part_twice: int) -> bool:
    """Return whether a collection includes the other."""
    return part & ~once == 0 and part_twice & ~twice == 0


@helper
def n_in(once: int, twice: int) -> int:
    """Return the number of cards in a collection."""
    return popcount(once) + popcount(twice)
