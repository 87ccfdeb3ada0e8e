"""Two-player Gin, paragraph by paragraph of the rules page, on hand-made deals.

The number in each section is the paragraph. Unless a test says otherwise it plays the preset ``eaai``.
"""

from __future__ import annotations

import numpy as np
import pytest

from helpers import act, hand_of, legal, make_deck, push, table, verbs
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import points
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.melds import min_deadwood
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import DeckError, IllegalActionError, OptionError, UnknownNameError
from rummylab.games.gin.options import GinOptions
from rummylab.games.gin.view import Gin, gin

ALL = ["eaai", "classic", "openspiel"]

# Two hands that nobody can knock with for a while, and cards that help neither.
DULL_0 = "Ac 4c 8c Qc 2h 6h Th 3s 7s Js"
DULL_1 = "2c 6c Tc 4h 8h Qh As 5s 9s Ks"
DULL = (DULL_0, DULL_1, "Kd")


def start(seat0: str, seat1: str, up: str, stock: str = "", *, rules: Gin | None = None, starter: int = 0) -> State:
    return State.deal(rules or gin(), 0, starter=starter, deck=make_deck(seat0, seat1, up, stock))


def refuse(state: State, move: str, why: str = "") -> None:
    """Assert that *move* is illegal, raises with the reason, and changes nothing."""
    before, events = state.to_bytes(), list(state.log)
    assert act(move) not in state.legal_actions
    with pytest.raises(IllegalActionError, match=why or None):
        state.push(act(move))
    assert state.to_bytes() == before
    assert state.log == events


def knock_state(seat0: str, seat1: str, drawn: str, thrown: str, *, rules: Gin | None = None, up: str = "Kd") -> State:
    """Seat 0 has drawn *drawn* from the stock and knocked throwing *thrown*: it now melds."""
    state = start(seat0, seat1, up, drawn, rules=rules)
    return push(state, "pass; pass; draw stock", f"knock {thrown}")


# A knocker with three melds and one loose card, and a defender, as the tests below vary them.
KNOCKER = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h"


# --- 1. Cards, values, melds ------------------------------------------------------------------------------------------


def test_the_ace_counts_one_pips_their_number_and_court_cards_ten() -> None:
    values = [int(points(1 << rank)) for rank in range(13)]
    assert values == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert Hand.parse("Ah 9h Th Kd").points == 30


@pytest.mark.parametrize(
    ("hand", "left"),
    [
        ("Ac 2c 3c", 0),  # the ace is low
        ("Qc Kc Ac", 21),  # and not high
        ("Kc Ac 2c", 13),  # no wrap
        ("7c 7h 7s", 0),
        ("7c 7h 7s 7d", 0),
        ("7c 7h", 14),
        ("4c 5c", 9),
        ("4c 5c 6h", 15),  # one suit only
        ("4c 5c 6c 6h 6s", 9),  # the six of clubs is in one meld: here the group's
        ("4c 5c 6c 6h 6s 6d", 0),
        ("3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc", 0),
    ],
)
def test_melds_are_groups_of_three_or_four_and_runs_of_three_or_more_each_card_once(hand: str, left: int) -> None:
    assert min_deadwood(Hand.parse(hand).mask) == left


def test_a_card_is_in_one_meld_only() -> None:
    state = knock_state(
        "4c 5c 6c 6h 6s Th Ts Td Ac Ah", "2c 8c Qc 3h 9h Kh 5s 9s Ks 2d", "Jd", "Jd", rules=gin(knock_limit=20)
    )
    push(state, "meld 4c 5c 6c")
    assert "meld 6c 6h 6s" not in legal(state)
    refuse(state, "meld 6c 6h 6s", "melded already")


# --- 2. The deal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize("starter", [0, 1])
def test_twenty_cards_go_out_one_at_a_time_seat_0_first_whoever_starts(preset: str, starter: int) -> None:
    deck = Deck.shuffled(99)
    state = State.deal(gin(preset), 0, starter=starter, deck=deck)
    assert hand_of(state, 0) == Hand.of(deck.cards[0:20:2])
    assert hand_of(state, 1) == Hand.of(deck.cards[1:20:2])
    assert table(state)["up"] == deck.cards[20].id
    assert table(state)["stock"] == 31
    assert state.actor == starter


@pytest.mark.parametrize("preset", ALL)
def test_the_stock_is_drawn_in_the_decks_order_from_the_22nd_card(preset: str) -> None:
    state = start(*DULL, "Jd Qd 9d", rules=gin(preset))
    push(state, "pass; pass; draw stock; discard Jd; draw stock; discard Qd; draw stock")
    assert [e.secret for e in state.log if e.action.verb == "draw stock"] == [
        (Card.parse(c),) for c in ("Jd", "Qd", "9d")
    ]
    assert table(state)["stock"] == 28


def test_the_first_starter_is_drawn_by_lot() -> None:
    starters = [gin().first_starter(seed, pair) for seed in range(20) for pair in range(20)]
    assert 150 < sum(starters) < 250
    assert [gin("openspiel").first_starter(seed) for seed in range(20)] == [0] * 20


def test_drawing_the_starter_does_not_move_the_cards() -> None:
    assert gin().shuffled(5, 3) == gin("openspiel").shuffled(5, 3)
    assert gin().shuffled(5, 3) != gin().shuffled(5, 4)


# --- 3. First turns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize("starter", [0, 1])
def test_the_up_card_is_offered_to_the_starter_then_to_the_other_then_the_starter_must_draw(
    preset: str, starter: int
) -> None:
    state = start(*DULL, rules=gin(preset), starter=starter)
    assert (state.actor, legal(state)) == (starter, {"draw upcard", "pass"})
    refuse(state, "draw stock")
    push(state, "pass")
    assert (state.actor, legal(state)) == (1 - starter, {"draw upcard", "pass"})
    push(state, "pass")
    assert (state.actor, legal(state)) == (starter, {"draw stock"})
    refuse(state, "draw upcard")
    refuse(state, "pass")
    push(state, "draw stock")
    assert state.actor == starter
    assert "discard" in verbs(state)


