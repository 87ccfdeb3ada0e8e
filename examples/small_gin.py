"""OpenSpiel's MCCFR learns a small Gin, and its exact exploitability falls.

pip install open_spiel rummylab
python examples/small_gin.py 2000

Six cards, one in each hand: small enough to list every line of play. The game is ours, registered with OpenSpiel; the
learner is OpenSpiel's external-sampling MCCFR; the exploitability is exact, over the whole tree.
"""

from __future__ import annotations

import sys

import numpy as np
from open_spiel.python.algorithms.external_sampling_mccfr import (  # type: ignore[import-untyped, unused-ignore]
    AverageType,
    ExternalSamplingSolver,
)
from open_spiel.python.algorithms.mccfr import AVG_POLICY_INDEX  # type: ignore[import-untyped, unused-ignore]

import rummylab.interop.openspiel  # noqa: F401, registers the games
from rummylab.interop.openspiel_tree import OpenSpielGame, from_openspiel
from rummylab.learning.cfr.exploit import exploitability
from rummylab.learning.cfr.tree import Floats, Tree, flatten

RULES = "openspiel(ranks=3, suits=2, hand_size=1, knock_limit=2, upcard_cap=1)"
"""Upcards may be taken after the first turn only once: two players who swap them forever make a tree without end."""


class SmallGin:
    """A small Gin with its whole tree, and a learner of OpenSpiel's."""

    def __init__(self, rules: str = RULES, seed: int = 1) -> None:
        np.random.seed(seed)  # OpenSpiel's solver draws from this stream  # noqa: NPY002, TID251
        self.game = OpenSpielGame("python_rummylab_gin", {"rules": rules})
        self.tree: Tree = flatten(self.game)
        self.solver = ExternalSamplingSolver(self.game.game, AverageType.SIMPLE)

    def uniform(self) -> float:
        """Return the exploitability of random play: what a best response wins on average, over both seats."""
        return exploitability(self.tree, self.tree.uniform())

    def learn(self, iterations: int) -> float:
        """Return the exploitability of the average policy after *iterations* more."""
        for _ in range(iterations):
            self.solver.iteration()
        return exploitability(self.tree, self.policy())

    def policy(self) -> Floats:
        """Return the average policy; it plays at random where no sample has come yet."""
        seen, tree, table = self.solver._infostates, self.tree, {}
        for key, actions in zip(map(str, tree.keys), tree.actions, strict=True):
            shares = seen[key][AVG_POLICY_INDEX] if key in seen else np.ones(len(actions))
            table[key] = list(zip(map(int, actions), shares / shares.sum(), strict=True))
        return from_openspiel(tree, table)


if __name__ == "__main__":
    small = SmallGin()
    print(f"{small.tree.n_nodes:,} positions, {len(small.tree.keys):,} information sets")
    print(f"random play: exploitability {small.uniform():.3f} points")
    total, done = int(sys.argv[1]), 0
    while done < total:
        done += (step := min(max(total // 8, 1), total - done))
        print(f"{done} iterations: {small.learn(step):.3f}", flush=True)
