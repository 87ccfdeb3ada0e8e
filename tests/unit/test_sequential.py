"""Sequential tests keep their promises: checked by simulation. Cycles are found."""

from __future__ import annotations

import numpy as np
import pytest

from rummylab.arena.ratings import cycles, without_first_move
from rummylab.arena.sequential import MIN_PAIRS, Sprt
from rummylab.errors import OptionError


def run(truth: float, rng: np.random.Generator, chunk: int = 25) -> str:
    test = Sprt(low=0.5, high=0.55)
    while test.pairs < 20_000:
        games = rng.random((chunk, 2)) < truth
        if (verdict := test.add(games.mean(axis=1))) != "undecided":
            return verdict
    return "undecided"


@pytest.mark.parametrize(("truth", "wrong"), [(0.5, "better"), (0.55, "not better")])
def test_the_error_rates_are_what_the_test_promises(truth: float, wrong: str) -> None:
    rng = np.random.default_rng(1)
    errors = sum(run(truth, rng) == wrong for _ in range(400)) / 400
    assert errors <= 0.075  # 5 % and three standard errors of 400 runs is 8.3 %


def test_a_sequential_test_stops_earlier_than_a_fixed_one() -> None:
    rng = np.random.default_rng(2)
    used = []
    for _ in range(100):
        test = Sprt(low=0.5, high=0.55)
        while test.add((rng.random((25, 2)) < 0.6).mean(axis=1)) == "undecided":
            pass
        used.append(test.pairs)
    fixed = (1.645 + 1.645) ** 2 * 0.125 / 0.05**2  # pairs for the same errors at 0.5 and 0.55
    assert np.mean(used) < 0.5 * fixed


def test_a_clean_sweep_does_not_stop_before_the_least_number_of_pairs() -> None:
    test = Sprt(low=0.5, high=0.6)
    assert test.add(np.ones(MIN_PAIRS - 1)) == "undecided"
    assert test.add(np.ones(1)) == "better"


def test_bounds_that_make_no_test_are_refused() -> None:
    with pytest.raises(OptionError, match="low < high"):
        Sprt(low=0.6, high=0.5)
    with pytest.raises(OptionError, match=r"alpha is 0\.7"):
        Sprt(alpha=0.7)


def test_cycles_are_pointed_out_only_when_every_step_is_sure() -> None:
    low = np.array([[0, 0.6, 0.3], [0.3, 0, 0.6], [0.6, 0.3, 0]])
    assert cycles(["rock", "scissors", "paper"], low) == [("rock", "scissors", "paper")]
    low[2, 0] = 0.49
    assert cycles(["rock", "scissors", "paper"], low) == []


def test_the_first_movers_edge_is_taken_out() -> None:
    skill = without_first_move(np.array([[0.55, 0.65], [0.5, 0.55]]))
    assert np.allclose(skill, [[0.5, 0.575], [0.425, 0.5]])
    assert np.allclose(skill + skill.T, 1)
