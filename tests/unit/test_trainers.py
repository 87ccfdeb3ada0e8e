"""Trainers: an interrupted run gives the same bytes, checkpoints of other runs are refused, manifests are whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab.cli.main import app
from rummylab.errors import ArtifactError, OptionError, UnknownNameError
from rummylab.learning import registry
from rummylab.learning.checkpoint import Checkpoint
from rummylab.learning.networks import RATE
from rummylab.learning.opponent_hand.dataset import DatasetPlan, generate
from rummylab.learning.opponent_hand.line_ups import parse_mix
from rummylab.learning.options import option
from rummylab.learning.trainer import CHECKPOINT, CURVE, TIMING, State, Trainer, train

pytest.importorskip("torch", reason="PyTorch is in the extra train")
pytest.importorskip("sklearn", reason="scikit-learn is in the extra train")

TINY: dict[str, dict[str, Any]] = {
    "chinese-counter": {"rounds_a_step": 700, "steps": 3},
    "contract-counter": {"rounds": 3, "deals": 80, "epochs": 1, "games": 2},
    "gin-at-once": {"trials": 3, "games": 2, "measured_games": 2},
    "gin-champion": {"hands": 90, "block": 40, "games": 2, "batch": 64, "threads": 2},
    "gin-cfr": {"hands": 300, "block": 120, "games": 6},
    "gin-hand-shape": {"entries": 300},
    "gin-joint-belief": {
        "rounds": 3,
        "positions": 60,
        "batch": 20,
        "held_out": 20,
        "strong": "simple=1",
        "styles": "medium=1;simple=1",
    },
    "gin-opponent-hand": {"batch": 64, "round_entries": 400, "epochs": 1.5, "held_out": 0.3, "threads": 1},
    "gin-value": {"hands": 200, "block": 80},
    "indian-champion": {"rounds": 3, "deals": 40, "epochs": 1, "games": 2},
    "indian-draws": {"hands": 100},
    "indian-outs": {"deals": 10},
    "pass-counter": {"rounds": 3, "hands": 40, "epochs": 1, "games": 2},
}
"""Options of a run that takes a second or two."""


class Interrupted(Exception):
    """Stands for Ctrl-C."""


def after(n: int) -> Callable[..., None]:
    """A progress callback that interrupts a run after *n* rounds."""

    def progress(done: int, total: int, words: str) -> None:
        if done == n:
            raise Interrupted

    return progress


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("data")
    plan = DatasetPlan(entries=1200, seed=5, line_ups=parse_mix("simple:simple"), shard_entries=1200)
    return generate(place, plan, workers=1).directory


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of mindist-outs tries two values of each weight; the champion is measured by quick opponents."""
    from rummylab.learning.trainers import gin_champion, indian_outs

    monkeypatch.setattr(gin_champion.GinChampion, "frozen", ("simple", "medium"))
    for name, values in {"FEEDING": (0.0, 1.0), "FINISHING": (0.0, 4.0), "FACTORS": (1.0, 2.0)}.items():
        monkeypatch.setattr(indian_outs, name, values)


@pytest.fixture(params=sorted(TINY))
def make(request: pytest.FixtureRequest, data: Path) -> Callable[..., Trainer]:
    kind = registry.trainer(request.param)
    more = {"data": (data,)} if request.param == "gin-opponent-hand" else {}
    return lambda **changes: kind(
        registry.TRAINERS[request.param].options(**{"seed": 3, **TINY[request.param], **more, **changes})
    )


def files_of(place: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(place.iterdir()) if file.name != TIMING}


