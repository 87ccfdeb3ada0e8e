"""The paper's own terms: agents that knock at once, tuned from the printed numbers in studies that can be repeated."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from rummylab.agents.gin.utility import load_artifact
from rummylab.agents.gin.utility_policy import NETWORK, UtilityOptions
from rummylab.agents.registry import agent
from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import AT_ONCE, bundled
from rummylab.errors import OptionError
from rummylab.learning import tune
from rummylab.learning.opponent_hand.dataset import DatasetPlan
from rummylab.learning.opponent_hand.line_ups import CASTS, paper_mix, phase_mix
from rummylab.learning.opponent_hand.players import AT_ONCE_NUMBERS, NUMBERS, read_player
from rummylab.learning.opponent_hand.shape import mean_deadwood, sample
from rummylab.learning.options import AT_ONCE_STEPS
from rummylab.learning.trainers import gin_at_once as at_once
from rummylab.learning.trainers.gin_hand_shape import line_ups_of, positions_of
from rummylab.learning.tune_spaces import PAPER_NUMBERS
from rummylab.studies.opponent_hand import trend

PRINTED = {name: value for name, value in asdict(UtilityOptions()).items() if name in PAPER_NUMBERS}


def kept_plan(step: str) -> tune.TuneOptions:
    """The options of a committed study. Its proposals do not depend on the opponents or the network."""
    plan = tune.read_trials(NUMBERS / f"{step}.trials.json")["plan"]
    is_new = step in at_once.RE_TUNED
    return tune.TuneOptions(
        game="gin",
        agent="utility@first" if is_new else "utility",
        sampler=plan["sampler"],
        objective=plan["objective"],
        trials=plan["trials"],
        games=plan["games"],
        seed=plan["seed"],
        preset=plan["preset"],
        start=plan["start"],
        only=tuple(plan["only"]),
        fixed=tuple(plan["fixed"].items()),
    )


@pytest.mark.parametrize("step", AT_ONCE_STEPS)
def test_a_committed_study_proposes_its_own_trials_and_its_numbers_are_among_them(step: str) -> None:
    trials = tune.read_trials(NUMBERS / f"{step}.trials.json")["trials"]
    assert tune.propose_again(kept_plan(step), trials) == [trial["params"] for trial in trials]
    chosen = at_once.numbers_of(NUMBERS / f"{step}.json")
    assert any(trial["params"] == pytest.approx(chosen, abs=1e-5) for trial in trials)


@pytest.mark.parametrize("step", [at_once.FIRST, at_once.SECOND])
def test_the_first_two_searches_begin_with_the_printed_numbers(step: str) -> None:
    study = tune.read_trials(NUMBERS / f"{step}.trials.json")
    assert study["trials"][0]["params"] == PRINTED
    assert study["plan"]["start"] == "printed"


@pytest.mark.parametrize("name", [*AT_ONCE_STEPS, "utility_at_once"])
def test_the_agents_on_the_papers_terms_have_nothing_of_ours(name: str) -> None:
    """Apart from its eight numbers, the samples and the belief, an agent is the printed one: it knocks at once."""
    place = AT_ONCE_NUMBERS if name == "utility_at_once" else NUMBERS / f"{name}.json"
    options, printed = asdict(load_artifact(place)), asdict(UtilityOptions())
    changed = {option for option in options if options[option] != printed[option]}
    assert changed <= {*PAPER_NUMBERS, "samples", "belief"}


def test_the_agent_of_the_registry_has_the_final_numbers_and_the_network_of_its_own_games() -> None:
    found, (options, network) = agent("gin", "utility-at-once"), read_player("utility@at-once")
    assert options.belief == NETWORK
    assert network is bundled(AT_ONCE)
    assert network.flat[:50].tolist() == found.params[len(options.params) :][:50].tolist()
    plans = network.manifest["data"]["plans"]
    assert [len(plan["line_ups"]) for plan in plans] == [3, 3, 3]
    names = {name for plan in plans for name in plan["agents"]}
    assert not names & {"utility~10", "utility-patient~10"}


def test_the_mix_on_the_papers_terms_has_the_papers_shares() -> None:
    cast = CASTS["at-once"]
    share: dict[str, float] = {}
    for line_up in phase_mix(1, cast=cast):
        for name in (line_up.first, line_up.second):
            share[name] = share.get(name, 0) + line_up.share / 16
    assert share == {"utility@first~10": 0.4375, "utility@second~10": 0.4375, "simple": 0.125}
    assert sum(line_up.share for line_up in paper_mix(cast=cast)) == pytest.approx(1)


def test_the_trend_has_both_readings_with_intervals() -> None:
    text = trend.section()
    assert "first card" in text
    assert "all cards" in text
    assert "±" in text


def test_the_shape_of_simples_hands_is_fitted_to_simple() -> None:
    """Late in the hand Simple holds far more deadwood than hands that are shaped like those of a utility agent."""
    plan = DatasetPlan(entries=2500, seed=77, line_ups=line_ups_of("simple"), shard_entries=2500)
    positions = positions_of("simple", bundled(), plan)
    late = positions[positions.stages >= 7]
    weights = dict(zip(hand_shape.KINDS, hand_shape.bundled(), strict=True))
    truth = mean_deadwood(late.held)
    implied = {kind: mean_deadwood(sample(late, weights[kind], 3)) for kind in hand_shape.KINDS}
    assert abs(implied["simple"] - truth) < 2.5
    assert implied["utility"] < truth - 4


@pytest.mark.slow
def test_three_phases_with_re_tuning_end_with_an_agent_to_install(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra train")
    from rummylab.learning.options import OpponentHandOptions
    from rummylab.studies.opponent_hand.recipe import Recipe, install, install_at_once, run

    small = Recipe(
        entries=1500,
        epochs=(1, 1, 1),
        training=OpponentHandOptions(batch=64, round_entries=700, held_out=0.3, threads=1),
        test_entries=300,
        shape_entries=0,
        shard_entries=500,
        cast="at-once",
        budgets=dict.fromkeys(AT_ONCE_STEPS, at_once.Budget(trials=2, games=2, measured_games=2)),
    )
    found = run(tmp_path, small, workers=1)
    assert set(found["network"]["half_interval"]["first_card_top_k"]) == {"10", "15", "20", "25"}
    assert {file.name for file in (tmp_path / "searches").iterdir()} == set(AT_ONCE_STEPS)
    first = json.loads((tmp_path / "numbers" / "first.trials.json").read_text())
    assert first["trials"][0]["params"] == PRINTED
    with pytest.raises(OptionError, match="another cast"):
        install(tmp_path, tmp_path)
    install_at_once(tmp_path, tmp_path / "numbers", tmp_path, tmp_path)
    assert load_artifact(tmp_path / AT_ONCE_NUMBERS.name).belief == NETWORK
    assert str(tmp_path) not in (tmp_path / "opponent_hand_at_once.json").read_text(encoding="utf-8")
    assert trend.row_of(tmp_path)["entries"] >= 1500
    again = replace(small, entries=1600, networks=tmp_path, numbers=tmp_path / "numbers")
    run(tmp_path / "again", again, workers=1)
    assert not (tmp_path / "again" / "net1").exists()
