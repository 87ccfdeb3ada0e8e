"""The kernels against their readable twin, and the laws of MinDist and MinScore."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties import indian_reference as reference
from properties import indian_twin
from properties.indian_checks import check_grouping, check_target, scratch
from properties.indian_hands import MAKERS, Hand, planes, shoe
from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT
from rummylab.games.indian.mindist import (
    CANNOT_DECLARE,
    discard_outs,
    discards14,
    discards14_many,
    live_outs,
    min_dist,
    min_dist_many,
    outs,
)
from rummylab.games.indian.minscore import (
    MOST_MELDS,
    PAPER,
    PLATFORM,
    PURE_RUN_OPENS,
    grouping,
    min_score,
    min_score_many,
    scores14,
)
from rummylab.games.indian.target import min_dist_live, target

ANYTHING = (ALL_CARDS, ALL_CARDS, 13)


@st.composite
def deals(draw: st.DrawFn, size: int = 13) -> tuple[Hand, int, int]:
    """Hand, wild rank and number of decks: plain deals, many jokers, near a declaration."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    decks = draw(st.sampled_from((1, 1, 2)))
    maker = draw(st.sampled_from(MAKERS))
    hand, wild = maker(rng, size, decks, draw(st.sampled_from((1, 2) if decks == 1 else (2, 4))))
    return hand, wild, decks


def can_come(once: int, twice: int, decks: int) -> int:
    return ALL_CARDS & ~(once if decks == 1 else twice)


@pytest.mark.parametrize("decks", [1, 2])
def test_kernels_equal_the_readable_twin(decks: int) -> None:
    compare_with_twin(decks, 200, seed=decks)


@pytest.mark.parametrize("which", ["one_deck", "two_decks"])
def test_kernels_equal_the_readable_twin_on_twenty_thousand_hands(which: str) -> None:
    rows = indian_twin.load()[which]
    assert len(rows) == indian_twin.N_HANDS
    hands, out = np.ascontiguousarray(rows[:, :4]), np.zeros(len(rows), np.int64)
    min_dist_many(hands, out)
    assert np.array_equal(out, rows[:, 4])
    for rule, column in ((PAPER, 5), (PLATFORM, 6)):
        min_score_many(hands, rule, out)
        assert np.array_equal(out, rows[:, column])


@pytest.mark.parametrize("which", ["one_deck", "two_decks"])
def test_the_kept_values_are_the_twins(which: str) -> None:
    rows = indian_twin.load()[which]
    for row in rows[np.random.default_rng(len(which)).permutation(len(rows))[:150]]:
        assert indian_twin.row_of(indian_twin.hand_of(row), int(row[3])) == row.tolist()


def compare_with_twin(decks: int, n: int, seed: int) -> None:
    rng = random.Random(seed)
    for i in range(n):
        hand, wild = MAKERS[(0, 0, 1, 2)[i % 4]](rng, 13, decks, rng.choice((1, 2) if decks == 1 else (2, 4)))
        once, twice, jokers = planes(hand)
        assert min_dist(once, twice, jokers, wild) == reference.min_dist(hand, wild), (hand, wild)
        scores = tuple(min_score(once, twice, jokers, wild, rule) for rule in (PAPER, PLATFORM))
        assert scores == reference.min_scores(hand, wild), (hand, wild)


@given(deals(), st.integers(0, 2**32))
@settings(max_examples=400)
def test_min_dist_moves_by_at_most_one_when_a_card_is_replaced(deal: tuple[Hand, int, int], seed: int) -> None:
    hand, wild, decks = deal
    rest = list((Counter(shoe(decks, 4)) - Counter(hand)).elements())
    before = min_dist(*planes(hand), wild)
    rng = random.Random(seed)
    after = hand.copy()
    after[rng.randrange(13)] = rng.choice(rest)
    assert abs(min_dist(*planes(after), wild) - before) <= 1


@given(deals())
@settings(max_examples=400)
def test_distance_zero_score_zero_and_a_declaration_are_one(deal: tuple[Hand, int, int]) -> None:
    hand, wild, _ = deal
    once, twice, jokers = planes(hand)
    is_zero = min_dist(once, twice, jokers, wild) == 0
    assert is_zero == (min_score(once, twice, jokers, wild, True) == 0)
    assert is_zero == (min_score(once, twice, jokers, wild, False) == 0)
    assert is_zero == target(once, twice, jokers, wild, 0, *ANYTHING, scratch())


