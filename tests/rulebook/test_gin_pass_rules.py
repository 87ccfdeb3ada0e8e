"""The rules page of Gin with a passed card, paragraph by paragraph."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from gin_pass_tables import JUNK, MORE_JUNK, NEAR_GIN, deal, draw_and_throw
from helpers import RandomChooser, hand_of, legal, push, refused, table, verbs
from properties import gin_pass_reference
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.records import Record, read_records, write_records
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import DeckError, OptionError, RecordError, UnknownNameError
from rummylab.games.gin_pass.options import GinPassOptions
from rummylab.games.gin_pass.view import GinPassObservation, gin_pass


def showdown(*hands: str, knocker: int = 0, **changes: Any) -> State:
    """A knock by *knocker*, who draws the king of spades and throws it; hands of three cards are easily counted."""
    state = deal(*hands, up="Qs", stock="Ks", starter=knocker, **{"knock_limit": 100, **changes})
    return push(state, "draw stock; knock Ks")


def observe(state: State, seat: int) -> GinPassObservation:
    seen = state.observe(Seat(seat))
    assert isinstance(seen, GinPassObservation)
    return seen


# --- 1. Cards and deal ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "cards"), [(2, 10), (3, 10), (4, 7)])
def test_two_to_four_play_with_ten_ten_or_seven_cards(seats: int, cards: int) -> None:
    state = State.deal(gin_pass(seats=seats), 3)
    assert state.rules.seats == seats
    assert [len(hand_of(state, seat)) for seat in range(seats)] == [cards] * seats
    assert table(state)["stock"] == 52 - seats * cards - 1
    assert sorted(state.deck) == sorted(Deck.ordered())


@pytest.mark.parametrize("seats", [1, 5])
def test_one_or_five_cannot_play(seats: int) -> None:
    with pytest.raises(OptionError, match=f"option seats is {seats}, but must lie between 2 and 4"):
        gin_pass(seats=seats)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_number_of_cards_is_an_option_at_any_number_of_seats(seats: int) -> None:
    for cards, rules in [(10, gin_pass("course-ten", seats=seats)), (7, gin_pass("course-seven", seats=seats))]:
        assert rules.options.cards == cards
        assert len(hand_of(State.deal(rules, 1), seats - 1)) == cards
    assert gin_pass(seats=seats, cards=5).options.cards == 5


@pytest.mark.parametrize(("seats", "starter"), [(2, 0), (2, 1), (3, 2), (4, 1)])
def test_cards_are_dealt_one_at_a_time_and_one_is_turned_up(seats: int, starter: int) -> None:
    deck = Deck.ordered()
    rules = gin_pass(seats=seats)
    state = State.deal(rules, 0, starter=starter, deck=deck)
    dealt = seats * rules.options.cards
    for seat in range(seats):
        first = (seat - starter) % seats
        assert tuple(hand_of(state, seat)) == deck.cards[first:dealt:seats]
    assert Card(int(table(state)["up"])) == deck.cards[dealt]


@pytest.mark.parametrize(
    ("hand", "points"),
    [("Ac 3h 5s", 9), ("9c Th Js", 29), ("Ah Qd Kc", 21), ("Ac 2c 3c", 0), ("Qc Kc Ac", 21), ("7c 7h 7s", 0)],
)
def test_the_ace_is_low_and_court_cards_count_ten(hand: str, points: int) -> None:
    assert showdown("2d 4d 6d", hand).result["deadwood"] == [12, points]


def test_only_a_deck_of_52_is_dealt() -> None:
    with pytest.raises(DeckError, match="52 cards and 0 jokers, but the deck has 52 and 2"):
        State.deal(gin_pass(), 0, deck=Deck.ordered(jokers=2))
    with pytest.raises(DeckError, match="a seat from 0 to 2"):
        State.deal(gin_pass(seats=3), 0, starter=3)


# --- 2. The pass ------------------------------------------------------------------------------------------------------

THREE = (NEAR_GIN, JUNK, MORE_JUNK)


def test_every_player_picks_a_card_before_the_first_draw() -> None:
    state = deal(*THREE, pass_card=True)
    for seat, card in enumerate(["Kd", "2h", "3d"]):
        assert state.actor == seat
        assert legal(state) == {f"pass {held}" for held in hand_of(state, seat)}
        push(state, f"pass {card}")
    assert verbs(state) == {"draw stock", "draw upcard"}
    assert state.actor == state.starter


def test_the_starter_picks_first_and_draws_first() -> None:
    state = deal(*THREE, pass_card=True, starter=1)
    order = []
    for _ in range(3):
        order.append(int(state.actor or 0))
        state.push(next(iter(state.legal_actions)))
    assert order == [1, 2, 0]
    assert state.actor == 1


@pytest.mark.parametrize(
    ("hand", "receivers"),
    [(1, [2, 0, 1]), (2, [1, 2, 0]), (3, [2, 0, 1]), (4, [1, 2, 0])],
)
def test_cards_go_to_the_previous_player_on_hand_1_and_to_the_next_on_hand_2(hand: int, receivers: list[int]) -> None:
    state = deal(*THREE, pass_card=True, hand=hand)
    assert [observe(state, seat).passes_to for seat in range(3)] == receivers
    given = ["Kd", "2h", "3d"]
    push(state, *(f"pass {card}" for card in given))
    for seat, card in enumerate(given):
        assert Card.parse(card) not in hand_of(state, seat)
        assert Card.parse(card) in hand_of(state, receivers[seat])
        assert observe(state, receivers[seat]).received == observe(state, seat).passed == Card.parse(card)


def test_two_players_exchange_cards_whatever_the_hand() -> None:
    for hand in (1, 2):
        state = push(deal(pass_card=True, hand=hand), "pass Kd; pass 2h")
        assert [Card.parse(card) in hand_of(state, seat) for seat, card in enumerate(["2h", "Kd"])] == [True, True]


def test_all_are_handed_over_together() -> None:
    state = push(deal(*THREE, pass_card=True), "pass Kd; pass 2h")
    for seat, hand in enumerate(THREE):
        assert {str(card) for card in hand_of(state, seat)} == set(hand.split())
        assert observe(state, seat).received is None
    push(state, "pass 3d")
    assert [len(hand_of(state, seat)) for seat in range(3)] == [10, 10, 10]
    assert all(observe(state, seat).received is not None for seat in range(3))


def test_a_card_received_cannot_be_passed_on() -> None:
    state = push(deal(pass_card=True), "pass Kd")
    refused(state, "pass Kd", "Kd is not in the hand")


def test_only_giver_and_receiver_know_the_card() -> None:
    state = push(deal(*THREE, pass_card=True), "pass Kd; pass 2h; pass 3d")  # hand 1: seat 0 gives to seat 2
    logs = [observe(state, seat).log for seat in range(3)]
    knows = [Card.parse("Kd") in {card for e in log for card in (*e.action.cards, *e.secret)} for log in logs]
    assert knows == [True, False, True]
    assert str(observe(state, 0).known(Seat(2))) == "Kd"
    assert len(observe(state, 1).known(Seat(2))) == 0
    assert Card.parse("Kd") in observe(state, 1).unseen
    assert Card.parse("Kd") not in observe(state, 0).unseen
    assert Card.parse("Kd") not in observe(state, 2).unseen


def test_others_see_that_a_card_was_chosen_and_no_more() -> None:
    state = push(deal(*THREE, pass_card=True), "pass Kd")
    assert [str(event) for event in observe(state, 1).log][-1] == "seat 0: pass"
    assert [str(event) for event in observe(state, 0).log][-1] == "seat 0: pass Kd [Kd]"
    assert table(state)["passes"] == 1


def test_the_giver_knows_a_passed_card_until_it_is_thrown() -> None:
    state = push(deal(pass_card=True), "pass Kd; pass 2h; draw stock")
    assert str(observe(state, 0).known(Seat(1))) == "Kd"
    push(state, "discard Td; draw stock; discard Kd")
    assert len(observe(state, 0).known(Seat(1))) == 0


def test_a_pass_of_a_card_not_held_is_refused() -> None:
    state = deal(pass_card=True)
    refused(state, "pass 2h", "pass 2h by seat 0 at event 3: 2h is not in the hand")
    refused(state, "discard Kd", "now you can only pass")
    refused(state, "draw stock", "now you can only pass")


def test_without_the_option_the_first_draw_comes_at_once() -> None:
    state = deal(pass_card=False)
    assert verbs(state) == {"draw stock", "draw upcard"}
    refused(state, "pass Kd", "now you can only draw")
    assert observe(push(state, "draw stock; discard Kd"), 0).received is None


# --- 3. Turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seat_0_starts_and_the_starter_rotates(seats: int) -> None:
    rules = gin_pass(seats=seats, hands=2 * seats)
    states = list(play_match(rules, [RandomChooser(seat) for seat in range(seats)], 5))
    assert [int(state.starter) for state in states] == [*range(seats), *range(seats)]


def test_a_turn_is_a_draw_and_a_discard_and_goes_on_clockwise() -> None:
    state = deal(*THREE, stock="6d 8s 9d")
    for seat in (0, 1, 2, 0):
        assert state.actor == seat
        assert legal(state) == {"draw stock", "draw upcard"}
        push(state, "draw stock")
        assert verbs(state) <= {"discard", "knock"}
        assert len(hand_of(state, seat)) == 11
        state.push(next(iter(state.legal_actions)))
    assert table(state)["turn"] == 4


def test_the_top_discard_or_the_top_of_the_stock_is_drawn() -> None:
    state = deal(up="As", stock="6d")
    push(state, "draw upcard")
    assert Card.parse("As") in hand_of(state, 0)
    state.pop()
    push(state, "draw stock")
    assert Card.parse("6d") in hand_of(state, 0)
    assert str(observe(state, 1).log[-1]) == "seat 0: draw stock"


def test_the_card_just_taken_may_be_discarded() -> None:
    state = push(deal(up="As"), "draw upcard")
    assert "discard As" in legal(state)
    push(state, "discard As")
    assert str(observe(state, 1).upcard) == "As"


def test_a_knock_needs_at_most_ten_points_in_the_cards_left() -> None:
    ten = push(deal("2c 3h 5s", "9c 9h 4s", stock="Ks"), "draw stock")
    assert {word for word in legal(ten) if word.startswith("knock")} == {"knock Ks"}
    eleven = push(deal("2c 4h 5s", "9c 9h 4s", stock="Ks"), "draw stock")
    refused(eleven, "knock Ks", "knock Ks by seat 0 at event 4: deadwood 11 over the limit 10")
    assert push(ten, "knock Ks").result["deadwood"][0] == 10


def test_the_minimal_deadwood_counts() -> None:
    """Three sixes would leave 7 8 9 and a three; the run of four leaves a six and the three."""
    state = push(deal("6c 7c 8c 6h 6s 3d", "9h Th Jh Qh Kh 2s", stock="9c"), "draw stock")
    assert observe(state, 0).deadwood_after(Card.parse("6h")) == 9
    assert push(state, "knock 6h").result["deadwood"][0] == 9


def test_the_knock_limit_is_an_option() -> None:
    state = push(deal("2c 4h 5s", "9c 9h 4s", stock="Ks", knock_limit=11), "draw stock")
    assert "knock Ks" in legal(state)
    assert push(state, "knock Ks").result["outcome"] == "knock"


def test_a_knock_is_optional() -> None:
    state = push(deal("2c 3h 5s", "9c 9h 4s", stock="Ks"), "draw stock")
    assert {"discard Ks", "knock Ks"} <= legal(state)
    assert push(state, "discard Ks").actor == 1


# --- 4. What is not played --------------------------------------------------------------------------------------------


def test_there_is_no_first_turn_ritual() -> None:
    assert legal(deal()) == {"draw stock", "draw upcard"}


def test_there_are_no_lay_offs() -> None:
    """The four of clubs would fit the knocker's run, the seven of diamonds its group."""
    state = push(deal("Ac 2c 3c 7c 7h 7s 2d", "4c 7d 9h Jh Qd Kd 5s", up="9s", stock="Ks"), "draw stock; knock Ks")
    assert state.actor is None
    assert state.result["deadwood"] == [2, 4 + 7 + 9 + 10 + 10 + 10 + 5]


