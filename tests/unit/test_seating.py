"""Every agent sits everywhere and after everybody: at three seats and more, who plays before whom is worth points."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_contract_commands import run

from rummylab import match
from rummylab.arena.seating import games_per_deal, orders, predecessors, seatings
from rummylab.arena.statistics import Z95, Floats, ratio, share, student
from rummylab.arena.store import Store
from rummylab.lab.export import summaries


@pytest.mark.parametrize(("seats", "games"), [(2, 2), (3, 6), (4, 24), (5, 30), (6, 36)])
def test_a_deal_is_played_in_all_orders_or_in_six_of_them(seats: int, games: int) -> None:
    assert games_per_deal(seats) == games == len(set(seatings(seats, deal=3)))
    assert all(sorted(seating) == list(range(seats)) for seating in seatings(seats, deal=3))
    seats_of_the_first = [seating.index(0) for seating in seatings(seats, deal=3)]
    assert np.bincount(seats_of_the_first).tolist() == [games // seats] * seats


@pytest.mark.parametrize("seats", [3, 4])
def test_every_agent_plays_after_every_other_equally_often_on_each_deal(seats: int) -> None:
    per_deal = games_per_deal(seats)
    before = predecessors(seats, 2 * per_deal).reshape(2, per_deal, seats)
    for number in range(seats):
        counts = np.bincount(before[1, :, number], minlength=seats)
        assert counts.tolist() == [0 if other == number else per_deal // (seats - 1) for other in range(seats)]


def test_six_seats_play_a_random_sample_of_orders_that_favors_nobody() -> None:
    assert orders(6, deal=1) != orders(6, deal=2)
    assert orders(6, deal=1) == orders(6, deal=1)
    before = predecessors(6, 400 * games_per_deal(6))
    shares = np.array([np.bincount(before[:, number], minlength=6) for number in range(6)]) / len(before)
    assert np.allclose(shares[~np.eye(6, dtype=bool)], 0.2, atol=0.03)


def test_the_order_in_which_agents_are_named_changes_nothing() -> None:
    """It did: melder was worth +1.2 points in one order and +5.8 in the other."""
    one = match("gin_pass", "keats", "dummy", "melder", games=600, seed=1, workers=1)
    two = match("gin_pass", "keats", "melder", "dummy", games=600, seed=1, workers=1)
    assert one.points_per_hand_of(2) == two.points_per_hand_of(1)


def test_the_effect_of_the_neighbor_is_shown() -> None:
    result = match("gin_pass", "keats", "dummy", "melder", games=600, seed=1, workers=1)
    found = {(row["agent"], row["after"]): row for row in result.to_dict()["neighbors"]}
    assert len(found) == 6
    after_keats, after_dummy = found["melder", "keats"], found["melder", "dummy"]
    assert after_keats["points_per_hand_ci"][0] > after_dummy["points_per_hand_ci"][1]
    assert after_keats["effect_ci"][0] > 0 > after_dummy["effect_ci"][1]
    assert after_keats["effect"] + after_dummy["effect"] == pytest.approx(0, abs=0.05)
    assert match("gin", "simple", "random", games=2, workers=1).neighbors() == []


def test_five_seats_play_each_deal_in_six_orders_and_say_so() -> None:
    result = match("indian", "mindist", "minscore", "random", "minscore", "random", games=30, seed=3, workers=1)
    assert result.games == 30
    rows = result.to_dict()["neighbors"]
    assert all(row["agent"] != row["after"] for row in rows)
    assert len(rows) <= 20, "a pair that never sat like this has no number"
    text = run("match", "indian", "mindist", *["random"] * 4, "--games", "30", "--workers", "1")
    assert "circular orders: 6 of 24 at random for each deal" in " ".join(text.split())


def test_all_orders_of_five_or_six_are_played_on_request() -> None:
    for seats, n_orders in ((5, 24), (6, 120)):
        assert games_per_deal(seats, all_orders=True) == seats * n_orders == len(set(seatings(seats, 7, True)))
    five = ("mindist", "minscore", "random", "minscore", "random")
    result = match("indian", *five, games=120, seed=3, workers=1, all_orders=True)
    assert (result.games, result.sums.per_deal) == (120, 120)
    assert len(result.neighbors()) == 20, "everybody sits after everybody"
    assert len(result.won_by_deal()) == 1, "the deal is one draw"
    words = ["match", "indian", *five, "--games", "120", "--workers", "1", "--all-orders"]
    assert "circular orders: all 24" in " ".join(run(*words).split())


def test_matches_in_all_orders_resume_and_are_exported(tmp_path: Path) -> None:
    five, path = ["minscore", "random", "random", "random", "random"], tmp_path / "five.db"
    for games in ("120", "240"):
        words = ["--games", games, "--workers", "1", "--all-orders", "--rules", "platform(round_limit=4)", "--json"]
        found = json.loads(run("match", "indian", *five, *words, "--store", str(path)))
        assert json.loads(run("match", "indian", *five, *words, "--store", str(path)))["by_agent"] == found["by_agent"]
    with Store(path) as store:
        assert [one["games_played"] for one in summaries(store)] == [120, 240]


def deals_of_four(rng: np.random.Generator, n: int, strength: Floats) -> Floats:
    """Return the first agent's share of *n* deals, each played 24 times: the cards favor a seat, whoever sits there."""
    seated = np.array(seatings(4))
    luck = rng.normal(0, 2, (n, 1, 4)) + rng.gumbel(0, 0.5, (n, len(seated), 4))
    winner = np.take_along_axis(seated[None], (luck + strength[seated]).argmax(axis=2)[..., None], axis=2)
    return np.asarray((winner[..., 0] == 0).mean(axis=1))


@pytest.mark.parametrize("strength", [(0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, -1.0)])
def test_short_matches_of_four_seats_have_intervals_that_cover_and_are_no_wider(strength: tuple[float, ...]) -> None:
    """Ten deals; the cards' luck cancels from seat to seat, so that a deal says more than 24 separate games."""
    rng = np.random.default_rng(1)
    shares = deals_of_four(rng, 20_000, np.array(strength))
    found = [share(shares[10 * i : 10 * i + 10], games=24) for i in range(1000)]
    covered = np.mean([estimate.low <= shares.mean() <= estimate.high for estimate in found])
    assert 0.93 <= covered <= 0.97
    width = np.mean([estimate.high - estimate.low for estimate in found])
    assert width < 1.25 * 2 * Z95 * shares.std() / np.sqrt(10)  # it was three times as wide


@pytest.mark.parametrize("deals", [3, 5])
def test_points_of_very_few_deals_have_intervals_that_cover(deals: int) -> None:
    rng = np.random.default_rng(2)
    gains = rng.normal(40.0, 100.0, (1000, deals))
    found = [ratio(gain, np.full(deals, 40.0)) for gain in gains]
    covered = np.mean([estimate.low <= 1 <= estimate.high for estimate in found])
    assert 0.93 <= covered <= 0.97


def test_students_quantiles_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.special")
    for z in (1.0, Z95, 2.576):
        for freedom in (1, 2, 3, 4, 5, 9, 24, 499):
            assert student(freedom, z) == pytest.approx(stats.stdtrit(freedom, stats.ndtr(z)), rel=1e-5)
