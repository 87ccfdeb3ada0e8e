"""The CFR library on games whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rummylab._jit import kernel_of
from rummylab.errors import ArtifactError, OptionError, UnknownNameError
from rummylab.learning.cfr.exploit import best_response, exploitability, nash_conv, value
from rummylab.learning.cfr.game import CHANCE, OVER
from rummylab.learning.cfr.games.kuhn import GAME_VALUE, Kuhn
from rummylab.learning.cfr.games.leduc import Leduc
from rummylab.learning.cfr.regrets import UPDATE, VARIANTS, Variant
from rummylab.learning.cfr.solver import SAMPLINGS, Solver
from rummylab.learning.cfr.tree import Tree, flatten
from rummylab.learning.checkpoint import Checkpoint

KUHN = flatten(Kuhn())
LEDUC = flatten(Leduc())
ALL = [(name, "whole") for name in VARIANTS] + [(n, s) for n in ("cfr", "cfr+") for s in ("external", "outcome")]


def solved(tree: Tree, name: str, iterations: int, **more: Any) -> Solver:
    solver = Solver(tree, name, **more)
    solver.run(iterations)
    return solver


def set_policy(tree: Tree, **chances_of_b: float) -> np.ndarray:
    """A Kuhn policy from the probability of ``b``, by card and bets (``J_pb``)."""
    policy = tree.uniform()
    for name, p in chances_of_b.items():
        policy[tree.slots_of(name.replace("_", " "))] = [1 - p, p]
    return policy


# --- The trees ----------------------------------------------------------------------------------------------------


def test_the_trees_have_the_size_the_literature_gives() -> None:
    assert len(KUHN.keys) == 12
    assert len(LEDUC.keys) == 288
    by_card = flatten(Leduc(by_card=True))
    assert len(by_card.keys) == 936
    assert len(by_card.flat.payoff) == 9457
    assert value(by_card, by_card.uniform()) == pytest.approx(value(LEDUC, LEDUC.uniform()))


def test_parents_come_before_children_and_chances_add_up() -> None:
    flat = LEDUC.flat
    for h in range(LEDUC.n_nodes):
        edges = slice(flat.edge[h], flat.edge[h + 1])
        assert (flat.child[edges] > h).all()
        assert flat.chance[edges].sum() == pytest.approx(1 if flat.actor[h] == CHANCE else edges.stop - edges.start)


@dataclass(frozen=True)
class Forgetful:
    """Player 0 guesses a coin twice, and at the second time has forgotten the first guess."""

    done: str = ""
    name: str = "forgetful"

    @property
    def actor(self) -> int:
        return OVER if len(self.done) == 2 else 0

    def actions(self) -> list[str]:
        return ["h", "t"]

    def chances(self) -> list[tuple[str, float]]:
        return []

    def after(self, action: str) -> Forgetful:
        return Forgetful(self.done + action)

    def information_set(self) -> int:
        return len(self.done)

    def payoff(self) -> float:
        return 1.0

    def root(self) -> Forgetful:
        return self


def test_a_game_in_which_a_player_forgets_is_refused() -> None:
    with pytest.raises(OptionError, match="information set 1 player 0 forgets"):
        flatten(Forgetful())


# --- Exploitability -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", [0.0, 0.2, 1 / 3])
def test_kuhns_own_solutions_cannot_be_exploited(a: float) -> None:
    first = {"J_": a, "Q_": 0, "K_": 3 * a, "J_pb": 0, "Q_pb": a + 1 / 3, "K_pb": 1}
    second = {"J_b": 0, "Q_b": 1 / 3, "K_b": 1, "J_p": 1 / 3, "Q_p": 0, "K_p": 1}
    policy = set_policy(KUHN, **first, **second)
    assert value(KUHN, policy) == pytest.approx(GAME_VALUE)
    assert nash_conv(KUHN, policy) == pytest.approx(0, abs=1e-12)


def test_a_best_response_beats_a_player_who_always_passes() -> None:
    policy = set_policy(KUHN, **{key.replace(" ", "_"): 0.0 for key in KUHN.keys})
    reply, won = best_response(KUHN, policy, 0)
    assert won == pytest.approx(1)  # bet, and every ante is yours
    assert value(KUHN, reply) == pytest.approx(won)


def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(OptionError, match="24 numbers"):
        nash_conv(KUHN, np.ones(5))
    with pytest.raises(OptionError, match="probabilities"):
        nash_conv(KUHN, np.ones(24))


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_values_and_exploitability_agree_with_openspiel(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from rummylab.interop.openspiel_tree import OpenSpielGame, from_openspiel, to_openspiel

    game = OpenSpielGame(name)
    tree = flatten(game)
    rng = np.random.default_rng(5)
    weights = rng.random(tree.n_slots)
    totals = np.repeat(np.add.reduceat(weights, tree.flat.slot[:-1]), np.diff(tree.flat.slot))
    for policy in (tree.uniform(), weights / totals, solved(tree, "cfr+", 30).average_policy()):
        theirs = to_openspiel(tree, policy)
        assert nash_conv(tree, policy) == pytest.approx(pyspiel.nash_conv(game.game, theirs), abs=1e-9)
        assert exploitability(tree, policy) == pytest.approx(pyspiel.exploitability(game.game, theirs), abs=1e-9)
        assert (from_openspiel(tree, theirs) == policy).all()


def test_our_leduc_is_openspiels() -> None:
    pytest.importorskip("pyspiel")
    from rummylab.interop.openspiel_tree import OpenSpielGame

    ours, theirs = flatten(Leduc(by_card=True)), flatten(OpenSpielGame("leduc_poker"))
    assert ours.n_slots == theirs.n_slots
    assert nash_conv(ours, ours.uniform()) == pytest.approx(nash_conv(theirs, theirs.uniform()))
    after = [solved(tree, "cfr", 20).average_policy() for tree in (ours, theirs)]
    assert nash_conv(ours, after[0]) == pytest.approx(nash_conv(theirs, after[1]))


def test_cfr_goes_step_by_step_with_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from rummylab.interop.openspiel_tree import OpenSpielGame, from_openspiel

    game = OpenSpielGame("kuhn_poker")
    tree = flatten(game)
    for kind, theirs in (("cfr", pyspiel.CFRSolver(game.game)), ("cfr+", pyspiel.CFRPlusSolver(game.game))):
        ours = Solver(tree, kind)
        for _ in range(50):
            ours.run(1)
            theirs.evaluate_and_update_policy()
            average = from_openspiel(tree, theirs.tabular_average_policy().policy_table())
            assert ours.average_policy() == pytest.approx(average, abs=1e-9)


# --- Convergence --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "sampling"), ALL)
def test_every_solver_comes_near_the_value_of_kuhn_poker(name: str, sampling: str) -> None:
    whole = sampling == "whole"
    solver = solved(KUHN, name, 2000 if whole else 300_000, sampling=sampling, seed=3)
    policy = solver.average_policy()
    assert value(KUHN, policy) == pytest.approx(GAME_VALUE, abs=1e-3 if whole else 3e-3)
    assert nash_conv(KUHN, policy) < 0.03 * nash_conv(KUHN, KUHN.uniform())


@pytest.mark.parametrize(("name", "sampling"), ALL)
def test_policies_are_distributions(name: str, sampling: str) -> None:
    solver = Solver(LEDUC, name, sampling=sampling)
    for iterations in (0, 1, 50):
        solver.run(iterations)
        for policy in (solver.average_policy(), solver.current_policy()):
            assert (policy >= 0).all()
            assert np.add.reduceat(policy, LEDUC.flat.slot[:-1]) == pytest.approx(1)


def test_cfr_keeps_its_bound_and_cfr_plus_falls_faster() -> None:
    """Average regret is at most range * sqrt(actions * T) / T summed over information sets (Zinkevich et al., 2008)."""
    widest = LEDUC.flat.payoff.max() - LEDUC.flat.payoff.min()
    plain, plus = Solver(LEDUC, "cfr"), Solver(LEDUC, "cfr+")
    steps, gaps = (100, 400, 1600), []
    for t in steps:
        for solver in (plain, plus):
            solver.run(t - solver.iterations)
        gaps.append([nash_conv(LEDUC, solver.average_policy()) for solver in (plain, plus)])
        assert gaps[-1][0] < widest * len(LEDUC.keys) * np.sqrt(3 / t)
    slopes = np.polyfit(np.log(steps), np.log(gaps), 1)[0]
    assert slopes[0] < -0.5  # CFR: at least 1 / sqrt(T)
    assert slopes[1] < -1.0  # CFR+: faster than 1 / T here
    assert slopes[1] < slopes[0]


@pytest.mark.parametrize(("name", "iterations"), [("cfr+", 400), ("discounted", 400), ("linear", 2000)])
def test_leduc_is_solved_to_a_hundredth(name: str, iterations: int) -> None:
    policy = solved(LEDUC, name, iterations).average_policy()
    assert nash_conv(LEDUC, policy) < 0.01
    assert value(LEDUC, policy) == pytest.approx(-0.0856, abs=1e-3)


@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_sampling_closes_in_on_leduc(name: str) -> None:
    start = nash_conv(LEDUC, LEDUC.uniform())
    external = Solver(LEDUC, name, sampling="external", seed=1)
    gaps = []
    for _ in range(2):
        external.run(50_000)
        gaps.append(nash_conv(LEDUC, external.average_policy()))
        external.run(150_000)
    gaps.append(nash_conv(LEDUC, external.average_policy()))
    assert gaps[0] < 0.06 * start
    assert gaps[-1] < 0.75 * gaps[0]
    outcome = solved(LEDUC, name, 400_000, sampling="outcome", seed=1)
    assert nash_conv(LEDUC, outcome.average_policy()) < 0.15 * start


def test_cfr_plus_is_good_without_averaging() -> None:
    """The paper's reason for CFR+ (Tammelin, 2014): the current policy will do, too."""
    plain, plus = (solved(LEDUC, name, 1000).current_policy() for name in ("cfr", "cfr+"))
    assert nash_conv(LEDUC, plus) < 0.05 * nash_conv(LEDUC, plain)


