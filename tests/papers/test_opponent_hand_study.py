"""The opponent-hand study from end to end, very small, and the page about one decision."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rummylab.agents.gin.utility_policy import P
from rummylab.agents.registry import agent
from rummylab.beliefs.gin import shape
from rummylab.beliefs.gin.network import Network


@pytest.mark.slow
def test_three_phases_end_with_a_judged_network(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is in the extra train")
    from rummylab.learning.options import OpponentHandOptions
    from rummylab.studies.opponent_hand.recipe import Recipe, install, run

    small = Recipe(
        entries=3000,
        epochs=(1, 1, 3),
        training=OpponentHandOptions(batch=64, round_entries=2000, held_out=0.3, threads=1),
        test_entries=500,
        shape_entries=1000,
        shard_entries=1000,
    )
    found = run(tmp_path, small, workers=1)
    assert json.loads((tmp_path / "result.json").read_text())["entries"] == found["entries"] >= 500
    assert set(found["network"]["top_k"]) == {"10", "15", "20", "25"}
    assert found["deadwood"]["uniform"][0] > 40
    network = Network.load(tmp_path / "net3" / "opponent_hand.safetensors")
    plans = network.manifest["data"]["plans"]
    assert [len(plan["line_ups"]) for plan in plans] == [3, 3, 3]
    assert shape.load(tmp_path / "net3" / shape.BUNDLED).shape == (shape.N_KINDS, shape.N_STAGES, shape.N_FEATURES)
    assert run(tmp_path, small, workers=1)["network"] == found["network"]  # all is there already
    package = tmp_path / "package"
    package.mkdir()
    install(tmp_path, package)
    np.testing.assert_array_equal(Network.load(package / "opponent_hand.safetensors").flat, network.flat)
    for file in package.glob("*.json"):
        assert str(tmp_path) not in file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_shows_a_decision_that_the_belief_changes(tmp_path: Path) -> None:
    from rummylab.studies.opponent_hand.walkthrough import MAP, find, page

    _, _, belief, throws = find(1)
    assert belief.sum() == pytest.approx(10, abs=3)
    naive = max(throws, key=lambda throw: throw.utility)
    assert throws[0].card != naive.card
    assert throws[0].gain < naive.gain
    text = page(tmp_path, 1).read_text(encoding="utf-8")
    assert f"So `utility-dnn` discards the {throws[0].card}." in text
    for throw in throws:
        assert f"| {throw.card} | {throw.utility:.2f} | {throw.gain:.2f} | {throw.value:.2f} |" in text
    assert f"over the {int(agent('gin', 'utility-dnn').params[P.samples])} hands that the agent sampled" in text
    assert (tmp_path / MAP).exists()


@pytest.mark.slow
def test_the_reproduction_has_the_papers_figures_beside_ours(tmp_path: Path) -> None:
    from rummylab.lab.experiment.report import write_report
    from rummylab.lab.experiment.run import run_experiment
    from rummylab.studies.registry import reproduction

    changes = ["games=2", "entries=600", *(f"{name}.games=2" for name in ("dnn-utility", "dnn-patient"))]
    study = reproduction("opponent-hand", quick=True, changes=changes)
    results = run_experiment(study)
    text = write_report(results, tmp_path).read_text(encoding="utf-8")
    for printed in ("37.75%", "61.47%", "79.61%", "90.68%", "0.570 ± 0.025", "0.695 ± 0.023"):
        assert printed in text
    agents = ("literal", "at once, before re-tuning", "at once, re-tuned", "improved, but knocks at once", "improved")
    for apart in agents:
        assert sum(line.startswith(f"| {apart}: the agent with the network") for line in text.splitlines()) == 2
    own = text[text.index("## Do our own expectations hold?") :]
    assert "| literal, uniform belief, against Simple |" in own
    for beliefs in (step for step in results.steps.values() if hasattr(step, "score")):
        assert beliefs.score("network")["brier"] < beliefs.score("uniform")["brier"]
        assert beliefs.measure("network_top_10").value > beliefs.measure("uniform_top_10").value
        first = beliefs.measure("network_first_card_top_10").value
        assert first == pytest.approx(beliefs.score("network")["first_card_top_k"]["10"], abs=1e-4)
        assert first != pytest.approx(beliefs.measure("network_top_10").value, abs=1e-4)
    assert (tmp_path / "reliability.svg").stat().st_size > 5000