def test_an_interrupted_run_writes_the_same_bytes_and_its_checkpoint_is_its_own(
    make: Callable[..., Trainer], tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    manifest = train(make(), whole, command="rummylab train")
    for rounds in (1, 2):
        with pytest.raises(Interrupted):
            train(make(), parts, command="rummylab train", progress=after(rounds))
    with pytest.raises(ArtifactError, match=r"checkpoint.npz: its (seed|trainer|data) is .*same options"):
        train(make(seed=4), parts)
    assert train(make(), parts, command="rummylab train") == manifest
    assert files_of(parts) == files_of(whole)
    assert set(manifest) == {"command", "options", "seed", "code", "data", "result"}
    assert all(manifest[part] for part in ("code", "data", "result"))
    assert make().ARTIFACT in files_of(whole)
    n_lines = len((whole / CURVE).read_text().splitlines()) - 1
    assert n_lines == json.loads((whole / TIMING).read_text())["rounds"] > 1


def test_every_trainer_is_registered_and_has_a_tiny_run_here() -> None:
    home = Path(registry.__file__).parent / "trainers"
    modules = {file.stem.replace("_", "-") for file in home.glob("*.py")} - {"--init--"}
    assert modules == set(registry.TRAINERS) == set(TINY)
    with pytest.raises(UnknownNameError, match="did you mean 'gin-cfr'"):
        registry.trainer("gin-crf")


@pytest.mark.parametrize("name", sorted(TINY))
def test_every_option_has_a_help_text_and_every_trainer_a_seed(name: str) -> None:
    options = registry.TRAINERS[name].options
    assert all(field.metadata["meaning"].endswith(".") for field in fields(options))
    assert "seed" in {field.name for field in fields(options)}


# --- The frame itself ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterOptions:
    seed: int = option(1, "Seed.")
    rounds: int = option(4, "Rounds.")

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise OptionError("rounds")


class Counter(Trainer):
    """Adds up random numbers."""

    ARTIFACT, COLUMNS, MAY_CHANGE = "sum.txt", ("total",), ("rounds",)

    def __init__(self, options: CounterOptions) -> None:
        super().__init__(options)
        self.totals = np.zeros(2)

    @property
    def rounds(self) -> int:
        return int(self.options.rounds)

    def run_round(self) -> list[float]:
        self.totals += np.random.default_rng([self.options.seed, self.round]).random(2)
        return [self.totals.sum()]

    def state(self) -> State:
        return {"totals": self.totals, "name": "counter"}

    def set_state(self, state: State) -> None:
        assert state["name"] == "counter"
        self.totals[...] = state["totals"]

    def write(self, path: Path, manifest: Any) -> None:
        path.write_text(f"{self.totals} {manifest['command']}")

    def data_size(self) -> dict[str, int]:
        return {"rounds": self.round}

    def result(self) -> dict[str, float]:
        return {"total": float(self.totals.sum())}


def test_an_option_that_may_change_extends_a_finished_run(tmp_path: Path) -> None:
    train(Counter(CounterOptions(rounds=2)), tmp_path / "a")
    longer = train(Counter(CounterOptions(rounds=4)), tmp_path / "a")
    assert longer["result"] == train(Counter(CounterOptions(rounds=4)), tmp_path / "b")["result"]
    with pytest.raises(ArtifactError, match="its seed is 1, but 2 is needed"):
        train(Counter(CounterOptions(seed=2)), tmp_path / "a")


@pytest.mark.parametrize(("name", "share"), [("contract-counter", 3), ("indian-champion", 3), ("pass-counter", 1)])
def test_the_learning_rate_falls_from_round_to_round_unless_a_trainer_keeps_it(name: str, share: int) -> None:
    run: Any = registry.trainer(name)(registry.TRAINERS[name].options())
    run.round = 2
    assert run.rate == pytest.approx(RATE / share)


def test_a_damaged_checkpoint_names_the_file_and_changes_nothing(tmp_path: Path) -> None:
    train(Counter(CounterOptions()), tmp_path)
    path = tmp_path / CHECKPOINT
    data = path.read_bytes()
    for kept in (0, 1, 30, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:kept])
        with pytest.raises(ArtifactError, match=r"checkpoint.npz is damaged or of another kind"):
            train(Counter(CounterOptions()), tmp_path)
        assert path.read_bytes() == data[:kept]


def test_a_checkpoint_whose_arrays_do_not_fit_is_refused(tmp_path: Path) -> None:
    train(Counter(CounterOptions(rounds=2)), tmp_path)
    found = Checkpoint.load(tmp_path / CHECKPOINT)
    for arrays in ({}, {"totals": np.zeros(3)}):
        Checkpoint(arrays, found.label).save(tmp_path / CHECKPOINT)
        with pytest.raises(ArtifactError, match="does not fit this trainer"):
            train(Counter(CounterOptions()), tmp_path)


def test_every_version_of_the_code_that_took_part_is_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rummylab.learning import trainer as t

    for version in ("1+a", "1+b"):
        monkeypatch.setattr(t, "code_version", lambda version=version: version)
        manifest = train(Counter(CounterOptions(rounds=2 if version == "1+a" else 4)), tmp_path)
    assert manifest["code"] == "1+a, 1+b"


def test_progress_tells_the_last_line_of_the_curve(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    counter = Counter(CounterOptions())
    train(counter, tmp_path, progress=lambda *line: told.append(line))
    assert [line[:2] for line in told] == [(n, 4) for n in range(1, 5)]
    assert told[-1][2] == f"total {counter.totals.sum():.4g}"


# --- The command --------------------------------------------------------------------------------------------------


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["train", *words])


def test_the_command_trains_resumes_and_draws(tmp_path: Path) -> None:
    words = ["gin-value", "--hands", "200", "--block", "100", "--seed", "3", "--out", str(tmp_path)]
    first = run(*words, "--json", "--quiet")
    assert first.exit_code == 0, first.output
    manifest = json.loads(first.stdout)
    assert (manifest["options"]["hands"], manifest["seed"]) == (200, 3)
    again = run(*words, "--plot")
    assert again.exit_code == 0, again.output
    assert "2 rounds" in again.stdout
    assert (tmp_path / "curve.svg").stat().st_size > 5000
    refused = run(*words, "--seed", "4")
    assert isinstance(refused.exception, ArtifactError)


def test_the_command_lists_the_trainers_and_checks_their_options(tmp_path: Path) -> None:
    listed = run("--help").output
    assert all(name in listed for name in TINY)
    assert run("gin-crf").exit_code == 2
    assert run("gin-cfr", "--out", str(tmp_path), "--examine", "nan").exit_code == 2
    assert run("gin-cfr", "--out", str(tmp_path), "--hands", str(10**10)).exit_code == 2
    wrong = run("gin-cfr", "--out", str(tmp_path), "--hands", "0")
    assert isinstance(wrong.exception, OptionError)
    assert run("gin-cfr").exit_code == 2


def test_a_tuner_extended_by_trials_makes_the_proposals_of_a_longer_run(tmp_path: Path) -> None:
    from rummylab.learning.tune import TuneOptions, Tuner

    options = TuneOptions(game="gin", agent="utility", trials=2, games=2, measured_games=2, fixed=(("samples", 1.0),))
    short, long = Tuner(options, workers=1), Tuner(replace(options, trials=4), workers=1)
    train(short, tmp_path / "a")
    extended = Tuner(replace(options, trials=4), workers=1)
    train(extended, tmp_path / "a")
    train(long, tmp_path / "b")
    assert [trial["params"] for trial in extended.trials] == [trial["params"] for trial in long.trials]
