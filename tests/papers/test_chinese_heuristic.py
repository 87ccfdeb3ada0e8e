"""The AI of the rules text of Chinese Rummy, sentence by sentence, and what is known of its play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from contract_tables import JUNK, READY, deal
from helpers import push
from rummylab.agents.registry import agent
from rummylab.arena.backends import ThisProcess
from rummylab.arena.match import match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import OptionError
from rummylab.lab.experiment.report import write_report
from rummylab.lab.experiment.run import run_experiment
from rummylab.studies.chinese.study import SelfPlay
from rummylab.studies.registry import reproduction

LAY_DOWN = "lay down 7c 7h 7s; lay down 9c 9h 2s"


def choice(state: State, options: str = "") -> str:
    """What the AI does at this table."""
    assert state.actor is not None
    player = agent("contract", f"chinese-heuristic{options}")
    player.sit(state.rules, Seat(state.actor), np.random.default_rng(1))
    return str(player.act(state.observe(state.actor)))


def opponent_laid_down(seat1: str, discard: str = "4d", stock: str = "3s") -> State:
    """Seat 0 has laid down sevens and nines and thrown *discard*; seat 1 is to draw."""
    return push(deal(seat1=seat1, stock=stock), f"draw stock; {LAY_DOWN}; discard {discard}")


def own_laid_down(seat1: str = JUNK, discard: str = "Kh", stock: str = "3s") -> State:
    """Seat 0 has laid down and it is its turn again, holding one card, after seat 1 threw *discard*."""
    return push(opponent_laid_down(seat1, stock=stock), f"draw stock; discard {discard}")


# --- Draw behaviour ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wild", ["2h", "PJ"])
def test_if_the_discard_is_wild_take_it(wild: str) -> None:
    assert choice(deal(JUNK, READY, wild)) == "draw upcard"


def test_if_the_discard_matches_a_rank_already_in_the_hand_take_it() -> None:
    assert choice(deal(JUNK, READY, "Kd")) == "draw upcard"
    assert choice(deal(JUNK, READY, "3d")) == "draw upcard"


def test_otherwise_draw_from_the_deck() -> None:
    assert choice(deal(JUNK, READY, "Ad")) == "draw stock"


def test_a_two_in_the_hand_is_no_rank_to_match() -> None:
    assert choice(deal("2c 5d 6h 8s Td Qc Kh", READY, "Ad")) == "draw stock"


def test_if_the_discard_matches_a_rank_in_the_own_melds_take_it() -> None:
    state = own_laid_down("7d 5d 6h 8s Td Qc Kh", discard="7d")
    assert choice(state) == "draw upcard"


def test_if_the_discard_matches_a_rank_in_the_opponents_melds_take_it_to_deny_it() -> None:
    # Seat 0 throws a nine that it could have laid off.
    assert choice(opponent_laid_down(JUNK, discard="9d", stock="9d")) == "draw upcard"
    assert choice(opponent_laid_down(JUNK, discard="4d")) == "draw stock"


def test_once_laid_down_only_a_card_that_can_be_laid_off_is_taken() -> None:
    # Seat 0 holds the three of spades: a three would pair it, but cannot be laid off.
    assert choice(own_laid_down("3c 5d 6h 8s Td Qc Kh", discard="3c")) == "draw stock"
    assert choice(own_laid_down("PJ 5d 6h 8s Td Qc Kh", discard="PJ")) == "draw upcard"
    assert choice(own_laid_down("9d 5d 6h 8s Td Qc Kh", discard="9d")) == "draw upcard"


# --- Lay down / lay off -----------------------------------------------------------------------------------------------


def test_after_drawing_it_lays_down_two_sets() -> None:
    state = push(deal(), "draw stock")
    first = choice(state)
    assert first == "lay down 7c 7h 7s", "natural sets before those with a wild"
    assert choice(push(state, first)) == "lay down 9c 9h 2s"


def test_the_half_natural_rule_is_kept() -> None:
    state = push(deal("7c 7h 7s 9c 2h 2s 4d"), "draw stock")
    assert choice(state).startswith("discard"), "a nine and two wilds are no set"


def test_it_then_lays_off_any_eligible_cards() -> None:
    state = push(deal(stock="PJ"), f"draw stock; {LAY_DOWN}")
    assert choice(state) == "lay off PJ on meld 1"
    state = opponent_laid_down("Kc Kh Ks Qc Qh Qs 9d", stock="3s 3d")
    push(state, "draw stock; lay down Kc Kh Ks; lay down Qc Qh Qs")
    assert choice(state) == "lay off 9d on meld 2", "on the opponent's melds too"


# --- Discard behaviour ------------------------------------------------------------------------------------------------


def discard_from(hand: str, drawn: str) -> str:
    return choice(push(deal(hand, "3c 5d 6h 8s Td Qc Kh", "Ad", drawn), "draw stock"))


def test_wilds_are_never_thrown_unless_there_is_nothing_else() -> None:
    assert discard_from("2c 2h 2s 2d PJ 4c 4h", "PJ") in ("discard 4c", "discard 4h")
    only = push(deal("2c 2h 2s", "3c 5d 6h", stock="PJ", contract="S3", hand_sizes="3"), "draw stock")
    assert choice(only) == "discard 2c"


def test_a_third_card_of_a_rank_is_protected_even_if_it_costs_most() -> None:
    assert discard_from("Kc Ks Kd 4c 4h 6c 6s", "8c") == "discard 8c"
    four = push(deal("Kc Ks Kd 4c 4h 6c 6s", "3c 5d 6h 8s Td Qc Jh", stock="Kh"), "draw stock")
    assert choice(four) == "discard 4c", "a pair is broken before them"


def test_singletons_go_first() -> None:
    assert discard_from("Kc Ks Qd Qh 4c 6c 6s", "8c") in ("discard 4c", "discard 8c")


def test_among_singletons_the_dear_ones_go_first() -> None:
    assert discard_from("Kc 3s Js 9h 4c 6c 8d", "5s") in ("discard Kc", "discard Js")
    assert discard_from("Ac 3s 7s 9h 4c 6c 8d", "5s") == "discard Ac"
    assert discard_from("4h 3s 7s 9h 9c 6c 8d", "Tc") == "discard Tc"


def test_ranks_that_the_opponent_could_lay_off_are_avoided() -> None:
    state = push(opponent_laid_down("7d 5d 6h 8s 9s 3c 4c", stock="3s 8h"), "draw stock")
    thrown = choice(state).split()[1]
    assert thrown not in ("7d", "9s")
    worse = push(opponent_laid_down("7d 9s 6h 6c 8s 3c 3h", stock="3s 8h"), "draw stock")
    assert choice(worse) in ("discard 7d", "discard 9s"), "but a singleton goes before a pair"


def test_cards_for_the_own_melds_are_kept() -> None:
    """By the letter of ``discard_only`` the last but one cannot always be laid off: it is not the one thrown."""
    hand = "7c 7h 7s 9c 9h 9s 9d"
    state = push(deal(hand, stock="4s", preset="chinese-literal"), "draw stock; lay down 7c 7h 7s; lay down 9c 9h 9s")
    assert choice(state) == "lay off 9d on meld 2"
    assert choice(push(state, "lay off 9d on meld 2")) == "discard 4s"


@pytest.mark.parametrize(
    ("options", "thrown"),
    [
        ("", "7d 9s"),  # the chosen order: a singleton goes, though the opponent can lay it off
        ("(order=14235)", "7d 9s"),
        ("(order=14523)", "7d 9s"),
        ("(order=12345)", "6h 6c 8s 8h 3c 3h"),  # the order of the text: a pair is broken instead
    ],
)
def test_the_order_decides_between_singletons_and_what_the_opponent_could_lay_off(options: str, thrown: str) -> None:
    state = push(opponent_laid_down("7d 9s 6h 6c 8s 3c 3h", stock="3s 8h"), "draw stock")
    assert choice(state, options).removeprefix("discard ") in thrown.split()


@pytest.mark.parametrize(("order", "thrown"), [(14235, "3c 5d"), (12345, "3c 5d"), (14523, "Kd"), (45123, "Kd")])
def test_the_order_decides_between_dear_cards_and_what_the_opponent_could_lay_off(order: int, thrown: str) -> None:
    state = push(deal("Kc Kh Ks 9c 9h 2s 4d", "Kd 3c 5d 6h 6c 8s 8d", stock="3s 8h"), "draw stock")
    push(state, "lay down Kc Kh Ks; lay down 9c 9h 2s; discard 4d; draw stock")
    assert choice(state, f"(order={order})").removeprefix("discard ") in thrown.split()


@pytest.mark.parametrize("options", ["order=12344", "order=1234", "order=12346", "order=0", "ties=2"])
def test_an_order_names_every_rule_once(options: str) -> None:
    with pytest.raises(OptionError, match=options.split("=")[0]):
        agent("contract", f"chinese-heuristic({options})")


# --- Its play against itself ------------------------------------------------------------------------------------------


def test_the_study_has_the_known_figures_beside_those_of_every_order(tmp_path: Path) -> None:
    results = run_experiment(reproduction("chinese", changes=["games=60"]), backend=ThisProcess())
    text = write_report(results, tmp_path).read_text(encoding="utf-8")
    for words in ("0.541 ± 0.006", "32.80 ± 0.37", "`14235` (*chosen*)", "`12345` (as in the text)"):
        assert words in text
    assert all(wanted.chosen for wanted in results.experiment.expectations), "the order was chosen to fit"
    orders = {step.name for step in results.experiment.steps if step.name.isdigit()}
    assert len(orders) == 12
    assert all(sorted(order) == list("12345") and order.index("4") < order.index("5") for order in orders)
    assert (tmp_path / "orders.svg").stat().st_size > 5000


def test_the_known_figures_are_counted_as_they_are_meant() -> None:
    tallies = np.zeros(
        6, [("winner", "i1"), ("starter", "i1"), ("turns", "i4"), ("unready", "i4"), ("scores", "i4", 2)]
    )
    tallies["winner"] = [0, 0, 1, 1, 0, -1]
    tallies["starter"] = [0, 1, 1, 1, 0, 0]
    tallies["turns"] = [5, 7, 9, 11, 13, 200]
    tallies["unready"] = [1, 0, 0, 0, 0, 0]
    tallies["scores"] = [(30, 0), (10, 0), (0, 20), (0, 40), (50, 0), (0, 0)]
    found = SelfPlay(tallies)
    assert found.first_wins.value == pytest.approx(4 / 5), "a round that nobody won has no winner"
    assert found.not_laid_down.value == pytest.approx(1 / 5)
    assert found.mean_loss.value == 30
    assert found.never_end.value == pytest.approx(1 / 6)
    assert found.median_turns.value == 10


def test_self_play_lands_near_the_figures_known_of_it() -> None:
    """Known: the first player wins 54.1 %, a loss costs 32.8 points, 54 % of the losers have not laid down."""
    tallies = match("contract", "chinese-heuristic", "chinese-heuristic", games=20_000, seed=7, workers=1).tallies
    played = SelfPlay(tallies[::2])
    assert (played.median_turns.value, played.p90_turns.value) == (11, 18)
    assert abs(played.first_wins.value - 0.541) < 0.015
    assert abs(played.mean_loss.value - 32.8) < 1.7
    assert abs(played.not_laid_down.value - 0.54) < 0.02
    assert played.never_end.value < 0.001


def test_it_beats_random_play_nearly_always() -> None:
    result = match("contract", "chinese-heuristic", "random", games=2000, seed=3, workers=1)
    assert result.win_rate.value > 0.95
    assert result.points_per_hand.low > 30
