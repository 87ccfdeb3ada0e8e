"""The rules page of Chinese Rummy and contract rummy, paragraph by paragraph."""

from __future__ import annotations

from collections import Counter

import pytest

from contract_tables import JUNK, READY, deal, draw_and_throw, hand_of, make_deck, table_with
from helpers import legal, push, refused, table, verbs, words
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.records import Record
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import DeckError, OptionError, UnknownNameError
from rummylab.games.contract.game import chinese
from rummylab.games.contract.options import Contract, ContractOptions
from rummylab.games.registry import GAMES

LAY_DOWN = "meld 7c 7h 7s; meld 9c 9h 2s"


# --- 1. Cards ---------------------------------------------------------------------------------------------------------


def test_two_play_with_52_cards_and_two_jokers() -> None:
    state = State.deal(chinese(), 3)
    counts = Counter(state.deck)
    assert counts.pop(Card.parse("PJ")) == 2
    assert len(counts) == 52
    assert set(counts.values()) == {1}
    assert state.rules.seats == 2
    with pytest.raises(DeckError, match="52 cards and 2 jokers, not 52 and 1"):
        State.deal(chinese(), 0, deck=Deck.ordered(jokers=1))
    assert len(chinese(jokers=0).shuffled(1)) == 52


@pytest.mark.parametrize("wild", ["2c", "2h", "2s", "2d", "PJ"])
def test_every_two_and_joker_is_wild(wild: str) -> None:
    state = deal("7c 7h 9c 9h 9s 5s Kd", up=wild)
    push(state, f"draw pile; meld 7c 7h {wild}; meld 9c 9h 9s")
    assert verbs(state) == {"discard"}


def test_a_wild_has_no_natural_use() -> None:
    state = deal("2c 2h 2s 9c 9h 9s 5s", up="2d")
    push(state, "draw pile")
    refused(state, "meld 2c 2h 2s", "3 wilds in a meld of 3: at least half of it must be natural")
    assert verbs(state) == {"discard"}
    run = deal("Ac 2c 3c 4c 9c 9h 9s", "5d 6h 8s Td Qc Kh 3d", "Jd", contract="S3+R4")
    push(run, "draw pile; meld 9c 9h 9s")
    push(run, "meld Ac 2c 3c 4c")
    # The two stands where it would stand by nature, but as a wild: A _ 3 4 with a gap.
    assert (table(run)["meld_low"][1], table(run)["meld_high"][1]) == (0, 3)


# --- 2. The deal ------------------------------------------------------------------------------------------------------


def test_the_deal_alternates_every_round() -> None:
    rules = chinese(rounds=5)
    states = list(play_match(rules, [agent("chinese", "chinese-heuristic")] * 2, 4))
    assert [int(state.starter) for state in states] in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1])


@pytest.mark.parametrize("starter", [0, 1])
def test_seven_cards_each_one_at_a_time_the_non_dealer_first(starter: int) -> None:
    deck = Deck.ordered(jokers=2)
    state = State.deal(chinese(), 0, starter=starter, deck=deck)
    assert list(hand_of(state, starter)) == sorted(deck.cards[0:14:2])
    assert list(hand_of(state, 1 - starter)) == sorted(deck.cards[1:14:2])
    assert table(state)["up"] == deck.cards[14].id
    assert table(state)["stock"] == 54 - 15
    assert state.actor == starter


def test_the_first_up_card_may_be_wild() -> None:
    state = deal(up="PJ")
    assert "draw pile" in legal(state)
    push(state, "draw pile")
    assert hand_of(state, 0).jokers == 1
    natural = deal(up="2h", stock="PJ 2d 8d", wild_up_card=False)
    assert table(natural)["up"] == Card.parse("8d").id
    push(natural, "draw stock")
    assert natural.log[-1].secret == (Card.parse("PJ"),), "the wild went where the natural card was"


# --- 3. The turn ------------------------------------------------------------------------------------------------------


