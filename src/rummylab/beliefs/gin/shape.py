"""Shaped hands: sampled hands whose cards fit together as those of real hands do.

A belief gives each card its own probability. Hands drawn from it card by card have far too few melds, since players
keep cards that fit together. Here a hand H has the weight

    product of (odds of each card) ** a  *  exp(b * deadwood / 10 + c * neighbors + d * pairs)

with neighbors (same suit, next rank) and pairs (same rank) counted in H, and a, b, c, d for each of the opponent's
turns. They are fitted to play (``rummylab train gin-hand-shape``), so that sampled hands have, on average, the
deadwood, neighbors and pairs of real ones. Players differ: after ten turns Simple holds twice the deadwood of a utility
agent. So there is a set of weights for each kind of opponent. Hands are drawn by a Metropolis walk that swaps one card
at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, always_inline, bit, choose, index_of, lowest, popcount, stack_array
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import below
from rummylab.engine.artifacts import check_kind, read_numbers, write_json
from rummylab.errors import ArtifactError

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int64]

N_STAGES = 13
"""By the opponent's complete turns; the last stage is 12 or more."""
FEATURES = ("log odds", "deadwood / 10", "neighbors", "pairs")
N_FEATURES = len(FEATURES)
N_SHAPE = N_STAGES * N_FEATURES
"""Weights for one kind of opponent."""
KINDS = ("utility", "simple", "mix")
"""Kinds of opponents: utility agents, Simple, and the paper's mix of both."""
N_KINDS = len(KINDS)
BURN_IN, THINNING = 80, 12
"""Swaps tried before the first hand, and between two hands."""
N_LISTED = 52
"""The size of the working array of `walk`."""
_LEAST_CHANCE = 1e-4
N_CHANCES = 4096
LOG_CHANCES = np.log((np.arange(N_CHANCES, dtype=np.float32) + np.float32(0.5)) / N_CHANCES)
"""The logarithm of a random number: a swap that lowers that of the weight by no more is accepted."""

FORMAT, VERSION = "rummylab-hand-shape", 2
BUNDLED = "hand_shape.json"
"""The fitted weights; those that come with the package belong to its network."""


