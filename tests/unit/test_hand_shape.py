"""Hands sampled in the right shape, and the agents that make data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from properties import reference
from rummylab._jit import kernel
from rummylab.agents.gin import utility
from rummylab.agents.gin.utility_policy import NETWORK, WEIGHTS, P
from rummylab.beliefs.gin import shape as s
from rummylab.beliefs.gin.network import BUNDLED, bundled
from rummylab.errors import ArtifactError, OptionError
from rummylab.learning.opponent_hand import shape
from rummylab.learning.opponent_hand.beliefs import certain, counts, uniform
from rummylab.learning.opponent_hand.dataset import DatasetPlan, play_shard
from rummylab.learning.opponent_hand.hands import Hands
from rummylab.learning.opponent_hand.line_ups import paper_mix, parse_mix, phase_mix
from rummylab.learning.opponent_hand.players import player
from rummylab.learning.opponent_hand.shape import Positions


@pytest.fixture(scope="module")
def hands() -> Hands:
    return play_shard(DatasetPlan(entries=6000, seed=3, line_ups=parse_mix("simple:simple"), shard_entries=6000), 0)


def plain() -> np.ndarray:
    """Weights under which only the odds count."""
    return np.tile(np.array([1, 0, 0, 0], np.float32), (s.N_STAGES, 1))


def mean_gap(positions: Positions, drawn: np.ndarray) -> float:
    """How far sampled hands are from real ones in mean deadwood, over the opponent's first eight turns."""
    real, found = shape.deadwood_by_turn(positions, positions.held), shape.deadwood_by_turn(positions, drawn)
    return float(np.mean([abs(real[turn] - found[turn]) for turn in range(8)]))


def test_shaped_hands_have_the_deadwood_of_real_ones(hands: Hands) -> None:
    positions = Positions.of(hands, counts, len(hands))
    weights = shape.fit(positions, 1)
    card_by_card = mean_gap(positions, shape.sample(positions, None, 2))
    shaped = mean_gap(positions, shape.sample(positions, weights, 2))
    assert card_by_card > 15
    assert shaped < 0.1 * card_by_card


def test_shaped_hands_are_hands(hands: Hands) -> None:
    positions = Positions.of(hands, uniform, 500)
    weights = plain()
    weights[:, 1] = -2
    for drawn, known, unseen in zip(
        shape.sample(positions, weights, 2), positions.known, positions.hidden, strict=True
    ):
        assert int(drawn).bit_count() == 10
        assert not int(drawn) & ~int(unseen)
        assert not int(known) & ~int(drawn)


def test_without_weights_of_the_whole_the_walk_keeps_to_the_odds() -> None:
    """Twelve cards, two of them unlikely: the walk holds each as often as conditional sampling says."""
    n = 4000
    unseen = np.full(n, 0xFFF, np.int64)
    beliefs = np.zeros((n, 52), np.float32)
    beliefs[:, :12] = 0.9
    beliefs[:, :2] = 0.5
    positions = Positions(unseen, np.zeros(n, np.int64), unseen & ~3, beliefs, np.zeros(n, np.int64))
    walked = shape.cards_of(shape.sample(positions, plain(), 5)).mean(axis=0)
    drawn = shape.cards_of(shape.sample(positions, None, 6)).mean(axis=0)
    np.testing.assert_allclose(walked[:12], drawn[:12], atol=0.035)
    assert walked[0] < 0.6 < walked[5]


@kernel
def count(hand: int) -> tuple[int, int]:
    return s.neighbors(hand), s.pairs(hand)


def test_neighbors_and_pairs_are_counted() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        cards = rng.permutation(52)[:10]
        mask = sum(1 << (16 * (int(c) // 13) + int(c) % 13) for c in cards)
        both = [(int(a), int(b)) for a in cards for b in cards if a < b]
        near = sum(a // 13 == b // 13 and b - a == 1 for a, b in both)
        same = sum(a % 13 == b % 13 for a, b in both)
        assert count(mask) == (near, same)
        deadwood = np.empty((1, 4))
        shape.write_features(np.array([mask]), np.full((1, 52), 0.5, np.float32), deadwood)
        assert deadwood[0, 1] == pytest.approx(0.1 * reference.min_deadwood(map(int, cards)))


def test_certainty_is_put_into_a_belief(hands: Hands) -> None:
    positions = Positions.of(hands, certain(uniform), 2000)
    known = shape.cards_of(positions.known) == 1
    assert known.any()
    assert (positions.beliefs[known] == 1).all()


def test_weights_survive_their_file_and_others_are_refused(tmp_path: Path) -> None:
    place = tmp_path / s.BUNDLED
    each = {kind: plain() + i for i, kind in enumerate(s.KINDS)}
    s.save(place, each, {kind: {"seed": i} for i, kind in enumerate(s.KINDS)})
    np.testing.assert_array_equal(s.load(place), np.stack(list(each.values())))
    assert s.read_manifests(place)["simple"] == {"seed": 1}
    found = json.loads(place.read_text())
    for change, message in (
        ({"format": "x"}, "but rummylab-hand-shape version 2 is needed"),
        ({"kinds": {kind: {"weights": [[1, 2]]} for kind in s.KINDS}}, "shape"),
        ({"kinds": {**found["kinds"], "simple": {"weights": "x"}}}, "does not hold weights"),
        ({"kinds": {"utility": found["kinds"]["utility"]}}, "does not hold weights"),
    ):
        place.write_text(json.dumps({**found, **change}))
        with pytest.raises(ArtifactError, match=message):
            s.load(place)
    with pytest.raises(ArtifactError, match="no such file"):
        s.load(tmp_path / "missing.json")


# --- Agents that make data ----------------------------------------------------------------------------------------


def test_a_utility_agent_takes_its_network_from_a_directory(tmp_path: Path) -> None:
    model = bundled()
    model.save(tmp_path / BUNDLED)
    found = player(f"utility@{tmp_path}~7")
    assert found.params[P.samples] == 7
    assert found.kernel is utility.act.kernel
    assert NETWORK in found.params
    assert model.flat[:100].tolist() == found.params[WEIGHTS:][:100].tolist()
    assert player("utility~7").params[P.samples] == 7
    assert len(player("utility-dnn").params) == len(found.params)


@pytest.mark.parametrize("name", ["simple~10", "utility~", "utility~x", "simple@somewhere"])
def test_names_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(OptionError):
        player(name)


def test_the_mixes_are_those_of_the_paper() -> None:
    """Simple is the opponent in an eighth of the first phase, the rest is split evenly."""
    share = {}
    for line_up in phase_mix(1):
        for name in (line_up.first, line_up.second):
            share[name] = share.get(name, 0) + line_up.share / 16
    assert sorted(share.values()) == [0.125, 0.4375, 0.4375]
    assert sum(line_up.share for line_up in paper_mix()) == pytest.approx(1)
    assert all("utility@ours" in line_up.first for line_up in phase_mix(2))
    with pytest.raises(OptionError, match="phases 1, 2 and 3"):
        phase_mix(4)
