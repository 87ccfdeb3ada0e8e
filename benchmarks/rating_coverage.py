"""How often ratings' 95% intervals hold the truth, by simulation: writes docs/results/rating-coverage.md.

Tournaments of known strengths are drawn and rated as ``rummylab tournament`` rates them. Finished cells are kept in
the JSON file beside the report, so the command can be stopped and started again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena.ratings import ELO, ScoreMatrix, intervals, maximize
from rummylab.arena.statistics import Floats, wilson

SIZES = (3, 6, 12)
GAMES = (20, 200, 2000)
KINDS = {
    "equal": "all agents equal",
    "spread": "spread evenly over 800 Elo",
    "swept": "one wins every game, the others are equal",
    "unplayed": "spread over 200 Elo, one pair has not met",
}
LUCK = {"independent": 0.0, "shared": 0.5}
"""Correlation of the luck in the two games of a deal: with the seats swapped it helps one, then the other."""
COMMON = 0.5
"""Part of a deal's luck that is common to all pairs, who play the same cards."""
BATCH = 100
HEAD = """# Do the ratings' intervals cover?

{simulations:,} simulated tournaments a cell, seed {seed}: agents of known strength play every deal twice with the seats
swapped, and are rated as `rummylab tournament` rates them. The table says in how many percent of the cases an agent's
true Elo, relative to the anchor, lies within its 95% interval or keeps to its bound. The agent that wins every game in
the third kind of field is not counted: it has no true Elo, and every bound below it holds. All of it is

```
python benchmarks/rating_coverage.py
```

*Independent*: all games are drawn independently. *Shared*: the luck of the two games of a deal is opposed (correlation
-0.5 before it decides who wins), and half of it is common to all pairs, who play the same cards.

"""


class Cell(NamedTuple):
    """A kind of tournament."""

    luck: str
    kind: str
    agents: int
    games: int

    @property
    def name(self) -> str:
        return f"{self.luck}, {self.kind}, {self.agents} agents, {self.games} games"


class Coverage(NamedTuple):
    """How often the truth was where it should be."""

    intervals: int
    covered: int
    bounds: int
    held: int

    @property
    def share(self) -> float:
        return (self.covered + self.held) / (self.intervals + self.bounds)


def cells() -> list[Cell]:
    return [Cell(*values) for values in itertools.product(LUCK, KINDS, SIZES, GAMES)]


def truth_of(cell: Cell) -> Floats:
    """Return the strengths on the Elo scale; the agent that wins every game has an infinite one."""
    reach = {"spread": 800.0, "unplayed": 200.0}.get(cell.kind, 0.0)
    truth = np.linspace(0, reach, cell.agents)
    if cell.kind == "swept":
        truth[-1] = math.inf
    return truth


def simulated(cell: Cell, rng: np.random.Generator) -> ScoreMatrix:
    """Return the results of one tournament."""
    truth, deals = truth_of(cell), cell.games // 2
    pairs = list(itertools.combinations(range(cell.agents), 2))[1 if cell.kind == "unplayed" else 0 :]
    i, j = np.array(pairs).T
    chance = 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400))
    cut = np.array([NormalDist().inv_cdf(p) if 0 < p < 1 else math.copysign(math.inf, p - 0.5) for p in chance])
    luck = math.sqrt(COMMON) * rng.normal(size=deals) + math.sqrt(1 - COMMON) * rng.normal(size=(len(pairs), deals))
    shared, own = math.sqrt(LUCK[cell.luck]), math.sqrt(1 - LUCK[cell.luck])
    won = [sign * shared * luck + own * rng.normal(size=luck.shape) < cut[:, None] for sign in (1, -1)]
    scores = (won[0].astype(np.float64) + won[1]) / 2
    return ScoreMatrix.of(cell.agents, dict(zip(pairs, scores, strict=True)), 2)


def coverage(cell: Cell, simulations: int, seed: int) -> Coverage:
    """Return how often the intervals and bounds of *simulations* tournaments hold the truth."""
    rng = np.random.default_rng((seed, *cell.name.encode()))
    total = np.zeros(4, np.int64)
    for n in _batches(simulations):
        fields = [simulated(cell, rng) for _ in range(n)]
        anchors = [field.default_anchor() for field in fields]
        low, estimate, high = (ELO * values for values in intervals(fields, anchors))
        truth = truth_of(cell) - truth_of(cell)[anchors][:, None]
        right = (low <= truth) & (truth <= high)
        counted = np.isfinite(truth) & (np.arange(cell.agents) != np.array(anchors)[:, None])
        rated = counted & np.isfinite(estimate)
        bounded = counted & np.isinf(estimate)
        total += rated.sum(), (rated & right).sum(), bounded.sum(), (bounded & right).sum()
    return Coverage(*total.tolist())


