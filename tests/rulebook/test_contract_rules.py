"""The rules page of contract rummy, paragraphs 1 to 10: Chinese Rummy for two."""

from __future__ import annotations

from collections import Counter

import pytest

from contract_tables import JUNK, READY, deal, make_deck
from helpers import legal, push, refused, table, verbs
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.records import Record
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import DeckError, OptionError
from rummylab.games.contract.options import Contract
from rummylab.games.contract.view import contract
from two_deck_tables import draw_and_throw, hand_of

LAY_DOWN = "lay down 7c 7h 7s; lay down 9c 9h 2s"


# --- 1. Cards ---------------------------------------------------------------------------------------------------------


def test_two_play_with_52_cards_and_two_jokers() -> None:
    state = State.deal(contract(), 3)
    counts = Counter(state.deck)
    assert counts.pop(Card.parse("PJ")) == 2
    assert len(counts) == 52
    assert set(counts.values()) == {1}
    assert state.rules.seats == 2
    with pytest.raises(DeckError, match="52 cards and 2 jokers, but the deck has 52 and 1"):
        State.deal(contract(), 0, deck=Deck.ordered(jokers=1))
    assert len(contract(jokers=0).shuffled(1)) == 52


@pytest.mark.parametrize("wild", ["2c", "2h", "2s", "2d", "PJ"])
def test_every_two_and_joker_is_wild(wild: str) -> None:
    state = deal("7c 7h 9c 9h 9s 5s Kd", up=wild)
    push(state, f"draw upcard; lay down 7c 7h {wild}; lay down 9c 9h 9s")
    assert verbs(state) == {"discard"}


def test_a_wild_has_no_natural_use() -> None:
    state = deal("2c 2h 2s 9c 9h 9s 5s", up="2d")
    push(state, "draw upcard")
    refused(state, "lay down 2c 2h 2s", "3 wilds in a meld of 3: at least half of it must be natural")
    assert verbs(state) == {"discard"}
    run = deal("Ac 2c 3c 4c 9c 9h 9s", "5d 6h 8s Td Qc Kh 3d", "Jd", contract="S3+R4")
    push(run, "draw upcard; lay down 9c 9h 9s")
    push(run, "lay down Ac 2c 3c 4c")
    # The two stands where it would stand by nature, but as a wild: A _ 3 4 with a gap.
    assert (table(run)["meld_low"][1], table(run)["meld_high"][1]) == (0, 3)


# --- 2. The deal ------------------------------------------------------------------------------------------------------


def test_the_deal_alternates_every_round() -> None:
    rules = contract(rounds=5)
    states = list(play_match(rules, [agent("contract", "chinese-heuristic")] * 2, 4))
    assert [int(state.starter) for state in states] in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])


@pytest.mark.parametrize("starter", [0, 1])
def test_seven_cards_each_one_at_a_time_the_non_dealer_first(starter: int) -> None:
    deck = Deck.ordered(jokers=2)
    state = State.deal(contract(), 0, starter=starter, deck=deck)
    assert list(hand_of(state, starter)) == sorted(deck.cards[0:14:2])
    assert list(hand_of(state, 1 - starter)) == sorted(deck.cards[1:14:2])
    assert table(state)["up"] == deck.cards[14].id
    assert table(state)["stock"] == 54 - 15
    assert state.actor == starter


def test_the_first_up_card_may_be_wild() -> None:
    state = deal(up="PJ")
    assert "draw upcard" in legal(state)
    push(state, "draw upcard")
    assert hand_of(state, 0).jokers == 1
    natural = deal(up="2h", stock="PJ 2d 8d", wild_upcard=False)
    assert table(natural)["up"] == Card.parse("8d").id
    push(natural, "draw stock")
    assert natural.log[-1].secret == (Card.parse("PJ"),), "the wild went where the natural card was"


# --- 3. The turn ------------------------------------------------------------------------------------------------------


def test_a_turn_is_draw_then_maybe_lay_down_and_lay_off_then_one_discard() -> None:
    state = deal(stock="7d 3s")
    assert legal(state) == {"draw stock", "draw upcard"}
    push(state, "draw stock")
    assert verbs(state) == {"discard", "lay down"}
    push(state, LAY_DOWN)
    assert verbs(state) == {"discard", "lay off"}
    push(state, "lay off 7d on meld 1; discard 4d")
    assert state.result["outcome"] == "out by discard"


