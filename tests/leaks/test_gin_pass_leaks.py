"""What is special about leaks in Gin with a passed card: more than two seats, the secret pass, planted leaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gin_pass_fold import GinPassFold
from test_leaks import (
    assert_leaks,
    assert_leaks_by_folding,
    assert_looks_the_same,
    check_by_folding,
    check_by_reshuffling,
    fields,
    leaky,
)

from gin_pass_tables import JUNK, MORE_JUNK, NEAR_GIN, deal
from helpers import RandomChooser, push, registered
from rummylab.engine.action import Action, Event
from rummylab.engine.referee import play_match
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.games.gin_pass.view import GinPass, gin_pass

PHASES = ("pass", "draw", "discard", "over")
SEVERAL: list[dict[str, Any]] = [{"seats": 3, "knock_limit": 30}, {"seats": 4, "knock_limit": 20}]
"""With an easy knock: it leaves cards in the stock that nobody has seen."""


@pytest.mark.parametrize("changes", [*SEVERAL, {"seats": 4, "cards": 10}, {"seats": 3, "pass_card": False}], ids=str)
def test_the_view_of_every_seat_is_a_fold_over_its_log(changes: dict[str, Any]) -> None:
    rules = gin_pass(**changes)
    phases = PHASES if rules.options.pass_card else PHASES[1:]
    assert check_by_folding(rules, 2, 4) == {(phase, seat) for phase in phases for seat in range(rules.seats)}


@pytest.mark.slow
@pytest.mark.parametrize("changes", SEVERAL, ids=str)
def test_reshuffling_what_a_seat_cannot_see_changes_nothing_at_more_seats(changes: dict[str, Any]) -> None:
    rules = gin_pass(**changes)
    compared = check_by_reshuffling(rules, 3)
    for phase in PHASES:
        for seat in range(rules.seats):
            for turn in (True, False) if phase != "over" else (False,):
                assert compared[phase, seat, turn] >= 3, f"{phase}, seat {seat}, its turn {turn}: {compared}"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_hand_of_a_match_is_a_fold_of_its_log(seats: int) -> None:
    """The direction of the pass changes with the hand; nothing in the log says which hand it is."""
    rules = gin_pass(seats=seats, hands=2 * seats)
    for state in play_match(rules, [RandomChooser(seat, 1.0) for seat in range(seats)], 21):
        for seat in range(seats):
            seen = state.observe(Seat(seat))
            fold = GinPassFold(rules.options, seat, int(state.starter), state.hand_no)
            fold.scores[:seats] = state.scores_before
            for event in seen.log:
                fold.apply(event)
            shown = fields(seen.view)
            shown.pop("table.rules")
            assert fold.view() == shown


# --- The secret pass --------------------------------------------------------------------------------------------------

FOUR = [" ".join(hand.split()[:7]) for hand in (NEAR_GIN, JUNK, MORE_JUNK, "5c 6c 5h 9h Kh 6d 9d")]


@pytest.mark.parametrize("hand", [1, 2])
def test_whatever_others_pass_a_bystander_sees_the_same(hand: int) -> None:
    """Seat 0 passes one card or another: only who receives it can tell, before, at and after the exchange."""
    tables = [deal(*FOUR, up="Qs", hand=hand, pass_card=True) for _ in range(2)]
    receiver = 3 if hand == 1 else 1
    players = registered("gin_pass")
    moves = ["pass {}", "pass 2h", "pass 3d", "pass 5c", "draw stock", "discard 7c", "draw upcard"]
    for n, move in enumerate(moves):
        for state, card in zip(tables, ("4c", "Ac"), strict=True):
            push(state, move.format(card))
        for viewer in (1, 2, 3):
            one, two = (state.observe(Seat(viewer)) for state in tables)
            if viewer == receiver and n >= 3:
                assert one.log != two.log
            else:
                assert_looks_the_same(one, two, players)


def test_who_has_not_chosen_yet_does_not_see_what_it_will_receive() -> None:
    tables = [deal(pass_card=True) for _ in range(2)]
    for state, card in zip(tables, ("Kd", "Ac"), strict=True):
        push(state, f"pass {card}")
    one, two = (state.observe(Seat(1)) for state in tables)
    assert one.codes
    assert_looks_the_same(one, two, registered("gin_pass"))


# --- Planted leaks ----------------------------------------------------------------------------------------------------


def next_stock_card_in_the_notes(row: Rows, seat: Seat, view: Rows) -> None:
    if row["pos"][0] < 52:
        view["mine"]["memory"][0, 0] = row["deck"][0, row["pos"][0]]


def neighbours_hand_as_known_cards(row: Rows, seat: Seat, view: Rows) -> None:
    other = (seat + 1) % row["table"]["rules"]["seats"][0]
    view["table"]["known"][0, other] = row["mine"]["hand"][0, other]


def deadwood_before_the_showdown(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["deadwood"][0, :2] = row["mine"]["hand"][0, :2] % 97


def a_strangers_card_as_received(row: Rows, seat: Seat, view: Rows) -> None:
    """What the next but one was handed: at three seats or more that is somebody else's secret."""
    other = (seat + row["table"]["rules"]["seats"][0] - 1) % row["table"]["rules"]["seats"][0]
    view["mine"]["memory"][0, 1] = 1 + row["mine"]["received"][0, other]


PLANTED = [next_stock_card_in_the_notes, neighbours_hand_as_known_cards, deadwood_before_the_showdown]


@pytest.mark.parametrize("leak", PLANTED)
def test_a_planted_leak_is_caught(leak: Callable[..., None]) -> None:
    assert_leaks(leaky(gin_pass(seats=3), leak))


def test_a_strangers_card_is_caught_by_the_fold() -> None:
    assert_leaks_by_folding(leaky(gin_pass(seats=3), a_strangers_card_as_received))


def test_a_passed_card_told_too_early_is_caught() -> None:
    """A view that shows what the neighbour has chosen fails the comparison of two tables that differ in it."""

    def chosen_card(row: Rows, seat: Seat, view: Rows) -> None:
        view["mine"]["received"] = row["mine"]["passed"][0, 1 - seat]

    rules = leaky(deal(pass_card=True).rules, chosen_card)
    tables = [deal(pass_card=True) for _ in range(2)]
    for state, card in zip(tables, ("Kd", "Ac"), strict=True):
        state.rules = rules
        push(state, f"pass {card}")
    with pytest.raises(AssertionError, match="the view tells them apart"):
        assert_looks_the_same(*(state.observe(Seat(1)) for state in tables), registered("gin_pass"))


def test_a_gossip_who_names_the_passed_card_is_caught() -> None:
    class Gossip(GinPass):
        def aside(self, row: Rows) -> list[Event]:
            return [Event(e.seat, Action(e.action.verb, e.secret), (), False) for e in super().aside(row)]

    tables = []
    for card in ("4c", "Ac"):
        state = deal(*FOUR, up="Qs", pass_card=True)
        state.rules = Gossip(state.rules.options)  # type: ignore[arg-type]
        tables.append(push(state, f"pass {card}; pass 2h; pass 3d; pass 5c"))
    with pytest.raises(AssertionError, match="the log tells them apart"):
        assert_looks_the_same(*(state.observe(Seat(2)) for state in tables), [])
