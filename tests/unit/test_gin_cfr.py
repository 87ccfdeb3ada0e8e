"""Training of the CFR tables: it learns, it carries on where it stopped, and it notices what does not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rummylab._jit import kernel_of
from rummylab.agents.gin.cfr_tables import DRAWS, KNOCKS, SUIT, UNSEEN
from rummylab.errors import ArtifactError, OptionError
from rummylab.learning.cfr import checkpoint
from rummylab.learning.cfr.regrets import UPDATE
from rummylab.learning.gin_cfr import train as t

SMALL = t.Settings(hands=600, block=300, games=20, seed=3)


@kernel_of(UPDATE)
def subtract_regrets(regrets, gains, first, end, keep_positive, keep_negative):
    for s in range(first, end):
        regrets[s] = max(regrets[s] - gains[s], 0.0)


def wins(update: object = t.add_regrets) -> float:
    """Points a hand against untrained tables after two thousand hands."""
    trainer = t.Trainer(t.Settings(seed=5), update=update)
    trainer.run(2000)
    points, _ = t.against_untrained(trainer.average(), 400, 9)
    return points.ci[0]


def test_two_thousand_hands_teach_something_and_nothing_with_a_broken_regret_update() -> None:
    assert wins() > 2
    assert not wins(subtract_regrets) > 2


def test_a_run_does_not_hang_on_how_it_is_cut() -> None:
    whole, cut = t.Trainer(SMALL), t.Trainer(SMALL)
    whole.run(500)
    for hands in (1, 199, 300):
        cut.run(hands)
    assert (whole.regrets == cut.regrets).all()
    assert (whole.sums == cut.sums).all()


def test_what_is_learned_are_shares_and_the_rest_is_marked_unseen() -> None:
    trainer = t.Trainer(SMALL)
    assert (trainer.average() == UNSEEN).all()
    trainer.run(300)
    for flat in (trainer.average(), trainer.current()):
        met = flat != UNSEEN
        assert ((flat[met] >= 0) & (flat[met] <= 1)).all()
        assert all(met[part].any() for part in (slice(DRAWS), slice(DRAWS, KNOCKS), slice(KNOCKS, None)))
        assert not met.all()
        assert (flat[:SUIT] == flat[SUIT : 2 * SUIT]).all()
    hands, tried, decisions = trainer.counts
    assert hands == 300
    assert tried >= 2 * decisions > 0


def test_training_writes_tables_curve_and_figure_and_carries_on(tmp_path: Path) -> None:
    straight = t.train(tmp_path / "straight", SMALL, command="rummylab train gin-cfr", plot=False)
    half = t.Settings(hands=300, block=300, games=20, seed=3)
    steps: list[int] = []
    t.train(tmp_path / "cut", half, plot=False, progress=lambda done, total, words: steps.append(done))
    carried_on = t.train(tmp_path / "cut", SMALL, progress=lambda done, total, words: steps.append(done))
    assert steps == [300, 600]
    assert (straight.flat == carried_on.flat).all()
    assert straight.manifest["result"]["iterations"] == 600
    assert straight.manifest["command"] == "rummylab train gin-cfr"
    lines = (tmp_path / "cut" / t.CURVE).read_text().splitlines()
    assert lines[0] == ",".join(t.COLUMNS)
    assert len(lines) == 3
    assert (tmp_path / "cut" / t.PLOT).stat().st_size > 1000


def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    trainer = t.Trainer(SMALL)
    trainer.run(20)
    path = tmp_path / t.CHECKPOINT
    trainer.save(path)
    with pytest.raises(ArtifactError, match="its seed is 3, but 4 is needed"):
        t.Trainer(t.Settings(block=300, seed=4)).restore(path)
    with pytest.raises(ArtifactError, match="its variant is 'cfr\\+', but 'cfr' is needed"):
        t.Trainer(t.Settings(block=300, seed=3, variant="cfr")).restore(path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ArtifactError, match="truncated"):
        t.train(tmp_path, SMALL, plot=False)


def test_a_checkpoint_without_its_curve_is_refused(tmp_path: Path) -> None:
    path = tmp_path / t.CHECKPOINT
    t.Trainer(SMALL).save(path)
    arrays, label = checkpoint.load(path)
    del arrays["curve"]
    checkpoint.save(path, arrays, label)
    with pytest.raises(ArtifactError, match="the curve is missing"):
        t.Trainer(SMALL).restore(path)


def test_wrong_settings_are_told() -> None:
    with pytest.raises(OptionError, match="linear needs whole sweeps"):
        t.Settings(variant="linear")
    with pytest.raises(OptionError, match="hands and block"):
        t.Settings(hands=0)
    with pytest.raises(OptionError, match="examine"):
        t.Settings(examine=0)


def test_how_far_a_strategy_moves_is_weighted_by_how_often_it_is_asked() -> None:
    old, new = np.full(t.N_SETS, UNSEEN, np.float32), np.full(t.N_SETS, UNSEEN, np.float32)
    weights = np.zeros(t.N_SETS)
    new[0], new[DRAWS], new[KNOCKS] = 1.0, 0.75, 0.5
    weights[[0, 1, DRAWS, KNOCKS]] = 3, 1, 1, 1
    assert t.moved(old, new, weights) == pytest.approx([0.375, 0.25, 0.0])


def test_a_table_has_settled_when_no_later_block_moves_it_by_a_hundredth() -> None:
    moves = {"discard": (0.5, 0.1, 0.02), "draw": (0.5, 0.009, 0.008), "knock": (0.005, 0.02, 0.009)}
    curve = [[100 * (k + 1), 2.0 * (k + 1), *(moved[k] for moved in moves.values()), 0, 0, 0] for k in range(3)]
    assert t.settled(curve) == {
        "discard": None,
        "draw": {"hands": 200, "seconds": 4.0},
        "knock": {"hands": 300, "seconds": 6.0},
    }


def test_the_command_trains_and_says_what_is_wrong(tmp_path: Path) -> None:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "rummylab", "train", "gin-cfr", "--out", str(tmp_path), *options]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    done = run("--hands", "100", "--block", "100", "--games", "4", "--no-plot")
    assert done.returncode == 0, done.stderr
    assert "100 hands" in done.stdout
    manifest = json.loads((tmp_path / "gin_cfr.json").read_text())
    assert manifest["command"].startswith("rummylab train gin-cfr")
    wrong = run("--seed", "2", "--block", "100", "--no-plot")
    assert wrong.returncode == 2
    assert "its seed is 1, but 2 is needed" in wrong.stderr
    (tmp_path / "file").touch()
    wrong = run("--out", str(tmp_path / "file"), "--no-plot")
    assert (wrong.returncode, wrong.stderr) == (2, f"error: {tmp_path / 'file'}: File exists\n")