# --- A broken regret update must not go unnoticed -----------------------------------------------------------------


@kernel_of(UPDATE)
def subtract_regrets(regrets, gains, first, end, keep_positive, keep_negative):
    for s in range(first, end):
        regrets[s] -= gains[s]


@kernel_of(UPDATE)
def forget_regrets(regrets, gains, first, end, keep_positive, keep_negative):
    for s in range(first, end):
        regrets[s] = gains[s]


@kernel_of(UPDATE)
def shift_regrets(regrets, gains, first, end, keep_positive, keep_negative):
    for s in range(first, end):
        regrets[s] += gains[s + 1 if s + 1 < end else first]


def learns(sampling: str, **more: Any) -> bool:
    """Whether a solver comes within a tenth of where it started: what a solver is for."""
    solver = solved(KUHN, "cfr", 400 if sampling == "whole" else 20_000, sampling=sampling, seed=1, **more)
    return nash_conv(KUHN, solver.average_policy()) < 0.1 * nash_conv(KUHN, KUHN.uniform())


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_solver_learns_and_one_with_a_broken_regret_update_does_not(sampling: str) -> None:
    assert learns(sampling)
    for broken in (subtract_regrets, forget_regrets, shift_regrets):
        assert not learns(sampling, update=broken)


# --- Settings and checkpoints -------------------------------------------------------------------------------------