@pytest.mark.parametrize("preset", ALL)
def test_whoever_takes_the_first_up_card_plays_a_normal_turn(preset: str) -> None:
    for refusals in (0, 1):
        state = push(start(*DULL, rules=gin(preset)), *["pass"] * refusals, "draw upcard")
        assert state.actor == refusals
        assert Card.parse("Kd") in hand_of(state, refusals)
        push(state, "discard Qc" if refusals == 0 else "discard Qh")
        assert (state.actor, legal(state)) == (1 - refusals, {"draw stock", "draw upcard"})


def test_refusing_the_first_up_card_is_not_a_turn() -> None:
    state = push(start(*DULL), "pass; pass")
    assert table(state)["turn"] == 0


# --- 4. A turn --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
def test_a_turn_is_a_draw_and_one_discard_and_passes_on(preset: str) -> None:
    state = push(start(*DULL, "Jd Qd", rules=gin(preset)), "pass; pass; draw stock")
    assert len(hand_of(state, 0)) == 11
    refuse(state, "draw stock")
    refuse(state, "pass")
    push(state, "discard Qc")
    assert (state.actor, legal(state)) == (1, {"draw stock", "draw upcard"})
    refuse(state, "discard Qh")
    assert len(hand_of(state, 0)) == 10


def test_only_the_top_discard_can_be_taken() -> None:
    state = push(start(*DULL, "Jd Qd"), "pass; pass; draw stock; discard Jd; draw upcard; discard Qh; draw upcard")
    assert Card.parse("Qh") in hand_of(state, 0)
    assert Card.parse("Jd") in hand_of(state, 1)
    assert Hand(int(table(state)["pile"])) == Hand.parse("Kd")


def test_a_card_that_is_not_held_cannot_be_thrown() -> None:
    state = push(start(*DULL, "Jd"), "pass; pass; draw stock")
    refuse(state, "discard 2c", "2c is not in the hand")


# --- 5. The up-card just taken ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_the_up_card_just_taken_may_not_be_discarded(preset: str) -> None:
    state = push(start(*DULL, rules=gin(preset)), "draw upcard")
    assert len(state.legal_actions) == 10
    refuse(state, "discard Kd", "just taken")
    push(state, "discard Qc; draw upcard")
    refuse(state, "discard Qc", "just taken")


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_the_up_card_just_taken_may_not_be_thrown_for_a_knock_either(preset: str) -> None:
    ready = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h"
    state = push(start(ready, "2h 6h Th 3s 8s Js 4d 9d Kh 9c", "Kd", rules=gin(preset)), "draw upcard")
    refuse(state, "knock Kd", "just taken")


@pytest.mark.parametrize("preset", ALL)
def test_a_card_drawn_from_the_stock_may_be_discarded(preset: str) -> None:
    state = push(start(*DULL, "Jd", rules=gin(preset)), "pass; pass; draw stock")
    assert "discard Jd" in legal(state)
    assert len([a for a in state.legal_actions if a.verb == "discard"]) == 11


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_an_up_card_kept_for_a_turn_may_be_thrown_later(preset: str) -> None:
    state = push(
        start(*DULL, "Jd 9d", rules=gin(preset)), "draw upcard; discard Qc; draw stock; discard Jd; draw stock"
    )
    assert "discard Kd" in legal(state)


# --- 6. The wall ------------------------------------------------------------------------------------------------------


def draw_down(state: State, leave: int) -> State:
    """Draw from the stock and throw what was drawn until *leave* cards are left and a player is to discard."""
    push(state, "pass; pass")
    while True:
        event = state.push(act("draw stock"))
        if table(state)["stock"] == leave:
            return state
        push(state, f"discard {event.secret[0]}")


def last_drawn(state: State) -> Card:
    return state.log[-1].secret[0]


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_play_goes_on_with_three_stock_cards_and_ends_at_two(preset: str) -> None:
    state = draw_down(start(*DULL, rules=gin(preset)), 3)
    push(state, f"discard {last_drawn(state)}")
    assert state.actor is not None
    push(state, "draw stock")
    assert table(state)["stock"] == 2
    push(state, f"discard {last_drawn(state)}")
    assert state.actor is None
    assert state.result["outcome"] == "cancelled"
    assert state.payoffs() == (0, 0)


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_the_player_who_leaves_two_cards_may_still_knock(preset: str) -> None:
    ready = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h"
    other = "2h 6h Th 3s 8s Js 4d 9d Kh 9c"
    state = draw_down(start(ready, other, "Kd", rules=gin(preset)), 2)  # 29 draws: the starter has the last one
    assert state.actor == 0
    push(state, f"knock {last_drawn(state)}")
    assert state.actor == 0


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_the_opponent_does_not_get_to_take_the_last_discard(preset: str) -> None:
    state = draw_down(start(*DULL, rules=gin(preset)), 2)
    push(state, f"discard {last_drawn(state)}")
    assert state.actor is None
    refuse(state, "draw upcard", "over")


def test_taking_up_cards_with_three_stock_cards_left_does_not_end_the_hand() -> None:
    state = draw_down(start(*DULL), 3)
    seat = state.actor
    push(state, f"discard {last_drawn(state)}; draw upcard")
    push(state, "discard Qh" if seat == 0 else "discard Qc")
    assert state.actor == seat


def test_the_wall_can_be_moved() -> None:
    state = draw_down(start(*DULL, rules=gin(wall=10)), 10)
    push(state, f"discard {last_drawn(state)}")
    assert state.actor is None


# --- 7. The knock -----------------------------------------------------------------------------------------------------

TWO_MELDS = "Ac 2c 3c 7h 7s 7d 4h 3d 2s"  # and 9 points loose
NEIGHBOUR = "2h 6h Th 5s 8s Js 9d Kh 9c Qs"


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize(("tenth", "can"), [("As", True), ("2d", False)])
def test_a_knock_needs_at_most_ten_points(preset: str, tenth: str, can: bool) -> None:
    state = push(start(f"{TWO_MELDS} {tenth}", NEIGHBOUR, "Kd", "Qd", rules=gin(preset)), "pass; pass; draw stock")
    assert ("knock Qd" in legal(state)) == can
    if not can:
        refuse(state, "knock Qd", "deadwood 11 over the limit 10")


