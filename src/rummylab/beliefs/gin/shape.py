"""Hands of the right shape: the cards of a hand belong together, which separate probabilities do not say.

A belief gives each card its own probability. Hands drawn from it card by card have far too few melds: players keep what
fits together. Here a hand H weighs

    product of (odds of each card) ** a  *  exp(b * deadwood / 10 + c * neighbours + d * pairs)

with neighbours (same suit, next rank) and pairs (same rank) counted in H, and a, b, c, d for each of the opponent's
turns. They are fitted to play (:mod:`rummylab.learning.opponent_hand.shape`), so that sampled hands have on average the
deadwood, neighbours and pairs that real ones have. Players differ: after ten turns Simple holds twice the deadwood of a
utility agent. So there is a set of weights for each kind of opponent. Drawn by a Metropolis walk that swaps one card at
a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, bit, index_of, nth_card, popcount
from rummylab.cards.rng import below
from rummylab.engine.artifacts import check_kind, read_numbers, write_whole
from rummylab.errors import ArtifactError
from rummylab.games.gin.melds import min_deadwood

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int64]

N_STAGES = 13
"""By the opponent's complete turns, 12 and more in one."""
FEATURES = ("log odds", "deadwood / 10", "neighbours", "pairs")
N_FEATURES = len(FEATURES)
N_SHAPE = N_STAGES * N_FEATURES
"""Weights for one kind of opponent."""
KINDS = ("utility", "simple", "mix")
"""Kinds of opponents: utility agents, Simple, and the paper's mix of both."""
N_KINDS = len(KINDS)
BURN_IN, THINNING = 80, 12
"""Swaps tried before the first hand, and between two hands."""
_SURE = 1e-4
_STEPS = 1 << 20

FORMAT, VERSION = "rummylab-hand-shape", 2
BUNDLED = "hand_shape.json"
"""The fitted weights; those that come with the package belong to its network."""


def save(path: Path, weights: Mapping[str, Floats], manifests: Mapping[str, Mapping[str, Any]]) -> None:
    """Write fitted weights of every kind, one row for each stage, and where they come from."""
    kinds = {
        kind: {
            "weights": [[round(float(weight), 4) for weight in row] for row in weights[kind]],
            "manifest": manifests[kind],
        }
        for kind in KINDS
    }
    head = {"format": FORMAT, "version": VERSION, "features": list(FEATURES)}
    write_whole(path, (json.dumps({**head, "kinds": kinds}, indent=1) + "\n").encode())


def read_manifests(path: Path) -> dict[str, Any]:
    """Return where the weights of each kind in *path* come from."""
    load(path)
    kinds = read_numbers(path)["kinds"]
    return {kind: kinds[kind]["manifest"] for kind in KINDS}


def load(path: Path) -> Floats:
    """Return the weights of *path*: for each kind one row for each stage."""
    found = read_numbers(path)
    check_kind(found, str(path), FORMAT, VERSION)
    try:
        weights = np.array([found["kinds"][kind]["weights"] for kind in KINDS], np.float32)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ArtifactError(f"{path} holds no weights of a hand's shape") from None
    if weights.shape != (N_KINDS, N_STAGES, N_FEATURES) or not np.isfinite(weights).all():
        raise ArtifactError(f"{path}: the weights have shape {weights.shape}, not {(N_KINDS, N_STAGES, N_FEATURES)}")
    return weights


@cache
def bundled() -> Floats:
    """Return the weights that come with the package."""
    return load(Path(__file__).with_name(BUNDLED))


@helper
def stage_of(table: np.void, mine: np.void) -> int:
    """Return the row of weights for the opponent of *mine*: its complete turns in this hand."""
    n = popcount(table.thrown[1 - mine.seat])
    return min(n, N_STAGES - 1)


@helper
def write_log_odds(belief: Floats, out: Floats) -> None:
    """Write the log-odds of all 52 cards to *out*, within bounds."""
    for i in range(52):
        chance = min(max(np.float64(belief[i]), _SURE), 1 - _SURE)
        out[i] = np.float32(np.log(chance / (1 - chance)))


@helper
def neighbours(hand: int) -> int:
    """Return how many pairs of cards are next to each other in a suit."""
    return popcount(hand & (hand >> 1))


@helper
def pairs(hand: int) -> int:
    """Return how many pairs of cards have the same rank."""
    return popcount(hand & (hand >> 16)) + popcount(hand & (hand >> 32)) + popcount(hand & (hand >> 48))


@helper
def _fit(hand: int, par: Floats, at: int) -> float:
    """Return the logarithm of what *hand* weighs as a whole, the odds of its cards apart."""
    return (
        par[at + 1] * np.float32(0.1) * np.float32(min_deadwood(hand))
        + par[at + 2] * np.float32(neighbours(hand))
        + par[at + 3] * np.float32(pairs(hand))
    )


@helper
def walk(holder: np.void, hand: int, known: int, unseen: int, odds: Floats, par: Floats, at: int, steps: int) -> int:
    """Return *hand* after *steps* tried swaps of a card not *known* for another of *unseen*; ``holder.rng`` moves."""
    fit = _fit(hand, par, at)
    mine = hand & ~known
    n_mine = popcount(mine)
    n_other = popcount(unseen) - popcount(hand)
    if n_mine == 0 or n_other == 0:
        return hand
    for _ in range(steps):
        other = unseen & ~hand
        out = nth_card(mine, below(holder, n_mine))
        new = nth_card(other, below(holder, n_other))
        tried = hand ^ bit(out) ^ bit(new)
        tried_fit = _fit(tried, par, at)
        gain = par[at] * (odds[index_of(new)] - odds[index_of(out)]) + tried_fit - fit
        if gain >= 0 or below(holder, _STEPS) < np.exp(gain) * _STEPS:
            hand = tried
            mine = hand & ~known
            fit = tried_fit
    return hand


@helper
def with_known(hand: int, known: int) -> int:
    """Return *hand* with the *known* cards in it, as large as before."""
    missing = known & ~hand
    while missing:
        spare = hand & ~known
        hand ^= (spare & -spare) | (missing & -missing)
        missing &= missing - 1
    return hand


@helper
def shape_hands(
    table: np.void, mine: np.void, first: int, belief: Floats, par: Floats, at: int, hands: Masks, n_hands: int
) -> None:
    """Write *n_hands* hands to *hands*, beginning the walk at *first*, a hand drawn by *belief*.

    The weights begin at ``par[at]``; the random stream is ``mine.rng``.
    """
    odds = np.empty(52, np.float32)
    write_log_odds(belief, odds)
    unseen = ALL_CARDS & ~(mine.hand | table.pile)
    known = table.known[1 - mine.seat]
    row = at + N_FEATURES * stage_of(table, mine)
    hand = walk(mine, with_known(first, known), known, unseen, odds, par, row, BURN_IN)
    for i in range(n_hands):
        hand = walk(mine, hand, known, unseen, odds, par, row, THINNING)
        hands[i] = hand
