"""Ratings from results: Bradley-Terry strengths on the Elo scale, with intervals; cycles that no rating can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummylab.arena.statistics import Z95

Floats = npt.NDArray[np.float64]
ELO = 400 / math.log(10)
"""Elo points per unit of log-odds."""


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's strength on the Elo scale; the field's mean is 0."""

    name: str
    elo: float
    low: float
    high: float


def bradley_terry(names: Sequence[str], wins: Floats, games: Floats) -> list[Rating]:
    """Return the maximum-likelihood ratings, strongest first.

    ``wins[i, j]`` are the games *i* won against *j* (a tie counts half), ``games[i, j]`` those they played. Half a
    virtual win each way for every pair that met keeps a clean sweep finite. The intervals come from the Fisher
    information; they treat games as independent, which is cautious for duplicate deals.
    """
    n = len(names)
    met = games > 0
    won = wins + 0.5 * met
    played = games + 1.0 * met
    theta = np.zeros(n)
    for _ in range(200):
        p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
        gradient = (won - played * p).sum(axis=1)
        information = _information(played, p)
        move = np.linalg.lstsq(information, gradient, rcond=None)[0]
        theta += np.clip(move - move.mean(), -2, 2)
        if np.abs(move).max() < 1e-10:
            break
    p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    error = np.sqrt(np.clip(np.diag(np.linalg.pinv(_information(played, p))), 0, None))
    order = np.argsort(-theta, kind="stable")
    return [
        Rating(names[i], ELO * theta[i], ELO * (theta[i] - Z95 * error[i]), ELO * (theta[i] + Z95 * error[i]))
        for i in order
    ]


def _information(played: Floats, p: Floats) -> Floats:
    weight = played * p * (1 - p)
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def cycles(names: Sequence[str], low: Floats) -> list[tuple[str, str, str]]:
    """Return the triples a > b > c > a in which every step is sure; ``low[i, j]`` bounds i's win rate from below."""
    n = len(names)
    beats = low > 0.5
    found = []
    for a in range(n):
        for b in range(n):
            for c in range(n):
                if a < b and a < c and b != c and beats[a, b] and beats[b, c] and beats[c, a]:
                    found.append((names[a], names[b], names[c]))
    return found


def without_first_move(rate: Floats) -> Floats:
    """Return the skill matrix with the first mover's edge taken out (section VIII of the MinDist paper).

    ``rate[i, j]`` is the win rate of *i* moving first against *j*. Row i against column j then is the mean of i moving
    first and of i moving second: ``(rate[i, j] + 1 - rate[j, i]) / 2``.
    """
    return np.asarray((rate + 1 - rate.T) / 2)