def test_there_is_no_big_gin() -> None:
    state = push(deal("Ac 2c 3c 7c 7h 7s", "9h Jh Qd Kd 5s 8s", stock="7d"), "draw stock")
    assert verbs(state) == {"discard", "knock"}
    assert {"knock 7d", "knock 7c"} <= legal(state)


def test_gin_is_a_knock_with_deadwood_0() -> None:
    state = push(deal("Ac 2c 3c 7c 7h 7s", "9h Jh Qd Kd 5s 8s", stock="Kh"), "draw stock; knock Kh")
    assert (state.result["outcome"], state.result["deadwood"][0]) == ("gin", 0)


# --- 5. Washouts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "stock"), [(2, 31), (3, 21), (4, 23)])
def test_choosing_the_stock_when_it_is_empty_ends_the_hand(seats: int, stock: int) -> None:
    state = draw_and_throw(State.deal(gin_pass(seats=seats, pass_card=False), 2), stock)
    assert observe(state, 0).stock == 0
    assert legal(state) == {"draw stock", "draw upcard"}
    push(state, "draw stock")
    assert state.actor is None
    assert state.result["outcome"] == "washout"
    assert state.result["winner"] is None
    assert state.scores == state.payoffs() == (0,) * seats


def test_with_an_empty_stock_the_discard_can_still_be_taken() -> None:
    state = draw_and_throw(State.deal(gin_pass(pass_card=False), 2), 31)
    up = observe(state, 1).upcard
    push(state, "draw upcard", f"discard {up}")
    assert state.actor == 0
    assert verbs(state) == {"draw stock", "draw upcard"}


