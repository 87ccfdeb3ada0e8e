"""`chinese-counter`: its counts, its network, its fitted numbers, and that it beats the seed's AI."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contract_tables
from contract_tables import JUNK, READY, deal
from helpers import push
from rummylab._jit import kernel
from rummylab.agents.contract import counting as c
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.card import Card
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.contract.melds import TWOS
from rummylab.learning.trainer import train
from rummylab.learning.trainers import chinese_counter as learning

LAY_DOWN = "lay down 7c 7h 7s; lay down 9c 9h 2s"


@kernel
def features_of(views, hand, wilds, discard, out):
    table, mine = views[0].table, views[0].mine
    live, live_wilds = c.unseen_cards(table, mine) & ~TWOS, c.unseen_wilds(table, mine)
    c.write_features(table, np.int64(mine.seat), hand, wilds, c.fitting(table), discard, live, live_wilds, out)


@kernel
def worth_of(params, network, room):
    return c.worth(params, network, room)


def after(state: State, discard: str) -> dict[str, float]:
    """The features of the position after the actor throws *discard*, by their names."""
    seen = state.observe(Seat(int(state.actor or 0)))
    card = Card.parse(discard)
    naturals = [held for held in seen.hand if not held.is_joker and held.rank != 1]
    kept = sum(1 << held.id for held in naturals if held != card)
    out = np.zeros(c.N_FEATURES, np.float32)
    features_of(seen.view, np.int64(kept), np.int64(len(seen.hand) - len(naturals)), np.int64(card.id), out)
    return dict(zip(c.FEATURES, map(float, out), strict=True))


def test_the_own_hand_is_counted() -> None:
    found = after(push(deal("7c 7h 7s 9c 9h Kd 4d", stock="Qs"), "draw stock"), "Kd")
    assert found["ranks held three times or more"] == 1
    assert found["pairs"] == 1
    assert found["singles"] == 2
    assert found["one card short of it"] == 1
    assert found["unseen cards that make a pair a set"] == 2 / 4
    assert found["unseen wilds"] == 6 / 4
    assert found["what the hand costs"] == pytest.approx((6 * 5 + 10) / 50)
    unseen = 54 - 8 - 1
    assert found["chance that the next card brings the hand nearer"] == pytest.approx(4 * (2 + 6) / unseen)


@pytest.mark.parametrize(
    ("hand", "short"),
    [
        ("7c 7h 7s 9c 9h 9s 4d", 0),
        ("7c 7h 7s 9c 9h 2s 4d", 0),
        ("7c 7h 9c 9h 2h 2s 4d", 0),
        ("7c 7h 9c 9h Ts 2s 4d", 1),
        ("7c 7h 7s 9c 2c 2h 4d", 1),
        ("7c 7h 7s 9c Th Jh 4d", 2),
        ("7c 7h 9c 9h Ts Jh 4d", 2),
        ("7c 8h 9c Th 2c 2h 4d", 2),
        ("7c 8h 9c Th Jc Qh 4d", 4),
    ],
)
def test_how_many_cards_a_hand_is_short_of(hand: str, short: int) -> None:
    found = after(push(deal(hand, "3c 5d 6h 8s Td Qc Kh", "Ad", "Ac"), "draw stock"), "Ac")
    told = {
        0: found["the contract is in the hand"],
        1: found["one card short of it"],
        2: found["two cards short"],
    }
    assert [k for k, value in told.items() if value] == ([short] if short < 3 else [])
    assert found["cards short beyond two"] == max(0, short - 2)


def test_the_opponent_and_the_discard_are_read() -> None:
    state = deal("3c 5d 6h 8s Td Qc Kh", READY.replace("4d", "4s"), "7d", "Ks Qd")
    push(state, "draw stock; discard 3c; draw stock; discard 4s")
    found = after(push(state, "draw stock"), "5d")
    assert found["cards the opponent is known to hold"] == 0
    assert found["the discard is of a rank the opponent has refused or discarded"] == 0
    assert after(state, "Td")["chance that the opponent holds the rank of the discard"] > 0
    taken = push(deal(JUNK, READY, "7d", "Ks"), "draw stock; discard 3c; draw upcard; discard 4d; draw stock")
    found = after(taken, "Kh")
    assert found["cards the opponent is known to hold"] == 1 / 2
    assert found["cards the opponent has taken from the pile"] == pytest.approx(1 / 3)


def test_after_his_lay_down_the_fits_are_counted() -> None:
    state = push(deal(READY, "7d 9s 5d 6h 8s Td Kh", stock="3s 3d"), f"draw stock; {LAY_DOWN}; discard 4d; draw stock")
    found = after(state, "7d")
    assert found["the opponent has laid down"] == 1
    assert found["cards that fit a meld on the table"] == 1
    assert found["the discard fits a meld"] == found["the opponent can lay the discard off"] == 1
    assert after(state, "Kh")["the discard fits a meld"] == 0
    assert found["cards the opponent holds"] == pytest.approx(1 / 7)


def test_the_network_equals_its_readable_twin() -> None:
    rng = np.random.default_rng(3)
    networks = [learning.new_network(rng) for _ in c.SITUATIONS]
    params = np.array(
        [*c.CounterOptions().params, *(x for network in networks for x in learning.flat(network))], np.float32
    )
    for _ in range(30):
        x = (rng.random(c.N_FEATURES) * (rng.random(c.N_FEATURES) < 0.6)).astype(np.float32)
        for number in range(3):
            room = np.zeros(c.ROOM, np.float32)
            room[: c.N_FEATURES] = x
            expected = learning.predict(learning.network_of(learning.flat(networks[number])), x[None])[0]
            assert worth_of(params, np.int64(number), room) == pytest.approx(expected, abs=1e-4)


# --- What it does -----------------------------------------------------------------------------------------------------


choice = partial(contract_tables.choice, name="chinese-counter")


def test_a_wild_discard_is_taken_and_never_thrown() -> None:
    assert choice(deal("7c 7h 9c 9h Kd Qs 4d", up="PJ")) == "draw upcard"
    state = push(deal("2c 2h 9c Jh Kd Qs 4d"), "draw stock")
    assert choice(state).split()[0] == "discard"
    assert choice(state).split()[1] not in ("2c", "2h")


def test_it_plays_contracts_it_does_not_know_like_the_seeds_ai() -> None:
    one = match("contract", "chinese-counter", "chinese-heuristic", games=20, seed=2, rules="contract-7", workers=1)
    assert not one.tallies["illegal"].any()
    rules = {"contract": "S3+R4", "hand_sizes": "10"}
    state = push(deal("7c 7h 7s 5d 6d 8d Kc Qh 4s 9s", "3c 3d 6h 8s Td Qc Kh Jc Js Ac", "Ad", **rules), "draw stock")
    heuristic = agent("contract", "chinese-heuristic")
    heuristic.sit(state.rules, Seat(0), np.random.default_rng(1))
    assert choice(state) == str(heuristic.act(state.observe(Seat(0))))


def test_it_beats_the_seeds_ai() -> None:
    result = match("contract", "chinese-counter", "chinese-heuristic", games=6000, seed=4242, workers=1)
    assert result.win_rate.low > 0.56
    assert result.points_per_hand.low > 3


def test_the_variant_for_wins_wins_more_rounds_and_fewer_points() -> None:
    points, wins = (
        match("contract", name, "chinese-heuristic", games=4000, seed=4243, workers=1)
        for name in ("chinese-counter", "chinese-counter-wins")
    )
    assert wins.win_rate.low > 0.62
    assert wins.win_rate.value > points.win_rate.value
    assert wins.points_per_hand.value < points.points_per_hand.value


# --- The fitted numbers -----------------------------------------------------------------------------------------------


def good() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(c.ARTIFACT.read_text())
    return found


def test_the_artifact_says_how_it_was_made() -> None:
    manifest = good()["manifest"]
    assert manifest["command"].startswith("python -m rummylab.learning.contract_counter --seed")
    assert manifest["result"][-1]["win_rate"] > 0.58


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "version 9"),
        ({"features": ["other"]}, "features of another version"),
        ({"networks": {}}, "must be a list of"),
        ({"networks": {name: [float("nan")] * c.N_WEIGHTS for name in c.SITUATIONS}}, "not finite numbers"),
    ],
)
def test_an_artifact_that_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ArtifactError, match=message):
        c.check_artifact(good() | change)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "counter.json"
    with pytest.raises(ArtifactError, match="cannot be read"):
        c.load_artifact(broken)
    broken.write_text("[1]")
    with pytest.raises(ArtifactError, match="is not an artifact"):
        c.load_artifact(broken)


def test_fitting_learns_from_what_rounds_brought(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra train")
    options = learning.ChineseCounterTraining(seed=3, rounds_a_step=6000, steps=1)
    trainer = learning.ChineseCounter(options)
    untrained = trainer.networks[0]
    train(trainer, tmp_path)
    features, brought, which = learning.play_step([], options, 0)
    at = which == 0
    left = ((learning.predict(untrained, features[at]) - brought[at]) ** 2).mean()
    explained = trainer.curve[0][2]
    assert 1 - explained < 0.98 < left / brought[at].var()
    assert c.load_artifact(tmp_path / trainer.ARTIFACT)


def test_a_run_too_short_to_learn_is_refused() -> None:
    with pytest.raises(OptionError, match="rounds_a_step of the run"):
        learning.ChineseCounterTraining(rounds_a_step=10)
