"""Our games pass the suites of the libraries that host them, and tell no seat more than it may know."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from rummylab.engine.seats import Seat
from rummylab.envs.vector import VectorEnv
from rummylab.errors import OptionError
from rummylab.games.registry import GAMES
from tensor_twin import describe

gymnasium = pytest.importorskip("gymnasium", reason="the rl extra is not installed")
pettingzoo = pytest.importorskip("pettingzoo", reason="the rl extra is not installed")


# --- Gymnasium --------------------------------------------------------------------------------------------------------


def make(name: str, **options: Any) -> Any:
    import rummylab.interop.gymnasium as ours
    from rummylab.interop.gymnasium_ids import IDS

    assert ours.GameEnv
    return gymnasium.make(IDS[name], **options)


@pytest.mark.parametrize(("name", "form"), [*((name, "flat") for name in GAMES), ("gin", "planes")])
def test_gymnasium_finds_nothing_wrong_with_a_table(name: str, form: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends spaces from -1 to 1
        check_env(make(name, opponent="random", form=form).unwrapped, skip_render_check=False)


def test_a_hand_of_gymnasium_is_the_hand_of_the_vector_environment() -> None:
    env, twin = make("gin", opponent="simple"), VectorEnv("gin", opponents="simple", autoreset="next step", seed=3)
    shown, info = env.reset(seed=3)
    step = twin.reset(3)
    while True:
        assert shown.tobytes() == step.observation[0].tobytes()
        assert info["action_mask"].tolist() == step.mask[0].tolist()
        action = twin.sample()
        shown, reward, done, truncated, info = env.step(int(action[0]))
        step = twin.step(action)
        assert (reward, done, truncated) == (float(step.reward[0]), bool(step.done[0]), False)
        if done:
            assert info["winner"] == step.info["winner"][0]
            return


def test_an_illegal_action_loses_and_says_so() -> None:
    env = make("gin", opponent="simple")
    _, info = env.reset(seed=1)
    _, reward, done, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert (done, info["illegal"]) == (True, 1)
    assert reward == -125


def test_many_tables_reset_in_the_next_step_and_their_spaces_hold_what_they_show() -> None:
    import rummylab.interop.gymnasium as ours

    assert ours.GameVectorEnv
    envs = gymnasium.make_vec("rummylab/Gin-v0", num_envs=6, opponent="simple")
    shown, info = envs.reset(seed=1)
    assert shown in envs.observation_space
    rng, ended = np.random.default_rng(1), 0
    was_over = np.zeros(6, bool)
    for _ in range(120):
        actions = [int(rng.choice(np.flatnonzero(row))) if row.any() else 0 for row in info["action_mask"]]
        shown, rewards, over, truncated, info = envs.step(np.array(actions))
        assert not (over & was_over).any()
        assert not rewards[was_over].any()
        assert not truncated.any()
        was_over, ended = over, ended + int(over.sum())
    assert ended > 6
    with pytest.raises(OptionError, match="flat or planes"):
        ours.GameVectorEnv("gin", form="square")


def test_the_table_is_drawn_as_the_learner_sees_it() -> None:
    env = make("gin", opponent="simple", render_mode="ansi")
    env.reset(seed=1)
    assert "upcard" in env.render()


# --- PettingZoo -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(GAMES))
def test_pettingzoo_finds_nothing_wrong_with_a_table(name: str) -> None:
    from pettingzoo.test import api_test, seed_test

    from rummylab.interop.pettingzoo import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about spaces and a missing state
        api_test(env(name), num_cycles=60)
        seed_test(lambda: env(name), num_cycles=40)


def test_a_seat_observes_its_own_view_whoever_acts() -> None:
    from rummylab.interop.pettingzoo import raw_env

    table = raw_env("gin")
    table.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(30):
        rules, rows = table.tables.rules, table.tables._rows
        for seat, name in enumerate(table.possible_agents):
            seen = rules.observation(Seat(seat), rules.observe(rows, Seat(seat)), (), ())
            shown = table.observe(name)
            assert shown["observation"].tobytes() == describe(table.tables.tensors.layout, seen.view).tobytes()
            assert shown["action_mask"].any() == (name == table.agent_selection)
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(int(rng.choice(np.flatnonzero(mask))))
        if any(table.terminations.values()):
            table.reset()


# --- OpenSpiel --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(GAMES))
def test_openspiel_finds_nothing_wrong_with_a_game(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    import rummylab.interop.openspiel as ours

    game = pyspiel.load_game(f"{ours.PREFIX}{name}")
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


def test_openspiel_plays_by_the_rules_that_it_is_given_and_tells_no_seat_what_another_drew() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    import rummylab.interop.openspiel as ours

    assert ours.PREFIX == "python_rummylab_"
    game = pyspiel.load_game("python_rummylab_gin", {"rules": "classic"})
    rng, state = np.random.default_rng(5), game.new_initial_state()
    drawn: list[tuple[int, str]] = []
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            assert sum(chances) == pytest.approx(1)
            card = int(rng.choice(cards, p=chances))
            dealt = "draw" in str(state)
            state.apply_action(card)
            if dealt and state.current_player() >= 0:
                drawn.append((state.current_player(), state.information_state_string(state.current_player())))
        else:
            seat = state.current_player()
            tensor = np.array(state.observation_tensor(seat))
            assert tensor.shape == (698,)
            assert state.information_state_string(seat) != state.information_state_string(1 - seat)
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert sum(state.returns()) == 0
    assert drawn
    for viewer in range(2):
        for part in state.information_state_string(viewer).split("; "):
            assert "[" not in part or part.startswith(f"seat {viewer}:"), f"{part} for seat {viewer}"
