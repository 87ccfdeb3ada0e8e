"""Solve a small game: its tree, a variant of CFR, a way to sample the tree, and what was learned so far.

solver = Solver(flatten(Leduc()), "cfr+")
solver.run(1000)
exploitability(solver.tree, solver.average_policy())
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.errors import OptionError
from rummylab.learning.cfr.regrets import Variant, add_regrets, variant
from rummylab.learning.cfr.samples import RNG, sample_externally, sample_outcomes
from rummylab.learning.cfr.sweeps import sweep
from rummylab.learning.cfr.tree import Floats, Tree
from rummylab.learning.checkpoint import Checkpoint

WHOLE, EXTERNAL, OUTCOME = "whole", "external", "outcome"
SAMPLINGS = (WHOLE, EXTERNAL, OUTCOME)
FORMAT = "rummylab-cfr"
VERSION = 1


class Solver:
    """Counterfactual regret minimization on a flattened game."""

    def __init__(
        self,
        tree: Tree,
        kind: str | Variant = "cfr+",
        *,
        sampling: str = WHOLE,
        explore: float = 0.6,
        seed: int = 0,
        update: Any = add_regrets,
    ) -> None:
        self.tree = tree
        self.variant = variant(kind) if isinstance(kind, str) else kind
        self.sampling = sampling
        self.explore = explore
        self.iterations = 0
        self.regrets: Floats = np.zeros(tree.n_slots)
        self.sums: Floats = np.zeros(tree.n_slots)
        self._update = update
        self._rng = np.array([(seed,)], RNG)
        if sampling not in SAMPLINGS:
            raise OptionError(f"sampling is {sampling!r}, but must be one of {', '.join(SAMPLINGS)}")
        if sampling != WHOLE and self.variant.discounts:
            raise OptionError(f"{self.variant.name} shrinks all regrets in every iteration, so it needs whole sweeps")
        if not 0 < explore <= 1:
            raise OptionError(f"explore is {explore}, but must be above 0 and at most 1")
        n_nodes = len(tree.flat.payoff) + 1
        self._policy = tree.uniform()
        self._gains = np.zeros(tree.n_slots)
        self._reach = np.zeros(tree.n_slots)
        self._value = tree.flat.payoff.copy() if sampling == WHOLE else np.zeros(2 * n_nodes)
        self._queue = np.zeros((n_nodes, 2), np.int32)

    def run(self, iterations: int) -> None:
        """Run *iterations* more iterations; both players learn in each.

        Raises:
            OptionError: *iterations* is negative.
        """
        if iterations < 0:
            raise OptionError(f"iterations is {iterations}, but must be 0 or more")
        kind, flat = self.variant, self.tree.flat
        learned = (flat, self.regrets, self.sums, self._policy, self._value)
        span = (self.iterations, iterations)
        keep_negative = float(kind.negative > 0)
        if self.sampling == WHOLE:
            weights = (kind.positive, kind.negative, kind.averaging)
            sweep(*learned, self._reach, self._gains, self._update, *weights, *span)
        elif self.sampling == EXTERNAL:
            sampled = (keep_negative, kind.averaging, self._rng[0], self._queue)
            sample_externally(*learned, self._gains, self._update, *sampled, *span)
        else:
            drawn = (keep_negative, kind.averaging, self.explore, self._rng[0], self._queue)
            sample_outcomes(*learned, self._gains, self._update, *drawn, *span)
        self.iterations += iterations

    def average_policy(self) -> Floats:
        """Return the average policy of all iterations, which converges to an equilibrium."""
        return self._shares(self.sums)

    def current_policy(self) -> Floats:
        """Return the policy that follows from the present regrets."""
        return self._shares(np.maximum(self.regrets, 0))

    def _shares(self, weights: Floats) -> Floats:
        """Return *weights* as probabilities; an information set without weights is played uniformly."""
        flat = self.tree.flat
        totals = np.repeat(np.add.reduceat(weights, flat.slot[:-1]), np.diff(flat.slot))
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), self.tree.uniform())

    # --- Checkpoints ----------------------------------------------------------------------------------------------

    def _label(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.tree.game,
            "tree": self.tree.fingerprint(),
            "variant": self.variant.name,
            "weights": [str(x) for x in (self.variant.positive, self.variant.negative, self.variant.averaging)],
            "sampling": self.sampling,
            "explore": self.explore,
        }

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {"regrets": self.regrets, "sums": self.sums, "policy": self._policy, "rng": self._rng["rng"]}

    def save(self, path: Path) -> None:
        """Write everything learned so far; `restore` resumes from it exactly."""
        Checkpoint(self._arrays(), {**self._label(), "iterations": self.iterations}).save(path)

    def restore(self, path: Path) -> None:
        """Resume from what a solver of the same game with the same options has saved.

        Raises:
            ArtifactError: The file is missing or damaged, or belongs to another game or other options.
        """
        found = Checkpoint.load(path)
        found.expect(self._label())
        self.iterations = found.number("iterations")
        for name, array in self._arrays().items():
            found.fill(name, array)
