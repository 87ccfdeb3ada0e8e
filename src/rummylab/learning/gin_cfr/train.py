"""Training of the CFR tables of Gin: blocks of hands, after each a checkpoint and a look at how far it has come.

    rummylab train gin-cfr --hands 2000000 --seed 1 --out runs/gin-cfr

There is no exact exploitability for Gin, so two other things are measured after each block: by how much the average
strategy still moves, and what it wins against the same agent with untrained tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.gin import fitness_cfr
from rummylab.agents.gin.cfr_tables import (
    DRAWS,
    FORMAT,
    KNOCKS,
    N_SETS,
    SHAPES,
    SUIT,
    UNSEEN,
    VERSION,
    Tables,
    uniform,
)
from rummylab.agents.gin.fitness_options import TABLES, FitnessOptions
from rummylab.arena.match import match
from rummylab.arena.statistics import Estimate
from rummylab.arena.version import code_version
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_whole
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.gin.game import gin
from rummylab.learning.cfr import checkpoint
from rummylab.learning.cfr.regrets import add_regrets, variant
from rummylab.learning.gin_cfr.hands import CHOICE, learn_hands

MODEL, CHECKPOINT, CURVE, PLOT = "gin_cfr.safetensors", "checkpoint.npz", "curve.csv", "convergence.png"
COLUMNS = ("hands", "seconds", "moved_discard", "moved_draw", "moved_knock", "points_per_hand", "low", "high")
"""Of the curve: hands so far, seconds of one core, how far the average strategy moved, what it wins from untrained."""

SETTLED = 0.01
"""An average strategy that moves by less in a block has settled."""

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run hangs on. Only ``hands`` may change when it is carried on."""

    hands: int = 2_000_000
    seed: int = 1
    variant: str = "cfr+"
    """Regrets and averages as in ``cfr+`` or in ``cfr``."""
    block: int = 100_000
    """Hands between checkpoints."""
    examine: float = 0.25
    """The share of draws and discards learned from; knocks always are."""
    explore: float = 0.05
    """The share of the learner's moves that are random ones."""
    games: int = 2000
    """Games against untrained tables after each block."""

    def __post_init__(self) -> None:
        if variant(self.variant).discounts:
            raise OptionError(f"{self.variant} needs whole sweeps of the tree; Gin is learned with cfr or cfr+")
        if self.hands < 1 or self.block < 1 or self.games < 2:
            raise OptionError("hands and block must be 1 or more, games 2 or more")
        if not (0 < self.examine <= 1 and 0 <= self.explore < 1):
            raise OptionError("examine must lie above 0 and at most be 1, explore from 0 to below 1")


