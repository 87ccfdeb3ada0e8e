"""Comparisons of two Gin agents with the luck of the cards taken out, in the manner of AIVAT (Burch et al., 2018).

What a card drawn from the stock does for a hand, less its mean over all cards that the stock holds at that moment, is
zero on average, whoever plays and however well. So is the difference of the two dealt hands' deadwood. Subtracting any
multiple of such *luck terms* from the result of a hand leaves its mean as it is and removes variance. The multiples are
fitted by regression on other hands than those they are applied to, which keeps the estimate unbiased.

    python -m rummylab.analysis.luck simple medium 4000
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.agents.registry import agent
from rummylab.analysis.trials import payoffs_of
from rummylab.cards.bits import bit
from rummylab.cards.melds import best_discards, min_deadwood
from rummylab.engine.matches import checked_move
from rummylab.engine.pointers import Ints, addresses, agent_caller
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.games.gin import rules as r

Floats = npt.NDArray[np.float64]
STAGES = (2, 4, 6, 9)
"""Turns of a player at which a new stage of the hand begins."""
N_STAGES = len(STAGES) + 1
FEATURES = ("deadwood", "may knock", "gin")
"""What a drawn card does for a hand after the best discard."""
N_FEATURES = len(FEATURES)
N_TERMS = 1 + N_STAGES * N_FEATURES
"""The deal, then each feature in each stage: seat 0's luck less seat 1's."""


@helper
def _stage(turn: int) -> int:
    own, stage = turn >> 1, 0
    while stage < N_STAGES - 1 and own >= STAGES[stage]:
        stage += 1
    return stage


@helper
def _add_luck(row: np.void, seat: int, first: int, n: int, terms: Floats) -> None:
    """Add the luck of the card that *seat* has drawn; *n* cards from place *first* of the deck could have come."""
    table, drawn = row.table, np.int64(row.deck[first])
    hand = row.mine[seat].hand & ~bit(drawn)
    sign = 1.0 if seat == 0 else -1.0
    at = 1 + N_FEATURES * _stage(np.int64(table.turn))
    for i in range(first, first + n):
        cards = hand | bit(row.deck[i])
        _, left = best_discards(cards, cards)
        weight = sign * ((1.0 if i == first else 0.0) - 1.0 / n)
        terms[at] -= weight * left
        terms[at + 1] += weight * (left <= table.limit)
        terms[at + 2] += weight * (left == 0)


@cache
def _kernel() -> Any:
    move, ask = checked_move(r), agent_caller(r.ACT)

    @kernel_of(
        types.int64(types.Array(from_dtype(r.RECORD), 1, "C"), types.int64[:, ::1], types.float64[:, ::1]), __file__
    )
    def play_with_luck(rows: Rows, agents: Ints, terms: Floats) -> int:
        """Play hands to their end and write their luck terms; return the first one with an illegal move, or -1."""
        for i in range(rows.shape[0]):
            row = rows[i]
            terms[i, 0] = min_deadwood(row.mine[1].hand) - min_deadwood(row.mine[0].hand)
            while row.table.actor >= 0:
                seat, first, n = np.int64(row.table.actor), np.int64(row.pos), np.int64(row.table.stock)
                if not move(row, ask(agents, seat, row.table, row.mine[seat])):
                    return i
                if row.pos > first:
                    _add_luck(row, seat, first, n, terms[i])
        return -1

    return play_with_luck


def hands_with_luck(rules: Rules, names: Sequence[str], n: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Play *n* hands between two agents, the first in seat 0; return its points and the luck terms of each hand.

    The seat that starts alternates.
    """
    rng = np.random.default_rng(seed)
    rows = rules.new_rows(n)
    rules.deal(rows, [rules.shuffled(seed, pair) for pair in range(n)], [k % 2 for k in range(n)])
    rows["mine"]["rng"] = rng.integers(2**63, size=rows["mine"]["rng"].shape, dtype=np.int64).astype(np.uint64)
    players = [agent(rules.name, name) for name in names]
    terms = np.zeros((n, N_TERMS))
    kernels, params = [one.kernel for one in players], [one.params for one in players]
    _kernel()(rows, addresses(kernels, params, r.ACT), terms)
    return payoffs_of(rules, rows)[:, 0], terms


@dataclass(frozen=True)
class Comparison:
    """Points of one agent against another, as played and with the luck taken out."""

    hands: int
    raw: float
    raw_se: float
    mean: float
    """Points a hand with the luck taken out: an unbiased estimate of the same number."""
    se: float

    @property
    def factor(self) -> float:
        """How many times as many hands the plain mean needs for the same standard error."""
        return (self.raw_se / self.se) ** 2


def compare(points: Floats, terms: Floats) -> Comparison:
    """Return the mean of *points* with and without the luck in *terms*.

    Each half of the hands is corrected by multiples that the other half has fitted.
    """
    half = len(points) // 2
    corrected = np.empty_like(points)
    for fit_on, use_on in ((slice(None, half), slice(half, None)), (slice(half, None), slice(None, half))):
        centered = points[fit_on] - points[fit_on].mean()
        multiples = np.linalg.lstsq(terms[fit_on], centered, rcond=None)[0]
        corrected[use_on] = points[use_on] - terms[use_on] @ multiples
    n = len(points)
    return Comparison(
        n,
        float(points.mean()),
        float(points.std(ddof=1) / np.sqrt(n)),
        float(corrected.mean()),
        float(corrected.std(ddof=1) / np.sqrt(n)),
    )


def main(arguments: list[str]) -> None:
    """Print the comparison of two agents, as played and with the luck taken out."""
    from rummylab.games.registry import game

    first, second, *more = arguments
    n = int(more[0]) if more else 4000
    found = compare(*hands_with_luck(game("gin").rules(), (first, second), n, seed=1))
    sys.stdout.write(
        f"{first} against {second}, {n:,} hands: {found.raw:+.2f} ± {found.raw_se:.2f} points a hand as played, "
        f"{found.mean:+.2f} ± {found.se:.2f} with the luck taken out ({found.factor:.2f} times fewer hands)\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