def save(path: Path, weights: Mapping[str, Floats], manifests: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the weights of every kind, one row for each stage, with their manifests."""
    kinds = {
        kind: {
            "weights": [[round(float(weight), 4) for weight in row] for row in weights[kind]],
            "manifest": manifests[kind],
        }
        for kind in KINDS
    }
    head = {"format": FORMAT, "version": VERSION, "features": list(FEATURES)}
    write_json(path, {**head, "kinds": kinds})


def read_manifests(path: Path) -> dict[str, Any]:
    """Return the manifest of each kind of weights in *path*."""
    load(path)
    kinds = read_numbers(path)["kinds"]
    return {kind: kinds[kind]["manifest"] for kind in KINDS}


def load(path: Path) -> Floats:
    """Return the weights of *path*: for each kind one row for each stage.

    Raises:
        ArtifactError: The file does not hold such weights.
    """
    found = read_numbers(path)
    check_kind(found, str(path), FORMAT, VERSION)
    try:
        weights = np.array([found["kinds"][kind]["weights"] for kind in KINDS], np.float32)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ArtifactError(f"{path} does not hold weights of a hand's shape") from None
    if weights.shape != (N_KINDS, N_STAGES, N_FEATURES) or not np.isfinite(weights).all():
        raise ArtifactError(f"{path}: the weights have shape {weights.shape}, not {(N_KINDS, N_STAGES, N_FEATURES)}")
    return weights


@cache
def bundled() -> Floats:
    """Return the weights that come with the package."""
    return load(Path(__file__).with_name(BUNDLED))


@helper
def opponent_turns(table: np.void, mine: np.void) -> int:
    """Return the complete turns of the opponent of *mine*, at most those of the last row of weights."""
    n = popcount(table.thrown[1 - mine.seat])
    return min(n, N_STAGES - 1)


@helper
def write_log_odds(belief: Floats, out: Floats) -> None:
    """Write the log-odds of all 52 cards to *out*, within bounds."""
    for i in range(52):
        chance = min(max(np.float64(belief[i]), _LEAST_CHANCE), 1 - _LEAST_CHANCE)
        out[i] = np.float32(np.log(chance / (1 - chance)))


@helper
def neighbors(hand: int) -> int:
    """Return the number of pairs of cards with the same suit and consecutive ranks."""
    return popcount(hand & (hand >> 1))


@helper
def pairs(hand: int) -> int:
    """Return the number of pairs of cards with the same rank."""
    return popcount(hand & (hand >> 16)) + popcount(hand & (hand >> 32)) + popcount(hand & (hand >> 48))


@helper
def _fit(hand: int, params: Floats, at: int) -> float:
    """Return the logarithm of the weight of *hand* without the odds of its cards."""
    always_inline()
    return (
        params[at + 1] * np.float32(0.1) * np.float32(min_deadwood(hand))
        + params[at + 2] * np.float32(neighbors(hand))
        + params[at + 3] * np.float32(pairs(hand))
    )


@helper
def walk(
    holder: np.void,
    hand: int,
    known: int,
    hidden: int,
    odds: Floats,
    params: Floats,
    at: int,
    steps: int,
    cards: npt.NDArray[np.int8],
) -> int:
    """Return *hand* after *steps* proposed swaps of a card not *known* for one of *hidden*; uses ``holder.rng``.

    *cards* is a working array of `N_LISTED` numbers.
    """
    fit = _fit(hand, params, at)
    n_mine, n_other = _list_cards(hand, known, hidden, cards)
    if n_mine == 0 or n_other == 0:
        return hand
    for _ in range(steps):
        hand, fit = _try_swap(holder, hand, fit, n_mine, n_other, odds, params, at, cards)
    return hand


@helper
def _try_swap(
    holder: np.void,
    hand: int,
    fit: float,
    n_mine: int,
    n_other: int,
    odds: Floats,
    params: Floats,
    at: int,
    cards: npt.NDArray[np.int8],
) -> tuple[int, float]:
    """Swap one of the first *n_mine* of *cards* for one of the other *n_other*, or not; return the hand and its fit.

    Nobody can foretell whether a swap is accepted: so there is no branch.
    """
    always_inline()
    place, other = below(holder, n_mine), n_mine + below(holder, n_other)
    out, new = np.int64(cards[place]), np.int64(cards[other])
    tried = hand ^ bit(out) ^ bit(new)
    tried_fit = _fit(tried, params, at)
    gain = params[at] * (odds[index_of(new)] - odds[index_of(out)]) + tried_fit - fit
    accepts = LOG_CHANCES[below(holder, N_CHANCES) & (N_CHANCES - 1)] < gain
    cards[place], cards[other] = choose(accepts, new, out), choose(accepts, out, new)
    return choose(accepts, tried, hand), tried_fit if accepts else fit


@helper
def _list_cards(hand: int, known: int, hidden: int, out: npt.NDArray[np.int8]) -> tuple[int, int]:
    """Write to *out* the cards of *hand* that are not *known*, then the others of *hidden*; return how many of each."""
    n, n_mine = 0, popcount(hand & ~known)
    for cards in (hand & ~known, hidden & ~hand):
        while cards:
            out[n] = lowest(cards)
            cards &= cards - 1
            n += 1
    return n_mine, n - n_mine


@helper
def with_known(hand: int, known: int) -> int:
    """Return *hand* with other cards replaced by the missing *known* ones."""
    missing = known & ~hand
    while missing:
        spare = hand & ~known
        hand ^= (spare & -spare) | (missing & -missing)
        missing &= missing - 1
    return hand


@helper
def shape_hands(
    table: np.void, mine: np.void, first: int, belief: Floats, params: Floats, at: int, hands: Masks, n_hands: int
) -> None:
    """Write *n_hands* shaped hands to *hands*, of two walks that start at *first*, a hand drawn from *belief*.

    Two, because the processor goes on with the one while it waits for the other. The weights begin at ``params[at]``;
    the random stream is ``mine.rng``.
    """
    odds, cards, more = stack_array(52, np.float32), stack_array(N_LISTED, np.int8), stack_array(N_LISTED, np.int8)
    write_log_odds(belief, odds)
    hidden = ALL_CARDS & ~(mine.hand | table.pile)
    known = table.known[1 - mine.seat]
    row = at + N_FEATURES * opponent_turns(table, mine)
    one = two = with_known(first, known)
    fit_one = fit_two = _fit(one, params, row)
    n_mine, n_other = _list_cards(one, known, hidden, cards)
    _list_cards(one, known, hidden, more)
    steps = BURN_IN + THINNING
    for i in range(0, n_hands, 2):
        for _ in range(steps if n_mine > 0 and n_other > 0 else 0):
            one, fit_one = _try_swap(mine, one, fit_one, n_mine, n_other, odds, params, row, cards)
            two, fit_two = _try_swap(mine, two, fit_two, n_mine, n_other, odds, params, row, more)
        hands[i] = one
        if i + 1 < n_hands:
            hands[i + 1] = two
        steps = THINNING
