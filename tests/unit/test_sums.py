"""Sums in place of games: every statistic of a match is what it would be from the tallies, in any order of chunks."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from rummylab import match
from rummylab.arena.backends import ThisProcess
from rummylab.arena.jobs import Played, tally_of
from rummylab.arena.match import MatchResult, collect
from rummylab.arena.seating import games_per_deal, predecessors
from rummylab.arena.sequential import Sprt
from rummylab.arena.statistics import (
    Estimate,
    Floats,
    RatioSums,
    bootstrap_ratio,
    linearized,
    mean,
    ratio,
    ratio_of,
    share,
    skewed,
    student,
)
from rummylab.arena.sums import MatchSums, sums_of
from rummylab.arena.tournament import Plan, first_movers_share, tournament
from rummylab.errors import OptionError

LINE_UPS = {
    "two seats": ("gin", ("simple", "simple")),
    "three seats": ("indian", ("mindist", "minscore", "random")),
    "four seats": ("gin_pass", ("melder", "dummy", "random", "random")),
    "five seats, sampled orders": ("indian", ("minscore", "random", "random", "minscore", "random")),
    "five seats, all orders": ("indian", ("minscore", "random", "random", "minscore", "random")),
}


def played(name: str) -> MatchResult:
    game_name, agents = LINE_UPS[name]
    return match(game_name, *agents, games=240, seed=3, workers=1, all_orders=name.endswith("all orders"))


def with_forfeits(result: MatchResult) -> MatchResult:
    """Return *result* with some games forfeited, drawn, and started by others than it should be."""
    rows, rng = result.tallies.copy(), np.random.default_rng(1)
    n, seats = len(rows), result.seats
    rows["winner"][rng.random(n) < 0.2] = -1
    guilty = rng.random(n) < 0.1
    rows["illegal"][guilty] = rng.integers(1, seats + 1, guilty.sum())
    rows["winner"][guilty] = 2 - rows["illegal"][guilty] if seats == 2 else -1
    rows["starter"][guilty] = 0
    if "shares" in rows.dtype.names:  # nobody has a share of a pot that nobody won
        rows["shares"][rows["winner"] < 0] = 0
    return collect(result.game, result.rules, result.agents, 3, [Played(rows)], all_orders=result.sums.all_orders)


class Twin:
    """The statistics of a match, deal by deal from its tallies: slow and readable."""

    def __init__(self, result: MatchResult) -> None:
        self.tallies, self.seats, orders = result.tallies, result.seats, result.sums.all_orders
        self.per_deal = games_per_deal(self.seats, orders)
        self.before = predecessors(self.seats, len(self.tallies), 0, orders)

    def by_deal(self, values: Any) -> Floats:
        return np.asarray(values, np.float64).reshape(-1, self.per_deal)

    def wins(self, number: int) -> Floats:
        winner, offender = self.tallies["winner"], self.tallies["illegal"]
        innocent = np.where(offender == number + 1, 0.0, 1 / (self.seats - 1))
        return np.where(winner < 0, np.where(offender == 0, 1 / self.seats, innocent), winner == number)

    def gain(self, number: int) -> Floats:
        if "gains" in self.tallies.dtype.names:
            return np.asarray(self.tallies["gains"][:, number], np.float64)
        scores = np.asarray(self.tallies["scores"], np.float64)
        return np.asarray(scores[:, number] - (scores.sum(axis=1) - scores[:, number]) / (self.seats - 1))

    def win_rate(self, number: int) -> Estimate:
        return share(self.by_deal(self.wins(number)).mean(axis=1), games=self.per_deal)

    def points(self, number: int) -> Estimate:
        return ratio(self.by_deal(self.gain(number)).sum(axis=1), self.by_deal(self.tallies["hands"]).sum(axis=1))

    def win_rate_where(self, number: int, chosen: Any) -> Estimate:
        games = self.by_deal(chosen).sum(axis=1)
        won = self.by_deal(self.wins(number) * chosen).sum(axis=1)
        return share(won[games > 0] / games[games > 0], games=round(float(games.max())))

    def points_after(self, number: int, other: int) -> tuple[Floats, Floats]:
        chosen = self.before[:, number] == other
        hands = self.by_deal(self.tallies["hands"] * chosen).sum(axis=1)
        return self.by_deal(self.gain(number) * chosen).sum(axis=1)[hands > 0], hands[hands > 0]

    def effect(self, number: int, other: int) -> Estimate:
        gain, hands = self.points_after(number, other)
        met = self.by_deal(self.before[:, number] == other).any(axis=1)
        all_gain = self.by_deal(self.gain(number)).sum(axis=1)[met]
        all_hands = self.by_deal(self.tallies["hands"]).sum(axis=1)[met]
        return mean(linearized(gain, hands) - linearized(all_gain, all_hands), student(max(1, len(gain) - 1)))

    def reduction(self, by_deal: Floats) -> float:
        deals = float(np.var(by_deal.mean(axis=1)))
        return float(np.var(by_deal)) / by_deal.shape[1] / deals if deals else 1.0


def same(found: Estimate, expected: Estimate) -> bool:
    return (found.value, *found.ci) == pytest.approx((expected.value, *expected.ci), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", LINE_UPS)
@pytest.mark.parametrize("spoiled", [False, True], ids=["as played", "with forfeits and draws"])
def test_every_statistic_from_sums_is_that_from_the_games(name: str, spoiled: bool) -> None:
    result = with_forfeits(played(name)) if spoiled else played(name)
    twin, rows = Twin(result), result.tallies
    assert (result.games, result.hands, result.decisions) == (240, rows["hands"].sum(), rows["decisions"].sum())
    assert result.turns_per_hand == pytest.approx(rows["turns"].sum() / rows["hands"].sum())
    assert list(result.forfeits().values()) == [(rows["illegal"] == k + 1).sum() for k in range(result.seats)]
    assert list(result.outcomes().values()) == [n / result.hands for n in rows["outcomes"].sum(axis=0) if n]
    hands = twin.by_deal(rows["hands"]).sum(axis=1)
    assert same(result.sums.hands_per_game(), mean(hands / twin.per_deal))
    assert result.sums.turns() == of_pairs(twin.by_deal(rows["turns"]).sum(axis=1), hands)
    for k, counted in enumerate(rows["outcomes"].T):
        assert result.sums.ended(k) == of_pairs(twin.by_deal(counted).sum(axis=1), hands)
    reduction = result.variance_reduction()
    assert reduction["win_rate"] == pytest.approx(twin.reduction(twin.by_deal(twin.wins(0))))
    assert reduction["points"] == pytest.approx(twin.reduction(twin.by_deal(twin.gain(0))))
    for k in range(result.seats):
        assert same(result.win_rate_of(k), twin.win_rate(k))
        assert same(result.points_per_hand_of(k), twin.points(k))
        assert same(result.moving_first(k), twin.win_rate_where(k, rows["starter"] == k))
        assert same(result.moving_second(k), twin.win_rate_where(k, rows["starter"] != k))
        assert list(result.won_by(k).values()) == [n / result.hands for n in rows["won_by"][:, k].sum(axis=0) if n]
    for k, other in itertools.permutations(range(result.seats if result.seats > 2 else 0), 2):
        assert same(result.win_rate_after(k, other), twin.win_rate_where(k, twin.before[:, k] == other))
        assert same(result.points_per_hand_after(k, other), ratio(*twin.points_after(k, other)))
        assert same(result.neighbor_effect(k, other), twin.effect(k, other))


@pytest.mark.parametrize("name", LINE_UPS)
def test_chunks_add_up_to_the_same_numbers_in_any_order(name: str) -> None:
    result = with_forfeits(played(name))
    per_deal, orders = result.sums.per_deal, result.sums.all_orders
    deals = len(result.tallies) // per_deal
    cuts = sorted({0, 1, deals // 3, deals - 1, deals})
    parts = [sums_of(result.tallies[per_deal * a : per_deal * b], a, orders) for a, b in itertools.pairwise(cuts)]
    for order in (parts, parts[::-1]):
        whole = MatchSums.over(order)
        assert (whole.values == result.sums.values).all()
        assert whole.shares == result.sums.shares


def test_the_first_movers_share_follows_from_sums() -> None:
    alone = with_forfeits(match("gin", "simple", "simple", games=240, seed=3, workers=1))
    winner, starter = alone.tallies["winner"], alone.tallies["starter"]
    expected = share(np.where(winner < 0, 0.5, winner == starter).reshape(-1, 2).mean(axis=1))
    assert same(first_movers_share(alone), expected)


def test_a_long_match_has_no_games_and_all_numbers() -> None:
    words = {"games": 1200, "seed": 4, "rules": "openspiel"}
    whole = match("gin", "simple", "random", workers=1, **words)  # type: ignore[arg-type]
    for workers in (1, 2):
        long = match("gin", "simple", "random", workers=workers, keep_games=1000, **words)  # type: ignore[arg-type]
        measured = ("seconds", "hands_per_s", "decision_time")
        one, two = ({k: v for k, v in r.to_dict().items() if k not in measured} for r in (whole, long))
        assert one == two
        with pytest.raises(OptionError, match="Play it with keep_games=1200"):
            _ = long.tallies


def test_a_tournament_without_its_games_has_the_same_standings() -> None:
    plan = Plan(game="gin", agents=("simple", "random"), games=1100, seed=2, self_play=True)
    whole, long = (tournament(plan, backend=ThisProcess(), keep_games=n) for n in (10_000, 0))
    assert whole.to_dict() == long.to_dict()
    assert all(result.rows is None for result in long.results.values())


def test_a_sequential_test_decides_the_same_from_sums() -> None:
    per_pair = np.random.default_rng(1).integers(0, 5, 400) / 4
    one, two = Sprt(0.5, 0.55), Sprt(0.5, 0.55)
    for chunk in per_pair.reshape(8, 50):
        assert one.add(chunk) == two.add_sums(50, float(chunk.sum()), float((chunk**2).sum()))
        assert one.llr == two.llr


def of_pairs(gain: Floats, hands: Floats) -> RatioSums:
    powers = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
    return RatioSums(*(int((gain**i * hands**j).sum()) for i, j in powers))


def test_sums_of_huge_numbers_lose_nothing() -> None:
    """A billion deals that are won by one point too many, and one that is not: floats could not tell the spread."""
    n = 10**9
    sums = RatioSums(n, n - 1, n, n - 1, n - 1, n, n - 1, n - 1, n - 1, n)
    assert sums.residuals()[0] == pytest.approx((n - 1) / n, rel=1e-12)
    assert ratio_of(sums).value == pytest.approx(1 - 1e-9, abs=1e-15)


def test_a_skewed_ratio_without_its_pairs_has_an_interval_like_the_bootstraps() -> None:
    rng = np.random.default_rng(4)
    hands = rng.integers(2, 9, 60).astype(np.float64)
    gain = np.round(np.where(rng.random(60) < 0.05, 400, rng.integers(-9, 10, 60)))
    expected = bootstrap_ratio(gain, hands)
    found, normal = ratio_of(of_pairs(gain, hands)), mean(linearized(gain, hands))
    assert same(ratio_of(of_pairs(gain, hands), 1, lambda: (gain, hands)), expected)
    assert found.value - found.low < found.high - found.value, "the long tail is on the right"
    assert abs(found.high - expected.high) < abs(normal.high - expected.high)


def test_intervals_of_skewed_values_cover_the_truth_more_often_than_normal_ones() -> None:
    rng, covered = np.random.default_rng(5), np.zeros(2)
    for values in rng.lognormal(0, 1.2, (500, 40)):
        error, spread = values.std(ddof=1) / math.sqrt(40), values.std()
        skewness = float(np.mean(((values - values.mean()) / spread) ** 3))
        both = skewed(40, values.mean(), error, skewness), mean(values)
        covered += [found.low <= math.exp(0.72) <= found.high for found in both]
    assert covered[0] > covered[1] + 10


def test_a_ratio_of_pairs_all_alike_has_no_spread() -> None:
    assert ratio_of(of_pairs(np.full(50, 3.0), np.full(50, 2.0))).ci == (1.5, 1.5)
    assert ratio_of(of_pairs(np.full(10, 3.0), np.full(10, 2.0))).ci == (1.5, 1.5)


def test_no_games_have_sums_too() -> None:
    assert sums_of(np.zeros(0, tally_of("indian", 3))).games == 0
