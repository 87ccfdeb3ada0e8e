"""Measures of a belief about the opponent's hand, entry by entry.

"Top K Categorical Accuracy" has two readings. ``top_k`` is the share of the opponent's cards among the K most probable.
``first_card_top_k`` considers only the first card held, in the paper's order of rank before suit: that is what the
Keras metric of this name computes for targets with several ones, and it resembles the paper's Table 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.arena.statistics import Z95
from rummylab.beliefs.gin.planes import N_CARDS

Floats = npt.NDArray[np.float32]

TOP = (10, 15, 20, 25)
STAGES = {"turns 1-3": (1, 3), "turns 4-6": (4, 6), "turns 7-9": (7, 9), "turns 10+": (10, 1000)}
"""Stages of a hand, by the number of the player's own turn."""
N_TOP = len(TOP)
LOSS, BRIER = 2 * N_TOP, 2 * N_TOP + 1
N_MEASURES = 2 * N_TOP + 2
N_BINS = 20
_LEAST = 1e-7  # a probability of exactly 0 or 1 that is wrong costs 16, not infinity
_TOP = np.array(TOP)


@helper
def _first_card(held: Floats, i: int) -> int:
    """Return the card of the lowest rank that is held, in the first suit that has it."""
    for rank in range(13):
        for suit in range(4):
            if held[i, 13 * suit + rank] > 0:
                return 13 * suit + rank
    return -1


@kernel
def measure(beliefs: Floats, held: Floats, out: Floats) -> None:
    """Write both kinds of top-K accuracy, log loss and Brier score of each row of *beliefs* to *out*.

    Cards that tie for the last of the K places share them: the expectation over a random order counts.
    """
    for i in range(beliefs.shape[0]):
        for t in range(2 * N_TOP):
            out[i, t] = 0
        first = _first_card(held, i)
        loss, squares, n_held = 0.0, 0.0, 0.0
        for c in range(N_CARDS):
            p = min(max(np.float64(beliefs[i, c]), _LEAST), 1 - _LEAST)
            squares += (beliefs[i, c] - held[i, c]) ** 2
            loss -= np.log(p if held[i, c] > 0 else 1 - p)
            n_held += held[i, c]
            if held[i, c] > 0:
                above, equal = 0, 0
                for other in range(N_CARDS):
                    above += 1 if beliefs[i, other] > beliefs[i, c] else 0
                    equal += 1 if beliefs[i, other] == beliefs[i, c] else 0
                for t in range(N_TOP):
                    inside = min(max((_TOP[t] - above) / equal, 0.0), 1.0)
                    out[i, t] += inside
                    if c == first:
                        out[i, N_TOP + t] = inside
        for t in range(N_TOP):
            out[i, t] /= n_held
        out[i, LOSS] = loss / N_CARDS
        out[i, BRIER] = squares / N_CARDS


@kernel
def calibrate(beliefs: Floats, held: Floats, bins: npt.NDArray[np.float64]) -> None:
    """Add to *bins*, by probability: cards, the sum of their probabilities, cards held. Certain cards do not count."""
    for i in range(beliefs.shape[0]):
        for c in range(N_CARDS):
            p = beliefs[i, c]
            if 0 < p < 1:
                b = int(min(p * N_BINS, N_BINS - 1))
                bins[b, 0] += 1
                bins[b, 1] += p
                bins[b, 2] += held[i, c]


@dataclass
class Score:
    """Sums of the measures of one belief, by stage of the hand."""

    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    bins: npt.NDArray[np.float64]

    @classmethod
    def empty(cls) -> Score:
        n = len(STAGES)
        return cls(np.zeros((n, N_MEASURES)), np.zeros(n, np.int64), np.zeros((N_BINS, 3)))

    def add(self, beliefs: Floats, held: Floats, own_turns: npt.NDArray[np.int64]) -> None:
        """Add the rows of *beliefs*; *own_turns* are the players' turns, from 1."""
        found = np.empty((len(beliefs), N_MEASURES), np.float32)
        measure(beliefs, held, found)
        calibrate(beliefs, held, self.bins)
        for s, (low, high) in enumerate(STAGES.values()):
            at = (own_turns >= low) & (own_turns <= high)
            self.sums[s] += found[at].sum(axis=0, dtype=np.float64)
            self.counts[s] += int(at.sum())

    def add_score(self, other: Score) -> None:
        """Add another score."""
        self.sums += other.sums
        self.counts += other.counts
        self.bins += other.bins

    @property
    def totals(self) -> tuple[npt.NDArray[np.float64], int]:
        """The sums of the measures over all stages, and the number of entries."""
        return self.sums.sum(axis=0), int(self.counts.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return the means, overall and by stage, and the reliability table."""
        stages = {
            name: {"entries": int(n), **_named(sums / max(int(n), 1))}
            for name, sums, n in zip(STAGES, self.sums, self.counts, strict=True)
        }
        reliability = [
            {"cards": int(n), "believed": round(p / n, 5), "held": round(h / n, 5)} for n, p, h in self.bins if n
        ]
        total = max(int(self.counts.sum()), 1)
        return {**_named(self.sums.sum(axis=0) / total), "stages": stages, "reliability": reliability}


def shard_interval(sums: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return a mean and half the width of its 95% interval, from whole shards: entries of a game are dependent."""
    value, n = float(sums.sum() / sizes.sum()), len(sizes)
    spread = float(np.std(sums - value * sizes, ddof=1)) if n > 1 else float(sizes[0])
    return value, float(Z95 * spread * np.sqrt(n) / sizes.sum())


def _named(means: npt.NDArray[np.float64]) -> dict[str, Any]:
    shares = [round(float(share), 5) for share in means]
    names = [str(k) for k in TOP]
    return {
        "top_k": dict(zip(names, shares[:N_TOP], strict=True)),
        "first_card_top_k": dict(zip(names, shares[N_TOP:LOSS], strict=True)),
        "log_loss": shares[LOSS],
        "brier": shares[BRIER],
    }
