"""The joint belief in Gin: sampled hands are possible hands, weights are the network's, and what it learned shows."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from helpers import push
from rummylab import belief
from rummylab.beliefs.gin import joint
from rummylab.beliefs.gin.joint import Joint, bundled, knock_chances, sample_many
from rummylab.beliefs.gin.query import believe
from rummylab.beliefs.gin.worlds import sample_hands, sample_masks
from rummylab.cards.bits import ALL_CARDS, IDS_52
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import OptionError
from rummylab.games.gin.view import gin
from rummylab.learning import joint_report
from rummylab.learning.joint_belief import N_FALSE, Positions, count_melds, play_game, write_inputs
from rummylab.learning.opponent_hand.players import player

FRESH = 77_000_000
"""A seed that no training run has."""


@cache
def positions(first: str = "medium", second: str = "simple", games: int = 3) -> Positions:
    """Some fifty positions of each of a few fresh games."""
    players = player(first), player(second)
    return Positions.join([play_game(gin(), FRESH, game, players, share=0.2, most=60) for game in range(games)])


def with_planted(melds: int) -> Joint:
    tensors = dict(Joint.untrained().tensors)
    tensors["planted"] = np.eye(4, dtype=np.float32)[np.full(joint.N_STAGES, melds)]
    return Joint(tensors, {})


def losses(here: Positions, model: Joint) -> np.ndarray:
    """The loss of each position: minus the logarithm of the true hand's share among twelve."""
    public, hands = inputs(here, model)
    scores = forward(model, public, hands)
    return np.log(np.exp(scores - scores[:, :1]).sum(axis=1))


