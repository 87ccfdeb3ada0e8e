"""Kernels that let tests ask the champion's helpers about one view or one position."""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import champion as c
from rummylab.agents.gin import champion_values as v
from rummylab.cards.bits import lowest, stack_record
from rummylab.games.gin.rules import discards
from rummylab.learning.trainers import gin_champion as trainer


@kernel
def discard_values(views: Any, params: Any, out: Any) -> None:
    """Write the value of every legal discard."""
    table, mine = views[0].table, views[0].mine
    work = stack_record(v.WORK)
    at = np.int64(c.WEIGHTS)
    sight = v.look(table, mine, np.int64(99))
    v.write_chances(sight, mine.hand, params, at, work)
    v.write_discard_values(sight, mine.hand, sight.shown, sight.pile, discards(table, mine), params, at, work, out)


@kernel
def inputs_of_discard(views: Any, params: Any, index: Any, value: Any) -> tuple[int, int, float]:
    """Write the active inputs of the first legal discard; return how many, the card, and what the network says."""
    table, mine = views[0].table, views[0].mine
    work = stack_record(v.WORK)
    at = np.int64(c.WEIGHTS)
    values = np.zeros(64, np.float32)
    discard_values(views, params, values)
    sight = v.look(table, mine, np.int64(99))
    v.write_chances(sight, mine.hand, params, at, work)
    card = lowest(discards(table, mine))
    n = v.write_shared(sight, mine.hand, sight.shown, sight.pile, work)
    n = v.write_discard(sight, work, n, mine.hand, sight.shown, card)
    for k in range(n):
        index[k] = work.index[k]
        value[k] = work.value[k]
    return n, card, values[card]


@kernel
def result_of_knock(rows: Any, card: int) -> int:
    """Return the exact result of a knock; the one position of *rows* is played to its end."""
    return v.knock_result(rows[0], card)


@kernel
def seen_with_memory(views: Any, memory: int) -> tuple[int, int, int]:
    """Return the pile and what the opponent declined and threw, as far as a seat with this memory recalls them."""
    sight = v.look(views[0].table, views[0].mine, memory)
    return sight.pile, sight.refused, sight.thrown


@kernel
def learn_from(notes: Any, params: Any, gradient: Any) -> float:
    """Add the gradient of the first note to *gradient*; return the error of the network, in tens of points."""
    below = np.empty(v.SUMS + v.ROW, np.float32)
    return trainer.learn(notes[0], notes[0].target, params, gradient, stack_record(v.WORK), below)


@kernel
def targets_of(notes: Any, result: float, trace: float) -> None:
    """Write the targets of one player's notes."""
    trainer.set_targets(notes, len(notes), result, trace)