@pytest.mark.parametrize("limit", [0, 4, 9])
def test_the_knock_limit_is_an_option(limit: int) -> None:
    loose = {4: "4h", 9: "9h", 0: "4d"}[limit]
    hand = "Ac 2c 3c 7h 7s 7d Tc Jc Qc " + loose
    other = "2h 6h Th 5s 8s Js 9d Kh 9c Qs"
    for option, can in ((limit, limit > 0), (max(limit - 1, 0), False)):
        state = push(start(hand, other, "Kd", "Qd", rules=gin(knock_limit=option)), "pass; pass; draw stock")
        assert ("knock Qd" in legal(state)) == can


def test_a_player_need_not_knock() -> None:
    state = push(start(KNOCKER, NEIGHBOUR.replace("2h", "3h"), "Kd", "Qd"), "pass; pass; draw stock")
    assert {"knock Qd", "discard Qd"} <= legal(state)
    push(state, "discard Qd")
    assert state.actor == 1


def test_the_declared_melds_count_not_the_best_ones() -> None:
    # The third meld is worth 6 points only, so the knocker may leave it out, and pay for it.
    hand = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 4h"
    other = "2h 6h Th 5s 8s Js 9d Kh 9c Qs"
    state = push(start(hand, other, "Kd", "Kc"), "pass; pass; draw stock; knock Kc; meld 7h 7s 7d; meld Tc Jc Qc")
    assert {"done", "meld Ac 2c 3c"} == legal(state)
    push(state, "done; done")
    assert state.result["deadwood"][0] == 10  # A + 2 + 3 + 4, not 4


def test_a_knock_must_be_completed_within_the_limit() -> None:
    state = knock_state(KNOCKER, NEIGHBOUR.replace("6h", "3h"), "Kc", "Kc")
    refuse(state, "done")
    push(state, "meld 7h 7s 7d")
    refuse(state, "done")
    push(state, "meld Tc Jc Qc")
    refuse(state, "done")
    push(state, "meld Ac 2c 3c")
    assert legal(state) == {"done"}


def test_a_meld_that_spoils_the_knock_is_refused() -> None:
    # 5c 5h 5s would leave 3c 4c 6h 7h: only both runs keep the knock.
    hand = "3c 4c 5c 5h 6h 7h 5s Ts Td Th"
    state = knock_state(hand, "2h 8h Qh 3s 8s Js 9d Kh 9c Qs", "Kc", "Kc")
    assert "meld 5c 5h 5s" not in legal(state)
    refuse(state, "meld 5c 5h 5s", "knock limit")
    assert {"meld 3c 4c 5c", "meld 5h 6h 7h", "meld Th Ts Td"} == legal(state)


def test_a_long_run_may_be_declared_whole_or_in_two() -> None:
    hand = "Ac 2c 3c 4c 5c 6c 7c 7h 7s 2d"
    for melds in ("meld Ac 2c 3c 4c 5c 6c 7c", "meld Ac 2c 3c; meld 4c 5c 6c 7c", "meld Ac 2c 3c 4c; meld 5c 6c 7c"):
        rules = gin(knock_limit=20)
        state = knock_state(hand, "2h 8h Qh 3s 8s Js 9d Kh 9c Qs", "Kc", "Kc", rules=rules)
        push(state, melds, "done; done")
        assert state.result["deadwood"][0] == 16


GIN_HAND = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h"
PLAIN = "2h 6h Th 5s 8s Js 9d Kh 9s Qs"


@pytest.mark.parametrize("preset", ALL)
def test_gin_is_declared_deadwood_nothing(preset: str) -> None:
    state = knock_state(GIN_HAND, PLAIN, "Kc", "5h", rules=gin(preset))
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done")
    assert state.actor == 1
    assert "lay off" not in verbs(state)
    push(state, "done")
    assert state.result["outcome"] == "gin"
    assert state.result["deadwood"] == [0, Hand.parse(PLAIN).points]


def test_gin_in_the_hand_but_not_declared_is_a_plain_knock() -> None:
    state = knock_state(GIN_HAND, PLAIN, "Kc", "5h")
    push(state, "meld 7h 7s 7d; meld Tc Jc Qc Kc; done; done")
    assert state.result["outcome"] == "knock"
    assert state.result["deadwood"][0] == 6


def test_a_declared_deadwood_of_six_can_be_undercut_though_gin_was_there() -> None:
    state = knock_state(GIN_HAND, "4h 5c 6c Th 5s 5d Ts Td 6s 6d", "Kc", "5h")
    push(state, "meld 7h 7s 7d; meld Tc Jc Qc Kc; done; meld 5c 5s 5d; meld 6c 6s 6d; meld Th Ts Td; done")
    assert state.result["outcome"] == "undercut"
    assert state.result["deadwood"] == [6, 4]
    assert state.payoffs() == (-27, 27)


@pytest.mark.parametrize("preset", ["eaai", "openspiel"])
def test_big_gin_is_not_played(preset: str) -> None:
    state = push(start("Ac 2c 3c 7h 7s 7d Tc Jc Qc 4c", PLAIN, "Kd", "Kc", rules=gin(preset)), "pass; pass; draw stock")
    assert min_deadwood(hand_of(state, 0).mask) == 0
    refuse(state, "big gin")
    assert "knock 4c" in legal(state)


# --- 8. Order of the spread -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
def test_the_knockers_melds_are_public_before_the_defender_melds(preset: str) -> None:
    state = knock_state(KNOCKER, NEIGHBOUR.replace("6h", "3h"), "Kc", "Kc", rules=gin(preset))
    assert state.actor == 0
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done")
    assert state.actor == 1
    seen = state.observe(Seat(1)).view["table"]["spread"][0, 0]
    assert {str(Hand(int(m))) for m in seen} == {"Ac 2c 3c", "7h 7s 7d", "Tc Jc Qc"}


def test_the_defender_may_keep_cards_out_of_melds_for_lay_offs() -> None:
    # The defender's 4c could be in the group of fours; laid off it saves nothing more, but it may choose.
    other = "4c 4h 4s 9h Th Js Qs Kh 2d 6d"
    left = {}
    for melds in ("meld 4c 4h 4s; done", "done"):
        state = knock_state(KNOCKER, other, "Kc", "Kc")
        push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done", melds)
        left[melds] = state.result["deadwood"][1]
    assert left["meld 4c 4h 4s; done"] == Hand.parse("9h Th Js Qs Kh 2d 6d").points
    assert left["done"] == Hand.parse("4h 4s 9h Th Js Qs Kh 2d 6d").points


