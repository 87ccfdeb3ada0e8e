"""Tuning: trials, resuming, what may change and what may not, the artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rummylab.agents.gin.utility_options import SAMPLES, UtilityOptions, load_artifact
from rummylab.cli.main import app
from rummylab.errors import OptionError, StoreError, UnknownNameError
from rummylab.learning import tune as t
from rummylab.learning.tune_plots import draw_plots, importances
from rummylab.learning.tune_spaces import space

KNOBS = ("meld_bonus", "haste", "knock_from")
PEAK = {"meld_bonus": 1.0, "haste": 0.2, "knock_from": 6.0}


def plan(**changes: Any) -> t.TunePlan:
    return t.TunePlan(**{"game": "gin", "agent": "utility", "trials": 6, "games": 4, "only": KNOBS, **changes})


@pytest.fixture(autouse=True)
def hill(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Instead of games: points fall with the distance from PEAK, each number counted in its range."""
    if "real_games" in request.keywords:
        return

    def play(plan: t.TunePlan, numbers: Any, games: int, seed: int, workers: Any) -> Any:
        bounds = space("gin", "utility").bounds
        points = -sum(((numbers[n] - PEAK[n]) / (bounds[n][1] - bounds[n][0])) ** 2 for n in KNOBS)
        result = {"games": games, "seed": seed, "win_rate": 0.5 + points / 20, "win_rate_ci": [0, 1]}
        return {opponent: {**result, "points_per_hand": points} for opponent in plan.opponents}

    monkeypatch.setattr(t, "play", play)


def tried(path: Path, wanted: t.TunePlan) -> list[dict[str, float]]:
    return [trial.params for trial in t.finished(t.open_study(wanted, path))]


