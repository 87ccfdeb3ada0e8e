"""``rummylab record belief`` looks inside a recorded hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rummylab.agents.gin.utility_policy import P
from rummylab.agents.registry import agent
from rummylab.cards.hand import Hand
from rummylab.cli.main import app
from rummylab.engine.records import Record, write_records
from rummylab.engine.referee import play, play_match
from rummylab.errors import OptionError, UnknownNameError
from rummylab.games.gin.view import gin
from rummylab.games.gin_pass.view import gin_pass


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "match.rgr"
    players = [agent("gin", "simple"), agent("gin", "random")]
    states = play_match(gin("eaai"), players, 7)
    write_records(path, [Record.of(next(states), ["simple", "random"], 7) for _ in range(2)])
    return path


def ask(record: Path, *options: str) -> dict[str, object]:
    result = CliRunner().invoke(app, ["record", "belief", str(record), *options, "--json"], catch_exceptions=False)
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_the_map_leaves_out_what_the_player_sees(record: Path) -> None:
    found = ask(record, "--at", "9", "--belief", "counts", "--truth")
    cards, held = found["cards"], found["held"]
    assert isinstance(cards, dict)
    assert isinstance(held, list)
    assert len(cards) == 52
    assert len(held) == 10
    assert sum(cards.values()) == pytest.approx(10, abs=0.01)
    for card in Hand.parse(str(found["own"])):
        assert cards[str(card)] == 0
    assert all(cards[card] > 0 for card in held)


def test_every_seat_can_be_asked_and_the_truth_stays_hidden_unless_wanted(record: Path) -> None:
    both = [ask(record, "--at", "9", "--belief", "uniform", "--seat", seat) for seat in "01"]
    assert both[0]["own"] != both[1]["own"]
    assert "held" not in both[0]


def test_an_agent_shows_the_belief_and_the_numbers_that_it_uses(record: Path) -> None:
    views = {str(n): ask(record, "--at", str(n), "--belief", "uniform") for n in range(3, 12)}
    at = next(n for n, found in views.items() if found["phase"] == "discard")
    asked = ask(record, "--at", at, "--agent", "utility-dnn(belief=0)")
    assert asked["cards"] == views[at]["cards"]
    throws = asked["discards"]
    assert isinstance(throws, list)
    weight = float(agent("gin", "utility-dnn").params[P.opp_util_importance])
    for throw in throws:
        assert throw["value"] == pytest.approx(throw["utility"] - weight * throw["gain"], abs=1e-3)
    network = ask(record, "--at", at, "--agent", "utility-dnn")
    assert network["cards"] == ask(record, "--at", at)["cards"]
    assert network["discards"] != throws
    draw = next(n for n, found in views.items() if found["phase"] == "draw")
    assert "discards" not in ask(record, "--at", draw, "--agent", "utility-dnn(belief=0)")
    with pytest.raises(OptionError, match="only utility agents"):
        ask(record, "--at", at, "--agent", "simple")


def test_the_map_is_printed_and_drawn(record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    options = ["--at", "5", "--belief", "uniform", "--truth", "--plot", str(picture)]
    result = CliRunner().invoke(app, ["record", "belief", str(record), *options], catch_exceptions=False)
    assert result.stdout.count("●") == 10 + result.stdout.count("discard") + 1  # the legend has one more
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_decisions_and_hands_that_are_not_there_are_named(record: Path) -> None:
    with pytest.raises(OptionError, match="decisions 1 to"):
        ask(record, "--at", "999")
    with pytest.raises(OptionError, match="has 2 hands"):
        ask(record, "--at", "1", "--hand", "3")
    with pytest.raises(UnknownNameError, match="counts"):
        ask(record, "--at", "1", "--belief", "count")


def test_every_game_has_a_map_and_every_opponent_can_be_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "three.rgr"
    rules = gin_pass("course", seats=3)
    state = play(rules, [agent("gin_pass", "dummy")] * 3, 5)
    write_records(path, [Record.of(state, ["dummy"] * 3, 5)])
    found = [ask(path, "--at", "8", "--seat", "0", "--opponent", seat, "--truth") for seat in "12"]
    assert [each["belief"] for each in found] == ["counts", "counts"]
    for each in found:
        cards, held = each["cards"], each["held"]
        assert isinstance(cards, dict)
        assert isinstance(held, list)
        assert sum(cards.values()) == pytest.approx(len(held), abs=0.01)
        assert all(cards[card] > 0 for card in held)
    with pytest.raises(OptionError, match="the seats 0 to 2"):
        ask(path, "--at", "8", "--opponent", "3")
    with pytest.raises(OptionError, match="own seat"):
        ask(path, "--at", "8", "--seat", "1", "--opponent", "1")
    with pytest.raises(OptionError, match="records of Gin"):
        ask(path, "--at", "8", "--agent", "utility")
