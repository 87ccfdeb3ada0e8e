"""A hand in words: grouping, distance, target, outs, discards; and clear errors for hands that cannot be."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest

from properties.indian_hands import MAKERS
from properties.indian_hands import Hand as Cards
from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.errors import DeckError, NotationError, OptionError
from rummylab.games.indian.evaluate import Meld, card_value, evaluate, wild_rank
from rummylab.games.indian.expected_turns import expected_turns
from rummylab.games.indian.target import TARGET_SIZE, min_dist_live

PAPER = "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks Kh 7s"
"""Example IV-A of the paper, its suits repaired."""


def as_hand(cards: Cards, decks: int) -> Hand:
    return Hand.of([Card(JOKER_ID) if card is None else Card.of(*card) for card in cards], decks=decks)


def test_the_papers_first_example_is_worth_seven_not_27() -> None:
    value = evaluate(Hand.parse(PAPER), wild_rank("3c")).value
    assert value.min_score == 7
    assert [str(meld) for meld in value.grouping] == ["4c 5c 6c", "9h Th Jh", "4h 4s 4d", "3c=Kc Kh Ks"]
    assert [meld.kind for meld in value.grouping] == ["pure run", "run", "group", "group"]
    assert str(value.loose) == "7s"
    assert value.min_dist == 1
    assert evaluate(Hand.parse(PAPER), wild_rank("2")).value.min_score == 27


def test_the_hand_of_distance_seven() -> None:
    value = evaluate(Hand.parse("2s 8s Qs Ah 5h 9h Th 4d 9d Kd 3c 8c Tc"), wild_rank("7")).value
    assert value.min_dist == 7
    assert len(value.kept) == 6


def test_a_declaration() -> None:
    result = evaluate(Hand.parse("2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh Ks"), 4)
    assert result.is_declaration
    value = result.value
    assert (value.min_score, value.min_dist, value.n_outs, value.expected_turns) == (0, 0, 0, 0.0)
    assert not value.outs
    assert not value.loose
    assert value.kept == result.hand


def test_an_ace_beside_a_king_is_shown_last() -> None:
    value = evaluate(Hand.parse("Qh Kh Ah 2c 3c 4c 7s 8s 9s 5d 5h 5s 5c"), 9).value
    assert "Qh Kh Ah" in [str(meld) for meld in value.grouping]


def test_both_score_rules() -> None:
    hand = Hand.parse("4d 5d 6d 8c 8s 8d Th Qd 4s 2c 7h 2d 4h")
    assert evaluate(hand, 2).value.min_scores == {"paper": 63, "platform": 78, "pure_run_opens": 39}
    assert evaluate(hand, 2).value.min_score == 63
    strict = evaluate(hand, 2, score_rule="platform").value
    assert strict.min_score == 78
    assert strict.grouping == ()
    assert strict.loose == hand


@pytest.mark.parametrize("decks", [1, 2])
def test_every_value_holds_together(decks: int) -> None:
    rng = random.Random(decks)
    for i in range(150):
        cards, wild = MAKERS[i % 3](rng, 13, decks, 2)
        hand = as_hand(cards, decks)
        value = evaluate(hand, wild, decks=decks, printed_jokers=2).value
        assert sum(card_value(card, wild) for card in value.loose) == value.min_scores["paper"]
        assert Counter(value.loose) + Counter(c for m in value.grouping for c in m.cards) == Counter(hand)
        assert all(None not in meld.cards for meld in value.grouping)
        assert len(value.kept) == 13 - value.min_dist
        assert sum(len(meld.missing) for meld in value.target) == value.min_dist
        assert sum(len(meld.places) for meld in value.target) == 13
        assert value.target[0].kind == "pure run"
        assert value.target[1].kind == "run"
        assert all(
            card in (None, place) for m in value.target[:1] for card, place in zip(m.cards, m.places, strict=True)
        )
        if i % 15 == 0:
            assert_outs_bring_it_nearer(hand, wild, decks, value.outs, value.n_outs, value.min_dist)


def assert_outs_bring_it_nearer(hand: Hand, wild: int, decks: int, outs: Hand, n_outs: int, distance: int) -> None:
    """One card more, the best discard taken: nearer if and only if the card is an out."""
    total = 0
    for card in map(Card, [*range(13), *range(16, 29), *range(32, 45), *range(48, 61), JOKER_ID]):
        free = (2 if card.is_joker else decks) - list(hand).count(card)
        if free > 0:
            more = Hand.of([*hand, card], decks=decks)
            nearest = evaluate(more, wild, decks=decks, printed_jokers=2).value.min_dist
            assert (nearest < distance) == (card in outs)
            total += free * (card in outs)
    assert n_outs == total


def test_fourteen_cards_give_a_choice_for_each_kind_best_first() -> None:
    result = evaluate(Hand.parse(PAPER + " PJ"), 2)
    assert str(result.choices[0].discard) == "7s"
    assert result.is_declaration
    assert len(result.choices) == 14
    assert [c.rank for c in result.choices] == sorted(c.rank for c in result.choices)
    for choice in result.choices:
        alone = evaluate(choice.left.hand, 2).value
        assert (alone.min_dist, alone.min_scores) == (choice.left.min_dist, choice.left.min_scores)
        assert choice.left.n_outs <= alone.n_outs  # the card thrown does not come back


def test_two_copies_are_one_choice() -> None:
    result = evaluate(Hand.parse("2c 2c 9d 7d 7d Kd 4s 4s Ac Ac Qh Qh 8c 8c", decks=2), 4, decks=2)
    assert len(result.choices) == 8


def test_live_cards_alone_can_be_further_away() -> None:
    hand = Hand.parse("2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh 4d")
    live = Hand.parse("2d 3d 4s 6s")
    value = evaluate(hand, 4, live=live).value
    assert value.min_dist == 1
    assert value.min_dist_live is not None
    assert value.min_dist_live > 1
    assert value.n_outs >= value.min_dist_live, "what is missing in the target can be drawn"
    near = evaluate(hand, 4, live=Hand.parse("2d 3d 4s Ks")).value
    assert (near.min_dist_live, str(near.outs), near.n_outs) == (1, "Ks", 1)
    assert [str(card) for meld in near.target for card in meld.missing] == ["Ks"]
    none = evaluate(hand, 4, live=Hand()).value
    assert (none.min_dist_live, none.target, len(none.kept)) == (14, (), 0)
    assert (none.n_outs, none.expected_turns) == (0, None)


@pytest.mark.parametrize("decks", [1, 2])
def test_live_distance_outs_discards_and_draws_agree_by_brute_force(decks: int) -> None:
    rng = random.Random(40 + decks)
    further = 0
    for i in range(24):
        cards, wild = MAKERS[i % 3](rng, 13, decks, 2)
        hand = as_hand(cards, decks)
        live = some_live_cards(hand, decks, rng)
        value = evaluate(hand, wild, decks=decks, printed_jokers=2, live=live).value
        assert value.min_dist_live == nearest_with(hand, wild, live)
        further += value.min_dist_live != value.min_dist
        nearer = [card for card in live if value.distance > nearest_after_draw(hand, wild, card, live)]
        nearer *= value.distance < 14
        assert set(value.outs) == set(nearer)
        assert value.n_outs == len(nearer)
        if value.distance < 14:
            assert value.expected_turns == expected_turns(value.distance, value.n_outs, len(live))
            missing = {card for meld in value.target for card in meld.missing}
            assert missing & set(live) <= set(value.outs) or value.distance == 0
    assert further >= 5, "in some of these hands the dead cards matter"


def test_each_discard_of_fourteen_leaves_what_thirteen_cards_are_worth() -> None:
    rng = random.Random(7)
    for i in range(6):
        cards, wild = MAKERS[i % 3](rng, 14, 1, 2)
        hand = as_hand(cards, 1)
        live = some_live_cards(hand, 1, rng)
        result = evaluate(hand, wild, live=live)
        for choice in result.choices:
            alone = evaluate(choice.left.hand, wild, live=live).value
            assert alone == choice.left
        assert result.choices[0].left.distance == min(choice.left.distance for choice in result.choices)


def test_dead_jacks_and_jokers_leave_21_outs() -> None:
    hand = Hand.parse("3c 4c 5c 7d 8d 9d 4h 4s 4d Jc Jh 2s 9s")
    dead = Hand.parse("Js Jd Kc Kd Kh Ks PJ PJ")
    everything = Hand(ALL_CARDS, 0, 2)
    value = evaluate(hand, 12, live=everything - hand - dead).value
    assert (value.min_dist, value.min_dist_live, value.n_outs) == (2, 3, 21)


def some_live_cards(hand: Hand, decks: int, rng: random.Random) -> Hand:
    """Some of the cards that are not in the hand: often few, and without jokers."""
    rest = list((Counter(Deck.ordered(decks=decks, jokers=2)) - Counter(hand)).elements())
    rng.shuffle(rest)
    return Hand.of(rest[: rng.choice((6, 12, 20))], decks=decks)


def nearest_with(hand: Hand, wild: int, live: Hand) -> int:
    """The least number of cards from *live* that make thirteen of them a declaration, by the kernel for 13 cards."""
    planes = (*(hand.mask, hand.twice, hand.jokers), wild, *(live.mask, live.twice, live.jokers))
    return int(min_dist_live(*planes, np.zeros(TARGET_SIZE, np.int64)))


def nearest_after_draw(hand: Hand, wild: int, card: Card, live: Hand) -> int:
    """The least live distance after drawing *card* and discarding any of the fourteen."""
    drawn, left = Hand.of([*hand, card], decks=2), live - Hand.of([card])
    return min(nearest_with(drawn - Hand.of([thrown]), wild, left) for thrown in set(drawn))


def test_everything_is_plain_data() -> None:
    for text in (PAPER, PAPER + " PJ"):
        plain = evaluate(Hand.parse(text), 2).to_dict()
        assert json.loads(json.dumps(plain)) == plain
        assert {"hand", "wild", "min_score", "min_dist", "grouping", "target", "missing", "outs"} <= set(plain)
    assert plain["discard"] == "7s"
    assert len(plain["choices"]) == 14


def test_a_meld_shows_jokers_and_gaps() -> None:
    words = [Card.parse(word) for word in ("5s", "6s", "7s")]
    meld = Meld("run", tuple(words), (words[0], Card.parse("PJ"), None))
    assert str(meld) == "5s PJ=6s [7s]"
    assert f"{meld:unicode}" == "5♠ ★=6♠ [7♠]"
    assert meld.missing == (words[2],)


@pytest.mark.parametrize(
    ("text", "rank"), [("A", 0), ("3", 2), ("10", 9), ("t", 9), ("k", 12), ("3c", 2), ("10h", 9), ("PJ", 0)]
)
def test_the_wild_rank_is_a_rank_or_the_indicator(text: str, rank: int) -> None:
    assert wild_rank(text) == rank


@pytest.mark.parametrize("text", ["1", "X", "", "3x", "joke", "14"])
def test_an_unknown_wild_rank_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="not a wild rank"):
        wild_rank(text)


@pytest.mark.parametrize(
    ("hand", "wild", "changes", "error", "message"),
    [
        ("2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh", 2, {}, DeckError, "13 cards, or 14 before the discard, not 12"),
        (PAPER + " 2d 3d", 2, {}, DeckError, "not 15"),
        ("2c 2c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh Ks", 2, {}, DeckError, "2c is in the hand 2 times, but one deck is in"),
        ("PJ PJ PJ 6h 7h 8h 9s Ts Js Qs Kc Kh Ks", 2, {}, DeckError, "3 times, but 2 printed jokers in play"),
        ("PJ PJ 4c 6h 7h 8h 9s Ts Js Qs Kc Kh Ks", 2, {"printed_jokers": 1}, DeckError, "but 1 printed joker in play"),
        (PAPER, 13, {}, NotationError, "no rank 13"),
        (PAPER, -1, {}, NotationError, "no rank -1"),
        (PAPER, 2, {"decks": 3}, OptionError, "one or two decks, not 3"),
        (PAPER, 2, {"printed_jokers": 9}, OptionError, "0 to 4 printed jokers, not 9"),
        (PAPER, 2, {"live": Hand.parse("3c 9d")}, DeckError, "3c is in the hand and among the live cards 2 times"),
    ],
)
def test_hands_that_cannot_be_are_refused(
    hand: str, wild: int, changes: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        evaluate(Hand.parse(hand, decks=2), wild, **changes)


def test_a_third_copy_is_refused_when_it_is_read() -> None:
    with pytest.raises(DeckError, match="3 times"):
        Hand.parse("2c 2c 2c", decks=2)