def test_a_turn_is_draw_then_maybe_lay_down_and_lay_off_then_one_discard() -> None:
    state = deal(stock="7d 3s")
    assert legal(state) == {"draw stock", "draw pile"}
    push(state, "draw stock")
    assert verbs(state) == {"discard", "meld"}
    push(state, LAY_DOWN)
    assert verbs(state) == {"discard", "lay off"}
    push(state, "lay off 7d on meld 1; discard 4d")
    assert state.result["outcome"] == "out by discard"


def test_a_turn_without_laying_down_ends_with_the_discard() -> None:
    state = push(deal(), "draw stock; discard 4d")
    assert state.actor == 1
    assert legal(state) == {"draw stock", "draw pile"}


def test_only_the_top_of_the_discard_pile_can_be_taken() -> None:
    state = push(deal(), "draw stock; discard 4d; draw pile")
    assert Card.parse("4d") in hand_of(state, 1)
    assert table(state)["up"] == Card.parse("Ad").id


def test_the_card_just_drawn_may_be_discarded() -> None:
    state = push(deal(), "draw pile; discard Ad")
    assert state.actor == 1
    strict = push(deal(discard_drawn=False), "draw pile")
    refused(strict, "discard Ad", "Ad was just drawn")
    assert "discard 4d" in legal(strict)


def test_a_drawn_card_may_be_thrown_where_it_is_the_last() -> None:
    state = deal("7c 7h 7s 9c 9h 9s 9d", up="Ad", discard_drawn=False)
    push(state, "draw pile; meld 7c 7h 7s; meld 9c 9h 9s; lay off 9d on meld 2")
    assert legal(state) == {"discard Ad"}


def test_nothing_but_a_draw_comes_first() -> None:
    refused(deal(), "discard 4d", "not possible in the phase 'draw'")
    refused(deal(), "meld 7c 7h 7s", "not possible in the phase 'draw'")


# --- 4. Lay down ------------------------------------------------------------------------------------------------------


def test_the_whole_contract_is_laid_down_at_once() -> None:
    state = push(deal(stock="3s"), "draw stock; meld 7c 7h 7s")
    assert verbs(state) == {"meld"}
    assert state.observe(Seat(0)).phase == "lay down"  # type: ignore[attr-defined]
    refused(state, "discard 4d", "not possible in the phase 'lay down'")
    push(state, "meld 9c 9h 2s")
    assert state.observe(Seat(1)).has_laid_down(Seat(0))  # type: ignore[attr-defined]


def test_no_lay_down_without_the_whole_contract() -> None:
    state = push(deal("7c 7h 7s 9c Kh Qs 4d", "3c 5d 6h 8s Td Qc Kc"), "draw stock")
    assert verbs(state) == {"discard"}
    refused(state, "meld 7c 7h 7s", "the hand does not hold the whole contract 2S3")


def test_a_meld_that_spoils_the_rest_is_refused() -> None:
    state = push(deal(stock="3s"), "draw stock")
    refused(state, "meld 7c 7h 2s", "could not be completed with it")  # the nines need the two


def test_a_lay_down_is_once_a_round() -> None:
    state = push(deal(stock="3s"), f"draw stock; {LAY_DOWN}")
    refused(state, "meld 7c 7h 7s", "7c is not in the hand")
    assert not {"meld"} & verbs(state)


@pytest.mark.parametrize("meld", ["meld 7c 2s PJ", "meld 9c PJ 2s"])
def test_a_lay_down_with_two_wilds_in_a_set_is_refused(meld: str) -> None:
    state = push(deal(up="PJ"), "draw pile")
    refused(state, meld, "2 wilds in a meld of 3: at least half of it must be natural")


def test_what_is_no_meld_is_refused_in_words() -> None:
    state = push(deal(), "draw stock")
    refused(state, "meld 7c 9h 2s", "is no set of one rank and no run")
    refused(state, "meld 7c 7h 7d", "7d is not in the hand")


def test_sets_have_exactly_three_cards_unless_three_is_the_minimum() -> None:
    hand = "7c 7h 7s 7d 9c 9h 9s"
    exact = push(deal(hand, up="PJ"), "draw pile")
    refused(exact, "meld 7c 7h 7s 7d", "could not be completed")
    larger = push(deal(hand, up="PJ", set_sizes="minimum"), "draw pile; meld 7c 7h 7s 7d; meld 9c 9h 9s PJ")
    assert larger.result["outcome"] == "out by lay-off"
    assert larger.result["winner"] == 0


