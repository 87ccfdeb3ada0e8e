"""Speed of Indian Rummy's kernels: the two metrics, and all discards of fourteen cards at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import JOKER_ID
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.mindist import discards14_many, min_dist, min_dist_many, outs_many
from rummylab.games.indian.minscore import min_score_many

PUBLISHED_MS = {"minscore": 26.0, "mindist": 676.0}
"""What the authors' own program takes for one hand, in milliseconds."""
N_HANDS = 20_000
SEED = 7
Ints = npt.NDArray[np.int64]
Timer = Callable[..., float]


def kernel_speed(best_seconds: Timer) -> Mapping[str, float]:
    """Return the times of the kernels for random hands of one deck and one printed joker."""
    hands, out = random_hands(N_HANDS, seed=SEED), np.empty(N_HANDS, np.int64)
    minscore = 1e6 * best_seconds(lambda: min_score_many(hands, False, out)) / N_HANDS
    mindist = 1e6 * best_seconds(lambda: min_dist_many(hands, out)) / N_HANDS
    together, one_by_one = _discards_us(best_seconds)
    return {
        "minscore_us": minscore,
        "mindist_us": mindist,
        "discards14_us": together,
        "discards14_one_by_one_us": one_by_one,
        "discards14_ratio": one_by_one / together,
        "call_us": _call_us(best_seconds),
        "minscore_ratio_to_published": 1e3 * PUBLISHED_MS["minscore"] / minscore,
        "mindist_ratio_to_published": 1e3 * PUBLISHED_MS["mindist"] / mindist,
    }


def _without_each(hands: Ints) -> Ints:
    """Return the hands of 13 cards that each discard leaves, one after the other (one deck)."""
    left = []
    for once, twice, jokers, wild in hands.tolist():
        left += [(once & ~(1 << card), twice, jokers, wild) for card in to_ids(once)]
        if jokers:
            left.append((once, twice, jokers - 1, wild))
    return np.array(left, np.int64)


def _discards_us(best_seconds: Timer) -> tuple[float, float]:
    """Return the time for all discards of 14 cards with the outs of each, in one pass and in fourteen calls."""
    hands = random_hands(N_HANDS // 10, seed=SEED, n_cards=14)
    n = len(hands)
    cards = ALL_CARDS & ~hands[:, 0]
    distances, spares = np.empty(n, np.int64), np.empty(n, np.int64)
    found = np.empty((n, JOKER_ID + 1), np.int64)
    together = best_seconds(lambda: discards14_many(hands, cards, distances, spares, found))
    each = _without_each(hands)
    each_cards = np.repeat(cards, [bin(once).count("1") + (jokers > 0) for once, _, jokers, _ in hands.tolist()])
    each_distances, each_found = np.empty(len(each), np.int64), np.empty(len(each), np.int64)

    def one_by_one() -> None:
        min_dist_many(each, each_distances)
        outs_many(each, each_cards, each_distances, each_found)

    return 1e6 * together / n, 1e6 * best_seconds(one_by_one, 3) / n


def _call_us(best_seconds: Timer) -> float:
    """Return the time of one call of MinDist from Python."""
    hands = [tuple(line) for line in random_hands(2000, seed=SEED).tolist()]

    def run() -> None:
        for once, twice, jokers, wild in hands:
            min_dist(once, twice, jokers, wild)

    return 1e6 * best_seconds(run) / len(hands)