def test_a_turn_without_laying_down_ends_with_the_discard() -> None:
    state = push(deal(), "draw stock; discard 4d")
    assert state.actor == 1
    assert legal(state) == {"draw stock", "draw upcard"}


def test_only_the_top_of_the_discard_pile_can_be_taken() -> None:
    state = push(deal(), "draw stock; discard 4d; draw upcard")
    assert Card.parse("4d") in hand_of(state, 1)
    assert table(state)["up"] == Card.parse("Ad").id


def test_the_card_just_drawn_may_be_discarded() -> None:
    state = push(deal(), "draw upcard; discard Ad")
    assert state.actor == 1
    strict = push(deal(discard_drawn=False), "draw upcard")
    refused(strict, "discard Ad", "Ad was just drawn")
    assert "discard 4d" in legal(strict)


def test_a_drawn_card_may_be_thrown_where_it_is_the_last() -> None:
    state = deal("7c 7h 7s 9c 9h 9s 9d", up="Ad", discard_drawn=False)
    push(state, "draw upcard; lay down 7c 7h 7s; lay down 9c 9h 9s; lay off 9d on meld 2")
    assert legal(state) == {"discard Ad"}


def test_nothing_but_a_draw_comes_first() -> None:
    refused(deal(), "discard 4d", "now you can only draw")
    refused(deal(), "lay down 7c 7h 7s", "now you can only draw")


# --- 4. Lay down ------------------------------------------------------------------------------------------------------


def test_the_whole_contract_is_laid_down_at_once() -> None:
    state = push(deal(stock="3s"), "draw stock; lay down 7c 7h 7s")
    assert verbs(state) == {"lay down"}
    assert state.observe(Seat(0)).phase == "lay down"  # type: ignore[attr-defined]
    refused(state, "discard 4d", "now you can only lay")
    push(state, "lay down 9c 9h 2s")
    assert state.observe(Seat(1)).has_laid_down(Seat(0))  # type: ignore[attr-defined]


def test_no_lay_down_without_the_whole_contract() -> None:
    state = push(deal("7c 7h 7s 9c Kh Qs 4d", "3c 5d 6h 8s Td Qc Kc"), "draw stock")
    assert verbs(state) == {"discard"}
    refused(state, "lay down 7c 7h 7s", "the hand does not hold the whole contract 2S3")


def test_a_meld_that_spoils_the_rest_is_refused() -> None:
    state = push(deal(stock="3s"), "draw stock")
    refused(state, "lay down 7c 7h 2s", "could not be completed with it")  # the nines need the two


def test_a_lay_down_is_once_a_round() -> None:
    state = push(deal(stock="3s"), f"draw stock; {LAY_DOWN}")
    refused(state, "lay down 7c 7h 7s", "7c is not in the hand")
    assert not {"lay down"} & verbs(state)


@pytest.mark.parametrize("meld", ["lay down 7c 2s PJ", "lay down 9c PJ 2s"])
def test_a_lay_down_with_two_wilds_in_a_set_is_refused(meld: str) -> None:
    state = push(deal(up="PJ"), "draw upcard")
    refused(state, meld, "2 wilds in a meld of 3: at least half of it must be natural")


def test_what_is_no_meld_is_refused_in_words() -> None:
    state = push(deal(), "draw stock")
    refused(state, "lay down 7c 9h 2s", "neither a set of one rank nor a run")
    refused(state, "lay down 7c 7h 7d", "7d is not in the hand")


def test_sets_have_exactly_three_cards_unless_three_is_the_minimum() -> None:
    hand = "7c 7h 7s 7d 9c 9h 9s"
    exact = push(deal(hand, up="PJ"), "draw upcard")
    refused(exact, "lay down 7c 7h 7s 7d", "could not be completed")
    larger = push(deal(hand, up="PJ", set_sizes="minimum"), "draw upcard; lay down 7c 7h 7s 7d; lay down 9c 9h 9s PJ")
    assert larger.result["outcome"] == "out by lay-off"
    assert larger.result["winner"] == 0


def test_under_the_minimum_too_the_last_card_is_kept_where_it_must_be_discarded() -> None:
    rules = {"set_sizes": "minimum", "going_out": "discard_only"}
    state = push(deal("7c 7h 7s 7d 9c 9h 9s", up="PJ", **rules), "draw upcard; lay down 7c 7h 7s 7d")
    assert "lay down 9c 9h 9s" in legal(state)
    assert "lay down 9c 9h 9s PJ" not in legal(state)


