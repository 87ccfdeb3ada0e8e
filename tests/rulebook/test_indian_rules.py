"""The rules page of Indian Rummy, row by row."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers import legal, push, table, verbs, words
from indian_tables import COMPLETE, JUNK, deal, make_deck
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.referee import play
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import DeckError, IllegalActionError, OptionError, UnknownNameError
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.options import IndianOptions
from rummylab.games.indian.view import indian
from two_deck_tables import draw_and_throw, hand_of

# --- 1. Players, decks, jokers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "decks", "jokers"), [(2, 1, 1), (3, 2, 2), (4, 2, 2), (5, 2, 2), (6, 2, 2)])
@pytest.mark.parametrize("preset", ["paper", "platform"])
def test_two_play_with_one_deck_and_a_joker_more_with_two_and_two(
    preset: str, seats: int, decks: int, jokers: int
) -> None:
    rules = indian(preset, seats=seats)
    assert (rules.seats, rules.options.decks, rules.options.printed_jokers) == (seats, decks, jokers)
    state = State.deal(rules, 3)
    counts = Counter(state.deck)
    assert counts.pop(Card.parse("PJ")) == jokers
    assert set(counts.values()) == {decks}
    assert len(counts) == 52


def test_decks_and_jokers_are_parameters() -> None:
    assert len(indian(seats=2, decks=2, printed_jokers=4).shuffled(1)) == 108
    assert len(indian(seats=3, decks=1, printed_jokers=0).shuffled(1)) == 52
    assert len(indian(printed_jokers=2).shuffled(1)) == 54


def test_too_many_players_for_the_cards_are_refused() -> None:
    with pytest.raises(OptionError, match="4 seats need 55 cards or more, but 54 are in play"):
        indian(seats=4, decks=1, printed_jokers=2)
    with pytest.raises(OptionError, match="between 2 and 6"):
        indian(seats=7)
    with pytest.raises(OptionError, match="between 2 and 6"):
        indian(seats=1)


def test_options_are_written_and_read_and_named_by_their_preset() -> None:
    for preset in ("paper", "platform"):
        options = IndianOptions.preset(preset)
        assert options.preset_name() == preset
        assert IndianOptions.from_toml(options.to_toml()) == options
    assert indian(first_drop=25).options.preset_name() == "custom"
    four = IndianOptions.preset("platform", seats=4)
    assert IndianOptions.from_toml(four.to_toml()) == four
    with pytest.raises(UnknownNameError):
        indian("house")
    with pytest.raises(UnknownNameError):
        indian(knock_limit=3)
    with pytest.raises(OptionError, match="one of paper, platform, pure_run_opens"):
        indian(score_rule="strict")


def test_a_deck_that_does_not_fit_the_options_is_refused() -> None:
    with pytest.raises(DeckError, match="52 cards and 1 jokers, but the deck has 52 and 2"):
        State.deal(indian(), 0, deck=Deck.ordered(jokers=2))
    with pytest.raises(DeckError, match="seat from 0 to 1"):
        State.deal(indian(), 0, starter=2)


# --- 2. The deal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_thirteen_cards_each_one_at_a_time_then_the_indicator_and_the_open_card(seats: int) -> None:
    state = State.deal(indian(seats=seats), 8)
    cards = list(state.deck)
    for seat in range(seats):
        assert hand_of(state, seat) == Hand.of(cards[seat : 13 * seats : seats], decks=2)
    now = table(state)
    assert now["indicator"] == cards[13 * seats].id
    assert now["up"] == cards[13 * seats + 1].id
    assert now["stock"] == len(cards) - 13 * seats - 2
    push(state, "draw stock")
    assert state.log[-1].secret == (cards[13 * seats + 2],)


def test_the_rank_of_the_indicator_is_wild_in_all_suits() -> None:
    state = deal([COMPLETE, JUNK], "5d")
    assert table(state)["wild"] == 4
    seen = state.observe(Seat(0))
    assert (seen.wild, str(seen.indicator)) == (4, "5d")
    # 5h stands for 6c in the group of sixes, and nothing else would make the hand complete.
    wild = "2c 3c 4c 6h 7h 8h 9s Ts Js 6s 6d 5h 5c"
    push(state := deal([wild, "Ad 3d Qd 8d Td Kd 2h 4h 9h Jh 3s 8s Qs"], "5d", "Kc"), "draw upcard; declare Kc")
    assert state.result["outcome"] == "declared"
    push(state := deal([wild, "Ad 3d Qd 8d Td Kd 2h 4h 9h Jh 3s 8s Qs"], "7d", "Kc"), "draw upcard; declare Kc")
    assert state.result["outcome"] == "wrong declaration"


def test_the_indicator_is_out_of_play() -> None:
    state = deal([COMPLETE, JUNK], "5d")
    row = state.rows()[0]
    in_play = [int(card) for card in row["deck"][row["pos"] : 53]] + [
        card.id for s in (0, 1) for card in hand_of(state, s)
    ]
    assert Card.parse("5d").id not in in_play
    assert sorted([*in_play, Card.parse("5d").id, int(row["table"]["up"])]) == sorted(card.id for card in state.deck)
    assert Card.parse("5d") not in state.observe(Seat(0)).unseen


def test_who_starts_is_drawn_by_lot_or_is_seat_0() -> None:
    for seats in (2, 5):
        starters = Counter(int(indian(seats=seats).first_starter(seed)) for seed in range(600))
        assert sorted(starters) == list(range(seats))
        assert min(starters.values()) > 600 / seats * 0.7
    assert {indian(random_starter=False).first_starter(seed) for seed in range(50)} == {0}


# --- 3. A printed joker as indicator ----------------------------------------------------------------------------------


def test_platform_a_joker_as_indicator_makes_aces_wild() -> None:
    state = deal([COMPLETE, JUNK], "PJ", "Kd", preset="platform")
    now = table(state)
    assert (now["wild"], now["indicator"]) == (0, Card.parse("PJ").id)
    assert state.observe(Seat(0)).unseen.jokers == 0


def test_paper_another_card_is_drawn_and_the_joker_stays_in_play() -> None:
    state = deal([COMPLETE, JUNK], "PJ", "Kd", "7c")
    now = table(state)
    assert now["indicator"] == Card.parse("Kd").id
    assert now["wild"] == 12
    assert now["up"] == Card.parse("PJ").id
    assert [str(event.action) for event in state.log[2:]] == ["indicator Kd", "turn up PJ"]


def test_paper_no_shuffle_has_a_joker_as_indicator_and_platform_some() -> None:
    rules = {preset: indian(preset, printed_jokers=4) for preset in ("paper", "platform")}
    places = {p: [rules[p].shuffled(seed).cards[26].is_joker for seed in range(1500)] for p in rules}
    assert not any(places["paper"])
    assert 0.04 < np.mean(places["platform"]) < 0.11
    # The shuffle is untouched where no joker lies there, and any other card comes as often.
    wilds = Counter(rules["paper"].shuffled(seed).cards[26].rank for seed in range(1500))
    assert min(wilds.values()) > 1500 / 13 * 0.7


# --- 4-7. Card values, melds, declarations ----------------------------------------------------------------------------

VALID = [
    ("two pure runs and groups", "5", "2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kh Ks Kd"),
    ("ace low and ace high", "5", "Ac 2c 3c Qh Kh Ah 7s 7h 7d 9s 9h 9d 9c"),
    ("a run of thirteen", "5", "Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc"),
    ("a printed joker in the second run", "5", "2c 3c 4c 6h PJ 8h 9s Ts Js Kc Kh Ks Kd"),
    ("a wild card natural in the pure run", "3", "2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kh Ks Kd"),
    ("a wild card as a substitute in a group", "5", "2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kh Ks 5h"),
    ("several jokers in one meld", "5", "2c 3c 4c 5h 5c 8h 9s Ts Js Kc Kh Ks Kd"),
]
INVALID = [
    ("king, ace, two do not follow", "5", "Kc Ac 2c 7h 8h 9h 4s 4d 4c 9s 9d 9c 6s"),
    ("no pure run", "5", "2c PJ 4c 6h 5c 8h 9s 5h Js Kc Kh Ks Kd"),
    ("one run only", "5", "2c 3c 4c 6h 6s 6d 9s 9h 9d Kc Kh Ks Kd"),
    ("a joker in the only pure run", "3", "2c 3h 4c 6h 3s 8h 9s Ts 4d Kc Kh Ks Kd"),
    ("a card left over", "5", "2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kh Ks 8d"),
    ("a group of five", "5", "2c 3c 4c 6h 7h 8h 9s Ts 9d Kc Kh Ks Kd"),
]


def declare(hand: str, wild: str) -> State:
    """Seat 0 holds *hand*, takes a card and declares with that card."""
    held = Hand.parse(hand)
    free = [card for card in Deck.ordered() if card not in held and card.rank != "A23456789TJQK".index(wild)]
    indicator = next(card for card in Deck.ordered() if str(card)[0] == wild and card not in held)
    other = " ".join(map(str, free[1:14]))
    state = deal([str(held), other], str(indicator), str(free[0]))
    return push(state, "draw upcard", f"declare {free[0]}")


@pytest.mark.parametrize(("hand", "wild"), [(h, w) for _, w, h in VALID], ids=[name for name, _, _ in VALID])
def test_valid_declarations(hand: str, wild: str) -> None:
    assert declare(hand, wild).result["outcome"] == "declared"


@pytest.mark.parametrize(("hand", "wild"), [(h, w) for _, w, h in INVALID], ids=[name for name, _, _ in INVALID])
def test_declarations_that_are_not_valid(hand: str, wild: str) -> None:
    assert declare(hand, wild).result["outcome"] == "wrong declaration"


def test_a_group_holds_no_card_twice() -> None:
    twins = "2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kc Ks 7d"
    state = deal([twins, JUNK], up="Jd", decks=2, printed_jokers=2)
    push(state, "draw upcard; declare Jd")
    assert state.result["outcome"] == "wrong declaration"
    state = deal([twins.replace("7d", "Kh"), JUNK], up="Kd", decks=2, printed_jokers=2)
    push(state, "draw upcard; declare Kc")
    assert state.result["outcome"] == "declared"


@pytest.mark.parametrize(
    ("hand", "score"),
    [
        (JUNK, 10 + 3 + 6 + 8 + 10 + 10 + 2 + 4 + 9 + 10 + 3 + 6 + 8),
        (JUNK.replace("3s", "PJ"), 10 + 3 + 6 + 8 + 10 + 10 + 2 + 4 + 9 + 10 + 6 + 8),
        (JUNK.replace("3s", "5s"), 10 + 3 + 6 + 8 + 10 + 10 + 2 + 4 + 9 + 10 + 6 + 8),
        ("2c 3c 4c 6h 7h 8h 9s Ts Js Kc Kh Ks Ad", 10),
    ],
    ids=["face values, ace and courts ten", "a printed joker counts nothing", "nor does a wild card", "an ace left"],
)
def test_card_values(hand: str, score: int) -> None:
    cards = Hand.parse(hand)
    assert min_score(cards.mask, cards.twice, cards.jokers, 4, False) == score


# --- 8. A turn --------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_draw_and_a_discard() -> None:
    state = deal([COMPLETE, JUNK], up="Jd", stock="7c 7d")
    assert legal(state) == {"draw stock", "draw upcard", "drop"}
    push(state, "draw stock")
    assert verbs(state) == {"discard", "declare"}
    assert legal(state) == {f"{verb} {card}" for verb in ("discard", "declare") for card in words(COMPLETE + " 7c")}
    push(state, "discard 7c")
    assert state.actor == 1
    assert legal(state) == {"draw stock", "draw upcard", "drop"}
    push(state, "draw upcard")
    assert hand_of(state, 1) == Hand.parse(JUNK + " 7c")
    push(state, "discard 7c")  # the card just taken may go back
    assert state.actor == 0
    assert [str(card) for card in state.observe(Seat(0)).pile] == ["Jd", "7c"]


def test_after_a_take_the_card_below_is_open_again() -> None:
    state = draw_and_throw(deal([COMPLETE, JUNK], up="Jd", stock="7c 7d"), 2)
    push(state, "draw upcard; discard 2c")
    assert [str(card) for card in state.observe(Seat(0)).pile] == ["Jd", "7c", "2c"]


def test_a_move_out_of_turn_says_why() -> None:
    state = deal([COMPLETE, JUNK])
    with pytest.raises(IllegalActionError, match="now you can only draw"):
        push(state, "discard 2c")
    push(state, "draw stock")
    with pytest.raises(IllegalActionError, match="Ad is not in the hand"):
        push(state, "discard Ad")
    with pytest.raises(IllegalActionError, match="now you can only declare or discard"):
        push(state, "draw stock")


def test_a_declaration_wins_and_ends_the_deal() -> None:
    state = push(deal([COMPLETE, JUNK], up="Jd"), "draw upcard; declare Jd")
    assert state.actor is None
    assert state.result["winner"] == 0
    assert state.match_is_over
    assert [event.action.verb for event in state.log[-2:]] == ["shows", "shows"]
    with pytest.raises(IllegalActionError, match="over"):
        push(state, "draw stock")


# --- 9. Jokers in the open pile ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("joker", ["PJ", "5h"])
def test_platform_a_joker_is_taken_from_the_pile_only_as_the_first_open_card(joker: str) -> None:
    state = deal([COMPLETE, JUNK], up=joker, preset="platform")
    assert "draw upcard" in verbs(state)
    push(state, "draw upcard", f"discard {joker}")
    assert verbs(state) == {"draw stock", "drop"}
    with pytest.raises(IllegalActionError, match="is a joker and may not be taken"):
        push(state, "draw upcard")


@pytest.mark.parametrize("joker", ["PJ", "5h"])
def test_paper_jokers_are_taken_like_any_card(joker: str) -> None:
    state = push(deal([COMPLETE, JUNK], up=joker), "draw upcard", f"discard {joker}")
    assert "draw upcard" in verbs(state)


def test_platform_the_first_open_card_stays_first_while_players_drop() -> None:
    hands = [COMPLETE, JUNK, "Ac 4d 7c 9c Jc 3c 8c Qc 2d 5s 7s 9d Kd"]
    state = push(deal(hands, up="PJ", preset="platform"), "drop")
    assert "draw upcard" in verbs(state)


# --- 10. The stock is used up -----------------------------------------------------------------------------------------


def exhausted(**changes: object) -> State:
    state = deal([COMPLETE, JUNK], up="Jd", **changes)
    return draw_and_throw(state, int(table(state)["stock"]))


def test_the_open_pile_is_shuffled_into_a_new_stock_and_its_top_stays() -> None:
    state = exhausted()
    before = list(state.observe(Seat(0)).pile)
    assert table(state)["stock"] == 0
    assert len(before) == 26
    push(state, "draw stock")
    now = table(state)
    assert (now["stock"], now["reshuffles"], now["n_pile"]) == (24, 1, 1)
    assert state.observe(Seat(0)).pile == (before[-1],)
    row = state.rows()[0]
    stock = [Card(int(card)) for card in row["deck"][row["pos"] : 25]]
    assert sorted([*stock, state.log[-1].secret[0]]) == sorted(before[:-1])
    assert [state.log[-1].secret[0], *stock] not in (before[:-1], before[-2::-1])


def test_the_reshuffle_hangs_on_the_whole_deck_so_that_a_record_replays() -> None:
    orders = []
    for other in (JUNK, JUNK, JUNK.replace("8s", "Kd")):
        state = push(draw_and_throw(deal([COMPLETE, other], up="Jd", stock="7c"), 25), "draw stock")
        orders.append([int(card) for card in state.rows()["deck"][0][:25]])
    assert orders[0] == orders[1]
    positions = [[order.index(Card.parse(card).id) for card in ("7c", "Jd", "Ac")] for order in orders]
    assert positions[0] != positions[2]


def test_the_top_card_can_be_taken_instead_of_a_reshuffle() -> None:
    state = push(exhausted(), "draw upcard; discard Ad")
    assert table(state)["reshuffles"] == 0


def test_cards_in_other_hands_stay_known_through_a_reshuffle() -> None:
    state = deal([COMPLETE, JUNK], up="Jd")
    push(state, "draw upcard; discard 2c")
    draw_and_throw(state, 25)
    push(state, "draw stock")
    assert str(state.observe(Seat(1)).known(Seat(0))) == "Jd"
    assert Card.parse("Jd") not in state.observe(Seat(1)).unseen


# --- 11. Dropping -----------------------------------------------------------------------------------------------------


def test_a_drop_before_the_first_draw_costs_twenty() -> None:
    state = push(deal([COMPLETE, JUNK], up="Jd"), "drop")
    assert state.payoffs() == (-20, 20)
    assert state.result["outcome"] == "dropped"
    assert state.result["winner"] == 1
    state = push(draw_and_throw(deal([COMPLETE, JUNK]), 1), "drop")
    assert state.payoffs() == (20, -20)


def test_a_later_drop_costs_forty() -> None:
    state = push(draw_and_throw(deal([COMPLETE, JUNK]), 2), "drop")
    assert state.payoffs() == (-40, 40)


def test_a_drop_comes_before_drawing() -> None:
    state = push(deal([COMPLETE, JUNK]), "draw stock")
    assert "drop" not in verbs(state)


def test_the_cost_of_drops_is_an_option() -> None:
    assert push(deal([COMPLETE, JUNK], first_drop=25, later_drop=50), "drop").payoffs() == (-25, 25)
    state = draw_and_throw(deal([COMPLETE, JUNK], first_drop=25, later_drop=50), 2)
    assert push(state, "drop").payoffs() == (-50, 50)


THREE = [COMPLETE, JUNK, "Ac 4d 7c 9c Jc 3c 8c Qc 2d 5s 7s 9d Kd"]


def test_with_more_players_the_others_go_on_and_the_last_one_left_wins() -> None:
    state = push(deal(THREE), "drop")
    assert state.actor == 1
    assert not any(state.payoffs())
    draw_and_throw(state, 3)
    assert state.actor == 2
    push(state, "drop")
    assert state.result == {
        "outcome": "dropped",
        "winner": 1,
        "gains": [-20, 60, -40],
        "deadwood": [0, 0, 0],
        "left": ["dropped", "playing", "dropped"],
        "turns": 5,
        "scores": [0, 60, 0],
    }


def test_a_player_who_dropped_pays_the_drop_when_another_declares() -> None:
    state = push(deal(THREE, starter=1), "drop; draw stock")
    push(state, f"discard {state.log[-1].secret[0]}", "draw stock")
    push(state, f"declare {state.log[-1].secret[0]}")
    assert state.result["winner"] == 0
    assert state.payoffs()[1] == -20
    assert sum(state.payoffs()) == 0


# --- 12. Wrong declarations -------------------------------------------------------------------------------------------


def test_a_wrong_declaration_costs_the_full_penalty() -> None:
    state = push(deal([JUNK, COMPLETE], up="Jd"), "draw upcard; declare Jd")
    assert state.payoffs() == (-80, 80)
    assert state.result["outcome"] == "wrong declaration"
    state = push(deal([JUNK, COMPLETE], up="Jd", wrong_declaration=50), "draw upcard; declare Jd")
    assert state.payoffs() == (-50, 50)


def test_a_complete_hand_declared_with_the_wrong_discard_is_wrong() -> None:
    state = push(deal([COMPLETE, JUNK], up="Jd"), "draw upcard; declare 2c")
    assert state.result["outcome"] == "wrong declaration"


def test_with_more_players_a_wrong_declarer_is_out_and_the_others_go_on() -> None:
    state = push(deal(THREE, starter=1, up="Jd"), "draw upcard; declare Jd")
    assert state.actor == 2
    assert state.observe(Seat(2)).upcard == Card.parse("Jd")
    push(state, "draw stock")
    push(state, f"discard {state.log[-1].secret[0]}", "draw stock")
    push(state, f"declare {state.log[-1].secret[0]}")
    assert state.result["winner"] == 0
    assert state.payoffs()[1] == -80
    assert state.result["left"] == ["playing", "wrong declaration", "playing"]


# --- 13. What the loser pays ------------------------------------------------------------------------------------------


def loss(hand: str, **changes: object) -> float:
    """What *hand* pays, threes wild, when the other declares in its first turn, after a turn of ours."""
    complete = "5c 6c 7c Ah 2h 3h As 2s 3s Ks Kh Kc Kd"
    state = deal([hand, complete], "3c", "Qc", "Jc Ac", **changes)
    push(state, "draw stock; discard Jc; draw stock; declare Ac")
    assert state.result["winner"] == 1
    return -state.payoffs()[0]


def test_the_loser_pays_its_min_score() -> None:
    assert loss("2c 4d 5d 6d 7h 8h 9h Ts Js Qs 8d 9d Jd") == 2 + 8 + 9 + 10
    assert loss("4d 5d 6d 7h 8h 9h Ts Js Qs 8d 9d Td PJ") == 0


def test_at_most_the_cap() -> None:
    worth_92 = "Ad 4d 6d 8d Td Qd 2c 4h 9h Jh 4s 7s 8s"
    assert loss(worth_92) == 80
    assert loss(worth_92, cap=60) == 60
    assert loss(worth_92, cap=200) == 92


def test_without_a_pure_run_every_card_counts() -> None:
    # An impure run and two groups save nothing; the joker and the wild three count nothing.
    assert loss("4d PJ 6d 7h 3d 9h 8c 8s 8d 9c 9s 9d 2c") == 4 + 6 + 7 + 9 + 24 + 27 + 2


@pytest.mark.parametrize(("rule", "paid"), [("paper", 63), ("platform", 78), ("pure_run_opens", 39)])
def test_a_pure_run_without_a_second_run(rule: str, paid: int) -> None:
    # There is no second run, so the group of eights saves its points only where a pure run opens.
    assert loss("4d 5d 6d 8c 8s 8d Th Qd 4s 2c 7h 2d 4h", score_rule=rule) == paid


def test_where_a_pure_run_opens_a_declaration_still_needs_two_runs() -> None:
    state = deal(["2c 3c 4c 6h 6s 6d 9s 9h 9d Kc Kh Ks Kd", JUNK], up="Jd", score_rule="pure_run_opens", decks=2)
    push(state, "draw upcard; declare Jd")
    assert state.result["outcome"] == "wrong declaration"


def test_the_platform_preset_asks_for_the_strict_rule() -> None:
    assert indian("platform").options.score_rule == "platform"
    assert indian("paper").options.score_rule == "paper"


# --- 14. Relief before the first turn ---------------------------------------------------------------------------------


def test_relief_who_had_no_turn_loses_no_more_than_the_first_drop() -> None:
    def declared(**changes: object) -> float:
        return push(deal([COMPLETE, JUNK], up="Jd", **changes), "draw upcard; declare Jd").payoffs()[1]

    assert declared() == -80
    assert declared(first_turn_relief=True) == -20
    assert declared(preset="platform") == -20
    assert declared(first_turn_relief=True, first_drop=25) == -25


def test_relief_a_smaller_score_stays_what_it_is() -> None:
    other = "2d 3d 4d 6s 7s 8s 9c Tc Jc Qc Ah 2h 3h"
    state = deal([COMPLETE, other.replace("3h", "4h")], up="Jd", first_turn_relief=True)
    push(state, "draw upcard; declare Jd")
    assert state.payoffs() == (16, -16)


def test_relief_is_over_after_the_first_draw() -> None:
    state = draw_and_throw(deal([JUNK, COMPLETE], first_turn_relief=True), 1)
    push(state, "draw stock")
    push(state, f"declare {state.log[-1].secret[0]}")
    assert state.payoffs() == (-80, 80)


# --- 15. The round limit ----------------------------------------------------------------------------------------------


def test_after_a_hundred_rounds_the_lower_min_score_wins() -> None:
    low = "2c 3c 4c 6h 7h 8h Ts Js Qs Ac Ah As 9d"
    state = deal([JUNK.replace("3s", "9s"), low], up="Jd", starter=1)
    draw_and_throw(state, 199)
    assert state.actor == 0
    draw_and_throw(state, 1)
    assert state.result == {
        "outcome": "limit",
        "winner": 1,
        "gains": [-80, 80],
        "deadwood": [80, 9],
        "left": ["playing", "playing"],
        "turns": 200,
        "scores": [0, 80],
    }


def test_the_round_limit_is_an_option_and_counts_whole_rounds() -> None:
    state = draw_and_throw(deal([JUNK, COMPLETE], round_limit=3, starter=1), 5)
    assert state.actor == 0
    assert draw_and_throw(state, 1).result["outcome"] == "limit"
    state = draw_and_throw(deal(THREE, round_limit=2), 5)
    assert state.actor == 2
    assert draw_and_throw(state, 1).result["outcome"] == "limit"


def test_players_who_dropped_are_passed_over_in_a_round() -> None:
    state = push(deal(THREE, round_limit=2, starter=1), "drop")  # the starter itself
    draw_and_throw(state, 2)
    assert table(state)["round"] == 1
    draw_and_throw(state, 1)
    assert state.actor == 0
    assert draw_and_throw(state, 1).result["outcome"] == "limit"


def at_the_limit(first: str, second: str, *, starter: int = 0, **changes: object) -> State:
    state = deal([first, second], "5d", "5s", round_limit=1, starter=starter, **changes)
    return draw_and_throw(state, 2)


def test_a_tie_goes_to_fewer_points_in_diamonds() -> None:
    one = "Ad 3d 6d 8d Td Qd 2h 4h 9h Jh 3s 6s 8s"  # 47 in diamonds
    two = "2d 4d 9d Jd 7d 2c 6c 9c Jc Kc Kh 8h Qs"  # 32
    assert at_the_limit(one, two).result["deadwood"] == [80, 80]
    assert at_the_limit(one, two).result["winner"] == 1
    assert at_the_limit(two, one).result["winner"] == 0


def test_then_in_clubs() -> None:
    one = "3d 9d Qd 2c 6c 9c Jc Kc 4h 7h Th 8s Qs"  # 22 in diamonds, 37 in clubs
    two = "2d Td Kd 3c 7c Tc Qc 2h 6h 9h Qh Js As"  # 22, 30
    assert at_the_limit(one, two).result["deadwood"] == [80, 80]
    assert at_the_limit(one, two).result["winner"] == 1
    assert at_the_limit(two, one).result["winner"] == 0


def test_then_in_hearts() -> None:
    one = "3d 9d Qd 3c 7c Tc Qc 2h 6h 9h Qh Js As"  # 22, 30, 27
    two = "2d Td Kd 4c 6c Jc Kc 4h 8h Kh 9s 2s Ks"  # 22, 30, 22
    assert at_the_limit(one, two).result["deadwood"] == [80, 80]
    assert at_the_limit(one, two).result["winner"] == 1
    assert at_the_limit(two, one).result["winner"] == 0


def test_then_in_spades() -> None:
    one = "3d 9d Qd 3c 7c Tc Qc 4h 8h Kh 9s Js As"  # 22, 30, 22, 29
    two = "2d Td Kd 4c 6c Jc Kc 3h 9h Jh 8s 2s Qs"  # 22, 30, 22, 20
    assert at_the_limit(one, two).result["deadwood"] == [80, 80]
    assert at_the_limit(one, two).result["winner"] == 1
    assert at_the_limit(two, one).result["winner"] == 0


def test_wild_cards_count_nothing_in_a_tie() -> None:
    one = "3d 9d Qd 3c 7c Tc Qc 4h 8h Kh 5h Js As"
    two = "2d Td Kd 4c 6c Jc Kc 3h 9h Jh 5c 8s Qs"  # hearts 22 and 22, though 5h is in the first
    assert at_the_limit(one, two).result["deadwood"] == [80, 80]
    assert at_the_limit(one, two).result["winner"] == 1  # spades: 20 and 18


@pytest.mark.parametrize("starter", [0, 1])
def test_equal_hands_go_to_the_earlier_in_the_order_of_play(starter: int) -> None:
    hand = "Ad 3d 6d 8d Td Qd 2h 4h 9h Jh 3s 6s 8s"
    state = at_the_limit(hand, hand, decks=2, printed_jokers=0, starter=starter)
    assert state.result["deadwood"] == [80, 80]
    assert state.result["winner"] == starter


def test_what_is_paid_at_the_limit_is_the_score_or_the_difference() -> None:
    low = "2c 3c 4c 6h 7h 8h Ts Js Qs Ac Ah As 9d"
    other = JUNK.replace("3s", "9s")
    assert at_the_limit(low, other).payoffs() == (80, -80)
    assert at_the_limit(low, other, limit_gain="difference").payoffs() == (71, -71)


# --- 16. Gains --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_gains_sum_to_nothing_and_the_winner_takes_it_all(seats: int) -> None:
    rules = indian("platform", seats=seats, round_limit=40)
    for seed in range(12):
        state = play(rules, [agent("indian", "random") for _ in range(seats)], seed)
        gains = state.payoffs()
        winner = state.result["winner"]
        assert sum(gains) == 0
        assert all(gain <= 0 for seat, gain in enumerate(gains) if seat != winner)
        assert gains[winner] >= 0
        assert state.scores[winner] == gains[winner]
        assert all(-gain == state.result["deadwood"][seat] for seat, gain in enumerate(gains) if seat != winner)


def test_a_win_over_a_complete_hand_is_worth_nothing_and_still_a_win() -> None:
    other = "2d 3d 4d 6s 7s 8s 9c Tc Jc Qc Ah 2h 3h"
    state = push(deal([COMPLETE, other], up="Jd"), "draw upcard; declare Jd")
    assert state.payoffs() == (0, 0)
    assert state.result["winner"] == 0


# --- Two decks: kinds, not copies -------------------------------------------------------------------------------------


TWINS = "2d 2d 9d 7d 7d Kd 4s 4s Ac Ac Qh Qh 8c"


def test_a_card_held_twice_is_thrown_once() -> None:
    state = deal([COMPLETE, JUNK, TWINS], up="8c", starter=2)
    push(state, "draw upcard")
    assert legal(state) == {
        f"{v} {c}" for v in ("discard", "declare") for c in ["2d", "9d", "7d", "Kd", "4s", "Ac", "Qh", "8c"]
    }
    assert str(state.observe(Seat(0)).known(Seat(2))) == "8c"
    push(state, "discard 8c")
    assert Card.parse("8c") in hand_of(state, 2)
    seen = state.observe(Seat(0))
    assert [str(cards) for cards in (seen.known(Seat(2)), seen.picked(Seat(2)), seen.thrown(Seat(2)))] == [
        "",
        "8c",
        "8c",
    ]


def test_both_copies_can_be_known() -> None:
    state = deal([COMPLETE, JUNK, TWINS], up="8c", starter=2)
    push(state, "draw upcard; discard 2d; draw upcard; discard 2c; draw upcard; discard 3s")
    push(state, "draw stock; discard 2d; draw upcard; discard 3c")
    seen = state.observe(Seat(2))
    assert str(seen.known(Seat(0))) == "2d 2d"
    assert Hand.parse("2d 2d", decks=2) == seen.known(Seat(0))
    assert Card.parse("2d") not in seen.unseen


def test_unseen_counts_what_everybody_can_count() -> None:
    state = deal(THREE, up="8c", starter=2)
    for _ in range(40):
        for seat in range(3):
            seen = state.observe(Seat(seat))
            others = 13 * 2 - sum(len(seen.known(Seat(s))) for s in range(3) if s != seat)
            others += state.actor not in (None, seat) and seen.phase == "discard"
            assert len(seen.unseen) == int(seen.table["stock"]) + others
        verb = "draw upcard" if state.n_moves % 8 == 0 else "draw stock"
        move = verb if state.observe(Seat(0)).phase == "draw" else sorted(legal(state))[-3]
        push(state, move)


def test_make_deck_refuses_a_card_too_many() -> None:
    with pytest.raises(AssertionError, match="too many"):
        make_deck([COMPLETE, COMPLETE], "5d", "Jd")
