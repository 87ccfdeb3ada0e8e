"""Values of the readable twin, kept in a file because it needs a quarter of an hour for them.

``python tests/properties/indian_twin.py`` makes ``data/indian_twin.npz`` again: for 20,000 hands of one deck and of two
the planes of the hand, the wild rank, and the twin's MinDist and both MinScores.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1]))
from properties import indian_reference as reference
from properties.indian_hands import MAKERS, Hand, planes

PATH = Path(__file__).parent / "data" / "indian_twin.npz"
N_HANDS = 20_000


def hands_of(decks: int, n: int) -> list[tuple[Hand, int]]:
    """Plain deals (half of them), hands rich in jokers, and hands near a declaration."""
    rng = random.Random(decks)
    printed = (1, 2) if decks == 1 else (2, 4)
    return [MAKERS[(0, 0, 1, 2)[i % 4]](rng, 13, decks, rng.choice(printed)) for i in range(n)]


def row_of(hand: Hand, wild: int) -> list[int]:
    return [*planes(hand), wild, reference.min_dist(hand, wild), *reference.min_scores(hand, wild)]


def hand_of(row: npt.NDArray[np.int64]) -> Hand:
    """Return the cards of a row: the twin reads cards, not planes."""
    once, twice, jokers = (int(x) for x in row[:3])
    cards: Hand = [(card % 16, card // 16) for mask in (once, twice) for card in range(61) if mask >> card & 1]
    return cards + [None] * jokers


def load() -> dict[str, npt.NDArray[np.int64]]:
    with np.load(PATH) as data:
        return {name: data[name] for name in data.files}


if __name__ == "__main__":
    rows = {
        name: np.array([row_of(*hand) for hand in hands_of(decks, N_HANDS)])
        for name, decks in (("one_deck", 1), ("two_decks", 2))
    }
    np.savez_compressed(PATH, **rows)
