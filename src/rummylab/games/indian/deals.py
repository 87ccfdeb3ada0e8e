"""Random hands of Indian Rummy, for experiments and benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import DECK, mix, shuffle
from rummylab.games.indian.melds import Ints


@kernel
def _deal_hands(seed: int, first: int, decks: int, printed: int, n_cards: int, out: Ints) -> None:
    cards = np.empty(52 * decks + printed, np.int8)
    for i in range(len(out)):
        # 1. Shuffle: hand number k depends on the seed and k alone.
        for k in range(52 * decks):
            cards[k] = 16 * (k % 52 // 13) + k % 13
        for k in range(52 * decks, 52 * decks + printed):
            cards[k] = JOKER_ID
        shuffle(cards, mix(seed, first + i, np.int64(0), np.int64(DECK)))
        # 2. The hand.
        once, twice, jokers = 0, 0, 0
        for k in range(n_cards):
            card = np.int64(cards[k])
            if card == JOKER_ID:
                jokers += 1
            else:
                twice |= once & (1 << card)
                once |= 1 << card
        # 3. The indicator; instead of a printed joker the next card.
        at = n_cards
        while cards[at] == JOKER_ID:
            at += 1
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = once, twice, jokers, np.int64(cards[at]) & 15


def random_hands(
    n: int, *, seed: int, first: int = 0, decks: int = 1, printed_jokers: int = 1, n_cards: int = 13
) -> npt.NDArray[np.int64]:
    """Return *n* random hands as lines (once, twice, jokers, wild); number *first* + i is the same in every call."""
    out = np.empty((n, 4), np.int64)
    _deal_hands(np.int64(seed), np.int64(first), np.int64(decks), np.int64(printed_jokers), np.int64(n_cards), out)
    return out
