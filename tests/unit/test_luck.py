"""Comparisons with the luck of the cards taken out: unbiased, and with less variance."""

from __future__ import annotations

import numpy as np

from rummylab import gin
from rummylab.analysis.calibration import calibrate
from rummylab.analysis.luck import N_FEATURES, N_TERMS, compare, hands_with_luck


def test_luck_terms_are_zero_on_average_and_explain_results() -> None:
    points, terms = hands_with_luck(gin(), ("simple", "random"), 1500, seed=2)
    assert terms.shape == (1500, N_TERMS)
    common = terms[:, [0, *range(1, N_TERMS, N_FEATURES)]]  # an early gin is too rare for a normal law
    z = common.mean(axis=0) / (common.std(axis=0) / np.sqrt(len(common)))
    assert np.abs(z).max() < 4
    assert np.corrcoef(points, terms[:, 0])[0, 1] > 0.05


def test_the_corrected_mean_agrees_with_the_plain_one_and_varies_less() -> None:
    points, terms = hands_with_luck(gin(), ("simple", "simple"), 3000, seed=2)
    found = compare(points, terms)
    assert found.se < 0.85 * found.raw_se
    assert abs(found.mean) < 3.5 * found.se  # an agent against itself
    assert abs(found.mean - found.raw) < 3.5 * found.raw_se


def test_a_multiple_of_luck_does_not_move_the_mean() -> None:
    rng = np.random.default_rng(0)
    means = []
    for _ in range(200):
        luck = rng.normal(size=(60, 3))
        points = 1.0 + luck @ np.array([4.0, 0.0, 2.0]) + rng.normal(size=60)
        means.append(compare(points, luck).mean)
    assert abs(np.mean(means) - 1.0) < 0.03


def test_predictions_and_results_go_together() -> None:
    found = calibrate(gin(), 150, 30)
    assert found.slope > 0.4
    sizes, predicted, realized, errors = zip(*found.groups(2), strict=True)
    assert sum(sizes) == len(found.predicted)
    assert predicted[0] < predicted[1]
    assert realized[0] < realized[1]
    assert min(errors) > 0