@pytest.mark.parametrize("sampler", ["tpe", "cmaes"])
def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(sampler: str, tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.db", tmp_path / "part.db"
    t.tune(plan(sampler=sampler, trials=8), whole)
    t.tune(plan(sampler=sampler, trials=4), part)
    t.tune(plan(sampler=sampler, trials=8), part)
    trials = tried(whole, plan(sampler=sampler))
    assert tried(part, plan(sampler=sampler)) == trials
    assert len({tuple(trial.values()) for trial in trials}) == 8


@pytest.mark.parametrize("sampler", t.SAMPLERS)
def test_the_search_gets_better_than_the_start(sampler: str, tmp_path: Path) -> None:
    path, wanted = tmp_path / "study.db", plan(sampler=sampler, trials=16)
    tuned = t.tune(wanted, path)
    first, *_ = [trial.value for trial in t.finished(t.open_study(wanted, path))]
    assert tuned.results["simple"]["points_per_hand"] > first


def test_the_first_trial_is_the_agent_as_it_is(tmp_path: Path) -> None:
    t.tune(plan(trials=1), tmp_path / "study.db")
    now = space("gin", "utility").start()
    assert tried(tmp_path / "study.db", plan()) == [{name: now[name] for name in KNOBS}]


def test_paper_searches_at_random_and_then_one_number_at_a_time_around_the_best(tmp_path: Path) -> None:
    wanted = plan(sampler="paper", trials=20)
    t.tune(wanted, tmp_path / "study.db")
    trials = t.finished(t.open_study(wanted, tmp_path / "study.db"))
    for i in range(11, 20):
        best = max(trials[:i], key=lambda trial: trial.value or 0)
        moved = [name for name in KNOBS if trials[i].params[name] != best.params[name]]
        assert moved in ([], [KNOBS[(i - 11) // 6]])
    assert len({trial.params["haste"] for trial in trials[1:11]}) == 10


@pytest.mark.parametrize(
    "change",
    [{"games": 6}, {"seed": 3}, {"opponents": ("random",)}, {"fixed": (("samples", 3.0),)}, {"sampler": "cmaes"}],
)
def test_another_configuration_is_refused_and_named(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    t.tune(plan(trials=1), path)
    with pytest.raises(StoreError, match=rf"study\.db holds .*{next(iter(change))}"):
        t.tune(plan(**change), path)
    assert len(tried(path, plan())) == 1


def test_paper_keeps_its_number_of_trials(tmp_path: Path) -> None:
    t.tune(plan(sampler="paper", trials=3), tmp_path / "study.db")
    with pytest.raises(StoreError, match="trials"):
        t.tune(plan(sampler="paper", trials=4), tmp_path / "study.db")


def test_an_interrupted_trial_leaves_a_valid_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, play = tmp_path / "study.db", t.play
    calls = []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(t, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        t.tune(plan(), path)
    assert len(tried(path, plan())) == 2
    t.tune(plan(), path)
    t.tune(plan(), tmp_path / "whole.db")
    assert tried(path, plan()) == tried(tmp_path / "whole.db", plan())


def test_a_trial_left_open_by_a_killed_run_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    t._next_trial(plan(), t.open_study(plan(), path), 0)  # asked for, never told
    assert len(t.tune(plan(), path).finalists) == t.FINALISTS
    assert len(tried(path, plan())) == 6


def test_a_file_that_is_no_study_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("not a database, but more than a hundred characters of plain text " * 3)
    with pytest.raises(StoreError, match=r"notes\.db"):
        t.tune(plan(), path)
    assert path.read_text().startswith("not a database")


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
    tuned = t.tune(plan(), tmp_path / "study.db")
    t.write_artifact(tuned.artifact("rummylab tune gin utility"), tmp_path / "utility.json")
    options = load_artifact(tmp_path / "utility.json")
    assert options.meld_bonus == pytest.approx(tuned.numbers["meld_bonus"], abs=1e-6)
    manifest = json.loads((tmp_path / "utility.json").read_text())["manifest"]
    assert manifest["command"] == "rummylab tune gin utility"
    assert manifest["trials"] == 6
    assert manifest["code"]
    with pytest.raises(StoreError, match="cannot be written"):
        t.write_artifact({}, tmp_path / "missing" / "utility.json")


def test_the_pictures_are_drawn_and_the_number_that_matters_is_found(tmp_path: Path) -> None:
    wanted = plan(trials=16, only=("knock_from", "gin_bonus"))
    t.tune(wanted, tmp_path / "study.db")
    study = t.open_study(wanted, tmp_path / "study.db")
    files = draw_plots(study, tmp_path / "plots")
    assert [file.name for file in files] == ["history.png", "importance.png", "slice.png"]
    assert all(file.stat().st_size > 5000 for file in files)
    shares = importances(study)
    assert shares["knock_from"] > shares["gin_bonus"]


def test_a_search_starts_from_the_printed_numbers_if_told_so(tmp_path: Path) -> None:
    wanted = plan(trials=1, start="printed", only=("meld_bonus", "gin_bonus", "low_card_bonus"))
    t.tune(wanted, tmp_path / "study.db")
    printed = UtilityOptions()
    assert tried(tmp_path / "study.db", wanted) == [{"meld_bonus": 1.5, "gin_bonus": 20.0, "low_card_bonus": 0.2}]
    assert wanted.numbers({})["knock_bonus"] == printed.knock_bonus == 10
    assert wanted.numbers({})["take_margin"] == 0  # nothing of ours
    with pytest.raises(UnknownNameError, match="start"):
        plan(start="printd")
    with pytest.raises(StoreError, match="start"):
        t.tune(plan(trials=1, only=wanted.only), tmp_path / "study.db")


@pytest.mark.parametrize("sampler", t.SAMPLERS)
def test_a_study_kept_as_text_proposes_its_own_trials_again(sampler: str, tmp_path: Path) -> None:
    wanted = plan(sampler=sampler, trials=14, start="printed")
    t.tune(wanted, tmp_path / "study.db")
    t.write_artifact(t.trials_as_json(wanted, t.open_study(wanted, tmp_path / "study.db"), "x"), tmp_path / "t.json")
    kept = t.read_trials(tmp_path / "t.json")["trials"]
    assert t.propose_again(wanted, kept) == [trial["params"] for trial in kept]
    kept[3]["value"] += 10  # another score, another search
    assert t.propose_again(wanted, kept) != [trial["params"] for trial in kept]


def test_utility_agents_with_the_numbers_of_a_file_are_tuned_and_played_against(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.json"
    start = {**space("gin", "utility").start("printed"), "meld_bonus": 0.7}
    chosen.write_text(json.dumps(space("gin", "utility").artifact(start)))
    wanted = plan(agent=f"utility@{chosen}", opponents=(f"utility@{chosen}~3",))
    assert wanted.numbers({})["meld_bonus"] == 0.7
    assert wanted.space.make(wanted.numbers({})).par[0] == pytest.approx(0.7)
    opponent = t.find_opponent("gin", wanted.opponents[0])
    assert not isinstance(opponent, str)
    assert opponent.par[SAMPLES] == 3


@pytest.mark.real_games
def test_the_command_plays_and_writes_an_artifact(tmp_path: Path) -> None:
    out = tmp_path / "utility.json"
    words = f"tune gin utility --store {tmp_path}/s.db --trials 2 --games 2 --measured-games 4 --fix samples=1"
    kept = ["--start", "printed", "--out", str(out), "--trials-out", str(tmp_path / "trials.json")]
    result = CliRunner().invoke(app, [*words.split(), *kept, "--workers", "1", "--json"])
    assert result.exit_code == 0, result.output
    first = t.read_trials(tmp_path / "trials.json")["trials"][0]
    assert first["params"]["meld_bonus"] == UtilityOptions().meld_bonus
    assert first["results"]["simple"]["games"] == 2
    assert json.loads(result.stdout)["manifest"]["measured"]["simple"]["games"] == 4
    assert load_artifact(out).samples == 1
    bad = CliRunner().invoke(app, ["tune", "gin", "utility", "--fix", "samples"])
    assert isinstance(bad.exception, OptionError)
