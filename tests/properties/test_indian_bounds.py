"""The highest MinDist there is: 7 with one deck, 9 with two. Hands found by search, and a search through all hands."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

from properties import indian_reference as reference
from properties.indian_hands import Hand, planes
from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.hand import Hand as Cards
from rummylab.games.indian.evaluate import evaluate, wild_rank
from rummylab.games.indian.mindist import min_dist, min_dist_many, outs

ONE_DECK = (
    ("2s 8s Qs Ah 5h 9h Th 4d 9d Kd 3c 8c Tc", "7"),
    ("Ac 6c 2h 5h Th Kh As 4s 8s Js 3d 9d Qd", "7"),
    ("4c 8c Qc Ah 2h 6h Th As 9s Ks 2d 7d Jd", "3"),
    ("3c 7c Jc 2h 6h Th 4s 8s Ks 2d 3d 5d 9d", "A"),
    ("2c 5c 8c Qc 3h 6h 9h Kh As 5s 7s Js 4d", "T"),
    ("2c 5c 7c Tc 3h 6h 9h As 5s 8s Js 4d Qd", "K"),
)
"""MinDist 7, found by `climb`; the first is the rules page's."""
TWO_DECKS = (
    ("4c 4c Ad 6s Ad 8c 5h Qc Th Js Js 9d 9d", "2"),
    ("Tc Tc 3h 3h 8h 8h Kh Kh 9s 6d 6d Qd Qd", "7"),
    ("Ac Ac 2h 2h 7h 7h Kh Kh 4s 4s Qs Qs 5d", "3"),
    ("2c 2c Qc 5h 5h Kh Kh 3s 3s 4d 4d Td Td", "A"),
    ("Jc Jc 5h 5h Th Th 2s 2s Qs Qs 3d 3d 9d", "K"),
)
"""MinDist 9."""
MOST = {1: 7, 2: 9}


@pytest.mark.parametrize(("decks", "text", "wild"), [(1, *one) for one in ONE_DECK] + [(2, *two) for two in TWO_DECKS])
def test_hands_found_by_search_are_as_far_away_as_can_be(decks: int, text: str, wild: str) -> None:
    hand = Cards.parse(text, decks=decks)
    value = evaluate(hand, wild_rank(wild), decks=decks).value
    assert value.min_dist == MOST[decks]
    assert len(value.kept) == 13 - MOST[decks]


@pytest.mark.parametrize(("text", "wild"), [ONE_DECK[0], TWO_DECKS[0]])
def test_the_readable_twin_finds_the_same_distance(text: str, wild: str) -> None:
    hand = Cards.parse(text, decks=2)
    cards: Hand = [(card.rank, card.suit) for card in hand]
    assert reference.min_dist(cards, wild_rank(wild)) == MOST[2 if hand.twice else 1]


@pytest.mark.parametrize("decks", [1, 2])
def test_hill_climbing_reaches_the_bound_and_never_passes_it(decks: int) -> None:
    found = {climb(random.Random(seed), decks, steps=700) for seed in range(4)}
    assert max(found) == MOST[decks]


def climb(rng: random.Random, decks: int, steps: int) -> int:
    """Exchange cards for further distance, or for fewer outs at the same; return the distance reached."""
    wild = rng.randrange(13)
    pool: Hand = [(rank, suit) for suit in range(4) for rank in range(13) if rank != wild] * decks
    rng.shuffle(pool)
    hand, rest = pool[:13], pool[13:]
    best = (0, 0)
    for _ in range(steps):
        i, k = rng.randrange(13), rng.randrange(len(rest))
        hand[i], rest[k] = rest[k], hand[i]
        once, twice, _ = planes(hand)
        distance = min_dist(once, twice, 0, wild)
        free = ALL_CARDS & ~(once if decks == 1 else twice)
        here = distance, -int(outs(once, twice, 0, wild, distance, free)).bit_count()
        if here >= best:
            best = here
        else:
            hand[i], rest[k] = rest[k], hand[i]
    return best[0]


@pytest.mark.slow
@pytest.mark.parametrize(("n_plain", "keeps"), [(13, 5), (12, 4)])
def test_no_hand_of_one_deck_is_further_away_than_seven(n_plain: int, keeps: int) -> None:
    """MinDist 8 would mean 13 plain cards of which five can be kept, or with a joker 12 of which four can.

    With more jokers it cannot be: any four cards can be kept. A hand is built suit by suit, the longest first; what
    keeps too many cards already is left out. Suits may be exchanged, and so may the ranks r and 13 - r around the
    ace, so seven wild ranks stand for all.
    """
    for wild in range(7):
        suits = kept_at_most(np.arange(8192)[np.arange(8192) >> wild & 1 == 0], wild, keeps)
        hands = suits[lengths(suits) >= -(-n_plain // 4)]
        for suit in range(1, 4):
            hands = add_suit(hands, suits, suit, n_plain)
            hands = kept_at_most(hands, wild, keeps)
        assert len(hands) == 0


def add_suit(hands: npt.NDArray[np.int64], suits: npt.NDArray[np.int64], suit: int, n: int) -> npt.NDArray[np.int64]:
    """Return all hands with one suit more, no longer than the last, from which *n* cards can still be reached."""
    found = [np.zeros(0, np.int64)]
    size = lengths(suits)
    for hand in map(int, hands):
        last, lacking = hand >> (16 * (suit - 1)), n - hand.bit_count()
        is_after = (size < last.bit_count()) | ((size == last.bit_count()) & (suits <= last))
        may = is_after & (size <= lacking) & (size * (4 - suit) >= lacking)
        found.append(hand | suits[may] << (16 * suit))
    return np.concatenate(found)


def kept_at_most(hands: npt.NDArray[np.int64], wild: int, keeps: int) -> npt.NDArray[np.int64]:
    lines = np.zeros((len(hands), 4), np.int64)
    lines[:, 0], lines[:, 3] = hands, wild
    distances = np.zeros(len(hands), np.int64)
    min_dist_many(lines, distances)
    return hands[13 - distances <= keeps]


def lengths(hands: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.bitwise_count(hands).astype(np.int64)