def test_the_two_ranks_may_coincide() -> None:
    hand = "7c 7h 7s 7d 2c 2h 4d"
    state = push(deal(hand), "draw stock")
    assert "lay down 2c 7c 7h" in legal(state)
    push(state, "lay down 7c 7h 2c; lay down 7s 7d 2h")
    assert table(state)["n_melds"] == 2
    apart = push(deal(hand, same_rank=False), "draw stock")
    assert verbs(apart) == {"discard"}


# --- 5. Lay off -------------------------------------------------------------------------------------------------------


def test_no_lay_off_before_the_own_lay_down() -> None:
    state = push(deal(seat1="7d 5d 6h 8s Td Qc Kh", stock="3s"), f"draw stock; {LAY_DOWN}; discard 4d; draw stock")
    refused(state, "lay off 7d on meld 1", "must lay down the contract before laying off cards")
    assert verbs(state) == {"discard"}


def test_a_lay_off_in_the_turn_of_the_lay_down_counts() -> None:
    state = push(deal(stock="7d"), f"draw stock; {LAY_DOWN}; lay off 7d on meld 1")
    assert len(state.observe(Seat(1)).melds[0].cards) == 4  # type: ignore[attr-defined]


def both_laid_down(stock: str) -> State:
    state = deal(seat1="Kc Kh Ks Qc Qh Qs 7d", stock=f"3s 3d {stock}")
    return push(state, f"draw stock; {LAY_DOWN}; discard 4d; draw stock; lay down Kc Kh Ks; lay down Qc Qh Qs")


def test_cards_are_laid_off_on_any_set_own_or_not_and_leave_the_hand() -> None:
    state = both_laid_down("Kd")
    assert "lay off 7d on meld 1" in legal(state)
    push(state, "lay off 7d on meld 1")
    assert Card.parse("7d") not in hand_of(state, 1)
    refused(state, "lay off 3d on meld 1", r"meld 1 \(7c 7h 7s 7d\) does not take 3d")
    refused(state, "lay off 3d on meld 5", "there is no meld 5 on the table")
    refused(state, "lay off 3d", "say on which meld")


def test_any_number_of_wilds_may_be_laid_off_without_the_half_rule() -> None:
    state = deal("7c 7h 2c 9c 9h 2h 2s", up="PJ", stock="8d 2d")
    push(state, "draw upcard; lay down 7c 7h 2c; lay down 9c 9h 2h; lay off 2s on meld 1; lay off PJ on meld 1")
    assert state.result["outcome"] == "out by lay-off"


def test_a_wild_goes_on_whichever_meld_the_player_chooses() -> None:
    state = push(deal(stock="PJ"), f"draw stock; {LAY_DOWN}")
    assert {f"lay off PJ on meld {k}" for k in (1, 2)} <= legal(state)


def test_lay_offs_come_only_on_the_own_turn_and_after_the_draw() -> None:
    state = push(deal(seat1="7d 5d 6h 8s Td Qc Kh", stock="3s"), f"draw stock; {LAY_DOWN}; discard 4d")
    refused(state, "lay off 7d on meld 1", "now you can only draw")


# --- 6. Going out -----------------------------------------------------------------------------------------------------


def test_the_round_ends_with_the_last_card_discarded() -> None:
    state = push(deal(stock="7d"), f"draw stock; {LAY_DOWN}; lay off 7d on meld 1; discard 4d")
    assert (state.result["outcome"], state.result["winner"]) == ("out by discard", 0)


def test_the_round_ends_with_the_last_card_laid_off() -> None:
    hand = "7c 7h 7s 9c 9h 9s 9d"
    state = push(deal(hand, stock="7d"), "draw stock; lay down 7c 7h 7s; lay down 9c 9h 9s; lay off 9d on meld 2")
    push(state, "lay off 7d on meld 1")
    assert (state.result["outcome"], state.result["winner"]) == ("out by lay-off", 0)


def test_under_discard_only_the_last_card_must_be_discarded() -> None:
    hand = "7c 7h 7s 9c 9h 9s 9d"
    state = deal(hand, stock="7d", preset="chinese-literal")
    push(state, "draw stock; lay down 7c 7h 7s; lay down 9c 9h 9s; lay off 9d on meld 2")
    refused(state, "lay off 7d on meld 1", "the last card must be discarded")
    push(state, "discard 7d")
    assert state.result["outcome"] == "out by discard"


