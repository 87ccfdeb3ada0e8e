"""``rummylab bench indian`` measures what it says it measures."""

from __future__ import annotations

import numpy as np
import pytest

from rummylab.arena import speed
from rummylab.games.indian import bench
from rummylab.games.indian.deals import random_hands


def test_bench_prints_the_promised_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = []
    monkeypatch.setattr(bench, "N_HANDS", 500)
    monkeypatch.setattr(speed, "_batch", lambda game, agents, games: tables.append(agents) or (games, 1, 1.0))
    figures = speed.speed("indian")
    assert {"minscore_us", "mindist_us", "discards14_us", "games_per_s", "call_us"} <= set(figures)
    assert all(value > 0 for value in figures.values())
    assert len(set(tables)) == 16 + 1, "every ordered pair of the paper's four skilled agents, and ours against itself"


def test_fourteen_calls_are_one_for_each_discard() -> None:
    hands = random_hands(50, seed=3, n_cards=14)
    each = bench._without_each(hands)
    sizes = [once.bit_count() + twice.bit_count() + jokers for once, twice, jokers, _ in each.tolist()]
    assert set(sizes) == {13}
    assert len(each) == 14 * len(hands)
    assert np.unique(each, axis=0).shape == each.shape
