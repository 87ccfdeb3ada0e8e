"""The figures of a tournament's report, for two agents or twenty."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.match import MatchResult
from rummylab.arena.plots import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    SMALL,
    VERMILION,
    WIDTH,
    figure,
    forest,
    halo,
    ink,
    minus,
    points,
)
from rummylab.arena.ratings import Rating
from rummylab.arena.statistics import Estimate, Floats, holm, share
from rummylab.games.registry import game
from rummylab.lab.report.facts import LEVEL, Comparison, Facts, gains, p_of, percent

MOST_CURVES = 12
MOST_BARS = 24
_THIN = 90
"""Points of a convergence curve."""
_BINS = 50
_FARTHEST = 3000.0
"""Elo at which an interval without end is cut off."""
_OUTCOME_COLORS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, "#F0E442")
Cell = tuple[Estimate, bool]
"""A cell of a heat map: an estimate, and whether it differs significantly from the neutral value."""


# --- Who is stronger ----------------------------------------------------------------------------------------------


def ratings(to: Path, facts: Facts) -> None:
    """Draw the ratings, strongest on top, each with its interval and number; a bound is an arrow."""
    found = [r for r in facts.ratings if r.is_comparable]
    close = _leading_group(found)
    shares = [len(found), close] if close else [len(found)]
    height = sum(0.9 + 0.3 * n for n in shares)
    size: dict[str, Any] = {"squeeze": False, "height_ratios": [n + 2 for n in shares]}
    with figure(to, WIDTH, height, rows=len(shares), **size) as (_, grid):
        for axes, shown in zip(grid[:, 0], (found, found[:close]), strict=False):
            rated = [(i, r) for i, r in enumerate(shown) if r.is_rated]
            estimates = [Estimate(r.elo, *np.clip((r.low, r.high), -_FARTHEST, _FARTHEST)) for _, r in rated]
            points(axes, np.array([float(i) for i, _ in rated]), estimates, BLUE, "o", "", horizontal=True)
            for i, r in enumerate(shown):
                if not r.is_rated:
                    axes.plot([r.bound], [i], marker=">" if r.elo > 0 else "<", color=BLUE, ms=8)
                _beside(axes, str(r), (min(r.high, _FARTHEST) if r.is_rated else r.bound, i))
            _names_down(axes, [facts.labels[r.name] for r in shown])
            axes.margins(x=0.2)
            axes.locator_params(axis="x", nbins=5)
            axes.set(xlabel=textwrap.fill(f"Elo relative to {facts.labels[facts.anchor]} (95%)", 30))
        grid[0, 0].axvline(0, color=GREY, lw=0.8)
        if close:
            grid[1, 0].set_title(f"The first {close}, enlarged")


def _leading_group(found: Sequence[Rating]) -> int:
    """Return how many leaders lie so close together that they need a scale of their own, or 0."""
    place = [r.elo if r.is_rated else r.bound for r in found]
    reach = place[0] - place[-1]
    close = sum(place[0] - elo < 0.2 * reach for elo in place)
    return close if close >= 3 and all(r.is_rated for r in found[:close]) else 0


def win_rates(to: Path, facts: Facts) -> None:
    """Draw the cross-table: the row's win rate against the column."""
    cells = {}
    for (one, two), c in facts.by_pair.items():
        win = c.win if one == c.first else Estimate(1 - c.win.value, 1 - c.win.high, 1 - c.win.low)
        cells[one, two] = (_times(win, 100), c.is_significant)
    _matrix(to, facts, cells, "Win rate of the row against the column, in %", 50, "{:.1f}")


def points_per_hand(to: Path, facts: Facts) -> None:
    """Draw the points that the row wins from the column, per hand."""
    cells = {
        (one, two): (_times(c.points, 1 if one == c.first else -1), c.points_are_significant)
        for (one, two), c in facts.by_pair.items()
    }
    _matrix(to, facts, cells, "Points per hand that the row wins from the column", 0, "{:+.2f}")


def skill(to: Path, facts: Facts) -> None:
    """Draw how far the first mover's win rate exceeds its own in self-play."""
    rows = [row for row in facts.standings.skill() if row["adjusted_margin"] is not None]
    estimates = [Estimate(row["adjusted_margin"]["value"], *row["adjusted_margin"]["ci"]) for row in rows]
    corrected = holm([p_of(estimate, 0.0) for estimate in estimates])
    cells = {
        (row["first"], row["second"]): (_times(estimate, 100), p < LEVEL)
        for row, estimate, p in zip(rows, estimates, corrected, strict=True)
    }
    title = "Win rate of the row moving first minus that in self-play, in percentage points"
    _matrix(to, facts, cells, title, 0, "{:+.1f}")