def test_under_the_minimum_too_the_last_card_is_kept_where_it_must_be_discarded() -> None:
    rules = {"set_sizes": "minimum", "going_out": "discard_only"}
    state = push(deal("7c 7h 7s 7d 9c 9h 9s", up="PJ", **rules), "draw pile; meld 7c 7h 7s 7d")
    assert "meld 9c 9h 9s" in legal(state)
    assert "meld 9c 9h 9s PJ" not in legal(state)


def test_the_two_ranks_may_coincide() -> None:
    hand = "7c 7h 7s 7d 2c 2h 4d"
    state = push(deal(hand), "draw stock")
    assert "meld 2c 7c 7h" in legal(state)
    push(state, "meld 7c 7h 2c; meld 7s 7d 2h")
    assert table(state)["n_melds"] == 2
    apart = push(deal(hand, same_rank=False), "draw stock")
    assert verbs(apart) == {"discard"}


# --- 5. Lay off -------------------------------------------------------------------------------------------------------


def test_no_lay_off_before_the_own_lay_down() -> None:
    state = push(deal(seat1="7d 5d 6h 8s Td Qc Kh", stock="3s"), f"draw stock; {LAY_DOWN}; discard 4d; draw stock")
    refused(state, "lay off 7d on meld 1", "cards are laid off only after the own lay-down")
    assert verbs(state) == {"discard"}


def test_a_lay_off_in_the_turn_of_the_lay_down_counts() -> None:
    state = push(deal(stock="7d"), f"draw stock; {LAY_DOWN}; lay off 7d on meld 1")
    assert len(state.observe(Seat(1)).melds[0].cards) == 4  # type: ignore[attr-defined]


def both_laid_down(stock: str) -> State:
    state = deal(seat1="Kc Kh Ks Qc Qh Qs 7d", stock=f"3s 3d {stock}")
    return push(state, f"draw stock; {LAY_DOWN}; discard 4d; draw stock; meld Kc Kh Ks; meld Qc Qh Qs")


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
    push(state, "draw pile; meld 7c 7h 2c; meld 9c 9h 2h; lay off 2s on meld 1; lay off PJ on meld 1")
    assert state.result["outcome"] == "out by lay-off"


def test_a_wild_goes_on_whichever_meld_the_player_chooses() -> None:
    state = push(deal(stock="PJ"), f"draw stock; {LAY_DOWN}")
    assert {f"lay off PJ on meld {k}" for k in (1, 2)} <= legal(state)


def test_lay_offs_come_only_on_the_own_turn_and_after_the_draw() -> None:
    state = push(deal(seat1="7d 5d 6h 8s Td Qc Kh", stock="3s"), f"draw stock; {LAY_DOWN}; discard 4d")
    refused(state, "lay off 7d on meld 1", "not possible in the phase 'draw'")


# --- 6. Going out -----------------------------------------------------------------------------------------------------


def test_the_round_ends_with_the_last_card_discarded() -> None:
    state = push(deal(stock="7d"), f"draw stock; {LAY_DOWN}; lay off 7d on meld 1; discard 4d")
    assert (state.result["outcome"], state.result["winner"]) == ("out by discard", 0)


def test_the_round_ends_with_the_last_card_laid_off() -> None:
    hand = "7c 7h 7s 9c 9h 9s 9d"
    state = push(deal(hand, stock="7d"), "draw stock; meld 7c 7h 7s; meld 9c 9h 9s; lay off 9d on meld 2")
    push(state, "lay off 7d on meld 1")
    assert (state.result["outcome"], state.result["winner"]) == ("out by lay-off", 0)


def test_under_discard_only_the_last_card_must_be_discarded() -> None:
    hand = "7c 7h 7s 9c 9h 9s 9d"
    state = deal(hand, stock="7d", preset="chinese_mg1_literal")
    push(state, "draw stock; meld 7c 7h 7s; meld 9c 9h 9s; lay off 9d on meld 2")
    refused(state, "lay off 7d on meld 1", "the last card must be discarded")
    push(state, "discard 7d")
    assert state.result["outcome"] == "out by discard"


