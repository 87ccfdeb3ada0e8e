"""The agents of Gallucci et al., "Estimating Card Fitness for Discard in Gin Rummy", sentence by sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gin_tables import move, position
from helpers import mask_of, numbers, numbers_of
from properties import reference
from rummylab._jit import kernel
from rummylab.agents.gin import cfr_tables as tables
from rummylab.agents.gin import fitness, fitness_cfr, fitness_independent, medium
from rummylab.agents.gin.fitness import ALL_FOUR, AT_RANDOM, LITERAL, LOWEST, FitnessOptions
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.card import Card
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_artifact
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.gin.view import gin

ALL_52 = frozenset(range(52))
UNTRAINED = tables.uniform()


def moves(player: CompiledAgent, row: Any, n: int = 60) -> set[str]:
    return {move(player, row, seed) for seed in range(1, n + 1)}


def v4(flat: np.ndarray = UNTRAINED, **options: int) -> CompiledAgent:
    return CompiledAgent("v4", fitness_cfr.act.kernel, (*FitnessOptions(**options).params, *flat))


def v2(flat: np.ndarray = UNTRAINED, **options: int) -> CompiledAgent:
    return CompiledAgent("v2", fitness_independent.act.kernel, (*FitnessOptions(**options).params, *flat))


@kernel
def _ask(rows, reading, out):
    table, mine = rows[0].table, rows[0].mine[0]
    cards, left = fitness.candidates(table, mine)
    out[0], out[1] = cards, left
    out[2] = fitness.lowers_average(table, mine, cards, left, reading)
    out[3] = fitness.unmeldable(table, mine, cards)
    out[4] = fitness.useless_to_opponent(table, mine, cards)
    out[5] = fitness.near_their_discards(table, mine, cards)
    out[6] = fitness.fittest(table, mine, cards, left, ALL_FOUR, reading)


def ask(row: Any, reading: int = LOWEST) -> list[frozenset[int]]:
    """Candidates, those with each of the four characteristics, and the fittest, as sets of card numbers."""
    rows, out = gin().new_rows(1), np.zeros(7, np.int64)
    rows[0] = row
    _ask(rows, reading, out)
    return [numbers_of(out[i]) for i in (0, 2, 3, 4, 5, 6)]


# --- "Ranking the Fitness of a Card in a Game State" ----------------------------------------------------------------


def test_candidates_are_the_cards_whose_discard_results_in_the_minimum_deadwood_points_possible() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Td 4s 9h")
    assert ask(row)[0] == numbers("Kh Qd Td")


def test_a_card_whose_loss_lets_the_average_deadwood_decrease_most_after_an_additional_draw_gets_a_point() -> None:
    # The two kings wait for a third; the queen waits for nothing.
    row = position("Ac 2c 3c 7h 7s 7d Kh Kd Qc 4s 9h")
    found = ask(row)
    assert found[0] == numbers("Kh Kd Qc")
    assert found[1] == numbers("Qc")
    # Read literally, some draw helps whatever is thrown, so that all of them have it.
    assert ask(row, LITERAL)[1] == found[0]


def test_a_card_that_is_unmeldable_based_on_cards_the_player_has_seen_gets_a_point() -> None:
    hand = "Ac 2c 3c 7h 7s 7d Kh Qd Js 4s 9h"
    assert ask(position(hand))[2] == frozenset()
    # Two kings are gone and so is the queen of hearts: no group, no run.
    assert ask(position(hand, pile="Kc Ks Qh"))[2] == numbers("Kh")
    assert ask(position(hand, pile="Kc Qh", known="Ks"))[2] == numbers("Kh")
    assert ask(position(hand, pile="Kc Qh"))[2] == frozenset()


def test_a_card_that_cannot_be_used_by_the_opponent_for_a_meld_gets_a_point() -> None:
    hand = "Ac 2c 3c 7h 7s 7d Kh Kd Js Qh 4s"
    assert ask(position(hand))[3] == frozenset()
    # We hold a king and the queen of hearts; with one more king gone the king of hearts is of no use to anybody else.
    assert ask(position(hand, pile="Ks"))[3] == numbers("Kh")


def test_a_card_gets_a_point_if_the_opponent_has_discarded_a_card_that_would_be_melded_with_it() -> None:
    hand = "Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h"
    assert ask(position(hand))[4] == frozenset()
    assert ask(position(hand, thrown="Kc"))[4] == numbers("Kh")  # a king for a group
    assert ask(position(hand, thrown="Td"))[4] == numbers("Qd Ts")  # two below in the suit; the same rank
    assert ask(position(hand, thrown="9d 5h"))[4] == frozenset()  # three below is no neighbour
    assert ask(position(hand, pile="Kc"))[4] == frozenset()  # our own discard says nothing


def test_each_factor_is_worth_a_point_and_only_the_highest_ranking_cards_are_kept() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", pile="Kc Ks Qh", thrown="Td")
    cards, *factors, top = ask(row)
    points = {card: sum(card in factor for factor in factors) for card in cards}
    assert points[Card.parse("Kh").index52] == 3  # nothing to wait for, unmeldable, of no use to the opponent
    assert top == {card for card in cards if points[card] == max(points.values())} == numbers("Kh")


def test_four_points_are_the_maximum_and_more_than_three() -> None:
    # King and queen can be melded by nobody and wait for nothing; the opponent has thrown a king.
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", pile="Ks Qh Qc Jd", thrown="Kc")
    cards, *factors, top = ask(row)
    points = {card: sum(card in factor for factor in factors) for card in cards}
    king, queen = (Card.parse(card).index52 for card in ("Kh", "Qd"))
    assert (points[king], points[queen]) == (4, 3)
    assert top == {king}


def melds_with(card: int, among: frozenset[int]) -> bool:
    return any(card in meld for meld in reference.all_melds(among | {card}))


def average_after_draw(hand: frozenset[int], stock: frozenset[int]) -> float:
    return float(np.mean([min(reference.min_deadwood(hand | {x} - {y}) for y in hand | {x}) for x in stock]))


def readable_twin(hand: frozenset[int], pile: frozenset[int], known: frozenset[int], thrown: frozenset[int]) -> list:
    """What the kernels find, from the text."""
    cards, _ = reference.best_discards(hand, hand)
    stock = ALL_52 - hand - pile - known
    averages = {card: average_after_draw(hand - {card}, stock) for card in cards}
    lowest = min(averages.values())
    factors = [
        {card for card in cards if averages[card] <= lowest + 1e-9},
        {card for card in cards if not melds_with(card, ALL_52 - pile - known)},
        {card for card in cards if not melds_with(card, ALL_52 - pile - hand)},
        {card for card in cards if any(_share_a_meld(card, other) for other in thrown)},
    ]
    points = {card: sum(card in factor for factor in factors) for card in cards}
    return [cards, *factors, {card for card in cards if points[card] == max(points.values())}]


def _share_a_meld(a: int, b: int) -> bool:
    return a % 13 == b % 13 or (a // 13 == b // 13 and abs(a - b) <= 2)


def test_the_kernels_find_what_the_text_says() -> None:
    rng = np.random.default_rng(11)
    ties = 0
    for _ in range(30):
        # Hands with many pairs and neighbours, late in the hand, so that all characteristics occur.
        deck = rng.permutation(52)
        hand, pile, known = (
            frozenset(deck[:11].tolist()),
            frozenset(deck[11:29].tolist()),
            frozenset(deck[29:31].tolist()),
        )
        thrown = frozenset(sorted(pile)[::2])
        row = position("2c", stock=10)
        row["mine"][0]["hand"] = mask_of(hand)
        row["table"]["pile"], row["table"]["known"][1] = mask_of(pile), mask_of(known)
        row["table"]["thrown"][1] = mask_of(thrown)
        twin = readable_twin(hand, pile, known, thrown)
        assert ask(row) == twin
        ties += len(twin[0]) > 1
    assert ties > 8


# --- Fitness + CFR (V4) -----------------------------------------------------------------------------------------------

TIED = "Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h"
"""King, queen and ten leave the same deadwood and are equally fit."""


def with_discards(row: Any, **throws: float) -> np.ndarray:
    """Tables in which these cards, and no others, are thrown with these probabilities; all others are unseen."""
    flat = np.full_like(UNTRAINED, tables.UNSEEN)
    deadwood = reference.min_deadwood(numbers_of(row["mine"][0]["hand"]))
    part = flat[: tables.DRAWS].reshape(tables.SHAPES["discard"])
    for card, p in throws.items():
        part[Card.parse(card).index52, :, deadwood] = p
    return flat


def test_if_only_one_candidate_is_left_it_is_immediately_chosen() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh 5d Ts 4s 9h", pile="Kc Ks Qh")
    assert ask(row)[5] == numbers("Kh")
    assert moves(v4(np.full_like(UNTRAINED, tables.UNSEEN)), row) == {"discard Kh"}


def test_the_cfr_table_decides_among_the_highest_ranked() -> None:
    row = position(TIED)
    assert ask(row)[5] == numbers("Kh Qd Ts")
    flat = with_discards(row, Kh=0, Qd=1, Ts=0)
    assert moves(v4(flat), row) == {"discard Qd"}
    assert moves(v4(flat, ties=AT_RANDOM), row) == {"discard Kh", "discard Qd", "discard Ts"}
    even = v4(with_discards(row, Kh=0.5, Qd=0, Ts=0.5))
    asked = Counter(move(even, row, seed) for seed in range(1, 301))
    assert asked["discard Qd"] < 60 < min(asked["discard Kh"], asked["discard Ts"])


def test_a_pure_player_does_what_is_likelier_and_a_mixed_one_draws_lots() -> None:
    row = position(TIED)
    flat = with_discards(row, Kh=0.1, Qd=0.9, Ts=0.1)
    assert moves(v4(flat), row) == {"discard Qd"}
    assert moves(v4(flat, pure=0), row) == {"discard Kh", "discard Qd", "discard Ts"}


def test_where_no_cfr_strategy_was_found_a_discard_is_chosen_at_random_from_the_highest_ranked() -> None:
    row = position(TIED)
    # With nothing known, and also where an entry says to keep the king: "from the original set".
    for player in (v4(np.full_like(UNTRAINED, tables.UNSEEN)), v4(with_discards(row, Kh=0))):
        chosen = Counter(move(player, row, seed) for seed in range(1, 301))
        assert set(chosen) == {"discard Kh", "discard Qd", "discard Ts"}
        assert min(chosen.values()) > 80


def test_the_information_set_of_a_discard_is_card_stage_and_deadwood() -> None:
    for stock, stage in ((31, 0), (22, 0), (21, 1), (12, 1), (11, 2), (2, 2)):  # 21, 30, 31, 40, 41, 50 cards dealt
        row = position(TIED, stock=stock)
        flat = with_discards(row, Kh=0, Qd=0, Ts=0)
        part = flat[: tables.DRAWS].reshape(tables.SHAPES["discard"])
        part[Card.parse("Kh").index52, stage] = 1
        assert moves(v4(flat), row, 20) == {"discard Kh"}, stock


@kernel
def _places(rows, left, out):
    out[0] = tables.draw_set(rows[0].table, rows[0].mine[0])
    out[1] = tables.knock_set(rows[0].table, left)


@pytest.mark.parametrize(("up", "kind"), [("Kd", 0), ("8d", 1), ("6d", 2), ("7d", 3), ("4c", 3)])
@pytest.mark.parametrize(("stock", "stage"), [(25, 0), (15, 1), (5, 2)])
def test_the_information_set_of_a_draw_is_what_the_up_card_does_stage_and_deadwood(
    up: str, kind: int, stock: int, stage: int
) -> None:
    rows, out = gin().new_rows(1), np.zeros(2, np.int64)
    rows[0] = position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up=up, stock=stock)  # 57 points
    _places(rows, 5, out)
    assert np.unravel_index(out[0] - tables.DRAWS, tables.SHAPES["draw"]) == (kind, stage, 57 // 5)


@pytest.mark.parametrize(("turn", "own"), [(0, 1), (1, 1), (6, 4), (29, 15), (30, 16), (120, 16)])
@pytest.mark.parametrize("left", [1, 5, 10])
def test_the_information_set_of_a_knock_is_deadwood_and_turns_taken(turn: int, own: int, left: int) -> None:
    rows, out = gin().new_rows(1), np.zeros(2, np.int64)
    rows[0] = position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up="Kd")
    rows[0]["table"]["turn"] = turn
    _places(rows, left, out)
    assert np.unravel_index(out[1] - tables.KNOCKS, tables.SHAPES["knock"]) == (left - 1, own - 1)


@pytest.mark.parametrize("v4", [v4, v2])
def test_draws_and_knocks_go_by_their_tables_in_v2_as_in_v4(v4: Callable[..., CompiledAgent]) -> None:
    draw = position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up="7d")
    for p, want in ((0.0, {"draw stock"}), (1.0, {"draw upcard"}), (0.5, {"draw stock", "draw upcard"})):
        flat = np.full_like(UNTRAINED, p)
        assert moves(v4(flat), draw, 20) == want
        assert moves(v4(flat, draw_melds=1), draw, 20) == {"draw upcard"}
    knock = position("Ac 2c 3c 7h 7s 7d 4h 4d 4c Kh 5s")
    for p, want in ((0.0, {"discard Kh"}), (1.0, {"knock Kh"})):
        assert moves(v4(np.full_like(UNTRAINED, p)), knock, 20) == want
        assert moves(v4(np.full_like(UNTRAINED, p), knock_at=5), knock, 20) == {"knock Kh"}
        assert moves(v4(np.full_like(UNTRAINED, p), knock_at=4), knock, 20) == {"discard Kh"}
    for p, want in ((0.0, {"discard Kh"}), (1.0, {"knock Kh"})):  # five points: above the threshold the table decides
        assert moves(v4(np.full_like(UNTRAINED, p), knock_at=4, table_above=1), knock, 20) == want
        assert moves(v4(np.full_like(UNTRAINED, p), knock_at=5, table_above=1), knock, 20) == {"knock Kh"}
    gin_hand = position("Ac 2c 3c 7h 7s 7d 4h 4d 4c 4s Kh")
    assert moves(v4(np.zeros_like(UNTRAINED)), gin_hand, 20) == {"knock Kh"}


# The share of the earlier stage is (B - x)(1 + A) / ((B - A)(1 + x)) between the middles A and B: 25, 35.5, 45.5.
@pytest.mark.parametrize(
    ("dealt", "alone", "blended"),
    [(21, 0, 0), (29, 0, 0), (30, 0, 1), (31, 1, 1), (39, 1, 1), (40, 1, 0), (41, 0, 0), (50, 0, 0)],
)
def test_cases_that_fall_between_two_stages_can_mix_the_strategies_of_both(
    dealt: int, alone: int, blended: int
) -> None:
    row = position(TIED, stock=52 - dealt)
    flat = with_discards(row, Kh=0, Qd=0, Ts=0)
    flat[: tables.DRAWS].reshape(tables.SHAPES["discard"])[Card.parse("Kh").index52, 1] = 1  # thrown in the middle
    flat[tables.DRAWS : tables.KNOCKS] = 0
    flat[tables.DRAWS : tables.KNOCKS].reshape(tables.SHAPES["draw"])[:, 1] = 1  # taken in the middle
    draw = position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up="Kd", stock=52 - dealt)
    for blend, middle in ((0, alone), (1, blended)):
        player = v4(flat, blend=blend)
        assert (moves(player, row, 20) == {"discard Kh"}) == bool(middle)
        assert moves(player, draw, 5) == {"draw upcard" if middle else "draw stock"}


def test_between_two_stages_the_one_that_has_an_entry_decides() -> None:
    row = position(TIED, stock=22)
    flat = with_discards(row, Kh=0, Qd=0, Ts=0)
    part = flat[: tables.DRAWS].reshape(tables.SHAPES["discard"])
    part[:, 0] = tables.UNSEEN
    part[Card.parse("Kh").index52, 1] = 1
    assert moves(v4(flat, blend=1), row, 20) == {"discard Kh"}
    assert moves(v4(flat), row, 20) > {"discard Kh"}


def test_without_entries_it_draws_what_melds_and_knocks_at_once() -> None:
    unseen = v4(np.full_like(UNTRAINED, tables.UNSEEN))
    assert moves(unseen, position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up="7d"), 20) == {"draw upcard"}
    assert moves(unseen, position("Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h", up="2d"), 20) == {"draw stock"}
    assert moves(unseen, position("Ac 2c 3c 7h 7s 7d 4h 4d 4c Kh 5s"), 20) == {"knock Kh"}


def test_options_have_names() -> None:
    named, listed = agent("gin", "fitness-cfr(ties=1 knock_at=5)"), agent("gin", "fitness-cfr(15 1 0 0 5)")
    assert (named.params == listed.params).all()
    assert agent("gin", "medium(knock_at=7)").params.tolist() == [7, 1]


def test_options_out_of_range_are_told() -> None:
    with pytest.raises(OptionError, match="characteristics of FitnessOptions is 16"):
        FitnessOptions(characteristics=16)
    with pytest.raises(OptionError, match="ties"):
        FitnessOptions(ties=2)
    for name in ("fitness-cfr(16)", "fitness-cfr(characteristics=16)", "fitness-independent(characteristics=1.5)"):
        with pytest.raises(OptionError, match=r"Agent 'fitness.*characteristics of FitnessOptions is 1"):
            agent("gin", name)


# --- Independent heuristics (V2) --------------------------------------------------------------------------------------


def test_v2_removes_a_candidate_as_soon_as_one_consideration_is_true() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh Kd Qc 4s 9h")  # the average alone speaks, for the queen
    assert moves(v2(), row) == {"discard Kh", "discard Kd"}
    assert moves(v2(independent=1), row) == {"discard Qc"}
    assert moves(v2(independent=2), row) == {"discard Qc"}


def test_if_more_than_one_candidate_remains_v2_chooses_at_random() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", pile="Kc Ks Qh", thrown="Td")
    some = frozenset().union(*ask(row)[1:5])
    assert some == numbers("Kh Qd Ts")  # all are removed: any of them
    assert moves(v2(), row) == {"discard Kh", "discard Qd", "discard Ts"}
    assert moves(v2(independent=1), row) == {"discard Kh"}
    assert moves(v2(independent=2), row) == {"discard Kh", "discard Qd", "discard Ts"}


# --- Simple -----------------------------------------------------------------------------------------------------------


def test_simple_takes_the_face_up_card_only_if_it_creates_a_meld_with_its_hand() -> None:
    simple, hand = agent("gin", "simple"), "Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h"
    for up, taken in (("7d", True), ("4c", True), ("2d", False), ("Kd", False)):
        assert moves(simple, position(hand, up=up), 5) == {"draw upcard" if taken else "draw stock"}, up


def test_simple_throws_a_random_one_of_the_cards_that_decrease_the_deadwood_most_and_knocks_when_allowed() -> None:
    simple = agent("gin", "simple")
    assert moves(simple, position(TIED, drawn="")) == {"discard Kh", "discard Qd", "discard Ts"}
    assert moves(simple, position("Ac 2c 3c 7h 7s 7d 4h 4d 4c Ts Kh"), 20) == {"knock Ts", "knock Kh"}
    assert moves(simple, position("Ac 2c 3c 7h 7s 7d 4h 4d As Ts Kh"), 20) == {"discard Ts", "discard Kh"}


# --- Medium -----------------------------------------------------------------------------------------------------------

MEDIUM, SEVEN, NINE = (agent("gin", name) for name in ("medium", "medium(7)", "medium(9)"))


def test_medium_takes_the_up_card_if_that_drops_the_deadwood_after_a_discard() -> None:
    hand = "Ac 2c 3c 7h 7s Kh Qd Ts 4s 9h"
    assert moves(MEDIUM, position(hand, up="2d"), 5) == {"draw upcard"}  # for the king
    assert moves(MEDIUM, position(hand, up="Kd"), 5) == {"draw stock"}
    picky = medium.act.with_options(medium.MediumOptions(minimum_drop=9), "picky")
    assert moves(picky, position(hand, up="2d"), 5) == {"draw stock"}  # a drop of eight only


def test_medium_throws_what_cannot_be_made_into_a_meld() -> None:
    # The four of spades is dead, the court cards are alive.
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", pile="4h 4d 3s 5s")
    assert moves(MEDIUM, row, 10) == {"discard 4s"}


def test_of_several_dead_cards_medium_throws_the_one_with_the_highest_deadwood_value() -> None:
    row = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", pile="4h 4d 3s 5s 9c 9s Th 8h")
    assert moves(MEDIUM, row, 10) == {"discard 9h"}


def test_if_all_cards_can_be_made_into_a_meld_medium_takes_the_greatest_decrease_that_helps_least() -> None:
    hand = "Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h"
    assert moves(MEDIUM, position(hand)) == {"discard Kh", "discard Qd", "discard Ts"}
    # The opponent has taken a king and the jack of diamonds: only the ten of spades helps with neither.
    assert moves(MEDIUM, position(hand, known="Kc Jd"), 10) == {"discard Ts"}
    # Three kings are dearer than the nine, and melded.
    assert moves(MEDIUM, position("Ac 2c 3c 7h 7s 7d Kh Kc Ks 9h 8s"), 10) == {"discard 9h"}


def test_medium_counts_the_ways_a_card_helps_with_a_meld_that_is_being_made() -> None:
    @kernel
    def ways(rows, card):
        return medium.helps_opponent(rows[0].table, rows[0].mine[0], card)

    def helped(card: str, **more: str) -> int:
        rows = gin().new_rows(1)
        rows[0] = position("Ac 2c 3c 7h 7s 7d Kh Qd Ts 4s 9h", **more)
        return int(ways(rows, Card.parse(card).id))

    assert helped("Kh") == 0
    assert helped("Kh", known="Kc") == 2  # with the king of spades or the king of diamonds
    assert helped("Kh", known="Kc", pile="Ks") == 1
    assert helped("Kh", known="Qh") == 1  # and the jack
    assert helped("Ts", known="9s") == 2  # 8-9-T and 9-T-J
    assert helped("Ts", known="9s Js") == 3
    assert helped("Ac", known="Kc") == 0


@pytest.mark.parametrize("left", range(11))
def test_medium_knocks_with_seven_nine_or_gin(left: int) -> None:
    spare = {0: "4s", 1: "As", 2: "2s", 3: "3s", 4: "5s 4s", 5: "5s", 6: "6s", 7: "8s", 8: "8s", 9: "9s", 10: "Ts"}[
        left
    ]
    melds = "Ac 2c 3c 7h 7s 7d 4h 4d 4c"
    if left in (4, 7):  # no single card will do
        melds, spare = ("5c 6c 7c 8h 8s 8d 9h 9d 9c", "4s") if left == 4 else ("Ac 2c 3c 8h 8s 8d 4h 4d 4c", "7s")
    row = position(f"{melds} {spare} Kd")
    knocks = {"knock Kd"}
    assert (moves(MEDIUM, row, 5) == knocks) == (left in (0, 7, 9))
    assert (moves(SEVEN, row, 5) == knocks) == (left <= 7)
    assert (moves(NINE, row, 5) == knocks) == (left <= 9)


# --- The tables as a file ---------------------------------------------------------------------------------------------


def test_the_trained_tables_beat_untrained_ones() -> None:
    result = match("gin", agent("gin", "fitness-cfr"), v4(), games=1000, seed=77, workers=1)
    assert result.win_rate.ci[0] > 0.9


def test_tables_of_another_abstraction_or_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tables.safetensors"
    good = {name: np.zeros(shape, np.float32) for name, shape in tables.SHAPES.items()}
    label = {"format": tables.Tables.FORMAT, "version": tables.Tables.VERSION}
    write_artifact(path, good, label)
    assert (tables.Tables.load(path).flat == 0).all()
    write_artifact(path, good, {**label, "version": 99})
    with pytest.raises(ArtifactError, match="version 99, but"):
        tables.Tables.load(path)
    write_artifact(path, {**good, "knock": np.zeros((10, 9), np.float32)}, label)
    with pytest.raises(ArtifactError, match="'knock' has shape"):
        tables.Tables.load(path)
    write_artifact(path, {**good, "draw": good["draw"] + 2}, label)
    with pytest.raises(ArtifactError, match="not probabilities"):
        tables.Tables.load(path)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ArtifactError, match="damaged"):
        tables.Tables.load(path)


def test_the_bundled_tables_are_small_and_say_where_they_come_from() -> None:
    path = Path(tables.__file__).with_name("gin_cfr.safetensors")
    assert path.stat().st_size < 200_000
    manifest = tables.bundled().manifest
    assert manifest["command"].startswith("rummylab train gin-cfr")
    assert {"seed", "code", "settings", "result"} <= set(manifest)
    part = tables.bundled().tensors["discard"]
    assert (part.reshape(4, 13, 3, 107) == part[:13]).all()  # the suits are alike
