"""The report of an experiment: what was expected, ours, the interval, the verdict; every step; how to run it.

It depends on the experiment and the results alone: the same run gives the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rummylab import __version__
from rummylab.arena.experiment.run import Results
from rummylab.arena.words import table
from rummylab.errors import StoreError

REPORT, NUMBERS = "README.md", "results.json"


def write_report(results: Results, out: Path) -> Path:
    """Write the report and all numbers below *out*, and into the run; return the report's path."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        own = results.experiment.asked("report")
        body = _steps(results) if own is None else own(results, out)
        report = out / REPORT
        report.write_text("\n".join([_head(results), _verdicts(results), body, _how(results)]), encoding="utf-8")
        (out / NUMBERS).write_text(json.dumps(to_dict(results), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the report cannot be written to {out}: {error.strerror or error}") from None
    if results.run is not None:
        for name in (REPORT, NUMBERS):
            results.run.keep_artifact(name, (out / name).read_bytes())
    return report


def to_dict(results: Results) -> dict[str, Any]:
    """Return everything as plain values."""
    experiment = results.experiment
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "source": str(experiment.source),
        "command": experiment.command,
        "settings": dict(experiment.settings),
        "expect": [
            {
                "name": wanted.name,
                "source": wanted.source,
                "expected": wanted.figure,
                "value": _finite(ours.value),
                "ci": [_finite(ours.low), _finite(ours.high)],
                "verdict": wanted.verdict(ours),
            }
            for wanted, ours in results.findings
        ],
        "steps": {
            step.name: {"config": step.to_dict(), **results.steps[step.name].to_dict()} for step in experiment.steps
        },
    }


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < float("inf") else None  # also what is no number at all


def _head(results: Results) -> str:
    experiment = results.experiment
    parts = [f"# {experiment.title}\n"]
    if str(experiment.source):
        parts.append(f"{experiment.source}.\n")
    if experiment.about:
        parts.append(f"{experiment.about}\n")
    settings = ", ".join(
        f"{key} {value:,}" if isinstance(value, int) and key != "seed" else f"{key} {value}"
        for key, value in experiment.settings.items()
    )
    parts.append(f"Settings: {settings}. Intervals are 95 %.\n")
    return "\n".join(parts)


def _verdicts(results: Results) -> str:
    if not results.findings:
        return ""
    rows = [
        (
            wanted.name,
            wanted.source or "-",
            wanted.figure,
            wanted.ours_words(ours),
            wanted.interval_words(ours),
            wanted.verdict_words(ours),
        )
        for wanted, ours in results.findings
    ]
    expected = "paper" if str(results.experiment.source) else "expected"
    head = ("what", "where", expected, "ours", "95 % interval", "verdict")
    return f"""## {expected.capitalize()} and ours

{table(head, rows)}
{_counts(results)}
A figure is *confirmed* when our whole interval lies within what was expected, margin included, *open* when only a part
of it does: more games may tell.
"""


def _counts(results: Results) -> str:
    found = [wanted.verdict(ours) for wanted, ours in results.findings]
    words = [f"{found.count(verdict)} {verdict}" for verdict in dict.fromkeys(sorted(found))]
    return f"Of {len(found)} figures: {', '.join(words)}."


def _steps(results: Results) -> str:
    parts = ["## The steps\n"]
    for step in results.experiment.steps:
        parts.append(f"### {step.name}\n\n{step.KIND}, {step.game} ({step.rules}), seed {step.seed}.\n")
        parts.append(results.steps[step.name].markdown())
    return "\n".join(parts)


def _how(results: Results) -> str:
    experiment = results.experiment
    single = [f"{command}\n" for step in experiment.steps if (command := step.command())]
    more = f"\nThe steps one by one:\n\n```\n{''.join(single)}```\n" if single else ""
    return f"""## How to run it

```
{experiment.command}
```

writes this report (Rummylab {__version__}). Finished chunks are kept in a store, so a run that was stopped goes on
where it was. All numbers: [`{NUMBERS}`]({NUMBERS}).
{more}"""
