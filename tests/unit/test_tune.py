"""Tuning: trials, resuming, what may change and what may not, the artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rummylab.agents.gin.utility import load_artifact
from rummylab.agents.gin.utility_policy import P, UtilityOptions
from rummylab.cli.main import app
from rummylab.errors import ArtifactError, OptionError, UnknownNameError
from rummylab.learning import tune as t
from rummylab.learning.trainer import train
from rummylab.learning.tune_spaces import space
from rummylab.studies.training_figures import draw_tuning, importances

KNOBS = ("meld_bonus", "haste", "knock_from")
PEAK = {"meld_bonus": 1.0, "haste": 0.2, "knock_from": 6.0}


def plan(**changes: Any) -> t.TuneOptions:
    return t.TuneOptions(**{"game": "gin", "agent": "utility", "trials": 6, "games": 4, "only": KNOBS, **changes})


@pytest.fixture(autouse=True)
def hill(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Instead of games: points fall with the distance from PEAK, each number counted in its range."""
    if "real_games" in request.keywords:
        return

    def play(plan: t.TuneOptions, numbers: Any, games: int, seed: int, workers: Any) -> Any:
        bounds = space("gin", "utility").bounds
        points = -sum(((numbers[n] - PEAK[n]) / (bounds[n][1] - bounds[n][0])) ** 2 for n in KNOBS)
        result = {"games": games, "seed": seed, "win_rate": 0.5 + points / 20, "win_rate_ci": [0, 1]}
        return {opponent: {**result, "points_per_hand": points} for opponent in plan.opponents}

    monkeypatch.setattr(t, "play", play)


def tune(out: Path, **changes: Any) -> t.Tuner:
    """A finished run."""
    tuner = t.Tuner(plan(**changes))
    train(tuner, out, command="rummylab tune gin utility")
    return tuner


def tried(tuner: t.Tuner) -> list[dict[str, float]]:
    return [trial["params"] for trial in tuner.trials]


@pytest.mark.parametrize("sampler", ["tpe", "cmaes"])
def test_a_resumed_run_makes_the_proposals_of_one_that_was_never_stopped(sampler: str, tmp_path: Path) -> None:
    whole = tune(tmp_path / "whole", sampler=sampler, trials=8)
    tune(tmp_path / "part", sampler=sampler, trials=4)
    part = tune(tmp_path / "part", sampler=sampler, trials=8)
    assert tried(part) == tried(whole)
    assert len({tuple(trial.values()) for trial in tried(whole)}) == 8
    for name in ("checkpoint.npz", "tuned.json", "trials.json", "curve.csv"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "part" / name).read_bytes()


@pytest.mark.parametrize("sampler", t.SAMPLERS)
def test_the_search_gets_better_than_the_start(sampler: str, tmp_path: Path) -> None:
    tuner = t.Tuner(plan(sampler=sampler, trials=16))
    manifest = train(tuner, tmp_path)
    assert manifest["result"]["measured"]["simple"]["points_per_hand"] > tuner.trials[0]["value"]
    assert len(manifest["result"]["finalists"]) == t.FINALISTS


def test_the_first_trial_is_the_agent_as_it_is(tmp_path: Path) -> None:
    now = space("gin", "utility").start()
    assert tried(tune(tmp_path, trials=1)) == [{name: now[name] for name in KNOBS}]


