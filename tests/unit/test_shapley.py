"""Shapley values: the axioms that define them, games whose values are known, and their intervals."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rummylab.arena.statistics import linearized, mean, ratio, shapley
from rummylab.errors import OptionError

GAMES = st.integers(1, 4).flatmap(lambda n: arrays(np.float64, 1 << n, elements=st.integers(-100, 100).map(float)))


def by_orders(values: np.ndarray) -> list[float]:
    """The definition: what a player adds on coming in, averaged over all orders of coming in."""
    n = len(values).bit_length() - 1
    added = np.zeros(n)
    orders = list(permutations(range(n)))
    for order in orders:
        there = 0
        for player in order:
            added[player] += values[there | 1 << player] - values[there]
            there |= 1 << player
    return (added / len(orders)).tolist()


@given(GAMES)
def test_shapley_values_are_the_mean_over_all_orders_of_coming_in(values: np.ndarray) -> None:
    assert shapley(values) == pytest.approx(by_orders(values))


@given(GAMES)
def test_they_add_up_to_what_all_players_add_together(values: np.ndarray) -> None:
    assert shapley(values).sum() == pytest.approx(values[-1] - values[0])


def test_players_who_add_the_same_get_the_same_and_one_who_adds_nothing_gets_nothing() -> None:
    # Bits 0 and 1 are worth 6 together and 1 each; bit 2 is along for the ride.
    values = [0, 1, 1, 6, 0, 1, 1, 6]
    assert shapley(values) == pytest.approx([3, 3, 0])


def test_the_values_of_two_games_add_up() -> None:
    one, two = np.random.default_rng(1).random((2, 16))
    assert shapley(one + two) == pytest.approx(shapley(one) + shapley(two))


def test_in_the_glove_game_the_only_left_glove_gets_two_thirds() -> None:
    # Player 0 has a left glove, 1 and 2 have right ones; a pair is worth 1 (Shapley and Shubik).
    values = [float(subset & 1 and subset > 1) for subset in range(8)]
    assert shapley(values) == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_the_airport_game_shares_each_stretch_among_those_who_need_it() -> None:
    # Runways of 8, 11 and 18 (Littlechild and Owen): 8/3, 8/3 + 3/2, 8/3 + 3/2 + 7.
    need = (8, 11, 18)
    values = [max((need[k] for k in range(3) if subset >> k & 1), default=0) for subset in range(8)]
    assert shapley(values) == pytest.approx([8 / 3, 25 / 6, 67 / 6])


def test_what_is_worked_out_deal_by_deal_has_the_value_of_the_means_and_an_honest_interval() -> None:
    rng = np.random.default_rng(3)
    truth = shapley(np.arange(16.0) ** 1.5)
    covered = 0
    for _ in range(200):
        luck = rng.normal(0, 50, 400)  # the deals are the same for everybody, and luck cancels
        values = np.arange(16.0)[:, None] ** 1.5 + luck + rng.normal(0, 3, (16, 400))
        by_deal = shapley(values)
        assert by_deal.mean(axis=1) == pytest.approx(shapley(values.mean(axis=1)))
        first = mean(by_deal[0])
        assert first.high - first.low < 1
        covered += first.low <= truth[0] <= first.high
    assert 180 <= covered <= 199


@pytest.mark.parametrize("n", [0, 3, 15, 17])
def test_values_for_no_whole_number_of_players_are_refused(n: int) -> None:
    with pytest.raises(OptionError, match=f"There are {n} values"):
        shapley(np.zeros(n))


def test_the_linearized_ratio_has_the_value_and_the_error_of_the_ratio() -> None:
    rng = np.random.default_rng(5)
    hands = rng.integers(4, 20, 500).astype(np.float64)
    gain = 2 * hands + rng.normal(0, 40, 500)
    whole, parts = ratio(gain, hands), mean(linearized(gain, hands))
    assert (parts.value, parts.low, parts.high) == pytest.approx((whole.value, whole.low, whole.high))
