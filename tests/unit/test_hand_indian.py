"""``rummylab hand indian``: a hand in words and as JSON, and clear errors for hands that cannot be."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from rummylab.cli.main import app
from rummylab.errors import RummyError

TWO_DECKS = ("--rules", "paper(decks=2, printed_jokers=4)")
IV_A = "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks Kh 7s"


def jokers(n: int) -> tuple[str, str]:
    return "--rules", f"paper(printed_jokers={n})"


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["hand", "indian", *arguments])
    if isinstance(done.exception, RummyError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_thirteen_cards_are_grouped_and_told_what_to_wait_for() -> None:
    text = run(IV_A, "--wild", "3")
    assert "MinScore 7\n" in text
    assert "pure run  4♣ 5♣ 6♣" in text
    assert "3♣=K♣ K♥ K♠" in text
    assert "unmelded: 7♠" in text
    assert "MinDist 1\n" in text
    assert "to be replaced: 7♠" in text
    assert "Waits for 10 of 41 unseen cards; with one of them the hand can be declared:" in text
    assert "a joker: 3♥ 3♠ 3♦ ★ x2  (5 cards)" in text


def test_json_holds_every_value() -> None:
    result = json.loads(run(IV_A, "--wild", "3", "--json"))
    assert (result["min_score"], result["min_dist"], result["n_outs"]) == (7, 1, 10)
    assert result["min_scores"] == {"paper": 7, "platform": 7, "pure_run_opens": 7}
    assert result["missing"]
    assert len(result["kept"].split()) == 12
    assert sum(result["waits_for"].values()) == 10
    assert result["waits_for"]["PJ"] == 2


def test_fourteen_cards_get_a_discard_with_its_reason() -> None:
    text = " ".join(run(IV_A + " 2d", "--wild", "3").split())
    assert "Discard 7♠. It leaves MinDist 1 with 10 outs, as 2♦ would, but a lower MinScore: 2 to 7." in text
    result = json.loads(run(IV_A + " 2d", "--wild", "3", "--json"))
    assert result["discards"] == ["7s"]
    assert len(result["choices"]) == 14
    distances = [choice["min_dist"] for choice in result["choices"]]
    assert distances == sorted(distances)
    best = [choice for choice in result["choices"] if choice["min_dist"] == distances[0]]
    assert [c["n_outs"] for c in best] == sorted((c["n_outs"] for c in best), reverse=True)


def test_a_complete_hand_is_told_to_declare() -> None:
    hand = "As 2s 3s Qh Kh Ah 9c 9d 9h 4c 4d 4h 4s"
    assert "MinDist 0: declare!" in run(hand, "--wild", "5")
    assert "The other thirteen are a declaration." in run(hand + " 7d", "--wild", "5")


def test_both_score_rules_are_shown_where_they_differ() -> None:
    hand = "5h 6h 7h Js Qc 2s 8d 4d Tc Kc Kd 4s As"
    plain = json.loads(run(hand, "--wild", "3", "--json"))["min_scores"]
    assert plain["paper"] < plain["platform"]
    assert f"MinScore {plain['paper']} ({min(80, plain['platform'])} by the platform rule)" in run(hand, "--wild", "3")
    strict = json.loads(run(hand, "--wild", "3", "--rules", "platform(printed_jokers=2)", "--json"))
    assert strict["min_score"] == min(80, plain["platform"])


def test_dead_cards_are_not_waited_for() -> None:
    result = json.loads(run(IV_A, "--wild", "3", "--dead", "Kc Kd PJ PJ", "--json"))
    assert result["min_dist_live"] == 1
    assert set(result["waits_for"]) == {"7c", "3h", "8h", "Qh", "3s", "3d"}
    assert result["dead"] == ["Kc", "Kd", "PJ", "PJ"]
    given = json.loads(run(IV_A, "--wild", "3h", "--json"))
    assert "3h" not in given["waits_for"], "an indicator given as a card is out of play"


def test_outs_and_draws_are_those_of_the_distance_shown() -> None:
    hand, dead = "3c 4c 5c 7d 8d 9d 4h 4s 4d Jc Jh 2s 9s", "Js Jd Kc Kd Kh Ks PJ PJ"
    text = run(hand, "--wild", "K", "--dead", dead)
    assert "MinDist 2 if any card could come, 3 with the live cards" in text
    assert "Waits for 21 of 33 unseen cards; with one of them the hand is at MinDist 2:" in text
    result = json.loads(run(hand, "--wild", "K", "--dead", dead, "--json"))
    assert (result["min_dist_live"], result["n_outs"], sum(result["waits_for"].values())) == (3, 21, 21)


def test_two_decks_count_every_copy() -> None:
    result = json.loads(run(IV_A, "--wild", "3", *TWO_DECKS, "--json"))
    assert result["waits_for"]["Kc"] == 2
    assert result["printed_jokers"] == 4
    doubled = IV_A.replace("7s", "Kh")
    assert json.loads(run(doubled, "--wild", "3", *TWO_DECKS, "--json"))["hand"].split().count("Kh") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks Kh", "--wild", "3"),
            "a hand has 13 cards, or 14 before the discard, not 12",
        ),
        ((IV_A, "--wild", "X"), "not a wild rank: 'X'"),
        ((IV_A,), "Indian Rummy needs the wild rank: --wild 3"),
        ((IV_A.replace("7s", "Kh"), "--wild", "3"), "Kh occurs 2 times, but one deck is in play"),
        ((IV_A.replace("7s 4d", "Kh Kh"), "--wild", "3", *jokers(9)), "must lie between 0 and 4"),
        ((IV_A.replace("Ks Kh 7s", "PJ PJ PJ"), "--wild", "3"), "PJ is in the hand 3 times, but 2 printed jokers"),
        ((IV_A.replace("7s", "PJ"), "--wild", "3", *jokers(0)), "PJ is in the hand 1 times, but 0 printed jokers"),
        ((IV_A, "--wild", "3", "--rules", "paper(decks=3)"), "must lie between 1 and 2"),
        ((IV_A, "--wild", "3", "--rules", "paper(decks=none)"), "takes a whole number"),
        ((IV_A, "--wild", "3", "--rules", "mine"), "no preset named 'mine'"),
        ((IV_A, "--wild", "3", "--dead", "Kh"), "Kh is in the hand or gone 2 times, but 1 in play"),
        ((IV_A, "--wild", "3", "--dead", "1x"), "not a card: '1x'"),
    ],
)
def test_a_hand_that_cannot_be_is_refused_clearly(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(RummyError) as caught:
        run(*arguments)
    assert message in str(caught.value)


def test_options_of_indian_are_refused_for_gin() -> None:
    done = CliRunner().invoke(app, ["hand", "gin", "7h 8h 9h", "--wild", "3"])
    assert isinstance(done.exception, RummyError)
    assert "Gin Rummy has no use for 'wild'" in str(done.exception)
