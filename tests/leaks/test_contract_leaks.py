"""What is special about leaks in contract rummy: a reshuffled stock, runs, two jokers, planted leaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract_fold import ContractFold
from test_leaks import (
    assert_leaks,
    assert_looks_the_same,
    assert_view_is_the_folded_log,
    check_by_folding,
    check_by_reshuffling,
    fields,
    leaky,
    phase_of,
    reshuffles,
)
from two_deck_leaks import check_after_reshuffles, next_stock_card_in_the_notes, opponents_hand_as_known_cards

from contract_tables import Replacer, deal
from helpers import RandomChooser, played_states, push, registered
from rummylab.engine.referee import play_match
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.view import contract

ALL_PHASES = {(phase, seat) for phase in ("draw", "play", "lay down", "over") for seat in (0, 1)}


@pytest.mark.parametrize(
    "changes",
    [
        {"contract": "S3+R4", "hand_sizes": "10"},
        {"contract": "2R3", "set_sizes": "minimum", "going_out": "discard_only"},
        {"reshuffle": "all_non_hand", "max_reshuffles": 4, "jokers": 1},
        {"wild_upcard": False, "discard_drawn": False, "same_rank": False, "set_sizes": "minimum"},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_the_view_is_a_fold_under_other_contracts_and_house_rules(changes: dict[str, Any]) -> None:
    assert check_by_folding(contract(**changes), 3, 4) == ALL_PHASES


def test_every_round_of_seven_contracts_is_a_fold_of_its_log() -> None:
    rules = contract("contract-7")
    for state in play_match(rules, registered("contract")[:2], 21):
        for seat in (0, 1):
            seen = state.observe(Seat(seat))
            fold = ContractFold(rules.options, seat, int(state.starter), state.hand_no)
            fold.scores = list(state.scores_before)
            for event in seen.log:
                fold.apply(event)
            shown = fields(seen.view)
            shown.pop("table.rules")
            assert fold.view() == shown


@pytest.mark.slow
def test_reshuffling_changes_nothing_where_runs_are_asked_for() -> None:
    compared = check_by_reshuffling(contract(contract="S3+R4", hand_sizes="10"), 2, 3)
    for seat in (0, 1):
        for turn in (True, False):
            assert compared["lay down", seat, turn] >= 2
            assert compared["play", seat, turn] >= 3


def test_who_could_lay_down_and_does_not_looks_like_who_could_not() -> None:
    """The phase must not tell that the contract is in the hand."""
    ready = push(deal(), "draw stock")
    other = push(deal("7c 7h 6s 9c 9h 2s 4d"), "draw stock")
    assert any(action.verb == "lay down" for action in ready.legal_actions)
    assert not any(action.verb == "lay down" for action in other.legal_actions)
    assert fields(ready.observe(Seat(1)).view) == fields(other.observe(Seat(1)).view)


def test_who_replaces_a_wild_shows_the_wild_and_nothing_else() -> None:
    rules, rng, met = contract("contract-7", seats=3, wild_replacement=True), np.random.default_rng(5), 0
    for seed in range(4):
        for state in played_states(rules, [Replacer() for _ in range(3)], seed):
            if state.rows()["table"]["freed"][0] < 0:
                continue
            met += 1
            assert State.parse(state.to_text()).to_bytes() == state.to_bytes()
            for seat in map(Seat, range(3)):
                assert_view_is_the_folded_log(state, seat)
                for twin in reshuffles(state, seat, rng, 1):
                    assert_looks_the_same(state.observe(seat), twin.observe(seat), [])
    assert met > 3


# --- Many seats, two decks, buying ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("chinese-7", {"seats": 3, "contract": "R7+S3", "hand_sizes": "11"}),
        ("chinese-7", {"seats": 4, "contract": "S5+S4", "hand_sizes": "10"}),
        ("contract-7", {"seats": 6, "contract": "S3+R4", "hand_sizes": "10"}),
        ("shanghai-10", {"seats": 3, "contract": "3S3+R5", "hand_sizes": "14", "buys": "4"}),
    ],
    ids=lambda one: one if isinstance(one, str) else one["contract"],
)
def test_nobody_sees_more_at_larger_tables_and_every_position_reads_back(preset: str, changes: dict[str, Any]) -> None:
    """At some positions of every phase: the view is a fold, a reshuffle changes nothing, the text gives the bytes."""
    rules = contract(preset, **changes)
    rng = np.random.default_rng(3)
    seats = [Seat(seat) for seat in range(rules.seats)]
    phases = set()
    for seed in range(2):
        for state in played_states(rules, [RandomChooser(seed + seat, 1.0) for seat in seats], seed):
            phase = phase_of(state)
            if rng.random() > {"draw": 0.05, "play": 0.05, "buy": 0.3}.get(phase, 1.0):
                continue
            assert State.parse(state.to_text()).to_bytes() == state.to_bytes()
            for seat in seats:
                assert_view_is_the_folded_log(state, seat)
                phases.add((phase, int(seat)))
                for twin in reshuffles(state, seat, rng, 1):
                    assert_looks_the_same(state.observe(seat), twin.observe(seat), [])
    assert phases == {(phase, seat) for phase in ("draw", "buy", "play", "lay down", "over") for seat in seats}


def test_the_penalty_card_of_a_buyer_is_a_leak_where_others_see_it() -> None:
    """A planted leak in the phase buy: the next card of the stock, which the buyer would draw."""

    def price(row: Rows, seat: Seat, view: Rows) -> None:
        if phase_of_row(row) == "buy":
            view["table"]["turned_up"] = row["deck"][0, row["pos"][0]]

    rules = leaky(contract("contract-7", seats=3), price)
    players = [RandomChooser(seat, 0.5) for seat in range(3)]
    state = next(state for state in played_states(rules, players, 1) if phase_of_row(state.rows()) == "buy")
    with pytest.raises(AssertionError, match="in phase buy"):
        assert_view_is_the_folded_log(state, Seat(0))


def phase_of_row(row: Rows) -> str:
    return contract().phase(row)


# --- After a reshuffle ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["chinese", "chinese-literal"])
def test_after_a_reshuffle_too_nobody_sees_what_it_may_not(preset: str) -> None:
    check_after_reshuffles(contract(preset), eager=0.3, most=240)


# --- Planted leaks ----------------------------------------------------------------------------------------------------


def opponents_wilds_in_the_points(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["points"] = int(row["mine"]["hand"][0, 1 - seat]) % 97


PLANTED = [next_stock_card_in_the_notes, opponents_hand_as_known_cards, opponents_wilds_in_the_points]


@pytest.mark.parametrize("leak", PLANTED)
def test_a_planted_leak_is_caught(leak: Callable[..., None]) -> None:
    assert_leaks(leaky(contract(), leak))


def test_the_two_jokers_are_never_told_apart() -> None:
    deck = contract().shuffled(3)
    at = [i for i, card in enumerate(deck) if card.is_joker]
    cards = list(deck.cards)
    cards[at[0]], cards[at[1]] = cards[at[1]], cards[at[0]]
    one, two = (State.deal(contract(), 0, starter=0, deck=type(deck)(tuple(c))) for c in (deck.cards, cards))
    assert one.to_bytes() == two.to_bytes()
    assert phase_of(one) == "draw"