def _times(estimate: Estimate, factor: float) -> Estimate:
    low, high = sorted((factor * estimate.low, factor * estimate.high))
    return Estimate(factor * estimate.value, low, high)


def _matrix(
    to: Path, facts: Facts, cells: Mapping[tuple[str, str], Cell], title: str, neutral: float, form: str
) -> None:
    """Draw a table colored by the distance from *neutral*, with significant values in bold."""
    from matplotlib.colors import FuncNorm

    names = facts.order
    n = len(names)
    values = np.full((n, n), np.nan)
    for (one, two), (estimate, _) in cells.items():
        values[names.index(one), names.index(two)] = estimate.value
    reach = max(1e-9, float(np.nanmax(np.abs(values - neutral))))
    labels = [facts.labels[name] for name in names]
    letters = max(len(label) for label in labels)
    cell = (WIDTH - 0.4 - 0.075 * letters) / n
    form = _form_that_fits(values[np.isfinite(values)], form, cell)
    if neutral == 0 and form and "+" not in form:
        title += "; orange above 0, purple below"
    with figure(to, WIDTH, 0.9 + 0.5 * (not form) + 0.075 * letters + max(cell, 0.28) * n) as (drawn, axes):
        drawn.suptitle("\n".join(textwrap.wrap(title, 46)), x=0.01, ha="left", fontsize=10.5, fontweight="bold")
        # The square root shows differences among equals, which a clean sweep elsewhere would wash out.
        norm = FuncNorm(
            (_signed_root(neutral), _signed_square(neutral)), neutral - 1.15 * reach, neutral + 1.15 * reach
        )
        edges = np.arange(n + 1) - 0.5
        image = axes.pcolormesh(edges, edges, values, cmap="PuOr_r", norm=norm, edgecolors="white", lw=1.5)
        axes.invert_yaxis()
        for (i, one), (j, two) in product(enumerate(names), repeat=2):
            if form and (one, two) in cells:
                _cell(axes, i, j, *cells[one, two], form, ink(image, values[i, j]), cell)
        if not form:
            _color_scale(drawn, axes, image, neutral, reach)
        axes.set_yticks(range(n), labels, fontsize=SMALL)
        axes.xaxis.tick_top()
        axes.set_xticks(range(n), labels, fontsize=SMALL, rotation=90)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


def _form_that_fits(values: Floats, form: str, width: float) -> str:
    """Return *form* with as many digits as cells *width* inches wide have room for: the whole, less, or none.

    The sign goes last, since the color shows it too. Smaller digits could not be read on a phone, and the report has
    them as a table.
    """
    if width >= _ROOMY:
        return form
    unsigned = form.replace("+", "")
    for shorter in (re.sub(r"\.\d", ".1", form), re.sub(r"\.\d", ".0", form), re.sub(r"\.\d", ".0", unsigned)):
        shown = values if "+" in shorter else np.abs(values)
        if _LETTER * max(len(shorter.format(value).replace(".", "")) for value in shown) <= width:
            return shorter
    return ""


def _cell(axes: Any, i: int, j: int, estimate: Estimate, is_bold: bool, form: str, color: str, width: float) -> None:
    """Write a value into a cell *width* inches wide, with its interval where there is room."""
    how: dict[str, Any] = {"ha": "center", "va": "center", "color": color, "in_layout": False, "size": SMALL}
    how |= {"textcoords": "offset points", "weight": "bold" if is_bold else "normal"}
    text = minus(form.format(estimate.value if "+" in form else abs(estimate.value)))
    axes.annotate(text, (j, i), (0, 4.5 if width >= _ROOMY else 0), **how)
    if width >= _ROOMY:
        half = form.replace("+", "").format((estimate.high - estimate.low) / 2)
        axes.annotate(f"± {half}", (j, i), (0, -7), **how | {"weight": "normal"})