# --- 7. Reshuffle -----------------------------------------------------------------------------------------------------


def test_an_empty_stock_is_made_anew_of_all_discards_but_the_top() -> None:
    state = draw_and_throw(deal(), 39)
    assert table(state)["stock"] == 0
    pile = [Card(int(card)) for card in table(state)["stack"][:40]]
    assert legal(state) == {"draw stock", "draw upcard"}
    push(state, "draw stock")
    assert table(state)["n_pile"] == 1
    assert table(state)["up"] == pile[-1].id
    assert table(state)["stock"] == 38
    row = state.rows()
    stock = sorted(Card(int(card)) for card in row["deck"][0, row["pos"][0] : row["pos"][0] + 38])
    assert sorted([*stock, state.log[-1].secret[0]]) == sorted(pile[:-1])
    assert [card.id for card in stock] != [int(card) for card in row["deck"][0, :38]], "shuffled"


def test_the_discard_can_be_taken_when_the_stock_is_empty() -> None:
    state = draw_and_throw(deal(), 39)
    push(state, "draw upcard")
    assert table(state)["reshuffles"] == 0


def test_without_discards_there_is_no_stock_to_draw_from() -> None:
    state = draw_and_throw(deal(), 38)
    push(state, "draw stock")
    row = state.rows()
    row["table"]["n_pile"] = 1  # a table that play can hardly reach
    row["table"]["phase"], row["table"]["stock"] = 0, 0
    assert [str(state.rules.decode(code)) for code in state.rules.legal(row)] == ["draw upcard"]


def test_by_the_letter_all_cards_that_nobody_holds_are_shuffled_and_a_new_one_is_turned_up() -> None:
    state = deal(preset="chinese-literal")
    push(state, f"draw stock; {LAY_DOWN}; discard 4d")
    draw_and_throw(state, 38)
    assert table(state)["stock"] == 0
    held = [hand_of(state, seat) for seat in (0, 1)]
    push(state, "draw stock")
    now = table(state)
    assert now["n_melds"] == 0
    assert not state.observe(Seat(0)).has_laid_down(Seat(0)), "both count as not laid down"  # type: ignore[attr-defined]
    assert now["n_pile"] == 1
    assert str(state.log[-1].action) == f"turn up {Card(int(now['up']))}"
    drawn = state.log[-2].secret[0]
    row = state.rows()
    stock = [Card(int(card)) for card in row["deck"][0, row["pos"][0] : row["pos"][0] + now["stock"]]]
    everything = [*stock, drawn, Card(int(now["up"])), *held[0], *held[1]]
    assert sorted(everything) == sorted(state.deck)


def test_a_reshuffled_round_replays_from_its_record() -> None:
    for preset in ("chinese", "chinese-literal"):
        state = draw_and_throw(deal(preset=preset), 45)
        again = Record.of(state, ["a", "b"]).replay(lambda name, options: contract(**options))
        assert again.to_bytes() == state.to_bytes()


# --- 8. Stalemate -----------------------------------------------------------------------------------------------------


def test_after_two_reshuffles_an_empty_stock_makes_the_round_void() -> None:
    state = deal()
    while state.actor is not None:
        draw_and_throw(state, 1)
    assert (state.result["outcome"], state.result["winner"], state.result["points"]) == ("void", None, 0)
    assert table(state)["reshuffles"] == 2
    assert table(state)["stock"] == 0
    assert state.payoffs() == (0.0, 0.0)
    assert state.result["turns"] == 39 + 39 + 39


def test_after_200_turns_the_round_is_void() -> None:
    state = deal()
    for _ in range(200):
        up = Card(int(table(state)["up"]))
        push(state, f"draw upcard; discard {up}")
    assert state.result["outcome"] == "void"
    assert state.result["turns"] == 200
    assert state.scores == (0, 0)


