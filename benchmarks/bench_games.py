"""Speed of Chinese Rummy and of Gin with a passed card on one core: ``make bench``.

Whole rounds and hands in the batch kernel, and the Python table; the best of several repetitions. ``--write DIR`` keeps
the results.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from rummylab.arena.speed import SPEED

WHAT = {
    "chinese": {
        "rounds_per_s": "rounds of `chinese-heuristic` against itself",
        "decisions_per_s": "its decisions",
        "counter_rounds_per_s": "rounds of `chinese-counter` against itself",
        "random_rounds_per_s": "rounds of `random` against itself",
        "facade_decisions_per_s": "decisions of `chinese-heuristic` at the Python table",
    },
    "gin-course": {
        "hands_per_s": "hands of `melder` at two seats",
        "decisions_per_s": "its decisions",
        "three_seats_hands_per_s": "hands of `melder` at three seats",
        "four_seats_hands_per_s": "hands of `melder` at four seats, seven cards",
        "keats_hands_per_s": "hands of `keats` at two seats",
        "facade_decisions_per_s": "decisions of `melder` at the Python table",
    },
}


def measure(game: str) -> dict[str, Any]:
    figures = SPEED[game]()
    rows = [{"what": what, "measured": f"{figures[name]:,.0f} a second"} for name, what in WHAT[game].items()]
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    return {"machine": machine, "figures": figures, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="keep the results in this directory")
    arguments = parser.parse_args()
    for game in WHAT:
        results = measure(game)
        print(game)
        for row in results["rows"]:
            print(f"  {row['what']:60} {row['measured']}")
        if arguments.write:
            (arguments.write / f"{game}-speed.json").write_text(json.dumps(results, indent=2) + "\n")
    if arguments.write:
        subprocess.run([sys.executable, "-m", "rummylab.cli.tables", "--write"], check=True)


if __name__ == "__main__":
    main()
