"""How Table 1 moves with the number of entries, and the numbers that tuning found, as the recipe measured them.

    python -m rummylab.learning.opponent_hand.trend runs/1m runs/2m

reads finished runs of the recipe and writes ``numbers/trend.json`` beside this file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rummylab.arena.words import table
from rummylab.beliefs.gin.network import BUNDLED, Network
from rummylab.engine.artifacts import check_kind, read_numbers, write_whole
from rummylab.learning.opponent_hand import at_once
from rummylab.learning.opponent_hand.measures import TOP
from rummylab.learning.opponent_hand.players import NUMBERS
from rummylab.learning.tune import read_trials

FORMAT, VERSION = "rummylab opponent-hand trend", 1
PLACE = NUMBERS / "trend.json"
_READINGS = {"all cards": "top_k", "first card": "first_card_top_k"}
_ABOUT = """
The paper's three phases, each run with data of its own. The agents are the same in every run: two sets of numbers, and
the networks of the first two phases, are those of the smallest run. The final network was set to see each entry
{epochs}, in rounds of 500,000. Each row is measured on about {entries:,} fresh entries; the 95% intervals are those of
whole shards. The paper trained on 50 million entries. Larger runs than these are not measured yet; the command is
`{command} --networks FIRST_RUN`, with more entries.

By *all cards* more entries help steadily. By *first card* the figures fall from the second run on, past the paper's; we
do not know why.
"""
_ABOUT_NUMBERS = """
The eight numbers of the agents that knock at once. *First* and *second* are searched from the printed ones with the
uniform belief; *phase2* and *phase3* from those of *first*, with the networks of phases 1 and 2. The final agent keeps
those of *phase3*. Every trial of these searches is kept in `src/rummylab/learning/opponent_hand/numbers`. The budgets
are small, above all those of re-tuning ({trials} trials of {games} games against each opponent): re-tuning by so few
games mostly picks luck.
"""


def row_of(run: Path) -> dict[str, Any]:
    """Return what the finished *run* of the recipe measured."""
    result = json.loads((run / "result.json").read_text(encoding="utf-8"))
    manifest = Network.load(run / "net3" / BUNDLED).manifest
    plans = manifest["data"]["plans"]
    return {
        "entries": sum(int(plan["entries"]) for plan in plans),
        "epochs": manifest["settings"]["epochs"],
        "command": manifest["command"],
        "test_entries": result["entries"],
        "test_seed": result["seed"],
        **{key: result["network"][key] for key in ("top_k", "first_card_top_k", "half_interval", "log_loss", "brier")},
    }


def section() -> str:
    """Return the report's sections on the trend and on the tuned numbers."""
    found = read_numbers(PLACE)
    check_kind(found, PLACE.name, FORMAT, VERSION)
    rows = [
        (f"{row['entries']:,}", reading, *(_share(row, key, k) for k in TOP))
        for reading, key in _READINGS.items()
        for row in found["rows"]
    ]
    last = found["rows"][-1]
    about = _ABOUT.format(epochs=_epochs(found["rows"]), entries=last["test_entries"], command=last["command"])
    trend = table(("entries", "reading", *(f"top {k}" for k in TOP)), rows)
    return f"### More entries\n{about}\n{trend}\n### Tuned and re-tuned\n{_about_numbers()}\n{_numbers()}"


def _epochs(rows: Sequence[dict[str, Any]]) -> str:
    """Return how often the networks saw an entry: the last run's number, and the runs that differ from it."""
    usual = rows[-1]["epochs"]
    others = [f"{row['epochs']:g} times with {row['entries']:,} entries" for row in rows if row["epochs"] != usual]
    return f"{usual:g} times" + (f" ({', '.join(others)})" if others else "")


def _share(row: dict[str, Any], key: str, k: int) -> str:
    return f"{row[key][str(k)]:.2%} ± {row['half_interval'][key][str(k)]:.2%}"


def _about_numbers() -> str:
    budget = read_trials(NUMBERS / f"{at_once.RE_TUNED[-1]}.trials.json")["plan"]
    return _ABOUT_NUMBERS.format(trials=budget["trials"], games=budget["games"])


def _numbers() -> str:
    steps = {step: at_once.numbers_of(NUMBERS / f"{step}.json") for step in at_once.STEPS}
    names = list(steps[at_once.FIRST])
    rows = [(step, *(f"{numbers[name]:.2f}" for name in names)) for step, numbers in steps.items()]
    return table(("numbers", *(f"`{name}`" for name in names)), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the trend of finished runs."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.opponent_hand.trend")
    parser.add_argument("runs", type=Path, nargs="+", help="finished runs of the recipe")
    rows = sorted((row_of(run) for run in parser.parse_args(arguments).runs), key=lambda row: int(row["entries"]))
    kept = {"format": FORMAT, "version": VERSION, "rows": rows}
    write_whole(PLACE, (json.dumps(kept, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
