"""Utility as a value function: worlds, values, the search, and the fit of the values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from helpers import make_deck, push
from rummylab._jit import kernel
from rummylab.agents.gin import utility_search as u
from rummylab.agents.registry import agent
from rummylab.arena.backends import ThisProcess
from rummylab.arena.match import match
from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.rows import copy_of
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.gin.rules import DRAW, RECORD, open_hand, shuffle_deck, step
from rummylab.games.gin.view import gin
from rummylab.games.registry import GAMES
from rummylab.lab.experiment.report import write_report
from rummylab.lab.experiment.run import run_experiment
from rummylab.learning.trainer import train
from rummylab.learning.trainers import gin_value
from rummylab.studies.registry import reproduction

GIN_NEXT = "Ac 2c 3c 4c 5d 6d 7d 9h 9s Ks"
OTHER = "Ah 2s 4d 6s 8c Td Jc Qh 3h Kd"


@kernel
def _imagine(views, theirs, rows):
    u.imagine(views[0].table, views[0].mine, theirs, 5, rows[0])
    u.begin(views[0].table, views[0].mine, theirs, views[0].mine.rng, rows[0])


@kernel
def _play(rows, n, last, params, ends):
    """Play *n* hands by the plain rule twice, in a world and move by move, and note how both end."""
    for hand in range(n):
        shuffle_deck(rows[0], mix(3, hand, 0, DECK))
        open_hand(rows[0])
        for seat in range(2):
            rows[0].mine[seat].rng = mix(3, hand, 0, AGENT + seat)
        rows[1] = rows[0]
        u.play_on(rows[0], last, params)
        row = rows[1]
        while row.table.actor >= 0 and (row.table.turn < last or row.table.phase != DRAW):
            step(row, u.plain_move(row.table, row.mine[row.table.actor], params))
        for i in range(2):
            table = rows[i].table
            ends[hand, i, 0], ends[hand, i, 1] = rows[i].mine[0].hand, rows[i].mine[1].hand
            ends[hand, i, 2], ends[hand, i, 3], ends[hand, i, 4] = table.pile, table.up, table.stock
            ends[hand, i, 5], ends[hand, i, 6], ends[hand, i, 7] = table.turn, table.actor, table.winner
            ends[hand, i, 8], ends[hand, i, 9] = table.points, table.outcome


def choice(state: State, name: str = "utility-search(worlds=40)") -> str:
    someone = agent("gin", name)
    someone.sit(state.rules, state.actor, np.random.default_rng(1))
    return str(someone.act(state.observe(state.actor)))


def position(first: str = GIN_NEXT, second: str = OTHER, up: str = "2h", stock: str = "") -> State:
    return State.deal(gin(), 0, starter=0, deck=make_deck(first, second, up, stock))


def test_a_world_holds_every_card_once_and_what_the_player_sees() -> None:
    state = push(position(stock="9d"), "pass", "pass", "draw stock")
    view = copy_of(state.observe(Seat(0)).view)
    rows = np.zeros(1, RECORD)
    unseen = ALL_CARDS & ~int(view["mine"]["hand"][0]) & ~int(view["table"]["pile"][0])
    theirs = sum(1 << i for i in [i for i in range(64) if unseen >> i & 1][:10])
    _imagine(view, theirs, rows)
    row = rows[0]
    assert row["mine"]["hand"].tolist() == [int(view["mine"]["hand"][0]), theirs]
    deck = row["deck"][: int(row["table"]["stock"])]
    assert sum(1 << int(card) for card in deck) == unseen & ~theirs
    assert row["table"].tobytes() == view["table"][0].tobytes()


@pytest.mark.parametrize("preset", ["eaai", "classic", "openspiel"])
@pytest.mark.parametrize("last", [6, 1000])
def test_worlds_are_played_as_the_rules_play_them(preset: str, last: int) -> None:
    n = 1000
    ends = np.zeros((n, 2, 10), np.int64)
    rows = np.concatenate([GAMES["gin"].rules(preset).new_rows(1)] * 2)
    _play(rows, n, last, agent("gin", "utility-search(knock_from=10, knock_fall=0)").params, ends)
    assert np.array_equal(ends[:, 0], ends[:, 1])
    assert len(np.unique(ends[:, 0, 9])) >= 3  # hands ended in different ways


def test_gin_is_shown_at_once() -> None:
    assert choice(push(position(stock="9d"), "pass", "pass", "draw stock")) == "knock Ks"


def test_an_up_card_that_makes_gin_is_taken() -> None:
    assert choice(position(up="9d")) == "draw upcard"


def test_the_card_the_opponent_waits_for_is_kept() -> None:
    """The opponent took a king and kept it: they have another or hope for one. A ten costs as much and is no use."""
    state = position("Kc Th 2c 2d 2h 3s 4s 5s 8d Qs", "Ah 5c 6s 8c Jd Qd 9h 4d Ad 7h", "Ks", "9c 6c 6d 7c 7s")
    moves = ["pass", "draw upcard", "discard Qd", "draw stock", "discard Qs", "draw stock", "discard Jd", "draw stock"]
    push(state, *moves)
    assert choice(state) != "discard Kc"


def test_an_artifact_that_does_not_fit_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "values.json"
    broken.write_text(json.dumps({"format": u.FORMAT, "version": u.VERSION, "values": [1.0]}))
    with pytest.raises(ArtifactError, match=r"values.json: values must be a list of 15 numbers"):
        u.load_values(broken)
    broken.write_text(json.dumps({"format": u.FORMAT, "version": 99, "values": []}))
    with pytest.raises(ArtifactError, match=r"version 99"):
        u.load_values(broken)


def test_a_search_without_worlds_is_refused() -> None:
    with pytest.raises(OptionError, match="worlds of SearchOptions is 0"):
        u.SearchOptions(worlds=0)


def test_the_search_is_blind_without_the_values() -> None:
    """Without values the positions at the horizon all count nothing, and the search is blind."""
    seeing = agent("gin", "utility-search(worlds=20)")
    params = seeing.params.copy()
    params[u.VALUES :] = 0
    players = seeing, CompiledAgent("blind", seeing.kernel, params)
    result = match("gin", *players, games=20, seed=3)
    assert result.points_per_hand.low > 0


def test_the_fit_finds_the_weights_that_made_the_scores() -> None:
    rng = np.random.default_rng(5)
    notes = np.zeros(5000, gin_value.NOTE)
    notes["turn"] = rng.integers(0, 20, len(notes))
    notes["utility"], notes["deadwood"] = rng.normal(0, 3, len(notes)), rng.normal(0, 20, len(notes))
    stage = np.searchsorted(u.STAGE_STARTS, notes["turn"], side="right") - 1
    made = np.arange(15.0).reshape(5, 3)
    notes["won"] = made[stage, 0] + made[stage, 1] * notes["utility"] + made[stage, 2] * notes["deadwood"]
    values, quality = gin_value.fit(gin_value.moments(notes))
    assert np.allclose(values, made.ravel(), atol=1e-3)
    assert all(part["explained"] > 0.999 for part in quality)


def test_the_values_are_fitted_to_all_hands_and_say_how(tmp_path: Path) -> None:
    manifest = train(gin_value.GinValue(gin_value.GinValueOptions(hands=200, block=70, seed=3)), tmp_path)
    assert (manifest["data"]["hands"], manifest["seed"]) == (200, 3)
    at_once = gin_value.fit(gin_value.moments(gin_value.positions(3, 0, 200)))[0]
    assert np.allclose(u.load_values(tmp_path / "utility_search.json"), at_once, atol=2e-4)
    with pytest.raises(OptionError, match="hands of the run is"):
        gin_value.GinValueOptions(hands=10)


def test_utility_ahead_is_worth_more_early_and_deadwood_late() -> None:
    values = np.array(u.load_values(u.ARTIFACT)).reshape(5, 3)
    assert values[0, 1] > values[2, 1] > values[4, 1] > 0
    assert values[4, 2] > values[2, 2]


def test_the_study_is_played_by_one_command(tmp_path: Path) -> None:
    results = run_experiment(reproduction("utility-as-value", quick=True), backend=ThisProcess())
    text = write_report(results, tmp_path).read_text(encoding="utf-8")
    assert "| `utility-search(depth=99)` |" in text
    assert "the value function is better than playing to the end" in text
