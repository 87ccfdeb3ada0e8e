"""The vector environment plays the hands of the table and keeps its promises about rewards and resets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rummylab.agents.registry import agent
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.envs.equity import solve
from rummylab.envs.tensors import Tensors
from rummylab.envs.vector import INFO, VectorEnv
from rummylab.errors import AgentError, IllegalActionError, OptionError, UnknownNameError
from rummylab.games.registry import GAMES

OPPONENTS = {"gin": "simple", "gin_pass": "melder", "indian": "minscore", "contract": "chinese-heuristic"}


def automatic(tensors: Tensors, state: State) -> Any:
    """Return the move that the environment makes by itself in a position, if any."""
    seen = state.observe(state.actor or Seat(0))
    if tensors.mask(seen).any():
        return None
    return seen.automatic()


@pytest.mark.parametrize("game", ["gin", "gin_pass", "indian"])
def test_every_seat_sees_the_hands_of_the_table_move_by_move(game: str) -> None:
    env = VectorEnv(game, 3, seed=5)
    step, tensors = env.reset(), env.tensors
    states = {}
    for table in range(3):
        rules = env.rules
        deck, starter = rules.shuffled(5, table), rules.first_starter(5, table)
        states[table] = State(rules, rules.new_rows(1), deck, starter)
    while states:
        actions = env.sample()
        before = step
        for table, state in states.items():
            seen = state.observe(Seat(int(before.actor[table])))
            tensor, mask = tensors.encode_with_masks(seen)
            assert state.actor == before.actor[table]
            assert tensor.tobytes() == before.observation[table].tobytes()
            assert mask.tobytes() == before.mask[table].tobytes()
            state.push(tensors.action(int(actions[table]), seen))
            while state.actor is not None and (move := automatic(tensors, state)) is not None:
                state.push(move)
        step = env.step(actions)
        for table in list(states):
            over = states[table].actor is None
            assert over == step.done[table]
            if over:
                state = states.pop(table)
                assert step.reward[table].tolist() == list(state.rules.payoffs(state.rows()))
                assert step.info["outcome"][table] == state.rows()["table"]["outcome"][0]
                assert step.info["deal"][table] == table


class Recorded:
    """A player at the table that does what a learner did in the environment."""

    name = "recorded"

    def __init__(self, tensors: Tensors, actions: list[int]) -> None:
        self.tensors, self.actions = tensors, iter(actions)

    def sit(self, *_: Any) -> None:
        pass

    def act(self, seen: Observation) -> Any:
        if not self.tensors.mask(seen).any():
            return seen.automatic()
        return self.tensors.action(next(self.actions), seen)


@pytest.mark.parametrize(("game", "episode"), [("gin", "match"), ("gin_pass", "hand"), ("indian", "hand")])
def test_opponents_play_as_they_do_at_the_table(game: str, episode: str) -> None:
    env = VectorEnv(game, 2, opponents=OPPONENTS[game], episode=episode, seed=11, learner=0)
    step, made, got = env.reset(), [[], []], np.zeros(2)  # type: ignore[var-annotated]
    finished = np.zeros(2, bool)
    while not finished.all():
        actions = env.sample()
        for table in np.flatnonzero(~finished):
            made[table].append(int(actions[table]))
        step = env.step(actions)
        got += np.where(finished, 0, step.reward)
        assert not step.info["skipped"][~finished].any()
        finished |= step.done
    for table in range(2):
        players = [Recorded(env.tensors, made[table]), agent(game, OPPONENTS[game])]
        played = play_match(env.rules, players, 11, pair=table)
        hands = list(played) if episode == "match" else [next(played)]
        payoffs = [state.rules.payoffs(state.rows())[0] for state in hands]
        assert got[table] == pytest.approx(sum(payoffs))


def test_lineups_take_turns_at_every_seat() -> None:
    """Dealt the same cards, each table sees what it sees when the opponent of its episode plays there alone."""
    names = ["simple", "champion(level=5)", "random"]
    mixed = VectorEnv("gin", 12, opponents=names, seed=3)
    alone = [VectorEnv("gin", 12, opponents=name, seed=3) for name in names]
    lineup, met = np.arange(12) // 2 % 3, set()
    steps, live = [env.reset() for env in (mixed, *alone)], np.ones(12, bool)
    while live.any():
        for i in np.flatnonzero(live):
            assert steps[0].observation[i].tobytes() == steps[1 + lineup[i]].observation[i].tobytes()
        actions = mixed.sample()
        steps = [env.step(actions) for env in (mixed, *alone)]
        for i in np.flatnonzero(live & steps[0].done):
            assert steps[0].info["lineup"][i] == lineup[i]
            met.add((int(lineup[i]), int(steps[0].info["learner"][i])))
        live &= ~steps[0].done
    assert met == {(k, seat) for k in range(3) for seat in (0, 1)}


@pytest.mark.parametrize("game", list(GAMES))
def test_the_same_seed_plays_the_same_and_another_does_not(game: str) -> None:
    seats = GAMES[game].seats[-1]
    envs = [VectorEnv(game, 8, seats=seats if seats > 2 else "all", seed=seed) for seed in (1, 1, 2)]
    for env in envs:
        env.reset()
    seen = []
    for env in envs:
        env.reset(env.seed)
        prints = []
        for _ in range(40):
            step = env.step(env.sample())
            prints.append(step.observation.tobytes() + step.reward.tobytes())
            assert (step.mask.any(axis=1)).all()
        seen.append(prints)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("game", list(GAMES))
def test_rewards_of_all_seats_sum_to_zero_and_episodes_start_over(game: str) -> None:
    env = VectorEnv(game, 16, seed=3)
    total, ended = 0.0, 0
    for _ in range(300):
        step = env.step(env.sample())
        assert step.reward.sum(axis=1) == pytest.approx(np.zeros(16), abs=1e-3)
        total, ended = total + float(np.abs(step.reward).sum()), ended + int(step.done.sum())
        assert not step.reward[~step.done].any()
        assert (step.actor >= 0).all()
    assert ended > 10
    assert total > 0 or game.startswith("gin"), "random players hardly ever knock"
    assert set(step.info) == set(INFO)


def test_a_win_is_worth_one_and_a_match_is_won_once() -> None:
    env = VectorEnv("gin", 32, opponents="simple", episode="match", reward="win", seed=2)
    rewards, hands = [], []
    for _ in range(1200):
        step = env.step(env.sample())
        rewards += step.reward[step.done].tolist()
        hands += step.info["hands"][step.done].tolist()
        assert not step.reward[~step.done].any()
    assert len(rewards) >= 20
    assert set(rewards) == {-1.0}, "a random player does not beat Simple in a match"
    assert max(hands) >= 2


def test_equity_moves_from_half_to_the_result() -> None:
    env = VectorEnv("gin", 16, opponents="simple", episode="match", reward="equity", seed=2)
    sums, finished = np.zeros(16), []
    for _ in range(1200):
        step = env.step(env.sample())
        sums += step.reward
        finished += sums[step.done].tolist()
        sums[step.done] = 0
    assert len(finished) >= 8
    assert finished == pytest.approx([-0.5] * len(finished), abs=1e-5)


def test_equity_is_symmetric_monotone_and_exact_where_it_can_be_checked_by_hand() -> None:
    points = np.zeros(31, np.float32)
    points[[10, 30]] = 0.5
    table = solve(points, 30)
    assert table[0, 0] == pytest.approx(0.5)
    inner = table[:30, :30]
    assert inner + inner.T == pytest.approx(np.ones((30, 30)), abs=1e-6)
    assert (np.diff(inner, axis=0) >= -1e-7).all()
    assert table[20, 20] == pytest.approx(0.5)
    # From 20:10 the next hand decides if I win it (10 or 30 points); if not, 30 loses and 10 makes it 20:20.
    assert table[20, 10] == pytest.approx(0.5 + 0.5 * (0.5 * 0 + 0.5 * 0.5))


def test_an_illegal_action_ends_the_episode_with_the_worst_reward_and_says_so() -> None:
    env = VectorEnv("gin", 4, opponents="simple", seed=1)
    step = env.reset()
    actions = env.sample()
    actions[1], actions[2] = int(np.flatnonzero(~step.mask[1])[0]), 10_000
    step = env.step(actions)
    assert step.info["illegal"].tolist() == [0, 1, 1, 0]
    assert step.done.tolist()[1:3] == [True, True]
    assert step.reward[1:3].tolist() == [-env.worst] * 2
    assert step.reward[[0, 3]].tolist() == [0, 0]
    assert env.step(env.sample()).info["illegal"].any() == np.False_, "the next episode has begun"


def test_with_raise_an_illegal_action_is_an_error_and_changes_nothing() -> None:
    env = VectorEnv("gin", 3, illegal="raise", seed=1)
    step = env.reset()
    shown = step.observation.tobytes()
    actions = env.sample()
    actions[2] = int(np.flatnonzero(~step.mask[2])[-1])
    with pytest.raises(IllegalActionError, match=r"knock Kd.*at table 2"):
        env.step(actions)
    actions[2] = int(np.flatnonzero(step.mask[2])[0])
    assert step.observation.tobytes() == shown
    env.step(actions)


def test_with_next_step_an_episode_ends_with_its_last_observation() -> None:
    env = VectorEnv("gin", 8, opponents="simple", autoreset="next step", seed=4)
    env.reset()
    ended = 0
    for _ in range(200):
        step = env.step(env.sample())
        at = np.flatnonzero(step.done)
        ended += len(at)
        place = env.tensors.layout.places["phase"]
        assert (step.observation[at, place.stop - 1] == 1).all(), "the hand is over"
        assert (step.actor[at] == -1).all()
        assert not step.mask[at].any()
    assert ended > 8


def test_the_learner_changes_seats_from_episode_to_episode() -> None:
    env = VectorEnv("indian", 1, seats=3, opponents="random", seed=4)
    seats = []
    while len(seats) < 6:
        step = env.step(env.sample())
        seats += step.info["learner"][step.done].tolist()
    assert set(seats) == {0, 1, 2}


def test_arrays_stay_as_they_are_for_one_more_step() -> None:
    env = VectorEnv("gin", 4, seed=1)
    step = env.reset()
    shown = step.observation.copy()
    env.step(env.sample())
    assert (step.observation == shown).all()


def test_float32_is_the_scaled_tensor() -> None:
    small, large = VectorEnv("indian", 5, seed=3), VectorEnv("indian", 5, seed=3, dtype="float32")
    for _ in range(20):
        actions = small.sample()
        bytes_, floats = small.step(actions).observation, large.step(actions).observation
        assert floats.dtype == np.float32
        assert (small.tensors.floats(bytes_) == floats).all()


def test_the_sampler_chooses_every_legal_action_equally_often() -> None:
    env = VectorEnv("gin", 1, seed=1)
    step = env.step(env.sample())
    while step.mask[0].sum() < 5:
        step = env.step(env.sample())
    chosen = np.array([int(env.sample()[0]) for _ in range(3000)])
    legal = np.flatnonzero(step.mask[0])
    counts = np.array([(chosen == one).sum() for one in legal])
    assert counts.sum() == 3000
    expected = 3000 / len(legal)
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"episode": "deal"}, "episode"),
        ({"reward": "equity"}, "matches"),
        ({"reward": "equity", "episode": "match", "game": "indian"}, "two to a target"),
        ({"seats": "some"}, "seats"),
        ({"n": 0}, "at least one"),
        ({"opponents": ["melder"] * 3, "seats": 3, "game": "gin_pass"}, "lineups of 2, not 3"),
        ({"seats": 3}, "Gin Rummy is for 2 players, not 3"),
        ({"seats": 9, "game": "indian"}, "2 to 6 players, not 9"),
        ({"learner": 1}, "beside opponents"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=words):
        VectorEnv(options.pop("game", "gin"), **options)


def test_actions_must_be_one_for_each_table_and_opponents_compiled() -> None:
    with pytest.raises(OptionError, match="3 tables"):
        VectorEnv("gin", 3).step([0])
    with pytest.raises(OptionError, match="whole numbers, not float64"):
        VectorEnv("gin", 1).step([0.5])
    with pytest.raises(AgentError, match="compiled"):
        VectorEnv("gin", opponents=[object()])  # type: ignore[list-item]
    assert isinstance(VectorEnv("gin", opponents=["simple"]).opponents[0], CompiledAgent)
