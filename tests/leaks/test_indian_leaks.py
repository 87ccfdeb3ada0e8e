"""What is special about leaks in Indian Rummy: a reshuffled stock, two decks, several seats, planted leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_leaks import (
    assert_hidden_slots_are_the_unnamed,
    assert_leaks,
    assert_looks_the_same,
    assert_view_is_the_folded_log,
    check_by_folding,
    check_by_reshuffling,
    leaky,
    reshuffles,
)
from two_deck_leaks import check_after_reshuffles, next_stock_card_in_the_notes, opponents_hand_as_known_cards

from helpers import RandomChooser, push, registered
from indian_tables import COMPLETE, JUNK, deal
from rummylab.cards.card import Card
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.indian.view import Indian, IndianObservation, indian
from two_deck_tables import draw_and_throw

SEVERAL: list[dict[str, Any]] = [
    {"seats": 3, "round_limit": 8},
    {"seats": 4, "round_limit": 6, "first_turn_relief": True},
    {"seats": 6, "round_limit": 5, "printed_jokers": 4},
    {"seats": 3, "decks": 1, "printed_jokers": 2, "round_limit": 30},
    {"seats": 2, "decks": 2, "printed_jokers": 4, "round_limit": 12, "limit_gain": "difference"},
]
several = pytest.mark.parametrize(
    "changes", SEVERAL, ids=lambda changes: "-".join(f"{k}{v}" for k, v in changes.items())
)
presets = pytest.mark.parametrize("preset", ["paper", "platform"])


@several
@presets
def test_the_view_is_a_fold_with_any_number_of_seats_and_decks(preset: str, changes: dict[str, Any]) -> None:
    covered = check_by_folding(indian(preset, **changes), 2, 6)
    assert covered == {(phase, seat) for phase in ("draw", "discard", "over") for seat in range(changes["seats"])}


@pytest.mark.slow
@several
@presets
def test_reshuffling_changes_nothing_with_any_number_of_seats_and_decks(preset: str, changes: dict[str, Any]) -> None:
    compared = check_by_reshuffling(indian(preset, **changes), 3)
    for seat in range(changes["seats"]):
        for turn in (True, False):
            assert compared["draw", seat, turn] >= 3
            assert compared["discard", seat, turn] >= 3


def test_the_fold_of_wrong_declarations_and_drops_of_several() -> None:
    third, fourth = "Ac 4d 7c 9c Jc 3c 8c Qc 2d 5s 7s 9d Kd", "2c 4c 6c 8c Tc Qc Ah 3h 5h 7h 9h Jh Kh"
    endings = [
        "declare Jd; drop; draw stock; DISCARD; draw stock; DECLARE",
        "DISCARD; drop; drop; drop",
        "DISCARD; draw upcard; declare 3c; draw stock; declare 4c; drop",
        "DISCARD; drop; draw stock; DISCARD; draw upcard; DISCARD",
    ]
    for ending in endings:
        state = push(deal([COMPLETE, JUNK, third, fourth], up="Jd", starter=1), "draw upcard")
        for move in ending.split("; "):
            if move in ("DISCARD", "DECLARE"):  # what was drawn
                drawn = Card(int(state.rows()["mine"]["drawn"][0][state.actor]))
                move = f"{move.lower()} {drawn}"
            push(state, move)
            for seat in range(4):
                assert_view_is_the_folded_log(state, Seat(seat))


# --- Matches of many deals --------------------------------------------------------------------------------------------

MATCHES = [
    ("pool-61(rejoin=true, split=true, split_within=2)", 3),
    ("pool-101(rejoin=true, split=true, split_within=3)", 4),
    ("deals-2", 3),
    ("pool-61(rejoin=true)", 2),
    ("deals-2", 6),
    ("pool-61(split=true, split_within=4)", 5),
]
"""Formats that ask players to rejoin and to split, send them out and play on after a tie; all numbers of seats."""


def match_positions(rules: Indian, seeds: range) -> Iterator[State]:
    """Positions of whole matches between players who often drop: all decisions between deals, some within."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        players = [RandomChooser(seed + i, eager=0.9) for i in range(rules.seats)]
        state = State.deal(rules, seed)
        while True:
            while (seat := state.actor) is not None:
                if state.observe(seat).phase in ("rejoin", "split") or rng.random() < 0.1:
                    yield state
                state.push(players[seat].act(state.observe(seat)))
            yield state
            if state.match_is_over:
                break
            state = state.next_hand(rules.shuffled(seed, 0, state.hand_no + 1))


