"""Figures of training runs: learning curves, and the history, importance and slices of a tuning run."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rummylab.arena.plots import BLUE, GREY, ORANGE, figure, need_matplotlib

if TYPE_CHECKING:
    from optuna import Study


def draw_curve(curve: Path, path: Path) -> None:
    """Draw the learning curve in the file *curve*: a panel for each column, over the rounds."""
    with curve.open(encoding="utf-8", newline="") as file:
        head, *lines = list(csv.reader(file))
    columns = np.array(lines, np.float64).T
    n = len(head) - 1
    with figure(path, 3.2 * n, 3, n, squeeze=False) as (_, axes):
        for ax, name, values in zip(axes[0], head[1:], columns[1:], strict=True):
            ax.plot(columns[0], values, color=BLUE, marker="o", markersize=3)
            ax.set(xlabel="round", title=name.replace("_", " "))


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
    files = [directory / f"{name}.png" for name in ("history", "importance", "slice")]
    label = objective.replace("_", " ")
    values = np.array([trial["value"] for trial in trials], np.float64)
    with figure(files[0], 7, 4) as (_, axes):
        axes.plot(values, "o", color=BLUE, markersize=3, label="trial")
        axes.plot(np.maximum.accumulate(values), color=ORANGE, label="best so far")
        axes.set(xlabel="trial", ylabel=label, title="History")
        axes.legend()
    with figure(files[1], 7, 4) as (_, axes):
        shares = importances(study) if len(trials) > 1 else {}
        axes.barh(list(shares)[::-1], list(shares.values())[::-1], color=BLUE)
        axes.set(xlabel="importance", title="Which numbers matter")
    names = list(trials[0]["params"])
    with figure(files[2], 3 * len(names), 3, len(names), sharey=True, squeeze=False) as (_, axes):
        for ax, name in zip(axes[0], names, strict=True):
            params = [trial["params"][name] for trial in trials]
            ax.scatter(params, values, c=range(len(trials)), cmap="Blues", s=8, edgecolor=GREY)
            ax.set_xlabel(name)
        axes[0][0].set_ylabel(label)
    return files
