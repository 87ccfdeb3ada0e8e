"""Train the values of `utility-search`: what the move, a unit of utility and a point of deadwood are worth in points.

    rummylab train gin-value --hands 40000 --seed 1 --out runs/gin-value

`utility-dnn` plays against itself. The trainer notes the utility and deadwood of both hands before every draw, and the
score of the hand at its end. A least-squares regression for each stage of the hand gives the values to the player to
move. It needs sums only, so a run keeps no positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel_of
from rummylab.agents.gin.utility_policy import PRICES, price_for_opponent
from rummylab.agents.gin.utility_search import FORMAT, N_STAGES, STAGE_STARTS, VERSION, utility_of
from rummylab.agents.registry import agent
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.artifacts import write_json
from rummylab.engine.rows import Floats
from rummylab.games.gin.rules import ACT_POINTER, DRAW, RECORD, Rows, open_hand, shuffle_deck, step
from rummylab.games.gin.view import gin
from rummylab.learning.options import GinValueOptions
from rummylab.learning.signatures import INT, PARAMS, rows_of
from rummylab.learning.trainer import State, Trainer

PLAYER = "utility-dnn"
TURNS = 40
"""Room for the positions of a hand; later turns are not noted."""
NOTE = np.dtype([("turn", "f8"), ("utility", "f8"), ("deadwood", "f8"), ("actor", "i8"), ("won", "f8")])
"""A position before a draw: the lead of the player to move in utility and deadwood, and the points they won."""
N_COLUMNS = 4
"""Of the regression: a constant (the move), utility, deadwood, and the points won."""


@kernel_of(INT(rows_of(RECORD), INT, INT, INT, ACT_POINTER, PARAMS, rows_of(NOTE)))
def note_positions(rows: Rows, seed: int, first: int, n_hands: int, act: Any, params: Floats, notes: Rows) -> int:
    """Play hands of an agent against itself; note the position before each draw. Return the number of notes."""
    row = rows[0]
    table = row.table
    price = np.empty(PRICES, np.float32)
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
                mine, theirs = row.mine[me].hand, row.mine[1 - me].hand
                price_for_opponent(table, params, price)
                note = notes[n]
                note.turn = table.turn
                note.actor = me
                my_utility, my_deadwood = utility_of(mine, 0, table.limit, price, params)
                their_utility, their_deadwood = utility_of(theirs, 0, table.limit, price, params)
                note.utility = my_utility - their_utility
                note.deadwood = their_deadwood - my_deadwood
                n += 1
            step(row, act(table, row.mine[table.actor], params))
        for i in range(begin, n):
            notes[i].won = 0 if table.winner < 0 else table.points
            if table.winner >= 0 and table.winner != notes[i].actor:
                notes[i].won = -notes[i].won
    return n


def positions(seed: int, first: int, n_hands: int) -> npt.NDArray[np.void]:
    """Return the notes of *n_hands* hands of self-play, from number *first* on."""
    player = agent("gin", PLAYER)
    notes = np.zeros(n_hands * TURNS, NOTE)
    n = note_positions(gin().new_rows(1), seed, first, n_hands, player.kernel, player.params, notes)
    return notes[:n]


def moments(notes: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
    """Return, for each stage of the hand, the sums of products of the columns of the regression."""
    columns = np.column_stack([np.ones(len(notes)), notes["utility"], notes["deadwood"], notes["won"]])
    stages = np.searchsorted(STAGE_STARTS, notes["turn"], side="right") - 1
    return np.array([columns[stages == stage].T @ columns[stages == stage] for stage in range(N_STAGES)])


def fit(sums: npt.NDArray[np.float64]) -> tuple[list[float], list[dict[str, float]]]:
    """Return the values of all stages in a row and, for each stage, the share of the score that they explain."""
    values: list[float] = []
    quality = []
    for start, stage in zip(STAGE_STARTS, sums, strict=True):
        n, inner, mixed = stage[0, 0], stage[:-1, :-1], stage[:-1, -1]
        weights = np.linalg.lstsq(inner, mixed, rcond=None)[0]
        left = stage[-1, -1] - mixed @ weights
        spread = stage[-1, -1] - stage[0, -1] ** 2 / max(n, 1)
        explained = round(float(1 - left / spread), 4) if spread > 0 else 0.0
        values += [round(float(weight), 4) for weight in weights]
        quality.append({"from_turn": start, "positions": int(n), "explained": explained})
    return values, quality


class GinValue(Trainer):
    """Least squares over blocks of self-play."""

    ARTIFACT = "utility_search.json"
    COLUMNS = ("positions", "explained")

    def __init__(self, options: GinValueOptions) -> None:
        super().__init__(options)
        self.sums = np.zeros((N_STAGES, N_COLUMNS, N_COLUMNS))

    @property
    def rounds(self) -> int:
        return -int(-self.options.hands // self.options.block)

    def run_round(self) -> Sequence[float]:
        first = self.round * self.options.block
        self.sums += moments(positions(self.options.seed, first, min(self.options.block, self.options.hands - first)))
        quality = fit(self.sums)[1]
        n = sum(stage["positions"] for stage in quality)
        return n, sum(stage["positions"] * stage["explained"] for stage in quality) / max(n, 1)

    def state(self) -> State:
        return {"sums": self.sums}

    def set_state(self, state: State) -> None:
        self.sums[...] = state["sums"]

    def data_size(self) -> Mapping[str, Any]:
        return {"hands": self.options.hands, "positions": int(self.sums[:, 0, 0].sum()), "player": PLAYER}

    def result(self) -> Mapping[str, Any]:
        return {"stages": fit(self.sums)[1]}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        write_json(path, {"format": FORMAT, "version": VERSION, "values": fit(self.sums)[0], "manifest": manifest})
