"""The learning of Gallucci et al.: counterfactual regret of single decisions, on hands that are laid out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import cfr_kernels as k
from cfr_kernels import ADD_DISCARD, LEARN_DISCARD, LEARN_DRAW, LEARN_KNOCK
from helpers import make_deck, mask_of, numbers, numbers_of, push
from properties import reference
from rummylab.agents.gin import cfr_tables as tables
from rummylab.agents.gin.fitness import TABLES, FitnessOptions
from rummylab.cards.card import Card
from rummylab.engine.state import State
from rummylab.games.gin.view import gin
from rummylab.learning.cfr.gin_hands import CHOICE
from rummylab.learning.cfr.regrets import add_regrets

CFR_PLUS = 0.0
"""Negative regrets are not kept."""


class Lesson:
    """A position and what is known of it: draws take what melds, knocks are made at once, discards are even."""

    def __init__(self, state: State, start: float = 0.5) -> None:
        self.state = state
        flat = np.full(tables.N_SETS, tables.UNSEEN, np.float32)
        flat[: tables.DRAWS] = start
        self.params = np.concatenate([np.array(FitnessOptions(pure=0).params, np.float32), flat])
        self.regrets, self.sums, self.gains = (np.zeros(2 * tables.N_SETS) for _ in range(3))

    def learn(self, what: int, cards: str = "", left: int = 0, seed: int = 1) -> None:
        rows = gin().new_rows(3)
        rows[0] = self.state._row[0]
        rows[2]["mine"][0]["rng"] = seed
        values, counts = np.zeros((CHOICE, 2)), np.zeros(3, np.int64)
        mask = mask_of(numbers(cards)) if cards else 0
        k.learn(
            rows, what, mask, left, self.params, self.regrets, self.sums, self.gains,
            add_regrets, CFR_PLUS, values, counts,
        )  # fmt: skip

    def places(self, left: int = 1) -> tuple[int, int]:
        """Where the draw is learned, and a knock with *left* points."""
        out = np.zeros(2, np.int64)
        k.places(self.state._row, left, out)
        return int(out[0]), int(out[1])

    def strategy(self, place: int) -> float:
        """The probability of the second action: take it, knock, throw it."""
        return float(self.params[TABLES + place])

    def discard_place(self, card: str, suit: int = 0) -> int:
        """Where a discard is learned: in the first suit, for all of them."""
        eleven = self.state.observe(self.state.actor).view[0]["mine"]["hand"]
        deadwood = reference.min_deadwood(numbers_of(eleven))
        return int(np.ravel_multi_index((Card.parse(card).index52 % 13 + 13 * suit, 0, deadwood), (52, 3, 107)))


GIVES_GIN, IS_SAFE = "Kh", "Qd"


def after_draw() -> State:
    """The king gives the opponent gin; after the queen the learner knocks with five in the next turn."""
    deck = make_deck("Ac 2c 3c 4c 7h 7s 7d Kh Qd As", "5c 6c 7c 8c Jh Js Jd Kc Ks 2d", "6h", "2s 3h 2h")
    return push(State.deal(gin(), 0, starter=0, deck=deck), "pass; pass; draw stock")


THROW_KING = -(25 + 10 + 1 + 2)
THROW_QUEEN = (10 + 2 + 3) - (1 + 2 + 2)


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_cfr_strategy_learns_to_throw_the_card_that_does_better_and_to_keep_the_other(seed: int) -> None:
    lesson = Lesson(after_draw())
    lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
    king, queen = lesson.discard_place(GIVES_GIN), lesson.discard_place(IS_SAFE)
    assert (lesson.strategy(king), lesson.strategy(queen)) in ((0.0, 0.5), (0.5, 1.0))  # the first card that is asked
    for suit in range(4):
        assert lesson.strategy(lesson.discard_place(GIVES_GIN, suit)) == lesson.strategy(king)
        assert lesson.strategy(lesson.discard_place(IS_SAFE, suit)) == lesson.strategy(queen)


def test_each_card_is_asked_first_now_and_then() -> None:
    asked = set()
    for seed in range(1, 9):
        lesson = Lesson(after_draw())
        lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
        asked.add(lesson.strategy(lesson.discard_place(GIVES_GIN)) == 0.0)
    assert asked == {True, False}


def test_regret_is_what_an_action_is_worth_beyond_the_strategy_and_never_falls_below_zero() -> None:
    """R+ = max(R+ + v(a) - v, 0), where v is worth what the strategy gets on average."""
    lesson = Lesson(after_draw(), start=0.25)
    seed, queen = asking_first(IS_SAFE), lesson.discard_place(IS_SAFE)
    lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
    better = THROW_QUEEN - THROW_KING
    assert lesson.regrets[2 * queen : 2 * queen + 2].tolist() == [0.0, 0.75 * better]
    assert lesson.gains[2 * queen : 2 * queen + 2].tolist() == [-0.25 * better, 0.75 * better]
    lesson.params[TABLES + queen] = 0.5  # regrets accumulate
    lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
    assert lesson.regrets[2 * queen + 1] == (0.75 + 0.5) * better


def asking_first(card: str) -> int:
    """A seed with which the learner asks about *card* first."""
    for seed in range(1, 50):
        lesson = Lesson(after_draw())
        lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
        if lesson.strategy(lesson.discard_place(card)) != 0.5:
            return seed
    raise AssertionError(f"{card} is never asked first")


def test_the_strategy_is_in_proportion_to_the_positive_regrets_and_even_without_any() -> None:
    lesson, seed = Lesson(after_draw()), asking_first(IS_SAFE)
    queen, better = lesson.discard_place(IS_SAFE), THROW_QUEEN - THROW_KING
    lesson.regrets[2 * queen] = 2 * better
    lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
    keep, throw = (2 - 0.5) * better, 0.5 * better
    assert lesson.strategy(queen) == pytest.approx(throw / (keep + throw))
    lesson = Lesson(after_draw(), start=1.0)  # throws the queen for certain: nothing to regret
    lesson.learn(LEARN_DISCARD, f"{GIVES_GIN} {IS_SAFE}", seed=seed)
    assert lesson.regrets[2 * queen : 2 * queen + 2].tolist() == [0.0, 0.0]
    assert lesson.strategy(queen) == 0.5


def test_the_average_counts_a_card_as_often_as_the_player_comes_to_it() -> None:
    lesson = Lesson(after_draw(), start=0.25)
    lesson.learn(ADD_DISCARD, "Kh Qd As")
    pairs = lesson.sums.reshape(-1, 2)
    met = pairs[pairs.sum(axis=1) > 0]
    assert sorted(met.sum(axis=1)) == pytest.approx([0.75, 1.0])  # the last card is not asked for
    assert met[:, 1] / met.sum(axis=1) == pytest.approx(0.25)


def _draw_state(up: str) -> State:
    """The up-card makes gin at once, or is a king that is of no use; the stock makes gin, or not."""
    stock = "Kc 9s Td" if up == "5d" else "5d 9s Td"
    deck = make_deck("Ac 2c 3c 4c 7h 7s 7d 3d 4d Qh", "2h 4h 6h 8h 2s 4s 6s 8s 9c Jc", up, stock)
    return State.deal(gin(), 0, starter=0, deck=deck)


@pytest.mark.parametrize(("up", "takes"), [("5d", 1.0), ("Ks", 0.0)])
def test_the_draw_strategy_learns_to_take_the_up_card_where_that_does_better_than_the_stock(
    up: str, takes: float
) -> None:
    lesson = Lesson(_draw_state(up))
    place, _ = lesson.places()
    lesson.params[TABLES + place] = 0.5
    lesson.learn(LEARN_DRAW)
    assert lesson.strategy(place) == takes


@pytest.mark.parametrize(
    ("theirs", "knocks"),
    [
        ("2h 4d 6h 8h Ts Ks 6s 8s 9c Jc", 1.0),  # much deadwood, and the nine of spades to come makes less of it
        (
            "5c 6c 7c 8c Jh Js Jd As 2h 2s",
            0.0,
        ),  # five points undercut; if not asked to show them they knock and win four
    ],
)
def test_the_knock_strategy_learns_to_knock_where_that_does_better_than_to_play_on(theirs: str, knocks: float) -> None:
    deck = make_deck("Ac 2c 3c 4c 7h 7s 7d 2d 3d 4h", theirs, "Td", "Kd 9s 5h")
    lesson = Lesson(push(State.deal(gin(), 0, starter=0, deck=deck), "pass; pass; draw stock"))
    _, place = lesson.places(left=9)
    lesson.params[TABLES + place] = 0.5
    lesson.learn(LEARN_KNOCK, "Kd", left=9)
    assert lesson.strategy(place) == knocks