def test_who_washes_out_is_named_in_the_log_with_nothing_drawn() -> None:
    state = push(draw_and_throw(State.deal(gin_pass(pass_card=False), 2), 31), "draw stock")
    move = next(event for event in reversed(state.log) if event.chosen)
    assert (str(move), move.secret) == ("seat 1: draw stock", ())
    assert [event.action.verb for event in state.log[-2:]] == ["shows", "shows"]


def swap_for(state: State, turns: int) -> State:
    """Take the discard and throw it back."""
    for _ in range(turns):
        up = Card(int(table(state)["up"]))
        push(state, "draw upcard", f"discard {up}")
    return state


def test_200_turns_wash_out() -> None:
    state = swap_for(deal(), 199)
    assert state.actor == 1
    swap_for(state, 1)
    assert state.actor is None
    assert (state.result["outcome"], state.result["turns"]) == ("washout", 200)


def test_a_knock_in_the_last_turn_counts() -> None:
    state = push(deal("2c 3h 5s", "9c 9h 4s", stock="Ks", turn_cap=1), "draw stock; knock Ks")
    assert state.result["outcome"] == "knock"
    assert push(deal(stock="Kc", turn_cap=1), "draw stock; discard Kc").result["outcome"] == "washout"


# --- 6. The score -----------------------------------------------------------------------------------------------------


