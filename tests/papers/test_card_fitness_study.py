"""The study of Gallucci et al., played again in small, and the published report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rummylab.arena.backends import ThisProcess
from rummylab.arena.experiment.report import write_report
from rummylab.arena.experiment.run import Results, run_experiment
from rummylab.arena.reproduce.card_fitness import V2, V4, Study, subset_words, with_characteristics
from rummylab.arena.reproduce.card_fitness_figures import FIGURES, KNOCKS, SHAPLEY, SUBSETS
from rummylab.arena.reproduce.card_fitness_report import sections
from rummylab.arena.reproduce.registry import reproduction

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def results() -> Results:
    return run_experiment(reproduction("card-fitness", quick=True), backend=ThisProcess())


def test_the_small_study_writes_the_papers_figures_beside_ours(results: Results, tmp_path: Path) -> None:
    text = write_report(results, tmp_path).read_text(encoding="utf-8")
    for heading in (
        "Paper and ours", "In short", "Fig. 2-4", "Other readings of the text", "The sixteen subsets", "Shapley values",
        "CFR tie-break against random tie-break", "What each part is worth", "Knock thresholds",
    ):  # fmt: skip
        assert f"## {heading}" in text, heading
    for printed in ("7.8%", "4.0%", "3.0%", "0.539 ± 0.010"):
        assert printed in text
    for picture in (*FIGURES, SUBSETS, SHAPLEY, KNOCKS):
        assert (tmp_path / picture).stat().st_size > 10_000
        assert f"({picture})" in text


def test_all_sixteen_subsets_play_and_their_shapley_values_add_up(results: Results) -> None:
    study = Study(results)
    assert len({subset_words(k) for k in range(16)}) == len(study.field("subsets").agents) == 16
    for points in (False, True):
        for worth in (study.worth(points), study.worth_with_ties(points)):
            assert sum(part.value for part in worth.parts) == pytest.approx(worth.total.value)
    by_table = study.field("subsets")
    whole = by_table.lead(with_characteristics(15), with_characteristics(0))
    assert study.worth(points=False).total.value == pytest.approx(whole.value)


def test_the_full_subset_is_v4_itself(results: Results) -> None:
    study = Study(results)
    subset, instead = study.field("subsets"), study.field("knock-instead")
    for opponent in ("simple", "medium", V2):
        assert (subset.wins(with_characteristics(15), opponent) == instead.wins(V4, opponent)).all()
    assert (study.match("v4-simple").of_deals()[0] == subset.wins(with_characteristics(15), "simple")).all()


def test_what_v4_wins_more_is_compared_deal_by_deal(results: Results) -> None:
    study = Study(results)
    first, simple, _ = study.courses
    assert first.lead.value == pytest.approx(2 * study.match("v4-v2").win_rate.value - 1)
    apart = study.match("v4-simple").win_rate.value - study.match("v2-simple").win_rate.value
    assert simple.lead.value == pytest.approx(apart)
    assert np.isfinite(study.more_against_the_strong().value)


def test_a_step_that_is_added_to_the_file_gets_a_section_of_its_own(results: Results) -> None:
    longer = Results(results.experiment, {**results.steps, "utility-as-value": results.steps["v4-simple"]})
    assert "Utility as value" not in sections(Study(results))
    assert "## Utility as value\n\n| agent |" in sections(Study(longer))
