"""The fuzzy card collection: its chances against counting every way the cards can lie."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples_path import example
from helpers import played_states
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.beliefs.fuzzy import FuzzyCards
from rummylab.beliefs.gin.query import believe
from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.errors import DeckError
from rummylab.games.registry import game

SMALL_DECK = Hand.parse("Ac 2c Th Kh 5s 9s 7d Kd")


def ways(cards: frozenset[Card], places: list[int]) -> Iterator[list[frozenset[Card]]]:
    """Every way to fill collections with so many unknown places each: all of *cards*, in no order."""
    if not places:
        yield []
        return
    for first in combinations(sorted(cards), places[0]):
        for rest in ways(cards - set(first), places[1:]):
            yield [frozenset(first), *rest]


@st.composite
def tables(draw: st.DrawFn) -> list[FuzzyCards]:
    """Collections that share their possible cards and have a place for each of them, with some known cards."""
    deck = draw(st.permutations(list(SMALL_DECK)))
    n_known = draw(st.integers(0, 3))
    known, possible = deck[:n_known], Hand.of(deck[n_known:])
    n = draw(st.integers(1, 4))
    owners = draw(st.lists(st.integers(0, n - 1), min_size=n_known, max_size=n_known))
    cuts = sorted(draw(st.lists(st.integers(0, len(possible)), min_size=n - 1, max_size=n - 1)))
    places = [b - a for a, b in zip([0, *cuts], [*cuts, len(possible)], strict=True)]
    hands = [Hand.of(card for card, owner in zip(known, owners, strict=True) if owner == k) for k in range(n)]
    return [FuzzyCards(hand, possible, len(hand) + free) for hand, free in zip(hands, places, strict=True)]


@given(tables())
def test_chances_are_the_shares_of_all_ways_the_cards_can_lie(table: list[FuzzyCards]) -> None:
    all_ways = list(ways(frozenset(table[0].possible), [one.unknown for one in table]))
    for k, collection in enumerate(table):
        for card in SMALL_DECK:
            share = sum(card in way[k] for way in all_ways) / len(all_ways)
            expected = 1.0 if card in collection.known else share
            assert collection.chance_of(card) == pytest.approx(expected)
            assert collection.can_have(card) == (expected > 0)
            assert collection.chances()[card.index52] == pytest.approx(expected)


@given(tables())
def test_the_chances_of_a_collection_add_up_to_its_size_and_those_of_a_card_to_one(table: list[FuzzyCards]) -> None:
    for collection in table:
        assert collection.chances().sum() == pytest.approx(collection.size)
    everywhere = np.sum([collection.chances() for collection in table], axis=0)
    assert [everywhere[card.index52] for card in SMALL_DECK] == pytest.approx([1.0] * len(SMALL_DECK))


def test_a_known_card_is_certain_and_a_card_that_is_neither_cannot_be_there() -> None:
    hand = FuzzyCards(Hand.parse("7d"), Hand.parse("Ac 2c Th Kh"), 3)
    assert hand.chance_of(Card.parse("7d")) == 1
    assert hand.chance_of(Card.parse("Th")) == 0.5
    assert hand.chance_of(Card.parse("9s")) == 0
    assert hand.can_have(Card.parse("Th"))
    assert not hand.can_have(Card.parse("9s"))


def test_a_card_drawn_from_the_discard_pile_becomes_known() -> None:
    hand = FuzzyCards(possible=Hand.parse("Ac 2c Th Kh"), size=2).gains(Card.parse("7d"))
    assert (hand.known, hand.size, hand.unknown) == (Hand.parse("7d"), 3, 2)
    assert hand.chance_of(Card.parse("Ac")) == 0.5


def test_a_card_drawn_unseen_makes_every_possible_card_likelier() -> None:
    hand = FuzzyCards(possible=Hand.parse("Ac 2c Th Kh"), size=2).gains()
    assert hand.chance_of(Card.parse("Ac")) == 0.75


def test_a_discard_takes_the_card_from_the_known_or_from_the_possible_ones() -> None:
    hand = FuzzyCards(Hand.parse("7d"), Hand.parse("Ac 2c Th Kh"), 3)
    assert hand.loses(Card.parse("7d")) == FuzzyCards(Hand(), Hand.parse("Ac 2c Th Kh"), 2)
    assert hand.loses(Card.parse("Kh")) == FuzzyCards(Hand.parse("7d"), Hand.parse("Ac 2c Th"), 2)
    assert hand.loses() == FuzzyCards(Hand.parse("7d"), Hand.parse("Ac 2c Th Kh"), 2)


def test_a_card_seen_elsewhere_is_ruled_out_and_the_others_become_likelier() -> None:
    hand = FuzzyCards(Hand.parse("7d"), Hand.parse("Ac 2c Th Kh"), 3).rules_out(Card.parse("Ac"))
    assert not hand.can_have(Card.parse("Ac"))
    assert hand.chance_of(Card.parse("Th")) == pytest.approx(2 / 3)


def test_a_collection_that_cannot_be_is_refused_in_words() -> None:
    with pytest.raises(DeckError, match="7d cannot be both known and merely possible"):
        FuzzyCards(Hand.parse("7d"), Hand.parse("7d Ac"), 2)
    with pytest.raises(DeckError, match="5 cards, 1 of them known, do not fit 2 possible cards"):
        FuzzyCards(Hand.parse("7d"), Hand.parse("Kh Ac"), 5)
    with pytest.raises(DeckError, match="do not fit"):
        FuzzyCards(Hand.parse("7d Kd"), Hand.parse("Kh Ac"), 1)


# --- Plugged into agents ----------------------------------------------------------------------------------------------


def test_the_belief_counts_of_the_utility_agent_is_the_opponents_hand_as_a_fuzzy_collection() -> None:
    """So ``utility(belief=1)``, and every agent of gin that takes a belief, can play with it."""
    rules = game("gin").rules()
    for state in played_states(rules, [agent("gin", "simple"), agent("gin", "simple")], 3):
        if state.actor is None or state.observe(state.actor).phase not in ("offer", "draw", "discard"):
            continue
        seen = state.observe(state.actor)
        known, pile = int(seen.table["known"][1 - seen.seat]), int(seen.table["pile"])
        hand = FuzzyCards(Hand(known), Hand(ALL_CARDS & ~(seen.hand.mask | pile | known)), 10)
        for name in ("fuzzy", "counts"):
            assert np.array_equal(believe(name, seen.view)[0], hand.chances())
    played = match("gin", "utility(belief=1 samples=5)", "simple", games=4, seed=1, workers=1)
    assert played.games == 4


def test_an_agent_of_the_course_game_can_ask_the_belief_inside_its_kernel() -> None:
    hopeful = example("hopeful").hopeful
    assert match("gin_pass", hopeful, "melder", games=20, seed=1, workers=1).tallies["illegal"].sum() == 0
    three = match("gin_pass", hopeful, "keats", "melder", games=6, seed=1, workers=1)
    assert three.seats == 3
