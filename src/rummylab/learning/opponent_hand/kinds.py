"""The shape of hands for each kind of opponent, fitted to fresh games.

    python -m rummylab.learning.opponent_hand.kinds --kind simple --entries 400000 --seed 1

fits the weights of one kind for the network of the package and writes them to its file; those of other kinds stay.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import Network, bundled
from rummylab.learning.opponent_hand.beliefs import Floats, certain
from rummylab.learning.opponent_hand.dataset import OURS, SIMPLE, Cast, LineUp, Plan, paper_mix, phase_mix, play_shard
from rummylab.learning.opponent_hand.shape import Positions, fit

UTILITY, SIMPLE_KIND, MIX = hand_shape.KINDS


def line_ups_of(kind: str, model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return who plays so that opponents of *kind* are met; the new agent has the network of *model*, or *cast*'s."""
    last = phase_mix(3, model, cast)
    if kind == UTILITY:
        return last
    return (LineUp(first=last[0].first, second=SIMPLE, share=1.0),) if kind == SIMPLE_KIND else paper_mix(model, cast)


def positions_of(kind: str, network: Network, plan: Plan) -> Positions:
    """Play *plan* and return the positions in which the opponent is of *kind*, under the belief of *network*."""
    hands = play_shard(plan, 0)
    found = Positions.of(hands, certain(network.probabilities), len(hands))
    return found[hands.opponents == plan.agents.index(SIMPLE)] if kind == SIMPLE_KIND else found


def fit_kind(
    kind: str, network: Network, entries: int, *, game_seed: int, seed: int, line_ups: tuple[LineUp, ...]
) -> tuple[Floats, dict[str, Any]]:
    """Return the weights of *kind* and the facts about their fit."""
    plan = Plan(entries=entries, seed=game_seed, line_ups=line_ups, shard_entries=entries)
    positions = positions_of(kind, network, plan)
    facts = {
        "entries": len(positions.held),
        "seed": seed,
        "network": network.manifest["sha256"],
        "plan": plan.to_dict(),
    }
    return fit(positions, seed), facts


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit one kind from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.opponent_hand.kinds")
    parser.add_argument("--kind", choices=hand_shape.KINDS, required=True)
    parser.add_argument("--entries", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(hand_shape.__file__).with_name(hand_shape.BUNDLED))
    chosen = parser.parse_args(arguments)
    weights = dict(zip(hand_shape.KINDS, hand_shape.load(chosen.out), strict=True))
    manifests = hand_shape.read_manifests(chosen.out)
    command = f"{parser.prog} --kind {chosen.kind} --entries {chosen.entries} --seed {chosen.seed}"
    weights[chosen.kind], facts = fit_kind(
        chosen.kind,
        bundled(),
        chosen.entries,
        game_seed=2_000_000 + chosen.seed,
        seed=chosen.seed,
        line_ups=line_ups_of(chosen.kind),
    )
    manifests[chosen.kind] = {"command": command, **facts}
    hand_shape.save(chosen.out, weights, manifests)


if __name__ == "__main__":
    main()
