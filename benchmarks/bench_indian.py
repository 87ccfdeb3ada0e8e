"""Speed of Indian Rummy beside what the authors of MinDist published, on one core: ``make bench``.

Fixed inputs; the best of several repetitions. ``--write DIR`` keeps the results.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from rummylab.arena.speed_indian import PUBLISHED_MS, indian_speed


def measure() -> dict[str, Any]:
    ours = indian_speed()
    rows = [
        ("MinScore of a random hand, in a batch", f"{ours['minscore_us']:.2f} us"),
        ("MinDist of a random hand, in a batch", f"{ours['mindist_us']:.2f} us"),
        ("MinDist, one call from Python", f"{ours['call_us']:.2f} us"),
        ("all discards of 14 cards with the outs of each best one, in one pass", f"{ours['discards14_us']:.1f} us"),
        ("the same by fourteen calls", f"{ours['discards14_one_by_one_us']:.1f} us ({ours['discards14_ratio']:.1f}x)"),
        ("deals among the paper's four skilled agents", f"{ours['games_per_s']:,.0f} a second"),
    ]
    if "outs_games_per_s" in ours:
        rows.append(("deals of `mindist-outs` against itself", f"{ours['outs_games_per_s']:,.0f} a second"))
    for name, label in (("minscore", "MinScore"), ("mindist", "MinDist")):
        ratio = ours[f"{name}_ratio_to_published"]
        rows.append((f"{label}: the authors' {PUBLISHED_MS[name]:.0f} ms over ours", f"{ratio:,.0f}x"))
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    return {
        "machine": machine,
        "figures": ours,
        "rows": [{"what": what, "measured": measured} for what, measured in rows],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="keep the results in this directory")
    arguments = parser.parse_args()
    results = measure()
    for row in results["rows"]:
        print(f"{row['what']:70} {row['measured']}")
    if arguments.write:
        (arguments.write / "indian-speed.json").write_text(json.dumps(results, indent=2) + "\n")
        subprocess.run([sys.executable, "-m", "rummylab.cli.tables", "--write"], check=True)


if __name__ == "__main__":
    main()
