"""Figures of training runs: learning curves, and the history, importance and slices of a tuning run."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rummylab.arena.plots import BLUE, GREEN, GREY, ORANGE, WIDTH, figure, need_matplotlib

if TYPE_CHECKING:
    from optuna import Study


def draw_curve(curve: Path, path: Path) -> None:
    """Draw the learning curve in the file *curve*, panels below each other.

    Columns such as ``moved_draw`` and ``moved_knock`` share a panel with a logarithmic scale; the columns ``low`` and
    ``high`` are the interval of the one before them. The x axis counts hands where the file does, else rounds.
    """
    with curve.open(encoding="utf-8", newline="") as file:
        head, *lines = list(csv.reader(file))
    columns = dict(zip(head, np.array(lines, np.float64).T, strict=True))
    at, x = columns.pop("round"), "round"
    if "hands" in columns:
        at, x = columns.pop("hands") / 1e6, "hands, in millions"
    interval = columns.pop("low", None), columns.pop("high", None)
    panels = _panels(columns)
    with figure(path, WIDTH, 0.4 + 2.5 * len(panels), rows=len(panels), squeeze=False) as (_, grid):
        for ax, (title, names) in zip(grid[:, 0], panels.items(), strict=True):
            for name, (color, line) in zip(names, _LINES, strict=False):
                label = name.removeprefix(title).replace("_", " ").strip()
                ax.plot(at, columns[name], color=color, ls=line, marker="o", markersize=3, label=label)
            ax.set(xlabel=x, title=_TITLES.get(title, title.replace("_", " ")), xlim=(0, None))
            if len(names) > 1:
                ax.set(yscale="log", ylabel=_UNITS.get(title, ""))
                ax.legend(loc="upper right")
        if interval[0] is not None:
            grid[-1, 0].fill_between(at, *interval, color=BLUE, alpha=0.2, lw=0)
            grid[-1, 0].set(ylabel="points (95%)")


_LINES = ((BLUE, "-"), (ORANGE, "--"), (GREEN, ":"))
_TITLES = {"moved": "Change of the average strategy", "points_per_hand": "Points a hand against untrained tables"}
_UNITS = {"moved": "mean change of a probability"}


def _panels(columns: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the columns of each panel: those of the strategies that a trainer watches together, else one."""
    panels: dict[str, list[str]] = {}
    for name in columns:
        panels.setdefault("moved" if name.startswith("moved_") else name, []).append(name)
    return panels


def importances(study: Study) -> dict[str, float]:
    """Return each number's share in what sets the best quarter of the trials apart (PED-ANOVA)."""
    import optuna

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna marks the evaluator as experimental
        evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=0.25)
        return dict(optuna.importance.get_param_importances(study, evaluator=evaluator))


def draw_tuning(study: Study, trials: Sequence[Mapping[str, Any]], objective: str, directory: Path) -> list[Path]:
    """Draw the history, importance and slices of a tuning run into *directory*; return the files."""
    need_matplotlib()
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / f"{name}.svg" for name in ("history", "importance", "slice")]
    label = objective.replace("_", " ")
    values = np.array([trial["value"] for trial in trials], np.float64)
    with figure(files[0], WIDTH, 3.4) as (_, axes):
        axes.plot(values, "o", color=BLUE, markersize=3, label="trial")
        axes.plot(np.maximum.accumulate(values), color=ORANGE, label="best so far")
        axes.set(xlabel="trial", ylabel=label, title="History")
        axes.legend()
    with figure(files[1], WIDTH, 1 + 0.3 * len(trials[0]["params"])) as (_, axes):
        shares = importances(study) if len(trials) > 1 else {}
        axes.barh(list(shares)[::-1], list(shares.values())[::-1], color=BLUE)
        axes.set(xlabel="importance", title="Which numbers matter")
    names = list(trials[0]["params"])
    with figure(files[2], WIDTH, 0.4 + 2.2 * len(names), rows=len(names), squeeze=False) as (_, grid):
        for ax, name in zip(grid[:, 0], names, strict=True):
            params = [trial["params"][name] for trial in trials]
            ax.scatter(params, values, c=range(len(trials)), cmap="Blues", s=8, edgecolor=GREY)
            ax.set(xlabel=name, ylabel=label)
    return files
