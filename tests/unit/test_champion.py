"""The champion: its networks equal a readable twin, it learns, its values for a coach are whole and honest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import champion_kernels as kernels
from rummylab import State, gin, match, move
from rummylab.agents.gin import champion as c
from rummylab.agents.gin import champion_values as v
from rummylab.agents.gin.champion_explain import chances, values
from rummylab.cards.bits import to_ids
from rummylab.engine.observation import Observation
from rummylab.errors import IllegalActionError, WrongTypeError
from rummylab.games.gin_pass.view import gin_pass
from rummylab.games.registry import game
from rummylab.learning.options import GinChampionOptions
from rummylab.learning.trainers import gin_champion as trainer


def positions(seed: int, preset: str = "eaai") -> Iterator[State]:
    """Every position of a hand in which Simple plays both seats."""
    state = State.deal(gin(preset), seed=seed)
    while state.actor is not None:
        yield state
        state.push(move(state.observe(state.actor), "simple", seed=seed))


def test_the_network_equals_its_readable_twin() -> None:
    params = c.act.params
    for state in positions(3):
        assert state.actor is not None
        seen = state.observe(state.actor)
        if seen.phase != "discard":
            continue
        index, value = np.zeros(v.MOST_ACTIVE, np.int64), np.zeros(v.MOST_ACTIVE, np.float32)
        n, card, found = kernels.inputs_of_discard(seen.view.copy(), params, index, value)
        inputs = np.zeros(v.N_INPUTS)
        np.add.at(inputs, index[:n], value[:n])
        weights = params[c.WEIGHTS + v.AFTER :].astype(float)
        sizes = (v.N_INPUTS * v.AFTER_WIDTH, v.AFTER_WIDTH, v.AFTER_WIDTH * v.INNER, v.INNER, v.INNER, 1)
        first, bias1, second, bias2, third, bias3 = np.split(weights[: sum(sizes)], np.cumsum(sizes)[:-1])
        hidden = np.maximum(inputs @ first.reshape(v.N_INPUTS, -1) + bias1, 0)
        hidden = np.maximum(hidden @ second.reshape(-1, v.INNER) + bias2, 0)
        assert found == pytest.approx(v.POINTS * (hidden @ third + bias3[0]), abs=0.01)
        held = {index for index in range(52) if inputs[v.HAND + index]}
        assert len(held) == 10
        assert 13 * (card >> 4) + (card & 15) not in held


def test_the_exact_result_of_a_knock_is_what_the_referee_scores() -> None:
    n = 0
    for seed in range(12):
        for state in positions(seed):
            knocks = [action for action in state.legal_actions if action.verb == "knock"]
            if not knocks or state.actor is None:
                continue
            seat, row = state.actor, state._row.copy()
            state.push(knocks[0])
            while state.actor is not None:
                state.push(state.observe(state.actor).showdown())  # type: ignore[attr-defined]
            assert knocks[0].card is not None
            assert kernels.result_of_knock(row, knocks[0].card.id) == state.payoffs()[seat]
            n += 1
            break
    assert n > 3


def test_a_player_with_a_short_memory_forgets_old_discards_only() -> None:
    n = 0
    for state in positions(9):
        assert state.actor is not None
        seen = state.observe(state.actor)
        if seen.phase == "draw" and int(seen.table["turn"]) >= 6:
            _compare_memories(seen)
            n += 1
    assert n > 0


def _compare_memories(seen: Observation) -> None:
    pile, refused, thrown = kernels.seen_with_memory(seen.view.copy(), 99)
    short = kernels.seen_with_memory(seen.view.copy(), 1)
    assert pile == int(seen.table["pile"])
    assert thrown == int(seen.table["thrown"][1 - seen.seat])
    assert all(some & ~whole == 0 for some, whole in zip(short, (pile, refused, thrown), strict=True))
    assert seen.upcard is not None
    assert short[0] >> seen.upcard.id & 1
    assert len(to_ids(short[0])) < len(to_ids(pile))


@pytest.mark.parametrize("preset", ["eaai", "classic", "openspiel"])
def test_every_legal_move_gets_a_value_and_the_champion_makes_the_best(preset: str) -> None:
    for state in positions(4, preset):
        assert state.actor is not None
        seen = state.observe(state.actor)
        found = values(seen)
        if seen.phase in ("spread", "lay off", "defend"):
            assert found == ()
            continue
        assert {one.action for one in found} == set(seen.legal)
        assert found == values(seen)
        assert [one.points for one in found] == sorted((one.points for one in found), reverse=True)
        for one in found:
            assert 0 <= one.win_chance <= 1
            assert 0 <= one.match_chance <= 1
            assert one.spread > 0
            assert one.outs_to_gin <= one.outs_to_knock
            assert one.deadwood >= 0
            assert (one.danger is not None) == (one.action.verb == "discard")
            assert (one.undercut is not None) == (one.action.verb in ("knock", "big gin"))
        chosen = next(one for one in found if one.action == move(seen, "champion"))
        assert chosen.points >= found[0].points - 1 or chosen.deadwood == 0


def test_values_are_for_the_player_to_act_at_a_table_of_gin() -> None:
    state = State.deal(gin(), seed=7)
    assert state.actor is not None
    with pytest.raises(IllegalActionError, match="not to act"):
        values(state.observe(1 - state.actor))  # type: ignore[arg-type]
    other = State.deal(gin_pass(), seed=7)
    assert other.actor is not None
    with pytest.raises(WrongTypeError, match="plays gin"):
        values(other.observe(other.actor))


def test_the_chances_of_the_cards_are_those_of_ten_cards_and_none_is_in_sight() -> None:
    for state in positions(6):
        assert state.actor is not None
        seen = state.observe(state.actor)
        if seen.phase not in ("draw", "discard"):
            continue
        found = chances(seen)
        assert sum(found) == pytest.approx(10, abs=0.35)
        in_sight = seen.in_sight() - {card.id for card in seen.known(1 - state.actor)}  # type: ignore[arg-type]
        assert all(found[13 * (card >> 4) + (card & 15)] == 0 for card in in_sight)


def test_match_equity_is_symmetric_rises_with_the_score_and_says_what_it_must_at_the_end() -> None:
    one_point = np.zeros(2 * c.MOST_POINTS + 1)
    one_point[[c.MOST_POINTS - 1, c.MOST_POINTS + 1, c.MOST_POINTS]] = 1, 1, 5
    equity = trainer.match_equity(one_point, 3)
    assert equity[2, 2] == equity[0, 0] == 0.5
    assert equity[2, 1] == 0.75
    assert equity[2, 0] == 0.875
    stored = c.load_tensors(c.ARTIFACT)["equity"]
    assert np.allclose(stored + stored.T, 1, atol=0.002)
    assert (np.diff(stored, axis=0) > -0.002).all()
    assert stored[90, 0] > 0.9


def test_the_champion_is_the_default_opponent() -> None:
    assert game("gin").opponent == "champion"


def test_the_first_level_loses_to_the_last() -> None:
    assert match("gin", "champion(level=1)", "champion", games=60, seed=1, workers=1).win_rate.value < 0.25


def test_a_short_training_beats_the_untrained() -> None:
    run = trainer.GinChampion(GinChampionOptions(hands=2400, block=1200, games=2, batch=128, rate=0.003, league=0.9))
    untrained = trainer.player_of(run.weights.copy(), "untrained")
    for _ in range(2):
        run.run_round()
        run.round += 1
    learned = match("gin", trainer.player_of(run.weights), untrained, games=60, seed=1, workers=1)
    assert learned.win_rate.value > 0.7


def test_a_probe_starts_from_the_champion_and_plays_its_target_alone() -> None:
    run = trainer.GinChampion(GinChampionOptions(against="simple", from_champion=True))
    assert np.array_equal(run.weights, c.load_weights(c.ARTIFACT))
    names, shares = run.opponents()
    assert names == ("simple",)
    assert shares[0] == 1
    names, shares = trainer.GinChampion(GinChampionOptions(league=0.5, past=0.4)).opponents()
    assert names == trainer.LEAGUE
    assert shares[len(names) - 1] == pytest.approx(0.5)
    assert shares[-1] == pytest.approx(0.7)


def test_the_manifest_says_how_the_artifact_was_made() -> None:
    _, manifest = c.read_artifact(c.ARTIFACT, c.SHAPES)
    assert manifest["command"].startswith("rummylab train gin-champion")
    assert manifest["options"]["hands"] == manifest["data"]["hands"]
    assert manifest["result"]["simple"] > 0.7
