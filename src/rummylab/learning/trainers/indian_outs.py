"""Train `mindist-outs` of Indian Rummy: two models of the danger of a discard, then the weight of each term.

    rummylab train indian-outs --deals 4000 --seed 1 --out runs/indian-outs

1. Self-play. At every discard the trainer notes the features of all cards that could go, and whether each would bring
   the opponent's hand nearer (helps) or let them declare (completes). The referee's view answers for every card, not
   only for the one discarded, so the agent's own choice does not bias the models.
2. Two logistic regressions. Steps 1 and 2 are repeated with the agent that results.
3. The weights b and c of the two dangers, one coordinate at a time on duplicate deals, against the agent without the
   dangers and against `mindist-drawn`.
4. A measurement on fresh deals against the agents of the paper, which no earlier step has met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import kernel_of
from rummylab.agents.indian import mindist_outs as agent_file
from rummylab.agents.indian.common import next_seat
from rummylab.agents.indian.mindist_outs import DISTANCES, FEATURES, N_FEATURES, write_features
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import ALL_CARDS, lowest
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_json
from rummylab.games.indian import rules as r
from rummylab.games.indian.mindist import discards14, min_dist, outs
from rummylab.games.indian.view import indian
from rummylab.learning.options import IndianOutsOptions
from rummylab.learning.signatures import INT, PARAMS, rows_of
from rummylab.learning.trainer import State, Trainer, missing, seed_for

Floats = npt.NDArray[np.float64]
Weights = dict[str, list[float]]

PASSES = 2  # of self-play and fitting: the second sees the play that the first leads to
FEEDING = (0.0, 0.5, 1.0, 1.5)  # values of b, then c, tried for all distances at once
FINISHING = (0.0, 2.0, 4.0, 6.0)
FACTORS = (1.0, 0.5, 2.0)  # tried for one distance; the present value first
MARGIN = 0.001  # a smaller lead is taken for luck
JUDGES = ("minscore", "mindist", "mindist-score", "mindist-opp")
ROWS_PER_DEAL = 400  # room for the cards noted; a deal of this agent needs about 100
RIDGE = 1.0  # keeps the weights of rare features finite
_DATA, _ARENA, _MEASURE = 7, 11, 13  # purposes of seeds, so that their deals differ
_PLAN = [("fit", 0), ("grid", 0)] * PASSES + [
    (part, at) for part in ("finishing", "feeding") for at in range(DISTANCES)
]


# --- 1. Self-play -------------------------------------------------------------------------------------------------


@kernel_of(INT(rows_of(r.RECORD), INT, INT, r.ACT_POINTER, PARAMS, types.float32[:, ::1], types.int8[:, ::1]))
def note_discards(
    rows: r.Rows, seed: int, n_deals: int, act: Any, params: Any, features: npt.NDArray[np.float32], labels: Any
) -> int:
    """Play deals of an agent against itself; note features and labels of every card that it could discard.

    Labels: whether the card helps the opponent, and whether it completes their hand. Return the number of notes.
    """
    row = rows[0]
    table = row.table
    n = 0
    for deal in range(n_deals):
        r.open_match(row, deal & 1)
        for seat in range(2):
            row.mine[seat].rng = mix(seed, deal, 0, AGENT + seat)
        r.shuffle_deck(row, mix(seed, deal, 0, DECK))
        r.open_hand(row)
        while table.actor >= 0:
            mine = row.mine[table.actor]
            if table.phase == r.DISCARD:
                # 1. What the opponent waits for.
                opponent = next_seat(table, mine)
                theirs = row.mine[opponent]
                wild = int(table.wild)
                their_distance = min_dist(theirs.hand, theirs.twice, theirs.jokers, wild)
                waits = outs(theirs.hand, theirs.twice, theirs.jokers, wild, their_distance, ALL_CARDS & ~theirs.hand)
                # 2. What could be discarded.
                distance, spares = discards14(mine.hand, mine.twice, mine.jokers, wild)
                live, _, _ = r.unseen(table, mine)
                while distance > 0 and spares and n < features.shape[0]:
                    card = lowest(spares)
                    spares &= spares - 1
                    write_features(table, opponent, live, card, features[n])
                    helps = waits >> card & 1
                    labels[n, 0] = helps
                    labels[n, 1] = helps if their_distance == 1 else 0
                    n += 1
            r.step(row, act(table, mine, params))
    return n


def self_play(player: CompiledAgent, options: IndianOutsOptions, number: int) -> tuple[Floats, npt.NDArray[np.int8]]:
    """Return the features and labels of one pass of self-play."""
    features = np.empty((ROWS_PER_DEAL * options.deals, N_FEATURES), np.float32)
    labels = np.empty((len(features), 2), np.int8)
    seed = seed_for(options.seed, _DATA, number)
    n = note_discards(indian("paper").new_rows(1), seed, options.deals, player.kernel, player.params, features, labels)
    return features[:n].astype(np.float64), labels[:n]


# --- 2. Logistic models -------------------------------------------------------------------------------------------


def fit_logistic(features: Floats, labels: npt.NDArray[np.int8]) -> Floats:
    """Return the weights of a logistic regression with a small ridge; the constant is one of the features."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise missing("scikit-learn") from None
    # A row of zeros pulls at no weight. One of each label lets data of a single label be fitted as well.
    padded = np.concatenate([features, np.zeros((2, features.shape[1]))])
    both = np.concatenate([labels, np.array([0, 1], np.int8)])
    model = LogisticRegression(C=1 / RIDGE, fit_intercept=False, solver="newton-cholesky", tol=1e-8)
    return np.asarray(model.fit(padded, both).coef_[0], np.float64)


