"""Levels 1 to 10 in every game, and the handicap that makes the lower ones."""

from __future__ import annotations

import pytest

from rummylab.agents.handicap import CASUAL, Handicapped
from rummylab.agents.levels import LEVELS, ladder, rung_at
from rummylab.agents.registry import agent, entry
from rummylab.engine.referee import play
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import OptionError
from rummylab.games.lookup import rules_of
from rummylab.games.registry import GAMES


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_has_ten_levels_of_agents_that_exist(game: str) -> None:
    rungs = [rung_at(game, level) for level in LEVELS]
    assert len(rungs) == 10
    assert all(entry(game, rung.agent) for rung in rungs)
    assert rungs[-1].noise == 0
    assert len({(rung.agent, rung.noise) for rung in rungs}) == 10
    assert all(entry(game, name) for name in ladder(game).presets.values())
    with pytest.raises(OptionError, match="no level 11"):
        rung_at(game, 11)


def test_a_handicapped_agent_makes_casual_moves_only_and_repeats_itself() -> None:
    rules = rules_of("gin")
    logs = [play(rules, [Handicapped(agent("gin", "simple"), 0.8), agent("gin", "simple")], 3).log for _ in range(2)]
    assert logs[0] == logs[1]
    assert logs[0] != play(rules, [agent("gin", "simple")] * 2, 3).log


def test_a_handicap_never_ends_a_hand_by_accident() -> None:
    rules = rules_of("indian")
    tired = Handicapped(agent("indian", "mindist"), 1.0)
    for seed in range(5):
        state = State.deal(rules, seed)
        tired.sit(rules, Seat(0), player_stream(seed))
        for _ in range(10):
            if state.actor is None:
                break
            action = tired.act(state.observe())
            assert action.verb in CASUAL or action.verb == "declare"
            state.push(action)


def test_a_handicapped_agent_goes_on_from_a_snapshot() -> None:
    rules, seed = rules_of("gin"), 9
    one, two = (Handicapped(agent("gin", "random"), 0.5) for _ in range(2))
    state = State.deal(rules, seed)
    for tired in (one, two):
        tired.sit(rules, Seat(0), player_stream(seed))
    for _ in range(6):
        kept = one.snapshot()
        action = one.act(state.observe())
        two.restore(kept)
        assert two.act(state.observe()) == action
        state.push(action)
        if state.actor is None:
            break
