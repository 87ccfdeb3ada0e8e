"""Fit how a player's takes, refusals and discards bear on the cards they hold (:mod:`rummylab.beliefs.evidence`).

Self-play gives positions in mid-hand with all hands known. For each card that the player to act cannot see, and each
opponent, logistic regression predicts whether the opponent holds it, with the chance by counting as the offset.

    python -m rummylab.learning.card_evidence GAME RULES AGENT [HANDS]
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab.agents.registry import agent
from rummylab.beliefs.evidence import FEATURES, N_FEATURES, features
from rummylab.beliefs.worlds import Hidden, hidden_from
from rummylab.engine.playouts import Playouts
from rummylab.engine.position import layout_of
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat

Floats = npt.NDArray[np.float64]
_MOST_MOVES = 60
_RIDGE = 1.0


def positions(rules: Rules, name: str, n: int, seed: int = 0) -> Rows:
    """Return positions in mid-hand from self-play of the agent *name*: one from each of *n* deals still going on."""
    rng = np.random.default_rng(seed)
    rows = rules.new_rows(n)
    first = [int(rng.integers(rules.seats)) for _ in range(n)]
    rules.deal(rows, [rules.shuffled(seed + 1, pair) for pair in range(n)], first)
    rows["mine"]["rng"] = rng.integers(2**63, size=rows["mine"]["rng"].shape).astype(np.uint64)
    player = agent(rules.name, name)
    table = Playouts(rules.spec, [player.kernel] * rules.seats, [player.params] * rules.seats)
    table.advance(rows, rng.integers(0, _MOST_MOVES, size=n))
    return rows[rows["table"]["actor"] >= 0]


def examples(rules: Rules, rows: Rows) -> tuple[Floats, Floats, Floats]:
    """Return features, offsets and labels of every unseen card for every opponent of the player to act."""
    parts: list[tuple[Floats, Floats, Floats]] = []
    for i in range(len(rows)):
        row = copy_of(rows[i : i + 1])
        seat = Seat(rules.actor(row))
        seen = rules.observation(seat, rules.observe(row, seat), ())
        hidden = hidden_from(seen)
        for number, other in enumerate(hidden.opponents):
            held = Counter(layout_of(rules).hand(row["mine"][0, other]))
            held.subtract(hidden.known[number])
            chance = hidden.places[number] / max(1, len(hidden.cards))
            if 0 < chance < 1:
                offset = np.full(len(hidden.cards), np.log(chance / (1 - chance)))
                parts.append((features(seen, other, hidden.cards), offset, _labels(hidden, held)))
    x, offsets, y = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return x, offsets, y


def _labels(hidden: Hidden, held: Counter[int]) -> Floats:
    """Return 1 for each unseen card in the hand *held*; of two copies, the first ones count."""
    out = np.zeros(len(hidden.cards))
    for k, card in enumerate(hidden.cards.tolist()):
        if held[card] > 0:
            held[card] -= 1
            out[k] = 1.0
    return out


def fit(x: Floats, offsets: Floats, y: Floats, steps: int = 12) -> Floats:
    """Return the weights of a logistic regression with *offsets* and an intercept, by Newton's method."""
    design = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    weights = np.zeros(design.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-(design @ weights + offsets)))
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + _RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curve, design.T @ (y - chance) - _RIDGE * weights)
    return weights[:N_FEATURES]


def log_loss(x: Floats, offsets: Floats, y: Floats, weights: Floats) -> float:
    """Return the mean log loss of *weights* on examples, in nats; zeros give the loss of counting."""
    chance = np.clip(1 / (1 + np.exp(-(x @ weights + offsets))), 1e-9, 1 - 1e-9)
    return float(-(y * np.log(chance) + (1 - y) * np.log(1 - chance)).mean())


def main(arguments: list[str]) -> Any:
    """Fit and print the weights, with the log loss on fresh positions beside that of counting."""
    from rummylab.games.registry import game

    name, options, player, *more = arguments
    rules = game(name).rules(options)
    n = int(more[0]) if more else 2000
    weights = fit(*examples(rules, positions(rules, player, n)))
    fresh = examples(rules, positions(rules, player, n // 2, seed=1))
    for label, weight in zip(FEATURES, weights, strict=True):
        sys.stdout.write(f"{weight:8.3f}  {label}\n")
    counted, fitted = log_loss(*fresh, np.zeros(N_FEATURES)), log_loss(*fresh, weights)
    sys.stdout.write(f"log loss {fitted:.4f}, counting {counted:.4f}\n({', '.join(f'{w:.2f}' for w in weights)})\n")


if __name__ == "__main__":
    main(sys.argv[1:])
