"""The report of an experiment: expected and measured figures with verdicts, every step, and how to repeat it.

It depends on the experiment and the results alone: the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rummylab import __version__
from rummylab.arena.markdown import table
from rummylab.engine.streams import seed_words
from rummylab.errors import StoreError
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.verdicts import VERDICTS, Expectation, Measured
from rummylab.lab.page import templates

REPORT, NUMBERS = "README.md", "results.json"
LEGEND = """*Reproduced*: the measured interval lies within the expected figure and its margin. *Higher*, *lower*: it
lies above or below. *Direction only*: only a direction or a bound was given, and it holds; or the effect has the
expected direction and is smaller. *Open*: the interval crosses an end of the expected range.
"""
Finding = tuple[Expectation, Measured]


def write_report(results: Results, out: Path) -> Path:
    """Write the report and all numbers into *out* and into the run; return the path of the report.

    Raises:
        StoreError: A file cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        own = results.experiment.own("report")
        body = _steps(results) if own is None else own(results, out)
        report = out / REPORT
        report.write_text(_markdown(results, body), encoding="utf-8")
        (out / NUMBERS).write_text(json.dumps(to_dict(results), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"The report cannot be written to {out}: {error.strerror or error}.") from None
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
                "ours": wanted.ours,
                "chosen": wanted.chosen,
                "expected": wanted.figure,
                "value": _finite(measured.value),
                "ci": [_finite(measured.low), _finite(measured.high)],
                "verdict": wanted.verdict(measured),
            }
            for wanted, measured in results.findings
        ],
        "steps": {
            step.name: {"config": step.to_dict(), **results.steps[step.name].to_dict()} for step in experiment.steps
        },
    }


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < float("inf") else None  # NaN too


def _markdown(results: Results, body: str) -> str:
    experiment = results.experiment
    settings = ", ".join(
        f"{key} {value:,}" if isinstance(value, int) and key != "seed" else f"{key} {value}"
        for key, value in experiment.settings.items()
    )
    template = templates().get_template("experiment.md.j2")
    text = template.render(
        experiment=experiment,
        settings=settings,
        verdicts=verdict_tables(results),
        body=body,
        version=__version__,
        numbers=NUMBERS,
        commands=[command for step in experiment.steps if (command := step.command())],
    )
    return f"{text}\n"


def verdict_tables(results: Results) -> str:
    """Return a table of the source's figures and one of our own expectations, with what the verdicts mean."""
    from_source = bool(str(results.experiment.source))
    printed = [(wanted, found) for wanted, found in results.findings if from_source and not wanted.ours]
    own = [(wanted, found) for wanted, found in results.findings if not from_source or wanted.ours]
    parts = []
    if printed:
        parts.append(_verdict_table("Does it reproduce the paper?", "paper", "ours", printed))
    if own:
        parts.append(_verdict_table("Do our own expectations hold?", "expected", "measured", own))
    return "\n".join([*parts, _legend(results.findings)] if parts else [])


def _verdict_table(title: str, expected: str, measured: str, findings: Sequence[Finding]) -> str:
    rows = [
        (
            wanted.name,
            wanted.source or "-",
            wanted.figure,
            wanted.measured_words(found),
            wanted.interval_words(found),
            wanted.verdict_words(found),
        )
        for wanted, found in findings
    ]
    head = ("what", "where", expected, measured, "95% interval", "verdict")
    return f"## {title}\n\n{table(head, rows)}\n{_counts(findings)}\n"


def _counts(findings: Sequence[Finding]) -> str:
    verdicts = [wanted.verdict(found) for wanted, found in findings]
    words = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    chosen = sum(bool(wanted.chosen) for wanted, _ in findings)
    rest = f" For {chosen} of them something was chosen to fit." if chosen else ""
    return f"{len(findings)} in all: {', '.join(words)}.{rest}"


def _legend(findings: Sequence[Finding]) -> str:
    chosen = "*Chosen*: we chose this so that the figure holds, so agreement is no evidence.\n"
    return LEGEND + (chosen if any(wanted.chosen for wanted, _ in findings) else "")


def _steps(results: Results) -> str:
    parts = ["## What did each step show?\n"]
    for step in results.experiment.steps:
        parts.append(f"### {step.name}\n\n{step.KIND}, {step.game} ({step.rules}), {seed_words(step.seed)}.\n")
        parts.append(results.steps[step.name].markdown())
    return "\n".join(parts)
