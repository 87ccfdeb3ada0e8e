"""Train the CFR tables of Gin: discard, draw and knock strategies by Monte-Carlo CFR in self-play.

    rummylab train gin-cfr --hands 2000000 --seed 1 --out runs/gin-cfr

The exploitability of Gin cannot be computed. Instead, each round measures how far the average strategy still moves,
and how many points it wins against the same agent with untrained tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.gin import fitness_cfr
from rummylab.agents.gin.cfr_tables import DRAWS, KNOCKS, N_SETS, SHAPES, SUIT, UNSEEN, Tables, uniform
from rummylab.agents.gin.fitness import TABLES, FitnessOptions
from rummylab.arena.match import MatchResult, match
from rummylab.engine.agent import CompiledAgent
from rummylab.games.gin.view import gin
from rummylab.learning.cfr.gin_hands import CHOICE, learn_hands
from rummylab.learning.cfr.regrets import add_regrets, variant
from rummylab.learning.options import GinCfrOptions
from rummylab.learning.trainer import State, Trainer

SETTLED = 0.01
"""An average strategy that moves by less than this in a round has settled."""
_FINAL = 1_000_000  # added to the seed for the last measurement, on deals that no round has seen

Floats = npt.NDArray[np.float64]


class GinCfr(Trainer):
    """Regrets and sums of policies over all information sets."""

    ARTIFACT = "gin_cfr.safetensors"
    COLUMNS = ("hands", "moved_discard", "moved_draw", "moved_knock", "points_per_hand", "low", "high")
    MAY_CHANGE = ("hands", "games")

    def __init__(self, options: GinCfrOptions, *, update: Any = add_regrets) -> None:
        super().__init__(options)
        self.hands = 0
        self.counts = np.zeros(3, np.int64)
        """Hands played, hands played out from a decision, decisions learned from."""
        self.regrets: Floats = np.zeros(2 * N_SETS)
        self.sums: Floats = np.zeros(2 * N_SETS)
        self._gains: Floats = np.zeros(2 * N_SETS)
        self._params = np.concatenate([np.array(FitnessOptions(pure=False).params, np.float32), uniform()])
        self._values = np.zeros((CHOICE, 2))
        self._rows = gin().new_rows(3)
        self._update = update

    @property
    def rounds(self) -> int:
        return self.round - int((self.hands - self.options.hands) // self.options.block)

    def run_round(self) -> Sequence[float]:
        before = self.average()
        self.learn(min(self.options.block, self.options.hands - self.hands))
        after = self.average()
        points = against_untrained(after, self.options.games, self.options.seed + self.round).points_per_hand
        return self.hands, *moved(before, after, self._visits()), points.value, *points.ci

    def learn(self, hands: int) -> None:
        """Learn from *hands* more hands of self-play."""
        kind = variant(self.options.variant)
        learn_hands(
            self._rows,
            self.options.seed,
            self.hands,
            hands,
            self._params,
            self.regrets,
            self.sums,
            self._gains,
            self._values,
            self._update,
            float(kind.negative > 0),
            kind.averaging,
            self.options.examine,
            self.options.explore,
            self.counts,
        )
        self.hands += hands

    def average(self) -> npt.NDArray[np.float32]:
        """Return the average strategy, with `UNSEEN` where nothing was learned."""
        return _shares(self.sums.reshape(-1, 2))

    def current(self) -> npt.NDArray[np.float32]:
        """Return the strategy that follows from the present regrets."""
        return _shares(np.maximum(self.regrets, 0).reshape(-1, 2))

    def _visits(self) -> Floats:
        return np.asarray(self.sums.reshape(-1, 2).sum(axis=1))

    def state(self) -> State:
        arrays = {"regrets": self.regrets, "sums": self.sums, "policy": self._params[TABLES:], "counts": self.counts}
        return {**arrays, "hands": self.hands}

    def set_state(self, state: State) -> None:
        for name, array in self.state().items():
            if name != "hands":
                array[...] = state[name]
        self.hands = int(state["hands"])

    def data_size(self) -> Mapping[str, Any]:
        hands, tried, decisions = self.counts.tolist()
        return {"hands": hands, "hands_played_out": tried, "decisions": decisions}

    def result(self) -> Mapping[str, Any]:
        played = against_untrained(self.average(), 5 * self.options.games, self.options.seed + _FINAL)
        points, wins = played.points_per_hand, played.win_rate
        seen = self._visits() > 0
        return {
            "sets_met": {
                "discard": 4 * int(seen[:SUIT].sum()),
                "draw": int(seen[DRAWS:KNOCKS].sum()),
                "knock": int(seen[KNOCKS:].sum()),
            },
            "settled": settled(self.curve),
            "against_untrained": {
                "games": played.games,
                "points_per_hand": round(points.value, 4),
                "points_per_hand_ci": [round(x, 4) for x in points.ci],
                "win_rate": round(wins.value, 4),
                "win_rate_ci": [round(x, 4) for x in wins.ci],
            },
        }

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        Tables.of(self.average(), dict(manifest)).save(path)


def _shares(pairs: Floats) -> npt.NDArray[np.float32]:
    """Return the share of the second action in each information set; all suits share what the first has learned."""
    totals = pairs.sum(axis=1)
    shares = np.where(totals > 0, pairs[:, 1] / np.where(totals > 0, totals, 1), UNSEEN).astype(np.float32)
    shares[:DRAWS] = np.tile(shares[:SUIT], 4)
    return shares


def player(tables: npt.NDArray[np.float32], name: str) -> CompiledAgent:
    """Return `fitness-cfr` with these tables."""
    return fitness_cfr.act.with_options(FitnessOptions(), name, tables)


def against_untrained(tables: npt.NDArray[np.float32], games: int, seed: int) -> MatchResult:
    """Play the agent with *tables* against the same agent with untrained tables, on duplicate deals."""
    return match("gin", player(tables, "trained"), player(uniform(), "untrained"), games=games, seed=seed, workers=1)


def moved(old: npt.NDArray[np.float32], new: npt.NDArray[np.float32], visits: Floats) -> list[float]:
    """Return, for each table, how far the strategy has moved, weighted by how often it is used."""
    parts = [slice(*pair) for pair in pairwise((0, DRAWS, KNOCKS, N_SETS))]
    steps = np.abs(np.where(new < 0, 0.5, new) - np.where(old < 0, 0.5, old))
    return [float((steps[part] * visits[part]).sum() / max(visits[part].sum(), 1e-12)) for part in parts]


def settled(curve: Sequence[Sequence[float]]) -> dict[str, int | None]:
    """Return, for each table, the number of hands after which no round moved its average strategy by 1% or more.

    The average of many hands moves little whatever happens, so this shows when further hands stop mattering, no more.
    """
    found: dict[str, int | None] = {}
    hands = 1 + GinCfr.COLUMNS.index("hands")
    for k, name in enumerate(SHAPES, hands + 1):
        still = [line[k] >= SETTLED for line in curve]
        at = len(still) - still[::-1].index(True) if True in still else 0
        found[name] = int(curve[at][hands]) if at < len(curve) else None
    return found
