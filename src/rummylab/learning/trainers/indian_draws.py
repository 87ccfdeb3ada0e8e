"""Train the formula of `expected_turns`: the draws that a hand of Indian Rummy takes, from its MinDist and outs.

    rummylab train indian-draws --hands 40000 --seed 1 --out runs/indian-draws

For each distance, the draws are fitted by least squares to ``after + wait * log((live + 1) / (outs + 1))``. What a hand
and its draws are, and how they are measured: `rummylab.learning.indian_waits`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.engine.artifacts import write_json
from rummylab.learning.indian_waits import DISTANCES, Collection
from rummylab.learning.options import IndianDrawsOptions
from rummylab.learning.trainer import State, Trainer

FORMAT, VERSION = "rummylab-expected-turns", 1
ROUNDS = 20


def fit(hands: npt.NDArray[np.void]) -> tuple[list[float], list[float]]:
    """Return the numbers ``AFTER`` and ``WAIT`` of the formula, from distance 1 on."""
    after, wait = [], []
    for d in DISTANCES:
        some = hands[hands["distance"] == d]
        wait_d, after_d = np.polyfit(np.log((some["live"] + 1) / (some["outs"] + 1)), some["draws"], 1)
        after.append(round(float(after_d), 2))
        wait.append(round(float(wait_d), 2))
    return after, wait


class IndianDraws(Trainer):
    """Hands of self-play, a twentieth of them a round, and a fit at the end."""

    ARTIFACT = "expected_turns.json"
    COLUMNS = ("deals", "hands", "mean_draws")

    def __init__(self, options: IndianDrawsOptions) -> None:
        super().__init__(options)
        self.collection = Collection(options.hands, options.seed)

    @property
    def rounds(self) -> int:
        return ROUNDS

    def run_round(self) -> Sequence[float]:
        found = self.collection
        found.grow(len(found.hands) * (self.round + 1) // ROUNDS)
        return found.deal, found.at, found.hands["draws"][: found.at].mean()

    def state(self) -> State:
        found = self.collection
        return {"hands": found.hands[: found.at], "wanted": found.wanted, "deal": found.deal}

    def set_state(self, state: State) -> None:
        found = self.collection
        found.at, found.deal = len(state["hands"]), int(state["deal"])
        found.hands[: found.at] = state["hands"]
        found.wanted[...] = state["wanted"]

    def data_size(self) -> Mapping[str, Any]:
        return {"hands": self.collection.at, "deals": self.collection.deal}

    def result(self) -> Mapping[str, Any]:
        """Return the spread of the draws around the formula, beside the spread around their mean at each distance."""
        after, wait = fit(self.collection.hands)
        found = {}
        for d, after_d, wait_d in zip(DISTANCES, after, wait, strict=True):
            some = self.collection.hands[self.collection.hands["distance"] == d]
            errors = some["draws"] - after_d - wait_d * np.log((some["live"] + 1) / (some["outs"] + 1))
            spread = {
                "around_formula": round(float(errors.std()), 4),
                "around_mean": round(float(some["draws"].std()), 4),
            }
            found[str(d)] = {"draws": round(float(some["draws"].mean()), 4), **spread}
        return {"by_distance": found}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        after, wait = fit(self.collection.hands)
        write_json(path, {"format": FORMAT, "version": VERSION, "after": after, "wait": wait, "manifest": manifest})
