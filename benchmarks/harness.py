"""What the speed benchmarks share: rows of a table, ratios that are kept and checked, times of a busy machine.

A script returns its :class:`Row` list and calls :func:`main`. ``--write DIR`` keeps the results there as
``<name>-speed.json``, from which the tables in README and docs are made. ``--check DIR`` measures again and reports
every ratio that is more than 10% below the one kept there, with exit code 1: ``make bench CHECK=1``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

TOLERANCE: Final = 0.10
"""A ratio may fall by this much before a check reports it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a speed table."""

    what: str
    measured: str
    compared: str = ""
    """What the same work takes elsewhere, measured in the same run, and where: ``4.2 ns (C++)``."""
    ratio: float | None = None
    """How many times as fast as the other: more is better, and the machine matters little."""
    name: str = ""
    """The name under which the ratio is kept and checked; empty: it is only shown."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a benchmark script measured."""

    rows: Sequence[Row]
    figures: Mapping[str, float | None]
    """Raw figures by name, for other programs."""

    @property
    def ratios(self) -> dict[str, float]:
        """The ratios that are kept and checked, by name."""
        return {row.name: round(row.ratio, 3) for row in self.rows if row.name and row.ratio is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return what ``<name>-speed.json`` holds."""
        return {
            "machine": machine(),
            "figures": dict(self.figures),
            "ratios": self.ratios,
            "rows": [_shown(row) for row in self.rows],
        }


def machine() -> str:
    """Return where and beside how many other programs a figure was measured."""
    load, _, _ = os.getloadavg()
    return f"{platform.machine()}, Python {platform.python_version()}, load {load:.1f} on {os.cpu_count()} cores"


def _shown(row: Row) -> dict[str, str]:
    """Return a row as the tables show it; a row that compares nothing has two columns."""
    shown = {"what": row.what, "measured": row.measured}
    if row.compared or row.ratio is not None:
        shown |= {"compared": row.compared, "ratio": "" if row.ratio is None else in_times(row.ratio)}
    return shown


def in_times(ratio: float) -> str:
    """Return a ratio in words.

    >>> in_times(0.953), in_times(979.4)
    ('0.95x', '979x')
    """
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2f}x"


def regressions(kept: Mapping[str, float], measured: Mapping[str, float]) -> list[str]:
    """Return a sentence for each ratio of *measured* that is more than 10% below the one of *kept*."""
    pairs = {name: (ratio, measured[name]) for name, ratio in kept.items() if name in measured}
    return [
        f"{name} fell from {in_times(before)} to {in_times(now)}, by {1 - now / before:.1%}."
        for name, (before, now) in pairs.items()
        if now < (1 - TOLERANCE) * before
    ]


def best_times(ways: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the least processor time of this thread in each of *ways*, in seconds, the ways taking turns.

    Other programs may use the machine meanwhile. Taking turns exposes all ways to the same disturbances, and the best
    of many repetitions is one that was hardly disturbed.
    """
    best = dict.fromkeys(ways, float("inf"))
    for way in ways.values():
        way()
    for _ in range(repeats):
        for name, way in ways.items():
            began = time.thread_time()
            way()
            best[name] = min(best[name], time.thread_time() - began)
    return best


def main(measurements: Mapping[str, Callable[[], Results]], about: str | None) -> None:
    """Run *measurements*, one for each ``<name>-speed.json``, print their tables, and keep or check the results."""
    parser = argparse.ArgumentParser(description=about)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--write", type=Path, metavar="DIR", help="keep the results in this directory")
    way.add_argument("--check", type=Path, metavar="DIR", help="compare the ratios with those kept in this directory")
    arguments = parser.parse_args()
    failed = False
    for name, measure in measurements.items():
        results = measure()
        print(f"{name}\n{_text(results.rows)}")
        if arguments.write:
            (arguments.write / f"{name}-speed.json").write_text(json.dumps(results.to_dict(), indent=2) + "\n")
        if arguments.check:
            failed |= not check(name, results, arguments.check)
    if arguments.write:
        subprocess.run([sys.executable, "-m", "rummylab.cli.tables", "--write"], check=True)
    if failed:
        sys.exit(1)


def check(name: str, results: Results, directory: Path) -> bool:
    """Say how the ratios of *results* compare with those kept in *directory*; return whether all of them hold."""
    kept = json.loads((directory / f"{name}-speed.json").read_text()).get("ratios", {})
    fallen = regressions(kept, results.ratios)
    for sentence in fallen:
        print(f"slower: {sentence}")
    missing = [ratio for ratio in kept if ratio not in results.ratios]
    if missing:
        print(f"not measured here: {', '.join(missing)}")
    if kept and not fallen:
        print(f"{len(kept) - len(missing)} ratios are within {TOLERANCE:.0%} of those kept")
    return not fallen


def _text(rows: Sequence[Row]) -> str:
    """Return the rows as lines in columns."""
    cells = [list(_shown(row).values()) for row in rows]
    widths = [max((len(line[k]) for line in cells if k < len(line)), default=0) for k in range(4)]
    lines = ("  ".join(cell.ljust(widths[k]) for k, cell in enumerate(line)).rstrip() for line in cells)
    return "\n".join(f"  {line}" for line in lines)
