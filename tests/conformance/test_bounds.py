"""No kernel reads or writes outside an array: the rules of every game, and every agent that indexes arrays.

Run with ``NUMBA_BOUNDSCHECK=1``, as `make test` does beside the other tests: Numba then raises `IndexError`. Only what
these tests reach is compiled a second time. Agents that are not listed work on masks and integers and call the same
helpers as the listed ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers import HOUSE_RULES, PRESETS, fewer
from rummylab.agents.registry import agent
from rummylab.arena.jobs import CompiledJob
from rummylab.arena.seating import games_per_deal
from rummylab.games.registry import GAMES

pytestmark = pytest.mark.bounds

TABLES = [*((game, preset, {}) for game, preset in PRESETS), *HOUSE_RULES]
INDEXING = [
    ("gin", "utility"),
    ("gin", "utility-dnn"),
    ("gin", "utility-search"),
    ("gin", "champion-search"),
    ("gin", "fitness-cfr"),
    ("gin_pass", "keats"),
    ("indian", "mindist-outs"),
    ("indian", "mindist-opp"),
    ("contract", "chinese-counter"),
]
"""Agents with tables, counts or sampled hands in arrays."""


def _play(game: str, preset: str, changes: dict[str, Any], name: str, games: int) -> None:
    rules = GAMES[game].rules(preset, **changes)
    deals = max(2, games // games_per_deal(rules.seats))
    rows = CompiledJob(rules, [agent(game, name)] * rules.seats, 5)((0, deals)).rows
    assert not rows["illegal"].any()
    assert rows["decisions"].sum() > 100


def _case(*case: Any) -> Any:
    """Return a case for the worker that has compiled the driver of its game."""
    return pytest.param(*case, marks=pytest.mark.xdist_group(case[0]))


@pytest.mark.parametrize(("game", "preset", "changes"), [_case(*table) for table in TABLES])
def test_rules_keep_to_their_arrays_under_every_preset_and_house_rule(game: str, preset: str, changes: Any) -> None:
    _play(game, preset, changes, "random", 400)


@pytest.mark.parametrize(("game", "name"), [_case(*one) for one in INDEXING])
def test_agents_keep_to_their_arrays(game: str, name: str) -> None:
    _play(game, GAMES[game].presets[0], {}, name, fewer(200, name))


def test_the_check_finds_an_index_outside_an_array() -> None:
    """Fails where these tests would be blind: without the switch the read goes unnoticed, and this test is skipped."""
    import numba

    if not numba.config.BOUNDSCHECK:  # type: ignore[attr-defined]
        pytest.skip("needs NUMBA_BOUNDSCHECK=1")
    from rummylab._jit import kernel

    @kernel
    def read(values: Any, i: int) -> int:
        return values[i]

    with pytest.raises(IndexError):
        read(np.arange(3), 3)
