"""Kernels that let tests ask the helpers of the local best response about one view."""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import local_best_response as response
from rummylab.agents.registry import agent
from rummylab.cards.bits import bit
from rummylab.games.gin.rules import DRAW_STOCK, step

policy = agent("gin", "champion")
ask = policy.kernel
sample_worlds = response.look_ahead(policy).sample_worlds


@kernel
def note(views: Any) -> None:
    """Note the last turns of both players."""
    response.note_turns(views[0].table, views[0].mine)


@kernel
def replayed(views: Any, n: int, rows: Any) -> int:
    """Write the positions before the opponent's last *n* turns to *rows*; return how many there are."""
    return response.replay(views[0].table, views[0].mine, np.int64(n), rows)


@kernel
def worlds_of(views: Any, params: Any, worlds: Any) -> None:
    """Fill *worlds* with hands that explain what the opponent, `champion`, did."""
    sample_worlds(views[0].table, views[0].mine, worlds, params)


@kernel
def code_after_stock(rows: Any, seat: int, eleven: int, drawn: int, params: Any) -> int:
    """Return the move of the policy in *seat* with *eleven* cards, of which *drawn* came from the stock."""
    row = rows[0]
    row.mine[seat].hand = eleven & ~bit(drawn)
    row.deck[row.pos] = drawn
    step(row, DRAW_STOCK)
    return ask(row.table, row.mine[seat], params)