class Trainer:
    """Regrets and sums of policies over all information sets, and the hands they come from."""

    def __init__(self, settings: Settings, *, update: Any = add_regrets) -> None:
        self.settings = settings
        self.hands = 0
        self.seconds = 0.0
        self.curve: list[list[float]] = []
        self.counts = np.zeros(3, np.int64)
        """Hands played, hands played on from a decision, decisions learned from."""
        self.regrets: Floats = np.zeros(2 * N_SETS)
        self.sums: Floats = np.zeros(2 * N_SETS)
        self._gains: Floats = np.zeros(2 * N_SETS)
        self._par = np.concatenate([np.array(FitnessOptions(pure=0).par, np.float32), uniform()])
        self._values = np.zeros((CHOICE, 2))
        self._rows = gin().new_rows(3)
        self._update = update

    def run(self, hands: int) -> None:
        """Learn from so many more hands."""
        kind = variant(self.settings.variant)
        began = time.process_time()
        learn_hands(
            self._rows,
            self.settings.seed,
            self.hands,
            hands,
            self._par,
            self.regrets,
            self.sums,
            self._gains,
            self._values,
            self._update,
            float(kind.negative > 0),
            kind.averaging,
            self.settings.examine,
            self.settings.explore,
            self.counts,
        )
        self.hands += hands
        self.seconds += time.process_time() - began

    def average(self) -> npt.NDArray[np.float32]:
        """Return the average strategy, :data:`UNSEEN` where nothing was learned."""
        return _shares(self.sums.reshape(-1, 2))

    def current(self) -> npt.NDArray[np.float32]:
        """Return what the regrets ask for now."""
        return _shares(np.maximum(self.regrets, 0).reshape(-1, 2))

    # --- Checkpoints ----------------------------------------------------------------------------------------------

    def _label(self) -> dict[str, Any]:
        settings = {name: value for name, value in asdict(self.settings).items() if name not in ("hands", "games")}
        return {"format": FORMAT, "version": VERSION, "shapes": [list(shape) for shape in SHAPES.values()], **settings}

    def save(self, path: Path) -> None:
        """Write all that was learned."""
        arrays = {
            "regrets": self.regrets,
            "sums": self.sums,
            "policy": self._par[TABLES:],
            "counts": self.counts,
            "curve": np.array(self.curve, np.float64).reshape(-1, len(COLUMNS)),
        }
        checkpoint.save(path, arrays, {**self._label(), "hands": self.hands, "seconds": self.seconds})

    def restore(self, path: Path) -> None:
        """Carry on from a checkpoint of the same settings."""
        arrays, label = checkpoint.load(path)
        checkpoint.expect(path, label, self._label())
        own = {"regrets": self.regrets, "sums": self.sums, "policy": self._par[TABLES:], "counts": self.counts}
        for name, array in own.items():
            if name not in arrays or arrays[name].shape != array.shape:
                raise ArtifactError(f"{path}: the {name} are missing or do not fit the abstraction")
            array[:] = arrays[name]
        curve = arrays.get("curve")
        if curve is None or curve.ndim != 2 or curve.shape[1] != len(COLUMNS):
            raise ArtifactError(f"{path}: the curve is missing or has other columns")
        self.hands = int(checkpoint.number(path, label, "hands"))
        self.seconds = checkpoint.number(path, label, "seconds")
        self.curve = curve.tolist()


def _shares(pairs: Floats) -> npt.NDArray[np.float32]:
    """Return by information set the share of its second action, for all suits what the first has learned."""
    totals = pairs.sum(axis=1)
    shares = np.where(totals > 0, pairs[:, 1] / np.where(totals > 0, totals, 1), UNSEEN).astype(np.float32)
    shares[:DRAWS] = np.tile(shares[:SUIT], 4)
    return shares


# --- A whole run --------------------------------------------------------------------------------------------------


def player(tables: npt.NDArray[np.float32], name: str, options: FitnessOptions | None = None) -> CompiledAgent:
    """Return `fitness-cfr` with these tables."""
    return CompiledAgent(name, fitness_cfr.act, (*(options or FitnessOptions()).par, *tables))


def against_untrained(tables: npt.NDArray[np.float32], games: int, seed: int) -> tuple[Estimate, Estimate]:
    """Return points per hand and win rate against the same agent with untrained tables, on duplicate deals."""
    result = match("gin", player(tables, "trained"), player(uniform(), "untrained"), games=games, seed=seed, workers=1)
    return result.points_per_hand, result.win_rate


def moved(old: npt.NDArray[np.float32], new: npt.NDArray[np.float32], weights: Floats) -> list[float]:
    """Return, table by table, by how much the strategy has moved, weighted by how often it is asked."""
    ends = (0, DRAWS, KNOCKS, N_SETS)
    parts = [slice(*pair) for pair in pairwise(ends)]
    steps = np.abs(np.where(new < 0, 0.5, new) - np.where(old < 0, 0.5, old))
    return [float((steps[part] * weights[part]).sum() / max(weights[part].sum(), 1e-12)) for part in parts]


def settled(curve: Sequence[Sequence[float]]) -> dict[str, dict[str, float] | None]:
    """Return by table after how many hands and seconds of one core no block moved its average strategy by 1 % any more.

    An average of many hands moves little whatever happens: this says when more hands stop to matter, no more.
    """
    found: dict[str, dict[str, float] | None] = {}
    for k, name in enumerate(SHAPES, COLUMNS.index("moved_discard")):
        still = [row[k] >= SETTLED for row in curve]
        at = len(still) - still[::-1].index(True) if True in still else 0
        found[name] = {"hands": int(curve[at][0]), "seconds": round(curve[at][1], 1)} if at < len(curve) else None
    return found