# --- 9. Lay-offs ------------------------------------------------------------------------------------------------------

SPREAD_9 = "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done"


def laid(state: State) -> list[tuple[str, int]]:
    t = table(state)
    return [(str(Card(int(t["laid"][i]))), int(t["laid_on"][i])) for i in range(t["n_laid"])]


def test_lay_offs_are_automatic_in_eaai_and_chain_along_a_run() -> None:
    other = "4c 5c 9c 8c 7c 4h Th 2s Js 9d"
    state = knock_state(KNOCKER, other, "Kh", "Kh")
    push(state, SPREAD_9, "done")
    # 4c 5c on the first run; then 7c, the lowest that fits, on the sevens; 9c and 8c on the last run
    assert [card for card, _ in laid(state)] == ["4c", "5c", "7c", "9c", "8c"]
    assert laid(state)[2] == ("7c", 1)
    assert state.result["deadwood"][1] == Hand.parse("4h Th 2s Js 9d").points
    assert [str(e.action) for e in state.log if e.action.verb == "lays off"] == [
        f"lays off {c}" for c in ("4c", "5c", "7c", "9c", "8c")
    ]


def test_the_scan_goes_by_ascending_card_id_clubs_hearts_spades_diamonds() -> None:
    hand = "4h 5h 6h 4s 5s 6s 4d 5d 6d Ac"
    other = "7h 3h 7s 3s 7d 3d Kh Ks Kc Qd"
    state = knock_state(hand, other, "Jc", "Jc", up="Td")
    push(state, "meld 4h 5h 6h; meld 4s 5s 6s; meld 4d 5d 6d; done; done")
    assert [card for card, _ in laid(state)] == ["3h", "7h", "3s", "7s", "3d", "7d"]


@pytest.mark.parametrize(
    ("order", "left"),
    [("meld 4c 5c 6c; meld 7h 7s 7d", ""), ("meld 7h 7s 7d; meld 4c 5c 6c", "8c")],
)
def test_the_declared_order_decides_a_lay_off_that_fits_twice(order: str, left: str) -> None:
    hand = "4c 5c 6c 7h 7s 7d Th Ts Td Ac"
    other = "7c 8c 2h 5h 9h 3s 8s Ks 2d Jd"
    state = knock_state(hand, other, "Kc", "Kc", up="Kd")
    push(state, order, "meld Th Ts Td; done; done")
    assert state.result["deadwood"][1] == Hand.parse(f"2h 5h 9h 3s 8s Ks 2d Jd {left}").points


def test_the_defenders_own_melds_are_never_broken() -> None:
    other = "4c 5c 6c 9h Th Js Qs Kh 2d 6d"
    state = knock_state(KNOCKER, other, "Kc", "Kc")
    push(state, SPREAD_9, "meld 4c 5c 6c; done")
    assert laid(state) == []
    assert state.result["deadwood"][1] == Hand.parse("9h Th Js Qs Kh 2d 6d").points


def test_nothing_is_laid_off_on_gin() -> None:
    other = "4c 7c 2h 6h Th 5s 8s Js 9d Kh"
    state = knock_state(GIN_HAND, other, "Kc", "5h")
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done; done")
    assert laid(state) == []
    assert state.payoffs()[0] == 25 + Hand.parse(other).points


@pytest.mark.parametrize("preset", ["classic", "openspiel"])
def test_the_defender_chooses_lay_offs_before_melding(preset: str) -> None:
    other = "4c 4h 4s 5c 9h Js Qs Kh 2d 6d"
    state = knock_state(KNOCKER, other, "Kc", "Kc", rules=gin(preset))
    push(state, SPREAD_9)
    assert (state.actor, legal(state)) == (1, {"lay off 4c", "done"})
    refuse(state, "lay off 5c")
    refuse(state, "meld 4c 4h 4s")
    push(state, "lay off 4c")
    assert legal(state) == {"lay off 5c", "done"}
    push(state, "done")
    assert legal(state) == {"done"}  # the fours are two now
    push(state, "done")
    assert state.result["deadwood"][1] == Hand.parse("4h 4s 5c 9h Js Qs Kh 2d 6d").points


@pytest.mark.parametrize("preset", ["classic", "openspiel"])
def test_the_defender_may_lay_off_nothing_and_meld_nothing(preset: str) -> None:
    other = "4c 4h 4s 5c 9h Js Qs Kh 2d 6d"
    state = knock_state(KNOCKER, other, "Kc", "Kc", rules=gin(preset))
    push(state, SPREAD_9, "done; done")
    assert state.result["deadwood"][1] == Hand.parse(other).points


def test_a_card_chosen_for_lay_off_goes_to_a_run_before_a_group() -> None:
    hand = "4c 5c 6c 7h 7s 7d Th Ts Td Ac"
    other = "7c 8c 2h 5h 9h 3s 8s Ks 2d Jd"
    state = knock_state(hand, other, "Kc", "Kc", rules=gin("classic"))
    push(state, "meld 7h 7s 7d; meld 4c 5c 6c; meld Th Ts Td; done; lay off 7c; lay off 8c; done; done")
    assert laid(state) == [("7c", 1), ("8c", 1)]
    assert state.result["deadwood"][1] == Hand.parse("2h 5h 9h 3s 8s Ks 2d Jd").points


# --- 10. The score ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
def test_gin_scores_25_and_the_defenders_deadwood(preset: str) -> None:
    state = knock_state(GIN_HAND, PLAIN, "Kc", "5h", rules=gin(preset))
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done; done")
    won = 25 + Hand.parse(PLAIN).points
    assert state.payoffs() == (won, -won)
    assert state.result["winner"] == 0


@pytest.mark.parametrize("preset", ALL)
def test_gin_is_not_undercut_even_against_nothing(preset: str) -> None:
    other = "8h 8s 8d 9c 9h 9s 9d Th Ts Td"
    state = knock_state(GIN_HAND, other, "Kc", "5h", rules=gin(preset))
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done")
    push(state, "meld Th Ts Td; meld 8h 8s 8d; meld 9c 9h 9s 9d; done")
    assert state.result["deadwood"] == [0, 0]
    assert state.payoffs() == (25, -25)


# The knocker keeps 5 points; the defender's melds leave the last card (and nothing fits the spread).
NINE_MELDED = "8h 8s 8d 9h 9s 9d Th Ts Td"
DEFENCE = "meld 8h 8s 8d; meld 9h 9s 9d; meld Th Ts Td; done"