def test_wrong_settings_are_told() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'cfr\\+'"):
        Solver(KUHN, "cfr++")
    with pytest.raises(OptionError, match="one of whole, external, outcome"):
        Solver(KUHN, sampling="some")
    with pytest.raises(OptionError, match="discounted shrinks all regrets"):
        Solver(KUHN, "discounted", sampling="external")
    with pytest.raises(OptionError, match="explore is 0"):
        Solver(KUHN, explore=0)
    with pytest.raises(OptionError, match="iterations is -1"):
        Solver(KUHN).run(-1)
    with pytest.raises(OptionError, match="averaging"):
        Variant(name="odd", averaging=-1)


@pytest.mark.parametrize(("name", "sampling"), ALL)
def test_a_solver_carries_on_from_a_checkpoint_as_if_nothing_had_happened(
    name: str, sampling: str, tmp_path: Path
) -> None:
    whole, first, second = (Solver(LEDUC, name, sampling=sampling, seed=4) for _ in range(3))
    whole.run(60)
    first.run(25)
    first.save(tmp_path / "run")
    second.restore(tmp_path / "run")
    second.run(35)
    assert second.iterations == 60
    assert (whole.regrets == second.regrets).all()
    assert (whole.average_policy() == second.average_policy()).all()


def test_a_checkpoint_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    solved(KUHN, "cfr", 5).save(path)
    with pytest.raises(ArtifactError, match="its game is 'kuhn', but 'leduc' is needed"):
        Solver(LEDUC, "cfr").restore(path)
    with pytest.raises(ArtifactError, match="its variant is 'cfr', but 'cfr\\+' is needed"):
        Solver(KUHN, "cfr+").restore(path)
    with pytest.raises(ArtifactError, match="its sampling is 'whole'"):
        Solver(KUHN, "cfr", sampling="external").restore(path)
    with pytest.raises(ArtifactError, match="No such file"):
        Solver(KUHN, "cfr").restore(tmp_path / "nothing")


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    solver = solved(KUHN, "cfr", 5)
    solver.save(path)
    data = path.read_bytes()
    for kept in (0, 1, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:kept])
        with pytest.raises(ArtifactError, match="run is damaged"):
            solver.restore(path)
    middle = len(data) // 2
    path.write_bytes(data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :])
    with pytest.raises(ArtifactError):
        solver.restore(path)


def test_a_file_of_numbers_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    solver = solved(KUHN, "cfr", 5)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(ArtifactError, match="run is damaged or of another kind"):
        solver.restore(path)
    solver.save(path)
    found = Checkpoint.load(path)
    Checkpoint(found.arrays, {name: value for name, value in found.label.items() if name != "iterations"}).save(path)
    with pytest.raises(ArtifactError, match="its iterations is None, but a whole number is needed"):
        solver.restore(path)
    Checkpoint({}, found.label).save(path)
    with pytest.raises(ArtifactError, match="the array 'regrets' is missing or does not fit"):
        solver.restore(path)
