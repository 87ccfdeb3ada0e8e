"""Sums over the deals of a match: all that its statistics need, in a size that does not depend on the number of games.

A worker adds up the games of a chunk, and only the sums travel and stay. They are whole numbers in units that divide
every share and gain evenly, so the order in which chunks arrive makes no difference, not even in the last digit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.arena.seating import games_per_deal, predecessors
from rummylab.arena.statistics import Estimate, RatioSums, mean_of, share_of, student
from rummylab.engine.rows import Rows

Ints = npt.NDArray[np.int64]
Smalls = npt.NDArray[np.unsignedinteger[Any]]
Shares = dict[tuple[str, int, int], tuple[int, int, int]]
Layout = dict[str, tuple[slice, tuple[int, ...]]]
DEALS_AT_A_TIME = 1000
"""The deals that may be added up at a time: sums of cubes of up to 200,000 units a deal fit into 64 bits."""
FEW_GAMES = 36
"""Games of a deal with which that holds; sums over more are made of Python's whole numbers."""
_RATIO = len(RatioSums._fields)
FIRST, SECOND, STARTER, AFTER = "moving first", "moving second", "the starter", "after another"
"""Games among which shares are counted: those an agent started, or did not; all of them, won by who started; and those
in which a given other agent plays just before."""


@cache
def _layout(seats: int, outcomes: int) -> Layout:
    """Return where each group of sums is, and its shape."""
    pairs = seats * (seats - 1) if seats > 2 else 0
    shapes: dict[str, tuple[int, ...]] = {
        "deals": (),
        "hands": (),
        "decisions": (),
        "turns": (),
        "outcomes": (outcomes,),
        "won_by": (seats, outcomes),
        "forfeits": (seats,),
        "wins": (seats, 2),  # of a deal: sum and sum of squares
        "games": (2,),  # sums of squares of a game: what the first agent won and gained
        "points": (seats, _RATIO),
        "points_after": (pairs, _RATIO),
        "turns_by_deal": (_RATIO,),  # of a deal: turns, and hands that ended in each way, in the place of the gain
        "ended_by_deal": (outcomes, _RATIO),
        "long": (),  # games of several deals
        "places": (seats, 2),  # of a deal: sum and sum of squares; so are gains, in points or chips
        "gains": (seats, 2),
        "rejoins": (seats,),
        "effect_after": (pairs, 5, 5),  # products of 1, gain and hands after the other, gain and hands in all games
    }
    found: Layout = {}
    start = 0
    for name, shape in shapes.items():
        found[name] = slice(start, start + math.prod(shape)), shape
        start += math.prod(shape)
    return found


@cache
def _size(seats: int, n_outcomes: int) -> int:
    return max(int(where.stop) for where, _ in _layout(seats, n_outcomes).values())


def share_unit(seats: int) -> int:
    """Return the parts in which a game is counted: it divides evenly among all, all but one, two or three agents."""
    return math.lcm(seats * (seats - 1), 6 if seats > 2 else 1)