def log_loss(features: Floats, labels: npt.NDArray[np.int8], weights: Floats) -> float:
    """Return the mean log loss of a model; that of no model at all is the entropy of the labels."""
    logit = features @ weights
    return float(np.mean(np.logaddexp(0.0, logit) - labels * logit))


def _entropy(rate: float) -> float:
    """Return the log loss of always answering *rate*."""
    return float(-sum(p * np.log(p) for p in (rate, 1 - rate) if p > 0))


def fit_models(weights: Weights, options: IndianOutsOptions, number: int) -> tuple[Weights, dict[str, float]]:
    """Return the weights with models fitted to fresh self-play, and the facts about the fit."""
    features, labels = self_play(player_of(weights), options, number)
    found = dict(weights)
    facts: dict[str, float] = {"cards": len(features)}
    for column, name in enumerate(("helps", "completes")):
        model = fit_logistic(features, labels[:, column])
        rate = float(labels[:, column].mean())
        facts[f"{name}_rate"] = round(rate, 5)
        facts[f"{name}_log_loss"] = round(log_loss(features, labels[:, column], model), 5)
        facts[f"{name}_entropy"] = round(_entropy(rate), 5)
        found[name] = model.tolist()
    return found, facts


# --- 3. Weights of the terms --------------------------------------------------------------------------------------


def start_weights() -> Weights:
    """Return the weights of an agent that counts its own outs only."""
    nothing: Weights = {name: [0.0] * n for name, n in agent_file.PARTS.items()}
    return {**nothing, "outs": [1.0] * DISTANCES}


def artifact(weights: Weights, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of the file that the agent reads."""
    rounded = {name: [round(float(x), 5) for x in part] for name, part in weights.items()}
    head = {"format": agent_file.FORMAT, "version": agent_file.VERSION, "features": list(FEATURES)}
    return {**head, **rounded, "manifest": manifest}


def player_of(weights: Weights, name: str = "candidate") -> CompiledAgent:
    """Return the agent with these weights, without drops."""
    numbers = agent_file.check_artifact(artifact(weights, {}))
    return agent_file.act.with_options(agent_file.OutsOptions(), name, numbers)


def strength(weights: Weights, options: IndianOutsOptions, number: int) -> float:
    """Return the mean win rate against the agent without dangers and against `mindist-drawn`, on duplicate deals."""
    harmless: Weights = {**weights, "feeding": [0.0] * DISTANCES, "finishing": [0.0] * DISTANCES}
    seed = seed_for(options.seed, _ARENA, number)
    rates = [
        match("indian", player_of(weights), other, games=4 * options.deals, seed=seed).win_rate.value
        for other in (player_of(harmless, "harmless"), agent("indian", "mindist-drawn"))
    ]
    return float(np.mean(rates))


def first_tries(weights: Weights) -> Iterator[Weights]:
    """Yield weights with one b and one c for all distances."""
    for b in FEEDING:
        for c in FINISHING:
            yield {**weights, "feeding": [b] * DISTANCES, "finishing": [c] * DISTANCES}


def tries_at(weights: Weights, part: str, at: int) -> Iterator[Weights]:
    """Yield weights that differ in one number."""
    center = weights[part][at] or 1.0
    for factor in FACTORS:
        changed = list(weights[part])
        changed[at] = factor * center
        yield {**weights, part: changed}


def best_of(tries: Sequence[Weights], options: IndianOutsOptions, number: int) -> tuple[Weights, float]:
    """Return the strongest of *tries*, all on the same deals: the first unless another leads by `MARGIN`."""
    rates = [strength(tried, options, number) for tried in tries]
    at = int(np.argmax(rates))
    if rates[at] < rates[0] + MARGIN:
        at = 0
    return tries[at], rates[at]


# --- 4. The run ---------------------------------------------------------------------------------------------------


class IndianOuts(Trainer):
    """Fits and searches, one a round."""

    ARTIFACT = "mindist_outs.json"
    COLUMNS = ("helps_log_loss", "completes_log_loss", "win_rate")

    def __init__(self, options: IndianOutsOptions) -> None:
        super().__init__(options)
        self.weights = start_weights()
        self.fits: list[dict[str, float]] = []

    @property
    def rounds(self) -> int:
        return len(_PLAN)

    def run_round(self) -> Sequence[float]:
        what, at = _PLAN[self.round]
        if what == "fit":
            self.weights, facts = fit_models(self.weights, self.options, self.round)
            self.fits.append(facts)
            rate = self.curve[-1][-1] if self.curve else 0.5
        else:
            tries = list(first_tries(self.weights) if what == "grid" else tries_at(self.weights, what, at))
            self.weights, rate = best_of(tries, self.options, self.round)
        return self.fits[-1]["helps_log_loss"], self.fits[-1]["completes_log_loss"], round(rate, 4)

    def state(self) -> State:
        return {"weights": self.weights, "fits": self.fits}

    def set_state(self, state: State) -> None:
        self.weights, self.fits = dict(state["weights"]), list(state["fits"])
        agent_file.check_artifact(artifact(self.weights, {}))

    def data_size(self) -> Mapping[str, Any]:
        return {"deals": PASSES * self.options.deals, "fits": self.fits}

    def result(self) -> Mapping[str, Any]:
        """Return the win rates against the agents of the paper, on duplicate deals of their own."""
        seed = seed_for(self.options.seed, _MEASURE)
        games = 8 * self.options.deals
        played = {name: match("indian", player_of(self.weights), name, games=games, seed=seed) for name in JUDGES}
        rates = {name: round(result.win_rate.value, 4) for name, result in played.items()}
        return {"win_rate_in_search": self.curve[-1][-1], "games": games, **rates}

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        write_json(path, artifact(self.weights, manifest))
