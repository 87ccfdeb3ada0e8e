"""The tutorials: at least eight moves by the learner, on a fixed deal, every one legal, ending in a scored hand."""

from __future__ import annotations

import pytest

from rummylab.engine.action import Action
from rummylab.games.registry import GAMES
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import TableConfig, chairs_for
from rummylab.ui.table.lessons import script
from rummylab.ui.table.session import Session


@pytest.mark.parametrize("game", list(GAMES))
def test_a_tutorial_runs_to_a_win_of_the_learner(game: str) -> None:
    lesson = script(game)
    assert lesson is not None
    assert len(lesson.steps) >= 8
    rules = game_named(game).rules(lesson.rules)
    chairs = chairs_for(rules, "You", [{"agent": lesson.agent}], None)
    config = TableConfig(
        game=game, rules=lesson.rules, rules_title="", chairs=chairs, kind="tutorial", seed=lesson.seed, one_hand=True
    )
    session = Session.create("lesson", config)
    for step in lesson.steps:
        while session.agent_is_due:
            session.play_agents()
        assert session.actor == 0
        assert Action.parse(step.action) in session.observe(0).legal, f"{step.action}: {session.observe(0).legal}"
        session.act(0, step.action, session.version)
    while session.agent_is_due:
        session.play_agents()
    assert session.is_over
    assert session.state.result["winner"] == 0


@pytest.mark.parametrize("game", list(GAMES))
def test_every_step_names_a_card_or_a_pile_and_says_why_another_move_is_worse(game: str) -> None:
    lesson = script(game)
    assert lesson is not None
    for step in lesson.steps:
        assert len(step.text.split()) > 5
        assert step.wrong.endswith(".")
        assert lesson.explain(lesson.steps.index(step), "no such move") == step.wrong
