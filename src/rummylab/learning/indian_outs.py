"""Fits the agent `mindist-outs` of Indian Rummy: two danger models by self-play, then the weight of each term.

    python -m rummylab.learning.indian_outs --seed 1 --deals 4000 --out mindist_outs.json

1. Self-play: at every discard of the agent all cards it could throw are noted, with their features and whether the
   opponent's thirteen cards would come nearer with it (helps) or could be declared (completes). The referee's view
   gives an answer for every card, not only for the one thrown, so the agent's own choice does not bias the models.
2. Two logistic models by Newton's method. Steps 1 and 2 are repeated with the agent that results.
3. The weights b and c of the two dangers, a coordinate at a time on duplicate deals, against the same agent without
   the dangers and against `mindist-drawn`.
4. The result is measured on fresh deals against the agents of the paper, which no step before has met.

Each step is written to FILE.part when done; the same command carries on from there.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import kernel_of, source_hash
from rummylab.agents.indian import mindist_outs as agent_file
from rummylab.agents.indian.common import next_seat
from rummylab.agents.indian.mindist_outs import DISTANCES, FEATURES, N_FEATURES, write_features
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import ALL_CARDS, lowest
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.indian.game import indian
from rummylab.games.indian.mindist import discards14, min_dist, outs
from rummylab.games.indian.rules import (
    ACT_POINTER,
    DISCARD,
    RECORD,
    Rows,
    open_hand,
    shuffle_deck,
    step,
    unseen,
)

log = logging.getLogger(__name__)

Floats = npt.NDArray[np.float64]
Weights = dict[str, list[float]]

ROUNDS = 2  # of self-play and fitting: the second sees the play that the first leads to
FEEDING = (0.0, 0.5, 1.0, 1.5)  # values of b, then c, tried for all distances at once
FINISHING = (0.0, 2.0, 4.0, 6.0)
FACTORS = (1.0, 0.5, 2.0)  # tried for one distance; the present value first
MARGIN = 0.001  # less than this is taken for luck
JUDGES = ("minscore", "mindist", "mindist-score", "mindist-opp")
ROWS_PER_DEAL = 400  # room for the cards noted; a deal of this agent needs about 100
RIDGE = 1.0  # keeps the weights of rare features finite
_DATA, _ARENA, _JUDGEMENT = 7, 11, 13  # so that the cards of the three kinds of deals differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a fit hangs on."""

    seed: int
    deals: int
    """Deals of self-play in each round; the search plays eight times as many for each value it tries."""

    def __post_init__(self) -> None:
        if self.deals < 10:
            raise OptionError(f"deals is {self.deals}, but a fit needs ten or more")


# --- 1. Self-play -------------------------------------------------------------------------------------------------


@kernel_of(
    types.int64(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.int64,
        types.int64,
        ACT_POINTER,
        types.float32[::1],
        types.float32[:, ::1],
        types.int8[:, ::1],
    )
)
def note_discards(
    rows: Rows, seed: int, n_deals: int, act: Any, par: Any, features: npt.NDArray[np.float32], labels: Any
) -> int:
    """Play deals of an agent against itself; note features and labels (helps, completes) of all it could throw."""
    row = rows[0]
    table = row.table
    n = 0
    for deal in range(n_deals):
        table.starter = deal & 1
        for seat in range(2):
            row.mine[seat].rng = mix(seed, deal, 0, AGENT + seat)
        shuffle_deck(row, mix(seed, deal, 0, DECK))
        open_hand(row)
        while table.actor >= 0:
            mine = row.mine[table.actor]
            if table.phase == DISCARD:
                # 1. What he waits for.
                opponent = next_seat(table, mine)
                his = row.mine[opponent]
                wild = int(table.wild)
                his_distance = min_dist(his.hand, his.twice, his.jokers, wild)
                waits = outs(his.hand, his.twice, his.jokers, wild, his_distance, ALL_CARDS & ~his.hand)
                # 2. What could be thrown.
                distance, spares = discards14(mine.hand, mine.twice, mine.jokers, wild)
                live, _, _ = unseen(table, mine)
                while distance > 0 and spares and n < features.shape[0]:
                    card = lowest(spares)
                    spares &= spares - 1
                    write_features(table, opponent, live, card, features[n])
                    helps = waits >> card & 1
                    labels[n, 0] = helps
                    labels[n, 1] = helps if his_distance == 1 else 0
                    n += 1
            step(row, act(table, mine, par))
    return n


