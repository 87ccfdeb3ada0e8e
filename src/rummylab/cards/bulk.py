"""Many hands at once, as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.hand import Hand
from rummylab.cards.melds import min_deadwood_many
from rummylab.errors import DeckError, NotationError, WrongTypeError

Hands = Hand | str | Sequence[Hand | str] | npt.NDArray[np.int64]
"""One hand, several as hands or text, or an integer array: a mask for each hand, or mask, twice and jokers."""
Ints = npt.NDArray[np.int64]


def planes(hands: Hands, *, decks: int = 1, size: int | None = None) -> Ints:
    """Return one row for each hand: the mask, the kinds held twice, and the number of jokers.

    Raises:
        NotationError: A text is not a hand, an array has the wrong shape, or a hand does not have *size* cards.
        DeckError: A card occurs more often than *decks* decks allow.
        WrongTypeError: *hands* are something else.
    """
    rows = _from_array(hands) if isinstance(hands, np.ndarray) else _from_hands(hands, decks)
    if (rows[:, 0] & ~ALL_CARDS).any() or (rows[:, 1] & ~rows[:, 0]).any() or (rows[:, 2] < 0).any():
        raise NotationError("an array of hands has masks that are not hands")
    if decks < 2 and rows[:, 1].any():
        raise DeckError("a card occurs 2 times, but one deck is in play")
    counts = np.bitwise_count(rows[:, 0]) + np.bitwise_count(rows[:, 1]) + rows[:, 2]
    if size is not None and (counts != size).any():
        at = int(np.flatnonzero(counts != size)[0])
        raise NotationError(f"hand number {at} has {int(counts[at])} cards, expected {size}")
    return rows


def _from_array(hands: npt.NDArray[np.int64]) -> Ints:
    if not np.issubdtype(hands.dtype, np.integer) or hands.ndim not in (1, 2) or hands.shape[1:] not in ((), (3,)):
        raise NotationError("an array of hands has integers in the shape (n,) for masks, or (n, 3) with twice, jokers")
    rows = np.zeros((len(hands), 3), np.int64)
    rows[:, : 3 if hands.ndim == 2 else 1] = hands if hands.ndim == 2 else hands[:, None]
    return rows


def _from_hands(hands: Hand | str | Sequence[Hand | str], decks: int) -> Ints:
    if not isinstance(hands, Iterable):
        raise WrongTypeError(f"hands must be hands, text or an integer array, not {hands!r}")
    several = [hands] if isinstance(hands, Hand | str) else list(hands)
    found = [hand if isinstance(hand, Hand) else Hand.parse(hand, decks=decks) for hand in several]
    return np.array([(hand.mask, hand.twice, hand.jokers) for hand in found], np.int64).reshape(-1, 3)


def deadwood(hands: Hands) -> npt.NDArray[np.int16]:
    """Return the least deadwood of each hand under the melds of Gin.

    >>> deadwood(["3c 4c 5c Ks", "7h 7s 7d"]).tolist()
    [10, 0]

    Raises:
        NotationError: A text is not a hand.
        DeckError: A card occurs twice, or a hand has a joker.
    """
    rows = planes(hands)
    if rows[:, 2].any():
        raise DeckError("Gin is played without jokers")
    out = np.empty(len(rows), np.int16)
    min_deadwood_many(np.ascontiguousarray(rows[:, 0]), out)
    return out