# --- 7. Reshuffle -----------------------------------------------------------------------------------------------------


def test_an_empty_stock_is_made_anew_of_all_discards_but_the_top() -> None:
    state = draw_and_throw(deal(), 39)
    assert table(state)["stock"] == 0
    pile = [Card(int(card)) for card in table(state)["stack"][:40]]
    assert legal(state) == {"draw stock", "draw pile"}
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
    push(state, "draw pile")
    assert table(state)["reshuffles"] == 0


def test_without_discards_there_is_no_stock_to_draw_from() -> None:
    state = draw_and_throw(deal(), 38)
    push(state, "draw stock")
    row = state.rows()
    row["table"]["n_pile"] = 1  # a table that play can hardly reach
    row["table"]["phase"], row["table"]["stock"] = 0, 0
    assert [str(state.rules.decode(code)) for code in state.rules.legal(row)] == ["draw pile"]


def test_by_the_letter_all_cards_that_nobody_holds_are_shuffled_and_a_new_one_is_turned_up() -> None:
    state = deal(preset="chinese_mg1_literal")
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
    for preset in ("chinese_mg1", "chinese_mg1_literal"):
        state = draw_and_throw(deal(preset=preset), 45)
        again = Record.of(state, ["a", "b"]).replay(lambda name, options: chinese(**options))
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
        push(state, f"draw pile; discard {up}")
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
    rules = chinese(rounds=6)
    states = list(play_match(rules, [agent("chinese", "chinese-heuristic")] * 2, 12))
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
    players = [agent("chinese", "chinese-heuristic")] * 2
    assert len(list(play_match(chinese(), players, 1))) == 1
    assert len(list(play_match(chinese(rounds=4), players, 1))) == 4
    states = list(play_match(chinese(rounds=0, target=100), players, 1))
    assert max(states[-1].result["penalties"]) >= 100
    assert all(max(state.result["penalties"]) < 100 for state in states[:-1])
    with pytest.raises(OptionError, match="would never end"):
        chinese(rounds=0)


# --- Presets and contracts --------------------------------------------------------------------------------------------


def test_the_presets() -> None:
    assert (
        GAMES["chinese"].presets
        == tuple(ContractOptions.PRESETS)
        == ("chinese_mg1", "chinese_mg1_literal", "contract7")
    )
    literal = chinese("chinese_mg1_literal").options
    assert (literal.reshuffle, literal.going_out) == ("all_non_hand", "discard_only")
    for preset in ContractOptions.PRESETS:
        options = ContractOptions.preset(preset)
        assert options.preset_name() == preset
        assert ContractOptions.from_toml(options.to_toml()) == options
    with pytest.raises(UnknownNameError, match="did you mean 'contract7'"):
        chinese("contract8")


def test_the_seven_contracts_and_hand_sizes() -> None:
    contracts = chinese("contract7").options.contracts
    assert [str(contract) for contract in contracts] == ["2S3", "S3+R4", "2R4", "3S3", "2S3+R4", "S3+2R4", "3R4"]
    assert [contract.hand for contract in contracts] == [10, 10, 10, 10, 12, 12, 12]
    states = list(play_match(chinese("contract7"), [agent("chinese", "random")] * 2, 3))
    assert len(states) == 7
    for state, contract in zip(states, contracts, strict=True):
        dealt = [event for event in state.log if event.action.verb == "deal"]
        assert [len(event.secret) for event in dealt] == [contract.hand] * 2
        assert state.rules.contract_of(state.rows()) == contract


def test_a_record_of_a_later_round_replays_with_its_own_contract() -> None:
    rules = chinese("contract7")
    for state in play_match(rules, [agent("chinese", "chinese-heuristic")] * 2, 8):
        again = Record.of(state, ["a", "b"]).replay(lambda name, options: rules)
        assert again.to_bytes() == state.to_bytes()


