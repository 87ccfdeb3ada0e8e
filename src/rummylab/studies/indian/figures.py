"""The figures of the report on Saha et al."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena import plots
from rummylab.arena.statistics import Estimate
from rummylab.studies.indian import diagram
from rummylab.studies.indian.study import Study, complement, name_of


def draw(study: Study, out: Path) -> None:
    """Draw every figure."""
    small, large = study.samples["small"], study.samples["large"]
    clipped = {
        f"ours, {small.n:,} hands": _clipped(small.points()),
        f"ours, {large.n:,} hands": _clipped(large.points()),
        f"platform rule, {large.n:,} hands": _clipped(large.points("platform")),
    }
    plots.steps(
        out / "fig1-minscore-ecdf.svg",
        clipped,
        x="MinScore, at most 80",
        y="hands at or below, in %",
        title="Fig. 1: MinScore of random hands",
        note=(80, "cap"),
    )
    plots.histogram(
        out / "fig2-minscore-histogram.svg",
        large.points(),
        x="MinScore without the cap",
        title=f"Fig. 2: MinScore of {large.n:,} random hands",
        cap=80,
    )
    plots.bars(
        out / "fig3-mindist-histogram.svg",
        {
            f"{small.n:,} hands": small.distances,
            f"{large.n:,} hands": large.distances,
            "of those with MinScore 80": large.distances_at_cap(),
            f"two decks, {study.samples['two-decks'].n:,} hands": study.samples["two-decks"].distances,
        },
        x="MinDist",
        title="Fig. 3: MinDist of random hands",
    )
    example = study.printed.example("iv_a")
    diagram.draw(example.hand, example.wild, out / "fig4-minscore-transitions.svg")
    _draw_tables(study, out)
    tests = study.tests
    plots.forest(
        out / "table1-skill.svg",
        [f"{name_of(test.pair[1])} against {name_of(test.pair[0])}" for test in tests],
        {
            f"paper, {study.printed.games:,} games a pair": [_percent(complement(test.paper)) for test in tests],
            f"ours, {study.games:,} games a pair": [_percent(complement(test.ours)) for test in tests],
        },
        x="win rate without the first mover's advantage,\nin % (95%)",
        title="Table I: skill of each pair",
        null=50.0,
    )
    _draw_sweep(study, out)


def _percent(share: Estimate) -> Estimate:
    return Estimate(100 * share.value, 100 * share.low, 100 * share.high)


def _clipped(points: Any) -> Any:
    return np.append(np.cumsum(points[:80]), 1.0)


def _matrix(study: Study, agents: Sequence[str], what: str) -> Any:
    values = np.array([[float(getattr(study.play.of(one, two), what).mean()) for two in agents] for one in agents])
    return 100 * values if what == "wins" else values


def _draw_tables(study: Study, out: Path) -> None:
    groups = [("all agents", study.agents), ("the skilled four", study.skilled)]
    for name, what, form, colors, limits in (
        ("fig5-win-rates.svg", "wins", ".1f", "PuOr_r", [(-10.0, 110.0), (36.0, 64.0)]),
        ("fig6-rounds.svg", "rounds", ".1f", "YlGnBu", [(0.0, 120.0), (5.0, 8.0)]),
    ):
        title = "Fig. 5: win rate of the first mover, in %" if what == "wins" else "Fig. 6: mean rounds of a deal"
        panels = [(label, [name_of(agent) for agent in group], _matrix(study, group, what)) for label, group in groups]
        plots.heat_maps(
            out / name,
            panels,
            title=title,
            limits=limits,
            form=form,
            colors=colors,
            x="moves second",
            y="moves first",
        )


def _draw_sweep(study: Study, out: Path) -> None:
    name = study.dropping
    plots.dots(
        out / "table2-drop-sweep.svg",
        [study.threshold(dropper) for dropper in study.droppers],
        {
            f"against {name_of(opponent)}": [
                study.play.gain_beyond(dropper, name, opponent) for dropper in study.droppers
            ]
            for opponent in (name, "minscore")
        },
        x="drops at a MinDist of this or more",
        y=f"{name_of(name)}: points a deal\nbeyond never dropping",
        title="Table II: what dropping is worth",
    )