def against_five(tenth: str, preset: str, **changes: int) -> State:
    state = knock_state(KNOCKER, f"{NINE_MELDED} {tenth}", "Ks", "Ks", rules=gin(preset, **changes))
    push(state, SPREAD_9)
    if preset != "eaai":
        push(state, "done")
    return push(state, DEFENCE)


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize(("tenth", "won"), [("6d", 1), ("Qd", 5)])
def test_a_knock_with_less_scores_the_difference(preset: str, tenth: str, won: int) -> None:
    state = against_five(tenth, preset)
    assert state.result["outcome"] == "knock"
    assert state.payoffs() == (won, -won)


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize(("tenth", "won"), [("4d", 26), ("Ad", 29)])
def test_an_undercut_scores_25_and_the_difference_for_the_defender(preset: str, tenth: str, won: int) -> None:
    state = against_five(tenth, preset)
    assert state.result["outcome"] == "undercut"
    assert state.result["winner"] == 1
    assert state.payoffs() == (-won, won)


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_equal_deadwood_is_an_undercut(preset: str) -> None:
    state = against_five("5d", preset)
    assert state.result["outcome"] == "undercut"
    assert state.payoffs() == (-25, 25)


def test_lay_offs_can_make_the_undercut() -> None:
    state = knock_state(KNOCKER, f"{NINE_MELDED} Kc", "Ks", "Ks")
    push(state, SPREAD_9, DEFENCE)
    assert laid(state) == [("Kc", 2)]
    assert state.payoffs() == (-30, 30)


def test_bonuses_are_options() -> None:
    assert against_five("4d", "eaai", undercut_bonus=10).payoffs() == (-11, 11)
    state = knock_state(GIN_HAND, PLAIN, "Kc", "5h", rules=gin(gin_bonus=20))
    push(state, "meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done; done")
    assert state.payoffs()[0] == 20 + Hand.parse(PLAIN).points


def test_the_knocks_of_a_match_are_counted_by_seat() -> None:
    names = ("knocks", "gins", "knocked_with", "knock_turns")
    first = against_five("4d", "eaai")
    assert [table(first)[name].tolist() for name in names] == [[1, 0], [0, 0], [5, 0], [1, 0]]
    second = first.next_hand(make_deck(KNOCKER, f"{NINE_MELDED} Qd", "Kd", "Ah Ks"))
    push(second, "pass; pass; draw stock; discard Ah; draw stock; knock Ks", SPREAD_9, DEFENCE)
    assert [table(second)[name].tolist() for name in names] == [[2, 0], [0, 0], [10, 0], [2, 0]]


def test_scores_of_the_match_grow_by_the_points_of_the_hand() -> None:
    first = against_five("4d", "eaai")
    assert first.scores == (0, 26)
    second = first.next_hand(make_deck(KNOCKER, f"{NINE_MELDED} Qd", "Kd", "Ah Ks"))
    assert second.actor == 1
    push(second, "pass; pass; draw stock; discard Ah; draw stock; knock Ks", SPREAD_9, DEFENCE)
    assert second.scores == (5, 26)


# --- 11. The next starter ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tenth", ["6d", "4d", "5d"])
def test_the_starter_alternates_after_every_scored_hand_whoever_won(tenth: str) -> None:
    state = against_five(tenth, "eaai")
    assert state.next_hand(Deck.shuffled(1)).starter == 1


@pytest.mark.parametrize("starter", [0, 1])
def test_the_same_player_starts_again_after_a_cancelled_hand(starter: int) -> None:
    state = draw_down(start(*DULL, starter=starter), 2)
    push(state, f"discard {last_drawn(state)}")
    assert state.result["outcome"] == "cancelled"
    assert state.next_hand(Deck.shuffled(1)).starter == starter


def test_a_hand_that_is_not_over_has_no_next_hand() -> None:
    with pytest.raises(IllegalActionError, match="not over"):
        start(*DULL).next_hand(Deck.shuffled(1))


# --- 12. The match ----------------------------------------------------------------------------------------------------


def with_scores(preset: str, scores: tuple[int, int], tenth: str, **changes: int | bool) -> State:
    rules = gin(preset, **changes)
    row = rules.new_rows(1)
    rules.set_scores(row, scores)
    state = State(rules, row, make_deck(KNOCKER, f"{NINE_MELDED} {tenth}", "Kd", "Ks"), 0)
    push(state, "pass; pass; draw stock; knock Ks", SPREAD_9)
    if rules.options.layoffs == "defender":
        push(state, "done")
    return push(state, DEFENCE)


@pytest.mark.parametrize("preset", ["eaai", "classic"])
@pytest.mark.parametrize(("before", "over"), [((94, 0), False), ((95, 0), True), ((99, 99), True), ((0, 99), False)])
def test_the_first_to_100_wins(preset: str, before: tuple[int, int], over: bool) -> None:
    state = with_scores(preset, before, "Qd")  # seat 0 wins 5
    assert state.scores == (before[0] + 5, before[1])
    assert state.match_is_over == over


def test_there_are_no_boxes_and_no_game_bonus_in_eaai() -> None:
    state = with_scores("eaai", (95, 0), "Qd")
    assert state.rules.totals(state.rows()) == (100, 0)


def test_classic_adds_25_a_box_100_for_the_game_and_doubles_a_shut_out() -> None:
    state = with_scores("classic", (95, 0), "Qd")
    assert state.rules.totals(state.rows()) == (2 * (100 + 25 + 100), 0)


def test_classic_boxes_count_for_both_and_a_loser_who_won_a_hand_is_not_shut_out() -> None:
    first = with_scores("classic", (95, 0), "4d")  # seat 1 undercuts for 26
    assert not first.match_is_over
    second = first.next_hand(make_deck(KNOCKER, f"{NINE_MELDED} Qd", "Kd", "Ah Ks"))
    push(second, "pass; pass; draw stock; discard Ah; draw stock; knock Ks", SPREAD_9, "done", DEFENCE)
    assert second.match_is_over
    assert second.scores == (100, 26)
    assert second.rules.totals(second.rows()) == (100 + 25 + 100, 26 + 25)