@given(deals(), st.integers(0, 12))
@settings(max_examples=400)
def test_a_joker_for_a_card_never_hurts(deal: tuple[Hand, int, int], place: int) -> None:
    hand, wild, _ = deal
    if hand.count(None) == 4:
        return
    before = planes(hand)
    after = planes([*hand[:place], *hand[place + 1 :], None])
    # It may break a natural pure run, so only a card that is no better than a joker is replaced: one left over.
    kept = scratch()
    distance = min_dist(*before, wild)
    if distance == 0:
        return
    assert target(*before, wild, distance, *ANYTHING, kept)
    used = planes_used(kept)
    card = hand[place]
    if card is not None and not used >> (card[1] * 16 + card[0]) & 1:
        assert min_dist(*after, wild) <= distance
    once, twice, jokers = before
    assert min_dist(once, twice, jokers + 1, wild) <= distance


def planes_used(out: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    used = 0
    for k in range(4, 10):
        used |= int(out[k])
    return used


@given(deals())
@settings(max_examples=400)
def test_the_target_is_a_declaration_that_keeps_all_but_min_dist_cards(deal: tuple[Hand, int, int]) -> None:
    hand, wild, _ = deal
    out = scratch()
    distance = min_dist(*planes(hand), wild)
    assert target(*planes(hand), wild, distance, *ANYTHING, out)
    assert check_target(hand, wild, out, None) == distance
    if distance:
        assert not target(*planes(hand), wild, distance - 1, *ANYTHING, out)


@given(deals(), st.integers(3, 40), st.integers(0, 2**32))
@settings(max_examples=300)
def test_with_dead_cards_the_target_uses_live_ones_only(deal: tuple[Hand, int, int], n_live: int, seed: int) -> None:
    hand, wild, decks = deal
    rest = list((Counter(shoe(decks, 4)) - Counter(hand)).elements())
    random.Random(seed).shuffle(rest)
    live = rest[:n_live]
    out = scratch()
    distance = min_dist_live(*planes(hand), wild, *planes(live), out)
    assert min_dist(*planes(hand), wild) <= distance
    if distance < CANNOT_DECLARE:
        assert target(*planes(hand), wild, distance, *planes(live), out)
        assert check_target(hand, wild, out, Counter(live)) == distance
    if distance > 0:
        assert not target(*planes(hand), wild, distance - 1, *planes(live), out)


@given(deals(), st.integers(3, 25), st.integers(0, 2**32))
@settings(max_examples=100)
def test_with_dead_cards_min_dist_is_the_fewest_live_cards_that_complete(
    deal: tuple[Hand, int, int], n_live: int, seed: int
) -> None:
    hand, wild, decks = deal
    rest = list((Counter(shoe(decks, 4)) - Counter(hand)).elements())
    random.Random(seed).shuffle(rest)
    live = rest[:n_live]
    distance = min_dist_live(*planes(hand), wild, *planes(live), scratch())
    one = any(min_dist(*planes([*hand, card]), wild) == 0 for card in live if hand.count(card) < 2)
    assert one == (distance <= 1)
    two = any(min_dist(*planes([*hand, a, b]), wild) == 0 for i, a in enumerate(live) for b in live[i + 1 :])
    assert (one or two) == (distance <= 2)


@given(deals())
@settings(max_examples=60)
def test_by_the_rule_that_a_pure_run_opens_any_group_counts(deal: tuple[Hand, int, int]) -> None:
    hand, wild, _ = deal
    assert min_score(*planes(hand), wild, PURE_RUN_OPENS) == reference.all_min_scores(hand, wild)[PURE_RUN_OPENS]


@given(deals(), st.integers(PAPER, PURE_RUN_OPENS))
@settings(max_examples=400)
def test_the_grouping_leaves_exactly_min_score_points(deal: tuple[Hand, int, int], rule: int) -> None:
    hand, wild, _ = deal
    out = np.zeros(2 * MOST_MELDS, np.int64)
    n_melds = grouping(*planes(hand), wild, rule, out)
    left = check_grouping(hand, wild, n_melds, out, n_runs=1 if rule == PURE_RUN_OPENS else 2)
    assert n_melds != 1 or rule != PLATFORM
    score = sum(n * reference.points(card, wild) for card, n in left.items())
    assert score == min_score(*planes(hand), wild, rule)


@given(deals())
@settings(max_examples=300)
def test_outs_are_the_cards_that_bring_the_hand_nearer(deal: tuple[Hand, int, int]) -> None:
    hand, wild, decks = deal
    once, twice, jokers = planes(hand)
    distance = min_dist(once, twice, jokers, wild)
    cards = can_come(once, twice, decks)
    found = outs(once, twice, jokers, wild, distance, cards)
    for card in range(61):
        bit = 1 << card
        if cards & bit:
            nearer = min_dist(once | bit, twice | once & bit, jokers, wild) < distance
            assert bool(found & bit) == nearer
    assert bool(found & JOKER_BIT) == (min_dist(once, twice, jokers + 1, wild) < distance)
    assert live_outs(found, cards, 0, 1) == int(found).bit_count()


@given(deals(size=14))
@settings(max_examples=300)
def test_fourteen_discards_in_one_pass_equal_fourteen_calls(deal: tuple[Hand, int, int]) -> None:
    hand, wild, decks = deal
    once, twice, jokers = planes(hand)
    distance, spares = discards14(once, twice, jokers, wild)
    cards = can_come(once, twice, decks)
    found, scores = scratch(), scratch()
    discard_outs(once, twice, jokers, wild, distance, spares, cards, found)
    best, best_mask = scores14(once, twice, jokers, wild, False, scores)
    for j, card in enumerate(hand):
        left = planes(hand[:j] + hand[j + 1 :])
        at = JOKER_ID if card is None else card[1] * 16 + card[0]
        after = min_dist(*left, wild)
        assert after == distance + (not spares >> at & 1)
        assert found[at] == (outs(*left, wild, after, cards) if after == distance else 0)
        assert scores[at] == min_score(*left, wild, False)
        assert bool(best_mask >> at & 1) == (scores[at] == best)


def test_batch_kernels_write_what_single_calls_return() -> None:
    rng = random.Random(3)
    deals13 = [MAKERS[i % 3](rng, 13, 1, 2) for i in range(60)]
    deals14 = [MAKERS[i % 3](rng, 14, 1, 2) for i in range(60)]
    hands13 = np.array([(*planes(hand), wild) for hand, wild in deals13], np.int64)
    hands14 = np.array([(*planes(hand), wild) for hand, wild in deals14], np.int64)
    out, scores = np.zeros(60, np.int64), np.zeros(60, np.int64)
    min_dist_many(hands13, out)
    min_score_many(hands13, True, scores)
    distances, spares, found = np.zeros(60, np.int64), np.zeros(60, np.int64), np.zeros((60, 63), np.int64)
    cards = ALL_CARDS & ~hands14[:, 0]
    discards14_many(hands14, cards, distances, spares, found)
    for i, (hand, wild) in enumerate(deals13):
        assert out[i] == min_dist(*planes(hand), wild)
        assert scores[i] == min_score(*planes(hand), wild, True)
    for i, (hand, wild) in enumerate(deals14):
        assert (distances[i], spares[i]) == discards14(*planes(hand), wild)
        single = scratch()
        discard_outs(*planes(hand), wild, int(distances[i]), int(spares[i]), int(cards[i]), single)
        assert list(found[i]) == list(single)


def test_a_joker_can_be_spare_at_distance_three() -> None:
    """Five jokers and no two cards near each other: it is the pure run that costs three, not the count."""
    suits = {"C": 0, "H": 1, "S": 2, "D": 3}
    texts = ["3C", "3S", "6H", "KD", "QS", "4C", "JH", "JC", "5D", "8S", "9D"]
    hand: Hand = [("A23456789TJQK".index(text[0]), suits[text[1]]) for text in texts]
    distance, spares = discards14(*planes([*hand, None, None, None]), 2)
    assert distance == min_dist(*planes([*hand, None, None]), 2)
    assert spares & JOKER_BIT
