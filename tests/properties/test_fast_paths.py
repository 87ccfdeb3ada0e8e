"""Fast paths do what the readable code beside them does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import HOUSE_RULES, PRESETS, line_ups, played_states
from rummylab._jit import kernel
from rummylab.cards import bits
from rummylab.engine.rows import Rows, copy_of
from rummylab.games.gin import rules as gin
from rummylab.games.registry import GAMES

TABLES = [(p, {}) for g, p in PRESETS if g == "gin"] + [(p, changes) for g, p, changes in HOUSE_RULES if g == "gin"]


@kernel
def move_all(rows, code, legal):
    for i in range(rows.shape[0]):
        legal[i] = gin.move(rows[i], code)


@kernel
def step_all(rows, code, legal):
    for i in range(rows.shape[0]):
        table = rows[i].table
        legal[i] = gin.is_legal(table, rows[i].mine[table.actor], code)
        if legal[i]:
            gin.step(rows[i], code)


def positions(preset: str, changes: dict) -> Rows:
    """Positions of a few hands in which somebody is to move."""
    rules = GAMES["gin"].rules(preset, **changes)
    hands = [played_states(rules, players, seed) for players in line_ups("gin", 5) for seed in (1, 2)]
    return np.concatenate([copy_of(state.rows()) for hand in hands for state in hand if state.actor is not None])


@pytest.mark.parametrize(("preset", "changes"), TABLES, ids=[f"{p}-{'-'.join(c)}" for p, c in TABLES])
def test_a_move_of_gin_is_the_check_and_then_the_step(preset: str, changes: dict) -> None:
    rows = positions(preset, changes)
    accepted = 0
    for code in range(-2, gin.N_CODES + 2):
        moved, stepped = copy_of(rows), copy_of(rows)
        of_move, of_step = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        move_all(moved, code, of_move)
        step_all(stepped, code, of_step)
        assert (of_move == of_step).all(), code
        assert moved.tobytes() == stepped.tobytes(), code
        accepted += of_move.sum()
    assert accepted > 2 * len(rows)


@kernel
def nth_cards(mask, out, by_loop):
    for n in range(out.shape[0]):
        out[n] = bits.nth_card(mask, n)
        by_loop[n] = nth_card_by_loop(mask, n)


nth_card_by_loop = kernel(bits._nth_card_by_loop)


@given(st.integers(1, bits.ALL_CARDS).map(lambda mask: mask & bits.ALL_CARDS).filter(bool))
def test_the_nth_card_is_found_with_and_without_pdep(mask: int) -> None:
    ids = bits.to_ids(mask)
    out, by_loop = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    nth_cards(mask, out, by_loop)
    assert out.tolist() == by_loop.tolist() == ids


def test_pdep_is_left_out_where_it_is_missing_or_slow() -> None:
    assert bits.has_pdep(("x86_64-unknown-linux-gnu", "znver3", "+avx2,+bmi,+bmi2"))
    assert not bits.has_pdep(("x86_64-unknown-linux-gnu", "znver2", "+avx2,+bmi,+bmi2"))
    assert not bits.has_pdep(("x86_64-unknown-linux-gnu", "ivybridge", "+avx,-bmi2"))
    assert not bits.has_pdep(("arm64-apple-darwin", "apple-m1", "+neon"))
