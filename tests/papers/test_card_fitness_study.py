"""A quick version of the study of Gallucci et al., and the published report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rummylab.arena.backends import ThisProcess
from rummylab.lab.experiment.report import write_report
from rummylab.lab.experiment.run import Results, run_experiment
from rummylab.studies.card_fitness.figures import FIGURES, KNOCKS, SHAPLEY, SUBSETS
from rummylab.studies.card_fitness.report import sections
from rummylab.studies.card_fitness.study import (
    NEAREST,
    NEAREST_STEPS,
    READINGS,
    V2,
    V4,
    Study,
    subset_words,
    with_characteristics,
)
from rummylab.studies.registry import reproduction

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def results() -> Results:
    return run_experiment(reproduction("card-fitness", quick=True), backend=ThisProcess())


def test_the_small_study_writes_the_papers_figures_beside_ours(results: Results, tmp_path: Path) -> None:
    text = write_report(results, tmp_path).read_text(encoding="utf-8")
    for heading in (
        "Does it reproduce the paper?",
        "In short", "Fig. 2-4", "All readings of the text", "The sixteen subsets", "Shapley values",
        "CFR tie-break against random tie-break", "What each part is worth", "Knock thresholds",
    ):  # fmt: skip
        assert f"## {heading}" in text, heading
    for printed in ("7.8%", "4.0%", "3.0%", "0.539 ± 0.010"):
        assert printed in text
    for picture in (*FIGURES, SUBSETS, SHAPLEY, KNOCKS):
        assert (tmp_path / picture).stat().st_size > 5_000
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


def test_all_readings_of_both_sentences_are_crossed_and_the_nearest_is_measured_on_seeds_of_its_own(
    results: Results,
) -> None:
    study = Study(results)
    assert len({(reading.v4, reading.v2) for reading in READINGS}) == 2 * 2 * 3
    assert (READINGS[0].v4, READINGS[0].v2) == (V4, V2)
    seeds = {name: results.experiment.step(name).seed for name in ("readings", "readings-controls", *NEAREST_STEPS)}
    assert seeds["readings"] == seeds["readings-controls"] not in {seeds[name] for name in NEAREST_STEPS}
    assert len({seeds[name] for name in NEAREST_STEPS}) == 2
    lead, simple, medium = study.gaps(NEAREST)
    assert lead.value == pytest.approx(2 * study.field("readings").win_rate(V4, NEAREST.v2).value - 1)
    apart = (study.field("readings-controls").win_rate(agent, "medium").value for agent in (V4, NEAREST.v2))
    assert medium.value == pytest.approx(next(apart) - next(apart))
    away = [lead.value - 0.078, simple.value - 0.04, medium.value - 0.03]
    assert study.distance(NEAREST) == pytest.approx((sum(x * x for x in away) / 3) ** 0.5)
    pooled, *each = (study.nearest_gaps(*names)[0].value for names in (NEAREST_STEPS, *((n,) for n in NEAREST_STEPS)))
    assert pooled == pytest.approx(sum(each) / 2)


def test_what_was_chosen_to_fit_is_marked_and_single_comparisons_are_corrected(results: Results) -> None:
    text = sections(Study(results))
    assert "a gain" not in text.replace("so a lead of 7.8% is a gain", "").replace("a gain on V2", "")
    assert "settled" not in text
    assert "not significant" in text  # sixteen comparisons of twenty games each
    chosen = [wanted for wanted in results.experiment.expectations if wanted.chosen]
    assert [wanted.derived for wanted in chosen] == ["nearest_lead", "nearest_against_simple", "nearest_against_medium"]


def test_a_step_that_is_added_to_the_file_gets_a_section_of_its_own(results: Results) -> None:
    longer = Results(results.experiment, {**results.steps, "utility-as-value": results.steps["v4-simple"]})
    assert "Utility as value" not in sections(Study(results))
    assert "## Utility as value\n\n| agent |" in sections(Study(longer))