def test_the_lowest_deadwood_wins_the_sum_of_the_others_minus_its_own() -> None:
    state = showdown("2c 3h Ad", "9c 9h 4s", "Jc Jh 5s")
    assert state.result["deadwood"] == [6, 22, 25]
    assert (state.result["winner"], state.result["points"]) == (0, 22 + 25 - 6)
    assert state.scores == (41, 0, 0)
    assert state.payoffs() == (41, -20.5, -20.5)


def test_at_two_seats_the_winner_gets_the_difference() -> None:
    state = showdown("2c 3h Ad", "9c 9h 4s")
    assert state.scores == (22 - 6, 0)
    assert state.payoffs() == (16, -16)


def test_a_knocker_with_gin_gets_25_more() -> None:
    state = showdown("2c 3c 4c", "9c 9h 4s", "Jc Jh 5s")
    assert (state.result["outcome"], state.scores) == ("gin", (22 + 25 + 25, 0, 0))
    assert showdown("2c 3c 4c", "9c 9h 4s", gin_bonus=7).scores == (22 + 7, 0)


def test_a_winner_who_did_not_knock_gets_25_more() -> None:
    state = showdown("9c 9h 4s", "Jc Jh 5s", "2c 3h Ad")
    assert (state.result["outcome"], state.result["winner"]) == ("undercut", 2)
    assert state.scores == (0, 0, 22 + 25 - 6 + 25)
    assert showdown("9c 9h 4s", "2c 3h Ad", undercut_bonus=7).scores == (0, 22 - 6 + 7)


def test_gin_in_another_hand_brings_the_undercut_bonus_only() -> None:
    state = showdown("9c 9h 4s", "2c 3c 4c")
    assert (state.result["outcome"], state.scores) == ("undercut", (0, 22 + 25))


