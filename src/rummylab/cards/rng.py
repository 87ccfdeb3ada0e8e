"""Random numbers for kernels: splitmix64, one 64-bit state per stream (Steele, Lea and Flood, 2014).

Streams are named by purpose: :func:`stream` turns the root of a match and a few whole numbers (deal, hand, player) into
the seed of a stream, so that the deal does not move when an agent draws more numbers.

A player's stream comes from a keyed hash (SipHash-2-4, Aumasson and Bernstein, 2012): whoever holds it cannot work back
to the root, to the deck or to another player's stream.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import lowest, nth_card, popcount, stack_array
from rummylab.errors import OptionError

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_11, _30, _27, _31, _32 = np.uint64(11), np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)

DECK, STARTER, AGENT = 1, 2, 3
"""Purposes of streams. An agent's stream is AGENT + its place in the lineup."""

Root = tuple[np.uint64, np.uint64]
"""What all streams of a match come from: a typed seed and 0, or the two halves of a secret key."""
KEY_BITS: Final = 128
_TYPED: Final = np.uint64(0)
_SIP_0, _SIP_1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_SIP_2, _SIP_3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_SIP_LENGTH = np.uint64(24 << 56)
_SIP_END, _64 = np.uint64(0xFF), np.uint64(64)


def is_key(seed: int) -> bool:
    """Return whether *seed* is a secret key of 128 bits rather than a number that somebody typed."""
    return seed >= 2**64


def root_of(seed: int) -> Root:
    """Return *seed* as the kernels take it.

    Raises:
        OptionError: *seed* has more than 128 bits.
    """
    if seed >= 2**KEY_BITS:
        raise OptionError(f"A seed has at most {KEY_BITS} bits, this one has {seed.bit_length()}.")
    upper = seed >> 64 if is_key(seed) else 0
    return np.uint64(seed % 2**64), np.uint64(upper)


@helper
def typed_root(seed: int) -> Root:
    """Return the root of a seed that is no secret, inside a kernel."""
    return np.uint64(seed), _TYPED


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
def _sip_round(v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    v0, v2 = v0 + v1, v2 + v3
    v1, v3 = _rotated(v1, np.uint64(13)) ^ v0, _rotated(v3, np.uint64(16)) ^ v2
    v0, v2 = _rotated(v0, _32) + v3, v2 + v1
    v1, v3 = _rotated(v1, np.uint64(17)) ^ v2, _rotated(v3, np.uint64(21)) ^ v0
    return v0, v1, _rotated(v2, _32), v3


@helper
def _rotated(word: int, bits: int) -> int:
    return (word << bits) | (word >> (_64 - bits))


@helper
def _sip_absorb(v0: int, v1: int, v2: int, v3: int, word: int) -> tuple[int, int, int, int]:
    v3 ^= word
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    return v0 ^ word, v1, v2, v3


@kernel
def keyed_hash(root: Root, first: int, second: int, third: int) -> np.uint64:
    """Return SipHash-2-4 of three 64-bit words under the key *root*: one-way for whoever does not have the key."""
    v0, v1, v2, v3 = root[0] ^ _SIP_0, root[1] ^ _SIP_1, root[0] ^ _SIP_2, root[1] ^ _SIP_3
    v0, v1, v2, v3 = _sip_absorb(v0, v1, v2, v3, np.uint64(first))
    v0, v1, v2, v3 = _sip_absorb(v0, v1, v2, v3, np.uint64(second))
    v0, v1, v2, v3 = _sip_absorb(v0, v1, v2, v3, np.uint64(third))
    v0, v1, v2, v3 = _sip_absorb(v0, v1, v2, v3, _SIP_LENGTH)
    v2 ^= _SIP_END
    for _ in range(4):
        v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@kernel
def stream(root: Root, first: int, second: int, purpose: int) -> np.uint64:
    """Return the seed of the stream for (*first*, *second*, *purpose*) in a match with this *root*.

    Decks of a typed seed come from the plain :func:`mix`: a seed can be guessed anyway, and it deals the cards that it
    has always dealt. Everything that a player holds, and everything under a secret key, comes from the keyed hash.
    """
    if purpose < AGENT and root[1] == _TYPED:
        return mix(root[0], first, second, purpose)
    return keyed_hash(root, first, second, purpose)


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
def nearly_normal(holder: np.void, spread: float) -> float:
    """Return a random number around 0 with the standard deviation *spread*: a sum of four uniform ones."""
    if spread <= 0:
        return 0.0
    return spread * 1.7320508 * (unit(holder) + unit(holder) + unit(holder) + unit(holder) - 2.0)


@helper
def any_card(holder: np.void, mask: int) -> int:
    """Return the id of a random card of the non-empty *mask*; ``holder.rng`` moves only if there is a choice."""
    n = popcount(mask)
    return nth_card(mask, below(holder, n)) if n > 1 else lowest(mask)


_BLOCK: Final = 64


@kernel
def shuffle(cards: npt.NDArray[np.int8], seed: np.uint64) -> np.uint64:
    """Shuffle *cards* in place (Fisher-Yates) with the stream *seed*, and return the stream after that."""
    places = stack_array(_BLOCK, np.int64)
    last, state = cards.shape[0] - 1, np.uint64(seed)
    while last > 0:
        # 1. The numbers of a block of cards first: they do not depend on one another, so the processor draws several
        # at a time.
        n = min(last, _BLOCK)
        for k in range(n):
            drawn = scramble(state + np.uint64(k + 1) * _GOLDEN) >> _32
            places[k] = np.int64((drawn * np.uint64(last - k + 1)) >> _32)
        # 2. The swaps, from the last card on.
        for k in range(n):
            card, place = cards[last - k], np.uint64(places[k])  # unsigned: no code for negative indexes
            cards[last - k] = cards[place]
            cards[place] = card
        last -= n
        state += np.uint64(n) * _GOLDEN
    return state


# --- The deck of a position: ``row.deck`` and the seed ``row.rng`` ---------------------------------------------------


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
def reshuffle_seed(row: np.void, n: int) -> np.uint64:
    """Return the start of a random stream for reshuffles: from the order of all *n* cards, which nobody knows.

    So a deck and the moves alone replay a deal, reshuffles and all.
    """
    z = np.uint64(0)
    for i in range(n):
        z = scramble(z + np.uint64(row.deck[i]) + np.uint64(1))
    return z