RUNS = {
    "5h 6h 7h 8h": (4, 7),
    "Ah 3h 4h 2c": (0, 3),  # the two of clubs fills the place of the two
    "Jh Qh Kh Ah": (10, 13),
    "Th Jh Qh PJ": (9, 12),  # a wild that fills no gap stands on top
    "Qh Kh 2c PJ": (10, 13),  # where the ace is, below
    "5h 8h 2c PJ": (4, 7),
    "3h 4h 2c 2d": (2, 5),
}
NO_RUNS = ["Kh Ah 3h 4h", "5h 9h 2c PJ", "5h 2c 2d PJ", "5h 6h 7c 8h", "Qh Kh Ah 3h"]


def run_table(run: str) -> State:
    hand = f"{run} 9c 9s 9d Tc Ts Td"
    rules = chinese(contract="S3+R4", hand_sizes="10")
    rest = [str(card) for card in words("4s 6s 8s Js Qs Ks 5d 6d 8d Qd Kd 4c 6c") if str(card) not in hand]
    return table_with(rules, hand, " ".join(rest[:10]), "5s")


@pytest.mark.parametrize("run", RUNS)
def test_runs_lie_in_a_suit_the_ace_high_or_low_and_wilds_fill_gaps(run: str) -> None:
    state = push(run_table(run), f"draw stock; meld {run}")
    now = table(state)
    assert (int(now["meld_low"][0]), int(now["meld_high"][0])) == RUNS[run]
    assert now["runs_left"][0] == 0


@pytest.mark.parametrize("run", NO_RUNS)
def test_what_is_no_run_is_refused(run: str) -> None:
    refused(push(run_table(run), "draw stock"), f"meld {run}", "is no set|wilds in a meld")


def test_runs_grow_at_both_ends_by_lay_offs() -> None:
    rules = chinese(contract="S3+R4", hand_sizes="10")
    state = table_with(rules, "Th Jh Qh Kh 9c 9s 9d Ah 9h 2c", "4s 6s 8s Js Qs Ks 5d 6d 8d Qd", "5s", "8h PJ 7h")
    push(state, "draw stock; meld Th Jh Qh Kh; meld 9c 9s 9d")
    assert {"lay off 9h on meld 1", "lay off 9h on meld 2", "lay off Ah on meld 1"} <= legal(state)
    assert "lay off 8h on meld 1" not in legal(state)
    push(state, "lay off Ah on meld 1; lay off 2c on meld 1")  # the ace lies on top: the wild stands for the nine
    assert "lay off 9h on meld 1" not in legal(state)
    push(state, "lay off 8h on meld 1; lay off 9h on meld 2")
    assert (table(state)["meld_low"][0], table(state)["meld_high"][0]) == (7, 13)
    assert state.result["outcome"] == "out by lay-off"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contract": "2X3"}, "an item reads 2S3"),
        ({"contract": "S3+S4"}, "one kind and two sizes"),
        ({"contract": "4S3", "hand_sizes": "12"}, "one to 3 melds"),
        ({"contract": "3S3"}, "deals 7 cards, but 3S3 needs 9"),
        ({"hand_sizes": "seven"}, "must be whole numbers"),
        ({"hand_sizes": "7 8"}, "need one hand size or as many"),
        ({"jokers": 3}, "between 0 and 2"),
        ({"going_out": "never"}, "one of lay_off, discard_only"),
        ({"turn_cap": 0}, "between 1 and"),
    ],
)
def test_options_that_make_no_game_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        chinese(**changes)


def test_a_contract_prints_as_it_parses() -> None:
    for text in ("2S3", "S3+R4", "2S4+R3", "3R4"):
        assert str(Contract.parse(text, 12)) == text


def test_the_whole_table_is_shown_to_who_may_see_it() -> None:
    text = str(push(deal(stock="3s"), f"draw stock; {LAY_DOWN}"))
    assert "meld 1: 7c 7h 7s" in text
    assert "contract 2S3" in text
    assert f"seat 1: {' '.join(sorted(JUNK.split(), key=lambda w: Card.parse(w)))}" in text
    assert make_deck(READY, JUNK, "Ad").cards[14] == Card.parse("Ad")
