"""Ratings: Bradley-Terry strengths on the Elo scale, with intervals, and cycles that no rating can show.

Strengths are relative, so one agent is the anchor and has Elo 0. An interval contains the differences from the anchor
whose profile likelihood is large enough. The threshold depends on how much the games of a deal vary together: all pairs
play the same deals, so deals are the independent draws (docs/concepts/ratings.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.arena.statistics import Floats, student
from rummylab.errors import OptionError

ELO = 400 / math.log(10)
"""Elo points per unit of log-odds."""
_SWEEP = -2 * math.log(0.05)
"""How much less likely a sweep may be at its bound than at best, as a deviance: it then has a chance of 5%."""
_TINY = 1e-3
"""Virtual games won each way by every pair that met, where bounds are sought: enough to keep all numbers finite."""
_FARTHEST = 30.0
"""A distance in log-odds (5,200 Elo) beyond which no end of an interval is looked for."""
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's strength on the Elo scale, relative to the anchor."""

    name: str
    elo: float
    """Infinite for an agent that is rated by a bound only, NaN for one that cannot be compared with the anchor."""
    low: float
    high: float
    is_anchor: bool = False

    @property
    def is_rated(self) -> bool:
        """Whether there is a number, not only a bound."""
        return math.isfinite(self.elo)

    @property
    def is_comparable(self) -> bool:
        """Whether the results say anything about this agent and the anchor."""
        return not math.isnan(self.elo)

    @property
    def bound(self) -> float:
        """What is known of an agent without a rating of its own: the finite end of its interval."""
        return self.low if self.elo > 0 else self.high

    def __str__(self) -> str:
        if not self.is_comparable:
            return "not comparable"
        return f"{self.elo:+.0f}" if self.is_rated else f"{'≥' if self.elo > 0 else '≤'} {self.bound:+.0f}"

    @property
    def interval(self) -> str:
        """The interval in words."""
        if self.is_anchor:
            return "anchor"
        return f"{self.low:+.0f} to {self.high:+.0f}".replace("inf", "∞") if self.is_rated else "-"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; an end without a bound is None."""
        low, high, elo = (value if math.isfinite(value) else None for value in (self.low, self.high, self.elo))
        return {"agent": self.name, "elo": elo, "ci": [low, high], "anchor": self.is_anchor, "text": str(self)}


def rate(
    names: Sequence[str], scores: Mapping[tuple[int, int], Floats], anchor: str | None = None, *, games: int = 2
) -> list[Rating]:
    """Return the ratings, strongest first.

    ``scores[i, j]`` says, deal by deal, which share of the deal's *games* agent *i* won against *j*. Deal number k has
    the same cards for all pairs. Without *anchor*, the first named agent is the anchor that belongs to the largest
    group in which nobody is swept.

    An agent that has won (or lost) every game against the anchor's group has no finite rating, only a bound. Agents
    that neither met the anchor nor are connected to it by results both ways cannot be compared with it.

    Raises:
        OptionError: *anchor* is not among *names*.
    """
    field = ScoreMatrix.of(len(names), scores, games)
    if anchor is not None and anchor not in names:
        raise OptionError(f"The anchor {anchor!r} is not among the agents: {', '.join(names)}.")
    number = field.default_anchor() if anchor is None else names.index(anchor)
    low, elo, high = (ELO * values[0] for values in intervals([field], [number]))
    found = [Rating(name, elo[i], low[i], high[i], i == number) for i, name in enumerate(names)]
    rank = {r.name: (not r.is_comparable, -r.elo, -r.bound) for r in found}
    rank |= {r.name: (True, 0.0, -field.win_rate(i)) for i, r in enumerate(found) if not r.is_comparable}
    return sorted(found, key=lambda r: rank[r.name])


def rating_notes(ratings: Sequence[Rating], shown: Callable[[str], str] = str) -> list[str]:
    """Return notes for a table of ratings: what 0 means, what a bound means, and who is not comparable.

    *shown* formats an agent's name.
    """
    anchor = next(shown(r.name) for r in ratings if r.is_anchor)
    notes = [f"Elo relative to {anchor}, whose rating is 0 by definition."]
    if any(r.is_comparable and not r.is_rated for r in ratings):
        notes.append("≥ and ≤ are 95% bounds for agents that won, or lost, every game on the way to the anchor.")
    if apart := [shown(r.name) for r in ratings if not r.is_comparable]:
        notes.append(f"No results connect {anchor} with {', '.join(apart)}: they have no rating on this scale.")
    return notes


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Who won how much against whom, in total and deal by deal."""

    won: Floats
    """``won[i, j]``: the games that i won against j; a tie counts half."""
    played: Floats
    pairs: npt.NDArray[np.int64]
    residuals: Floats
    """By pair and deal: what the first won beyond its mean."""

    @classmethod
    def of(cls, n: int, scores: Mapping[tuple[int, int], Floats], games: int) -> ScoreMatrix:
        """Return the matrix of *n* agents from the scores of each pair that met, deal by deal."""
        met = {pair: values for pair, values in scores.items() if pair[0] != pair[1] and len(values)}
        won, played = np.zeros((n, n)), np.zeros((n, n))
        residuals = np.zeros((len(met), max((len(values) for values in met.values()), default=0)))
        for k, ((i, j), values) in enumerate(met.items()):
            total = games * float(values.sum())
            won[i, j], won[j, i] = total, games * len(values) - total
            played[i, j] = played[j, i] = games * len(values)
            residuals[k, : len(values)] = games * (values - values.mean())
        return cls(won, played, np.array(list(met), np.int64).reshape(-1, 2), residuals)

    @property
    def n_deals(self) -> int:
        """Deals that every pair played."""
        return int(self.residuals.shape[1])

    def win_rate(self, i: int) -> float:
        """Return the share of its games that agent *i* won."""
        return float(self.won[i].sum() / max(1.0, self.played[i].sum()))

    def limited_by(self) -> Bools:
        """Return whether i's strength cannot exceed j's without limit: i lost to j, or to one who lost to j, ..."""
        reach = (self.won.T > 0) | np.eye(len(self.won), dtype=bool)
        for _ in range(len(reach).bit_length()):
            reach = reach @ reach
        return np.asarray(reach)

    def default_anchor(self) -> int:
        """Return the first agent of the largest group in which everybody limits everybody: nobody is swept."""
        limited = self.limited_by()
        has_played = self.played.any(axis=1)
        return int(((limited & limited.T).sum(axis=1) + 0.5 * has_played).argmax())

    def threshold(self, anchor: int, soft: Floats) -> tuple[Floats, Floats, float]:
        """Return how much the deviance may grow within each agent's interval, standard errors, and a sweep's growth.

        The deviance of independent games is compared with chi-square. Here it is scaled by the variance of the
        estimate, clustered by deal, over the variance that independent games would give. One deal of independent games
        is added to those observed, so that few deals give no extreme ratio, and Student's t allows for its error.
        *soft* are the strengths with half a virtual game won each way by every pair: finite even for a sweep.
        """
        n, deals = len(self.won), self.n_deals
        free = np.arange(n) != anchor
        p = _p(soft)
        weight = self.played * p * (1 - p)
        variance = np.zeros((n, n))
        variance[np.ix_(free, free)] = np.linalg.pinv((np.diag(weight.sum(axis=1)) - weight)[np.ix_(free, free)])
        model = np.clip(np.diag(variance), 1e-12, None)
        influence = (variance[:, self.pairs[:, 0]] - variance[:, self.pairs[:, 1]]) @ self.residuals
        clustered = (influence**2).sum(axis=1) * deals / max(1, deals - 1)
        ratio = (1 + (deals - 1) * clustered / model) / max(1, deals)
        expected = weight[self.pairs[:, 0], self.pairs[:, 1]].sum()
        overall = max(1.0, float((self.residuals**2).sum()) / max(expected, 1e-12))
        return ratio * student(max(1, deals)) ** 2, np.sqrt(model), overall * _SWEEP


