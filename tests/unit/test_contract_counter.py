"""`contract-counter`: what it sees, what it keeps, where its wilds go, and that it beats the baseline."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import contract_tables
from contract_tables import Replacer, deal, table_with
from helpers import assert_notes_are_whole, push
from rummylab._jit import kernel
from rummylab.agents.contract import contract_counter as c
from rummylab.agents.contract import contract_values as v
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import stack_record
from rummylab.cards.card import Card
from rummylab.engine.artifacts import read_artifact
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.view import contract
from rummylab.learning import contract_notes as notes
from rummylab.learning.notes import D_CHOSEN, D_SIZE

OTHER = "3c 5s 6h 8s Td Qc Kh Jc Js Ac"


def run_table(hand: str, other: str = OTHER, stock: str = "4s", up: str = "9s", **changes: Any) -> State:
    return table_with(contract(contract="S3+R4", hand_sizes="10", **changes), hand, other, up=up, stock=stock)


choice = partial(contract_tables.choice, name="contract-counter")


@pytest.mark.parametrize("name", ["contract-counter", "chinese-counter"])
def test_a_round_that_can_be_ended_is_ended(name: str) -> None:
    state = push(deal("7c 7h 7s 9c 9h 9s 9d"), "draw stock")
    while state.actor == 0:
        push(state, contract_tables.choice(state, name))
    assert state.result["winner"] == 0


def test_only_cards_that_the_contract_can_spare_are_discarded() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d Kd Qh Jh 9h"), "draw stock")
    assert choice(state) in {f"discard {card}" for card in ("Kd", "Qh", "Jh", "9h", "4s")}


@kernel
def after_discard(views, card, out):
    table, mine, work = views[0].table, views[0].mine, stack_record(v.WORK)
    v.clear(work)
    left, seat = v.unseen_by(table, mine), np.int64(mine.seat)
    v.write_table(table, seat, left, work)
    v.write_after(table, seat, mine.hand, mine.twice, mine.jokers, card, left, v.fitting(table), work)
    out[:] = work.inputs


def inputs_after(state: State, discard: str) -> npt.NDArray[np.float32]:
    """What the agent sees of the position after the actor discards *discard*."""
    out = np.zeros(v.N_AFTER, np.float32)
    after_discard(state.observe(Seat(int(state.actor or 0))).view, np.int64(Card.parse(discard).id), out)
    return out


def test_distance_outs_and_cost_of_the_hand_are_seen() -> None:
    seen = inputs_after(push(deal("7c 7h 7s 9c 9h Kd 4d", stock="Qs"), "draw stock"), "Kd")
    assert seen[v.DISTANCE + 1] == 1, "one card short"
    unseen = 54 - 8 - 1
    assert seen[v.CHANCE] == pytest.approx(2 * (2 + 6) / unseen), "two nines and six wilds"
    assert seen[v.COST] == pytest.approx((6 * 5 + 10) / 100)
    assert seen[v.TRIPLES] == 0.5
    assert seen[v.PAIRS] == pytest.approx(0.3)


def test_what_the_discard_gives_away_is_seen() -> None:
    state = deal("3c 5d 6h 8c Td 9s Kh", "Qd Ks 9c 9h 4s Jd Jc", "Ad", "Kd 6s")
    push(state, "draw stock; discard Kd; draw upcard; discard 4s; draw stock")
    assert inputs_after(state, "Kh")[v.GIFT_HELD] == 0.5, "they took the king of diamonds"
    assert inputs_after(state, "9s")[v.GIFT_HELD] == 0
    assert inputs_after(state, "Td")[v.GIFT_SAFE] == inputs_after(state, "Kh")[v.GIFT_SAFE] == 0


def test_cards_that_fit_a_meld_on_the_table_are_seen() -> None:
    state = deal("7c 7h 7s 9c 9h 2s 4d", "7d 9s 5d 6h 8s Td Kh", stock="3s 3d")
    push(state, "draw stock; lay down 7c 7h 7s; lay down 9c 9h 2s; discard 4d; draw stock")
    seen = inputs_after(state, "7d")
    assert seen[v.GIFT_FITS] == seen[v.NEXT_DOWN] == 1
    assert seen[v.FITS] == pytest.approx(0.3), "the nine is left"
    assert inputs_after(state, "Kh")[v.GIFT_FITS] == 0


def test_a_wild_is_laid_off_where_it_makes_room_for_a_card_of_the_hand() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d 3d 2h 8d Kc", stock="Ks"), "draw stock")
    push(state, "lay down 3d 4d 5d 6d; lay down 7c 7h 7s")
    assert choice(state) == "lay off 2h on meld 1", "the eight follows the wild"


def test_a_wild_that_opens_nothing_goes_on_a_set() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d 3d 2h Jh Kc", stock="Ks"), "draw stock")
    push(state, "lay down 3d 4d 5d 6d; lay down 7c 7h 7s")
    assert choice(state) == "lay off 2h on meld 2"


def test_a_replaced_wild_is_laid_off_at_once() -> None:
    rules = contract("contract-7", wild_replacement=True, contract="S3+R4", hand_sizes="10")
    for seed in range(30):
        state, player = State.deal(rules, seed), Replacer()
        while state.actor is not None:
            seen = state.observe(state.actor)
            if seen.freed is not None:  # type: ignore[attr-defined]
                assert choice(state).startswith("lay off")
                return
            state.push(player.act(seen))
    pytest.fail("no wild was replaced")


def test_it_beats_the_baseline() -> None:
    for preset in ("chinese-7", "contract-7"):
        played = match("contract", "contract-counter", "contract-greedy", games=300, seed=42, rules=preset, workers=1)
        assert played.win_rate.low > 0.5
        assert not played.tallies["illegal"].any()


def test_buying_follows_the_margin() -> None:
    never, always = (
        match(
            "contract",
            f"contract-counter(buy_margin={margin})",
            "contract-greedy",
            "contract-greedy",
            games=24,
            seed=5,
            rules="contract-7",
            workers=1,
        )
        for margin in (1000, -1000)
    )
    assert never.points_per_hand != always.points_per_hand
    assert not never.tallies["illegal"].any()
    assert not always.tallies["illegal"].any()


def test_an_upcard_that_brings_the_contract_nearer_is_declined_if_the_stock_is_worth_more() -> None:
    declined = 0
    for seed in range(40):
        state = State.deal(contract("contract-7"), seed)
        usual = contract_tables.choice(state, "contract-counter(decline=1000)")
        made = contract_tables.choice(state, "contract-counter(decline=0)")
        assert made == usual or (usual, made) == ("draw upcard", "draw stock")
        declined += made != usual
    assert 0 < declined < 40
    ready = table_with(contract(), "7c 7h 7s 9c 9h Qh Kd", "3c 5d 6h 8s Td Qc Kh", up="9s")
    assert contract_tables.choice(ready, "contract-counter(decline=0)") == "draw upcard", "it completes the contract"


# --- Training ---------------------------------------------------------------------------------------------------------


def test_the_artifact_says_how_it_was_made() -> None:
    _, manifest = read_artifact(c.ARTIFACT, c.SHAPES)
    assert manifest["command"].startswith("rummylab train contract-counter")
    assert manifest["result"]["seats_2"] > 0.6
    assert c.ARTIFACT.stat().st_size < 1_000_000


def test_notes_of_every_discard_hold_the_one_made_and_its_result() -> None:
    trainer = pytest.importorskip("rummylab.learning.trainers.contract_counter")
    for rules in ("contract-7", "chinese-7(seats=4)"):
        found = trainer.play(agent("contract", "contract-greedy"), rules, 5, 60, every=True, bonus=10.0)
        sizes, chosen = assert_notes_are_whole(found)
        # The critic sees the same hand of the next player beside every discard of a decision.
        theirs = found.lines[:, notes.NEXT_COST]
        np.testing.assert_array_equal(theirs, np.repeat(theirs[chosen], sizes))
        assert (found.lines[:, notes.COMPLETES] <= found.lines[:, notes.HELPS]).all()
        assert (found.lines[:, notes.HELPS] == 1).any()
        assert (found.results > 0).any()
        assert (found.results < 0).any()
        assert (len(found.offers) > 0) == ("seats=4" in rules)


def test_the_kernel_chooses_the_discard_that_pytorch_values_most() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra train")
    from rummylab.learning.networks import build, flat_weights, predicted
    from rummylab.learning.trainers import contract_counter as trainer

    models = [build(torch, sizes, 7 + k) for k, sizes in enumerate(trainer.NETWORKS)]
    flat = flat_weights(*models)
    assert len(flat) == v.N_NUMBERS
    player = trainer.player_of(np.tile(flat, v.N_SETS))
    found = trainer.play(player, "contract-7(seats=3)", 9, 40, every=True, bonus=0.0)
    values = predicted(torch, models[0], np.ascontiguousarray(found.lines[:, : v.N_AFTER]))
    sizes = found.decisions[:, D_SIZE]
    best = np.maximum.reduceat(values, np.cumsum(sizes) - sizes)
    made = values[found.decisions[:, D_CHOSEN]]
    assert (np.abs(made - best) < 1e-4).mean() > 1 - 2 * trainer.STRAYS, "all but the random moves"
