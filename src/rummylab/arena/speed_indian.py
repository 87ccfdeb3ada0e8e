"""How fast Indian Rummy is on one core: the two metrics, fourteen discards at once, and whole games."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt

from rummylab.agents.registry import agent, entries
from rummylab.arena.ordered import OrderedJob
from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import JOKER_ID
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.game import indian
from rummylab.games.indian.mindist import discards14_many, min_dist, min_dist_many, outs_many
from rummylab.games.indian.minscore import min_score_many

PUBLISHED_MS = {"minscore": 26.0, "mindist": 676.0}
"""What the authors' own program takes for one hand, in milliseconds."""
SKILLED = ("minscore", "mindist", "mindist-score", "mindist-opp")
OURS = "mindist-outs"
N_HANDS = 20_000
SEED = 7
Ints = npt.NDArray[np.int64]


def _seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Return the best of several measurements: what the machine can do when nobody disturbs it."""
    run()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def _without_each(hands: Ints) -> Ints:
    """Return the hands of 13 cards that are left after each discard, one after the other (one deck)."""
    left = []
    for once, twice, jokers, wild in hands.tolist():
        left += [(once & ~(1 << card), twice, jokers, wild) for card in to_ids(once)]
        if jokers:
            left.append((once, twice, jokers - 1, wild))
    return np.array(left, np.int64)


def _discards_us() -> tuple[float, float]:
    """Return the time for all discards of 14 cards with the outs of each, in one pass and in fourteen calls."""
    hands = random_hands(N_HANDS // 10, seed=SEED, n_cards=14)
    n = len(hands)
    cards = ALL_CARDS & ~hands[:, 0]
    distances, spares = np.empty(n, np.int64), np.empty(n, np.int64)
    found = np.empty((n, JOKER_ID + 1), np.int64)
    together = _seconds(lambda: discards14_many(hands, cards, distances, spares, found))
    each = _without_each(hands)
    each_cards = np.repeat(cards, [bin(once).count("1") + (jokers > 0) for once, _, jokers, _ in hands.tolist()])
    each_distances, each_found = np.empty(len(each), np.int64), np.empty(len(each), np.int64)

    def one_by_one() -> None:
        min_dist_many(each, each_distances)
        outs_many(each, each_cards, each_distances, each_found)

    return 1e6 * together / n, 1e6 * _seconds(one_by_one, 3) / n


def _games_per_s(names: tuple[str, ...], games: int) -> float:
    """Return deals per second, over all ordered pairs of *names*."""
    rules = indian("paper")
    players = {name: agent("indian", name) for name in names}

    def run() -> None:
        for one, two in product(names, names):
            OrderedJob(rules, players[one], players[two], SEED)(0, games)

    return games * len(names) ** 2 / _seconds(run, 3)


def _call_us() -> float:
    hands = [tuple(line) for line in random_hands(2000, seed=SEED).tolist()]

    def run() -> None:
        for once, twice, jokers, wild in hands:
            min_dist(once, twice, jokers, wild)

    return 1e6 * _seconds(run) / len(hands)


def indian_speed() -> dict[str, float]:
    """Return the speed figures of Indian Rummy; random hands of one deck and one printed joker."""
    hands, out = random_hands(N_HANDS, seed=SEED), np.empty(N_HANDS, np.int64)
    minscore = 1e6 * _seconds(lambda: min_score_many(hands, False, out)) / N_HANDS
    mindist = 1e6 * _seconds(lambda: min_dist_many(hands, out)) / N_HANDS
    together, one_by_one = _discards_us()
    known = {found.name for found in entries("indian")}
    figures = {
        "minscore_us": minscore,
        "mindist_us": mindist,
        "discards14_us": together,
        "discards14_one_by_one_us": one_by_one,
        "discards14_ratio": one_by_one / together,
        "call_us": _call_us(),
        "games_per_s": _games_per_s(tuple(name for name in SKILLED if name in known), 100),
        "minscore_ratio_to_published": 1e3 * PUBLISHED_MS["minscore"] / minscore,
        "mindist_ratio_to_published": 1e3 * PUBLISHED_MS["mindist"] / mindist,
    }
    if OURS in known:
        figures["outs_games_per_s"] = _games_per_s((OURS,), 1000)
    return figures
