"""MinScore and MinDist with the paper's general parameters: equal to the recursion, and to the kernels of the game."""

from __future__ import annotations

import random

import pytest

from properties import indian_variations_reference as twin
from properties.indian_hands import MAKERS, Hand, planes
from rummylab.cards.hand import Hand as Cards
from rummylab.errors import DeckError, OptionError, UnknownNameError
from rummylab.games.indian import mindist, minscore
from rummylab.games.indian.variations import min_dist, min_score

# Required melds and least length: the game itself, the paper's other variations, and odd ones.
VARIATIONS = [
    (("pure run", "run"), 3),
    (("pure run", "run"), 4),
    (("pure run 4",), 3),
    (("run", "group"), 2),
    (("group", "group"), 3),
    ((), 3),
    (("pure run", "pure run"), 3),
    (("meld",), 2),
]


def hand_of(entries: Hand) -> Cards:
    once, twice, jokers = planes(entries)
    return Cards(once, twice, jokers)


def small_hands(n: int, seed: int) -> list[tuple[Hand, int]]:
    """Hands of 5 to 7 cards, many of them rich in jokers or near a declaration."""
    rng = random.Random(seed)
    hands = [MAKERS[i % 3](rng, 13, rng.choice((1, 2)), 2) for i in range(n)]
    return [(hand[: rng.randrange(5, 8)], wild) for hand, wild in hands]


def needs_of(required: tuple[str, ...], length: int) -> list[twin.Need]:
    words = [text.rsplit(" ", 1) if text[-1].isdigit() else [text, "0"] for text in required]
    return [(kind, max(int(least), length)) for kind, least in words]


@pytest.mark.parametrize(("required", "length"), VARIATIONS, ids=str)
def test_min_score_equals_the_papers_recursion(required: tuple[str, ...], length: int) -> None:
    for hand, wild in small_hands(40, seed=length + len(required)):
        for removed in (0, 1, 2):
            for rule in ("paper", "platform", "pure_run_opens"):
                found = min_score(
                    hand_of(hand),
                    wild,
                    required=required,
                    min_length=length,
                    removed=removed,
                    cap=None,
                    score_rule=rule,
                )
                assert found == twin.min_score(hand, wild, needs_of(required, length), length, removed, rule)


@pytest.mark.parametrize(("required", "length"), VARIATIONS, ids=str)
def test_min_dist_equals_adding_super_jokers_one_by_one(required: tuple[str, ...], length: int) -> None:
    for hand, wild in small_hands(12, seed=7 * length + len(required)):
        for removed in (0, 1):
            found = min_dist(hand_of(hand), wild, required=required, min_length=length, removed=removed)
            assert found == twin.min_dist(hand, wild, needs_of(required, length), length, removed), (hand, wild)


@pytest.mark.parametrize("size", [13, 14])
def test_the_default_parameters_are_those_of_the_game(size: int) -> None:
    rng = random.Random(size)
    for i in range(45):
        hand, wild = MAKERS[i % 3](rng, size, 1 + i % 2, 2)
        held = hand_of(hand)
        numbers = (held.mask, held.twice, held.jokers, wild)
        assert min_dist(held, wild, removed=size - 13) == mindist.min_dist(*numbers)
        if size == 13:
            for rule in ("paper", "platform"):
                expected = minscore.min_score(*numbers, rule == "platform")
                assert min_score(held, wild, cap=None, score_rule=rule) == expected


def test_a_removed_card_is_the_one_whose_loss_costs_least() -> None:
    hand = Cards.parse("3c 4c 5c 7h 8h 9h Kd Qd")
    assert min_score(hand, "2") == 20
    assert min_score(hand, "2", removed=1) == 10
    assert min_score(hand, "2", removed=2) == 0


def test_a_hand_that_no_melds_fill_has_no_distance() -> None:
    assert min_dist(Cards.parse("3c 4c"), "2") is None


def test_bad_parameters_get_a_sentence() -> None:
    hand = Cards.parse("3c 4c 5c")
    with pytest.raises(UnknownNameError, match="pure rum"):
        min_score(hand, "2", required=("pure rum",))
    with pytest.raises(UnknownNameError, match="score rule"):
        min_score(hand, "2", score_rule="strict")
    with pytest.raises(OptionError, match="can be removed, not 3"):
        min_dist(hand, "2", removed=3)
    with pytest.raises(OptionError, match="at least 2"):
        min_dist(hand, "2", min_length=1)
    with pytest.raises(DeckError, match="at most 16"):
        min_dist(Cards.parse("Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ah 2h 3h 4h"), "2")
