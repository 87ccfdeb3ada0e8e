"""Fits what utility and deadwood are worth in points: the values of `utility-search`.

    rummylab train gin-value --hands 40000 --seed 1 --out utility_search.json

`utility-dnn` plays against itself. Before every draw the utilities and deadwoods of both hands are noted, and at the
end of the hand its score. For each stage of the hand one regression says what the move (tempo), a unit of utility
and a point of deadwood ahead are worth to the player to move.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import kernel_of
from rummylab.agents.gin.utility_policy import LOSSES, PRICES, Floats, price_for_opponent
from rummylab.agents.gin.utility_search import FORMAT, N_STAGES, STAGE_STARTS, VERSION, utility_of
from rummylab.agents.registry import agent
from rummylab.arena.version import code_version
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.artifacts import write_whole
from rummylab.errors import OptionError
from rummylab.games.gin.game import gin
from rummylab.games.gin.melds import min_deadwood
from rummylab.games.gin.rules import ACT_POINTER, DRAW, RECORD, Rows, open_hand, shuffle_deck, step

PLAYER = "utility-dnn"
BLOCK = 1000
"""Hands between reports of progress."""
TURNS = 40
"""Room for the positions of a hand; later turns are not noted."""
NOTE = np.dtype([("turn", "f8"), ("utility", "f8"), ("deadwood", "f8"), ("actor", "i8"), ("won", "f8")])
"""A position before a draw: how far the player to move is ahead in utility and deadwood, and what it won."""
LEAST_HANDS = 200


@kernel_of(
    types.int64(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.int64,
        types.int64,
        types.int64,
        ACT_POINTER,
        types.float32[::1],
        types.Array(from_dtype(NOTE), 1, "C"),
    )
)
def note_positions(rows: Rows, seed: int, first: int, n_hands: int, act: Any, par: Floats, notes: Rows) -> int:
    """Play hands of an agent against itself; note the positions before each draw. Return how many."""
    row = rows[0]
    table = row.table
    price, loss = np.empty(PRICES, np.float32), np.empty(LOSSES, np.float32)
    n = 0
    for hand in range(first, first + n_hands):
        table.starter = hand & 1
        for seat in range(2):
            row.mine[seat].rng = mix(seed, hand, 0, AGENT + seat)
        shuffle_deck(row, mix(seed, hand, 0, DECK))
        open_hand(row)
        begin = n
        while table.actor >= 0:
            if table.phase == DRAW and table.turn < TURNS:
                me = table.actor
                mine, his = row.mine[me].hand, row.mine[1 - me].hand
                price_for_opponent(table, par, price)
                note = notes[n]
                note.turn = table.turn
                note.actor = me
                note.utility = utility_of(mine, 0, table.limit, price, par, loss)
                note.utility -= utility_of(his, 0, table.limit, price, par, loss)
                note.deadwood = min_deadwood(his) - min_deadwood(mine)
                n += 1
            step(row, act(table, row.mine[table.actor], par))
        for i in range(begin, n):
            notes[i].won = 0 if table.winner < 0 else table.points
            if table.winner >= 0 and table.winner != notes[i].actor:
                notes[i].won = -notes[i].won
    return n


def positions(seed: int, hands: int, progress: Callable[[int, int], None] | None = None) -> npt.NDArray[np.void]:
    """Return the notes of *hands* hands of self-play."""
    rows, player = gin().new_rows(1), agent("gin", PLAYER)
    found = []
    for first in range(0, hands, BLOCK):
        n_hands = min(BLOCK, hands - first)
        notes = np.zeros(n_hands * TURNS, NOTE)
        n = note_positions(rows, seed, first, n_hands, player.pointer, player.par, notes)
        found.append(notes[:n])
        if progress is not None:
            progress(first + n_hands, hands)
    return np.concatenate(found)


def fit(notes: npt.NDArray[np.void]) -> tuple[list[float], list[dict[str, float]]]:
    """Return tempo, utility and deadwood of each stage in a row, and for each stage how well they explain the score."""
    values: list[float] = []
    quality = []
    stage_of = np.searchsorted(STAGE_STARTS, notes["turn"], side="right") - 1
    for stage in range(N_STAGES):
        part = notes[stage_of == stage]
        features = np.column_stack([np.ones(len(part)), part["utility"], part["deadwood"]])
        weights, *_ = np.linalg.lstsq(features, part["won"], rcond=None)
        errors = part["won"] - features @ weights
        values += [round(float(w), 4) for w in weights]
        explained = round(float(1 - errors.var() / part["won"].var()), 4)
        quality.append({"from_turn": STAGE_STARTS[stage], "positions": len(part), "explained": explained})
    return values, quality


def train(
    out: Path, *, hands: int, seed: int, command: str, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Play, fit and write the artifact *out*; return its content."""
    if hands < LEAST_HANDS:
        raise OptionError(f"hands is {hands}, but a fit needs {LEAST_HANDS} or more")
    values, quality = fit(positions(seed, hands, progress))
    manifest = {"command": command, "seed": seed, "hands": hands, "player": PLAYER, "code": code_version()}
    found = {"format": FORMAT, "version": VERSION, "values": values, "manifest": manifest | {"stages": quality}}
    write_whole(out, (json.dumps(found, indent=1) + "\n").encode())
    return found
