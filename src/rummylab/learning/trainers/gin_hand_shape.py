"""Train the shape of hands: weights that make the cards of sampled hands fit together, for each kind of opponent.

    rummylab train gin-hand-shape --entries 400000 --seed 1 --out runs/hand-shape

Each round plays fresh games against opponents of one kind and fits the weights of `rummylab.beliefs.gin.shape` to them,
under the belief of a network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import BUNDLED, Network, bundled
from rummylab.learning.opponent_hand.beliefs import Floats, certain
from rummylab.learning.opponent_hand.dataset import DatasetPlan, play_shard
from rummylab.learning.opponent_hand.line_ups import CASTS, OURS, SIMPLE, Cast, LineUp, paper_mix, phase_mix
from rummylab.learning.opponent_hand.shape import Positions, fit, mean_deadwood, sample
from rummylab.learning.options import HandShapeOptions
from rummylab.learning.trainer import State, Trainer

UTILITY, SIMPLE_KIND, MIX = hand_shape.KINDS
_FRESH = 2_000_000  # added to the seed: games that no network was trained on


def line_ups_of(kind: str, model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return the lineups in which opponents of *kind* are met. The new agent has the network of *model* or *cast*."""
    last = phase_mix(3, model, cast)
    if kind == UTILITY:
        return last
    return (LineUp(first=last[0].first, second=SIMPLE, share=1.0),) if kind == SIMPLE_KIND else paper_mix(model, cast)


def positions_of(kind: str, network: Network, plan: DatasetPlan) -> Positions:
    """Play *plan* and return the positions in which the opponent is of *kind*, under the belief of *network*."""
    hands = play_shard(plan, 0)
    found = Positions.of(hands, certain(network.probabilities), len(hands))
    return found[hands.opponents == plan.agents.index(SIMPLE)] if kind == SIMPLE_KIND else found


class GinHandShape(Trainer):
    """Weights for every kind of opponent, one kind a round."""

    ARTIFACT = hand_shape.BUNDLED
    COLUMNS = ("entries", "deadwood", "sampled_before", "sampled_after")
    """Mean deadwood of the real hands, and of sampled ones without and with the weights."""

    def __init__(self, options: HandShapeOptions) -> None:
        super().__init__(options)
        self.network = Network.load(options.model / BUNDLED) if options.model else bundled()
        self.weights: Floats = np.zeros((hand_shape.N_KINDS, hand_shape.N_STAGES, hand_shape.N_FEATURES), np.float32)

    @property
    def rounds(self) -> int:
        return hand_shape.N_KINDS

    def plan(self, kind: str) -> DatasetPlan:
        """Return the games that the weights of *kind* are fitted to."""
        options = self.options
        line_ups = line_ups_of(kind, options.model, CASTS[options.cast])
        return DatasetPlan(
            entries=options.entries, seed=_FRESH + options.seed, line_ups=line_ups, shard_entries=options.entries
        )

    def run_round(self) -> Sequence[float]:
        kind, seed = hand_shape.KINDS[self.round], self.options.seed
        positions = positions_of(kind, self.network, self.plan(kind))
        self.weights[self.round] = fit(positions, seed)
        drawn = [sample(positions, weights, seed) for weights in (None, self.weights[self.round])]
        return len(positions.held), *(round(mean_deadwood(hands), 3) for hands in (positions.held, *drawn))

    def state(self) -> State:
        return {"weights": self.weights}

    def set_state(self, state: State) -> None:
        self.weights[...] = state["weights"]

    def data_size(self) -> Mapping[str, Any]:
        plans = {kind: self.plan(kind).to_dict() for kind in hand_shape.KINDS}
        return {"entries": self.options.entries, "network": self.network.manifest["sha256"], "plans": plans}

    def result(self) -> Mapping[str, Any]:
        names = self.COLUMNS
        return {
            kind: dict(zip(names, line[1:], strict=True))
            for kind, line in zip(hand_shape.KINDS, self.curve, strict=True)
        }

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        common = {name: manifest[name] for name in ("command", "options", "seed", "code")}
        data, result = manifest["data"], manifest["result"]
        manifests = {
            kind: {
                **common,
                "data": {"entries": int(result[kind]["entries"]), "network": data["network"]},
                "plan": data["plans"][kind],
                "result": result[kind],
            }
            for kind in hand_shape.KINDS
        }
        hand_shape.save(path, dict(zip(hand_shape.KINDS, self.weights, strict=True)), manifests)