def intervals(fields: Sequence[ScoreMatrix], anchors: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """Return lower ends, estimates and upper ends in log-odds relative to the anchors: a row for each field.

    The fields have the same number of agents; many at once are faster than one by one.
    """
    won, played = np.array([field.won for field in fields]), np.array([field.played for field in fields])
    met, place = played > 0, np.arange(len(fields))
    limited = np.array([field.limited_by() for field in fields])
    above, below = limited[place, :, anchors], limited[place, anchors]
    free = np.arange(won.shape[1]) != np.array(anchors)[:, None]
    soft = maximize(won + 0.5 * met, played + met, np.zeros(free.shape), free)
    deviance, spread, is_rated = np.empty(free.shape), np.empty(free.shape), above & below
    for k, field in enumerate(fields):
        rated, spread[k], swept = field.threshold(anchors[k], soft[k])
        deviance[k] = np.where(is_rated[k], rated, swept)
    estimate = np.where(above, -np.inf, np.where(below, np.inf, np.nan))
    low, high = np.full(free.shape, -np.inf), np.full(free.shape, np.inf)
    # Ratings depend on games within the anchor's group alone. About 1/n virtual games won each way by every pair, as
    # Jeffreys' prior has it, take the bias out of ratings that few games decide.
    inside = is_rated[:, :, None] & is_rated[:, None, :] & met
    virtual = inside / is_rated.sum(axis=1)[:, None, None]
    for chosen, kept, extra in ((is_rated, inside, virtual), (~is_rated, met, _TINY * met)):
        most, of = won * kept + extra, played * kept + 2 * extra
        best = maximize(most, of, soft, free)
        estimate, low, high = (np.where(is_rated & chosen, best, values) for values in (estimate, low, high))
        for ends, sign, has in ((low, -1, below), (high, 1, above)):
            which, who = np.nonzero(chosen & has & free)
            search = _Search(most[which], of[which], best[which], free[which], who, sign)
            ends[which, who] = search.ends(deviance[which, who], spread[which, who])
    return low, np.asarray(estimate), high


def _p(theta: Floats) -> Floats:
    """Return the chance of each agent against each other."""
    return np.asarray(1 / (1 + np.exp(theta[..., None, :] - theta[..., :, None])))


def maximize(won: Floats, played: Floats, start: Floats, free: Bools) -> Floats:
    """Return the strengths of highest likelihood, one row for each row of *start*; only those marked *free* move."""
    theta, eye = start.copy(), np.eye(start.shape[1])
    active = np.arange(len(theta))
    for _ in range(100):
        moves = free[active]
        p = _p(theta[active])
        gradient = (won[active] - played[active] * p).sum(axis=2) * moves
        weight = played[active] * p * (1 - p)
        information = eye * (weight.sum(axis=2) + 1e-9)[:, :, None] - weight
        information = np.where(moves[:, :, None] & moves[:, None, :], information, eye)
        step = np.clip(np.linalg.solve(information, gradient[..., None])[..., 0], -1.5, 1.5)
        theta[active] += step
        active = active[np.abs(step).max(axis=1) > 1e-6]
        if not len(active):
            break
    return theta


def _deviance(won: Floats, theta: Floats) -> Floats:
    """Return minus twice the log-likelihood of each row of strengths."""
    return np.asarray(2 * (won * np.logaddexp(0, theta[:, None, :] - theta[:, :, None])).sum(axis=(1, 2)))


@dataclass(frozen=True, slots=True)
class _Search:
    """Ends of profile intervals: in each row agent *who* moves up or down (*sign*), and the others follow."""

    won: Floats
    played: Floats
    best: Floats
    free: Bools
    who: npt.NDArray[np.int64]
    sign: int

    def ends(self, deviance: Floats, spread: Floats) -> Floats:
        """Return where the deviance has grown by *deviance*; infinite where it never does.

        Its root is nearly linear in the distance, so regula falsi needs a few steps; every fourth one halves the
        bracket.
        """
        rows = np.arange(len(self.who))
        others = self.free.copy()
        others[rows, self.who] = False
        theta, center = self.best.copy(), self.best[rows, self.who]
        least, target = _deviance(self.won, self.best), np.sqrt(deviance)
        distance = target * np.clip(spread, 0.01, 5.0)
        near, far = np.zeros(len(rows)), np.full(len(rows), np.inf)
        at_near, at_far = np.zeros(len(rows)), np.full(len(rows), np.nan)
        found = np.full(len(rows), np.inf)
        for turn in range(60):
            theta[rows, self.who[rows]] = center[rows] + self.sign * distance[rows]
            theta[rows] = maximize(self.won[rows], self.played[rows], theta[rows], others[rows])
            root = np.sqrt(np.clip(_deviance(self.won[rows], theta[rows]) - least[rows], 0, None))
            inside = root < target[rows]
            near[rows[inside]], at_near[rows[inside]] = distance[rows[inside]], root[inside]
            far[rows[~inside]], at_far[rows[~inside]] = distance[rows[~inside]], root[~inside]
            hit = np.abs(root - target[rows]) < 5e-4 * target[rows]
            found[rows[hit]] = distance[rows[hit]]
            rows = rows[~hit & ~(inside & (distance[rows] > _FARTHEST))]
            if not len(rows):
                break
            distance[rows] = _next_distance(near[rows], far[rows], at_near[rows], at_far[rows], target[rows], turn)
        return np.asarray(center + self.sign * found)


def _next_distance(near: Floats, far: Floats, at_near: Floats, at_far: Floats, target: Floats, turn: int) -> Floats:
    """Return where to look next: on the line through both ends of the bracket, halfway, or farther out."""
    is_closed = np.isfinite(far)
    wide = np.where(is_closed, far - near, 1.0)
    line = near + wide * (target - at_near) / np.where(is_closed, np.maximum(at_far - at_near, 1e-12), 1.0)
    within = (line > near + 0.001 * wide) & (line < far - 0.001 * wide) & (turn % 4 != 3)
    outward = near * np.clip(1.1 * target / np.maximum(at_near, 1e-3), 1.2, 2.5) + 0.1
    return np.where(is_closed, np.where(within, line, near + wide / 2), outward)


def cycles(names: Sequence[str], low: Floats) -> list[tuple[str, str, str]]:
    """Return the triples a > b > c > a in which every step is significant; ``low[i, j]`` bounds i's win rate below."""
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
    """Return the skill matrix without the first mover's advantage (section VIII of the MinDist paper).

    ``rate[i, j]`` is the win rate of *i* moving first against *j*. Row i against column j then is the mean of i moving
    first and of i moving second: ``(rate[i, j] + 1 - rate[j, i]) / 2``.
    """
    return np.asarray((rate + 1 - rate.T) / 2)