# --- 9. Score ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "points"),
    [
        (JUNK, 4 * 5 + 3 * 10),
        ("3c 4c 5c 6c 8c 8h 9s", 35),
        ("Tc Jc Qc Kc Ac As Kh", 70),
        ("2c 2h 2d PJ PJ 3c Kh", 5 * 20 + 5 + 10),
    ],
)
def test_who_goes_out_gets_0_and_the_other_the_sum_of_the_hand(held: str, points: int) -> None:
    state = push(deal(seat1=held, up="Ad", stock="7d"), f"draw stock; {LAY_DOWN}; lay off 7d on meld 1; discard 4d")
    assert state.result["points"] == points
    assert state.result["penalties"] == [0, points]
    assert state.payoffs() == (points, -points)


def test_card_values_are_options() -> None:
    changes = {"low_points": 1, "high_points": 2, "wild_points": 30}
    state = deal(seat1="3c 5d 6h 8s Td Qc PJ", stock="7d", **changes)
    push(state, f"draw stock; {LAY_DOWN}; lay off 7d on meld 1; discard 4d")
    assert state.result["points"] == 4 + 2 * 2 + 30


def test_scores_carry_across_rounds_and_the_low_total_wins() -> None:
    rules = contract(rounds=6)
    states = list(play_match(rules, [agent("contract", "chinese-heuristic")] * 2, 12))
    assert len(states) == 6
    penalties = [0, 0]
    for state in states:
        lost = state.result
        if lost["winner"] is not None:
            penalties[1 - lost["winner"]] += lost["points"]
        assert lost["penalties"] == penalties
    assert states[-1].match_is_over
    assert sum(penalties) > 0


# --- 10. Match --------------------------------------------------------------------------------------------------------


def test_a_match_has_a_fixed_number_of_rounds_or_ends_when_a_player_reaches_the_target() -> None:
    players = [agent("contract", "chinese-heuristic")] * 2
    assert len(list(play_match(contract(), players, 1))) == 1
    assert len(list(play_match(contract(rounds=4), players, 1))) == 4
    states = list(play_match(contract(rounds=0, target=100), players, 1))
    assert max(states[-1].result["penalties"]) >= 100
    assert all(max(state.result["penalties"]) < 100 for state in states[:-1])
    with pytest.raises(OptionError, match="would never end"):
        contract(rounds=0)


# --- Contracts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contract": "2X3"}, "an item reads 2S3"),
        ({"contract": "S9", "hand_sizes": "9"}, "a set has 3 to 8 cards"),
        ({"contract": "R2"}, "a run has 3 to 13 cards"),
        ({"contract": "5S3", "hand_sizes": "15"}, "one to 4 melds"),
        ({"contract": "4R3", "hand_sizes": "12"}, "at most 3 runs"),
        ({"contract": "3S3"}, "deals 7 cards, but 3S3 needs 9"),
        ({"contract": " | ".join(["2S3"] * 11)}, "11 rounds, but at most 10"),
        ({"hand_sizes": "seven"}, "must be whole numbers"),
        ({"hand_sizes": "7 8"}, "1 contracts need one number in hand_sizes or as many, not 2"),
        ({"buys": "3 4"}, "need one number in buys"),
        ({"buys": "-1"}, "buys 0 to 20"),
        ({"jokers": 3}, "between 0 and 2"),
        ({"seats": 7}, "between 2 and 6"),
        ({"seats": 4, "decks": 1, "hand_sizes": "14"}, "deals 56 cards to 4 players, but only 54 are in play"),
        ({"going_out": "never"}, "one of lay_off, discard_only"),
        ({"going_out": "discard_only", "final_discard": False}, "nobody could go out"),
        ({"turn_cap": 0}, "between 1 and"),
    ],
)
def test_options_that_make_no_game_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        contract(**changes)


def test_a_contract_prints_as_it_parses() -> None:
    for text in ("2S3", "S3+R4", "2S4+R3", "3R4", "S5+S4", "S3+R10"):
        assert str(Contract.parse(text, 12)) == text
    assert Contract.parse("S4 + 2xS3 + S5", 15) == Contract((5, 4, 3, 3), (), 15)


def test_the_whole_table_is_shown_to_who_may_see_it() -> None:
    text = str(push(deal(stock="3s"), f"draw stock; {LAY_DOWN}"))
    assert "meld 1: 7c 7h 7s" in text
    assert "contract 2S3" in text
    assert f"seat 1: {' '.join(sorted(JUNK.split(), key=lambda w: Card.parse(w)))}" in text
    assert make_deck(READY, JUNK, up="Ad").cards[14] == Card.parse("Ad")
