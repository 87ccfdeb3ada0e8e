"""How Table 1 changes with the number of entries, and the numbers that tuning found.

    python -m rummylab.studies.opponent_hand.trend runs/1m runs/2m

reads finished runs of the recipe and writes ``trend.json`` beside this file.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rummylab.arena.markdown import table
from rummylab.beliefs.gin.network import BUNDLED, Network
from rummylab.engine.artifacts import check_kind, read_numbers, write_json
from rummylab.learning.opponent_hand.measures import TOP
from rummylab.learning.opponent_hand.players import NUMBERS
from rummylab.learning.options import AT_ONCE_STEPS
from rummylab.learning.trainers import gin_at_once
from rummylab.learning.tune import read_trials

FORMAT, VERSION = "rummylab opponent-hand trend", 1
PLACE = Path(__file__).with_name("trend.json")
_READINGS = {"all cards": "top_k", "first card": "first_card_top_k"}
_ABOUT = """
The paper's three phases; each run has data of its own. The agents are the same in every run: the two sets of numbers
and the networks of the first two phases come from the smallest run. The final network was set to see each entry
{epochs}, in rounds of 500,000. Each row is measured on about {entries:,} fresh entries; the 95% intervals come from
whole shards. The paper trained on 50 million entries. Larger runs have not been measured yet; the command is
`{command} --networks FIRST_RUN`, with more entries.

In the reading *all cards*, more entries help steadily. In the reading *first card*, the figures fall from the second
run on, past the paper's; we do not know why.
"""
_ABOUT_NUMBERS = """
The eight numbers of the agents that knock at once. *First* and *second* were searched from the printed numbers with the
uniform belief; *phase2* and *phase3* from those of *first*, with the networks of phases 1 and 2. The final agent keeps
those of *phase3*. Every trial of these searches is in `src/rummylab/learning/opponent_hand/numbers`. The budgets are
small, above all for re-tuning ({trials} trials of {games} games against each opponent): with so few games, the best
trial is mostly the luckiest.
"""


def row_of(run: Path) -> dict[str, Any]:
    """Return the row of the table for the finished *run* of the recipe."""
    result = read_numbers(run / "result.json")
    manifest = Network.load(run / "net3" / BUNDLED).manifest
    plans = manifest["data"]["plans"]
    return {
        "entries": sum(int(plan["entries"]) for plan in plans),
        "epochs": manifest["options"]["epochs"],
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
    """Return how often the networks saw each entry: in the last run, and in the runs that differ from it."""
    usual = rows[-1]["epochs"]
    others = [f"{row['epochs']:g} times with {row['entries']:,} entries" for row in rows if row["epochs"] != usual]
    return f"{usual:g} times" + (f" ({', '.join(others)})" if others else "")


def _share(row: dict[str, Any], key: str, k: int) -> str:
    return f"{row[key][str(k)]:.2%} ± {row['half_interval'][key][str(k)]:.2%}"


def _about_numbers() -> str:
    budget = read_trials(NUMBERS / f"{gin_at_once.RE_TUNED[-1]}.trials.json")["plan"]
    return _ABOUT_NUMBERS.format(trials=budget["trials"], games=budget["games"])


def _numbers() -> str:
    steps = {step: gin_at_once.numbers_of(NUMBERS / f"{step}.json") for step in AT_ONCE_STEPS}
    names = list(steps[gin_at_once.FIRST])
    rows = [(step, *(f"{numbers[name]:.2f}" for name in names)) for step, numbers in steps.items()]
    return table(("numbers", *(f"`{name}`" for name in names)), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table of finished runs."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.studies.opponent_hand.trend")
    parser.add_argument("runs", type=Path, nargs="+", help="finished runs of the recipe")
    rows = sorted((row_of(run) for run in parser.parse_args(arguments).runs), key=lambda row: int(row["entries"]))
    kept = {"format": FORMAT, "version": VERSION, "rows": rows}
    write_json(PLACE, kept)


if __name__ == "__main__":
    main()
