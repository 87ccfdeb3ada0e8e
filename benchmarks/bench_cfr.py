"""CFR beside OpenSpiel's solvers, in one run: iterations per second, and exploitability after the same iterations.

    python benchmarks/bench_cfr.py            prints JSON
    python benchmarks/bench_cfr.py --write    and writes docs/results/cfr-speed.md

Both sides solve the very same trees: ours are built from OpenSpiel's games. Each speed is the best of several stretches
of a third of a second of processor time or more; OpenSpiel's solvers are its compiled ones, called once per iteration
from Python, which is how they are offered. Exploitability is half of NashConv, by OpenSpiel's own function for both.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import machine
from rummylab.interop.openspiel_tree import OpenSpielGame, to_openspiel
from rummylab.learning.cfr.solver import Solver
from rummylab.learning.cfr.tree import flatten

PAGE = Path(__file__).resolve().parent.parent / "docs" / "results" / "cfr-speed.md"
GAMES = ("kuhn_poker", "leduc_poker")
SEED = 1
STRETCHES = 4
STRETCH_S = 0.3
SOLVERS = {  # our variant and sampling, OpenSpiel's class, iterations by game
    "CFR": ("cfr", "whole", "CFRSolver", (2000, 100)),
    "CFR+": ("cfr+", "whole", "CFRPlusSolver", (2000, 100)),
    "external sampling": ("cfr", "external", "ExternalSamplingMCCFRSolver", (40_000, 20_000)),
    "outcome sampling": ("cfr", "outcome", "OutcomeSamplingMCCFRSolver", (40_000, 40_000)),
}


def best_speed(run: Callable[[int], None]) -> float:
    """Run a few stretches of STRETCH_S or more; return the iterations per second of the quickest."""
    best, n = 0.0, 1
    stretches = 0
    while stretches < STRETCHES:
        start = time.thread_time()
        run(n)
        took = time.thread_time() - start
        if took < STRETCH_S:
            n *= 2
        else:
            best = max(best, n / took)
            stretches += 1
    return best


def ours(game: OpenSpielGame, kind: str, sampling: str, iterations: int) -> tuple[float, float]:
    import pyspiel

    tree = flatten(game)
    solver = Solver(tree, kind, sampling=sampling, seed=SEED)
    solver.run(iterations)
    gap = pyspiel.nash_conv(game.game, to_openspiel(tree, solver.average_policy())) / 2
    return best_speed(solver.run), gap


def theirs(game: OpenSpielGame, name: str, iterations: int) -> tuple[float, float]:
    import pyspiel

    make = getattr(pyspiel, name)
    solver = make(game.game, seed=SEED) if "Sampling" in name else make(game.game)
    once = solver.run_iteration if "Sampling" in name else solver.evaluate_and_update_policy

    def run(n: int) -> None:
        for _ in range(n):
            once()

    run(iterations)
    gap = pyspiel.nash_conv(game.game, solver.average_policy(), True) / 2
    return best_speed(run), gap


def measure() -> dict[str, Any]:
    rows = []
    for i, name in enumerate(GAMES):
        game = OpenSpielGame(name)
        for solver, (kind, sampling, their_name, budgets) in SOLVERS.items():
            our_speed, our_gap = ours(game, kind, sampling, budgets[i])
            their_speed, their_gap = theirs(game, their_name, budgets[i])
            rows.append(
                {
                    "game": name,
                    "solver": solver,
                    "iterations": budgets[i],
                    "ours_per_s": round(our_speed),
                    "openspiel_per_s": round(their_speed),
                    "ratio": round(our_speed / their_speed, 1),
                    "our_exploitability": our_gap,
                    "openspiel_exploitability": their_gap,
                }
            )
    return {"machine": machine(), "seed": SEED, "rows": rows}


def page(results: dict[str, Any]) -> str:
    lines = [
        "# Speed of the CFR solvers",
        "",
        "`python benchmarks/bench_cfr.py --write` runs ours and OpenSpiel's compiled solvers on the same trees, one",
        "after the other on one core, and writes this page. Speeds are iterations per second, the best of four",
        "stretches of at least 0.3 s of processor time; exploitability is half of NashConv after the same number of",
        "iterations, by OpenSpiel's own function. The whole-tree solvers do the same sums and agree; the sampling",
        "solvers draw different games. The machine had other work to do meanwhile, so the ratios say more than the",
        "speeds.",
        "",
        "| game | solver | iterations | ours/s | OpenSpiel/s | ratio | our exploitability | OpenSpiel's |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in results["rows"]:
        lines.append(
            f"| {row['game']} | {row['solver']} | {row['iterations']:,} | {row['ours_per_s']:,} "
            f"| {row['openspiel_per_s']:,} | {row['ratio']:g} | {row['our_exploitability']:.5f} "
            f"| {row['openspiel_exploitability']:.5f} |"
        )
    return "\n".join([*lines, "", f"Measured on {results['machine']}; seed {results['seed']}.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write docs/results/{PAGE.name}")
    arguments = parser.parse_args()
    results = measure()
    print(json.dumps(results, indent=2))
    if arguments.write:
        PAGE.write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
