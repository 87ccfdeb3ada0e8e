"""The Indian champion: its notes are whole, its networks equal PyTorch's, its margin counts, and it has learned."""

from __future__ import annotations

import numpy as np
import pytest

from helpers import assert_notes_are_whole
from rummylab import indian, match
from rummylab.agents.indian import champion as c
from rummylab.agents.indian import champion_values as v
from rummylab.agents.registry import agent
from rummylab.engine.referee import play

torch = pytest.importorskip("torch", reason="PyTorch is in the extra train")

from rummylab.learning import indian_notes as notes  # noqa: E402
from rummylab.learning import indian_standings as standings  # noqa: E402
from rummylab.learning.networks import build, fit, fit_choices, flat_weights, predicted, rebuilt  # noqa: E402
from rummylab.learning.notes import D_CHOSEN, S_NEXT  # noqa: E402
from rummylab.learning.options import IndianChampionTraining  # noqa: E402
from rummylab.learning.trainers import indian_champion as trainer  # noqa: E402


def upcards_taken(margin: float, discount: float = 0.0, deals: int = 12) -> int:
    """How often the champion takes the upcard in some deals against itself; none of these cards completes a hand."""
    options = {"margin": margin, "discount": discount, "drops": False}
    player = trainer.player_of(c.load_tensors(c.ARTIFACT)["points"], **options)
    taken = 0
    for seed in range(deals):
        moves = [str(event.action) for event in play(indian("paper"), [player, player], seed).log]
        taken += moves.count("draw upcard")
    return taken


def test_the_upcard_must_be_worth_more_by_the_margin() -> None:
    assert upcards_taken(1000.0) < upcards_taken(3.0) < upcards_taken(-1000.0)


def test_the_margin_is_less_where_the_upcard_brings_the_hand_one_card_from_a_declaration() -> None:
    assert upcards_taken(1000.0) < upcards_taken(1000.0, discount=2000.0) < upcards_taken(-1000.0)


def test_notes_of_every_discard_hold_the_one_made_and_its_result() -> None:
    found = trainer.play(agent("indian", "mindist-outs"), "paper", 5, 30, every=True)
    _, chosen = assert_notes_are_whole(found)
    assert len(found.lines) == len(found.decision_of)
    # Discards of one decision leave one distance, and the critic sees the same hand of the opponent beside each.
    distances = found.lines[:, v.DISTANCE : v.DISTANCE + v.N_DISTANCES].argmax(1)
    theirs = found.lines[:, notes.NEXT_DISTANCE : notes.NEXT_DISTANCE + v.N_DISTANCES].argmax(1)
    for part in (distances, theirs):
        assert (part == part[chosen][found.decision_of]).all()
    assert {-80.0 <= result <= 80.0 for result in found.results} == {True}
    assert (found.results != 0).any()


def test_joined_notes_point_at_their_own_lines() -> None:
    parts = [trainer.play(agent("indian", "mindist-outs"), "paper", seed, 10, every=True) for seed in (1, 2)]
    both = trainer.joined(parts)
    first = len(parts[0].decisions)
    own = both.lines[both.decisions[first:, D_CHOSEN]]
    np.testing.assert_array_equal(own, parts[1].lines[parts[1].decisions[:, D_CHOSEN]])
    follows = parts[1].draw_notes[:, S_NEXT]
    moved = both.draw_notes[len(parts[0].draw_notes) :, S_NEXT]
    np.testing.assert_array_equal(moved, np.where(follows >= 0, follows + first, -1))


@pytest.mark.parametrize("n_sets", [1, 2])
def test_the_kernel_chooses_the_discard_that_pytorch_values_most(n_sets: int) -> None:
    sets = [[build(torch, trainer.AFTER, 7 + k), build(torch, trainer.STOCK, 8 + k)] for k in range(n_sets)]
    flat = np.array([flat_weights(*networks) for networks in sets])
    np.testing.assert_array_equal(flat_weights(*rebuilt(torch, flat[0], trainer.AFTER, trainer.STOCK)), flat[0])
    player = trainer.player_of(flat, drops=False)
    found = trainer.play(player, "paper", 9, 30, every=True)
    inputs = np.ascontiguousarray(found.lines[:, : v.N_AFTER])
    values = np.mean([predicted(torch, after, inputs) for after, _ in sets], axis=0)
    best = np.full(len(found.decisions), -np.inf)
    np.maximum.at(best, found.decision_of, values)
    np.testing.assert_allclose(values[found.decisions[:, D_CHOSEN]], best, atol=1e-4)