def _color_scale(drawn: Any, axes: Any, image: Any, neutral: float, reach: float) -> None:
    """Draw below the table what its colors mean."""
    away = [float(f"{part * reach:.1g}") for part in (0.1, 0.4, 1.0)]
    ticks = [neutral + by for by in (*(-by for by in reversed(away)), 0.0, *away)]
    scale = drawn.colorbar(image, ax=axes, orientation="horizontal", aspect=30, pad=0.02, ticks=ticks)
    scale.ax.set_xticklabels([minus(f"{tick:+.3g}" if neutral == 0 and tick else f"{tick:.3g}") for tick in ticks])
    scale.outline.set_visible(False)


_ROOMY = 0.44
"""Width of a cell in inches from which it shows its interval."""
_LETTER = 0.094
"""Width of a bold digit in inches."""


def _signed_root(center: float) -> Callable[[Floats], Floats]:
    return lambda x: np.sign(x - center) * np.sqrt(np.abs(x - center))


def _signed_square(center: float) -> Callable[[Floats], Floats]:
    return lambda x: center + np.sign(x) * np.square(x)


# --- The first move -----------------------------------------------------------------------------------------------


def first_move(to: Path, facts: Facts) -> None:
    """Draw what moving first adds to the win rate, for each agent."""
    names = facts.order
    series = {"against the others": [_times(facts.against_field(name, "edge"), 100) for name in names]}
    alone = [facts.edge_alone(name) for name in names]
    if all(edge is not None for edge in alone):
        series["against itself"] = [_times(edge, 100) for edge in alone if edge is not None]
    forest(
        to,
        [facts.labels[name] for name in names],
        series,
        x="win rate, in percentage points (95%)",
        title="What moving first adds",
        null=0,
        pitch=0.36,
    )


# --- Convergence --------------------------------------------------------------------------------------------------


def closest(facts: Facts) -> list[Comparison]:
    """Return the pairs whose win rates are the nearest to 50%, the closest first."""
    return sorted(facts.comparisons, key=lambda c: abs(c.win.value - 0.5))[:MOST_CURVES]


