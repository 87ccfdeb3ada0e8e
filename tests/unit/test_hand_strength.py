"""Hand strength: its rules of thumb, one by one, and its discards equal a readable twin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from gin_tables import move, position
from helpers import mask_of, numbers_of
from properties import reference
from rummylab import State, gin, match
from rummylab._jit import kernel
from rummylab.agents.gin import hand_strength as h
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation

HAND_STRENGTH, CAMPER, SIMPLE = (agent("gin", name) for name in ("hand-strength", "camper", "simple"))
DECK = range(52)
TOLERANCE = 0.01
"""Rounding of the kernel, in points of a choice."""


def tuned(**options: float) -> CompiledAgent:
    return h.act.with_options(h.HandStrengthOptions(**options), "tuned")


@kernel
def _dangers(one: int, rank: int, open_cards: int, known: int) -> tuple[float, float]:
    return h.run_danger(one, open_cards, known), h.group_danger(one, rank, open_cards, known)


@kernel
def _deadwood_to_come(ten: int, unseen: int, draws: int) -> float:
    return h.deadwood_to_come(ten, unseen, draws)


# --- The readable twin ------------------------------------------------------------------------------------------------


def neighbor(card: int, steps: int) -> int | None:
    """The card of the same suit some steps up or down, if there is one."""
    return card + steps if 0 <= card % 13 + steps < 13 else None


def danger(card: int, unseen: Iterable[int], known: Iterable[int]) -> float:
    """Danger that the opponent, who has *known* cards and others of *unseen*, melds the card."""
    known, may_hold = set(known), set(unseen) | set(known)
    near, far = [neighbor(card, -1), neighbor(card, 1)], [neighbor(card, -2), neighbor(card, 2)]
    pairs = [{far[0], near[0]}, set(near), {near[1], far[1]}]  # what makes a run with the card
    safe_in_run = 5 * sum(one not in may_hold for one in near) + 3 * sum(one not in may_hold for one in far)
    if not any(pair <= may_hold for pair in pairs):
        safe_in_run = 10
    risk_in_run = 5 * sum(one in known for one in near) + 3 * sum(one in known for one in far)
    if any(pair <= known for pair in pairs):
        risk_in_run = 20
    others = [other for other in DECK if other % 13 == card % 13 and other != card]
    n_known, n_gone = sum(one in known for one in others), sum(one not in may_hold for one in others)
    safe_in_group = 10 if n_gone > 1 else 4 * n_gone
    risk_in_group = 20 if n_known > 1 else 4 * n_known
    return risk_in_run - safe_in_run + risk_in_group - safe_in_group


def deadwood_to_come(ten: frozenset[int], unseen: Iterable[int], draws: int) -> float:
    """Mean deadwood after the best draws, each followed by the best discard."""
    after = sorted(reference.best_discards(ten | {card}, ten | {card})[1] for card in unseen)
    return float(np.mean(after[:draws] or [reference.min_deadwood(ten)]))


def costs(seen: Observation, options: h.HandStrengthOptions) -> Iterator[dict[int, float]]:
    """What each card costs that may go, lower is better; for every way to meld the hand."""
    table: Any = seen.view["table"][0]
    hand = numbers_of(int(seen.view["mine"][0]["hand"]))
    known = numbers_of(int(table["known"][1 - seen.seat]))
    unseen = set(DECK) - hand - known - numbers_of(int(table["pile"]))
    allowed = {action.card.index52 for action in seen.legal if action.verb == "discard" and action.card}
    _, least = reference.best_discards(hand, allowed)
    for melds in reference.minimal_arrangements(hand):
        loose = reference.loose(hand, melds) & allowed or allowed
        dearest = max(map(reference.value, loose))
        after = {card: reference.min_deadwood(hand - {card}) for card in loose}
        yield {
            card: after[card]
            + options.future
            * options.fade ** (int(table["turn"]) // 2)
            * deadwood_to_come(hand - {card}, unseen, options.draws)
            + options.safety * danger(card, unseen, known)
            for card in loose
            if reference.value(card) >= dearest - options.margin and after[card] <= least + options.margin
        }


def discards(seed: int) -> Iterator[Observation]:
    """Every discard of a hand."""
    state = State.deal(gin(), seed)
    while state.actor is not None:
        seen = state.observe()
        if seen.phase == "discard":
            yield seen
        state.push(HAND_STRENGTH.act(seen))


# --- Draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [HAND_STRENGTH, CAMPER], ids=lambda player: player.name)
def test_it_takes_an_upcard_that_melds_and_lowers_the_deadwood(player: CompiledAgent) -> None:
    hand = "Ac 2c 3c 7h 7s Kd Qh Ts 4s 9h"
    assert move(player, position(hand, up="7d")) == "draw upcard"
    assert move(player, position(hand, up="4c")) == "draw upcard"
    assert move(player, position(hand, up="Ad")) == "draw stock", (
        "an ace for a king lowers the deadwood, but melds nothing"
    )


def test_it_leaves_an_upcard_that_melds_and_lowers_nothing() -> None:
    # The fives could be a group, but that takes a card out of the run, and no other card costs more than five points.
    row = position("5c 6c 7c 9h 9s 9d 5d Ad 2h 3s", up="5h")
    assert move(HAND_STRENGTH, row) == "draw stock"
    assert move(SIMPLE, row) == "draw upcard"


# --- Discards ---------------------------------------------------------------------------------------------------------


def test_the_danger_of_a_card_equals_its_readable_twin() -> None:
    rng, found = np.random.default_rng(5), []
    for _ in range(400):
        cards = rng.permutation(52)
        card, rest = int(cards[0]), cards[1:]
        known, unseen = rest[: rng.integers(0, 25)], rest[25 : rng.integers(25, 51)]
        open_cards = mask_of(map(int, [*known, *unseen]))
        rank = mask_of(range(card % 13, 52, 13))
        in_run, in_group = _dangers(mask_of([card]), rank, open_cards, mask_of(map(int, known)))
        assert in_run + in_group == danger(card, unseen, known)
        found.append((in_run, in_group))
    assert {-10, 0, 5, 20} <= {in_run for in_run, _ in found}
    assert {-10, 0, 4, 20} <= {in_group for _, in_group in found}


def test_it_keeps_the_card_that_goes_with_what_the_opponent_took() -> None:
    hand = "Ac 2c 3c 7h 7s 7d 4s 5s 6s Kc Kd"
    assert move(HAND_STRENGTH, position(hand, known="Qc Jc")) == "discard Kd"
    assert move(HAND_STRENGTH, position(hand, known="Qd Jd")) == "discard Kc"


def test_it_discards_the_card_whose_neighbors_are_gone() -> None:
    hand = "Ac 2c 3c 7h 7s 7d 4s 5s 6s Kc Kd"
    assert move(HAND_STRENGTH, position(hand, thrown="Qd")) == "discard Kd"
    assert move(HAND_STRENGTH, position(hand, thrown="Qc")) == "discard Kc"
    assert move(tuned(safety=0), position(hand, thrown="Qd")) == "discard Kc", "without danger they are equal"


@pytest.mark.parametrize("draws", [1, 6, 16])
def test_the_deadwood_to_come_equals_its_readable_twin(draws: int) -> None:
    rng = np.random.default_rng(draws)
    for n_unseen in (0, 3, 12, 12, 12):
        cards = [int(card) for card in rng.permutation(52)]
        ten, unseen = frozenset(cards[:10]), cards[10 : 10 + n_unseen]
        assert _deadwood_to_come(mask_of(ten), mask_of(unseen), draws) == deadwood_to_come(ten, unseen, draws)


@pytest.mark.parametrize("player", [HAND_STRENGTH, CAMPER], ids=lambda player: player.name)
def test_its_discards_equal_those_of_the_readable_twin(player: CompiledAgent) -> None:
    options = h.CAMPER if player is CAMPER else h.HandStrengthOptions()
    n = differ = 0
    for seen in islice(discards(11), 8):
        chosen = player.act(seen)
        if chosen.verb == "discard" and chosen.card:
            ways = list(costs(seen, options))
            card = chosen.card.index52
            assert any(card in cost and cost[card] <= min(cost.values()) + TOLERANCE for cost in ways)
            differ += all(max(cost.values()) > min(cost.values()) + 1 for cost in ways)
            n += 1
    assert n > 4
    assert differ > n // 2, "the choice mattered"


# --- Knocks -----------------------------------------------------------------------------------------------------------

LIGHT = "Ac 2c 3c 7h 7s 7d 4s 5s 6s 2d Kd"
"""Two points of deadwood after the king is gone."""


def test_it_knocks_in_its_first_three_turns_and_not_later() -> None:
    assert [move(HAND_STRENGTH, position(LIGHT, turn=turn)) for turn in (0, 1, 4, 5)] == ["knock Kd"] * 4
    assert [move(HAND_STRENGTH, position(LIGHT, turn=turn)) for turn in (6, 7, 20)] == ["discard Kd"] * 3


def test_the_turns_in_which_it_knocks_are_an_option() -> None:
    assert move(tuned(early=0), position(LIGHT, turn=0)) == "discard Kd"
    assert move(tuned(early=11), position(LIGHT, turn=20)) == "knock Kd"


def test_it_does_not_knock_with_more_than_the_limit() -> None:
    assert move(HAND_STRENGTH, position("Ac 2c 3c 7h 7s 7d 4s 5s 9h 2d Kd", turn=0)).startswith("discard")


@pytest.mark.parametrize("turn", [0, 6, 20])
def test_it_knocks_with_gin_in_every_turn(turn: int) -> None:
    gin_hand = "Ac 2c 3c 7h 7s 7d 4s 5s 6s 3s Kd"
    for player in (HAND_STRENGTH, CAMPER, tuned(early=0)):
        assert move(player, position(gin_hand, turn=turn)) == "knock Kd"


def test_it_shows_big_gin_where_the_rules_know_it() -> None:
    row = position("Ac 2c 3c 4c 7h 7s 7d 4s 5s 6s 3s")
    assert move(HAND_STRENGTH, row).startswith("knock")
    row["table"]["rules"]["big_gin_bonus"] = 31
    assert move(HAND_STRENGTH, row) == "big gin"


def test_the_upcard_it_took_does_not_go() -> None:
    row = position(LIGHT, turn=20)
    row["table"]["taken"] = Card.parse("Kd").id
    assert move(HAND_STRENGTH, row) == "discard 2d"


# --- Strength ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hand-strength", "camper"])
def test_it_wins_two_games_in_three_against_simple(name: str) -> None:
    assert match("gin", name, "simple", games=600, seed=5, workers=1).win_rate.value > 2 / 3
