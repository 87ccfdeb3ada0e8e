"""An analysis uses what the seat sees and nothing else: reshuffle the hidden cards, and it stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from analysis_tables import CASES, table
from rummylab import State
from rummylab.analysis.values import Budget, analyze
from rummylab.beliefs.worlds import sample_rows
from rummylab.engine.position import Parsed
from rummylab.engine.rows import copy_of

FEW = Budget(worlds=6, seconds=None)


@pytest.mark.parametrize("case", CASES)
def test_an_analysis_does_not_depend_on_hidden_cards(case: str) -> None:
    real = table(case, 7)
    seen = real.observe()
    expected = analyze(seen, budget=FEW).to_dict() | {"seconds": 0}
    rows = sample_rows(seen, 2, np.random.default_rng(99))
    for k in range(2):
        other = State.at(Parsed(real.rules, None, copy_of(rows[k : k + 1])))
        assert other != real
        assert analyze(other.observe(seen.seat), budget=FEW).to_dict() | {"seconds": 0} == expected
