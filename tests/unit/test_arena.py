"""The arena: duplicate deals, honest intervals, the same result whatever the number of processes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from examples_path import example
from rummylab import agent, gin, match, play_match, register_agent
from rummylab.arena.backends import ThisProcess
from rummylab.arena.jobs import CopiedJob, TableJob
from rummylab.arena.statistics import ratio, share, wilson
from rummylab.errors import AgentError, OptionError, UnknownNameError
from rummylab.games.gin import rules as r


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Compare field by field: the bytes between fields are nobody's."""
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names)


def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    one = match("gin", "simple", "random", games=1600, seed=11, workers=1)
    two = match("gin", "simple", "random", games=1600, seed=11, workers=2)
    assert same(one.tallies, two.tallies)


def test_other_seeds_give_other_games() -> None:
    a = match("gin", "simple", "simple", games=100, seed=1, workers=1)
    b = match("gin", "simple", "simple", games=100, seed=2, workers=1)
    assert not same(a.tallies, b.tallies)


def test_both_games_of_a_pair_use_the_same_cards() -> None:
    """An agent against itself with the same stream: swapping the seats only swaps the names."""

    @register_agent(game="gin")
    def first_legal(table, mine, params):  # type: ignore[no-untyped-def]
        codes = np.empty(r.MAX_LEGAL, np.int16)
        n = r.legal_codes(table, mine, codes)
        return np.int64(codes[n - 1] if table.phase == r.SPREAD else codes[0])

    tallies = match("gin", first_legal, first_legal, games=200, seed=3, rules="openspiel", workers=1).tallies
    scores = tallies["scores"].reshape(-1, 2, 2)
    assert np.array_equal(scores[:, 0, :], scores[:, 1, ::-1])


def test_the_batch_and_the_python_table_deal_the_same_decks() -> None:
    batch = match("gin", "simple", "simple", games=40, seed=5, workers=1).tallies
    starters = [
        next(play_match(gin(), [agent("gin", "simple"), agent("gin", "simple")], 5, pair=pair)).starter
        for pair in range(20)
    ]
    assert [int(s) for s in batch["starter"][::2]] == starters


def test_a_plain_class_plays_in_the_arena() -> None:
    result = match("gin", example("cautious").Cautious(), "random", games=6, seed=1)
    assert result.agents == ("cautious", "random")
    assert result.win_rate.value == 1.0
    assert result.hands >= 6


def test_an_illegal_move_names_the_agent_and_the_phase() -> None:
    @register_agent(game="gin")
    def stubborn(table, mine, params):  # type: ignore[no-untyped-def]
        return r.DONE

    with pytest.raises(AgentError, match="agent 'stubborn' made an illegal move in the phase 'offer': code 3"):
        match("gin", stubborn, "simple", games=2)


def test_a_function_that_does_not_compile_says_so() -> None:
    with pytest.raises(AgentError, match="broken does not compile"):

        @register_agent(game="gin")
        def broken(table, mine, params):  # type: ignore[no-untyped-def]
            return table.no_such_field


def test_bad_requests_are_refused_in_words() -> None:
    with pytest.raises(UnknownNameError, match="no gin agent named 'simpel'; did you mean 'simple'"):
        match("gin", "simpel", "random")
    with pytest.raises(UnknownNameError, match="no game named 'ginn'; did you mean 'gin'"):
        match("ginn", "simple", "random")
    with pytest.raises(UnknownNameError, match="no preset named 'eai'; did you mean 'eaai'"):
        match("gin", "simple", "random", rules="eai")
    with pytest.raises(OptionError, match="games is 0"):
        match("gin", "simple", "random", games=0)
    with pytest.raises(OptionError, match="workers is 0"):
        match("gin", "simple", "random", games=2, workers=0)


def test_intervals_clustered_by_pair_cover_as_promised() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        luck = rng.normal(size=300)  # what the two games of a pair share
        games = (rng.normal(size=(300, 2)) + luck[:, None] * 0.8 + 0.1) > 0
        truth = 0.5311  # P(N(0.1, sqrt(1.64)) > 0)
        low, high = share(games.mean(axis=1)).ci
        covered += low <= truth <= high
    assert 0.92 <= covered / 400 <= 0.98


def test_a_clean_sweep_still_has_an_interval() -> None:
    estimate = share(np.ones(50))
    assert estimate.value == estimate.high == 1.0
    assert 0.85 < estimate.low < 1.0
    assert wilson(0.5, 100).ci == pytest.approx((0.4038, 0.5962), abs=1e-3)


def test_points_per_hand_is_a_ratio_with_its_own_error() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(400):
        hands = rng.integers(2, 30, size=200).astype(float)
        gain = 0.7 * hands + rng.normal(size=200) * np.sqrt(hands) * 5
        low, high = ratio(gain, hands).ci
        covered += low <= 0.7 <= high
    assert 0.92 <= covered / 400 <= 0.98


class Steady:
    """A class at the Python table: the last legal move."""

    name = "steady"

    def sit(self, rules: object, seat: object, rng: object) -> None: ...

    def act(self, seen: Any) -> Any:
        return list(seen.legal)[-1]


def test_objects_and_classes_play_on_all_cores_with_the_same_result() -> None:
    """More than one chunk, so that two processes share them."""
    one, two, made = (
        match("gin", player, "random", games=24, seed=3, workers=n)
        for player, n in ((Steady(), 1), (Steady(), 2), (Steady, 2))
    )
    assert same(one.tallies, two.tallies)
    assert same(one.tallies, made.tallies)


def test_a_listed_agent_reaches_other_processes_by_name() -> None:
    """As a copy its kernel would be recompiled in every process, which takes seconds."""
    job = CopiedJob(TableJob(gin(), [Steady(), agent("gin", "random")], 3))
    assert b"rummylab.agents.gin.random" in job._job
    assert b"numba" not in job._job


def test_a_class_at_the_table_is_given_to_every_core_after_a_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    shared: list[Any] = []

    class Cores(ThisProcess):
        workers = 4

        def run(self, work: Any, items: Any) -> Any:
            shared.append((told[:], type(work.work), len(items)))
            return super().run(work, items)

    monkeypatch.setattr("rummylab.arena.chunks.WORTH_A_FORECAST", 2)
    monkeypatch.setattr("rummylab.arena.match.local", lambda workers: Cores() if workers is None else None)
    match("gin", Steady, "random", games=22, seed=3, forecast=told.append)
    assert len(told) == 1
    assert shared == [(told, CopiedJob, 2)], "the forecast comes first; copies of the players go to all workers"


def test_objects_that_cannot_be_copied_play_in_this_process(caplog: pytest.LogCaptureFixture) -> None:
    class Locked(Steady):
        def __init__(self) -> None:
            self.lock = threading.Lock()

    result = match("gin", Locked(), "random", games=24, seed=3, workers=2)
    assert same(result.tallies, match("gin", Steady(), "random", games=24, seed=3, workers=1).tallies)
    assert "cannot be copied" in caplog.text


def test_a_class_that_needs_arguments_is_named() -> None:
    class Needy(Steady):
        def __init__(self, depth: int) -> None: ...

    with pytest.raises(AgentError, match="Needy cannot be created without arguments"):
        match("gin", Needy, "random", games=2)


def test_a_long_match_is_announced_with_the_time_it_takes() -> None:
    told: list[float] = []
    match("gin", "simple", "random", games=400, seed=1, workers=1, forecast=told.append)
    assert len(told) == 1
    assert told[0] > 0
    match("gin", "simple", "random", games=20, seed=1, workers=1, forecast=told.append)
    assert len(told) == 1, "not worth asking"
