"""The examples learn more than the untrained know, in a few seconds; recorded decisions are what was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import behavior_cloning
from helpers_cli import run
from rummylab.arena.match import match
from rummylab.envs.datasets import FILE, TensorData, record
from rummylab.envs.vector import VectorEnv
from rummylab.errors import DatasetError
from rummylab.games.registry import GAMES

AGENTS = {"gin_pass": "melder", "indian": "minscore", "contract": "chinese-heuristic"}


@pytest.fixture(scope="module")
def data() -> TensorData:
    return record("gin", "simple", entries=3000, seed=5, tables=64)


def test_cloning_agrees_with_the_agent_more_often_than_the_untrained(data: TensorData) -> None:
    half = len(data) // 2
    parts = [
        TensorData(
            *(getattr(data, name)[rows] for name in ("observations", "masks", "actions", "returns", "seats", "deals")),
            data.about,
        )
        for rows in (slice(half), slice(half, None))
    ]
    weights = behavior_cloning.learn(parts[0])
    assert behavior_cloning.agreement(weights, parts[1]) > 1.3 * behavior_cloning.agreement(0 * weights, parts[1])


def test_recorded_decisions_are_legal_and_their_returns_sum_to_zero_by_deal(data: TensorData) -> None:
    assert data.masks[np.arange(len(data)), data.actions].all()
    for deal in np.unique(data.deals):
        rows = data.deals == deal
        gains = {int(seat): set(data.returns[rows & (data.seats == seat)].tolist()) for seat in (0, 1)}
        assert all(len(one) <= 1 for one in gains.values())
        if all(gains.values()):
            assert sum(next(iter(one)) for one in gains.values()) == 0


@pytest.mark.parametrize("game", [name for name in GAMES if name != "gin"])
def test_agents_of_every_game_can_be_recorded(game: str) -> None:
    made = record(game, AGENTS[game], entries=200, seed=2, tables=8)
    assert len(made) == 200
    assert made.masks[np.arange(200), made.actions].all()


def test_data_without_entries_or_tensors_are_refused_in_words() -> None:
    with pytest.raises(DatasetError, match="at least one entry, not 0"):
        record("gin", "simple", entries=0)
    for words, said in (
        (["--tensors", "--entries", "-5"], "--entries"),
        ([], "rummylab dataset gin --tensors"),
    ):
        assert said in run(["dataset", "gin", "--agent", "simple", "--out", "data", *words]).refused()


def test_a_file_is_read_as_it_was_written_and_the_command_writes_one(tmp_path: Path, data: TensorData) -> None:
    data.save(tmp_path / FILE)
    back = TensorData.load(tmp_path / FILE)
    assert (back.masks == data.masks).all()
    assert (back.observations == data.observations).all()
    assert back.about == data.about
    assert sorted(np.concatenate(list(back.batches(100, 1))).tolist()) == list(range(len(data)))
    told = run(
        ["dataset", "gin", "--tensors", "--agent", "simple", "--entries", "300", "--out", str(tmp_path / "d"), "--json"]
    )
    assert json.loads(told.stdout)["entries"] == 300
    (tmp_path / "broken.npz").write_bytes(b"no archive")
    with pytest.raises(DatasetError, match="cannot be read"):
        TensorData.load(tmp_path / "broken.npz")


def test_ppo_changes_its_policy_and_never_chooses_an_illegal_action() -> None:
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    from ppo_gin import Learner, Settings

    torch.set_num_threads(1)
    learner = Learner(Settings(tables=16, horizon=8, width=16, epochs=1, minibatch=64, seed=3))
    before = learner.policy.by_card.weight.detach().clone()
    for _ in range(3):
        learner.update()
        assert not learner.now.info["illegal"].any()
    assert learner.decisions == 3 * 16 * 8
    assert not torch.equal(before, learner.policy.by_card.weight)


def test_ppo_learns_in_seconds_and_plays_what_it_learned_in_the_arena(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    from ppo_gin import Learner, Settings, Trained

    torch.set_num_threads(1)
    settings = Settings(tables=128, horizon=32, width=32, minibatch=512, seed=3)
    learner = Learner(settings)
    untrained = learner.evaluate(300)
    for _ in range(10):
        learner.update()
    trained = learner.evaluate(300)
    assert trained["points"] - untrained["points"] > 4 * (trained["se"] + untrained["se"])
    torch.save(learner.policy.state_dict(), tmp_path / "ppo.pt")
    player: Any = Trained(tmp_path / "ppo.pt", settings.width)
    result = match("gin", player, "random", games=4, seed=1, workers=1)
    assert result.win_rate.value == 1
    assert not result.faults


def test_suits_are_alike_to_the_policy() -> None:
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    from ppo_gin import Policy, with_deadwood

    env = VectorEnv("gin", 32, opponents="simple", seed=2)
    step = env.step(env.reset().mask.argmax(1))  # half of the tables draw, half discard
    policy, mask = Policy(env.tensors, 16), torch.ones(32, env.n_actions, dtype=torch.bool)
    seen = with_deadwood(step.observation, env.tensors)
    places = np.arange(seen.shape[1])
    for start in (*range(0, env.tensors.layout.cards_size, 52), env.size):  # clubs become hearts, hearts clubs
        places[start : start + 26] = np.roll(places[start : start + 26], 13)
    with torch.no_grad():
        logits, value = policy(torch.tensor(seen), mask)
        swapped, same = policy(torch.tensor(seen[:, places]), mask)
    assert torch.allclose(value, same, atol=1e-5)
    assert torch.allclose(logits[:, :4], swapped[:, :4], atol=1e-5)
    assert torch.allclose(logits[:, 4:17], swapped[:, 17:30], atol=1e-5)
    assert not torch.allclose(logits[:, 4:17], swapped[:, 4:17], atol=1e-5)


def test_openspiels_mccfr_halves_the_exact_exploitability_of_a_small_gin() -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    from small_gin import SmallGin

    small = SmallGin(seed=1)
    assert small.learn(1000) < 0.5 * small.uniform()


def test_openspiels_nfsp_beats_random_play_after_a_few_hands() -> None:
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    pytest.importorskip("tree", reason="dm-tree is not installed")
    pytest.importorskip("open_spiel.python.pytorch.nfsp", reason="OpenSpiel's NFSP for PyTorch is not installed")
    from nfsp_gin import SelfPlay

    torch.set_num_threads(1)
    play = SelfPlay(seed=1)
    play.learn(60)
    mean, error = play.points(30)
    assert mean > 2 * error > 0


def test_maskable_ppo_takes_the_environment() -> None:
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    import torch

    import maskable_ppo

    torch.set_num_threads(1)
    model = maskable_ppo.learn(1024, n_steps=256, batch_size=128, learning_rate=1e-3)
    assert model.num_timesteps == 1024
    before, _ = maskable_ppo.points(maskable_ppo.learn(0), 20)
    assert before < 0
    assert np.isfinite(maskable_ppo.points(model, 20)[0])
