"""Every game at every number of seats: the batch driver and the Python table play the same games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rummylab.agents.registry import agent
from rummylab.arena.jobs import CompiledJob, TableJob, job_for
from rummylab.arena.match import match
from rummylab.arena.seating import games_per_deal
from rummylab.cards.rng import root_of
from rummylab.engine.rules import Rules
from rummylab.errors import AgentError, OptionError
from rummylab.games.registry import GAMES

SEED, FIRST_DEAL = 77, 5
LINE_UPS = {
    "gin": ("simple", "random"),
    "gin_pass": ("keats", "random", "dummy", "random"),
    "indian": ("mindist", "random", "minscore", "mindist-opp", "random", "minscore"),
    "contract": ("chinese-heuristic", "random", "chinese-counter", "random", "contract-greedy", "contract-greedy"),
}
SEATS = [(name, seats) for name, line_up in LINE_UPS.items() for seats in range(2, len(line_up) + 1)]
AT_THE_TABLE = ("scores", "winner", "starter", "hands", "decisions", "outcomes", "won_by", "illegal")
"""What the Python table counts in every game."""


def rules_for(name: str, seats: int) -> Rules:
    """Return a preset of the game for *seats* players, with short matches: the first, or one with buying."""
    changes = {"seats": seats} if seats > 2 else {}
    if name == "contract" and seats > 2:
        return GAMES[name].rules("chinese-7", seats=seats, rounds=3)
    return GAMES[name].rules(**changes, **({"hands": 2 * seats} if name == "gin_pass" else {}))


def test_every_game_has_a_line_up_for_its_largest_table() -> None:
    assert dict(SEATS) == {name: game.batch.DRIVER.rules.max_seats for name, game in GAMES.items()}


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_the_batch_driver_plays_the_games_of_the_python_table(name: str, seats: int) -> None:
    rules = rules_for(name, seats)
    players = [agent(name, one) for one in LINE_UPS[name][:seats]]
    compiled, table = job_for(rules, players, SEED), TableJob(rules, players, SEED)
    assert isinstance(compiled, CompiledJob)
    batch = compiled((FIRST_DEAL, 2)).rows
    again = np.zeros_like(batch)
    per_deal = games_per_deal(seats)
    for i in range(0, len(batch), 1 if seats == 2 else 5):  # five shares no factor with 6, 24 or 36
        table.play(FIRST_DEAL + i // per_deal, i % per_deal, again[i])
        assert all(np.array_equal(batch[i][field], again[i][field]) for field in AT_THE_TABLE), i
        assert batch[i]["turns"] == sum(int(state.rows()["table"]["turn"][0]) for state in table.states)
        if "gains" in batch.dtype.names:  # type: ignore[operator]
            assert batch[i]["gains"].tolist() == again[i]["gains"].tolist()
    assert len({tuple(scores) for scores in batch["scores"].tolist()}) > 1


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_match_of_indian_rummy_needs_no_python_table_at_more_seats(seats: int) -> None:
    """The batch counts turns; the Python table does not."""
    games = 2 * games_per_deal(seats)
    result = match("indian", *LINE_UPS["indian"][:seats], games=games, seed=3, workers=1)
    assert result.games == games
    assert result.turns_per_hand is not None
    gains = result.tallies["gains"]
    assert (gains.sum(axis=1) == 0).all()
    assert (result.tallies["rounds"] * seats >= result.tallies["turns"]).all()
    assert (gains.argmax(axis=1) == result.tallies["winner"])[gains.max(axis=1) > 0].all()


def test_the_seat_that_moves_first_can_be_fixed_at_any_table() -> None:
    for name, seats in SEATS:
        players, batch = [agent(name, "random")] * seats, GAMES[name].batch
        tallies = np.zeros(6, batch.tally_for(seats))
        seating = tuple(reversed(range(seats)))
        acts, params = [player.kernel for player in players], [player.params for player in players]
        where = rules_for(name, seats).new_rows(1), root_of(SEED), 0, [seating]
        batch.play_seatings(*where, acts, params, tallies, starter=1)
        assert set(tallies["starter"].tolist()) == {seating[1]}


def test_agents_keep_their_random_streams_in_every_seating() -> None:
    """Three agents of one kind play the same game whoever of them sits where, but for the streams they hold."""
    rules = rules_for("indian", 3)
    rows = CompiledJob(rules, [agent("indian", "minscore")] * 3, SEED)((0, 4)).rows
    rotated = rows.reshape(4, -1)[:, :3]
    assert len(set(rotated["turns"].ravel().tolist())) > 3
    assert (rotated["starter"] == (rotated["starter"][:, :1] + np.array([0, 2, 1])) % 3).all()


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"seatings": [(0, 2)]}, OptionError, "every agent from 0 to 1 once"),
        ({"seatings": [(0, 0)]}, OptionError, "every agent from 0 to 1 once"),
        ({"seatings": [(0, 1, 2)]}, OptionError, "every agent from 0 to 1 once"),
        ({"acts": 3, "seatings": [(0, 1, 2)]}, OptionError, "takes 2 to 2 agents"),
        ({"starter": 2}, OptionError, "not 2 agents and seat 2"),
        ({"act": len}, AgentError, "is not a compiled agent"),
        ({"params": np.zeros(1)}, AgentError, "a contiguous array of float32"),
        ({"params": [0.0]}, AgentError, "a contiguous array of float32"),
        ({"params": np.zeros(4, np.float32)[::2]}, AgentError, "a contiguous array of float32"),
    ],
)
def test_the_driver_refuses_what_would_read_beyond_its_arrays(changes: Any, error: Any, words: str) -> None:
    batch, player, n = GAMES["gin"].batch, agent("gin", "random"), changes.get("acts", 2)
    acts, params = [changes.get("act", player.kernel)] * n, [changes.get("params", player.params)] * n
    where = rules_for("gin", 2).new_rows(1), root_of(SEED), 0, changes.get("seatings", [(0, 1)])
    tallies = np.zeros(2, batch.tally_for(2))
    with pytest.raises(error, match=words):
        batch.play_seatings(*where, acts, params, tallies, starter=changes.get("starter", -1))
