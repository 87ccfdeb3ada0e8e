"""Figures for reports and training runs, in colors that everyone can tell apart (Okabe and Ito).

Every figure is drawn as wide as a phone (`WIDTH`), panels below each other, so that its text can be read there; on a
larger screen it grows. Needs the extra ``report``. Opens no window and changes no global style.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from rummylab.arena.statistics import Estimate, Floats
from rummylab.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
GREY = "#666666"
INK = "#222222"
WIDTH = 4.4
"""Width of a figure in inches: that of a phone, with text of `SMALL` to 11 points."""
SMALL = 9.7
"""Size of the smallest text, in points: eleven pixels where the figure is as wide as a phone."""
_LONG = 16
"""Letters from which a name stands above its line instead of beside it."""
_STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "rummylab",
}


def need_matplotlib() -> None:
    """Raise `MissingExtraError` if Matplotlib is not installed; call it before minutes of play, not after."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("Reports with figures need: pip install 'rummylab[report]'") from None


@contextmanager
def figure(
    path: Path, width: float, height: float, columns: int = 1, rows: int = 1, **grid: Any
) -> Iterator[tuple[Figure, Any]]:
    """Yield a figure with its axes, and write it to *path* (``.svg`` or ``.png``) at the end.

    The same figure gives the same bytes.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        drawn = Figure(figsize=(width, height), dpi=150)
        FigureCanvasAgg(drawn)
        axes = drawn.subplots(rows, columns, **grid)
        yield drawn, axes
        metadata = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
        drawn.savefig(path, metadata=metadata)
    if path.suffix == ".svg":
        path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


class Picture:
    """A figure that a notebook shows: what *draw*, one of the functions below, makes of the arguments, as SVG."""

    def __init__(self, draw: Callable[..., None], *arguments: Any, **named: Any) -> None:
        need_matplotlib()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "figure.svg"
            draw(path, *arguments, **named)
            self._svg = path.read_text(encoding="utf-8")
        self._title = str(named.get("title", "figure"))

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<Picture: {self._title}>"


def compact(svg: str) -> str:
    """Return *svg* on a few lines, with coordinates to a hundredth of a point and without metadata.

    Figures are kept in Git, where a picture of several thousand lines would bury everything else.
    """
    body = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    body = re.sub(r"(?<!scale\()-?\b\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", body)
    body = re.sub(r"\s+", " ", body).replace("> <", "><")
    return body.replace('<g id="axes_', '\n<g id="axes_').strip() + "\n"


def ink(image: Any, value: float) -> str:
    """Return a text color that is readable on the color of *value* in *image*."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"


def steps(path: Path, curves: Mapping[str, Floats], *, x: str, y: str, title: str, note: tuple[float, str]) -> None:
    """Draw cumulative shares, in percent, as steps over whole numbers; *note* marks a place on the x axis."""
    with figure(path, WIDTH, 3.4) as (_, axes):
        styles = [(BLUE, "-", 2.2), (ORANGE, "--", 1.8), (GREEN, ":", 2.0)]
        for (name, values), (color, line, width) in zip(curves.items(), styles, strict=False):
            axes.step(np.arange(len(values)), 100 * values, where="post", label=name, color=color, ls=line, lw=width)
        axes.axvline(note[0], color=GREY, lw=0.8)
        axes.annotate(note[1], (note[0], 4), xytext=(-6, 0), textcoords="offset points", ha="right", color=GREY)
        axes.set(xlabel=x, ylabel=y, title=title, ylim=(0, 103), xlim=(0, None))
        axes.legend(loc="upper left")


def histogram(path: Path, values: Floats, *, x: str, title: str, cap: int) -> None:
    """Draw shares over whole numbers, with those from *cap* on in another color."""
    with figure(path, WIDTH, 3.4) as (_, axes):
        places, shares = np.arange(len(values)), 100 * values
        below = places < cap
        axes.bar(places[below], shares[below], width=0.9, color=BLUE, label=f"below {cap}")
        axes.bar(
            places[~below],
            shares[~below],
            width=0.9,
            color=ORANGE,
            label=f"{cap} and more: counts {cap} ({values[~below].sum():.1%} of hands)",
        )
        axes.set(xlabel=x, ylabel="hands, in %", title=title, ylim=(0, 1.35 * shares.max()))
        axes.grid(axis="x", visible=False)
        axes.legend(loc="upper left", fontsize=SMALL)


