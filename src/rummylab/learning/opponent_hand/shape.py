"""Fit the weights of `rummylab.beliefs.gin.shape`, and measure the deadwood of sampled hands.

The weights are those of an exponential family, so the likelihood has one maximum: where sampled hands have, on average,
the features of the real ones. Each step starts a walk at the real hands (contrastive divergence, Hinton 2002) and moves
the weights by the difference of the means, scaled by the covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.beliefs.gin import sampling, shape
from rummylab.beliefs.gin.planes import N_CARDS
from rummylab.beliefs.gin.shape import N_FEATURES, N_STAGES
from rummylab.cards.bits import IDS_52, index_of, lowest
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import mix
from rummylab.learning.opponent_hand.beliefs import Belief, chunks, known_cards
from rummylab.learning.opponent_hand.hands import Hands

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int64]

STREAM = np.dtype([("rng", "u8")])
_BITS = np.int64(1) << IDS_52.astype(np.int64)
_PURPOSE = 23
STEPS = 60  # swaps of a walk that starts at a real hand
ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Positions:
    """What sampling needs to know about entries: masks of cards, beliefs, and the opponent's turns."""

    hidden: Masks
    """Cards outside the player's own hand and the pile."""
    known: Masks
    held: Masks
    beliefs: Floats
    stages: npt.NDArray[np.int64]

    @classmethod
    def of(cls, hands: Hands, belief: Belief, entries: int) -> Positions:
        """Return the first *entries* of *hands* under *belief*."""
        parts: list[tuple[npt.NDArray[np.generic], ...]] = []
        left = entries
        for _, planes, held in chunks(hands):
            planes, held = planes[:left], held[:left]
            left -= len(planes)
            hidden, known = planes[:, :N_CARDS] == 0, known_cards(planes)
            chances = np.where(hidden, belief(planes), 0).astype(np.float32)
            stages = np.minimum((planes[:, 3 * N_CARDS :] > 0).sum(axis=1), N_STAGES - 1)
            parts.append((_masks(hidden), _masks(known), _masks(held > 0), chances, stages))
            if not left:
                break
        return cls(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def __getitem__(self, which: npt.NDArray[np.bool_] | slice) -> Positions:
        return Positions(
            self.hidden[which], self.known[which], self.held[which], self.beliefs[which], self.stages[which]
        )

    @property
    def held_cards(self) -> Floats:
        """The opponent's hands, a row of 52 each."""
        return cards_of(self.held)


def cards_of(hands: Masks) -> Floats:
    """Return hands as rows of 52 zeros and ones."""
    return np.asarray(hands[:, None] & _BITS != 0, np.float32)


def _masks(cards: npt.NDArray[np.bool_]) -> Masks:
    return np.asarray((cards * _BITS).sum(axis=1), np.int64)


@kernel
def walk_many(
    streams: npt.NDArray[np.void],
    hidden: Masks,
    known: Masks,
    start: Masks,
    beliefs: Floats,
    stages: npt.NDArray[np.int64],
    params: Floats,
    steps: int,
    out: Masks,
) -> None:
    """Write the end of a walk from each *start* to *out*."""
    odds, cards = np.empty(52, np.float32), np.empty(shape.N_LISTED, np.int8)
    for i in range(hidden.shape[0]):
        shape.write_log_odds(beliefs[i], odds)
        at = N_FEATURES * stages[i]
        first = shape.with_known(start[i], known[i])
        out[i] = shape.walk(streams[0], first, known[i], hidden[i], odds, params, at, steps, cards)


@kernel
def write_features(hands: Masks, beliefs: Floats, out: npt.NDArray[np.float64]) -> None:
    """Write the features of each of *hands* to *out*."""
    odds = np.empty(52, np.float32)
    for i in range(hands.shape[0]):
        shape.write_log_odds(beliefs[i], odds)
        out[i, 0] = 0
        left = hands[i]
        while left:
            out[i, 0] += odds[index_of(lowest(left))]
            left &= left - 1
        out[i, 1] = 0.1 * min_deadwood(hands[i])
        out[i, 2] = shape.neighbors(hands[i])
        out[i, 3] = shape.pairs(hands[i])


@kernel
def sample_one_each(streams: npt.NDArray[np.void], hidden: Masks, beliefs: Floats, out: Masks) -> None:
    """Write one hand drawn card by card for each of *beliefs* to *out*."""
    ways = np.empty((53, 11), np.float64)
    one = np.empty(1, np.int64)
    for i in range(hidden.shape[0]):
        sampling.sample_hands(streams[0], hidden[i], beliefs[i], ways, one, 1)
        out[i] = one[0]


def _stream(seed: int, number: int) -> npt.NDArray[np.void]:
    streams = np.zeros(1, STREAM)
    streams["rng"] = mix(seed, number, 0, _PURPOSE)
    return streams


def fit(positions: Positions, seed: int) -> Floats:
    """Return the weights of every stage, one row each."""
    weights = np.tile(np.array([1.0, 0, 0, 0]), (N_STAGES, 1))
    for stage in range(N_STAGES):
        here = positions[positions.stages == stage]
        if stage:
            weights[stage] = weights[stage - 1]
        if len(here.held) < 200:  # too few hands last this long: keep the weights of the stage before
            continue
        real = np.empty((len(here.held), N_FEATURES))
        write_features(here.held, here.beliefs, real)
        for number in range(ROUNDS):
            drawn = _walk(here, here.held, weights, STEPS, _stream(seed, stage * ROUNDS + number))
            found = np.empty_like(real)
            write_features(drawn, here.beliefs, found)
            spread = np.cov(found.T) + 0.05 * np.eye(N_FEATURES)
            pace = 1.0 if number < ROUNDS // 2 else 0.3
            weights[stage] += pace * np.linalg.solve(spread, (real - found).mean(axis=0))
    return weights.astype(np.float32)


def _walk(
    here: Positions, start: Masks, weights: npt.NDArray[np.floating], steps: int, streams: npt.NDArray[np.void]
) -> Masks:
    out = np.empty(len(start), np.int64)
    params = np.ascontiguousarray(weights, np.float32).ravel()
    walk_many(streams, here.hidden, here.known, start, here.beliefs, here.stages, params, steps, out)
    return out


def sample(positions: Positions, weights: Floats | None, seed: int) -> Masks:
    """Return one sampled hand for each of *positions*: card by card, or shaped by *weights*."""
    streams = _stream(seed, 1 << 20)
    hands = np.empty(len(positions.held), np.int64)
    sample_one_each(streams, positions.hidden, positions.beliefs, hands)
    return hands if weights is None else _walk(positions, hands, weights, shape.BURN_IN, streams)


def marginals(positions: Positions, weights: Floats, seed: int, hands: int = 60) -> Floats:
    """Return the share of shaped hands that have each card; the belief counts as one hand more."""
    total = positions.beliefs.copy()
    for number in range(hands):
        total += cards_of(sample(positions, weights, seed + 1 + number))
    return np.asarray(total / (hands + 1), np.float32)


def mean_deadwood(hands: Masks) -> float:
    """Return the mean deadwood of *hands*."""
    return float(np.mean([min_deadwood(int(hand)) for hand in hands])) if len(hands) else 0.0


def deadwood_by_turn(positions: Positions, hands: Masks) -> dict[int, float]:
    """Return the mean deadwood of *hands* by the opponent's complete turns."""
    stages = np.unique(positions.stages)
    return {int(stage): round(mean_deadwood(hands[positions.stages == stage]), 2) for stage in stages}
