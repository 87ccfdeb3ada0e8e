"""The champion: its networks equal a readable twin, it learns, its values for a coach are whole and honest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import champion_kernels as kernels
from rummylab import State, gin, match, move
from rummylab.agents.gin import champion as c
from rummylab.agents.gin import champion_values as v
from rummylab.agents.gin.champion_explain import chances, values
from rummylab.arena.statistics import Estimate
from rummylab.cards.bits import to_ids
from rummylab.engine.observation import Observation
from rummylab.errors import IllegalActionError, OptionError, WrongTypeError
from rummylab.games.gin_pass.view import gin_pass
from rummylab.games.registry import game
from rummylab.learning.options import GIN_PARTS, GinChampionOptions
from rummylab.learning.trainers import gin_champion as trainer


def positions(seed: int, preset: str = "eaai") -> Iterator[State]:
    """Every position of a hand in which Simple plays both seats."""
    state = State.deal(gin(preset), seed=seed)
    while state.actor is not None:
        yield state
        state.push(move(state.observe(state.actor), "simple", seed=seed))


def discard_notes(seed: int) -> Iterator[tuple[Observation, int, trainer.Rows, float]]:
    """Every discard of a hand: what is seen, the card, its inputs as a note, and what the network says."""
    for state in positions(seed):
        assert state.actor is not None
        seen = state.observe(state.actor)
        if seen.phase == "discard":
            index, value = np.zeros(v.MOST_ACTIVE, np.int64), np.zeros(v.MOST_ACTIVE, np.float32)
            n, card, found = kernels.inputs_of_discard(seen.view.copy(), c.act.params, index, value)
            note = np.zeros(1, trainer.NOTE)
            note["network"], note["n"], note["index"], note["value"] = trainer.S_AFTER, n, index, value
            yield seen, card, note, found


def twin(note: trainer.Rows, weights: np.ndarray[Any, Any]) -> float:
    """Return what a network with these *weights* says of the inputs of *note*, in points."""
    inputs = np.zeros(v.N_INPUTS)
    np.add.at(inputs, note["index"][0, : note["n"][0]], note["value"][0, : note["n"][0]])
    suits, context, plain = np.split(inputs, [v.CONTEXT, v.PLAIN])
    weights = weights[: v.N_NETWORK].astype(float)
    places = (
        v.N_SUIT * v.ROW,
        (v.N_SUIT + v.N_CONTEXT) * v.ROW,
        v.BIAS,
        v.LAYER_2,
        v.BIAS_2,
        v.LAYER_3,
        v.N_NETWORK - 1,
    )
    by_suit, by_context, by_plain, bias, layer2, bias2, layer3, bias3 = np.split(weights, places)
    shared = context @ by_context.reshape(-1, v.ROW) + bias
    each = suits.reshape(4, -1) @ by_suit.reshape(-1, v.ROW)
    common = each[:, v.SUIT :].sum(0) + shared[v.SUIT :] + plain @ by_plain.reshape(-1, v.COMMON)
    pooled = np.maximum(each[:, : v.SUIT] + shared[: v.SUIT], 0).sum(0)
    hidden = np.concatenate([pooled, np.maximum(common, 0)])
    hidden = np.maximum(hidden @ layer2.reshape(v.ROW, v.INNER) + bias2, 0)
    return float(v.POINTS * (hidden @ layer3 + bias3[0]))


def test_the_network_equals_its_readable_twin() -> None:
    n = 0
    for seen, card, note, found in discard_notes(3):
        assert found == pytest.approx(twin(note, c.act.params[c.WEIGHTS + v.AFTER :]), abs=0.01)
        index, value = note["index"][0], note["value"][0]
        held = np.zeros(4 * v.N_SUIT)
        np.add.at(held, index[index < v.CONTEXT], value[index < v.CONTEXT])
        by_suit = held.reshape(4, v.N_SUIT)[:, v.HAND : v.HAND + 13]
        assert {16 * suit + rank for suit, rank in np.argwhere(by_suit)} == set(to_ids(seen.hand.mask)) - {card}
        n += 1
    assert n > 5


def test_the_gradient_is_the_slope_of_the_squared_error() -> None:
    params = trainer.player_of(trainer.new_weights(1)).params.copy()
    rng = np.random.default_rng(1)
    for _, _, note, _ in list(discard_notes(3))[:3]:
        note["target"] = 7.0
        gradient = np.zeros(v.N_WEIGHTS, np.float32)
        error = kernels.learn_from(note, params, gradient)
        network = params[c.WEIGHTS + v.AFTER :].astype(float)
        assert error == pytest.approx((twin(note, network) - 7) / v.POINTS, abs=1e-3)
        found = gradient[v.AFTER : v.AFTER + v.N_NETWORK]
        assert not gradient[v.STOCK :].any()
        for place in rng.choice(np.flatnonzero(np.abs(found) > 1e-3), 60, replace=False):
            moved = network.copy()
            moved[place] += 1e-5
            slope = error * (twin(note, moved) - twin(note, network)) / v.POINTS / 1e-5
            assert found[place] == pytest.approx(slope, rel=0.02, abs=1e-4)


def exchanged(view: trainer.Rows, order: Sequence[int]) -> trainer.Rows:
    """Return the same view with its suits exchanged: suit k becomes ``order[k]``."""
    new = view.copy()

    def swap(mask: int) -> int:
        return sum((mask >> 16 * suit & 0xFFFF) << 16 * order[suit] for suit in range(4))

    table, mine = new[0]["table"], new[0]["mine"]
    mine["hand"] = swap(int(mine["hand"]))
    table["pile"] = swap(int(table["pile"]))
    for seat in range(2):
        for name in ("known", "refused", "thrown"):
            table[name][seat] = swap(int(table[name][seat]))
        for name in ("took", "passed", "threw"):
            table[name][seat].reshape(4, 13)[list(order)] = table[name][seat].copy().reshape(4, 13)
    for name in ("up", "taken"):
        if table[name] >= 0:
            table[name] = 16 * order[int(table[name]) >> 4] + (int(table[name]) & 15)
    return new


def test_no_suit_is_special() -> None:
    order = (2, 0, 3, 1)
    for seen, _, _, _ in discard_notes(5):
        here, there = np.zeros(64, np.float32), np.zeros(64, np.float32)
        kernels.discard_values(seen.view.copy(), c.act.params, here)
        kernels.discard_values(exchanged(seen.view, order), c.act.params, there)
        assert np.flatnonzero(here).size > 5
        for card in np.flatnonzero(here):
            assert there[16 * order[card >> 4] + (card & 15)] == pytest.approx(here[card], abs=0.01)


def test_targets_mix_the_next_value_and_the_result_and_leave_out_the_luck_of_the_draw() -> None:
    notes = np.zeros(3, trainer.NOTE)
    notes["has_next"] = 1, 1, 0
    notes["next"], notes["luck"] = (4.0, 10.0, 0.0), (0.0, 6.0, 0.0)
    kernels.targets_of(notes, 20.0, 0.5)
    assert list(notes["target"]) == [4 + 0.5 * (9 - 4), 10 - 6 + 0.5 * (20 - 10), 20]
    notes["is_cut"][0] = 1
    kernels.targets_of(notes, 20.0, 0.5)
    assert notes["target"][0] == 4


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
    assert stored[90, 0] > 0.88


def test_a_higher_value_is_a_higher_chance_to_win_the_match_so_draws_and_discards_need_no_table_of_scores() -> None:
    tensors = c.load_tensors(c.ARTIFACT)
    going_on = tensors["results"][0] / tensors["results"][0].sum(1, keepdims=True)
    won = np.arange(-c.MOST_POINTS, c.MOST_POINTS + 1)
    for mine, theirs in np.ndindex(c.TARGET, c.TARGET):
        me, them = mine + np.maximum(won, 0), theirs + np.maximum(-won, 0)
        open_match = tensors["equity"][np.minimum(me, c.TARGET - 1), np.minimum(them, c.TARGET - 1)]
        chance = going_on @ np.where(me >= c.TARGET, 1, np.where(them >= c.TARGET, 0, open_match))
        assert (np.diff(chance) > -0.002).all(), (mine, theirs)  # the tables are counts of hands, so a little noise


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


def few_hands(**changes: Any) -> trainer.GinChampion:
    """A run so short that it only shows how its rounds fit together."""
    run = trainer.GinChampion(GinChampionOptions(**{"hands": 120, "block": 20, "games": 2, "batch": 64, **changes}))
    run.measure = lambda games: dict.fromkeys(run.frozen, Estimate(0.5, 0.4, 0.6))  # type: ignore[method-assign]
    return run


def test_two_threads_learn_half_a_block_each_and_go_on_with_the_mean() -> None:
    both, one = few_hands(threads=2), few_hands(block=10)
    start = one.params.copy()
    both.run_round()
    one.run_round()
    first = one.params.copy()
    one.params[:], one.mean[:], one.square[:], one.past[:] = start, 0, 0, start
    one.steps, one.round = 0, 1
    one.options = replace(one.options, hands=10_000_000)  # so that the rates are nearly those of the start
    one.run_round()
    assert not np.array_equal(first, one.params)
    assert np.allclose(both.params, (first + one.params) / 2, atol=1e-5)


def test_the_mean_of_an_extended_run_begins_anew() -> None:
    run = few_hands()
    seen = []
    for hands in (120, 160):
        run.options = replace(run.options, hands=hands)
        while not run.is_done:
            run.run_round()
            run.round += 1
            seen.append(run.params[c.WEIGHTS :].copy())
        assert run.averaged == 2
        assert np.allclose(run.average / 2, np.mean(seen[-2:], axis=0), atol=1e-6)


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


@pytest.mark.parametrize("part", [name for name in GIN_PARTS if name != "counterfactuals"])
def test_a_run_without_a_part_holds_its_weights_at_zero_and_learns_the_others(part: str) -> None:
    run = few_hands(without=part)
    kept = trainer.kept_weights([part]) == 1
    assert 0 < (~kept).sum() < len(kept)
    before = run.weights
    run.run_round()
    assert not run.params[c.WEIGHTS :][~kept].any()
    assert (run.params[c.WEIGHTS :][kept] != before[kept]).mean() > 0.2


@pytest.mark.parametrize("part", trainer.INPUTS)
def test_a_run_without_some_inputs_values_a_discard_as_if_they_were_not_there(part: str) -> None:
    weights = c.load_weights(c.ARTIFACT)
    less = weights * trainer.kept_weights([part])
    changed = 0
    for _, _, note, _ in discard_notes(seed=3):
        index = note["index"][0, : note["n"][0]]
        is_left_out = np.isin(np.where(index < v.CONTEXT, index % v.N_SUIT, index), list(trainer.INPUTS[part]))
        rest = note.copy()
        rest["n"] = (~is_left_out).sum()
        for name in ("index", "value"):
            rest[name][0, : rest["n"][0]] = note[name][0, : note["n"][0]][~is_left_out]
        assert twin(note, less[v.AFTER :]) == pytest.approx(twin(rest, weights[v.AFTER :]), abs=1e-4)
        changed += twin(note, less[v.AFTER :]) != pytest.approx(twin(note, weights[v.AFTER :]), abs=0.01)
    assert changed


def test_without_counterfactuals_the_knock_network_learns_from_other_knocks() -> None:
    runs = [few_hands(block=300, league=0.0, without=part) for part in ("", "counterfactuals")]
    for run in runs:
        run.run_round()
    assert runs[0].steps > runs[1].steps


def test_a_learner_who_thinks_nothing_of_the_stock_still_learns_what_it_is_worth() -> None:
    """Otherwise a run can end with two players who swap upcards for good, as one with seed 3 did."""
    run = few_hands(block=100, league=0.0)
    bias = c.WEIGHTS + v.STOCK + v.LAYER_3 + v.INNER
    run.params[bias] = -100.0
    stock_error = run.run_round()[2]
    assert stock_error > 0
    assert run.params[bias] > -100.0


def test_an_unknown_part_of_the_recipe_is_refused() -> None:
    with pytest.raises(OptionError, match="no part 'memory'; its parts are history"):
        GinChampionOptions(without="style memory")


def test_the_manifest_says_how_the_artifact_was_made() -> None:
    _, manifest = c.read_artifact(c.ARTIFACT, c.SHAPES)
    assert manifest["command"].startswith("rummylab train gin-champion")
    assert manifest["options"]["hands"] == manifest["data"]["hands"]
    assert manifest["result"]["simple"] > 0.7