def test_a_shut_out_does_not_double_where_it_is_not_played() -> None:
    state = with_scores("classic", (95, 0), "Qd", shut_out_doubles=False)
    assert state.rules.totals(state.rows()) == (225, 0)


BIG = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 4c"


ALL_ELEVEN = "meld Ac 2c 3c 4c; meld 7h 7s 7d; meld Tc Jc Qc Kc; done"


def test_big_gin_pays_31_and_the_defenders_deadwood_without_a_discard() -> None:
    state = push(start(BIG, PLAIN, "Kd", "Kc", rules=gin("classic")), "pass; pass; draw stock")
    assert "big gin" in legal(state)
    push(state, "big gin")
    assert state.actor == 0
    push(state, ALL_ELEVEN)
    assert state.actor == 1
    assert "lay off" not in verbs(state)
    push(state, "done")
    assert state.result["outcome"] == "big gin"
    assert len(hand_of(state, 0)) == 11
    assert state.payoffs()[0] == 31 + Hand.parse(PLAIN).points


def test_after_big_gin_all_eleven_cards_must_be_laid_down() -> None:
    state = push(start(BIG, PLAIN, "Kc", rules=gin("classic")), "draw upcard; big gin")
    refuse(state, "done")
    refuse(state, "meld Ac 2c 3c", "knock limit")  # would leave the four
    push(state, "meld Ac 2c 3c 4c")
    refuse(state, "done")


def test_big_gin_can_be_made_with_the_up_card() -> None:
    state = push(start(BIG, PLAIN, "Kc", rules=gin("classic")), "draw upcard; big gin", ALL_ELEVEN, "done")
    assert state.payoffs()[0] == 31 + Hand.parse(PLAIN).points


def test_big_gin_needs_eleven_melded_cards() -> None:
    state = push(start(GIN_HAND, PLAIN, "Kd", "Kc", rules=gin("classic")), "pass; pass; draw stock")
    refuse(state, "big gin")


def test_the_starter_alternates_after_big_gin() -> None:
    state = start(BIG, PLAIN, "Kd", "Kc", rules=gin("classic", target=500))
    push(state, "pass; pass; draw stock; big gin", ALL_ELEVEN, "done")
    assert state.next_hand(Deck.shuffled(1)).starter == 1


def test_big_gin_does_not_lower_the_knock_limit_of_the_next_hand() -> None:
    state = start(BIG, PLAIN, "Kc", rules=gin("classic", target=500))
    push(state, "draw upcard; big gin", ALL_ELEVEN, "done")
    assert state.next_hand(Deck.shuffled(1)).observe(Seat(0)).knock_limit == 10


@pytest.mark.parametrize("option", ["knock_card", "oklahoma"])
@pytest.mark.parametrize(("up", "limit"), [("6d", 6), ("Kd", 10), ("Td", 10), ("2d", 2)])
def test_the_first_up_card_sets_the_knock_limit(option: str, up: str, limit: int) -> None:
    state = start(DULL_0, DULL_1, up, rules=gin("classic", **{option: True}))
    assert state.observe(Seat(0)).knock_limit == limit


def test_an_ace_is_one_point_with_knock_card_and_gin_in_oklahoma() -> None:
    assert start(DULL_0, DULL_1, "Ad", rules=gin(knock_card=True)).observe(Seat(0)).knock_limit == 1
    assert start(DULL_0, DULL_1, "Ad", rules=gin(oklahoma=True)).observe(Seat(0)).knock_limit == 0


def test_the_knock_limit_of_the_first_up_card_holds_all_hand() -> None:
    hand = "Ac 2c 3c 7h 7s 7d Tc Jc Qc 4h"
    for up, can in (("4d", True), ("3d", False)):
        state = push(start(hand, PLAIN, up, "Kc", rules=gin(knock_card=True)), "pass; pass; draw stock")
        assert ("knock Kc" in legal(state)) == can


def test_an_oklahoma_ace_asks_for_gin() -> None:
    state = push(start(GIN_HAND, PLAIN, "Ad", "Kc", rules=gin(oklahoma=True)), "pass; pass; draw stock")
    assert {a for a in legal(state) if a.startswith("knock")} == {"knock 5h"}


@pytest.mark.parametrize(("up", "times"), [("Ks", 2), ("Kd", 1)])
def test_a_spade_doubles_the_hand_in_oklahoma(up: str, times: int) -> None:
    other = f"{NINE_MELDED} Qd"
    rules = gin(oklahoma=True)
    state = push(start(KNOCKER, other, up, "Kh", rules=rules), "pass; pass; draw stock; knock Kh", SPREAD_9, DEFENCE)
    assert state.payoffs() == (5 * times, -5 * times)


def test_without_a_target_a_match_is_one_hand() -> None:
    assert against_five("6d", "openspiel").match_is_over
    state = push(draw_down(start(*DULL, rules=gin(target=0)), 2))
    push(state, f"discard {last_drawn(state)}")
    assert state.match_is_over


# --- 13. Illegal moves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
@pytest.mark.parametrize(
    "move", ["discard 2c", "knock Qc", "meld Ac 2c 3c", "lay off Ac", "done", "pass", "draw stock", "big gin", "dance"]
)
def test_an_illegal_action_raises_an_error_and_changes_nothing(preset: str, move: str) -> None:
    state = push(start(*DULL, "Jd", rules=gin(preset)), "pass; pass; draw stock")
    refuse(state, move, "by seat 0 at event 6")


def test_a_move_after_the_end_is_refused() -> None:
    state = against_five("6d", "eaai")
    for move in ("draw stock", "done", "discard Ac"):
        refuse(state, move, "over")


def test_melds_of_foreign_or_unmeldable_cards_are_refused() -> None:
    state = knock_state(KNOCKER, NEIGHBOUR.replace("6h", "3h"), "Kc", "Kc")
    refuse(state, "meld 8h 8s 8d")
    refuse(state, "meld Ac 2c 5h", "no action")
    refuse(state, "meld Ac 2c", "no action")


def test_the_cards_of_a_meld_may_come_in_any_order() -> None:
    state = knock_state(KNOCKER, NEIGHBOUR.replace("6h", "3h"), "Kc", "Kc")
    push(state, "meld 3c Ac 2c")
    assert str(state.log[-1].action) in ("meld 3c Ac 2c", "meld Ac 2c 3c")


