"""Kernels that let tests ask the helpers of `champion-search` about one view or one position."""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import champion_search as search
from rummylab.agents.gin.champion_values import WORK
from rummylab.cards.bits import stack_record


@kernel
def points_of_knock(rows: Any, card: int) -> int:
    """Return what the actor of the one position would get for a knock, as the search counts it."""
    row = rows[0]
    seat = row.table.actor
    knocker = row.mine[seat].hand & ~(np.int64(1) << card)
    return search.knock_points(knocker, search.min_deadwood(knocker), row.mine[1 - seat].hand, row.table.rules)


@kernel
def score_of_discard(views: Any, card: int, hands: Any, params: Any) -> float:
    """Return what the discard is worth if the opponent holds one of *hands*."""
    cards, scores = np.empty(1, np.int64), np.empty(1, np.float32)
    cards[0] = card
    search.score_discards(views[0].table, views[0].mine, cards, 1, hands, params, stack_record(WORK), scores)
    return scores[0]


@kernel
def chance_of_knock(views: Any, theirs: int, deadwood: int) -> float:
    """Return the chance that the opponent, who held *theirs*, knocks with *deadwood* after a draw."""
    chances = np.empty(search.N_CHANCES, np.float32)
    table = views[0].table
    search.write_knock_chances(table, 1 - views[0].mine.seat, chances)
    return search.knock_chance(deadwood, theirs, table.limit, chances)


@kernel
def sampled_hands(views: Any, params: Any, hands: Any) -> None:
    """Fill *hands* with hands that the opponent may hold."""
    search.sample_hands(views[0].table, views[0].mine, params, hands)