def self_play(player: CompiledAgent, settings: Settings, number: int) -> tuple[Floats, npt.NDArray[np.int8]]:
    """Return features and labels of one round of self-play."""
    features = np.empty((ROWS_PER_DEAL * settings.deals, N_FEATURES), np.float32)
    labels = np.empty((len(features), 2), np.int8)
    seed = int(mix(settings.seed, number, 0, _DATA) >> np.uint64(1))
    n = note_discards(indian("paper").new_rows(1), seed, settings.deals, player.pointer, player.par, features, labels)
    return features[:n].astype(np.float64), labels[:n]


# --- 2. Logistic models -------------------------------------------------------------------------------------------


def fit_logistic(features: Floats, labels: npt.NDArray[np.int8]) -> Floats:
    """Return the weights of a logistic model, by Newton's method with a small ridge."""
    weights = np.zeros(features.shape[1])
    ridge = RIDGE * np.eye(len(weights))
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (labels - chance) - ridge @ weights
        curvature = (features * (chance * (1 - chance))[:, None]).T @ features + ridge
        change = np.linalg.solve(curvature, slope)
        weights += change * min(1.0, 4.0 / max(float(np.abs(change).max()), 1e-12))
        if float(np.abs(change).max()) < 1e-7:
            break
    return weights


def log_loss(features: Floats, labels: npt.NDArray[np.int8], weights: Floats) -> float:
    """Return the mean log loss of a model; that of no model at all is the entropy of the labels."""
    logit = features @ weights
    return float(np.mean(np.logaddexp(0.0, logit) - labels * logit))


def _entropy(rate: float) -> float:
    """Return the log loss of always saying *rate*."""
    return float(-sum(p * np.log(p) for p in (rate, 1 - rate) if p > 0))


# --- 3. Weights of the terms --------------------------------------------------------------------------------------


def player_of(weights: Weights, name: str = "candidate") -> CompiledAgent:
    """Return the agent with these weights, without drops."""
    numbers = agent_file.check_artifact(artifact(weights, {}))
    return CompiledAgent(name, agent_file.act, (0, 0, *numbers))


def strength(weights: Weights, settings: Settings, number: int) -> float:
    """Return the mean win rate against the agent without dangers and against `mindist-drawn`, on duplicate deals."""
    harmless: Weights = {**weights, "feeding": [0.0] * DISTANCES, "finishing": [0.0] * DISTANCES}
    seed = int(mix(settings.seed, number, 0, _ARENA) >> np.uint64(1))
    rates = [
        match("indian", player_of(weights), other, games=4 * settings.deals, seed=seed).win_rate.value
        for other in (player_of(harmless, "harmless"), agent("indian", "mindist-drawn"))
    ]
    return float(np.mean(rates))


def _with(weights: Weights, part: str, at: int, value: float) -> Weights:
    changed = list(weights[part])
    changed[at] = value
    return {**weights, part: changed}


def first_tries(weights: Weights) -> Iterator[Weights]:
    """Yield weights with the same b and c at every distance."""
    for b in FEEDING:
        for c in FINISHING:
            yield {**weights, "feeding": [b] * DISTANCES, "finishing": [c] * DISTANCES}


def tries_at(weights: Weights, part: str, at: int) -> Iterator[Weights]:
    """Yield weights that differ at one place."""
    centre = weights[part][at] or 1.0
    for factor in FACTORS:
        yield _with(weights, part, at, factor * centre)


# --- All of it, step by step --------------------------------------------------------------------------------------


def start_weights() -> Weights:
    """Return the weights of an agent that looks at its own outs only."""
    nothing: Weights = {name: [0.0] * n for name, n in agent_file.PARTS.items()}
    return {**nothing, "outs": [1.0] * DISTANCES}


