"""The rules page of contract rummy, paragraphs 11 to 17: runs, many players, buying, presets, matches."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from contract_tables import table_with
from helpers import legal, push, refused, table, verbs, words
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.records import Record
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import OptionError, RecordError, RummyError, UnknownNameError
from rummylab.games.contract.options import ContractOptions
from rummylab.games.contract.view import contract
from rummylab.games.lookup import rules_of
from rummylab.games.registry import GAMES
from two_deck_tables import hand_of

# --- 11. Runs ---------------------------------------------------------------------------------------------------------

RUNS = {
    "5h 6h 7h 8h": (4, 7),
    "Ah 3h 4h 2c": (0, 3),  # the two of clubs fills the place of the two
    "Jh Qh Kh Ah": (10, 13),
    "Th Jh Qh PJ": (9, 12),  # a wild that fills no gap stands on top
    "Jh Kh 2c Ah": (10, 13),
    "Jh Qh Ah PJ": (10, 13),
    "5h 7h 2c PJ": (4, 7),
    "Qh Kh 2c PJ": (10, 13),  # one on top, and below where the ace is
}
SIDE_BY_SIDE = {
    "5h 8h 2c PJ": (4, 7),
    "3h 4h 2c 2d": (2, 5),
}
NO_RUNS = ["Kh Ah 3h 4h", "5h 9h 2c PJ", "5h 2c 2d PJ", "5h 6h 7c 8h", "Qh Kh Ah 3h"]


def run_table(run: str, **changes: Any) -> State:
    hand = f"{run} 9c 9s 9d Tc Ts Td"
    rules = contract(contract="S3+R4", hand_sizes="10", **changes)
    rest = [str(card) for card in words("4s 6s 8s Js Qs Ks 5d 6d 8d Qd Kd 4c 6c") if str(card) not in hand]
    return table_with(rules, hand, " ".join(rest[:10]), up="5s")


@pytest.mark.parametrize("run", RUNS)
def test_runs_lie_in_a_suit_the_ace_high_or_low_and_wilds_fill_gaps(run: str) -> None:
    state = push(run_table(run), f"draw stock; lay down {run}")
    now = table(state)
    assert (int(now["meld_low"][0]), int(now["meld_high"][0])) == RUNS[run]
    assert now["runs_left"][0] == 0


@pytest.mark.parametrize("run", SIDE_BY_SIDE)
def test_two_wilds_lie_side_by_side_only_where_the_option_says_so(run: str) -> None:
    refused(push(run_table(run), "draw stock"), f"lay down {run}", "does not hold the whole|could not be completed")
    state = push(run_table(run, wild_neighbors=True), f"draw stock; lay down {run}")
    assert (int(table(state)["meld_low"][0]), int(table(state)["meld_high"][0])) == SIDE_BY_SIDE[run]


@pytest.mark.parametrize("run", NO_RUNS)
def test_what_is_no_run_is_refused(run: str) -> None:
    refused(push(run_table(run), "draw stock"), f"lay down {run}", "neither a set|wilds in a meld")


def test_a_wild_may_lie_below_the_run_that_is_laid_down() -> None:
    state = push(run_table("5h 6h 7h PJ"), "draw stock; lay down 5h 6h 7h")
    assert legal(state) == {"lay off PJ on meld 1", "lay off low PJ on meld 1"}
    refused(state, "lay down 9c 9s 9d", "meld 1 comes first: it needs 1 more")
    push(state, "lay off low PJ on meld 1")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (3, 6)
    push(state, "lay down 9c 9s 9d")
    assert verbs(state) == {"discard"}


SEVEN = "3h 4h 5h 6h 7h 8h 9h Kc Ks Kd 4d"


def seven_table(hand: str = SEVEN, stock: str = "3c", **changes: Any) -> State:
    rules = contract(contract="R7+S3", hand_sizes="11", **changes)
    return table_with(rules, hand, "4s 6s 8s Js Qs Ac 5d 6d 8d Qd Tc", up="5s", stock=stock)


def test_a_long_run_is_laid_down_with_four_cards_and_grows_card_by_card() -> None:
    state = push(seven_table(), "draw stock; lay down 4h 5h 6h 7h")
    assert table(state)["short"] == 3
    assert legal(state) == {"lay off 3h on meld 1", "lay off 8h on meld 1"}
    refused(state, "discard 4d", "now you can only lay")
    refused(state, "lay down 3h 4h 5h 6h 7h 8h 9h", "up to 4 cards of a meld at once")
    push(state, "lay off 8h on meld 1; lay off 9h on meld 1; lay off 3h on meld 1; lay down Kc Ks Kd")
    assert table(state)["short"] == 0
    assert state.observe(Seat(1)).phase == "play"
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (2, 8)
    assert verbs(state) == {"discard"}


def test_a_card_that_would_leave_the_long_run_incomplete_is_refused() -> None:
    state = push(seven_table("3h 4h 5h 6h 7h 8h PJ Kc Ks 2d 4d"), "draw stock; lay down 4h 5h 6h 7h")
    push(state, "lay off 3h on meld 1; lay off 8h on meld 1")
    assert legal(state) == {f"lay off{low} {wild} on meld 1" for low in ("", " low") for wild in ("2d", "PJ")}
    other = push(seven_table("3h 4h 5h 6h 7h 9h PJ Kc Ks 2d 4d"), "draw stock; lay down 4h 5h 6h 7h")
    assert "lay off 3h on meld 1" in legal(other)
    push(other, "lay off 3h on meld 1")
    assert "lay off 9h on meld 1" not in legal(other)


def test_at_most_half_of_a_long_meld_is_wild() -> None:
    wilds = "3h 5h 7h PJ 2c 2s PJ Kc Ks Kd 2h"
    state = push(seven_table(wilds), "draw stock")
    assert verbs(state) == {"discard"}, "four wilds in a run of seven are too many"
    state = push(seven_table(wilds.replace("2h", "9h")), "draw stock")
    push(state, "lay down 3h PJ 5h 2c; lay off 7h on meld 1; lay off 2s on meld 1; lay off 9h on meld 1")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (2, 8)


def test_sets_of_two_sizes_are_laid_down_the_larger_first() -> None:
    rules = contract(contract="S4+S5", hand_sizes="10", decks=2)
    hand = "7c 7c 7h 7s 7d 9c 9h 9s 2d Kd"
    state = table_with(rules, hand, "4s 6s 8s Js Qs Ac 5d 6d 8d Qd", up="5s", stock="3c")
    push(state, "draw stock")
    refused(state, "lay down 9c 9h 9s 2d", "the largest first: S5[+]S4")
    push(state, "lay down 7c 7c 7h 7s")
    assert legal(state) == {"lay off 7d on meld 1"}
    push(state, "lay off 7d on meld 1; lay down 9c 9h 9s 2d")
    assert [len(meld.cards) for meld in state.observe(Seat(1)).melds] == [5, 4]  # type: ignore[attr-defined]


# --- 12. Two runs of one suit -----------------------------------------------------------------------------------------

CUT = "3h 4h 5h 6h 7h 8h 9h Th Kc"


def test_two_runs_of_a_suit_may_not_be_one_run_cut_in_two() -> None:
    other = "4s 6s 8s Js Qs Ac 5d 6d 8d"
    rules = contract(contract="2R4", hand_sizes="9")
    state = push(table_with(rules, CUT, other, up="5s", stock="Ks"), "draw stock")
    assert verbs(state) == {"discard"}
    joined = push(table_with(contract(contract="2R4", hand_sizes="9", joined_runs=True), CUT, other, up="5s"), "")
    push(joined, "draw stock; lay down 3h 4h 5h 6h; lay down 7h 8h 9h Th")
    assert joined.observe(Seat(0)).has_laid_down(Seat(0))  # type: ignore[attr-defined]
    gap = push(table_with(rules, CUT.replace("Kc", "Jh"), other, up="5s", stock="Ks"), "draw stock")
    assert verbs(gap) == {"discard", "lay down"}
    push(gap, "lay down 3h 4h 5h 6h")
    assert legal(gap) == {"lay down 8h 9h Th Jh", "lay down 8h 9h Th", "lay down 9h Th Jh"}


def test_two_equal_or_overlapping_runs_of_two_decks_are_two_runs() -> None:
    rules = contract(contract="2R4", hand_sizes="9", decks=2)
    hand = "3h 3h 4h 4h 5h 5h 6h 6h Kc"
    state = table_with(rules, hand, "4s 6s 8s Js Qs Ac 5d 6d 8d", up="5s", stock="7h")
    push(state, "draw stock; lay down 3h 4h 5h 6h; lay down 3h 4h 5h 6h")
    assert hand_of(state, 0).jokers == 0
    assert str(hand_of(state, 0)) == "Kc 7h"
    assert {"lay off 7h on meld 1", "lay off 7h on meld 2"} <= legal(state)


# --- 13. Lay off on a run ---------------------------------------------------------------------------------------------


def test_runs_grow_at_both_ends_by_lay_offs() -> None:
    rules = contract(contract="S3+R4", hand_sizes="10")
    hands = "Th Jh Qh Kh 9c 9s 9d Ah 9h 2c", "4s 6s 8s Js Qs Ks 5d 6d 8d Qd"
    state = table_with(rules, *hands, up="5s", stock="8h PJ 7h")
    push(state, "draw stock; lay down Th Jh Qh Kh; lay down 9c 9s 9d")
    assert {"lay off 9h on meld 1", "lay off 9h on meld 2", "lay off Ah on meld 1"} <= legal(state)
    assert "lay off 8h on meld 1" not in legal(state)
    push(state, "lay off Ah on meld 1")
    assert "lay off low 2c on meld 1" not in legal(state), "the ace lies on top: there is one end alone"
    push(state, "lay off 2c on meld 1")  # it stands for the nine
    assert "lay off 9h on meld 1" not in legal(state)
    push(state, "lay off 8h on meld 1; lay off 9h on meld 2")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (7, 13)
    assert state.result["outcome"] == "out by lay-off"


def test_a_wild_is_laid_off_at_either_end_and_beside_other_wilds() -> None:
    rules = contract(contract="S3+R4", hand_sizes="10")
    hands = "5h 6h 7h 8h 9c 9s 9d PJ 2c Kc", "4s 6s 8s Js Qs Ks 5d 6d 8d Qd"
    state = push(table_with(rules, *hands, up="5s", stock="PJ"), "draw stock; lay down 5h 6h 7h 8h; lay down 9c 9s 9d")
    assert {f"lay off{low} {wild} on meld 1" for low in ("", " low") for wild in ("PJ", "2c")} <= legal(state)
    assert "lay off low PJ on meld 2" not in legal(state), "a set has no lower end"
    push(state, "lay off low PJ on meld 1; lay off low PJ on meld 1; lay off 2c on meld 1")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (2, 8)


# --- 18. Wild replacement ---------------------------------------------------------------------------------------------

SWAP = "7c 7h 2s 4h 5h PJ 7h 9d 3h 6h"


def swap_table(hand: str = SWAP, stock: str = "7s", **changes: Any) -> State:
    """Seat 0 has laid down 7c 7h 2s and 4h 5h 6h PJ, and holds 7h 9d 3h and what it drew."""
    rules = contract(
        **{"contract": "S3+R4", "hand_sizes": "10", "decks": 2, "wild_replacement": True, "wild_neighbors": True}
        | changes
    )
    state = table_with(rules, hand, "4s 6s 8s Js Qs Ac 5d 6d 8d Qd", up="5s", stock=stock)
    return push(state, "draw stock; lay down 4h 5h 6h PJ; lay down 7c 7h 2s")


def test_a_natural_takes_the_place_of_a_wild_in_a_run_and_the_wild_must_be_laid_off_at_once() -> None:
    state = push(swap_table(), "replace 7h on meld 1")
    seen = state.observe(Seat(0))
    assert seen.melds[0].cards == Hand.parse("4h 5h 6h 7h")  # type: ignore[attr-defined]
    assert seen.freed == Card.parse("PJ")  # type: ignore[attr-defined]
    assert hand_of(state, 0) == Hand.parse("9d 3h 7s PJ"), "the wild is in the hand for a moment"
    assert legal(state) == {"lay off PJ on meld 1", "lay off low PJ on meld 1", "lay off PJ on meld 2"}
    refused(state, "discard 9d", "PJ was taken from a meld and must be laid off at once")
    refused(state, "lay off 7s on meld 2", "PJ was taken from a meld and must be laid off at once")
    push(state, "lay off PJ on meld 2")
    assert state.observe(Seat(0)).freed is None  # type: ignore[attr-defined]
    push(state, "lay off 3h on meld 1; lay off 7s on meld 2; discard 9d")
    assert state.rules.details(state.rows())["points"] > 0, "the hand is empty"


def test_a_natural_takes_the_place_of_a_wild_in_a_set() -> None:
    state = push(swap_table(), "replace 7s on meld 2")
    assert state.observe(Seat(1)).melds[1].cards == Hand.parse("7c 7h 7s")  # type: ignore[attr-defined]
    assert state.observe(Seat(1)).known(Seat(0)) == Hand.parse("2s"), "everybody sees who has the wild"
    push(state, "lay off low 2s on meld 1")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (2, 6)


def test_a_wild_is_replaced_only_by_the_card_that_it_stands_for() -> None:
    state = swap_table()
    assert {text for text in legal(state) if text.startswith("replace")} == {
        "replace 7h on meld 1",
        "replace 7h on meld 2",
        "replace 7s on meld 2",
    }
    refused(state, "replace 3h on meld 1", "no wild of meld 1 .* stands for 3h")
    refused(state, "replace 7h on meld 3", "there is no meld 3")


def test_a_joker_comes_back_before_a_two() -> None:
    rules = contract(contract="S3+R4", hand_sizes="10", wild_replacement=True)
    state = table_with(rules, "4h 6h 2c PJ 7c 7h 7s 5h 9d 3s", "4s 6s 8s Js Qs Ac 5d 6d 8d Qd", up="5s")
    push(state, "draw stock; lay down 4h 6h 2c PJ; lay down 7c 7h 7s; replace 5h on meld 1")
    assert state.observe(Seat(0)).freed == Card.parse("PJ")  # type: ignore[attr-defined]
    assert state.observe(Seat(0)).melds[0].cards == Hand.parse("4h 5h 6h 2c")  # type: ignore[attr-defined]


def test_wilds_stay_where_they_are_without_the_option() -> None:
    state = swap_table(wild_replacement=False)
    assert "replace" not in verbs(state)
    refused(state, "replace 7h on meld 1", "the option wild_replacement is off")


def test_nobody_replaces_a_wild_before_laying_down() -> None:
    state = push(swap_table(), "discard 9d; draw stock")
    assert verbs(state) == {"discard"}
    refused(state, "replace 6d on meld 2", "lay down the contract before replacing a wild")


def test_where_the_last_card_must_be_discarded_it_replaces_no_wild() -> None:
    state = push(swap_table(going_out="discard_only"), "lay off 3h on meld 1; lay off 7s on meld 2; discard 9d")
    push(state, "draw stock; discard 4s; draw upcard; discard 4s")
    assert hand_of(state, 0) == Hand.parse("7h")


def test_a_position_with_a_replaced_wild_reads_back() -> None:
    state = push(swap_table(), "replace 7h on meld 1")
    again = State.parse(state.to_text())
    assert again.to_bytes() == state.to_bytes()
    assert legal(again) == legal(state)
    with pytest.raises(RummyError, match="'freed': it is a wild that the actor is known to hold"):
        State.parse(state.to_text().replace("freed PJ", "freed 9d"))


# --- Many players -----------------------------------------------------------------------------------------------------


def test_three_to_six_play_with_two_decks_and_two_jokers_each() -> None:
    for preset in ContractOptions.PRESETS:
        for seats in ContractOptions.PLAYERS.get(preset, (3, 4, 5, 6)):
            counts = Counter(State.deal(contract(preset, seats=seats), 3).deck)
            assert counts.pop(Card.parse("PJ")) == 4
            assert set(counts.values()) == {2}
    assert contract("contract-7").options.decks == 1
    assert contract("liverpool-7").options.cards_in_play == (2, 4)


def test_the_turn_and_the_deal_go_round_the_table() -> None:
    rules = contract(seats=4, rounds=5, buys="0")
    states = list(play_match(rules, [agent("contract", "chinese-heuristic") for _ in range(4)], 4))
    first = int(states[0].starter)
    assert [int(state.starter) for state in states] == [(first + k) % 4 for k in range(5)]
    turns = [int(event.seat) for event in states[0].log if event.action.verb.startswith("draw")]
    assert turns == [(first + k) % 4 for k in range(len(turns))]


def test_all_who_are_caught_pay_and_the_low_total_wins() -> None:
    rules = contract(seats=3)
    hands = "7c 7h 7s 9c 9h 9s 4d", "3c 5d 6h 8s Td Qc Kh", "2c PJ 5d 6h 8s Jd Ac"
    state = table_with(rules, *hands, up="Ad", stock="7d")
    push(state, "draw stock; lay down 7c 7h 7s; lay down 9c 9h 9s; lay off 7d on meld 1; discard 4d")
    assert state.result["penalties"] == [0, 4 * 5 + 3 * 10, 2 * 20 + 3 * 5 + 2 * 10]
    assert state.result["scores"] == [125, 75, 50], "what the others were caught with: high is good"
    assert state.payoffs() == (62.5, 75 / 2 - 50, 50 / 2 - 75)
    assert sum(state.payoffs()) == 0


# --- 14. Buying -------------------------------------------------------------------------------------------------------

FOUR = ("7c 7h 7s 9c 9h 2s 4d", "3c 5d 6h 8s Td Qc Kh", "3c 5s 6h 8c Ts Qd Kh", "3d 5s 6c 8c Th Qd Ks")


def buyers(stock: str = "", *, seats: int = 4, **changes: Any) -> State:
    rules = contract("chinese", seats=seats, **{"buys": "3", **changes})
    return table_with(rules, *FOUR[:seats], up="Ad", stock=stock)


def test_the_next_player_has_first_choice() -> None:
    state = push(buyers(), "draw upcard")
    assert (state.actor, state.observe(Seat(1)).phase) == (0, "play"), "a card that is taken is not for sale"


def test_the_others_may_buy_what_the_next_player_declines_in_turn_order() -> None:
    state = push(buyers("Jc Js"), "draw stock")
    assert legal(state) == {"buy", "pass"}
    assert state.actor == 1
    push(state, "pass")
    assert state.actor == 2
    push(state, "buy")
    assert (state.actor, state.observe(Seat(3)).phase) == (0, "play"), "one buyer a discard; the turn goes on"
    assert hand_of(state, 2) == hand_of(buyers(), 2) + Hand.parse("Ad Js")
    assert table(state)["n_hand"].tolist()[:4] == [8, 7, 9, 7]
    assert state.log[-1].secret == (Card.parse("Js"),), "the penalty card is the buyer's own secret"
    assert state.observe(Seat(0)).log[-1].secret == ()
    assert state.observe(Seat(0)).known(Seat(2)) == Hand.parse("Ad")
    push(state, "discard 4d")
    assert state.actor == 1, "the turn order does not change"


def test_the_turn_goes_on_when_nobody_buys() -> None:
    state = push(buyers(), "draw stock; pass; pass; pass")
    assert (state.actor, state.observe(Seat(0)).phase) == (0, "play")
    assert table(state)["up"] == Card.parse("Ad").id


def test_nobody_buys_back_their_own_discard() -> None:
    state = push(buyers(), "draw stock; pass; pass; pass; discard 4d; draw stock")
    assert state.actor == 2
    push(state, "pass; pass")
    assert (state.actor, state.observe(Seat(0)).phase) == (1, "play")


def test_a_player_buys_up_to_the_limit_of_the_round() -> None:
    state = buyers(buys="1")
    push(state, "draw stock; buy; discard 4d; draw stock")
    assert state.observe(Seat(1)).buys_left(Seat(1)) == 0  # type: ignore[attr-defined]
    push(state, "pass; pass; discard 3c; draw stock")
    assert state.actor == 3, "seat 1 threw it and has bought its share"
    none = push(buyers(buys="0"), "draw stock")
    assert none.observe(Seat(0)).phase == "play"


def test_nobody_buys_after_laying_down() -> None:
    state = push(buyers("Jc"), "draw stock; pass; pass; pass; lay down 7c 7h 7s; lay down 9c 9h 2s; discard 4d")
    push(state, "draw stock; pass; pass; discard 3c; draw stock")
    assert state.actor == 3
    push(state, "pass")
    assert state.actor == 2, "seat 0 has laid down"


def test_two_players_do_not_buy() -> None:
    rules = contract("contract-7")
    assert rules.options.buys == "3"
    state = push(State.deal(rules, 1), "draw stock")
    assert state.observe(Seat(0)).phase == "play"


def test_to_buy_takes_a_card_from_the_stock() -> None:
    state = buyers(seats=3)
    row = state.rows()
    assert row["table"]["stock"][0] > 1
    while table(state)["stock"] > 1:
        push(state, "draw stock")
        while state.observe(state.actor).phase == "buy":
            push(state, "pass")
        push(state, f"discard {next(e for e in reversed(state.log) if e.action.verb == 'draw stock').secret[0]}")
    push(state, "draw stock")
    assert state.observe(Seat(0)).phase == "play", "the stock is empty: there is no penalty card"


# --- 15. The last round -----------------------------------------------------------------------------------------------


def last_round(contracts: str = "3R4", **changes: Any) -> State:
    rules = contract(contract=contracts, hand_sizes="12", **changes)
    hand = "3h 4h 5h 6h 8h 9h Th Jh 3d 4d 5d 6d"
    return push(
        table_with(rules, hand, "4s 6s 8s Js Qs Ac 5c 6c 8c Qc Kc Ks", up="5s", stock="9c Kd"),
        "draw stock; lay down 3h 4h 5h 6h; lay down 8h 9h Th Jh; lay down 3d 4d 5d 6d",
    )


def test_in_the_last_round_too_the_last_card_may_be_discarded() -> None:
    state = push(last_round(), "discard 9c")
    assert (state.result["outcome"], state.result["winner"]) == ("out by discard", 0)


def test_without_a_final_discard_a_player_with_one_card_keeps_it() -> None:
    state = last_round(final_discard=False)
    assert legal(state) == {"pass"}
    refused(state, "discard 9c", "the last card may not be discarded in the last round")
    push(state, "pass")
    assert (state.actor, table(state)["n_hand"][0]) == (1, 1)
    push(state, "draw stock; discard Kd; draw stock")
    assert "discard 9c" in legal(state), "with two cards in the hand one may go"
    early = last_round("3R4 | 2S3", final_discard=False, rounds=2)
    assert "discard 9c" in legal(early), "the round is not the last"


# --- 9. Points of the presets -----------------------------------------------------------------------------------------

COSTS = {
    "chinese-7": {"3h": 5, "9h": 5, "Th": 10, "Kh": 10, "Ah": 10, "2h": 20, "PJ": 20},
    "contract-7": {"3h": 3, "9h": 9, "Th": 10, "Kh": 10, "Ah": 15, "2h": 25, "PJ": 25},
    "shanghai-10": {"2h": 5, "3h": 5, "9h": 5, "Th": 5, "Jh": 10, "Ah": 15, "PJ": 20},
    "liverpool-7": {"2h": 2, "3h": 3, "9h": 9, "Th": 10, "Jh": 10, "Ah": 15, "PJ": 25},
}


@pytest.mark.parametrize("preset", COSTS)
def test_what_each_card_costs(preset: str) -> None:
    rules = contract(preset, contract="2S3", hand_sizes="7", buys="3", rounds=1, seats=3)
    caught = " ".join(COSTS[preset])
    state = table_with(rules, "7c 7h 7s 9c 9h 9s 4d", caught, "3c 5c 6c 8c Tc Qc Kc", up="Ad", stock="7d")
    push(state, "draw stock; pass; pass; lay down 7c 7h 7s; lay down 9c 9h 9s; lay off 7d on meld 1; discard 4d")
    assert state.result["penalties"][1] == sum(COSTS[preset].values())


def test_twos_are_natural_where_they_are_not_wild() -> None:
    rules = contract("liverpool-7", contract="S3+R4", hand_sizes="8")
    hands = "Ah 2h 3h 4h 2c 2s 2d Kc", "4s 6s 8s Js Qs Ac 5d 6d", "5c 7c 9c Jc Qc Kd 5d 7d"
    state = push(table_with(rules, *hands, up="5s", stock="PJ"), "draw stock; pass; pass")
    refused(state, "lay down Ah 3h 4h 2c", "neither a set of one rank nor a run")
    push(state, "lay down Ah 2h 3h 4h; lay down 2c 2s 2d")
    assert (table(state)["meld_low"][0], table(state)["meld_of"][1]) == (0, 1)


# --- 16. Presets and matches ------------------------------------------------------------------------------------------

ROUNDS = {
    "chinese": ("2S3", "7"),
    "chinese-literal": ("2S3", "7"),
    "chinese-7": ("2S3 S3+R4 2R4 S5+S4 S3+R7 2S3+R4 S3+2R4", "7 8 9 10 11 12 12"),
    "contract-7": ("2S3 S3+R4 2R4 3S3 2S3+R4 S3+2R4 3R4", "10 10 10 10 12 12 12"),
    "liverpool-7": ("2S3 S3+R4 2R4 3S3 2S3+R4 S3+2R4 3R4", "7 10 10 10 12 12 14"),
    "shanghai-10": ("2S3 S3+R4 2R4 3S3 S3+R7 2S3+R5 3R4 S3+R10 3S3+R5 3R5", " ".join(["11"] * 10)),
}


def test_the_presets() -> None:
    assert GAMES["contract"].presets == tuple(ContractOptions.PRESETS) == tuple(ROUNDS)
    literal = contract("chinese-literal").options
    assert (literal.reshuffle, literal.going_out) == ("all_non_hand", "discard_only")
    for preset in ContractOptions.PRESETS:
        options = ContractOptions.preset(preset)
        assert options.preset_name() == preset
        assert ContractOptions.from_toml(options.to_toml()) == options
        assert ContractOptions.parse(str(ContractOptions.preset(preset, seats=4))).seats == 4
    with pytest.raises(UnknownNameError, match="did you mean 'contract-7'"):
        contract("contract8")


def test_some_presets_are_not_for_every_number_of_players() -> None:
    with pytest.raises(OptionError, match="liverpool-7 is for 3 to 5 players, not 2"):
        contract("liverpool-7", seats=2)
    with pytest.raises(OptionError, match="shanghai-10 is for 3 to 4 players, not 5"):
        contract("shanghai-10(seats=5)")
    options = contract("contract-7(seats=6)", wild_twos=False).options
    assert ContractOptions.parse(str(options)) == options, "the nearest preset is one for six"


def test_contracts_that_the_pack_cannot_fill_are_refused_in_a_sentence() -> None:
    with pytest.raises(OptionError, match="asks for S8, but only 4 cards of a rank and 2 wilds are in play"):
        contract(contract="S8", hand_sizes="10", wild_twos=False)
    assert contract(contract="S8", hand_sizes="10").options.contracts[0].cards == 8


def test_shanghai_buys_three_times_a_round_and_four_times_in_the_last_two() -> None:
    assert contract("shanghai-10").options.buys_by_round == (3,) * 8 + (4, 4)


@pytest.mark.parametrize("preset", ROUNDS)
def test_every_round_deals_its_cards_and_asks_for_its_contract(preset: str) -> None:
    rules = contract(preset)
    contracts, sizes = (text.split() for text in ROUNDS[preset])
    states = list(play_match(rules, [agent("contract", "random") for _ in range(rules.seats)], 3))
    assert len(states) == len(contracts), "a match is all rounds of the preset"
    for state, asked, size in zip(states, contracts, sizes, strict=True):
        dealt = [event for event in state.log if event.action.verb == "deal"]
        assert [len(event.secret) for event in dealt] == [int(size)] * rules.seats
        assert str(state.rules.contract_of(state.rows())) == asked


def test_the_former_name_of_a_preset_still_reads() -> None:
    assert rules_of("contract", "contract7").options == contract("contract-7").options


@pytest.mark.parametrize(
    ("preset", "seats"),
    [("chinese-7", 4), ("contract-7", 2), ("liverpool-7", 3), ("shanghai-10", 4), ("contract-7", 6)],
)
def test_a_record_of_a_later_round_replays_with_its_own_contract(preset: str, seats: int) -> None:
    rules = contract(preset, seats=seats)
    names = [f"player {seat}" for seat in range(seats)]
    for state in play_match(rules, [agent("contract", "chinese-heuristic") for _ in names], 8):
        again = Record.of(state, names).replay(lambda name, options: rules)
        assert again.to_bytes() == state.to_bytes()


def test_sets_for_two_are_the_first_version_of_the_rules_and_all_else_the_second() -> None:
    assert [contract(preset).version for preset in ROUNDS] == [1, 1, 2, 2, 2, 2]
    assert contract("chinese", seats=3).version == 2


def test_a_record_of_the_first_version_with_runs_is_refused_in_words() -> None:
    rules = contract("contract-7")
    state = next(iter(play_match(rules, [agent("contract", "random") for _ in range(2)], 1)))
    old = replace(Record.of(state, ["a", "b"]), header={**Record.of(state, ["a", "b"]).header, "version": 1})
    with pytest.raises(RecordError, match="version 1 of contract is not supported"):
        old.replay(lambda name, options: rules)