def test_a_tie_with_the_knocker_undercuts() -> None:
    state = showdown("2c 3h Ad", "2d 3s Ah")
    assert (state.result["outcome"], state.result["winner"], state.scores) == ("undercut", 1, (0, 25))
    other = showdown("2c 3h Ad", "2d 3s Ah", tie_undercuts=False)
    assert (other.result["outcome"], other.result["winner"], other.scores) == ("knock", 0, (0, 0))


@pytest.mark.parametrize(("knocker", "winner"), [(0, 1), (1, 2), (2, 3), (3, 0)])
def test_of_several_that_tie_with_the_knocker_the_nearest_clockwise_wins(knocker: int, winner: int) -> None:
    state = showdown("2c 3h Ad", "2d 3s Ah", "2h 3c As", "2s 3d Ac", knocker=knocker)
    assert state.result["deadwood"] == [6, 6, 6, 6]
    assert (state.result["knocker"], state.result["winner"], state.result["points"]) == (knocker, winner, 18 - 6 + 25)


@pytest.mark.parametrize(("knocker", "winner"), [(0, 1), (2, 3), (1, 3)])
def test_of_several_lowest_the_nearest_clockwise_after_the_knocker_wins(knocker: int, winner: int) -> None:
    hands = ["9c 9h 4s", "2d 3s Ah", "Jc Jh 5s", "2s 3d Ac"]
    if knocker == 1:
        hands[0], hands[1] = hands[1], hands[0]
    state = showdown(*hands, knocker=knocker)
    assert (state.result["winner"], state.result["outcome"]) == (winner, "undercut")


def test_a_tie_of_two_others_above_the_knocker_is_no_matter() -> None:
    state = showdown("2c 3h Ad", "9c 9h 4s", "9d 9s 4d")
    assert (state.result["outcome"], state.result["winner"]) == ("knock", 0)


def test_a_knocker_with_gin_always_wins() -> None:
    state = showdown("2c 3c 4c", "7c 7h 7s", "Jc Jh 5s")
    assert (state.result["outcome"], state.result["winner"], state.scores) == ("gin", 0, (25 + 25, 0, 0))
    other = showdown("2c 3c 4c", "7c 7h 7s", "Jc Jh 5s", gin_always_wins=False)
    assert (other.result["outcome"], other.result["winner"], other.scores) == ("undercut", 1, (0, 25 + 25, 0))


def test_the_score_is_that_of_the_readable_twin_for_every_hand_of_small_numbers() -> None:
    """Three seats with 0, 6 or 8 deadwood each, every knocker, under every rule for ties."""
    hands = {0: ("Ac 2c 3c", "4c 5c 6c", "7c 8c 9c"), 6: ("2c 3h Ad", "2d 3s Ah", "2h 3c As")}
    hands |= {8: ("Ac 3d 4s", "As 3c 4h", "Ah 3s 4d")}
    n = 0
    for points in product(hands, repeat=3):
        for knocker, ties, gin in product(range(3), (True, False), (True, False)):
            changes = {"tie_undercuts": ties, "gin_always_wins": gin}
            held = [hands[p][seat] for seat, p in enumerate(points)]
            if len({card for hand in held for card in hand.split()}) < 9:
                continue
            state = showdown(*held, knocker=knocker, **changes)
            options = state.rules.options
            assert isinstance(options, GinPassOptions)
            assert state.result["deadwood"] == list(points)
            assert state.result["winner"] == gin_pass_reference.winner_of(options, knocker, points)
            assert state.result["points"] == gin_pass_reference.points_of(options, knocker, points)
            n += 1
    assert n > 150


def test_all_hands_are_shown_at_the_end() -> None:
    state = showdown("2c 3h Ad", "9c 9h 4s", "Jc Jh 5s")
    shown = [str(event) for event in state.log[-3:]]
    assert shown == ["seat 0: shows 2c 3h Ad", "seat 1: shows 9c 9h 4s", "seat 2: shows Jc Jh 5s"]
    assert observe(state, 1).table["deadwood"].tolist() == [6, 22, 25, 0]


# --- 7. The match -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "hands"), [(2, 40), (3, 42), (4, 40)])
def test_a_match_is_a_fixed_number_of_hands(seats: int, hands: int) -> None:
    assert gin_pass(seats=seats).options.hands == hands
    assert hands % (2 * seats) == 0


