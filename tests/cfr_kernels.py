"""What the tests call of the CFR training of Gin: the lessons of single decisions, and where they are learned."""

from __future__ import annotations

from rummylab._jit import kernel
from rummylab.agents.gin import cfr_tables as tables
from rummylab.learning.cfr import gin_hands as h

LEARN_DRAW, LEARN_KNOCK, LEARN_DISCARD, ADD_DISCARD = range(4)


@kernel
def learn(rows, what, cards, left, params, regrets, sums, gains, update, keep, values, counts):
    if what == LEARN_DRAW:
        h._learn_draw(rows, params, regrets, gains, update, keep, counts)
    elif what == LEARN_KNOCK:
        h._learn_knock(rows, cards, left, params, regrets, gains, update, keep, counts)
    elif what == LEARN_DISCARD:
        h._learn_discard(rows, cards, params, regrets, gains, update, keep, values, counts)
    else:
        table = rows[0].table
        h._add_discard(table, rows[0].mine[table.actor], cards, 1.0, params, sums, rows[2].mine[0])


@kernel
def places(rows, left, out):
    """The information sets of the actor's draw, and of a knock on *left* points."""
    actor = rows[0].table.actor
    out[0] = tables.draw_set(rows[0].table, rows[0].mine[actor])
    out[1] = tables.knock_set(rows[0].table, left)