def inputs(here: Positions, model: Joint, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    public = np.zeros((len(here), joint.N_PUBLIC), np.float32)
    hands = np.zeros((len(here), 1 + N_FALSE, joint.N_HAND), np.float32)
    write_inputs(here.views, here.notes["held"].copy(), model.flat, seed, public, hands)
    return public, hands


def forward(model: Joint, public: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """The network in NumPy, as its readable twin."""
    t = model.tensors
    first = np.maximum((public @ t["public.weight"])[:, None] + hands @ t["hand.weight"] + t["layer1.bias"], 0)
    return np.maximum(first @ t["layer2.weight"] + t["layer2.bias"], 0) @ t["layer3.weight"]


# --- Possible hands -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [Joint.untrained(), with_planted(3), bundled()], ids=["untrained", "planted", "ours"])
def test_sampled_hands_are_possible_and_have_the_cards_that_are_known(model: Joint) -> None:
    here = positions()
    hands, weights = np.empty((len(here), 40), np.int64), np.empty((len(here), 40), np.float32)
    sample_many(here.views, model.flat, 3, hands, weights)
    table, mine = here.views["table"], here.views["mine"]
    known = table["known"][np.arange(len(here)), 1 - mine["seat"]]
    assert {int(hand).bit_count() for hand in hands.ravel()} == {10}
    assert not (hands & ~ALL_CARDS).any()
    assert not (hands & (mine["hand"] | table["pile"])[:, None]).any()
    assert not (known[:, None] & ~hands).any()
    assert known.any()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-4)
    assert (weights >= 0).all()


def test_planted_melds_are_there() -> None:
    here = positions()
    melds = []
    for planted in (0, 1, 2, 3):
        hands, weights = np.empty((len(here), 20), np.int64), np.empty((len(here), 20), np.float32)
        sample_many(here.views, with_planted(planted).flat, 3, hands, weights)
        counts = np.empty(hands.size, np.int64)
        count_melds(hands.ravel(), counts)
        melds.append(counts.mean())
    assert melds == sorted(melds)
    assert melds[3] > melds[0] + 1


def test_melds_on_the_table_are_part_of_every_sampled_hand() -> None:
    state = State.deal(gin(), 3)
    players = [player("simple"), player("simple")]
    for seat, one in enumerate(players):
        one.sit(state.rules, Seat(seat), np.random.default_rng(1))
    while state.observe(Seat(0)).phase not in ("defend", "lay off"):
        seat = state.actor
        assert seat is not None
        state.push(players[seat].act(state.observe(seat)))
    defender = state.actor
    assert defender is not None
    melds = [int(meld) for meld in state.observe(defender).table["spread"][1 - defender]]
    assert any(melds)
    for hand in sample_hands(state.observe(defender), 10):
        assert all(meld & ~hand.mask == 0 for meld in melds)


# --- What it depends on -------------------------------------------------------------------------------------------


def test_samples_depend_on_the_observation_alone() -> None:
    state = State.deal(gin(), 11, starter=0)
    push(state, "pass; pass; draw stock")
    seen = state.observe(Seat(0))
    hidden = state.rules.hidden_slots(state.rows(), Seat(0))
    cards = list(state.deck.cards)
    for slot, origin in zip(hidden, np.random.default_rng(4).permutation(hidden), strict=True):
        cards[slot] = state.deck.cards[origin]
    twin = push(State.deal(gin(), 0, starter=0, deck=type(state.deck)(tuple(cards))), "pass; pass; draw stock")
    assert twin.observe(Seat(1)).hand != state.observe(Seat(1)).hand
    assert sample_hands(twin.observe(Seat(0)), 30) == sample_hands(seen, 30)
    assert belief(twin.observe(Seat(0)), "joint").of(1) == belief(seen, "joint").of(1)
    assert sample_hands(seen, 30, seed=1) != sample_hands(seen, 30)


def test_the_public_belief_has_ten_cards_and_is_sure_of_what_it_knows() -> None:
    seen = push(State.deal(gin(), 5, starter=0), "draw upcard").observe(Seat(1))
    (up,) = seen.known(Seat(0))
    found = belief(seen, "joint")
    assert found.probabilities.sum() == pytest.approx(10, abs=1e-3)
    assert found.of(0)[up] == pytest.approx(1, abs=1e-4)
    assert not set(found.of(0)) & set(seen.hand)


def test_worlds_occur_as_often_as_their_weight_says() -> None:
    view = positions().views[20:21]
    worlds = sample_masks(view, 4000)
    share = ((worlds[0][:, None] >> IDS_52.astype(np.int64)) & 1).mean(axis=0)
    np.testing.assert_allclose(share, believe("joint", view)[0], atol=0.08)


# --- The network --------------------------------------------------------------------------------------------------


def test_compiled_weights_are_those_of_the_network_in_numpy() -> None:
    here, model = positions(), bundled()
    public, inputs_of_hands = inputs(here, model, seed=9)
    scores = forward(model, public, inputs_of_hands)[:, 1:]
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    hands, weights = np.empty((len(here), N_FALSE), np.int64), np.empty((len(here), N_FALSE), np.float32)
    sample_many(here.views, model.flat, 9, hands, weights)
    np.testing.assert_allclose(weights, expected / expected.sum(axis=1, keepdims=True), atol=2e-3)


@pytest.mark.parametrize("opponent", ["simple", "utility-patient~10"])
def test_the_trained_network_finds_the_true_hand_and_the_untrained_does_not(opponent: str) -> None:
    here = positions("medium", opponent)
    chance = np.log(1 + N_FALSE)
    assert losses(here, Joint.untrained()) == pytest.approx(chance)
    assert losses(here, bundled()).mean() < 0.7 * chance


def test_single_cards_have_a_lower_log_loss_than_under_the_uniform_belief() -> None:
    here = positions()
    found = joint_report.reliability(here, bundled())
    untrained = joint_report.reliability(here, Joint.untrained())
    assert found["joint"]["log_loss"] < found["counts"]["log_loss"] - 0.03
    assert not untrained["joint"]["log_loss"] < found["counts"]["log_loss"] - 0.03


def test_whoever_has_knocked_early_in_this_match_is_expected_to_knock_again() -> None:
    views = positions().views[10:11].copy()
    views["table"]["turn"] = 14
    opponent = 1 - int(views["mine"]["seat"][0])
    chances = []
    for knocks, gins, kept in ((3, 0, 24), (3, 3, 0)):
        for name, value in (("knocks", knocks), ("gins", gins), ("knocked_with", kept), ("knock_turns", 24)):
            views["table"][name][0, opponent] = value
        views["table"]["hand_no"] = 3
        out = np.empty((1, 11), np.float32)
        knock_chances(views, bundled().flat, out)
        assert out[0, 0] == 1
        chances.append(out[0, 8])
    assert chances[0] > chances[1] + 0.15


# --- The report ---------------------------------------------------------------------------------------------------


def test_the_report_compares_every_belief_with_the_truth() -> None:
    found = joint_report.measure(20, 1, opponents=["simple"])
    text = joint_report.markdown(found, "rummylab evaluate gin-joint-belief")
    assert [row["turn"] for row in found["rows"]] == list(joint_report.TURNS)[: len(found["rows"])]
    assert all(f"| {name} |" in text for name in joint_report.BELIEFS)
    assert json.loads(json.dumps(found))["n"] == 20
    far = {**found, "rows": [{**row, "joint": row["true"] + 9} for row in found["rows"]]}
    assert "misses simple at turn 1" in joint_report.markdown(far, "x")


def test_a_cast_is_agents_with_shares() -> None:
    pytest.importorskip("torch")
    from rummylab.learning.trainers.gin_joint_belief import parse_cast

    names, chances = parse_cast("simple=3;utility-search(worlds=20)=1")
    assert names == ["simple", "utility-search(worlds=20)"]
    assert chances.tolist() == [0.75, 0.25]
    with pytest.raises(OptionError, match="write NAME=SHARE"):
        parse_cast("simple")
