"""Gin with a passed card in the batch kernel and at the Python table is one game, at two, three and four seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import FirstChooser
from rummylab.agents.register import register_agent
from rummylab.agents.registry import agent, entries
from rummylab.arena.jobs import CompiledJob, TableJob, job_for
from rummylab.arena.match import match
from rummylab.arena.seating import games_per_deal, seatings
from rummylab.cards.bits import lowest
from rummylab.cards.melds import best_discards
from rummylab.cards.rng import root_of
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.errors import AgentError, OptionError
from rummylab.games.gin_pass.batch import play_seatings, tally_for
from rummylab.games.gin_pass.rules import (
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    KNOCK_CODE,
    PASS,
    PASS_CODE,
    TAKE_UP_CARD,
)
from rummylab.games.gin_pass.view import gin_pass

SEED = 77


@pytest.fixture(scope="module")
def steady() -> CompiledAgent:
    @register_agent(game="gin_pass")
    def steady(table, mine, params):
        """No chance: takes every third discard, throws the lowest card that leaves least, knocks when it can."""
        if table.phase == DRAW:
            return np.int64(TAKE_UP_CARD if table.turn % 3 == 0 else DRAW_STOCK)
        cards, left = best_discards(mine.hand, mine.hand)
        if table.phase == PASS:
            return PASS_CODE + lowest(cards)
        return (KNOCK_CODE if left <= table.rules.knock_limit else DISCARD_CODE) + lowest(cards)

    return steady


def played(rules: Rules, players: list[CompiledAgent], deals: int) -> Any:
    tallies = np.zeros(games_per_deal(rules.seats) * deals, tally_for(rules.seats))
    acts, params = [player.kernel for player in players], [player.params for player in players]
    play_seatings(rules.new_rows(1), root_of(SEED), np.int64(0), seatings(rules.seats), acts, params, tallies)
    return tallies


@pytest.mark.parametrize(("seats", "changes"), [(2, {}), (3, {}), (4, {}), (4, {"cards": 10}), (3, {"cards": 4})])
def test_the_batch_kernel_and_the_table_play_the_same_matches(
    seats: int, changes: dict[str, Any], steady: CompiledAgent
) -> None:
    rules = gin_pass(seats=seats, hands=2 * seats, **changes)
    tallies = played(rules, [steady] * seats, 2)
    per_deal = games_per_deal(seats)
    matches = [list(play_match(rules, [steady] * seats, SEED, pair=deal)) for deal in range(2)]
    for i, tally in enumerate(tallies):
        states, number_at = matches[i // per_deal], seatings(seats)[i % per_deal]
        scores = states[-1].scores
        assert [tally["scores"][number] for number in number_at] == list(scores)
        assert tally["hands"] == len(states) == 2 * seats
        assert tally["decisions"] == sum(state.n_moves for state in states)
        assert tally["turns"] == sum(state.result["turns"] for state in states)
        assert tally["starter"] == number_at[states[0].starter]
        best = [seat for seat in range(seats) if scores[seat] == max(scores)]
        assert tally["winner"] == (number_at[best[0]] if len(best) == 1 else -1)
        won = [number_at[state.result["winner"]] for state in states if state.result["winner"] is not None]
        assert tally["won_by"].sum(axis=1).tolist() == [won.count(number) for number in range(seats)]
    assert not tallies["illegal"].any()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_arena_counts_all_seatings_with_intervals_by_deal(seats: int) -> None:
    names = [entry.name for entry in entries("gin_pass")]
    line_up = [names[k % len(names)] for k in range(seats)]
    games = 4 * games_per_deal(seats)
    result = match("gin_pass", *line_up, games=games, seed=3, workers=1)
    assert result.games == games
    assert result.hands == result.games * gin_pass(seats=seats).options.hands  # type: ignore[attr-defined]
    assert result.turns_per_hand is not None
    points = [result.points_per_hand_of(number) for number in range(seats)]
    assert sum(estimate.value for estimate in points) == pytest.approx(0)
    assert all(estimate.low < estimate.value < estimate.high for estimate in points)
    assert result.by_deal(result.wins()).shape == (4, games_per_deal(seats)), "a deal is one draw"
    one, two = (match("gin_pass", *line_up, games=games, seed=3, workers=n).tallies for n in (1, 2))
    assert all((one[name] == two[name]).all() for name in one.dtype.names)


@pytest.mark.parametrize("seats", [3, 4])
def test_compiled_players_need_no_python_table_at_more_seats(seats: int) -> None:
    rules = gin_pass(seats=seats, hands=2 * seats)
    players = [agent("gin_pass", "random") for _ in range(seats)]
    job = job_for(rules, players, SEED)
    assert isinstance(job, CompiledJob)
    played = job((0, 2), record=seats + 2)  # the next order too: a record that differs from its tally is an error
    assert played.rows.dtype == tally_for(seats)
    assert [(key.deal, key.seating) for key, _ in played.hands] == [(0, place) for place in range(seats + 2)]
    assert isinstance(job_for(rules, [*players[1:], FirstChooser()], SEED), TableJob)


def test_python_players_have_the_same_tallies() -> None:
    result = match("gin_pass", FirstChooser(), FirstChooser(), "random", games=3, seed=1)
    assert set(result.outcomes()) >= {"washout"}
    assert result.hands == 6 * 42
    assert result.tallies.dtype == tally_for(3)


def test_an_illegal_move_is_named_at_any_number_of_seats() -> None:
    @register_agent(game="gin_pass")
    def cheat(table, mine, params):
        return np.int64(DRAW_STOCK)

    for others in (["random"], ["random"] * 3):
        with pytest.raises(AgentError, match="'cheat' made an illegal move in the phase 'pass': code 0"):
            match("gin_pass", *others, cheat, games=4, workers=1)


def test_two_who_swap_one_card_for_ever_are_stopped() -> None:
    @register_agent(game="gin_pass")
    def swapper(table, mine, params):
        if table.phase == DRAW:
            return np.int64(TAKE_UP_CARD)
        return (PASS_CODE if table.phase == PASS else DISCARD_CODE) + lowest(mine.hand)

    tallies = match("gin_pass", swapper, swapper, games=2, seed=1, workers=1).tallies
    assert (tallies["turns"] == 40 * 200).all()
    assert (tallies["winner"] == -1).all()


def test_there_are_as_many_agents_as_seats() -> None:
    with pytest.raises(OptionError, match="option seats is 5, but must lie between 2 and 4"):
        match("gin_pass", *["random"] * 5, games=5)
