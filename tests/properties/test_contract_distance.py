"""Distance to a contract: the kernel equals its definition, spelled out card by card.

The suite compares a slice. ``DISTANCE_HANDS=20000 pytest tests/properties/test_contract_distance.py -k lay_downs``
compares 20,000 hands for each contract and pack in a few minutes.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from properties import contract_distance as twin
from rummylab._jit import kernel
from rummylab.cards.bits import EACH_SUIT, popcount, to_ids
from rummylab.cards.hand import Hand
from rummylab.games.contract.distance import ROOM, Terms, is_within, measure_many
from rummylab.games.contract.melds import Allowed, Needs, Supply, can_complete

ONE_DECK, TWO_DECKS = twin.terms(1, True), twin.terms(2, True)
N_HANDS = int(os.environ.get("DISTANCE_HANDS", "80"))


@kernel
def laid_down(hands, sets, runs, terms, out):
    for i in range(hands.shape[0]):
        once, twice, jokers = hands[i]
        wild = EACH_SUIT * terms.wild_ranks
        wilds = jokers + popcount(once & wild) + popcount(twice & wild)
        none = np.int64(0)
        supply, needs = Supply(once & ~wild, twice & ~wild, wilds), Needs(sets, runs, none, none, none)
        out[i] = can_complete(supply, needs, none, Allowed(True, False, False))


@kernel
def within(hands, sets, runs, terms, short, out):
    room = np.empty(ROOM, np.int64)
    for i in range(hands.shape[0]):
        out[i] = is_within(hands[i, 0], hands[i, 1], hands[i, 2], sets, runs, terms, short, room)


def line(text: str) -> list[int]:
    hand = Hand.parse(text, decks=2)
    return [hand.mask, hand.twice, hand.jokers]


def distance(text: str, name: str, terms: Terms = ONE_DECK) -> tuple[int, set[str]]:
    """The distance of a hand and the cards that help; any wild reads PJ."""
    out = np.zeros((1, 2), np.int64)
    sets, runs, _ = twin.CONTRACTS[name]
    measure_many(np.array([line(text)], np.int64), twin.pack(sets), twin.pack(runs), terms, out)
    help_mask = int(out[0, 1])
    cards = {str(card) for card in Hand(help_mask & ~twin.WILD_BIT)}
    return int(out[0, 0]), cards | ({"PJ"} if help_mask & twin.WILD_BIT else set())


@pytest.mark.parametrize(
    ("where", "name"),
    [(where, name) for where in twin.PACKS for name in twin.CONTRACTS if name not in twin.SHANGHAI]
    + [("two decks, jokers wild", name) for name in twin.SHANGHAI],
)
def test_the_kernel_equals_the_list_of_all_lay_downs(where: str, name: str) -> None:
    decks, wild_twos = twin.PACKS[where]
    n_hands = N_HANDS // 10 if name == "3S3+R5" else N_HANDS  # the list has billions of laydowns
    rng = np.random.default_rng(len(where) + 100 * len(name))
    size = twin.CONTRACTS[name][2]
    for extra in (0, 1):
        hands = twin.random_hands(rng, n_hands // 2, size + extra, decks, helpful=extra > 0)
        assert not len(twin.compare(name, twin.terms(decks, wild_twos), hands))


@pytest.mark.parametrize("option", ["same_rank", "neighbors", "joined"])
@pytest.mark.parametrize("name", ["3S3", "2R4", "2S3+R4"])
def test_the_kernel_follows_the_options(option: str, name: str) -> None:
    rng = np.random.default_rng(3)
    for decks in (1, 2):
        rules = twin.terms(decks, True, **{option: 0 if option == "same_rank" else 1})
        hands = twin.random_hands(rng, 40, twin.CONTRACTS[name][2], decks, helpful=True)
        assert not len(twin.compare(name, rules, hands))


@pytest.mark.parametrize("name", twin.CONTRACTS)
def test_a_card_helps_if_and_only_if_it_lowers_the_distance(name: str) -> None:
    rng = np.random.default_rng(17)
    sets, runs, size = twin.CONTRACTS[name]
    for hand in twin.random_hands(rng, 4, size, 2, helpful=True):
        once, twice, jokers = (int(x) for x in hand)
        kinds = to_ids(sum(0x1FFF << 16 * suit for suit in range(4)) & ~twice)
        more = [[once | 1 << card, twice | (once & 1 << card), jokers] for card in kinds]
        hands = np.array([[once, twice, jokers], *more, [once, twice, jokers + 1]], np.int64)
        out = np.zeros((len(hands), 2), np.int64)
        measure_many(hands, twin.pack(sets), twin.pack(runs), TWO_DECKS, out)
        short, helps = int(out[0, 0]), int(out[0, 1])
        expected = [helps >> (62 if card & 15 == 1 else card) & 1 for card in kinds]
        assert [short - int(nearer) for nearer in out[1:-1, 0]] == expected
        assert short - int(out[-1, 0]) == helps >> 62 & 1


@pytest.mark.parametrize("name", twin.CONTRACTS)
def test_a_hand_is_at_distance_zero_where_the_rules_let_it_be_laid_down(name: str) -> None:
    rng = np.random.default_rng(29)
    sets, runs, size = twin.CONTRACTS[name]
    hands = twin.random_hands(rng, 200, size + 2, 2, helpful=True)
    out, answers = np.zeros((200, 2), np.int64), np.zeros(200, np.bool_)
    measure_many(hands, twin.pack(sets), twin.pack(runs), TWO_DECKS, out)
    laid_down(hands, twin.pack(sets), twin.pack(runs), TWO_DECKS, answers)
    assert answers.tolist() == (out[:, 0] == 0).tolist()
    assert answers.any()


@pytest.mark.parametrize("name", twin.CONTRACTS)
def test_the_quick_question_agrees_with_the_distance(name: str) -> None:
    rng = np.random.default_rng(23)
    sets, runs, size = twin.CONTRACTS[name]
    hands = twin.random_hands(rng, 100, size, 2)
    out, answers = np.zeros((100, 2), np.int64), np.zeros(100, np.bool_)
    measure_many(hands, twin.pack(sets), twin.pack(runs), TWO_DECKS, out)
    for short in range(1, 5):
        within(hands, twin.pack(sets), twin.pack(runs), TWO_DECKS, short, answers)
        assert answers.tolist() == (out[:, 0] <= short).tolist()


def test_a_set_and_a_run_may_take_a_card_from_each_other() -> None:
    assert distance("5h 6h 7h 8h 7d PJ PJ", "S3+R4")[0] == 0, "7h goes to the set, a joker takes its place"


def test_no_two_wilds_lie_side_by_side_in_a_run() -> None:
    hand = "7c 7d 7h 5s 8s 2c 2d"
    assert distance(hand, "S3+R4")[0] == 1, "not even with both wilds between 5 and 8"
    assert distance(hand, "S3+R4", ONE_DECK._replace(neighbors=1))[0] == 0


def test_at_most_half_of_a_meld_is_wild() -> None:
    assert distance("7c 7d 7h 9s 2c 2d PJ", "2S3") == (1, {"9c", "9d", "9h", "7s"}), "7s: two sets of sevens"


def test_two_runs_of_a_suit_do_not_join() -> None:
    hand = "3h 4h 5h 6h 7h 8h 9h Th"
    assert distance(hand, "2R4")[0] == 1
    assert distance(hand, "2R4", ONE_DECK._replace(joined=1))[0] == 0


def test_an_ace_is_low_or_high_but_runs_do_not_go_around_it() -> None:
    assert distance("Ac 3c 4c 2d 7c 7d 7h", "S3+R4")[0] == 0
    assert distance("Qc Kc Ac Jc 7c 7d 7h", "S3+R4")[0] == 0
    assert distance("Qc Kc Ac 3c 7c 7d 7h", "S3+R4") == (1, {"Jc", "PJ"}), "wild: in the place of the jack"


def test_a_second_deck_brings_second_copies() -> None:
    hand = "7c 7d 9h 9h 9s Kd 4d"
    assert distance(hand, "2S3", TWO_DECKS) == (1, {"7c", "7d", "7h", "7s", "PJ"})
    assert distance("7c 7d 9h 9c 9s Kd 4d", "2S3") == (1, {"7h", "7s", "PJ"})


def test_a_complete_hand_waits_for_nothing() -> None:
    assert distance("7c 7d 7h 9h 9c 9s 4d", "2S3") == (0, set())
