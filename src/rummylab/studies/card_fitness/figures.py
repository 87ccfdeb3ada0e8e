"""The figures of the report on Gallucci et al."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena import plots
from rummylab.arena.common_opponents import CommonOpponents
from rummylab.arena.statistics import Z95, Estimate
from rummylab.studies.card_fitness import study as c

FIGURES = ("fig2-each-other.svg", "fig3-simple.svg", "fig4-medium.svg")
SUBSETS, SHAPLEY, KNOCKS = "subsets.svg", "shapley.svg", "knocks.svg"
_LOOKS = ((plots.VERMILION, "-", "Fitness + CFR"), (plots.BLUE, "--", "Independent Heuristics"))
_LEAD = "Lead over Independent Heuristics"
_EARLY = 50
"""Deals before which a lead is not drawn."""


def draw(study: c.Study, out: Path) -> None:
    """Draw every figure."""
    for course, name in zip(study.courses, FIGURES, strict=True):
        _course(course, out / name)
    _subsets(study, out / SUBSETS)
    _shapley(study, out / SHAPLEY)
    _knocks(study, out / KNOCKS)


def _course(course: c.Course, path: Path) -> None:
    """Draw games won over the course of the experiment, as the paper does, and the lead with its interval."""
    deals = np.arange(1, len(course.wins[0]) + 1)
    with plots.figure(path, plots.WIDTH, 6.0, rows=2) as (_, (left, right)):
        for wins, (color, line, name) in zip(course.wins, _LOOKS, strict=True):
            left.plot(2 * deals, 2 * np.cumsum(wins), color=color, ls=line, label=name)
        left.set(xlabel="games", ylabel="games won", title=course.title, xlim=(0, None), ylim=(0, None))
        left.legend(loc="upper left")
        gap = course.wins[0] - course.wins[1]
        lead = np.cumsum(gap) / deals
        half = 100 * Z95 * np.sqrt(np.maximum(np.cumsum(gap**2) / deals - lead**2, 0) / deals)
        lead = 100 * lead
        late = slice(min(_EARLY, len(deals) // 2), None)
        right.axhline(0, color=plots.GREY, lw=1)
        right.axhline(100 * course.paper, color=plots.BLUE, ls=":", label=f"paper, {course.paper:.1%}")
        right.plot(2 * deals[late], lead[late], color=plots.VERMILION, label=f"ours, {lead[-1]:.1f}%")
        right.fill_between(
            2 * deals[late], (lead - half)[late], (lead + half)[late], color=plots.VERMILION, alpha=0.2, lw=0
        )
        right.set(xlabel="games", ylabel="lead, in % of games (95%)", title=_LEAD, xlim=(0, None))
        right.legend(loc="best")


def _subsets(study: c.Study, path: Path) -> None:
    plots.forest(
        path,
        [c.subset_names(k) for k in range(16)],
        {
            "ties by the CFR table": [_percent(study.beyond_nothing(k, by_table=True)) for k in range(16)],
            "random ties": [_percent(study.beyond_nothing(k, by_table=False)) for k in range(16)],
        },
        x="games won beyond none with random ties,\nin percentage points (95%)",
        title="Every subset of the four characteristics",
        null=0.0,
        pitch=0.38,
    )


def _shapley(study: c.Study, path: Path) -> None:
    with plots.figure(path, plots.WIDTH, 6.0, rows=2) as (_, both):
        for axes, points in zip(both, (False, True), strict=True):
            worth = study.worth_with_ties(points)
            at = np.arange(len(worth.names), dtype=np.float64)
            axes.axvline(0, color=plots.GREY, lw=1)
            parts = worth.parts if points else [_percent(part) for part in worth.parts]
            plots.points(axes, at + 0.12, parts, plots.VERMILION, "s", "", horizontal=True)
            axes.set(xlabel="points a hand (95%)" if points else "games won, in percentage points (95%)")
            plots.names_beside(axes, worth.names)
        both[0].set(title="What each part is worth (Shapley values)")


def _percent(share: Estimate) -> Estimate:
    return Estimate(100 * share.value, 100 * share.low, 100 * share.high)


def _knocks(study: c.Study, path: Path) -> None:
    medium = study.field("knock-medium")
    instead, besides = study.field("knock-instead"), study.field("knock-besides")
    with plots.figure(path, plots.WIDTH, 6.6, rows=2) as (drawn, (left, right)):
        _level(left, medium.win_rate("medium"), "")
        _sweep(left, medium, c.medium_at, plots.BLUE, "o", "")
        left.set(title="medium", ylabel="win rate in %, all opponents")
        _level(right, instead.win_rate(c.V4), 'as it is ("seven or nine"; knock table)')
        _sweep(right, instead, c.instead, plots.BLUE, "o", "threshold instead")
        _sweep(right, besides, c.besides, plots.VERMILION, "s", "threshold, above it the table")
        right.set(title="fitness-cfr", ylabel="win rate in %, all opponents")
        for axes in (left, right):
            axes.set(xlabel="knocks with this many points or less", xticks=list(c.THRESHOLDS))
        drawn.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=1, fontsize=10)


def _level(axes: Any, estimate: Estimate, label: str) -> None:
    axes.axhline(100 * estimate.value, color=plots.INK, ls="--", lw=1.2, label=label)
    axes.axhspan(100 * estimate.low, 100 * estimate.high, color=plots.GREY, alpha=0.2, lw=0)


def _sweep(axes: Any, field: CommonOpponents, agent: Callable[[int], str], color: str, marker: str, label: str) -> None:
    values: Sequence[Estimate] = [_percent(field.win_rate(agent(points))) for points in c.THRESHOLDS]
    plots.points(axes, np.array(c.THRESHOLDS, np.float64), values, color, marker, label, ls="-", lw=1)
