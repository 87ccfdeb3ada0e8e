"""Training of the CFR tables: it learns, it can be cut anywhere, and it says what it cannot do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rummylab._jit import kernel_of
from rummylab.agents.gin.cfr_tables import DRAWS, KNOCKS, SUIT, UNSEEN, Tables
from rummylab.errors import OptionError
from rummylab.learning.cfr.regrets import UPDATE
from rummylab.learning.trainer import train
from rummylab.learning.trainers import gin_cfr as t

SMALL = t.GinCfrOptions(hands=600, block=300, games=20, seed=3)


@kernel_of(UPDATE)
def subtract_regrets(regrets, gains, first, end, keep_positive, keep_negative):
    for s in range(first, end):
        regrets[s] = max(regrets[s] - gains[s], 0.0)


def wins(update: object = t.add_regrets) -> float:
    """Points a hand against untrained tables after two thousand hands."""
    trainer = t.GinCfr(t.GinCfrOptions(seed=5), update=update)
    trainer.learn(2000)
    return t.against_untrained(trainer.average(), 400, 9).points_per_hand.ci[0]


def test_two_thousand_hands_teach_something_and_nothing_with_a_broken_regret_update() -> None:
    assert wins() > 2
    assert not wins(subtract_regrets) > 2


def test_a_run_does_not_hang_on_how_it_is_cut() -> None:
    whole, cut = t.GinCfr(SMALL), t.GinCfr(SMALL)
    whole.learn(500)
    for hands in (1, 199, 300):
        cut.learn(hands)
    assert (whole.regrets == cut.regrets).all()
    assert (whole.sums == cut.sums).all()


def test_what_is_learned_are_shares_and_the_rest_is_marked_unseen() -> None:
    trainer = t.GinCfr(SMALL)
    assert (trainer.average() == UNSEEN).all()
    trainer.learn(300)
    for flat in (trainer.average(), trainer.current()):
        met = flat != UNSEEN
        assert ((flat[met] >= 0) & (flat[met] <= 1)).all()
        assert all(met[part].any() for part in (slice(DRAWS), slice(DRAWS, KNOCKS), slice(KNOCKS, None)))
        assert not met.all()
        assert (flat[:SUIT] == flat[SUIT : 2 * SUIT]).all()
    hands, tried, decisions = trainer.counts
    assert hands == 300
    assert tried >= 2 * decisions > 0


def test_a_run_extended_by_hands_has_the_tables_of_a_longer_one(tmp_path: Path) -> None:
    straight, cut = t.GinCfr(SMALL), t.GinCfr(SMALL)
    manifest = train(straight, tmp_path / "straight", command="rummylab train gin-cfr")
    train(t.GinCfr(t.GinCfrOptions(hands=300, block=300, games=20, seed=3)), tmp_path / "cut")
    train(cut, tmp_path / "cut")
    assert (straight.average() == cut.average()).all()
    assert (Tables.load(tmp_path / "cut" / t.GinCfr.ARTIFACT).flat == straight.average()).all()
    assert manifest["data"]["hands"] == 600
    assert manifest["result"]["against_untrained"]["games"] == 100


def test_wrong_settings_are_told() -> None:
    with pytest.raises(OptionError, match="variant is 'linear'"):
        t.GinCfrOptions(variant="linear")
    with pytest.raises(OptionError, match="hands of the run is 0"):
        t.GinCfrOptions(hands=0)
    with pytest.raises(OptionError, match="examine"):
        t.GinCfrOptions(examine=0)


def test_how_far_a_strategy_moves_is_weighted_by_how_often_it_is_asked() -> None:
    old, new = np.full(t.N_SETS, UNSEEN, np.float32), np.full(t.N_SETS, UNSEEN, np.float32)
    weights = np.zeros(t.N_SETS)
    new[0], new[DRAWS], new[KNOCKS] = 1.0, 0.75, 0.5
    weights[[0, 1, DRAWS, KNOCKS]] = 3, 1, 1, 1
    assert t.moved(old, new, weights) == pytest.approx([0.375, 0.25, 0.0])


def test_a_table_has_settled_when_no_later_round_moves_it_by_a_hundredth() -> None:
    moves = {"discard": (0.5, 0.1, 0.02), "draw": (0.5, 0.009, 0.008), "knock": (0.005, 0.02, 0.009)}
    curve = [[k + 1, 100 * (k + 1), *(moved[k] for moved in moves.values()), 0, 0, 0] for k in range(3)]
    assert t.settled(curve) == {"discard": None, "draw": 200, "knock": 300}