def bars(path: Path, groups: Mapping[str, Floats], *, x: str, title: str) -> None:
    """Draw shares over whole numbers, side by side for each of *groups*; several also on a logarithmic scale."""
    looks = [(BLUE, ""), (SKY, "////"), (ORANGE, ""), (GREEN, "....")]
    scales = ("linear", "log") if len(groups) > 1 else ("linear",)
    with figure(path, WIDTH, 0.6 + 2.6 * len(scales), rows=len(scales), squeeze=False) as (drawn, grid):
        n = max(int(np.flatnonzero(values)[-1]) for values in groups.values()) + 1
        width = 0.84 / len(groups)
        for axes, scale in zip(grid[:, 0], scales, strict=True):
            for k, ((name, values), (color, hatch)) in enumerate(zip(groups.items(), looks, strict=False)):
                at = np.arange(n) + (k - (len(groups) - 1) / 2) * width
                shares = 100 * values[:n]
                axes.bar(at, shares, width=width * 0.94, color=color, hatch=hatch, edgecolor="white", label=name)
            axes.set(ylabel="hands, in %", xticks=range(n), yscale=scale)
            axes.grid(axis="x", visible=False)
        grid[0, 0].set(title=title)
        grid[-1, 0].set(xlabel=x)
        if len(groups) > 1:
            grid[1, 0].set(title="On a logarithmic scale")
            names, labels = grid[0, 0].get_legend_handles_labels()
            drawn.legend(names, labels, loc="outside lower center", ncols=2, fontsize=SMALL)
        else:
            grid[0, 0].bar_label(grid[0, 0].containers[0], fmt="%.1f", fontsize=SMALL, padding=2)
            grid[0, 0].margins(y=0.12)


def heat_maps(
    path: Path,
    panels: Sequence[tuple[str, Sequence[str], Floats]],
    *,
    title: str,
    limits: Sequence[tuple[float, float]],
    form: str,
    colors: str,
    x: str,
    y: str,
) -> None:
    """Draw tables of numbers, one panel each, colored between *limits*, with the numbers in the cells."""
    sizes = [len(names) for _, names, _ in panels]
    shape: dict[str, Any] = {"squeeze": False, "height_ratios": [size + 3 for size in sizes]}
    height = 0.5 + sum(1.7 + 0.34 * size for size in sizes)
    with figure(path, WIDTH, height, rows=len(panels), **shape) as (drawn, grid):
        drawn.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        for axes, (label, names, values), (low, high) in zip(grid[:, 0], panels, limits, strict=True):
            image = axes.imshow(values, cmap=colors, vmin=low, vmax=high, aspect="auto")
            for i, j in np.ndindex(*values.shape):
                written = format(values[i, j], form)
                axes.text(
                    j, i, written, ha="center", va="center", fontsize=SMALL, color=ink(image, float(values[i, j]))
                )
            axes.set_title(label, fontweight="normal")
            axes.set(xlabel=x, ylabel=y)
            axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
            axes.set_yticks(range(len(names)), names)
            axes.grid(visible=False)
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0)


def card_map(path: Path, chances: Floats, marks: Sequence[Sequence[str]], *, title: str) -> None:
    """Draw the probability of each card in percent, suits by ranks.

    *marks* says what is certain (``mine``, ``pile``) and, with ``*``, what is true.
    """
    need_matplotlib()
    with figure(path, WIDTH, 2.5) as (drawn, axes):
        gone = np.array([[mark in ("mine", "pile") for mark in row] for row in marks])
        image = axes.imshow(np.where(gone, np.nan, 100 * chances), cmap="YlGnBu", vmin=0, vmax=100, aspect="auto")
        for i, j in np.ndindex(*chances.shape):
            text = _SEEN[marks[i][j]] if gone[i, j] else f"{100 * chances[i, j]:.0f}"
            color = GREY if gone[i, j] else "white" if chances[i, j] > 0.5 else "black"
            axes.text(j, i, text, ha="center", va="center", color=color, fontsize=SMALL)
            if "*" in marks[i][j]:
                axes.add_patch(_frame(j, i))
        axes.set_title(title, fontsize=10)
        axes.set_xticks(range(13), "A23456789TJQK")
        axes.set_yticks(range(4), "♣♥♠♦")
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        held = "; framed: really held" if any("*" in mark for row in marks for mark in row) else ""
        axes.set_xlabel(f"in %; ● own card, ○ discarded{held}", fontsize=SMALL)
        drawn.colorbar(image, ax=axes, pad=0.02, fraction=0.04)