def convergence(to: Path, facts: Facts) -> None:
    """Draw the win rate as it stood after every so many games, with its interval, for the closest pairs."""
    chosen = closest(facts)
    columns = min(2, len(chosen))
    rows = -(-len(chosen) // columns)
    curves = [_running(c.per_deal()) for c in chosen]
    span = max(_span(*curve) for curve in curves)
    size = {"squeeze": False, "sharex": True}
    with figure(to, WIDTH, 0.7 + 1.6 * rows, columns, rows, **size) as (drawn, grid):
        for axes, c, (games, value, below, above) in zip(grid.flat, chosen, curves, strict=False):
            color = BLUE if c.is_significant else VERMILION
            axes.fill_between(games, below, above, color=color, alpha=0.2, lw=0)
            axes.plot(games, value, color=color, lw=1.5)
            axes.axhline(50, color="black", lw=0.8, ls=(0, (4, 3)))
            axes.set_ylim(max(-0.5, value[-1] - span), min(100.5, value[-1] + span))
            both = f"{facts.labels[c.first]} –\n{facts.labels[c.second]}"
            axes.set_title(both, fontsize=SMALL, fontweight="normal", pad=4)
            words = percent(c.win.value) + ("" if c.is_significant else " (undecided)")
            how: Any = {"transform": axes.transAxes, "ha": "right", "color": color, "weight": "bold"}
            axes.text(0.98, 0.06, words, fontsize=SMALL, **how, **halo())
            axes.tick_params(labelsize=SMALL)
            axes.locator_params(axis="x", nbins=4)
        for axes in list(grid.flat)[len(chosen) :]:
            axes.set_visible(False)
        drawn.supxlabel("games", fontsize=SMALL)
        drawn.supylabel("win rate of the first named, in %", fontsize=SMALL)


def _running(per_deal: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return games, estimate in % and both ends of its interval at some points of the way."""
    n = len(per_deal)
    at = np.unique(np.linspace(min(n, max(10, n // _THIN)), n, _THIN).astype(int))
    found = [_times(share(per_deal[:deals]), 100) for deals in at]
    value, low, high = (np.array([getattr(e, what) for e in found]) for what in ("value", "low", "high"))
    return 2.0 * at, value, low, high


def _span(games: Floats, value: Floats, low: Floats, high: Floats) -> float:
    """Return how far a curve with its interval strays from its end, the first tenth left aside."""
    later = games >= games[-1] / 10
    return max(1.0, float((high - value[-1])[later].max()), float((value[-1] - low)[later].max()))


# --- Distributions ------------------------------------------------------------------------------------------------


Panel = tuple[str, dict[str, Floats]]


def panels(facts: Facts) -> list[Panel]:
    """Return what is distributed, and each agent's values in its games against the others."""
    kinds = (
        ("hands a game", _hands),
        ("turns a hand (mean of the game)" if _several_hands(facts) else "turns a game", _turns),
        ("points a game, own minus the other's", gains),
    )
    return [(title, found) for title, values in kinds if (found := _by_agent(facts, values))]


def distributions(to: Path, facts: Facts) -> None:
    """Draw how long games are and what they are won and lost by: one row an agent."""
    shown, n = panels(facts), len(facts.order)
    size = {"squeeze": False}
    with figure(to, WIDTH, (0.7 + 0.4 * n) * len(shown), rows=len(shown), **size) as (_, grid):
        for axes, (title, found) in zip(grid[:, 0], shown, strict=True):
            _ridges(axes, [found[name] for name in facts.order])
            axes.set_xlabel(title)
            _names_down(axes, [facts.labels[name] for name in facts.order], above=0.95)


def _hands(result: MatchResult, _: int) -> Floats:
    return np.asarray(result.tallies["hands"], np.float64)


def _turns(result: MatchResult, _: int) -> Floats:
    turns = np.asarray(result.tallies["turns"], np.float64)
    counted = turns > 0
    return np.asarray(turns[counted] / result.tallies["hands"][counted])


def _several_hands(facts: Facts) -> bool:
    return any(c.result.hands > c.result.games for c in facts.comparisons)


def _by_agent(facts: Facts, values: Callable[[MatchResult, int], Floats]) -> dict[str, Floats]:
    """Return each agent's values over its matches; nothing if they are all alike or were not counted for somebody."""
    found = {
        name: np.concatenate(
            [values(c.result, c.result.agents.index(name)) for c in facts.comparisons if name in (c.first, c.second)]
        )
        for name in facts.order
    }
    if any(not len(v) for v in found.values()) or len(np.unique(np.concatenate(list(found.values())))) == 1:
        return {}
    return found


def _ridges(axes: Any, rows: Sequence[Floats]) -> None:
    """Draw a histogram for each of *rows*, the first on top, with its median."""
    bins, logarithmic = _bins(np.concatenate(rows))
    for i, values in enumerate(rows):
        counts, _ = np.histogram(np.clip(values, bins[0], bins[-1]), bins)
        density = counts / np.diff(np.log(bins) if logarithmic else bins)
        heights = 0.82 * density / density.max()
        axes.stairs(i + 0.38 - heights, bins, baseline=i + 0.38, fill=True, color=SKY, alpha=0.75)
        middle = float(np.median(values))
        axes.plot([middle, middle], [i + 0.38, i - 0.1], color="black", lw=1.2)
        written = f"{middle:.1f}" if middle % 1 else f"{middle:.0f}"
        axes.annotate(
            minus(written),
            (middle, i - 0.1),
            xytext=(3, 0),
            textcoords="offset points",
            fontsize=SMALL,
            va="center",
            **halo(),
        )
    if logarithmic:
        axes.set_xscale("log")
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if bins[0] <= t <= bins[-1]]
        axes.set_xticks(ticks, [f"{t}" for t in ticks])
        axes.minorticks_off()
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlim(bins[0], bins[-1])
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _bins(values: Floats) -> tuple[Floats, bool]:
    """Return bins for whole or other numbers, from the lowest to the highest thousandth; wide ranges by ratio."""
    low, high = (float(v) for v in np.quantile(values, (0.0005, 0.9995)))
    if low > 0 and high / float(np.median(values)) > 6:
        whole = np.unique(np.round(np.geomspace(low, high + 1, _BINS))) - 0.5
        return np.asarray(whole[whole > 0]), True
    step = max(1, math.ceil((high - low) / _BINS))
    if len(values) and not np.all(values % 1 == 0) and high - low < _BINS:
        return np.asarray(np.linspace(low, high, _BINS)), False
    return np.arange(math.floor(low), math.ceil(high) + step + 1, step, dtype=np.float64) - 0.5, False


# --- How hands end ------------------------------------------------------------------------------------------------


def outcomes(to: Path, facts: Facts) -> None:
    """Draw how hands were won and lost: by pairing where they are few, else by agent against the field."""
    rows = _endings(facts)
    kinds = [
        k
        for k, _ in enumerate(game(facts.plan.game).batch.OUTCOMES)
        if any(won[k] + lost[k] > 0 for _, won, lost, _ in rows)
    ]
    with figure(to, WIDTH, 2.2 + 0.34 * len(rows)) as (drawn, axes):
        for i, (_, won, lost, nobody) in enumerate(rows):
            left = _bar(axes, i, 0.0, [(won[k], _color(n), 1.0) for n, k in enumerate(kinds)])
            left = _bar(axes, i, left, [(nobody, "#bbbbbb", 1.0)])
            _bar(axes, i, left, [(lost[k], _color(n), 0.45) for n, k in reversed(list(enumerate(kinds)))])
        axes.axvline(50, color="black", lw=0.8, ls=(0, (4, 3)), zorder=0)
        _names_down(axes, [name for name, *_ in rows])
        axes.set(xlim=(0, 100))
        axes.set_xlabel("hands, in %\nwon: full color, from the left\nlost: pale, from the right", loc="right")
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        _outcome_legend(drawn, facts, kinds, any(nobody > 0 for *_, nobody in rows))


def _color(n: int) -> str:
    return _OUTCOME_COLORS[n % len(_OUTCOME_COLORS)]


def outcomes_by_pairing(facts: Facts) -> bool:
    """Whether the bars are pairings (else agents)."""
    return len(facts.standings.results) <= MOST_BARS


def _endings(facts: Facts) -> list[tuple[str, Floats, Floats, float]]:
    """Return for each bar its name and the shares of hands: won by outcome, lost by outcome, won by nobody."""
    if outcomes_by_pairing(facts):
        alone = [(name, name) for name in facts.order if (name, name) in facts.standings.results]
        rows = [
            (f"{facts.labels[c.first]} – {facts.labels[c.second]}", [(c.result, c.number)]) for c in facts.comparisons
        ]
        rows += [(f"{facts.labels[a]} – itself", [(facts.standings.results[a, b], 0)]) for a, b in alone]
    else:
        rows = [
            (
                facts.labels[name],
                [(c.result, c.result.agents.index(name)) for c in facts.comparisons if name in (c.first, c.second)],
            )
            for name in facts.order
        ]
    return [(name, *_shares(matches)) for name, matches in rows]


def _shares(matches: Sequence[tuple[MatchResult, int]]) -> tuple[Floats, Floats, float]:
    hands = sum(result.hands for result, _ in matches)
    won, lost = (
        100
        * np.sum([result.tallies["won_by"][:, abs(side - number)].sum(axis=0) for result, number in matches], axis=0)
        / hands
        for side in (0, 1)
    )
    return won, lost, max(0.0, 100 - float(won.sum()) - float(lost.sum()))


def _bar(axes: Any, row: int, left: float, parts: Sequence[tuple[float, str, float]]) -> float:
    from matplotlib.colors import to_rgb

    for width, color, strength in parts:
        pale = tuple(1 - strength * (1 - part) for part in to_rgb(color))
        if width > 0:
            axes.barh(row, width, left=left, height=0.74, color=pale, edgecolor="white", lw=0.6)
        if width >= 8:
            dark = 0.299 * pale[0] + 0.587 * pale[1] + 0.114 * pale[2] < 0.5
            axes.text(
                left + width / 2,
                row,
                f"{width:.0f}",
                ha="center",
                va="center",
                fontsize=SMALL,
                color="white" if dark else "black",
            )
        left += width
    return left


def _outcome_legend(drawn: Any, facts: Facts, kinds: Sequence[int], nobody: bool) -> None:
    from matplotlib.patches import Patch

    names = game(facts.plan.game).batch.OUTCOMES
    patches = [Patch(color=_color(n), label=names[k]) for n, k in enumerate(kinds)]
    if nobody:
        ended = sum(result.tallies["outcomes"].sum(axis=0) for result in facts.standings.results.values())
        ways = [name for k, name in enumerate(names) if ended[k] and k not in kinds]
        patches.append(Patch(color="#bbbbbb", label=f"nobody won ({', '.join(ways)})" if ways else "nobody won"))
    drawn.legend(handles=patches, loc="outside upper left", ncols=2, fontsize=SMALL)


# --- Shared -------------------------------------------------------------------------------------------------------


def _names_down(axes: Any, names: Sequence[str], above: float = 0.6) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -above)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _beside(axes: Any, text: str, place: tuple[float, float]) -> None:
    axes.annotate(minus(text), place, xytext=(7, 0), textcoords="offset points", va="center", fontsize=SMALL)
