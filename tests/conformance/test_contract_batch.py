"""Chinese Rummy in the batch kernel and at the Python table is one game; what its agents reach; illegal moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import FirstChooser
from rummylab.agents.register import register_agent
from rummylab.arena.match import match
from rummylab.cards.rng import root_of
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.referee import play_match
from rummylab.errors import AgentError
from rummylab.games.contract.batch import play_pairs, tally_for
from rummylab.games.contract.rules import DRAW, DRAW_PILE, DRAW_STOCK, MAX_LEGAL, can_draw_stock, legal_codes
from rummylab.games.contract.view import contract

SEED = 77


@pytest.fixture(scope="module")
def steady() -> CompiledAgent:
    @register_agent(game="contract")
    def steady(table, mine, params):
        """No chance: takes every third discard, lays down and lays off what comes last in the list of legal moves."""
        if table.phase == DRAW:
            return DRAW_PILE if table.turn % 3 == 0 or not can_draw_stock(table) else DRAW_STOCK
        codes = np.empty(MAX_LEGAL, np.int16)
        n = legal_codes(table, mine, codes)
        return np.int64(codes[n - 1]) if codes[n - 1] >= 128 else np.int64(codes[table.turn % n])

    return steady


@pytest.mark.parametrize(("preset", "changes"), [("chinese", {}), ("chinese-literal", {}), ("contract-7", {})])
def test_the_batch_kernel_and_the_table_play_the_same_matches(
    preset: str, changes: dict[str, Any], steady: CompiledAgent
) -> None:
    rules = contract(preset, **changes)
    tallies = np.zeros(24, tally_for(2))
    play_pairs(rules.new_rows(1), root_of(SEED), 0, [steady.kernel] * 2, [steady.params] * 2, tallies)
    for i, tally in enumerate(tallies):
        states = list(play_match(rules, [steady, steady], SEED, pair=i // 2))
        swap, scores = i & 1, states[-1].scores
        assert tally["scores"].tolist() == [scores[swap], scores[1 - swap]]
        assert tally["hands"] == len(states)
        assert tally["decisions"] == sum(state.n_moves for state in states)
        assert tally["turns"] == sum(state.result["turns"] for state in states)
        assert tally["starter"] == states[0].starter ^ swap
        lost = [state.result for state in states if state.result["winner"] is not None]
        assert tally["unready"] == sum(not result["laid_down"][1 - result["winner"]] for result in lost)
        assert tally["reshuffles"] == sum(int(state.rows()["table"]["reshuffles"][0]) for state in states)
        ahead = -1 if scores[0] == scores[1] else int(np.argmax(scores)) ^ swap
        assert tally["winner"] == ahead
    # Two equal players without chance: what one scores in the first game the other scores in the second.
    assert (tallies["scores"][0::2] == tallies["scores"][1::2, ::-1]).all()
    assert not tallies["illegal"].any()


def test_the_arena_counts_rounds_and_points_so_that_more_is_better() -> None:
    result = match("contract", "chinese-heuristic", "random", games=400, seed=3)
    assert result.games == result.hands == 400
    assert result.rules == "chinese"
    assert result.win_rate.value > 0.9
    assert result.points_per_hand.value > 20
    one, two = (match("contract", "chinese-heuristic", "random", games=600, seed=3, workers=n).tallies for n in (1, 2))
    assert all((one[name] == two[name]).all() for name in one.dtype.names)


def test_python_players_have_the_same_tallies() -> None:
    result = match("contract", FirstChooser(), FirstChooser(), games=4, seed=1)
    assert result.outcomes() == {"void": 1.0}
    assert result.tallies["scores"].tolist() == [[0, 0]] * 4
    assert result.tallies["winner"].tolist() == [-1] * 4
    assert result.win_rate.value == 0.5


@pytest.mark.parametrize(("game", "phase"), [("contract", "play"), ("indian", "discard")])
def test_an_illegal_move_is_named(game: str, phase: str) -> None:
    @register_agent(game=game)
    def cheat(table, mine, params):
        return np.int64(DRAW_STOCK)

    with pytest.raises(AgentError, match=f"'cheat' made an illegal move in the phase '{phase}': code 0"):
        match(game, cheat, "random", games=2, workers=1)


def test_stalemates_end() -> None:
    """Two players who pass one card back and forth never touch the stock; the cap ends it."""

    @register_agent(game="contract")
    def swapper(table, mine, params):
        return np.int64(DRAW_PILE) if table.phase == DRAW else 64 + np.int64(mine.drawn)

    tallies = match("contract", swapper, swapper, games=20, seed=1, workers=1).tallies
    assert (tallies["turns"] == 200).all()
    assert (tallies["winner"] == -1).all()
