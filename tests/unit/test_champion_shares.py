"""``benchmarks/champion_shares.py`` finds the shares that made up figures were made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loading import load_module
from rummylab import agent, gin
from rummylab.engine.pointers import addresses
from rummylab.games.gin.rules import ACT

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "champion_shares.py"


@pytest.fixture(scope="module")
def shares() -> Any:
    return load_module(SCRIPT, "champion_shares")


def decisions(shares: Any, networks: float, search: float, noise: float, seed: int = 0, n: int = 4000) -> Any:
    """Made up close decisions, four to a hand, whose noise is that of the hand."""
    rng = np.random.default_rng(seed)
    found = np.zeros((n, shares.N_COLUMNS))
    found[:, shares.NETWORKS] = rng.uniform(0, 4, n)
    found[:, shares.SEARCH] = rng.normal(0, 2, n)
    found[:, shares.HAND] = np.arange(n) // 4
    of_hand = np.repeat(rng.normal(0, noise, n // 4), 4)
    found[:, shares.TRUE] = networks * found[:, shares.NETWORKS] + search * found[:, shares.SEARCH] + of_hand
    return found


def test_the_regression_finds_what_each_opinion_knows(shares: Any) -> None:
    found = decisions(shares, 0.5, 0.3, noise=5)
    both = shares.fit(found[:, [shares.NETWORKS, shares.SEARCH]], found[:, shares.TRUE], found[:, shares.HAND])
    assert np.all(np.abs(both.values - [0.5, 0.3]) < 1.5 * both.halves)
    assert np.all(both.halves < 0.2)


def test_errors_of_one_hand_do_not_count_as_independent(shares: Any) -> None:
    found = decisions(shares, 0.5, 0.3, noise=5)
    one = np.ones((len(found), 1))
    clustered = shares.fit(one, found[:, shares.TRUE], found[:, shares.HAND])
    independent = shares.fit(one, found[:, shares.TRUE], np.arange(len(found)))
    assert clustered.halves[0] > 1.5 * independent.halves[0]


def test_the_true_share_gains_more_than_others_and_none_gains_nothing(shares: Any) -> None:
    found = decisions(shares, 0.5, 0.5, noise=0)
    gains = {share: shares.gain(found, share, 4.0)[0] for share in (0.0, 0.25, 0.5, 0.75, 1.0)}
    assert gains[0.0] == 0
    assert max(gains, key=gains.__getitem__) == 0.5
    assert shares.gain(found, 0.5, 0.0)[0] == 0


@pytest.mark.parametrize("wanted", [0, 1])
def test_close_decisions_are_close_and_played_out_on_equal_terms(shares: Any, wanted: int) -> None:
    players = [agent("gin", "champion"), agent("gin", "simple")]
    found_at = addresses([player.kernel for player in players], [player.params for player in players], ACT)
    params = agent("gin", "champion-search(worlds=8, proposed=16)").params
    found, again = np.zeros((2, 12, shares.N_COLUMNS))
    for out in (found, again):
        shares.gather(gin().new_rows(2), 5, 2.0, 2, params, found_at, wanted, out)
    assert (found == again).all()
    assert (found[:, shares.IS_DRAW] == wanted).all()
    assert (np.abs(found[:, shares.NETWORKS]) < 2).all()
    assert (found[:, shares.NETWORKS] >= 0).all() or wanted  # the first discard is the one that the networks prefer
    assert (np.abs(found[:, shares.TRUE]) <= 250).all()
    assert (np.diff(found[:, shares.HAND]) >= 0).all()
    assert (found[:, shares.TRUE] != 0).any()
