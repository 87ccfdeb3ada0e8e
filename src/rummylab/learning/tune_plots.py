"""Pictures of a tuning study: how it went, which numbers mattered, how the score hangs on each."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rummylab.arena.plots import BLUE, GREY, ORANGE, figure, need_matplotlib
from rummylab.learning.tune import finished

if TYPE_CHECKING:
    from optuna import Study


def importances(study: Study) -> dict[str, float]:
    """Return the share of each number in what sets the best quarter of the trials apart (PED-ANOVA)."""
    import optuna

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optuna.importance.get_param_importances(
            study, evaluator=optuna.importance.PedAnovaImportanceEvaluator(target_quantile=0.25)
        )


def draw_plots(study: Study, directory: Path) -> list[Path]:
    """Write history, importance and slices of *study* to *directory*; return the files."""
    need_matplotlib()
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / f"{name}.png" for name in ("history", "importance", "slice")]
    objective = str(study.user_attrs["plan"]["objective"]).replace("_", " ")
    trials = finished(study)
    values = np.array([trial.value for trial in trials], np.float64)
    with figure(files[0], 7, 4) as (_, axes):
        axes.plot(values, "o", color=BLUE, markersize=3, label="trial")
        axes.plot(np.maximum.accumulate(values), color=ORANGE, label="best so far")
        axes.set(xlabel="trial", ylabel=objective, title="History")
        axes.legend()
    with figure(files[1], 7, 4) as (_, axes):
        shares = importances(study) if len(trials) > 1 else {}
        axes.barh(list(shares)[::-1], list(shares.values())[::-1], color=BLUE)
        axes.set(xlabel="importance", title="Which numbers mattered")
    names = list(trials[0].params)
    with figure(files[2], 3 * len(names), 3, len(names), sharey=True, squeeze=False) as (_, axes):
        for ax, name in zip(axes[0], names, strict=True):
            ax.scatter(
                [t.params[name] for t in trials], values, c=range(len(trials)), cmap="Blues", s=8, edgecolor=GREY
            )
            ax.set_xlabel(name)
        axes[0][0].set_ylabel(objective)
    return files
