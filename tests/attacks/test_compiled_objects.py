"""Compiled agents handed to ``match``: their mistakes stay their own."""

# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from rummylab import agent, match, play_match, register_agent
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import AgentError
from rummylab.games.gin import rules as r
from rummylab.games.registry import GAMES

OUTSIDE = "stopped with an error: it read or wrote outside an array"


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(one.tallies[name], other.tallies[name]) for name in one.tallies.dtype.names)


@numba.njit
def peek(notes, k):
    return notes[k]


def test_reading_past_the_notes_is_an_error_that_says_so() -> None:
    @register_agent(game="gin")
    def peeps(table, mine, params):
        return mine.memory[mine.memory.shape[0] + table.turn] & 1

    with pytest.raises(AgentError, match=f"agent 'peeps' in the phase 'offer' {OUTSIDE}"):
        match("gin", peeps, "simple", games=2, workers=1)
    with pytest.raises(AgentError, match=f"Agent 'peeps' {OUTSIDE}"):
        list(play_match(GAMES["gin"].rules(), [peeps, peeps], 1))


def test_a_function_that_was_compiled_without_checks_gets_them() -> None:
    def peeps(table, mine, params):
        return mine.memory[mine.memory.shape[0] + table.turn] & 1

    unchecked = CompiledAgent("peeps", numba.njit(GAMES["gin"].act_signature)(peeps))
    with pytest.raises(AgentError, match=OUTSIDE):
        match("gin", unchecked, "simple", games=2, workers=1)


def test_reading_past_the_notes_in_a_function_of_its_own_is_noticed_too() -> None:
    assert peek(np.arange(3), 1) == 1  # compiled before, without checks

    @register_agent(game="gin")
    def peeps(table, mine, params):
        return peek(mine.memory, 32 + table.turn) & 1

    with pytest.raises(AgentError, match=OUTSIDE):
        match("gin", peeps, "simple", games=2, workers=1)


def test_writing_past_the_end_of_a_table_of_cards_is_an_error_that_says_so() -> None:
    @register_agent(game="gin")
    def scribbles(table, mine, params):
        table.took[table.turn, 52 + table.turn] = 1
        return r.decline(table)

    with pytest.raises(AgentError, match=OUTSIDE):
        match("gin", scribbles, "simple", games=2, workers=1)


def test_an_exception_of_its_own_is_an_error_that_says_so() -> None:
    @register_agent(game="gin")
    def gives_up(table, mine, params):
        if table.turn >= 0:
            raise ValueError("no idea")
        return 0

    with pytest.raises(AgentError, match=r"'gives-up' .* or raised an exception"):
        match("gin", gives_up, "simple", games=2, workers=1)


@pytest.mark.parametrize("game_name", GAMES)
def test_what_it_writes_outside_its_notes_and_its_stream_changes_nothing(game_name: str) -> None:
    random = agent(game_name, "random")
    choose = random.kernel

    @register_agent(game=game_name)
    def forger(table, mine, params):
        if table.turn > 8 and mine.memory[3] < 3:
            return -7  # never: three moves and more were noted by then
        mine.memory[3] += 1
        code = choose(table, mine, params)
        if params[-1]:
            table.scores[mine.seat] = 9999
            table.actor = mine.seat
            table.turn = 0
            mine.hand = 0
        return code

    honest, cheat = (CompiledAgent("forger", forger.kernel, [*random.params, forges]) for forges in (0, 1))
    fair, forged, again = (
        match(game_name, player, "random", games=20, seed=5, workers=1) for player in (honest, cheat, "random")
    )
    assert same(fair, forged)
    assert same(fair, again)
