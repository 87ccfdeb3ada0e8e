"""Chinese Rummy on the command line and at the terminal table."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from contract_tables import table_with
from helpers import push
from rummylab.arena import speed
from rummylab.cli.main import app
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import RummyError
from rummylab.games.contract.show import ContractShow
from rummylab.games.contract.view import contract


def run(*arguments: str, stdin: str | None = None) -> str:
    done = CliRunner().invoke(app, list(arguments), input=stdin)
    if isinstance(done.exception, RummyError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


# --- rummylab hand ----------------------------------------------------------------------------------------------------


def test_a_hand_is_told_how_far_it_is_and_what_it_waits_for() -> None:
    value = json.loads(run("hand", "contract", "7c 7h 7s 9c 9h Kd 4d", "--json"))
    assert (value["short"], value["cost"]) == (1, 6 * 5 + 10)
    assert set(value["outs"]) == {"9s", "9d", "2c", "2h", "2s", "2d", "PJ"}
    assert value["n_outs"] == 8, "both jokers count"
    assert "1 card short" in run("hand", "contract", "7c 7h 7s 9c 9h Kd 4d")


def test_dead_cards_are_not_waited_for() -> None:
    value = json.loads(run("hand", "contract", "7c 7h 7s 9c 9h Kd 4d", "--dead", "9s PJ 2c", "--json"))
    assert set(value["outs"]) == {"9d", "2h", "2s", "2d", "PJ"}
    assert value["n_outs"] == 5


def test_a_complete_hand_is_laid_down() -> None:
    assert "lay down 7♣ 7♥ 7♠ | 9♣ 9♥ 2♠" in run("hand", "contract", "7c 7h 7s 9c 9h 2s 4d")


def test_eight_cards_get_a_discard() -> None:
    value = json.loads(run("hand", "contract", "7c 7h 7s 9c 9h Kd 4d Qc", "--json"))
    assert value["discard"] in ("Kd", "Qc"), "of the useless cards the highest go first"
    assert len(value["choices"]) == 8
    assert [choice["short"] for choice in value["choices"]] == sorted(choice["short"] for choice in value["choices"])


def test_a_hand_far_from_the_contract_is_told_exactly_how_far() -> None:
    junk = "3c 5d 6h 8s Td Qc Kh 9c Jd"
    rules = ("--rules", "chinese(contract=3S3, hand_sizes=9)")
    assert "6 cards short" in run("hand", "contract", junk, *rules)
    assert json.loads(run("hand", "contract", junk, *rules, "--json"))["short"] == 6


def test_the_table_tells_what_cards_cost_and_how_often_one_buys() -> None:
    def told(preset: str) -> str:
        return " ".join(" ".join(part.paragraphs) for part in ContractShow.sections(contract(preset)))

    assert "Cards from 3 to 9: 5 each; tens, court cards and aces: 10 each; wild cards: 20 each." in told("chinese")
    assert "Cards from 3 to 10: their face value; court cards: 10 each; aces: 15 each" in told("contract-7")
    assert "3 times a round, 4 in rounds 9 and 10." in told("shanghai-10")
    assert "buy" not in told("contract-7"), "nobody buys at a table of two"
    assert "side by side" not in told("contract-7(wild_neighbors=true)")


def test_a_wild_that_a_long_meld_needs_next_is_shown() -> None:
    rules = contract(contract="S5+S4", hand_sizes="10")
    hands = "7c 7h 7s 7d PJ 9c 9h 9s 9d 4d", "3c 5d 6h 8s Td Qc Kh Jc Ac As"
    state = push(table_with(rules, *hands, up="8d", stock="3d"), "draw stock; lay down 7c 7h 7s 7d")
    groups = ContractShow(state.observe(Seat(0)), ["You", "Other"]).groups()
    assert (groups[0].label, [card.card for card in groups[0].cards]) == ("ready: for meld 1", ["PJ"])


def test_a_contract_can_be_named() -> None:
    value = json.loads(run("hand", "contract", "7c 7h 7s 5d 6d 8d Kc Qh", "--contract", "S3+R4", "--json"))
    assert (value["short"], value["contract"]) == (1, "S3+R4")
    assert set(value["outs"]) == {"7d", "2c", "2h", "2s", "2d", "PJ"}
    nine = run("hand", "contract", "7c 7h 7s 5d 6d 8d Kc Qh 3s", "--contract", "S3+R4", "--dead", "PJ 7d")
    assert "waits for 5 cards" in nine
    assert nine.splitlines()[4].split() == ["K♣", "1", "5", "45"], "the costliest useless card first"


def test_a_run_longer_than_four_is_laid_down_whole() -> None:
    said = run("hand", "contract", "7c 7h 7s 4d 5d 6d 8d 9d PJ Td Kc", "--contract", "R7+S3", "--rules", "chinese-7")
    assert "lay down 4♦ 5♦ 6♦ 8♦ 9♦ T♦ ★ | 7♣ 7♥ 7♠   left over: K♣" in said


def test_equal_cards_to_wait_for_are_counted() -> None:
    hand = "3h 4h 5h 7h 8h 9h Th 9c 9d Kc Qs"
    text = run("hand", "contract", hand, "--rules", "shanghai-10", "--contract", "S3+R10")
    assert "waits for 19 cards: 9♣ A♥ x2 2♥ x2 6♥ x2 9♥ J♥ x2 Q♥ x2 9♠ x2 9♦ ★ x4" in text


def test_two_decks_have_two_copies_to_wait_for() -> None:
    hand = "7c 7c 7s 5d 5d 8d Kc Qh 9h 9h"
    value = json.loads(run("hand", "contract", hand, "--rules", "liverpool-7", "--contract", "S3+R4", "--json"))
    assert (value["short"], value["outs"].count("6d"), value["outs"].count("PJ")) == (2, 2, 4)


def test_other_contracts_can_be_asked_for() -> None:
    rules = ("--rules", "chinese(contract=S3+R4, hand_sizes=10)")
    value = json.loads(run("hand", "contract", "7c 7h 7s 5d 6d 8d Kc Qh 4s 9s", *rules, "--json"))
    assert value["short"] == 1
    assert {"7d", "2c", "PJ"} <= set(value["outs"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("7c 7h",), "has 7 cards, or 8 before the discard, not 2"),
        (("7c 7h 7s 9c 9h Kd 4d", "--wild", "3"), "Contract rummy has no use for 'wild'"),
        (("7c 7h 7s 9c 9h PJ PJ", "--dead", "PJ"), "PJ is in the hand or gone more often"),
        (("7c 7h 7s 9c 9h Kd 4d", "--rules", "chinese(contract=2X)"), "an item reads 2S3"),
        (("7c 7h 7s 9c 9h Kd 4d", "--contract", "S3+X4"), "has 'X4', but an item reads 2S3"),
        (("7c 7h 7s 9c 9h Kd 4d", "--contract", "R20"), "a run has 3 to 13 cards"),
        (("7c 7h 7s 9c 9h Kd 4d", "--contract", "5R4"), "a contract has one to 4 melds"),
    ],
)
def test_hands_that_cannot_be_are_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(RummyError, match=message):
        run("hand", "contract", *arguments)


def test_the_contract_is_for_contract_rummy_only() -> None:
    with pytest.raises(RummyError, match="no option of eaai named 'contract'"):
        run("hand", "gin", "7c 7h", "--rules", "eaai(contract=2S3)")


# --- rummylab match, bench --------------------------------------------------------------------------------------------


def test_the_arena_plays_rounds() -> None:
    value = json.loads(
        run(
            "match",
            "contract",
            "chinese-heuristic",
            "random",
            "--games",
            "200",
            "--seed",
            "3",
            "--json",
            "--workers",
            "1",
        )
    )
    assert value["games"] == value["hands"] == 200
    assert value["win_rate"] > 0.9
    assert value["points_per_hand"] > 20


def test_bench_prints_the_promised_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_batch", lambda game, agents, games: (games, 1, 1.0))
    figures = speed.speed("contract")
    assert set(figures) == {
        "rounds_per_s", "decisions_per_s", "counter_rounds_per_s", "random_rounds_per_s", "facade_decisions_per_s",
    }  # fmt: skip
    assert all(value > 0 for value in figures.values())


# --- The terminal table -----------------------------------------------------------------------------------------------


def test_the_command_plays_chinese_to_100_and_leaves_on_request() -> None:
    said = run(
        "play",
        "contract",
        "--terminal",
        "--agent",
        "chinese-heuristic",
        "--seed",
        "4",
        "--plain",
        stdin="s\nmoves\nquit\n",
    )
    assert "Contract rummy | Chinese rules | to 100 | round 1" in said
    assert "Chinese heuristic   7 cards" in said
    assert "You leave the table." in said


@pytest.mark.parametrize(
    ("game", "typed", "reason"),
    [
        ("contract", "s\nmeld 7c 2d PJ", "2 wilds in a meld of 3: at least half of it must be natural"),
        ("contract", "s\nmeld Ah 9d 2d", "Ah 2d 9d is neither a set of one rank nor a run"),
        ("contract", "s\nlay off Ah on meld 1", "must lay down the contract before laying off cards"),
        ("contract", "s\ndraw stock", "You can't do that: now you can only discard."),
        ("contract", "discard Kx", "'discard Kx' is nothing you can do now"),
        ("gin_pass", "pass Kc", "Kc is not in the hand"),
        ("gin_pass", "draw stock", "now you can only pass"),
    ],
)
def test_the_terminal_says_why_a_move_is_not_possible(game: str, typed: str, reason: str) -> None:
    names = {"contract": "chinese-heuristic", "gin_pass": "melder"}
    said = run("play", game, "--terminal", "--agent", names[game], "--seed", "4", stdin=f"{typed}\nquit\n")
    assert reason in " ".join(said.split())


def test_an_observation_of_chinese_rummy_speaks_in_words() -> None:
    state = State.deal(contract(), 5)
    seen = state.observe(Seat(int(state.actor or 0)))
    assert seen.contract.cards == 6  # type: ignore[attr-defined]
    assert seen.penalties == (0, 0)  # type: ignore[attr-defined]
    assert seen.n_cards(Seat(0)) == 7  # type: ignore[attr-defined]
    assert seen.lay_down() is None  # type: ignore[attr-defined]
    assert len(seen.known(Seat(1))) == 0  # type: ignore[attr-defined]