# --- 14. The turn cap and repeated swaps ------------------------------------------------------------------------------


def swap_for_ever(state: State, turns: int) -> None:
    """Both take each other's last discard: nothing ever comes from the stock."""
    push(state, "draw upcard")
    held = {0: ["Qc", "Js", "Kd"], 1: ["Qh", "Ks"]}
    for _ in range(turns):
        seat = state.actor
        if seat is None:
            return
        if table(state)["phase"] != 2:
            held[seat].append(str(Card(int(table(state)["up"]))))
            push(state, "draw upcard")
        thrown = next(c for c in held[seat] if act(f"discard {c}") in state.legal_actions)
        held[seat].remove(thrown)
        push(state, f"discard {thrown}")


@pytest.mark.parametrize("preset", ["eaai", "classic"])
def test_a_hand_is_cancelled_after_200_turns(preset: str) -> None:
    state = start(*DULL, rules=gin(preset))
    swap_for_ever(state, 199)
    assert (state.actor is not None, int(table(state)["turn"])) == (True, 199)
    push(state, "draw upcard")
    push(state, str(next(a for a in state.legal_actions if a.verb == "discard")))
    assert state.result["outcome"] == "cancelled"
    assert table(state)["turn"] == 200


def test_the_turn_cap_is_an_option() -> None:
    state = push(start(*DULL, "Jd Qd", rules=gin(turn_cap=2)), "pass; pass; draw stock; discard Jd; draw stock")
    assert state.actor == 1
    push(state, "discard Qd")
    assert state.result["outcome"] == "cancelled"


def test_the_last_turn_under_the_cap_may_still_be_a_knock() -> None:
    state = push(start(KNOCKER, PLAIN, "Kd", "Kc", rules=gin(turn_cap=1)), "pass; pass; draw stock; knock Kc")
    assert state.actor == 0
    push(state, SPREAD_9, "done")
    assert state.result["outcome"] == "knock"


def repeated_swap(**changes: bool) -> State:
    """Seat 0 is about to throw Qc after taking Kd for the second time."""
    state = start(*DULL, rules=gin(**changes))
    for thrown in ("Qc", "Qh", "Kd", "Ks", "Js", "Qc", "Th", "Kd"):
        push(state, "draw upcard", f"discard {thrown}")
    push(state, "draw upcard")
    assert state.actor == 0
    return state


def test_a_repeated_swap_is_allowed_unless_the_option_refuses_it() -> None:
    assert "discard Qc" in legal(repeated_swap())
    state = repeated_swap(refuse_repeats=True)
    refuse(state, "discard Qc", "same swap")
    assert "discard Qh" in legal(state)


def test_refused_swaps_are_forgotten_with_the_hand() -> None:
    state = repeated_swap(refuse_repeats=True)
    again = State(state.rules, state.rows(), make_deck(*DULL), 0)
    push(again, "draw upcard")
    assert "discard Qc" in legal(again)


def test_a_game_that_might_never_end_is_not_accepted() -> None:
    with pytest.raises(OptionError, match="never end"):
        GinOptions(turn_cap=0)
    assert GinOptions(turn_cap=0, refuse_repeats=True).turn_cap == 0


# --- 15. The preset openspiel -----------------------------------------------------------------------------------------


def test_a_tie_pays_nothing_in_openspiel() -> None:
    state = against_five("5d", "openspiel")
    assert state.result["outcome"] == "tie"
    assert state.result["winner"] is None
    assert state.payoffs() == (0, 0)


def test_the_up_card_just_taken_may_be_discarded_in_openspiel() -> None:
    state = push(start(*DULL, rules=gin("openspiel")), "draw upcard")
    assert "discard Kd" in legal(state)
    push(state, "discard Kd")
    assert state.actor == 1


def test_two_up_cards_thrown_back_in_a_row_end_the_hand_in_openspiel() -> None:
    state = push(start(*DULL, rules=gin("openspiel")), "draw upcard; discard Kd; draw upcard; discard Kd")
    assert state.actor is None
    assert state.result["outcome"] == "cancelled"


def test_thrown_back_up_cards_with_a_turn_between_do_not_end_the_hand() -> None:
    state = push(start(*DULL, "Jd 9d", rules=gin("openspiel")), "draw upcard; discard Kd; draw stock; discard Jd")
    push(state, "draw upcard; discard Jd")
    assert state.actor == 1
    state = push(start(*DULL, rules=gin("openspiel")), "draw upcard; discard Kd; draw upcard; discard Qh")
    push(state, "draw upcard; discard Qh")
    assert state.actor == 1


def at_the_wall(seat0: str, seat1: str, last: str, starter: int = 0) -> State:
    """The stock is at two cards with *last* on the pile; with starter 0 seat 1 is to act."""
    others = [c for c in Deck.ordered() if c not in [*Hand.parse(seat0), *Hand.parse(seat1), *Hand.parse(f"Kd {last}")]]
    stock = [*map(str, others[:28]), last]
    state = start(seat0, seat1, "Kd", " ".join(stock), rules=gin("openspiel"), starter=starter)
    draw_down(state, 2)
    return push(state, f"discard {last_drawn(state)}")


def test_at_two_stock_cards_the_next_player_may_still_knock_with_the_up_card_in_openspiel() -> None:
    ready = "Ac 2c 3c 7h 7s 7d Tc Jc 9s 5h"
    state = at_the_wall("2h 6h Th 3s 8s Js 4d 9d Kh 9c", ready, "Qc", starter=0)
    assert table(state)["stock"] == 2
    assert state.actor == 1
    assert legal(state) == {"pass", "knock 5h", "knock 9s"}
    push(state, "knock 9s; meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done; done; done")
    assert state.result["knocker"] == 1
    assert state.result["deadwood"][1] == 5


def test_at_the_wall_a_pass_ends_the_hand_without_points() -> None:
    ready = "Ac 2c 3c 7h 7s 7d Tc Jc 9s 5h"
    state = push(at_the_wall("2h 6h Th 3s 8s Js 4d 9d Kh 9c", ready, "Qc"), "pass")
    assert state.result["outcome"] == "cancelled"
    assert state.payoffs() == (0, 0)


def test_at_the_wall_without_a_knock_only_a_pass_is_left() -> None:
    state = at_the_wall(DULL_0, DULL_1, "Qd")
    assert legal(state) == {"pass"}
    refuse(state, "draw stock")
    refuse(state, "draw upcard")
    refuse(state, "knock Qd")