def test_the_loss_of_choices_finds_the_best_discard_where_the_level_of_a_decision_is_noise() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(400, 3)).astype(np.float32)
    level = np.repeat(rng.normal(scale=5.0, size=100), 4)  # nothing in the inputs explains it
    targets = (inputs[:, 0] + level).astype(np.float32)
    best = inputs[:, 0].reshape(100, 4).argmax(1)
    compared, plain = (build(torch, (3, 8, 1), 1) for _ in range(2))
    fit_choices(torch, compared, inputs, targets, np.full(100, 4), 60, 1)
    fit(torch, plain, inputs, targets, 60, 1)
    hits = [(predicted(torch, model, inputs).reshape(100, 4).argmax(1) == best).mean() for model in (compared, plain)]
    assert hits[0] > 0.8 > hits[1]


def test_the_trained_values_gain_points_and_untrained_ones_lose_them() -> None:
    trained = match("indian", "indian-champion", "mindist-outs", games=1000, seed=41, workers=1)
    assert trained.points_per_hand.ci[0] > 0
    blank = trainer.player_of(np.zeros(v.N_WEIGHTS, np.float32), drops=False)
    assert match("indian", blank, "mindist-outs", games=1000, seed=41, workers=1).points_per_hand.ci[1] < 0


# --- Drops by the standing ----------------------------------------------------------------------------------------


def test_the_best_drops_follow_the_standing() -> None:
    # Half of the hands win 40 points, the others lose 40; everybody knows which hand it is.
    deals = np.array([(v, -v, v, first) for v in (-40.0, 40.0) for first in (1.0, 0.0)] * 50, np.float32)
    chances, cuts = standings.solve(deals)
    np.testing.assert_allclose(chances + chances.T, 1.0)
    assert (cuts[:4] == standings.NEVER).all()  # 20 points or fewer left: a drop loses the pool
    assert (cuts[4:8, :4] == -40).all()  # up to 40 left: the hand would lose the pool, a drop does not
    assert 0.5 < chances[8, 4] < chances[20, 4]


def test_a_pool_is_played_by_the_table_of_drops() -> None:
    dropped = []
    for step in (20, 19):  # the pool begins with 101 points to lose, in steps of five the last of them
        table = np.full((c.N_STEPS, c.N_STEPS), standings.NEVER, np.float32)
        table[step] = 1000
        player = trainer.player_of(c.load_tensors(c.ARTIFACT)["points"])
        player.params[-(c.N_STEPS**2) :] = table.ravel()
        log = play(indian("platform(format=pool-101)"), [player, player], 3).log
        dropped.append(any(str(event.action) == "drop" for event in log))
    assert dropped == [True, False]


def test_the_second_set_for_wins_is_the_first_one_of_the_next_seed() -> None:
    one, next_one = (trainer.IndianChampion(IndianChampionTraining(deals=40, epochs=1, seed=seed)) for seed in (4, 5))
    one.learn(2)
    next_one.learn(1)
    np.testing.assert_array_equal(one.of("wins")[1], next_one.of("wins")[0])
    assert (one.of("wins")[1] != 0).any()


def test_a_best_response_starts_from_the_champion_and_learns_points_alone() -> None:
    options = IndianChampionTraining(
        rounds=1, deals=40, epochs=1, games=2, against="mindist-outs", from_champion=True, seed=2
    )
    run = trainer.IndianChampion(options)
    before = run.weights.copy()
    np.testing.assert_array_equal(before[:1], c.load_tensors(c.ARTIFACT)["points"])
    run.run_round()
    assert (run.weights[0] != before[0]).any()
    np.testing.assert_array_equal(run.weights[1:], before[1:])
    found = run.result()
    assert found["against"] == "mindist-outs"
    assert found["games"] == 20
    for name in ("points", "win_rate"):
        low, high = found[f"{name}, 95%"]
        assert low < found[name] < high


def test_the_result_of_a_best_response_is_a_match_on_deals_of_its_own() -> None:
    options = IndianChampionTraining(games=20, against="mindist-score", from_champion=True, seed=2)
    run = trainer.IndianChampion(options)
    seed = trainer.seed_for(2, trainer.RESULT)
    assert seed != trainer.seed_for(2, trainer.MEASUREMENT)
    played = match("indian", "indian-champion", "mindist-score", games=200, seed=seed, workers=1)
    found = run.result()  # before the first round it is the champion
    assert found["points"] == round(played.points_per_hand.value, 4)
    assert found["win_rate, 95%"] == [round(bound, 4) for bound in played.win_rate.ci]