def test_paper_searches_at_random_and_then_one_number_at_a_time_around_the_best(tmp_path: Path) -> None:
    trials = tune(tmp_path, sampler="paper", trials=20).trials
    for i in range(11, 20):
        best = max(trials[:i], key=lambda trial: trial["value"])
        moved = [name for name in KNOBS if trials[i]["params"][name] != best["params"][name]]
        assert moved in ([], [KNOBS[(i - 11) // 6]])
    assert len({trial["params"]["haste"] for trial in trials[1:11]}) == 10


@pytest.mark.parametrize(
    "change",
    [{"games": 6}, {"seed": 3}, {"opponents": ("random",)}, {"fixed": (("samples", 3.0),)}, {"sampler": "cmaes"}],
)
def test_other_options_are_refused_and_named(change: dict[str, Any], tmp_path: Path) -> None:
    tune(tmp_path, trials=1)
    before = (tmp_path / "checkpoint.npz").read_bytes()
    with pytest.raises(ArtifactError, match=rf"checkpoint.npz: its {next(iter(change))} is "):
        tune(tmp_path, **change)
    assert (tmp_path / "checkpoint.npz").read_bytes() == before


def test_paper_keeps_its_number_of_trials(tmp_path: Path) -> None:
    tune(tmp_path, sampler="paper", trials=3)
    with pytest.raises(ArtifactError, match="its trials is 3, but 4 is needed"):
        tune(tmp_path, sampler="paper", trials=4)


def test_a_trial_that_was_interrupted_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play, calls = t.play, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(t, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tune(tmp_path / "part")
    assert tried(tune(tmp_path / "part")) == tried(tune(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"sampler": "luck"}, "sampler"),
        ({"objective": "fun"}, "objective"),
        ({"trials": 0}, "trials"),
        ({"games": 1}, "games"),
        ({"opponents": ()}, "opponent"),
        ({"only": ("samples",)}, "samples"),
        ({"fixed": (("luck", 1.0),)}, "luck"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(change: dict[str, Any], word: str) -> None:
    with pytest.raises(OptionError, match=word):
        plan(**change)


def test_an_unknown_agent_or_opponent_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'utility'"):
        plan(agent="utilty")
    with pytest.raises(UnknownNameError, match="did you mean 'simple'"):
        plan(opponents=("simpel",))


def test_fixed_numbers_are_held_and_not_tuned() -> None:
    wanted = plan(fixed=(("haste", 0.4), ("samples", 3.0)))
    assert list(wanted.tuned) == ["meld_bonus", "knock_from"]
    assert wanted.numbers({})["haste"] == 0.4


def test_the_artifact_is_what_the_agent_reads(tmp_path: Path) -> None:
    tuner = tune(tmp_path)
    assert load_artifact(tmp_path / "tuned.json").meld_bonus == pytest.approx(tuner.numbers["meld_bonus"], abs=1e-6)
    manifest = json.loads((tmp_path / "tuned.json").read_text())["manifest"]
    assert manifest["command"] == "rummylab tune gin utility"
    assert manifest["data"]["trials"] == 6
    assert manifest["code"]


def test_the_figures_are_drawn_and_the_number_that_matters_is_found(tmp_path: Path) -> None:
    tuner = tune(tmp_path, trials=16, only=("knock_from", "gin_bonus"))
    files = draw_tuning(tuner.study, tuner.trials, "points_per_hand", tmp_path / "plots")
    assert [file.name for file in files] == ["history.svg", "importance.svg", "slice.svg"]
    assert all(file.stat().st_size > 5000 for file in files)
    shares = importances(tuner.study)
    assert shares["knock_from"] > shares["gin_bonus"]


def test_a_search_starts_from_the_printed_numbers_if_told_so(tmp_path: Path) -> None:
    tuner = tune(tmp_path, trials=1, start="printed", only=("meld_bonus", "gin_bonus", "low_card_bonus"))
    printed = UtilityOptions()
    assert tried(tuner) == [{"meld_bonus": 1.5, "gin_bonus": 20.0, "low_card_bonus": 0.2}]
    assert tuner.options.numbers({})["knock_bonus"] == printed.knock_bonus == 10
    assert tuner.options.numbers({})["take_margin"] == 0  # nothing of ours
    with pytest.raises(UnknownNameError, match="start"):
        plan(start="printd")
    with pytest.raises(ArtifactError, match="its start is"):
        tune(tmp_path, trials=1, only=tuner.options.only)


@pytest.mark.parametrize("sampler", t.SAMPLERS)
def test_trials_kept_as_text_are_proposed_again(sampler: str, tmp_path: Path) -> None:
    tuner = tune(tmp_path, sampler=sampler, trials=14, start="printed")
    kept = t.read_trials(tmp_path / t.TRIALS)["trials"]
    assert t.propose_again(tuner.options, kept) == [trial["params"] for trial in kept]
    kept[3]["value"] += 10  # another score, another search
    assert t.propose_again(tuner.options, kept) != [trial["params"] for trial in kept]


def test_utility_agents_with_the_numbers_of_a_file_are_tuned_and_played_against(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.json"
    start = {**space("gin", "utility").start("printed"), "meld_bonus": 0.7}
    chosen.write_text(json.dumps(space("gin", "utility").artifact(start)))
    wanted = plan(agent=f"utility@{chosen}", opponents=(f"utility@{chosen}~3",))
    assert wanted.numbers({})["meld_bonus"] == 0.7
    assert wanted.space.make(wanted.numbers({})).params[0] == pytest.approx(0.7)
    opponent = t.find_opponent("gin", wanted.opponents[0])
    assert not isinstance(opponent, str)
    assert opponent.params[P.samples] == 3


@pytest.mark.real_games
def test_the_command_plays_and_writes_an_artifact(tmp_path: Path) -> None:
    words = f"tune gin utility --out {tmp_path} --trials 2 --games 2 --measured-games 4 --fix samples=1"
    result = CliRunner().invoke(app, [*words.split(), "--start", "printed", "--workers", "1", "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    first = t.read_trials(tmp_path / t.TRIALS)["trials"][0]
    assert first["params"]["meld_bonus"] == UtilityOptions().meld_bonus
    assert first["results"]["simple"]["games"] == 2
    assert json.loads(result.stdout)["manifest"]["result"]["measured"]["simple"]["games"] == 4
    assert load_artifact(tmp_path / "tuned.json").samples == 1
    bad = CliRunner().invoke(app, ["tune", "gin", "utility", "--out", str(tmp_path), "--fix", "samples"])
    assert isinstance(bad.exception, OptionError)
