"""Chinese Rummy on the command line and at the terminal table, which serves every game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab.agents.registry import agent
from rummylab.arena import speed_chinese
from rummylab.arena.speed import SPEED
from rummylab.cli.main import app
from rummylab.engine.action import Action
from rummylab.engine.records import validate_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import NotationError, RummyError
from rummylab.games.contract.game import chinese
from rummylab.games.registry import GAMES
from rummylab.play.terminal.table import TerminalTable, prompt, read_action


def run(*arguments: str, stdin: str | None = None) -> str:
    done = CliRunner().invoke(app, list(arguments), input=stdin)
    if isinstance(done.exception, RummyError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


# --- rummylab hand ----------------------------------------------------------------------------------------------------


def test_a_hand_is_told_how_far_it_is_and_what_it_waits_for() -> None:
    value = json.loads(run("hand", "chinese", "7c 7h 7s 9c 9h Kd 4d", "--json"))
    assert (value["short"], value["cost"]) == (1, 6 * 5 + 10)
    assert set(value["outs"]) == {"9s", "9d", "2c", "2h", "2s", "2d", "PJ"}
    assert value["n_outs"] == 8, "both jokers count"
    assert "1 card short" in run("hand", "chinese", "7c 7h 7s 9c 9h Kd 4d")


def test_dead_cards_are_not_waited_for() -> None:
    value = json.loads(run("hand", "chinese", "7c 7h 7s 9c 9h Kd 4d", "--dead", "9s PJ 2c", "--json"))
    assert set(value["outs"]) == {"9d", "2h", "2s", "2d", "PJ"}
    assert value["n_outs"] == 5


def test_a_complete_hand_is_laid_down() -> None:
    assert "lay down 7♣ 7♥ 7♠ | 9♣ 9♥ 2♠" in run("hand", "chinese", "7c 7h 7s 9c 9h 2s 4d")


def test_eight_cards_get_a_discard() -> None:
    value = json.loads(run("hand", "chinese", "7c 7h 7s 9c 9h Kd 4d Qc", "--json"))
    assert value["discard"] in ("Kd", "Qc"), "of the useless cards the dear ones go first"
    assert len(value["choices"]) == 8
    assert [choice["short"] for choice in value["choices"]] == sorted(choice["short"] for choice in value["choices"])


def test_a_hand_far_from_the_contract_is_short_of_so_many_cards_at_least() -> None:
    junk = "3c 5d 6h 8s Td Qc Kh 9c Jd"
    assert "at least 4 cards short" in run("hand", "chinese", junk, "--contract", "3S3"), "it is short of six"
    assert json.loads(run("hand", "chinese", junk, "--contract", "3S3", "--json"))["at_least"]
    assert not json.loads(run("hand", "chinese", "7c 7h 7s 9c 9h Kd 4d", "--json"))["at_least"]


def test_other_contracts_can_be_asked_for() -> None:
    value = json.loads(run("hand", "chinese", "7c 7h 7s 5d 6d 8d Kc Qh 4s 9s", "--contract", "S3+R4", "--json"))
    assert value["short"] == 1
    assert {"7d", "2c", "PJ"} <= set(value["outs"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("7c 7h",), "has 7 cards, or 8 before the discard, not 2"),
        (("7c 7h 7s 9c 9h Kd 4d", "--wild", "3"), "--wild is for Indian Rummy; chinese has no use for it"),
        (("7c 7h 7s 9c 9h PJ PJ", "--dead", "PJ"), "PJ is in the hand or gone more often"),
        (("7c 7h 7s 9c 9h Kd 4d", "--contract", "2X"), "an item reads 2S3"),
    ],
)
def test_hands_that_cannot_be_are_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(RummyError, match=message):
        run("hand", "chinese", *arguments)


def test_the_contract_is_for_chinese_rummy_only() -> None:
    with pytest.raises(RummyError, match="--contract is for Chinese Rummy; gin has no use for it"):
        run("hand", "gin", "7c 7h", "--contract", "2S3")


# --- rummylab arena, bench --------------------------------------------------------------------------------------------


def test_the_arena_plays_rounds() -> None:
    value = json.loads(
        run(
            "arena",
            "chinese",
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
    monkeypatch.setattr(speed_chinese, "batch_speed", lambda game, agents, games: (float(games), 1.0))
    figures = SPEED["chinese"]()
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

    names = {"gin": "simple", "indian": "random", "chinese": "chinese-heuristic"}
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
        "chinese": {"rounds": 2},
        "gin-course": {"hands": 6, "seats": 3},
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
    said = run("play", "chinese", "--agent", "chinese-heuristic", "--seed", "4", "--plain", stdin="s\nmoves\nquit\n")
    assert "Chinese Rummy and other contract rummies against chinese-heuristic, first to 100" in said
    assert "You leave the table." in said


@pytest.mark.parametrize(
    ("game", "typed", "reason"),
    [
        ("chinese", "s\nmeld 7c 2d PJ", "2 wilds in a meld of 3: at least half of it must be natural"),
        ("chinese", "s\nmeld Ah 9d 2d", "Ah 2d 9d is no set of one rank and no run"),
        ("chinese", "s\nlay off Ah on meld 1", "cards are laid off only after the own lay-down"),
        ("chinese", "s\ndraw stock", "not possible in the phase 'play' (possible: discard)"),
        ("chinese", "discard Kx", "'discard kx' is nothing you can do now"),
        ("gin-course", "pass Kc", "Kc is not in the hand"),
        ("gin-course", "draw stock", "not possible in the phase 'pass' (possible: pass)"),
    ],
)
def test_the_terminal_says_why_a_move_is_not_possible(game: str, typed: str, reason: str) -> None:
    assert reason in run("play", game, "--seed", "4", "--plain", stdin=f"{typed}\nquit\n")


def test_several_opponents_are_told_apart() -> None:
    rules = GAMES["indian"].rules(None, seats=3, round_limit=2)
    said = "\n".join(play_at_the_terminal(rules))
    assert "random 1" in said
    assert "random 2" in said


def actions(*texts: str) -> list[Action]:
    return [Action.parse(text) for text in texts]


def test_what_is_typed_is_understood_by_enough_of_its_words() -> None:
    legal = actions("draw stock", "draw pile")
    assert str(read_action("s", legal)) == "draw stock"
    assert str(read_action("pile", legal)) == "draw pile"
    with pytest.raises(NotationError, match="could be draw stock, draw pile"):
        read_action("draw", legal)
    legal = actions("discard 7h", "discard Th", "meld 7c 7h 2s", "lay off 7h on meld 1", "lay off 7h on meld 2")
    assert str(read_action("7h", legal)) == "discard 7h"
    assert str(read_action("10h", legal)) == "discard Th"
    assert str(read_action("meld 2s 7h 7c", legal)) == "meld 7c 7h 2s"
    assert str(read_action("m 7c", legal)) == "meld 7c 7h 2s"
    assert read_action("lay off 7h on meld 2", legal).on == 2
    assert read_action("l 7h 2", legal).on == 2
    with pytest.raises(NotationError, match="nothing you can do now"):
        read_action("knock 7h", legal)


def test_the_prompt_names_moves_with_a_card_by_their_kind() -> None:
    text = prompt(actions("discard 7h", "discard 8h", "meld 7c 7h 7s", "lay off 9d on meld 1"))
    assert text == "discard CARD; meld 7c 7h 7s; lay off 9d on meld 1?"


def test_an_observation_of_chinese_rummy_speaks_in_words() -> None:
    state = State.deal(chinese(), 5)
    seen = state.observe(Seat(int(state.actor or 0)))
    assert seen.contract.cards == 6  # type: ignore[attr-defined]
    assert seen.penalties == (0, 0)  # type: ignore[attr-defined]
    assert seen.n_cards(Seat(0)) == 7  # type: ignore[attr-defined]
    assert seen.lay_down() is None  # type: ignore[attr-defined]
    assert len(seen.known(Seat(1))) == 0  # type: ignore[attr-defined]