def test_the_match_ends_after_its_hands_and_scores_add_up() -> None:
    rules = gin_pass(seats=3, hands=6, knock_limit=60)
    states = list(play_match(rules, [RandomChooser(seat, 1.0) for seat in range(3)], 8))
    assert len(states) == 6
    assert [state.match_is_over for state in states] == [False] * 5 + [True]
    won = [state.payoffs() for state in states]
    assert states[-1].scores == tuple(sum(max(0, gains[seat]) for gains in won) for seat in range(3))
    assert all(after.scores_before == before.scores for before, after in pairwise(states))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_seat_starts_and_every_direction_comes_as_often(seats: int) -> None:
    rules = gin_pass(seats=seats, hands=2 * seats)
    states = list(play_match(rules, [RandomChooser(seat) for seat in range(seats)], 5))
    starters = [int(state.starter) for state in states]
    assert [starters.count(seat) for seat in range(seats)] == [2] * seats
    for state in states:
        received = {int(e.seat): e.secret[0] for e in state.log if e.action.verb == "receive"}
        passed = {int(e.seat): e.action.cards[0] for e in state.log if e.action.verb == "pass"}
        way = 1 if state.hand_no % 2 else -1
        assert received == {(seat + way) % seats: card for seat, card in passed.items()}


@pytest.mark.parametrize(("seats", "hands"), [(2, 6), (3, 40), (4, 12), (2, 1)])
def test_hands_that_do_not_balance_are_refused(seats: int, hands: int) -> None:
    with pytest.raises(OptionError, match=f"option hands is {hands}, but must be a multiple of {2 * seats}"):
        gin_pass(seats=seats, hands=hands)


# --- Options and records ----------------------------------------------------------------------------------------------


def test_an_unknown_option_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'knock_limit'"):
        gin_pass(knock_limits=5)
    with pytest.raises(UnknownNameError, match="preset"):
        gin_pass("corse")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cards": 11}, "option cards is 11, but must lie between 3 and 10"),
        ({"turn_cap": 0}, "turn_cap is 0"),
        ({"pass_card": 1}, "option pass_card must be true or false, not 1"),
        ({"seats": "three"}, "option seats must be a whole number"),
    ],
)
def test_options_that_make_no_game_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        gin_pass(**changes)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_options_print_as_they_parse_and_know_their_preset(seats: int) -> None:
    for preset in GinPassOptions.PRESETS:
        options = gin_pass(preset, seats=seats).options
        assert GinPassOptions.from_toml(options.to_toml()) == options
        assert gin_pass(options.preset_name(), seats=seats).options == options
    assert gin_pass(knock_limit=3).options.preset_name() == "custom"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_record_replays_to_the_same_bytes_passed_cards_and_all(seats: int, tmp_path: Path) -> None:
    rules = gin_pass(seats=seats, hands=2 * seats)
    states = list(play_match(rules, [RandomChooser(seat) for seat in range(seats)], 9))
    path = tmp_path / "match.rgr"
    names = [f"player {seat}" for seat in range(seats)]
    write_records(path, [Record.of(state, names, 9) for state in states])
    for record, state in zip(read_records(path), states, strict=True):
        again = record.replay(lambda name, options: gin_pass(**options))
        assert again.log == state.log
        assert again.result == state.result
        seen = record.seen_by(1)
        assert seen.events == observe(state, 1).log
        hidden = [e for e in seen.events if e.action.verb in ("pass", "receive") and e.seat != 1]
        assert len(hidden) == 2 * (seats - 1)
        assert not any(event.action.cards or event.secret for event in hidden)


def test_a_record_with_another_passed_card_does_not_replay() -> None:
    state = push(deal(pass_card=True), "pass Kd; pass 2h")
    text = Record.of(state, ["a", "b"]).to_text()
    assert text.count("pass Kd") == 1
    record = Record.of(state, ["a", "b"])
    events = list(record.events)
    events[3], events[4] = events[4], events[3]
    with pytest.raises(RecordError, match="found a move of seat 1, but seat 0 is to act"):
        Record(record.header, tuple(events), None).replay(lambda name, options: gin_pass(**options))


def test_the_whole_table_is_shown_to_who_may_see_it() -> None:
    text = str(push(deal(pass_card=True), "pass Kd"))
    assert "seat 0: Ac 2c 3c 4c 7c 7h 7s Td Jd Kd (deadwood 30, passed Kd)" in text
    assert "phase pass" in text
    assert "undercut: seat 1 wins 25 points" in str(showdown("2c 3h Ad", "2d 3s Ah"))
