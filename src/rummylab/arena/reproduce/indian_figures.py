"""The figures of the report on Saha et al."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena import plots
from rummylab.arena.reproduce.indian import SWEEP, Results, paper
from rummylab.arena.reproduce.indian_analysis import name_of, skill_tests, sweep_sides, turned


def draw(results: Results, out: Path) -> None:
    """Draw every figure."""
    small, large = results.samples["small"], results.samples["large"]
    clipped = {
        f"ours, {small.n:,} hands": _clipped(small.points()),
        f"ours, {large.n:,} hands": _clipped(large.points()),
        f"platform rule, {large.n:,} hands": _clipped(large.points("platform")),
    }
    plots.steps(
        out / "fig1-minscore-ecdf.png",
        clipped,
        x="MinScore, at most 80",
        y="share of hands at or below",
        title="Fig. 1: MinScore of random hands",
        note=(80, "cap"),
    )
    plots.histogram(
        out / "fig2-minscore-histogram.png",
        large.points(),
        x="MinScore without the cap",
        title=f"Fig. 2: MinScore of {large.n:,} random hands",
        cap=80,
    )
    plots.bars(
        out / "fig3-mindist-histogram.png",
        {
            f"{small.n:,} hands": small.distances,
            f"{large.n:,} hands": large.distances,
            "of those with MinScore 80": large.distances_at_cap(),
            f"two decks, {results.samples['two-decks'].n:,} hands": results.samples["two-decks"].distances,
        },
        x="MinDist",
        title="Fig. 3: MinDist of random hands",
    )
    _draw_tables(results, out)
    tests = skill_tests(results)
    if tests:
        plots.forest(
            out / "table1-skill.png",
            [f"{name_of(test['pair'][1])} against {name_of(test['pair'][0])}" for test in tests],
            {
                f"paper, {paper()['games_a_pair']:,} games a pair": [turned(test["paper"]) for test in tests],
                f"ours, {results.scale.games:,} games a pair": [turned(test["ours"]) for test in tests],
            },
            x="win rate, first mover's advantage taken out (95 %)",
            title="Table I: who is better?",
            null=0.5,
        )
    _draw_sweep(results, out)


def _clipped(points: Any) -> Any:
    return np.append(np.cumsum(points[:80]), 1.0)


def _matrix(results: Results, agents: Sequence[str], what: str) -> Any:
    return np.array([[float(getattr(results.of(one, two), what).mean()) for two in agents] for one in agents])


def _draw_tables(results: Results, out: Path) -> None:
    agents, skilled = results.agents, results.skilled
    groups = [("all agents", agents), *([("the skilled four", skilled)] if skilled else [])]
    for name, what, form, colors, limits in (
        ("fig5-win-rates.png", "wins", ".3f", "PuOr_r", [(-0.1, 1.1), (0.36, 0.64)]),
        ("fig6-rounds.png", "rounds", ".1f", "YlGnBu", [(0.0, 120.0), (5.0, 8.0)]),
    ):
        title = "Fig. 5: win rate of the first mover" if what == "wins" else "Fig. 6: mean rounds"
        panels = [
            (label, [name_of(agent) for agent in group], _matrix(results, group, what)) for label, group in groups
        ]
        plots.heat_maps(
            out / name,
            panels,
            title=title,
            limits=limits[: len(panels)],
            form=form,
            colors=colors,
            x="moves second",
            y="moves first",
        )


def _draw_sweep(results: Results, out: Path) -> None:
    name = paper()["table_2"]["agent"]
    curves = {}
    for opponent in (name, "minscore"):
        found = sweep_sides(results, opponent)
        if found:
            curves[f"against {name_of(opponent)}"] = [results.drop_gain(side.key, name, opponent) for _, side in found]
    if curves:
        plots.dots(
            out / "table2-drop-sweep.png",
            SWEEP,
            curves,
            x="drops a first hand of MinDist ... or more",
            y="points a deal, beyond never dropping",
            title=f"Table II: what dropping is worth to {name_of(name)}",
        )