def bootstrap_coverage(cell: Cell, simulations: int, seed: int, draws: int = 400) -> float:
    """Return how often the percentile interval of a bootstrap by deal holds the truth, for comparison."""
    rng = np.random.default_rng((seed, *cell.name.encode()))
    truth, covered = truth_of(cell) - truth_of(cell)[0], []
    free = np.tile(np.arange(cell.agents) > 0, (draws, 1))
    for _ in range(simulations):
        field = simulated(cell, rng)
        i, j = field.pairs.T
        extra = field.residuals @ rng.multinomial(field.n_deals, np.full(field.n_deals, 1 / field.n_deals), draws).T
        won = np.tile(field.won + 0.5 * (field.played > 0), (draws, 1, 1))  # half a virtual win keeps sweeps finite
        won[:, i, j] += extra.T
        won[:, j, i] -= extra.T
        played = np.tile(field.played + 1.0 * (field.played > 0), (draws, 1, 1))
        found = ELO * maximize(won, played, np.zeros(free.shape), free)
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
        covered.append(((low <= truth) & (truth <= high))[1:])
    return float(np.mean(covered))


def _batches(n: int) -> Iterator[int]:
    yield from (min(BATCH, n - start) for start in range(0, n, BATCH))


def report(found: dict[str, Any], simulations: int, seed: int) -> str:
    """Return the report on all *found* cells."""
    text = HEAD.format(simulations=simulations, seed=seed)
    for luck, kind in itertools.product(LUCK, KINDS):
        text += f"## {luck.capitalize()} games: {KINDS[kind]}\n\n"
        text += "| agents | " + " | ".join(f"{games:,} games a pair" for games in GAMES) + " |\n"
        text += "|---" * (1 + len(GAMES)) + "|\n"
        for agents in SIZES:
            row = [_words(found.get(Cell(luck, kind, agents, games).name)) for games in GAMES]
            text += f"| {agents} | " + " | ".join(row) + " |\n"
        text += "\n"
    every = [Coverage(*values) for values in found.values()]
    within = sum(0.93 <= cell.share <= 0.97 for cell in every)
    bounds, held = sum(cell.bounds for cell in every), sum(cell.held for cell in every)
    text += f"{within} of {len(every)} cells lie within 93% to 97%"
    text += ".\n" if within == len(every) else "; those that do not are in bold.\n"
    if bounds:
        least = wilson(held / bounds, bounds).low
        text += (
            f"\nAgents who won or lost every game by chance were shown as a bound {bounds:,} times; it held in"
            f" {held / bounds:.1%} (95%: at least {least:.1%}). That is less than 95%, because only the lucky are"
            " counted here: what holds is that an agent too weak for its bound has a chance below 5% of such a sweep.\n"
        )
    return text


def _words(values: Any) -> str:
    if values is None:
        return "-"
    found = Coverage(*values)
    words = f"{100 * found.share:.1f}"
    return words if 0.93 <= found.share <= 0.97 else f"**{words}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--write", type=Path, default=Path("docs/results"), help="directory of the report")
    parser.add_argument("--bootstrap", action="store_true", help="measure the bootstrap by deal instead, a few cells")
    arguments = parser.parse_args()
    if arguments.bootstrap:
        for cell in (Cell("independent", kind, n, 20) for kind in ("equal", "spread") for n in (3, 6)):
            share = bootstrap_coverage(cell, arguments.simulations, arguments.seed)
            print(f"bootstrap by deal: {cell.name}: {share:.1%}", flush=True)
        return
    kept = arguments.write / "rating-coverage.json"
    settings = {"simulations": arguments.simulations, "seed": arguments.seed}
    found: dict[str, Any] = {}
    if kept.exists() and (old := json.loads(kept.read_text()))["settings"] == settings:
        found = old["cells"]
    for cell in cells():
        if cell.name not in found:
            found[cell.name] = coverage(cell, **settings)
            kept.write_text(json.dumps({"settings": settings, "cells": found}, indent=1) + "\n")
        print(f"{cell.name}: {Coverage(*found[cell.name]).share:.1%}", flush=True)
    (arguments.write / "rating-coverage.md").write_text(report(found, **settings))


if __name__ == "__main__":
    main()
