"""How what a player took, refused and threw bears on the cards they hold.

Each feature counts cards near an unseen card: beside it (a rank away in its suit), beyond it (two ranks away), or of
its rank. A game gives each feature a weight, fitted to self-play by logistic regression
(:mod:`rummylab.learning.card_evidence`). The weighted sum is the card's log-odds of being in that player's hand, up to
a constant that is the same for all cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from rummylab.cards.card import JOKER_ID
from rummylab.engine.observation import Observation
from rummylab.engine.seats import Seat

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

FEATURES: Final = (
    "known beside",
    "known beyond",
    "known of its rank",
    "thrown beside",
    "thrown beyond",
    "thrown of its rank",
    "refused beside",
    "refused beyond",
    "refused of its rank",
    "the kind itself thrown or refused",
    "printed joker",
    "high card",
    "high card, times turns",
)
"""What the weights of a game stand for, in this order."""
N_FEATURES: Final = len(FEATURES)
_TURNS: Final = 10.0


def _neighbors() -> tuple[Floats, Floats, Floats]:
    beside, beyond, rank = (np.zeros((64, 64)) for _ in range(3))
    for suit in range(4):
        for one in range(13):
            card = 16 * suit + one
            for two in range(13):
                step = min(abs(one - two), 13 - abs(one - two))  # the ace is beside the two and the king
                for table, away in ((beside, 1), (beyond, 2)):
                    table[card, 16 * suit + two] = step == away
            rank[card, [16 * other + one for other in range(4) if other != suit]] = 1
    return beside, beyond, rank


BESIDE, BEYOND, RANK = _neighbors()


def _bits(mask: int) -> Floats:
    """Return a mask of card ids as an array of 64 zeros and ones."""
    return np.unpackbits(np.array([mask], "<i8").view(np.uint8), bitorder="little").astype(np.float64)


def features(seen: Observation, seat: Seat, cards: Ids) -> Floats:
    """Return the `FEATURES` of each of *cards* for the hand of *seat*, one row a card."""
    table = seen.table
    known, thrown, refused = (_bits(int(table[name][seat])) for name in ("known", "thrown", "refused"))
    out = np.empty((len(cards), N_FEATURES))
    for first, held in ((0, known), (3, thrown), (6, refused)):
        for k, near in enumerate((BESIDE, BEYOND, RANK)):
            out[:, first + k] = (near @ held)[cards]
    out[:, 9] = np.maximum(thrown, refused)[cards]
    joker = cards == JOKER_ID
    high = ((cards & 15) >= 9) & ~joker
    out[:, 10], out[:, 11] = joker, high
    out[:, 12] = high * min(int(table["turn"]) / seen.rules.seats, _TURNS) / _TURNS
    return out


def log_odds(seen: Observation, seat: Seat, cards: Ids, weights: Sequence[float]) -> Floats:
    """Return the log-odds that *seat* holds each of *cards*, up to a constant."""
    found: Floats = features(seen, seat, cards) @ np.array(weights)
    return found
