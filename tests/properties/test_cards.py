"""Value types: they print as they parse, sort, and refuse what cannot be."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties import reference, strategies
from rummylab.cards.bits import ALL_CARDS, to_ids, to_mask
from rummylab.cards.card import RANKS, SUITS, SYMBOLS, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import shuffle
from rummylab.engine.action import Action
from rummylab.errors import DeckError, NotationError, RummyError

NAMES = {"Card": Card, "Hand": Hand, "Deck": Deck, "Action": Action}
CARDS = [Card.from_index52(i) for i in range(52)]
JOKER = Card.parse("PJ")

cards = st.one_of(strategies.cards(), st.just(JOKER))
hands = st.sets(strategies.cards()).map(Hand.of)
two_deck_hands = st.lists(cards, max_size=30).map(lambda c: [x for x in c if x.is_joker or c.count(x) <= 2])
decks = st.integers(0, 2**64 - 1).map(Deck.shuffled)
actions = st.builds(
    Action,
    st.sampled_from(["draw stock", "discard", "knock", "lay off", "big gin", "done"]),
    st.lists(cards).map(tuple),
)
values = st.one_of(cards, hands, two_deck_hands.map(lambda c: Hand.of(c, decks=2)), decks, actions)


# --- Print and parse --------------------------------------------------------------------------------------------------


@given(values)
def test_every_value_prints_as_it_parses(value: Card | Hand | Deck | Action) -> None:
    assert eval(repr(value), NAMES) == value
    assert repr(value) == repr(eval(repr(value), NAMES))


@given(st.one_of(cards, hands, decks, actions))
def test_the_short_text_reads_back_too(value: Card | Hand | Deck | Action) -> None:
    assert type(value).parse(str(value)) == value


@given(values)
def test_values_are_frozen_and_equal_values_hash_alike(value: Card | Hand | Deck | Action) -> None:
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, getattr(value, name))
    assert hash(value) == hash(eval(repr(value), NAMES))


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_a_card_reads_in_every_notation(card: Card) -> None:
    rank, suit = RANKS[card.rank], SUITS[card.suit]
    assert str(card) == rank + suit
    symbol = f"{card:unicode}"
    assert symbol == rank + SYMBOLS[card.suit]
    for text in (rank + suit, rank.lower() + suit, rank + suit.upper(), symbol, f"  {rank}{suit} "):
        assert Card.parse(text) == card
    if rank == "T":
        assert Card.parse("10" + suit) == card
    assert Card.of(card.rank, card.suit) == card
    assert Card.from_index52(card.index52) == card
    assert f"{card}" == f"{card:text}" == str(card)


def test_four_colours_tell_the_suits_apart() -> None:
    shown = [f"{Card.parse('7' + suit):color}" for suit in SUITS]
    assert len({text.split("7")[0] for text in shown}) == 4
    assert all(text.endswith("\x1b[0m") for text in shown)
    assert f"{Hand.parse('7h 8h'):unicode}" == "7♥ 8♥"
    assert f"{Action.parse('discard 7h'):unicode}" == "discard 7♥"


def test_a_hand_prints_its_cards_in_order_whatever_the_input() -> None:
    assert repr(Hand.parse("Kd, 7h Ac 2c")) == "Hand.parse('Ac 2c 7h Kd')"
    assert str(Hand()) == ""
    assert Hand.parse("") == Hand()


# --- Order and contents -----------------------------------------------------------------------------------------------


def test_cards_sort_by_suit_clubs_hearts_spades_diamonds_then_rank() -> None:
    assert [str(c) for c in sorted(map(Card.parse, ["Ad", "2c", "Kc", "As", "3h", "Ac"]))] == [
        "Ac",
        "2c",
        "Kc",
        "3h",
        "As",
        "Ad",
    ]
    assert sorted(CARDS) == CARDS


@given(st.lists(hands, min_size=2, max_size=5))
def test_values_have_a_total_order(several: list[Hand]) -> None:
    ordered = sorted(several)
    assert all(a <= b for a, b in pairwise(ordered))
    several.reverse()
    assert sorted(several) == ordered


@given(hands, strategies.cards())
def test_a_hand_holds_what_was_put_into_it(hand: Hand, card: Card) -> None:
    assert list(hand) == sorted(hand)
    assert len(hand) == len(list(hand)) == len(set(hand))
    assert (card in hand) == (card in list(hand))
    assert to_mask(to_ids(hand.mask)) == hand.mask
    assert hand.mask & ~ALL_CARDS == 0
    assert "7h" not in hand


@given(hands, hands)
def test_hands_add_and_subtract(one: Hand, other: Hand) -> None:
    both = one + other
    assert len(both) == len(one) + len(other)
    assert both - other == one
    assert both.points == one.points + other.points


@given(hands, hands)
def test_hands_intersect_and_unite_like_sets(one: Hand, other: Hand) -> None:
    assert set(one & other) == set(one) & set(other)
    assert set(one | other) == set(one) | set(other)
    assert (one & other) + (one | other) == one + other
    assert (one | other) - other == one - (one & other)


def test_copies_and_jokers_count_in_the_union_and_the_intersection_of_hands() -> None:
    one, other = Hand.parse("Ac Ac 2c PJ PJ", decks=2), Hand.parse("Ac 3c PJ")
    assert one & other == Hand.parse("Ac PJ")
    assert one | other == Hand.parse("Ac Ac 2c 3c PJ PJ", decks=2)


def test_the_deck_of_a_seed_is_always_the_same_and_holds_everything() -> None:
    assert Deck.shuffled(7) == Deck.shuffled(7)
    assert Deck.shuffled(7) != Deck.shuffled(8)
    assert set(Deck.shuffled(7)) == set(CARDS)
    assert len(Deck.shuffled(7, decks=2, jokers=4)) == 108
    assert list(Deck.ordered()) == CARDS


@given(st.sampled_from([0, 1, 2, 52, 63, 64, 65, 66, 106, 128, 129, 200]), st.integers(0, 2**64 - 1))
def test_a_deck_of_any_size_is_shuffled_as_card_by_card(size: int, seed: int) -> None:
    cards = np.arange(size).astype(np.int8)
    expected = reference.shuffled(cards.tolist(), seed)
    shuffle(cards, np.uint64(seed))
    assert cards.tolist() == expected


def test_shuffles_are_fair_enough() -> None:
    first = [Deck.shuffled(seed).cards[0].index52 for seed in range(5200)]
    counts = [first.count(card) for card in range(52)]
    assert min(counts) > 60
    assert max(counts) < 145


# --- What cannot be ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " ", "7", "h", "1h", "0h", "11h", "7x", "77h", "hh", "h7", "Zc", "7h8h", "♥7", "7♥♥", "T0h"]
)
def test_malformed_cards_are_refused_by_name(text: str) -> None:
    with pytest.raises(NotationError, match="not a card") as caught:
        Card.parse(text)
    assert repr(text) in str(caught.value)


@given(st.text(max_size=4))
def test_any_text_is_a_card_or_a_notation_error(text: str) -> None:
    try:
        card = Card.parse(text)
    except NotationError:
        return
    assert card in CARDS or card.is_joker


@pytest.mark.parametrize("number", [-1, 13, 14, 15, 29, 61, 64, 100])
def test_ids_between_the_suits_are_no_cards(number: int) -> None:
    with pytest.raises(NotationError, match=str(number)):
        Card(number)


@pytest.mark.parametrize("number", [-1, 52])
def test_there_are_52_numbers(number: int) -> None:
    with pytest.raises(NotationError, match=r"0 to 51"):
        Card.from_index52(number)


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(NotationError, match="text, unicode or color"):
        format(Card.parse("7h"), "latex")


def test_a_card_twice_in_a_hand_is_refused_by_name() -> None:
    with pytest.raises(DeckError, match="7h occurs 2 times, but one deck is in play"):
        Hand.parse("7h Ac 7h")
    assert len(Hand.parse("7h Ac 7h", decks=2)) == 3
    with pytest.raises(DeckError, match="7h occurs 3 times, but 2 decks are in play"):
        Hand.parse("7h 7h 7h", decks=2)


def test_a_hand_with_an_unreadable_card_is_refused() -> None:
    with pytest.raises(NotationError, match="'9z'"):
        Hand.parse("7h 9z")


def test_cards_that_are_not_there_cannot_be_taken_away() -> None:
    with pytest.raises(DeckError, match="8h is not in 7h"):
        Hand.parse("7h") - Hand.parse("8h")


@pytest.mark.parametrize(
    ("mask", "twice", "jokers"), [(1 << 13, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1), (1 << 61, 0, 0)]
)
def test_masks_that_are_no_hand_are_refused(mask: int, twice: int, jokers: int) -> None:
    with pytest.raises(NotationError, match="are not a hand"):
        Hand(mask, twice, jokers)


def test_impossible_decks_are_refused_with_the_culprit() -> None:
    whole = list(Deck.shuffled(3).cards)
    with pytest.raises(DeckError, match=f"lacks {whole[-1]}"):
        Deck(tuple(whole[:-1]))
    with pytest.raises(DeckError, match=f"lacks {whole[0]}"):
        Deck((whole[1], *whole[1:]))
    with pytest.raises(DeckError, match=f"{whole[0]} is in the deck 2 times"):
        Deck((*whole, whole[0]))
    with pytest.raises(DeckError, match="lacks"):
        Deck.parse("")
    with pytest.raises(DeckError, match="lacks"):
        Deck.parse("Ac 2c")


@pytest.mark.parametrize("text", ["", "   ", "7h", "7h discard", "?", "discard 7z", "discard 7h now"])
def test_malformed_actions_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        Action.parse(text)


def test_an_action_names_its_only_card() -> None:
    assert Action.parse("discard 7h").card == Card.parse("7h")
    assert Action.parse("meld 7h 7s 7d").card is None
    assert Action.parse("draw stock").card is None
    assert Action.parse("Draw  Stock") == Action("draw stock")


def test_every_notation_error_is_a_rummy_error_and_a_value_error() -> None:
    for error in (NotationError, DeckError):
        assert issubclass(error, RummyError)
        assert issubclass(error, ValueError)
