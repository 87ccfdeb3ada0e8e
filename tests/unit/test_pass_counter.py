"""The pass counter: its notes are whole, its networks equal PyTorch's, its options count, and it has learned."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gin_pass_tables import JUNK, deal
from helpers import assert_notes_are_whole, push
from rummylab import gin_pass, match
from rummylab._jit import kernel
from rummylab.agents.gin_pass import counter as c
from rummylab.agents.gin_pass import counter_values as v
from rummylab.agents.registry import agent
from rummylab.cards.hand import Hand
from rummylab.cards.melds import best_throws, min_deadwood
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.referee import play
from rummylab.engine.seats import Seat

torch = pytest.importorskip("torch", reason="PyTorch is in the extra train")

from rummylab.learning import gin_pass_notes as notes  # noqa: E402
from rummylab.learning.networks import build, flat_weights, predicted, rebuilt  # noqa: E402
from rummylab.learning.notes import D_CHOSEN, D_SIZE  # noqa: E402
from rummylab.learning.trainers import pass_counter as trainer  # noqa: E402

TRAINED = c.act.params[c.WEIGHTS :]


@kernel
def next_card(hand: int, cards: int, limit: int) -> tuple[int, int, int, int, int]:
    return v.next_card(hand, cards, limit)


def moves(player: CompiledAgent, verb: str, hands: int = 12) -> int:
    """How often *verb* occurs in some hands of *player* against itself."""
    logs = (play(gin_pass("course"), [player, player], seed).log for seed in range(hands))
    return sum(event.action.verb == verb for log in logs for event in log)


def test_the_upcard_must_be_worth_more_by_the_margin() -> None:
    shy, bold = (trainer.player_of(TRAINED, margin=margin) for margin in (1000.0, -1000.0))
    usual = agent("gin_pass", "pass-counter")
    assert moves(shy, "draw upcard") < moves(usual, "draw upcard") < moves(bold, "draw upcard")


def test_a_patient_player_knocks_with_gin_only() -> None:
    patient = trainer.player_of(TRAINED, patience=1000.0)
    for seed in range(12):
        state = play(gin_pass("course"), [patient, patient], seed)
        assert state.result["outcome"] in ("gin", "washout")


def test_gin_is_shown_at_once() -> None:
    state = deal("Ac 2c 3c 4c 7c 7h 7s Td Jd Kd", JUNK, up="9c", stock="Qd")
    push(state, "draw stock")
    patient = trainer.player_of(TRAINED, patience=1000.0)
    patient.sit(state.rules, Seat(0), np.random.default_rng(1))
    assert str(patient.act(state.observe(Seat(0)))).startswith("knock")


def test_an_upcard_just_taken_is_not_thrown_again() -> None:
    player = trainer.player_of(TRAINED, margin=-1000.0)
    for seed in range(6):
        log = play(gin_pass("course"), [player, player], seed).log
        for before, after in pairwise(log):
            if before.action.verb == "draw upcard":
                assert after.action.cards != before.action.cards


def test_what_the_next_card_does_is_counted_card_by_card() -> None:
    hand, live = Hand.parse("Ac 2c 3c 7d 7h 7s 9d Jd 2s Kh"), Hand.parse("Td 4c 7c 6d As 5h")
    knocks, gins, outs, saved, hopeful = next_card(hand.mask, live.mask, 10)
    least = {card: best_throws(hand.mask | 1 << card.id)[1] for card in live}
    assert knocks == sum(points <= 10 for points in least.values()) == 1
    assert gins == 0
    assert outs == 3  # the ten of diamonds fills the gap of the run, the four and the seven of clubs join melds
    assert saved == sum(max(min_deadwood(hand.mask) - points, 0) for points in least.values())
    assert hopeful & Hand.parse("9d Jd 2s Kh").mask == Hand.parse("9d Jd").mask


def test_notes_of_every_discard_hold_the_one_made_and_its_result() -> None:
    for rules, most in (("course", 150), ("course(seats=3)", 250)):
        found = trainer.play(agent("gin_pass", "keats-tuned"), rules, 5, 40, every=True)
        sizes, chosen = assert_notes_are_whole(found)
        # The critic sees the same hand of the next player beside every discard of a decision.
        theirs = found.lines[:, notes.NEXT_DEADWOOD]
        np.testing.assert_array_equal(theirs, np.repeat(theirs[chosen], sizes))
        assert (np.abs(found.results) <= most).all()
        assert (found.results != 0).any()
        # Knocks have at most ten points of deadwood and mostly win.
        assert (found.knocks[:, v.FAR] == 0).all()
        assert found.knock_results.mean() > 0


def test_the_kernel_chooses_the_discard_that_pytorch_values_most() -> None:
    models = [build(torch, sizes, 7 + k) for k, sizes in enumerate(trainer.NETWORKS)]
    flat = flat_weights(*models)
    assert len(flat) == v.N_NUMBERS
    np.testing.assert_array_equal(flat_weights(*rebuilt(torch, flat, *trainer.NETWORKS)), flat)
    player = trainer.player_of(np.tile(flat, v.N_SETS))
    found = trainer.play(player, "course", 9, 30, every=True)
    values = predicted(torch, models[0], np.ascontiguousarray(found.lines[:, : v.N_AFTER]))
    of = np.repeat(np.arange(len(found.decisions)), found.decisions[:, D_SIZE])
    best = np.full(len(found.decisions), -np.inf)
    np.maximum.at(best, of, values)
    np.testing.assert_allclose(values[found.decisions[:, D_CHOSEN]], best, atol=1e-4)


def test_the_networks_of_another_number_of_seats_do_not_matter() -> None:
    changed = TRAINED.copy().reshape(v.N_SETS, -1)
    changed[1:] += 1.0
    for seats, same in ((2, True), (3, False)):
        logs = [
            play(gin_pass("course", seats=seats), [player] * seats, 3).log
            for player in (trainer.player_of(TRAINED), trainer.player_of(changed))
        ]
        assert (logs[0] == logs[1]) is same


def test_the_trained_values_gain_points_and_untrained_ones_lose_them() -> None:
    for lineup in (("keats-tuned",), ("keats-tuned", "melder")):
        games = 60 if len(lineup) == 1 else 48
        rules = f"course(seats={1 + len(lineup)})"
        trained = match("gin_pass", "pass-counter", *lineup, rules=rules, games=games, seed=41, workers=1)
        assert trained.points_per_hand.ci[0] > 0
        blank = trainer.player_of(np.zeros((v.N_SETS, v.N_NUMBERS), np.float32))
        lost = match("gin_pass", blank, *lineup, rules=rules, games=games, seed=41, workers=1)
        assert lost.points_per_hand.ci[1] < 0