def test_the_fiftieth_up_card_draw_ends_the_hand_in_openspiel() -> None:
    state = push(start(*DULL, rules=gin("openspiel")), "pass; pass; draw stock")
    push(state, f"discard {last_drawn(state)}")
    n = 0
    while state.actor is not None:
        push(state, "draw upcard")
        n += 1
        if state.actor is not None:
            taken = int(table(state)["taken"])
            push(state, str(next(a for a in state.legal_actions if a.verb == "discard" and a.card.id != taken)))
    assert n == 50
    assert state.result["outcome"] == "cancelled"


def test_the_first_up_card_does_not_count_towards_the_fifty() -> None:
    state = push(start(*DULL, rules=gin("openspiel")), "draw upcard")
    assert table(state)["up_draws"] == 0


def test_two_cards_at_most_are_laid_off_at_each_end_of_a_run_in_openspiel() -> None:
    hand, other = "5c 6c 7c 9h 9s 9d Jh Js Jd Ah", "8c 9c Tc 4c 3c 2c 2h 4h Ks 8d"
    for preset, third in (("openspiel", set()), ("classic", {"lay off Tc", "lay off 2c"})):
        state = knock_state(hand, other, "Kh", "Kh", rules=gin(preset))
        push(state, "meld 5c 6c 7c; meld 9h 9s 9d; meld Jh Js Jd; done")
        push(state, "lay off 8c; lay off 4c; lay off 3c; lay off 9c")
        assert legal(state) == {"done"} | third


def test_openspiel_runs_are_laid_in_melds_of_five_at_most() -> None:
    hand = "Ac 2c 3c 4c 5c 6c 7c 8s 8d 8h"
    state = knock_state(hand, "2h 6h Th 3s 9s Js 4d 9d Kh 9c", "Kc", "Kc", rules=gin("openspiel"))
    assert max(len(a.cards) for a in state.legal_actions) == 5  # of seven in a row
    refuse(state, "meld Ac 2c 3c 4c 5c 6c 7c")
    push(state, "meld Ac 2c 3c 4c; meld 5c 6c 7c; meld 8h 8s 8d; done")
    assert state.actor == 1


def test_openspiel_plays_one_hand_and_seat_0_starts() -> None:
    rules = gin("openspiel")
    assert rules.options.target == 0
    assert rules.first_starter(3) == 0


# --- The options themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ALL)
def test_a_preset_knows_its_name_and_reads_back_from_toml(preset: str) -> None:
    options = GinOptions.preset(preset)
    assert options.preset_name() == preset
    assert GinOptions.from_toml(options.to_toml()) == options
    assert GinOptions.from_dict(options.to_dict()) == options


def test_changed_options_are_no_preset() -> None:
    assert GinOptions.preset("eaai", knock_limit=5).preset_name() == "custom"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"knock_limit": -1}, "knock_limit"),
        ({"knock_limit": 101}, "between 0 and 100"),
        ({"knock_limit": "ten"}, "a whole number"),
        ({"tie_undercuts": 1}, "true or false"),
        ({"layoffs": "nobody"}, "official, defender"),
        ({"wall": 31}, "wall"),
        ({"max_run": 4}, "max_run"),
        ({"knock_card": True, "oklahoma": True}, "exclude"),
        ({"ranks": 14}, "ranks"),
        ({"ranks": 4, "suits": 2, "hand_size": 3}, "need 10 cards, but 4 ranks in 2 suits are 8"),
    ],
)
def test_wrong_option_values_are_named(changes: dict[str, object], why: str) -> None:
    with pytest.raises(OptionError, match=why):
        gin("eaai", **changes)


def test_unknown_presets_and_options_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'classic'"):
        gin("clasic")
    with pytest.raises(UnknownNameError, match="did you mean 'knock_limit'"):
        gin(knok_limit=3)


def test_a_deal_needs_52_cards_and_a_seat_to_start() -> None:
    with pytest.raises(DeckError, match="52 cards"):
        State.deal(gin(), 0, deck=Deck.shuffled(1, decks=2))
    with pytest.raises(DeckError, match="a seat from 0 to 1"):
        State.deal(gin(), 0, starter=2)


def test_a_small_game_deals_short_hands_from_a_short_deck() -> None:
    rules = gin("openspiel", ranks=4, suits=3, hand_size=3)
    state = State.deal(rules, 5)
    assert sorted(state.deck) == sorted(Card.parse(f"{rank}{suit}") for suit in "chs" for rank in "A234")
    assert [len(hand_of(state, seat)) for seat in (0, 1)] == [3, 3]
    assert table(state)["stock"] == 12 - 7
    assert Deck.parse(str(state.deck)) == state.deck
    assert rules.shuffled(5, 1) != rules.shuffled(5, 2)
    for deck in (Deck.shuffled(1), gin("openspiel", ranks=3, suits=4, hand_size=3).shuffled(5)):
        with pytest.raises(DeckError, match="4 ranks in 3 suits cannot be dealt"):
            State.deal(rules, 0, deck=deck)


class AtTheTable:
    """The agent `simple` as a plain object, which plays at the Python table."""

    name = "simple at the table"

    def __init__(self) -> None:
        player = agent("gin", "simple")
        self.sit, self.act = player.sit, player.act


def test_a_small_game_is_the_same_in_a_batch_and_at_the_table() -> None:
    options = gin("eaai", ranks=6, suits=3, hand_size=5, knock_limit=4).options
    batch, table_play = (
        match("gin", player, "random", games=20, seed=3, rules=options, workers=1) for player in ("simple", AtTheTable)
    )
    assert batch.win_rate == table_play.win_rate
    assert batch.hands == table_play.hands
    assert batch.points_per_hand == table_play.points_per_hand


@pytest.mark.parametrize("preset", ALL)
def test_a_whole_hand_by_the_book_is_conserved_in_the_record(preset: str) -> None:
    state = against_five("6d", preset)
    assert [str(e.action) for e in state.log][-2:] == [
        f"shows {Hand.parse(KNOCKER)}",
        f"shows {Hand.parse(NINE_MELDED + ' 6d')}",
    ]
    assert np.array_equal(table(state)["scores"], [1, 0])
