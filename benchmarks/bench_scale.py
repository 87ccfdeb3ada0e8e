"""How the laboratory scales: two processes beside one, with a store beside without, Ray beside local processes.

Every pair of ways is measured in one run, one after the other and again, on the same games; the best time of each
counts. ``--write DIR`` keeps the results as scale.md there. Only an otherwise idle machine gives meaningful ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rummylab.arena.backends import Backend, Processes, ThisProcess, backend
from rummylab.arena.cluster import Cluster
from rummylab.arena.jobs import tally_of
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, tournament

PAIRS = {"gin": ("simple", "random"), "indian": ("mindist", "minscore")}
STUDY = 1_000_000_000
CORES = (2, 16, 64, 256, 1024)
LEAST_SPEED_UP = 1.8
MOST_STORE_OVERHEAD = 0.05


def seconds_of(ways: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the best time of each way, the ways taking turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def with_store(plan: Plan, place: Backend) -> int:
    """Play *plan* into a fresh store; return how large it is."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "runs.db"
        store = Store(path)
        tournament(plan, store=store, backend=place)
        store.close()
        return path.stat().st_size


def nothing(number: int) -> int:
    return number


def microseconds_a_chunk(place: Backend, n: int = 2000) -> float:
    """Return what handing out a chunk costs when there is nothing to do in it."""
    list(place.run(nothing, range(n)))
    began = time.perf_counter()
    list(place.run(nothing, range(n)))
    return 1e6 * (time.perf_counter() - began) / n


def measure_game(name: str, games: int, repeats: int, cluster: Cluster) -> dict[str, Any]:
    plan = Plan(game=name, agents=PAIRS[name], games=games, seed=1)
    for place in (ThisProcess(), cluster):
        tournament(plan, backend=place)  # compiled, loaded and warm before the clock runs
    ways = {
        "one process": lambda: tournament(plan, backend=ThisProcess()),
        "one process with a store": lambda: with_store(plan, ThisProcess()),
        "two processes": lambda: tournament(plan, backend=Processes(2)),
        "two Ray workers": lambda: tournament(plan, backend=cluster),
    }
    seconds = seconds_of(ways, repeats)
    one = seconds["one process"]
    return {
        "agents": list(plan.agents),
        "games": games,
        "games_per_s": {way: games / taken for way, taken in seconds.items()},
        "speed_up_of_two": one / seconds["two processes"],
        "speed_up_of_ray": one / seconds["two Ray workers"],
        "store_overhead": seconds["one process with a store"] / one - 1,
        "bytes_a_game": tally_of(name, 2).itemsize,
        "store_bytes_a_game": with_store(plan, ThisProcess()) / games,
        "hours_of_a_study": {cores: STUDY * one / games / cores / 3600 for cores in CORES},
    }


def measure(games: dict[str, int], repeats: int) -> dict[str, Any]:
    load = os.getloadavg()[0]
    place = backend("ray", workers=2)
    assert isinstance(place, Cluster)
    try:
        results = {name: measure_game(name, n, repeats, place) for name, n in games.items()}
        overhead = {"two processes": microseconds_a_chunk(Processes(2)), "two Ray workers": microseconds_a_chunk(place)}
    finally:
        place.close()
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load_before": load,
        "games": results,
        "microseconds_a_chunk": overhead,
        "holds": all(
            r["speed_up_of_two"] >= LEAST_SPEED_UP and r["store_overhead"] < MOST_STORE_OVERHEAD
            for r in results.values()
        ),
    }


def page(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Scale",
        "",
        f"Measured with `python benchmarks/bench_scale.py --write docs/results` on {results['machine']}; the load was",
        f"{results['load_before']:.1f} before. The best of several runs that take turns.",
        "",
        "| | " + " | ".join(f"{name}: {' / '.join(r['agents'])}" for name, r in results["games"].items()) + " |",
        "|---|" + "---:|" * len(results["games"]),
    ]
    found = list(results["games"].values())
    for way in found[0]["games_per_s"]:
        lines.append(_row(f"games a second, {way}", [f"{r['games_per_s'][way]:,.0f}" for r in found]))
    lines += [
        _row(f"two processes over one (wanted: {LEAST_SPEED_UP})", [f"{r['speed_up_of_two']:.2f}" for r in found]),
        _row("two Ray workers over one process", [f"{r['speed_up_of_ray']:.2f}" for r in found]),
        _row(
            f"a store adds (wanted: under {MOST_STORE_OVERHEAD:.0%})",
            [f"{r['store_overhead']:.1%}" for r in found],
        ),
        _row("bytes of a game's result", [str(r["bytes_a_game"]) for r in found]),
        _row("megabytes of store for a million games", [f"{r['store_bytes_a_game']:.0f}" for r in found]),
    ]
    for cores in CORES:
        hours = [f"{r['hours_of_a_study'][cores]:,.2f} h" for r in found]
        lines.append(_row(f"10^9 games on {cores:,} cores, by multiplication", hours))
    overhead = ", ".join(f"{us:,.0f} us with {way}" for way, us in results["microseconds_a_chunk"].items())
    return "\n".join([*lines, "", f"Handing out a chunk with nothing in it: {overhead}.", ""])


def _row(what: str, cells: list[str]) -> str:
    return f"| {what} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="keep the results in this directory, as scale.md")
    parser.add_argument("--gin", type=int, default=100_000, help="games of Gin in each measurement")
    parser.add_argument("--indian", type=int, default=50_000, help="deals of Indian Rummy in each measurement")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    results = measure({"gin": arguments.gin, "indian": arguments.indian}, arguments.repeats)
    print(json.dumps(results, indent=2))
    if arguments.write:
        (arguments.write / "scale.md").write_text(page(results))


if __name__ == "__main__":
    main()