@pytest.mark.parametrize(("form", "seats"), MATCHES)
def test_the_standing_too_follows_from_what_everybody_saw(form: str, seats: int) -> None:
    rules = indian("platform", format=form, seats=seats, round_limit=3)
    phases = set()
    for state in match_positions(rules, range(4)):
        phases.add(state.observe(Seat(0)).phase)
        for seat in map(Seat, range(seats)):
            assert_view_is_the_folded_log(state, seat)
    assert ("rejoin" in phases) == ("rejoin" in form)
    assert ("split" in phases) == ("split" in form)


@pytest.mark.parametrize(("form", "seats"), MATCHES[:3])
def test_in_a_match_reshuffling_what_a_seat_cannot_see_changes_nothing_for_it(form: str, seats: int) -> None:
    rng, n = np.random.default_rng(7), 0
    rules = indian("platform", format=form, seats=seats, round_limit=3)
    players = registered("indian")[:4]
    for state in match_positions(rules, range(2)):
        assert_hidden_slots_are_the_unnamed(state)
        for seat in map(Seat, range(seats)):
            seen = state.observe(seat)
            for twin in reshuffles(state, seat, rng, 2):
                assert_looks_the_same(seen, twin.observe(seat), players)
                n += 1
    assert n > 30


# --- After a reshuffle ------------------------------------------------------------------------------------------------


@presets
@pytest.mark.parametrize("seats", [2, 4])
def test_after_a_reshuffle_too_nobody_sees_what_it_may_not(preset: str, seats: int) -> None:
    check_after_reshuffles(indian(preset, seats=seats, round_limit=60))


def test_the_cards_of_a_reshuffled_stock_are_known_but_not_their_order() -> None:
    state = deal([COMPLETE, JUNK], up="Jd")
    draw_and_throw(state, 25)
    pile = state.observe(Seat(0)).pile  # type: ignore[attr-defined]
    push(state, "draw stock")
    seen = state.observe(Seat(0))
    assert isinstance(seen, IndianObservation)
    assert set(pile[:-1]) <= set(seen.unseen)


# --- Planted leaks ----------------------------------------------------------------------------------------------------


def opponents_jokers_on_the_table(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["deadwood"][0, 5] = int(row["mine"]["hand"][0, 1 - seat]) % 97


def seed_of_the_reshuffle(row: Rows, seat: Seat, view: Rows) -> None:
    view["mine"]["rng"] = row["rng"]


PLANTED = [
    next_stock_card_in_the_notes,
    opponents_hand_as_known_cards,
    opponents_jokers_on_the_table,
    seed_of_the_reshuffle,
]


@pytest.mark.parametrize("leak", PLANTED)
def test_a_planted_leak_is_caught(leak: Callable[..., None]) -> None:
    assert_leaks(leaky(indian(), leak))


def test_the_indicator_and_the_pile_say_nothing_of_copies() -> None:
    """Two decks: exchanging the two copies of a card in hidden places leaves the very same bytes."""
    rules = indian(seats=3)
    deck = rules.shuffled(4)
    cards = list(deck.cards)
    twins = [(i, k) for i, a in enumerate(cards) for k, b in enumerate(cards) if i < k and a == b]
    assert len(twins) == 53
    for i, k in twins:
        cards[i], cards[k] = cards[k], cards[i]
    again = State.deal(rules, 0, starter=0, deck=type(deck)(tuple(cards)))
    assert again.to_bytes() == State.deal(rules, 0, starter=0, deck=deck).to_bytes()
