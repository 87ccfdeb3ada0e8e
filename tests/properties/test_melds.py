"""The meld kernels equal their readable twins."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
from helpers import mask_of, masks_of, numbers, numbers_of, played_states
from properties import reference, strategies
from rummylab.agents.registry import agent
from rummylab.cards.bits import points
from rummylab.cards.melds import MELDS, N_MELDS, min_deadwood, min_deadwood_many
from rummylab.games.gin.view import gin

RUN_CAPS = [5, 13]


def random_hands(n: int, size: int, seed: int, pool: int = 52) -> np.ndarray:
    """*n* hands of *size* of the cards numbered below *pool* (or, below 52, of the lowest ranks)."""
    deck = np.arange(52) if pool == 52 else np.array([13 * s + r for s in range(4) for r in range(pool // 4)])
    order = np.random.default_rng(seed).random((n, len(deck))).argsort(axis=1)[:, :size]
    return deck[order]


def late_game_hands(n: int, seed: int) -> list[frozenset[int]]:
    """Hands of ten and eleven cards that players really held late in a hand."""
    players = [agent("gin", "simple"), agent("gin", "simple")]
    found: list[frozenset[int]] = []
    rules = gin(knock_limit=0)  # nobody knocks early, so that hands ripen
    while len(found) < n:
        for state in played_states(rules, players, seed):
            rows = state.rows()
            if rows["table"]["turn"][0] > 12:
                found += [numbers_of(mask) for mask in rows["mine"]["hand"][0]]
        seed += 1
    return found[:n]


def assert_deadwood_equal(hands: list[frozenset[int]]) -> None:
    masks = np.array([mask_of(hand) for hand in hands], np.int64)
    ours = np.empty(len(hands), np.int16)
    min_deadwood_many(masks, ours)
    for hand, left in zip(hands, ours, strict=True):
        assert left == reference.min_deadwood(hand), sorted(hand)


# --- Deadwood: 110,000 fixed hands, and whatever Hypothesis finds -----------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 11])
@pytest.mark.parametrize("seed", [1, 2])
def test_kernel_deadwood_equals_the_readable_one_on_random_hands(size: int, seed: int) -> None:
    assert_deadwood_equal([frozenset(hand) for hand in random_hands(20_000, size, 100 * size + seed).tolist()])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10_000, 20_000])
def test_kernel_deadwood_equals_the_readable_one_on_late_hands(seed: int) -> None:
    hands = late_game_hands(10_000, seed)
    assert sum(len(hand) == 11 for hand in hands) > 1000
    assert np.mean([reference.min_deadwood(hand) for hand in hands]) < 35, "these hands are not late"
    assert_deadwood_equal(hands)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "ranks"), [(10, 6), (11, 6), (10, 4), (11, 4), (11, 5)])
def test_kernel_deadwood_equals_the_readable_one_on_low_card_hands(size: int, ranks: int) -> None:
    hands = random_hands(2_500, size, 1000 * ranks + size, pool=4 * ranks)
    assert_deadwood_equal([frozenset(hand) for hand in hands.tolist()])


def test_kernel_deadwood_equals_the_readable_one_on_a_small_mixed_set() -> None:
    for size in (10, 11):
        assert_deadwood_equal([frozenset(hand) for hand in random_hands(500, size, 7).tolist()])
        assert_deadwood_equal([frozenset(hand) for hand in random_hands(500, size, 8, pool=20).tolist()])


@given(st.one_of(*(strategies.any_hands(size) for size in (7, 9, 10, 11))))
@settings(max_examples=800)
def test_kernel_deadwood_equals_the_readable_one(hand: frozenset[int]) -> None:
    assert min_deadwood(mask_of(hand)) == reference.min_deadwood(hand)


def test_mean_minimal_deadwood_of_the_reference_hands() -> None:
    generator = random.Random(12345)
    hands = np.array([generator.sample(range(52), 10) for _ in range(5000)])
    out = np.empty(5000, np.int16)
    min_deadwood_many(masks_of(hands), out)
    assert round(float(out.mean()), 4) == 56.7770


@pytest.mark.parametrize(
    ("hand", "left"),
    [
        ("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc", 0),
        ("Qc Kc Ac 5h 7s 9d 2h 4s 6d 8h", 62),  # no run round the corner
        ("3c 4c 5c 5h 5s 5d 6h 7h Kc Ks", 27),  # three fives and 5h 6h 7h beat both runs (30)
        ("Ac Ah As Ad 2c 3c 2h 3h Kd Qs", 22),  # two runs beat four aces
        ("7c 7h 7s 8c 8h 8s 9c 9h 9s Ad", 1),
        ("Ac Ah As 2c 2h 2s 3c 3h 3s Kd", 10),
    ],
)
def test_deadwood_of_hands_worked_out_by_hand(hand: str, left: int) -> None:
    assert reference.min_deadwood(numbers(hand)) == left
    assert min_deadwood(mask_of(numbers(hand))) == left


# --- Discards ---------------------------------------------------------------------------------------------------------


def discard_cases(n: int) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Eleven cards and what may be thrown: all of them, or all but one."""
    rng = np.random.default_rng(11)
    hands = [frozenset(hand) for hand in random_hands(n, 11, 21).tolist()]
    hands += [frozenset(hand) for hand in random_hands(n // 4, 11, 22, pool=24).tolist()]
    hands += [hand for hand in late_game_hands(n, 777) if len(hand) == 11]
    return [(hand, hand if rng.random() < 0.5 else hand - {int(rng.choice(sorted(hand)))}) for hand in hands]


@pytest.mark.slow
def test_best_discards_are_all_those_that_leave_least() -> None:
    cases = discard_cases(1000)
    hands = np.array([mask_of(hand) for hand, _ in cases], np.int64)
    allowed = np.array([mask_of(cards) for _, cards in cases], np.int64)
    out = np.empty((len(cases), 2), np.int64)
    kernels.best_discards(hands, allowed, out)
    for (hand, cards), (mask, left) in zip(cases, out, strict=True):
        assert (set(numbers_of(mask)), left) == reference.best_discards(hand, cards), (sorted(hand), sorted(cards))


def test_knockable_discards_are_those_within_the_limit() -> None:
    cases = discard_cases(600)
    limits = np.random.default_rng(3).integers(0, 60, len(cases))
    out = np.empty(len(cases), np.int64)
    masks = [np.array([mask_of(case[k]) for case in cases], np.int64) for k in (0, 1)]
    kernels.knockable(*masks, limits, out)
    for (hand, cards), limit, mask in zip(cases, limits, out, strict=True):
        assert numbers_of(mask) == {card for card in cards if reference.min_deadwood(hand - {card}) <= limit}


def test_melded_cards_are_those_in_some_meld() -> None:
    hands = [*random_hands(1500, 11, 31).tolist(), *random_hands(500, 10, 32, pool=24).tolist()]
    out = np.empty(len(hands), np.int64)
    kernels.melded(np.array([mask_of(hand) for hand in hands], np.int64), out)
    for hand, mask in zip(hands, out, strict=True):
        assert numbers_of(mask) == frozenset().union(*reference.all_melds(hand))


# --- Melds and arrangements -------------------------------------------------------------------------------------------


def test_every_meld_of_the_deck_has_its_own_number_and_reads_back() -> None:
    every = {mask_of(meld) for meld in reference.all_melds(range(52))}
    assert {int(mask) for mask in MELDS} == every
    assert len(every) == N_MELDS == len(MELDS)
    out = np.empty(N_MELDS, np.int64)
    kernels.meld_number(MELDS, out)
    assert out.tolist() == list(range(N_MELDS))


@given(st.sets(st.integers(0, 51), min_size=1, max_size=6))
@settings(max_examples=400)
def test_cards_that_are_no_meld_have_no_number(cards: set[int]) -> None:
    out = np.empty(1, np.int64)
    kernels.meld_number(np.array([mask_of(cards)], np.int64), out)
    assert (out[0] >= 0) == reference.is_meld(cards)


@pytest.mark.parametrize(
    "cards", ["Ac 2c", "Kc Ac 2c", "Qc Kc Ah", "Ac 2c 4c", "7c 7h", "7c 7h 8s", "Jc Qc Kc Ah 2h", "Qh Kh As"]
)
def test_near_melds_have_no_number(cards: str) -> None:
    out = np.empty(1, np.int64)
    kernels.meld_number(np.array([mask_of(numbers(cards))], np.int64), out)
    assert out[0] == -1


def kernel_arrangements(hand: frozenset[int], max_run: int) -> list[frozenset[frozenset[int]]]:
    out = np.empty(3, np.int64)
    n = kernels.arrangement(mask_of(hand), max_run, 0, out)
    found = []
    for which in range(n):
        assert kernels.arrangement(mask_of(hand), max_run, which, out) == n
        found.append(frozenset(numbers_of(mask) for mask in out if mask))
    return found


@pytest.mark.parametrize("max_run", RUN_CAPS)
@given(hand=st.one_of(strategies.any_hands(10), strategies.any_hands(11)))
@settings(max_examples=250)
def test_every_minimal_arrangement_is_found_once(max_run: int, hand: frozenset[int]) -> None:
    found = kernel_arrangements(hand, max_run)
    assert len(found) == len(set(found))
    assert set(found) == reference.minimal_arrangements(hand, max_run)


@pytest.mark.parametrize("max_run", RUN_CAPS)
def test_eleven_cards_of_one_suit_are_arranged_in_every_way(max_run: int) -> None:
    hand = frozenset(range(13, 24))
    found = kernel_arrangements(hand, max_run)
    assert len(found) == len(set(found)) > 1
    assert set(found) == reference.minimal_arrangements(hand, max_run)


@pytest.mark.parametrize("max_run", RUN_CAPS)
def test_all_melds_of_a_hand_are_listed_once(max_run: int) -> None:
    out = np.zeros(64, np.int64)
    for hand in [*random_hands(300, 11, 41).tolist(), *random_hands(300, 11, 42, 24).tolist(), list(range(11))]:
        n = kernels.melds_in(mask_of(hand), max_run, out)
        listed = [numbers_of(mask) for mask in out[:n]]
        assert len(set(listed)) == n
        assert set(listed) == set(reference.all_melds(hand, max_run))


# --- Lay-offs ---------------------------------------------------------------------------------------------------------


def showdowns(n: int, seed: int) -> list[tuple[list[frozenset[int]], frozenset[int]]]:
    """A knocker's spread in declared order and the defender's hand: real hands, and hand-made tangles of low cards."""
    rng = np.random.default_rng(seed)
    cases = []
    while len(cases) < n:
        pool = 52 if rng.random() < 0.5 else int(rng.choice([24, 32, 40]))
        deck = random_hands(1, min(pool, 26), int(rng.integers(2**31)), pool)[0].tolist()
        melds = reference.all_melds(deck)
        if not melds:
            continue
        spread: list[frozenset[int]] = []
        for i in rng.permutation(len(melds)):
            if len(spread) < 3 and len(melds[i]) <= 6 and not any(melds[i] & meld for meld in spread):
                spread.append(melds[i])
        left = [card for card in deck if not any(card in meld for meld in spread)]
        if len(left) < 10:
            left += [c for c in rng.permutation(52).tolist() if c not in deck][: 10 - len(left)]
        cases.append((spread[: int(rng.integers(1, 4))], frozenset(left[:10])))
    return cases


def official_lay_offs(spread: Any, cards: int) -> Iterator[tuple[int, int]]:
    """Lay off *cards* on *spread*, which grows, as the official referee does; yield each card and its place."""
    while True:
        card, place = kernels.official_lay_off(spread, cards)
        if place < 0:
            return
        spread[place] |= card
        cards ^= card
        yield card, place


def test_the_official_scan_lays_off_the_same_cards_in_the_same_order_on_the_same_melds() -> None:
    long = ordered = 0
    for spread, hand in showdowns(1500, 51):
        masks = kernels.three(map(mask_of, spread))
        ours = [(next(iter(numbers_of(card))), place) for card, place in official_lay_offs(masks.copy(), mask_of(hand))]
        expected = reference.official_lay_offs(spread, hand)
        assert ours == expected, (spread, sorted(hand))
        stays = numbers_of(kernels.after_official_lay_offs(masks, mask_of(hand)))
        assert stays == reference.after_official_lay_offs(spread, hand)
        long += len({place for _, place in expected}) < len(expected)
        ordered += stays != reference.after_official_lay_offs(spread[::-1], hand)
    assert long > 50, "lay-offs on already extended melds must occur"
    assert ordered > 0, "hands in which the declared order decides must occur"


def test_the_declared_order_decides_where_a_card_is_laid_off() -> None:
    run, group, hand = numbers("4c 5c 6c"), numbers("7h 7s 7d"), numbers("7c 8c")
    for spread, left in (([run, group], ""), ([group, run], "8c")):
        assert reference.after_official_lay_offs(spread, hand) == numbers(left)
        masks = kernels.three(map(mask_of, spread))
        assert numbers_of(kernels.after_official_lay_offs(masks, mask_of(hand))) == numbers(left)


def test_the_defenders_own_lay_off_is_possible_and_saves_most() -> None:
    broken = 0
    for spread, hand in showdowns(500, 61):
        laid = numbers_of(kernels.best_lay_off(kernels.three(map(mask_of, spread)), mask_of(hand)))
        assert laid in reference.lay_off_choices(spread, hand), (spread, sorted(hand), sorted(laid))
        left = reference.min_deadwood(hand - laid)
        assert left == reference.best_lay_off_deadwood(spread, hand), (spread, sorted(hand), sorted(laid))
        melds = reference.minimal_arrangements(hand)
        broken += bool(laid) and all(laid - reference.loose(hand, own) for own in melds)
    assert broken > 0, "hands in which an own meld is broken to lay off must occur"


def test_cards_that_can_be_laid_off_are_those_of_some_sequence() -> None:
    for spread, hand in showdowns(400, 71):
        reach = numbers_of(kernels.can_lay_off(kernels.three(map(mask_of, spread)), mask_of(hand)))
        assert reach == frozenset().union(*reference.lay_off_choices(spread, hand))


def test_a_card_that_fits_a_run_and_a_group_goes_to_the_run_wherever_it_was_declared() -> None:
    run, group, other = numbers("4c 5c 6c"), numbers("7h 7s 7d"), numbers("Th Ts Td")
    for order in permutations((run, group, other)):
        masks = kernels.three(map(mask_of, order))
        assert kernels.best_place(masks, mask_of(numbers("7c"))) == order.index(run)
        assert kernels.best_place(masks, mask_of(numbers("Tc"))) == order.index(other)
        assert kernels.best_place(masks, mask_of(numbers("8c"))) == -1


def test_laying_off_where_the_kernel_says_loses_nothing() -> None:
    for spread, hand in showdowns(300, 81):
        most = max(map(reference.points, reference.lay_off_choices(spread, hand)))
        melds, left = list(spread), set(hand)
        while True:
            masks = kernels.three(map(mask_of, melds))
            fitting = [(c, p) for c in left if (p := int(kernels.best_place(masks, mask_of([c])))) >= 0]
            if not fitting:
                break
            card, place = max(fitting)  # runs may grow in any order; groups are closed last
            assert reference.is_meld(melds[place] | {card})
            if reference.is_group(melds[place]) and any(not reference.is_group(melds[p]) for _, p in fitting):
                card, place = next((c, p) for c, p in fitting if not reference.is_group(melds[p]))
            melds[place] |= {card}
            left.remove(card)
        assert reference.points(hand - left) == most


@pytest.mark.parametrize("max_run", RUN_CAPS)
def test_the_safest_spread_is_minimal_and_leaves_least_to_lay_off(max_run: int) -> None:
    out = np.empty(3, np.int64)
    better = 0
    hands = [*random_hands(150, 10, 91, 24).tolist(), *map(list, late_game_hands(400, 9090)[:300])]
    for hand in hands:
        unseen = [card for card in np.random.default_rng(len(hand)).permutation(52)[:34].tolist() if card not in hand]
        kernels.safest_spread(mask_of(hand), mask_of(unseen), max_run, out)
        spread = frozenset(numbers_of(mask) for mask in out if mask)
        every = reference.minimal_arrangements(hand, max_run)
        assert spread in every
        assert reference.exposed_points(spread, unseen) == reference.safest_exposure(hand, unseen, max_run)
        better += len({reference.exposed_points(other, unseen) for other in every}) > 1
    assert better > 10, "hands in which the choice matters must occur"


@pytest.mark.slow
def test_the_defence_against_the_official_scan_leaves_least() -> None:
    out = np.empty(3, np.int64)
    for spread, hand in showdowns(600, 101):
        kernels.best_defence(kernels.three(map(mask_of, spread)), mask_of(hand), 13, out)
        melds = frozenset(numbers_of(mask) for mask in out if mask)
        assert melds in set(reference.arrangements(hand))
        left = reference.points(reference.after_official_lay_offs(spread, reference.loose(hand, melds)))
        assert left == reference.best_defence_deadwood(spread, hand), (spread, sorted(hand), melds)


def test_points_are_those_of_the_rules_page() -> None:
    for card in range(52):
        assert points(mask_of([card])) == reference.value(card)
    assert points(mask_of(range(52))) == 4 * 85
