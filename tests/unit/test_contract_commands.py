"""Chinese Rummy on the command line and at the terminal table, which serves every game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab.agents.registry import agent
from rummylab.arena import speed
from rummylab.cli.main import app
from rummylab.engine.action import Action
from rummylab.engine.records import validate_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import NotationError, RummyError
from rummylab.games.contract.view import contract
from rummylab.games.registry import GAMES
from rummylab.ui.terminal.table import TerminalTable, prompt, read_action


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
    assert value["discard"] in ("Kd", "Qc"), "of the useless cards the dear ones go first"
    assert len(value["choices"]) == 8
    assert [choice["short"] for choice in value["choices"]] == sorted(choice["short"] for choice in value["choices"])


def test_a_hand_far_from_the_contract_is_told_exactly_how_far() -> None:
    junk = "3c 5d 6h 8s Td Qc Kh 9c Jd"
    rules = ("--rules", "chinese(contract=3S3, hand_sizes=9)")
    assert "6 cards short" in run("hand", "contract", junk, *rules)
    assert json.loads(run("hand", "contract", junk, *rules, "--json"))["short"] == 6


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


class Keyboard:
    """Types legal moves at random, in words; asks for everything once."""

    def __init__(self, table: Callable[[], State | None]) -> None:
        self.state = table
        self.rng = np.random.default_rng(2)
        self.first: Iterator[str] = iter(["help", "hint", "moves", "log", "undo", "nonsense", ""])

    def __call__(self, prompt: str) -> str:
        question = next(self.first, None)
        if question is not None:
            return question
        state = self.state()
        assert state is not None
        legal = list(state.legal_actions)
        return str(legal[int(self.rng.integers(len(legal)))])


def play_at_the_terminal(rules: Rules, path: Path | None = None) -> list[str]:
    said: list[str] = []
    seen: list[State] = []

    class Watched(TerminalTable):
        def _your_move(self, state: State) -> None:
            seen.append(state)
            super()._your_move(state)

    names = {"gin": "simple", "indian": "random", "contract": "chinese-heuristic"}
    name = names.get(rules.name, "random")
    players = [agent(rules.name, name) for _ in range(rules.seats - 1)]
    table = Watched(
        rules,
        players,
        5,
        coach=agent(rules.name, name),
        plain=True,
        record=path,
        read=Keyboard(lambda: seen[-1]),
        write=said.append,
    )
    table.play()
    return said


@pytest.mark.parametrize("game", GAMES)
def test_any_game_can_be_played_at_the_terminal(game: str, tmp_path: Path) -> None:
    changes = {
        "gin": {"target": 20},
        "indian": {"round_limit": 4},
        "contract": {"rounds": 2},
        "gin_pass": {"hands": 6, "seats": 3},
    }
    rules = GAMES[game].rules(None, **changes[game])
    path = tmp_path / "mine.rgr"
    said = "\n".join(play_at_the_terminal(rules, path))
    assert "would" in said
    assert "nothing to take back" in said
    assert "'nonsense' is nothing you can do now" in said
    assert "wins the match" in said or "You win the match" in said or "Nobody wins" in said
    assert validate_records(path, lambda name, options: rules)


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
    assert "Contract rummy against chinese-heuristic, first to 100" in said
    assert "You leave the table." in said


@pytest.mark.parametrize(
    ("game", "typed", "reason"),
    [
        ("contract", "s\nmeld 7c 2d PJ", "2 wilds in a meld of 3: at least half of it must be natural"),
        ("contract", "s\nmeld Ah 9d 2d", "Ah 2d 9d is neither a set of one rank nor a run"),
        ("contract", "s\nlay off Ah on meld 1", "must lay down the contract before laying off cards"),
        ("contract", "s\ndraw stock", "not possible in the phase 'play' (possible: discard)"),
        ("contract", "discard Kx", "'discard kx' is nothing you can do now"),
        ("gin_pass", "pass Kc", "Kc is not in the hand"),
        ("gin_pass", "draw stock", "not possible in the phase 'pass' (possible: pass)"),
    ],
)
def test_the_terminal_says_why_a_move_is_not_possible(game: str, typed: str, reason: str) -> None:
    assert reason in run("play", game, "--terminal", "--seed", "4", "--plain", stdin=f"{typed}\nquit\n")


def test_several_opponents_are_told_apart() -> None:
    rules = GAMES["indian"].rules(None, seats=3, round_limit=2)
    said = "\n".join(play_at_the_terminal(rules))
    assert "random 1" in said
    assert "random 2" in said


def actions(*texts: str) -> list[Action]:
    return [Action.parse(text) for text in texts]


def test_what_is_typed_is_understood_by_enough_of_its_words() -> None:
    legal = actions("draw stock", "draw upcard")
    assert str(read_action("s", legal)) == "draw stock"
    assert str(read_action("up", legal)) == "draw upcard"
    with pytest.raises(NotationError, match="could be draw stock, draw upcard"):
        read_action("draw", legal)
    legal = actions("discard 7h", "discard Th", "lay down 7c 7h 2s", "lay off 7h on meld 1", "lay off 7h on meld 2")
    assert str(read_action("7h", legal)) == "discard 7h"
    assert str(read_action("10h", legal)) == "discard Th"
    assert str(read_action("lay down 2s 7h 7c", legal)) == "lay down 7c 7h 2s"
    assert str(read_action("lay down 7c", legal)) == "lay down 7c 7h 2s"
    assert read_action("lay off 7h on meld 2", legal).on == 2
    assert read_action("lay o 7h 2", legal).on == 2
    with pytest.raises(NotationError, match="nothing you can do now"):
        read_action("knock 7h", legal)


def test_the_prompt_names_moves_with_a_card_by_their_kind() -> None:
    text = prompt(actions("discard 7h", "discard 8h", "lay down 7c 7h 7s", "lay off 9d on meld 1"))
    assert text == "discard CARD; lay down 7c 7h 7s; lay off 9d on meld 1?"


def test_an_observation_of_chinese_rummy_speaks_in_words() -> None:
    state = State.deal(contract(), 5)
    seen = state.observe(Seat(int(state.actor or 0)))
    assert seen.contract.cards == 6  # type: ignore[attr-defined]
    assert seen.penalties == (0, 0)  # type: ignore[attr-defined]
    assert seen.n_cards(Seat(0)) == 7  # type: ignore[attr-defined]
    assert seen.lay_down() is None  # type: ignore[attr-defined]
    assert len(seen.known(Seat(1))) == 0  # type: ignore[attr-defined]