def artifact(weights: Weights, manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what is written to the agent's file."""
    rounded = {name: [round(float(x), 5) for x in part] for name, part in weights.items()}
    head = {"format": agent_file.FORMAT, "version": agent_file.VERSION, "features": list(FEATURES)}
    return {**head, **rounded, "manifest": manifest}


def fit_models(weights: Weights, settings: Settings, number: int) -> tuple[Weights, dict[str, Any]]:
    """Return the weights with models fitted to fresh self-play, and what the data were."""
    features, labels = self_play(player_of(weights), settings, number)
    found = dict(weights)
    facts: dict[str, Any] = {"cards": len(features)}
    for column, name in enumerate(("helps", "completes")):
        model = fit_logistic(features, labels[:, column])
        rate = float(labels[:, column].mean())
        facts[f"{name}_rate"] = round(rate, 5)
        facts[f"{name}_log_loss"] = round(log_loss(features, labels[:, column], model), 5)
        facts[f"{name}_entropy"] = round(_entropy(rate), 5)
        found[name] = model.tolist()
    return found, facts


def best_of(tries: Sequence[Weights], settings: Settings, number: int) -> tuple[Weights, float]:
    """Return the strongest of *tries*, all on the same deals; the first unless another is clearly better."""
    rates = [strength(tried, settings, number) for tried in tries]
    at = int(np.argmax(rates))
    if rates[at] < rates[0] + MARGIN:
        at = 0
    return tries[at], rates[at]


def judge(weights: Weights, settings: Settings) -> dict[str, float]:
    """Return the win rates against the agents of the paper, on duplicate deals of their own."""
    seed = int(mix(settings.seed, 0, 0, _JUDGEMENT) >> np.uint64(1))
    games = 8 * settings.deals
    rates = {name: match("indian", player_of(weights), name, games=games, seed=seed).win_rate for name in JUDGES}
    return {name: round(rate.value, 4) for name, rate in rates.items()}


def _do(number: int, weights: Weights, settings: Settings) -> tuple[Weights, dict[str, Any]] | None:
    """Carry out step *number*; None if there are no more."""
    plan = [("fit", 0), ("grid", 0)] * ROUNDS
    plan += [(part, at) for part in ("finishing", "feeding") for at in range(DISTANCES)]
    if number >= len(plan):
        return None
    what, at = plan[number]
    if what == "fit":
        found, facts = fit_models(weights, settings, number)
        return found, {"step": "fit", **facts}
    tries = list(first_tries(weights) if what == "grid" else tries_at(weights, what, at))
    found, rate = best_of(tries, settings, number)
    return found, {"step": f"{what} {at}", "win_rate": round(rate, 4)}


def fit(settings: Settings, out: Path) -> dict[str, Any]:
    """Fit, write the artifact to *out*, and return it; an interrupted fit carries on where it stopped."""
    part = out.with_name(out.name + ".part")
    weights, steps = start_weights(), []
    if part.exists():
        try:
            kept = json.loads(part.read_text(encoding="utf-8"))
            if kept["settings"] != asdict(settings):
                raise ArtifactError(f"{part.name} belongs to a fit with other settings: {kept['settings']}")
            weights, steps = kept["weights"], kept["steps"]
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ArtifactError):
                raise
            raise ArtifactError(f"{part.name} is damaged; remove it to start anew") from error
    while (done := _do(len(steps), weights, settings)) is not None:
        weights, facts = done
        steps.append(facts)
        log.info("step %d: %s", len(steps), facts)
        kept = {"settings": asdict(settings), "weights": weights, "steps": steps}
        part.write_text(json.dumps(kept), encoding="utf-8")
    manifest = {
        "command": f"python -m rummylab.learning.indian_outs --seed {settings.seed} --deals {settings.deals}",
        **asdict(settings),
        "code": source_hash(),
        "data": [step for step in steps if step["step"] == "fit"],
        "result": {"win_rate_in_search": steps[-1]["win_rate"], **judge(weights, settings)},
    }
    made = artifact(weights, manifest)
    out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    part.unlink()
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a fit from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.indian_outs", description=fit.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=4000, help="deals of self-play in each round")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    fit(Settings(seed=chosen.seed, deals=chosen.deals), chosen.out)


if __name__ == "__main__":
    main()