def _block(trainer: Trainer, hands: int) -> None:
    """Learn from a block of hands and add a line to the curve."""
    before = trainer.average()
    trainer.run(hands)
    after = trainer.average()
    points, _ = against_untrained(after, trainer.settings.games, trainer.settings.seed + len(trainer.curve))
    steps = moved(before, after, trainer.sums.reshape(-1, 2).sum(axis=1))
    trainer.curve.append([trainer.hands, trainer.seconds, *steps, points.value, *points.ci])


def train(
    out: Path, settings: Settings, *, command: str = "", progress: Progress | None = None, plot: bool = True
) -> Tables:
    """Train to ``settings.hands``, carrying on from a checkpoint in *out*; write tables, curve and figure there."""
    if plot:
        from rummylab.arena.plots import need_matplotlib

        need_matplotlib()
    out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(settings)
    if (out / CHECKPOINT).exists():
        trainer.restore(out / CHECKPOINT)
    while trainer.hands < settings.hands:
        _block(trainer, min(settings.block, settings.hands - trainer.hands))
        trainer.save(out / CHECKPOINT)
        lines = [",".join(COLUMNS), *(",".join(f"{value:.6g}" for value in row) for row in trainer.curve)]
        write_whole(out / CURVE, ("\n".join(lines) + "\n").encode())
        if progress:
            progress(trainer.hands, settings.hands, f"{trainer.curve[-1][5]:+.2f} points a hand against untrained")
    Tables.of(trainer.average(), manifest_of(trainer, command)).save(out / MODEL)
    if plot:
        draw_curve(out / PLOT, np.array(trainer.curve))
    return Tables.load(out / MODEL)


def manifest_of(trainer: Trainer, command: str) -> dict[str, Any]:
    """Return where the tables come from and what they are worth."""
    games = 5 * trainer.settings.games
    points, wins = against_untrained(trainer.average(), games, trainer.settings.seed + 1_000_000)
    hands, tried, decisions = trainer.counts.tolist()
    seen = (trainer.sums.reshape(-1, 2).sum(axis=1) > 0).astype(int)
    return {
        "command": command,
        "settings": asdict(trainer.settings),
        "seed": trainer.settings.seed,
        "code": code_version(),
        "result": {
            "iterations": hands,
            "hands_played_on": tried,
            "decisions_learned": decisions,
            "seconds": round(trainer.seconds, 1),
            "sampled_hands_per_s": round((hands + tried) / max(trainer.seconds, 1e-9)),
            "sets_met": {
                "discard": 4 * int(seen[:SUIT].sum()),
                "draw": int(seen[DRAWS:KNOCKS].sum()),
                "knock": int(seen[KNOCKS:].sum()),
            },
            "settled": settled(trainer.curve),
            "against_untrained": {
                "games": games,
                "points_per_hand": round(points.value, 4),
                "points_per_hand_ci": [round(x, 4) for x in points.ci],
                "win_rate": round(wins.value, 4),
                "win_rate_ci": [round(x, 4) for x in wins.ci],
            },
        },
    }


def draw_curve(path: Path, curve: Floats) -> None:
    """Draw how the strategy settles and what it wins."""
    from rummylab.arena.plots import BLUE, GREEN, ORANGE, figure

    with figure(path, 9.5, 3.8, columns=2) as (_, (left, right)):
        hands = curve[:, 0] / 1e6
        for k, (name, color) in enumerate((("discard", BLUE), ("draw", ORANGE), ("knock", GREEN))):
            left.plot(hands[1:], curve[1:, 2 + k], label=name, color=color)
        left.set(
            xlabel="hands (millions)", ylabel="mean change", title="Average strategy, block by block", yscale="log"
        )
        left.legend()
        right.plot(hands, curve[:, 5], color=BLUE)
        right.fill_between(hands, curve[:, 6], curve[:, 7], color=BLUE, alpha=0.2, lw=0)
        right.set(xlabel="hands (millions)", ylabel="points per hand", title="Against untrained tables")
