"""Random numbers for kernels: splitmix64, one 64-bit state per stream.

Streams are named by purpose: :func:`mix` turns a root seed and a few whole numbers (pair, hand, seat) into the
seed of a stream, so that the deal does not move when an agent draws more numbers (Steele, Lea and Flood, 2014).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import lowest, nth_card, popcount

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_11, _30, _27, _31, _32 = np.uint64(11), np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)

DECK, STARTER, AGENT = 1, 2, 3
"""Purposes of streams. An agent's stream is AGENT + its place in the line-up."""


def signed(seed: int) -> np.int64:
    """Return *seed* as the kernels take it: the same 64 bits, read with a sign."""
    return np.int64(np.array([seed % 2**64], np.uint64).view(np.int64)[0])


@helper
def scramble(z: int) -> int:
    """Return the splitmix64 finaliser of *z*: a bijection whose output looks random."""
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@kernel
def mix(seed: int, first: int, second: int, purpose: int) -> np.uint64:
    """Return the seed of the stream for (*first*, *second*, *purpose*) under a root *seed*."""
    z = scramble(np.uint64(seed) + _GOLDEN)
    z = scramble(z + np.uint64(first) * _GOLDEN + np.uint64(1))
    z = scramble(z + np.uint64(second) * _GOLDEN + np.uint64(2))
    return np.uint64(scramble(z + np.uint64(purpose) * _GOLDEN + np.uint64(3)))


@helper
def below(holder: np.void, n: int) -> int:
    """Return a number from 0 to *n* - 1, advancing ``holder.rng``; *n* is at most 2**31."""
    holder.rng += _GOLDEN
    return np.int64(((scramble(holder.rng) >> _32) * np.uint64(n)) >> _32)


@helper
def unit(holder: np.void) -> float:
    """Return a number from 0 up to but not 1, advancing ``holder.rng``."""
    holder.rng += _GOLDEN
    return np.float64(scramble(holder.rng) >> _11) * 2.0**-53


@helper
def any_card(holder: np.void, mask: int) -> int:
    """Return the id of a random card of the non-empty *mask*; ``holder.rng`` moves only if there is a choice."""
    n = popcount(mask)
    return nth_card(mask, below(holder, n)) if n > 1 else lowest(mask)


@kernel
def shuffle(cards: npt.NDArray[np.int8], seed: np.uint64) -> None:
    """Shuffle *cards* in place (Fisher-Yates) with the stream *seed*."""
    state = np.uint64(seed)
    for i in range(cards.shape[0] - 1, 0, -1):
        state += _GOLDEN
        j = np.int64(((scramble(state) >> _32) * np.uint64(i + 1)) >> _32)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


# --- The deck of a position: ``row.deck`` and the lot ``row.rng`` ---------------------------------------------------


@helper
def swap_cards(row: np.void, i: int, j: int) -> None:
    """Exchange two cards of ``row.deck``."""
    card = row.deck[i]
    row.deck[i] = row.deck[j]
    row.deck[j] = card


@helper
def shuffle_first(row: np.void, n: int) -> None:
    """Shuffle the first *n* cards of ``row.deck``, advancing ``row.rng``."""
    for i in range(n - 1, 0, -1):
        swap_cards(row, i, below(row, i + 1))


@helper
def lot_of_deck(row: np.void, n: int) -> np.uint64:
    """Return the start of a random stream for reshuffles: from the order of all *n* cards, which nobody knows.

    So a deck and the moves alone replay a deal, reshuffles and all.
    """
    z = np.uint64(0)
    for i in range(n):
        z = scramble(z + np.uint64(row.deck[i]) + np.uint64(1))
    return z