@dataclass(slots=True)
class MatchSums:
    """Sums over the games of a match. A share of a game is in units of 1 / `share_unit`, a gain of 1 / `gain_unit`."""

    seats: int
    n_outcomes: int
    values: Any
    """All sums in one row: int64 for a chunk, whole numbers of any size for a match."""
    shares: Shares
    """By kind, agent or pair, and number of games of a deal that count: deals, and sum and squares of what was won."""
    all_orders: bool = False
    """Every deal was played in all circular orders, however many there are."""

    @classmethod
    def over(cls, parts: Iterable[MatchSums]) -> MatchSums:
        """Return the sums over all games of *parts*, of which there is at least one."""
        left = iter(parts)
        first = next(left)
        total = replace(first, values=first.values.astype(object), shares=dict(first.shares))
        for part in left:
            total.add(part)
        return total

    def add(self, other: MatchSums) -> None:
        """Add the games of *other*."""
        self.values = self.values + other.values
        for key, found in other.shares.items():
            n, total, squares = self.shares.get(key, (0, 0, 0))
            self.shares[key] = (n + found[0], total + found[1], squares + found[2])

    def __getitem__(self, name: str) -> Any:
        where, shape = _layout(self.seats, self.n_outcomes)[name]
        found = self.values[where].reshape(shape)
        return found if shape else found.item()

    @property
    def share_unit(self) -> int:
        """What a whole game counts in shares, which are kept as whole numbers."""
        return share_unit(self.seats)

    @property
    def gain_unit(self) -> int:
        """What a point counts in gains, which are kept as whole numbers."""
        return self.seats - 1

    @property
    def per_deal(self) -> int:
        """Games of a deal."""
        return games_per_deal(self.seats, self.all_orders)

    @property
    def games(self) -> int:
        """Games played."""
        return int(self["deals"]) * self.per_deal

    def wins(self, number: int) -> tuple[int, float, float]:
        """Return the number of deals, and sum and sum of squares of the share of a deal that an agent won."""
        total, squares = map(int, self["wins"][number])
        unit = self.share_unit * self.per_deal
        return int(self["deals"]), total / unit, squares / unit**2

    def win_rate(self, number: int) -> Estimate:
        """Return the share of games that an agent won, clustered by deal."""
        unit, (total, squares) = self.share_unit * self.per_deal, map(int, self["wins"][number])
        return share_of(*_moments(int(self["deals"]), total, squares, unit), games=self.per_deal)

    def mean_of_games(self, name: str, number: int) -> Estimate:
        """Return an agent's mean place (``places``) or gain (``gains``) in a game, clustered by deal."""
        total, squares = map(int, self[name][number])
        n, mean, variance = _moments(int(self["deals"]), total, squares, self.per_deal)
        return mean_of(n, mean, variance if n > 1 else math.inf)

    def share(self, kind: str, index: int = 0) -> Estimate:
        """Return the share won among the games of one kind, clustered by deal."""
        found = {count: sums for (what, who, count), sums in self.shares.items() if (what, who) == (kind, index)}
        if not found:
            return Estimate(math.nan, math.nan, math.nan)
        common = math.lcm(*found)  # shares of 1, 2, ... games in one unit
        n, total, squares = 0, 0, 0
        for count, sums in found.items():
            n += sums[0]
            total += sums[1] * (common // count)
            squares += sums[2] * (common // count) ** 2
        return share_of(*_moments(n, total, squares, self.share_unit * common), games=max(found))

    def points(self, number: int) -> RatioSums:
        """Return the sums behind an agent's points per hand."""
        return RatioSums(*map(int, self["points"][number]))

    def points_after(self, number: int, other: int) -> RatioSums:
        """Return the same for the games in which *other* plays just before the agent."""
        return RatioSums(*map(int, self["points_after"][pair_number(self.seats, number, other)]))

    def turns(self) -> RatioSums:
        """Return the sums behind the turns of a hand."""
        return RatioSums(*map(int, self["turns_by_deal"]))

    def ended(self, outcome: int) -> RatioSums:
        """Return the sums behind the share of hands that ended with *outcome*."""
        return RatioSums(*map(int, self["ended_by_deal"][outcome]))

    def hands_per_game(self) -> Estimate:
        """Return the mean number of hands in a game, clustered by deal."""
        sums = self.points(0)
        return mean_of(*_moments(sums.n, sums.hands, sums.hands2, self.per_deal))

    def effect_after(self, number: int, other: int) -> Estimate:
        """Return the points per hand after *other* minus those in all games, compared deal by deal."""
        products = self["effect_after"][pair_number(self.seats, number, other)]
        n, gain, hands, all_gain, all_hands = map(int, products[0])
        value, all_value = gain / hands, all_gain / all_hands
        covariance = (n * products[1:, 1:] - np.outer(products[0, 1:], products[0, 1:])).astype(np.float64)
        weights = np.array([n / hands, -value * n / hands, -n / all_hands, all_value * n / all_hands])
        variance = float(weights @ covariance @ weights) / (n * (n - 1)) if n > 1 else math.inf
        estimate = mean_of(n, value - all_value, max(0.0, variance), student(max(1, n - 1)))
        return Estimate(*(part / self.gain_unit for part in (estimate.value, *estimate.ci)))

    def variance_reduction(self) -> dict[str, float]:
        """Return the variance on independent deals over that on duplicate deals, for what the first agent won."""
        (won, won2), points, (won2_of_games, gain2_of_games) = self["wins"][0], self.points(0), self["games"]
        return {
            "win_rate": self._reduction(won, won2, won2_of_games),
            "points": self._reduction(points.gain, points.gain2, gain2_of_games),
        }

    def _reduction(self, total: int, squares: int, squares_of_games: int) -> float:
        deals, per_deal = int(self["deals"]), self.per_deal
        spread = deals * squares - total * total  # deals^2 times the variance of a deal's sum
        alone = per_deal * deals * squares_of_games - total * total  # games^2 times the variance of a game
        return alone / per_deal / spread if spread else 1.0


def _moments(n: int, total: int, squares: int, unit: int) -> tuple[int, float, float]:
    """Return number, mean and variance of values whose sums are given in units of 1 / *unit*."""
    return n, total / (n * unit), (n * squares - total * total) / (n * (n - 1) * unit**2) if n > 1 else 0.0


@cache
def pair_number(seats: int, number: int, other: int) -> int:
    """Return the place of an ordered pair of agents."""
    return list(itertools.permutations(range(seats), 2)).index((number, other))


# --- Adding up a chunk ----------------------------------------------------------------------------------------------


def sums_of(rows: Rows, first_deal: int = 0, all_orders: bool = False) -> MatchSums:
    """Add up the tallies of all games of the deals from *first_deal* on."""
    seats, n_outcomes = rows["won_by"].shape[1:]
    n = games_per_deal(seats, all_orders)
    winner, starter, illegal, hands = (by_deal(rows[name], n) for name in ("winner", "starter", "illegal", "hands"))
    won, gain = _won(winner, illegal, seats, _pot(rows, n)), _gain(by_deal(rows["scores"], n))
    names = {"places", "gains", "rejoins"}.intersection(rows.dtype.names or ())
    of_match = {name: by_deal(rows[name], n) for name in names}
    if "gains" in of_match:  # what was really won and lost: scores do not say what the losers paid
        gain = (seats - 1) * of_match["gains"]
    won_of_deal, gain_of_deal = won.sum(axis=1), gain.sum(axis=1)
    parts = {
        "deals": hands.shape[1],
        "hands": hands.sum(),
        "decisions": rows["decisions"].sum(),
        "turns": rows["turns"].sum() if "turns" in (rows.dtype.names or ()) else 0,
        "outcomes": rows["outcomes"].sum(axis=0),
        "won_by": rows["won_by"].sum(axis=0),
        "forfeits": np.bincount(illegal.ravel(), minlength=seats + 1)[1:],
        "wins": np.stack([won_of_deal.sum(axis=1), (won_of_deal * won_of_deal).sum(axis=1)], axis=1),
        "games": ((won[0] * won[0]).sum(), (gain[0] * gain[0]).sum()),
    }
    turns = rows["turns"] if "turns" in (rows.dtype.names or ()) else np.zeros(len(rows), np.int64)
    counted = np.concatenate([by_deal(turns, n)[None], by_deal(rows["outcomes"], n)]).sum(axis=1)
    ratios = _ratio_sums(np.concatenate([gain_of_deal, counted]), hands.sum(axis=0), _number(n))
    parts |= {"points": ratios[:seats], "turns_by_deal": ratios[seats], "ended_by_deal": ratios[seats + 1 :]}
    if "places" in of_match:
        parts |= {"long": (hands > 1).sum(), "rejoins": of_match["rejoins"].sum(axis=(1, 2))}
        for name in ("places", "gains"):
            total = of_match[name].sum(axis=1)
            parts[name] = np.stack([total.sum(axis=1), (total * total).sum(axis=1)], axis=1)
    started = starter == np.arange(seats)[:, None, None]
    shares = [(FIRST, won, started), (SECOND, won, ~started)]
    if seats == 2:
        by_starter = np.where(winner < 0, 1, 2 * (winner == starter))[None]
        shares.append((STARTER, by_starter, np.ones(by_starter.shape, bool)))
    else:
        after = _after(seats, len(rows), first_deal, all_orders)
        who = [number for number, _ in itertools.permutations(range(seats), 2)]
        shares.append((AFTER, won[who], after))
        parts |= _sums_after(gain[who], hands, after)
    values = np.zeros(_size(seats, n_outcomes), _number(n))
    for name, found in parts.items():
        values[_layout(seats, n_outcomes)[name][0]] = np.asarray(found).reshape(-1)
    return MatchSums(seats, n_outcomes, values, _shares(shares), all_orders)


def _number(per_deal: int) -> Any:
    """Return what sums over deals of so many games are made of."""
    return np.int64 if per_deal <= FEW_GAMES else object


def by_deal(values: Any, per_deal: int) -> Ints:
    """Return numbers of games by game of a deal and deal; if they are by agent too, that comes first.

    The many deals come last, since NumPy is slow at adding up a few numbers at a time.
    """
    found = values.reshape(len(values) // per_deal, per_deal, *values.shape[1:]).T
    return np.ascontiguousarray(found, np.int64)


def sums_over(rows: Rows, all_orders: bool = False) -> MatchSums:
    """Add up the tallies of a match of any length."""
    games = DEALS_AT_A_TIME * games_per_deal(rows["scores"].shape[1], all_orders)
    starts = range(0, max(1, len(rows)), games)
    parts = (sums_of(rows[i : i + games], i // games * DEALS_AT_A_TIME, all_orders) for i in starts)
    return MatchSums.over(parts)


def won_by_deal(rows: Rows, all_orders: bool = False) -> Smalls:
    """Return what the first agent won of each deal, in units of `MatchSums.share_unit`."""
    seats = rows["scores"].shape[1]
    n = games_per_deal(seats, all_orders)
    winner, illegal = by_deal(rows["winner"], n), by_deal(rows["illegal"], n)
    won = _won(winner, illegal, seats, _pot(rows, n))[0].sum(axis=0)
    return np.asarray(won, np.uint8 if seats == 2 else np.uint16)


def _pot(rows: Rows, per_deal: int) -> Ints | None:
    """Return the shares of the pot by agent, in a game whose matches can be split."""
    return by_deal(rows["shares"], per_deal) if "shares" in (rows.dtype.names or ()) else None


def _won(winner: Ints, illegal: Ints, seats: int, pot: Ints | None = None) -> Ints:
    """Return what each agent won of each game: the whole game, or its part if nobody won it alone.

    Of a game that was forfeited the others have equal shares. A split *pot* is rounded to the unit of shares.
    """
    agents, unit = np.arange(seats)[:, None, None], share_unit(seats)
    won = unit * (winner == agents)
    if (winner < 0).any():
        parts = np.where(illegal == 0, unit // seats, np.where(illegal == agents + 1, 0, unit // (seats - 1)))
        if pot is not None:
            whole = np.maximum(pot.sum(axis=0), 1)
            is_split = (illegal == 0) & (pot.sum(axis=0) > 0)
            parts = np.where(is_split, (2 * unit * pot + whole) // (2 * whole), parts)
        won = np.where(winner < 0, parts, won)
    return np.asarray(won)


def _gain(scores: Ints) -> Ints:
    """Return each agent's points minus the mean of the others."""
    return np.asarray(len(scores) * scores - scores.sum(axis=0))


def _ratio_sums(gain: Ints, hands: Ints, number: Any) -> Ints:
    """Return `RatioSums` for each row of *gain*, in the type *number*; *hands* has one row, or as many."""
    gain, hands = gain.astype(number, copy=False), hands.astype(number, copy=False)
    gain2, hands2 = gain * gain, hands * hands
    terms = np.empty((_RATIO, *gain.shape), number)
    products = (1, gain, hands, gain2, gain * hands, hands2, gain2 * gain, gain2 * hands, gain * hands2, hands2 * hands)
    for place, product in enumerate(products):
        terms[place] = product
    return np.asarray(terms.sum(axis=-1).T)


def _shares(kinds: Sequence[tuple[str, Ints, Any]]) -> Shares:
    """Add up what each row of each kind won, deal by deal, of the games that count."""
    rows = [(kind, who) for kind, won, _ in kinds for who in range(len(won))]
    won, counts = (np.concatenate([kind[part] for kind in kinds]) for part in (1, 2))
    n_games, total = counts.sum(axis=1), (won * counts).sum(axis=1)
    found: Shares = {}
    for count in (1 + np.flatnonzero(np.bincount(n_games.ravel())[1:])).tolist():
        chosen = n_games == count
        of_count = total * chosen
        sums = np.stack([chosen.sum(axis=1), of_count.sum(axis=1), (of_count * of_count).sum(axis=1)], axis=1)
        found |= {(*row, count): (n, one, two) for row, (n, one, two) in zip(rows, sums.tolist(), strict=True) if n}
    return found


def _after(seats: int, n_games: int, first_deal: int, all_orders: bool) -> Any:
    """Return for each ordered pair of agents in which games the second plays just before the first."""
    before = by_deal(predecessors(seats, n_games, first_deal, all_orders), games_per_deal(seats, all_orders))
    return np.array([before[number] == other for number, other in itertools.permutations(range(seats), 2)])


def _sums_after(gain: Ints, hands: Ints, after: Any) -> dict[str, Any]:
    """Add up gain and hands of each ordered pair of agents; deals in which they never sat like this are left out."""
    met, own_gain, own_hands = after.any(axis=1), (gain * after).sum(axis=1), (hands * after).sum(axis=1)
    columns = np.stack([met, own_gain, own_hands, gain.sum(axis=1) * met, hands.sum(axis=0) * met], axis=1)
    points = _ratio_sums(own_gain, own_hands, _number(gain.shape[1]))
    points[:, 0] = met.sum(axis=1)
    return {"points_after": points, "effect_after": columns @ columns.swapaxes(-1, -2)}
