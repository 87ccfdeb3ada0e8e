"""Indian Rummy in the batch kernel and at the Python table is one game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rummylab.agents.register import register_agent
from rummylab.agents.registry import agent
from rummylab.arena.jobs import Chunk, CompiledJob, TableJob
from rummylab.arena.match import match
from rummylab.cards.bits import lowest
from rummylab.cards.rng import root_of
from rummylab.engine.action import Action
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import finish
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.two_decks import kinds
from rummylab.games.indian.batch import play_pairs, play_seatings, tally_for
from rummylab.games.indian.formats import Format
from rummylab.games.indian.rules import (
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    can_take,
    declarable,
)
from rummylab.games.indian.view import Indian, indian

SEED = 77


@pytest.fixture(scope="module")
def steady() -> CompiledAgent:
    @register_agent(game="indian")
    def steady(table, mine, params):
        """No chance: takes every third open card, throws in turn, drops now and then, once declares wrongly."""
        if table.phase == DRAW:
            if table.wild == 11 - mine.seat and table.turn > 1:
                return np.int64(DROP)
            return np.int64(DRAW_PILE) if can_take(table) and table.turn % 3 == 0 else np.int64(DRAW_STOCK)
        good = declarable(table, mine)
        if good:
            return DECLARE_CODE + lowest(good)
        cards = kinds(mine)
        for _ in range(table.turn % 13):
            if cards & (cards - 1):
                cards &= cards - 1
        if table.turn == 50 and table.wild == 3:
            return DECLARE_CODE + lowest(cards)
        return DISCARD_CODE + lowest(cards)

    return steady


def pairs(rules: Indian, one: Any, two: Any, n: int) -> Any:
    """Play deals in pairs with the seats swapped; *n* games."""
    tallies = np.zeros(n, tally_for(2))
    play_pairs(rules.new_rows(1), root_of(SEED), 5, (one.kernel, two.kernel), (one.params, two.params), tallies)
    return tallies


def ordered(rules: Indian, player: Any, n: int, mover: int) -> Any:
    """Play deals of *player* against itself in which agent number *mover* sits in seat 0 and moves first."""
    tallies = np.zeros(n, tally_for(2))
    where = rules.new_rows(1), root_of(SEED), 5, [(mover, 1 - mover)]
    play_seatings(*where, [player.kernel] * 2, [player.params] * 2, tallies, starter=0)
    return tallies


def compare(rules: Indian, state: State, players: list[CompiledAgent], tally: Any, swap: int) -> None:
    for seat, player in enumerate(players):
        player.sit(rules, Seat(seat), np.random.default_rng(0))
    finish(state, players)
    gains = state.payoffs()
    assert tally["gains"].tolist() == [gains[swap], gains[1 - swap]]
    assert tally["scores"].tolist() == [max(0, gains[swap]), max(0, gains[1 - swap])]
    assert tally["winner"] == state.result["winner"] ^ swap
    assert tally["decisions"] == state.n_moves
    assert tally["turns"] == state.result["turns"]
    assert tally["rounds"] == (state.result["turns"] + 1) // 2
    assert tally["starter"] == state.starter ^ swap
    table = state.rows()["table"][0]
    assert tally["reshuffles"] == table["reshuffles"]
    assert tally["outcomes"].tolist() == [int(k == table["outcome"]) for k in range(5)]
    assert tally["won_by"][tally["winner"], table["outcome"]] == 1


@pytest.mark.parametrize("preset", ["paper", "platform"])
def test_pairs_are_the_deals_of_the_table_with_the_seats_swapped(preset: str, steady: CompiledAgent) -> None:
    rules = indian(preset)
    tallies = pairs(rules, steady, steady, 60)
    for i, tally in enumerate(tallies):
        pair = 5 + i // 2
        state = State(rules, rules.new_rows(1), rules.shuffled(SEED, pair), rules.first_starter(SEED, pair))
        compare(rules, state, [steady, steady], tally, i & 1)
    assert set(tallies["starter"]) == {0, 1}
    assert (tallies["starter"][::2] != tallies["starter"][1::2]).all()
    assert (tallies["outcomes"].sum(axis=0)[1:] > 0).all(), "every outcome is among them"
    assert tallies["reshuffles"].max() > 1


@pytest.mark.parametrize("mover", [0, 1])
def test_a_fixed_mover_starts_every_deal_from_seat_0(mover: int, steady: CompiledAgent) -> None:
    rules = indian()
    tallies = ordered(rules, steady, 30, mover)
    assert set(tallies["starter"]) == {mover}
    for i, tally in enumerate(tallies):
        state = State(rules, rules.new_rows(1), rules.shuffled(SEED, 5 + i), 0)
        compare(rules, state, [steady, steady], tally, mover)


def test_the_mover_gets_the_same_cards_whoever_it_is(steady: CompiledAgent) -> None:
    one, two = (ordered(indian(), steady, 30, mover) for mover in (0, 1))
    assert (one["gains"] == two["gains"][:, ::-1]).all()
    assert (one["turns"] == two["turns"]).all()


def test_the_arena_plays_indian_rummy() -> None:
    result = match("indian", "random", "random", games=400, seed=3)
    assert result.games == result.hands == 400
    assert result.rules == "paper"
    assert set(result.outcomes()) == {"declared", "limit"}
    one, two = (match("indian", "random", "random", games=600, seed=3, workers=n).tallies for n in (1, 2))
    assert all((one[name] == two[name]).all() for name in one.dtype.names)


def test_python_players_have_the_same_tallies() -> None:
    class Quitter:
        """Drops at once when it starts, else draws and throws the lowest card."""

        name = "quitter"

        def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
            pass

        def act(self, seen: Observation) -> Action:
            first = seen.legal[0]
            return Action("drop") if first.verb == "draw stock" and not any(e.chosen for e in seen.log) else first

    result = match("indian", Quitter(), Quitter(), games=4, seed=1)
    assert result.tallies["gains"].tolist() == [
        [-20, 20] if starter == 0 else [20, -20] for starter in result.tallies["starter"]
    ]
    assert result.tallies["winner"].tolist() == (1 - result.tallies["starter"]).tolist()
    assert result.outcomes() == {"dropped": 1.0}


def test_a_random_player_never_drops_and_never_declares_wrongly() -> None:
    for preset in ("paper", "platform"):
        rules = indian(preset)
        tallies = pairs(rules, agent("indian", "random"), agent("indian", "random"), 500)
        assert tallies["outcomes"].sum(axis=0)[[0, 2, 3]].tolist() == [0, 0, 0]
        assert 60 < tallies["rounds"].mean() < 95


# --- Matches in every format ------------------------------------------------------------------------------------------

FORMATS = [*Format.PRESETS, "pool-101(rejoin=true, split=true, split_within=3)"]
PLAYED = ("scores", "gains", "places", "shares", "rejoins", "winner", "starter", "hands", "decisions", "outcomes")


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("form", FORMATS)
def test_a_match_in_any_format_is_the_same_in_the_batch_and_at_the_table(form: str, seats: int) -> None:
    rules = indian("paper" if seats == 3 else "platform", format=form, seats=seats, round_limit=12)
    names = ("mindist-score-drop", "random-drop", "mindist-outs-drop", "minscore", "random", "defeat-seeking")
    players = [agent("indian", name) for name in names[:seats]]
    n_games = 3
    compiled = CompiledJob(rules, players, SEED)(Chunk(4, 1)).rows[:n_games]
    table, tallies = TableJob(rules, players, SEED), np.zeros(n_games, tally_for(seats))
    for place in range(min(n_games, len(compiled))):
        table.play(4, place, tallies[place])
        for name in PLAYED:
            assert compiled[place][name].tolist() == tallies[place][name].tolist(), name
    assert (compiled["places"] >= 1).all()
    assert (compiled["gains"].sum(axis=1) == 0).all()
    assert (compiled["shares"].sum(axis=1) >= 9_990).all()