_SEEN = {"mine": "●", "pile": "○"}


def _frame(x: int, y: int) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, edgecolor=VERMILION, linewidth=2)


def points(axes: Axes, at: Floats, values: Sequence[Estimate], color: str, marker: str, label: str, **how: Any) -> None:
    """Draw estimates with their intervals at the places *at*."""
    middle = np.array([value.value for value in values])
    arms = np.array([[value.value - value.low for value in values], [value.high - value.value for value in values]])
    horizontal = how.pop("horizontal", False)
    drawn: dict[str, Any] = {"fmt": marker, "color": color, "capsize": 3, "ms": 6, "label": label, **how}
    if horizontal:
        axes.errorbar(middle, at, xerr=np.clip(arms, 0, None), **drawn)
    else:
        axes.errorbar(at, middle, yerr=np.clip(arms, 0, None), **drawn)


def forest(
    path: Path,
    names: Sequence[str],
    series: Mapping[str, Sequence[Estimate]],
    *,
    x: str,
    title: str,
    null: float,
    pitch: float = 0.5,
) -> None:
    """Draw estimates with their intervals, one line per comparison, around the value that means no difference."""
    looks = [(VERMILION, "s"), (BLUE, "o")]
    above = max(len(name) for name in names) > _LONG
    with figure(path, WIDTH, 1.6 + (pitch + 0.14 * above) * len(names)) as (drawn, axes):
        axes.axvline(null, color=GREY, lw=1)
        for k, ((label, values), (color, marker)) in enumerate(zip(series.items(), looks, strict=False)):
            at = np.arange(len(names), dtype=np.float64) + 0.24 * (k - (len(series) - 1) / 2)
            points(axes, at + 0.12 * above, values, color, marker, label, horizontal=True)
        names_beside(axes, names)
        axes.set_xlabel(x)
        axes.set_title(title)
        drawn.legend(loc="outside lower center", ncols=1 if max(map(len, series)) > 24 else len(series), fontsize=SMALL)


def names_beside(axes: Axes, names: Sequence[str]) -> None:
    """Write names down the left side, the first on top; long ones stand above their line, over its whole width."""
    axes.set_ylim(len(names) - 0.4, -0.7)
    axes.tick_params(axis="y", length=0)
    if max(len(name) for name in names) <= _LONG:
        axes.set_yticks(range(len(names)), names)
        return
    axes.set_yticks(range(len(names)), [""] * len(names))
    axes.grid(axis="y", visible=False)
    beside = axes.get_yaxis_transform()
    for i, name in enumerate(names):
        axes.text(0.0, i - 0.22, name, transform=beside, fontsize=SMALL, va="center", ha="left", bbox=_PAPER)


_PAPER: Any = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}


def dots(
    path: Path, places: Sequence[int], series: Mapping[str, Sequence[Estimate]], *, x: str, y: str, title: str
) -> None:
    """Draw estimates with their intervals over whole numbers, around zero, the number of the highest above it."""
    looks = [(BLUE, "o"), (VERMILION, "s"), (GREEN, "^")]
    highest = np.argmax([[value.value for value in values] for values in series.values()], axis=0)
    with figure(path, WIDTH, 3.6) as (_, axes):
        axes.axhline(0, color=GREY, lw=1)
        for k, ((label, values), (color, marker)) in enumerate(zip(series.items(), looks, strict=False)):
            at = np.array(places, np.float64) + 0.1 * (k - (len(series) - 1) / 2)
            points(axes, at, values, color, marker, label, ls="-", lw=1)
            how: Any = {"textcoords": "offset points", "ha": "center", "va": "center", "color": color}
            for place, value, top in zip(at, values, highest, strict=True):
                written, away = minus(f"{value.value:+.2f}"), 15 if k == top else -15
                axes.annotate(written, (place, value.value), (0, away), fontsize=SMALL, **how, **halo())
        axes.set(xlabel=x, ylabel=y, title=title, xticks=list(places), xlim=(min(places) - 0.5, max(places) + 0.5))
        axes.margins(y=0.14)
        axes.legend(loc="best")


def halo() -> dict[str, Any]:
    """Return the options of a text that stays readable where lines run behind it."""
    from matplotlib.patheffects import withStroke

    return {"path_effects": [withStroke(linewidth=2.5, foreground="white")]}


def minus(text: str) -> str:
    """Return *text* with a true minus sign, as the axes have it."""
    return text.replace("-", "\N{MINUS SIGN}")
