"""How the laboratory scales: games a second against cores, and time and memory against games.

Every figure is kept in scale.json in the directory of ``--write`` as soon as it is measured, and the same command goes
on with what is missing; ``--again`` measures everything again. scale.md, scale-cores.svg and scale-cost.svg are drawn
from that file. Only an otherwise idle machine gives meaningful times; CPU seconds are meaningful on a busy one too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena import plots
from rummylab.arena.backends import Backend, Processes, ThisProcess, Threads
from rummylab.arena.cluster import Cluster
from rummylab.arena.match import match
from rummylab.arena.store import Store

PAIRS = {"gin": ("simple", "random"), "indian": ("mindist", "minscore")}
ALONE = ("gin", "simple", "simple")
"""The match whose cost is measured against its number of games."""
STUDY = 1_000_000_000
LEAST_SPEED_UP = 1.9
MOST_MEGABYTES = 500
Point = dict[str, float]
Points = dict[str, Point]


# --- Measuring ------------------------------------------------------------------------------------------------------


def cpu_seconds() -> float:
    """Return the CPU time of this process and its living descendants: those of loky stay for the next call."""
    ticks, todo = 0, [os.getpid()]
    while todo:
        process = Path(f"/proc/{todo.pop()}")
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
            for task in (process / "task").iterdir():
                todo += map(int, (task / "children").read_text().split())
        except OSError:
            continue  # it has ended
    return ticks / os.sysconf("SC_CLK_TCK")


def best_of(repeats: int, play: Callable[[], object], games: int) -> Point:
    """Return the least time and the least CPU time of several runs, after two in which every worker loads its code."""
    play()
    play()
    seconds, cpu = [], []
    for _ in range(repeats):
        began, worked = time.perf_counter(), cpu_seconds()
        play()
        seconds.append(time.perf_counter() - began)
        cpu.append(cpu_seconds() - worked)
    return {"games": games, "seconds": min(seconds), "cpu": min(cpu)}


def played(name: str, games: int, place: Backend, **more: Any) -> object:
    return match(name, *PAIRS[name], games=games, seed=1, backend=place, keep_games=0, **more)


def with_store(name: str, games: int) -> int:
    """Play into a fresh store; return how large it is."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "runs.db"
        with Store(path) as store:
            played(name, games, ThisProcess(), store=store)
        return path.stat().st_size


@contextmanager
def ray_nodes(n: int) -> Iterator[Cluster]:
    """Start *n* Ray nodes of one core each on this machine."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(n - 1):
            nodes.add_node(num_cpus=1)
        place = Cluster(address=nodes.address)
        try:
            yield place
        finally:
            place.close()
    finally:
        nodes.shutdown()


def cost_of(games: int) -> Point:
    """Play one long match on all cores; return time, CPU time and peak memory of this process."""
    name, *agents = ALONE
    match(name, *agents, games=2, workers=1)
    began, worked = time.perf_counter(), time.process_time()
    match(name, *agents, games=games, seed=1, keep_games=0)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    return {"games": games, "seconds": seconds, "cpu": cpu, "megabytes": peak_megabytes()}


def peak_megabytes() -> float:
    """Return the peak memory of this program; what getrusage says begins with that of the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def cost_in_a_fresh_process(games: int) -> Point:
    done = subprocess.run(
        [sys.executable, __file__, "--cost-of", str(games)], check=True, stdout=subprocess.PIPE, text=True
    )
    found: Point = json.loads(done.stdout)
    return found


def apart(name: str, games: int, n: int) -> Point:
    """Play the match in *n* programs at once that know nothing of each other; return the time of the slowest.

    No way of sharing work out can be faster than this, so it tells what the cores of this machine are worth together.
    """
    command = [sys.executable, __file__, "--alone", name, "--games", str(games)]
    programs = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(n)]
    for program in programs:
        assert program.stdout is not None
        program.stdout.readline()  # its code is loaded
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    seconds = max(float(program.communicate()[0]) for program in programs)
    return {"games": n * games, "seconds": seconds}


def alone(name: str, games: int) -> None:
    """Be one of those programs: say when the code is loaded, wait for a line, play, and print the seconds it took."""
    played(name, games, ThisProcess())
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    played(name, games, ThisProcess())
    print(time.perf_counter() - began, flush=True)


def plan(arguments: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Point]]]:
    """Yield the name of every figure with the function that measures it."""
    repeats, cores = arguments.repeats, arguments.cores
    for name, games in (("gin", arguments.gin), ("indian", arguments.indian)):
        for n in range(1, cores + 1):
            for way in (Threads, Processes):
                place = way(n) if n > 1 or way is Processes else ThisProcess()
                run = lambda name=name, games=games, place=place: played(name, games, place)  # noqa: E731
                yield f"{name}, {way.__name__.lower()}, {n}", lambda run=run, games=games: best_of(repeats, run, games)  # type: ignore[misc]
        for n in range(1, cores + 1):

            def in_programs(name: str = name, games: int = games, n: int = n) -> Point:
                return min((apart(name, games, n) for _ in range(repeats)), key=lambda point: point["seconds"])

            yield f"{name}, programs, {n}", in_programs
        stored = lambda name=name, games=games: with_store(name, games)  # noqa: E731
        yield f"{name}, store, 1", lambda stored=stored, games=games: best_of(repeats, stored, games)  # type: ignore[misc]
        yield f"{name}, store size, 1", lambda stored=stored, games=games: {"games": games, "bytes": stored()}  # type: ignore[misc]
        for n in (1, 2) if arguments.ray else ():

            def on_ray(name: str = name, games: int = games, n: int = n) -> Point:
                with ray_nodes(n) as place:
                    found = best_of(repeats, lambda: played(name, games, place), games)
                return {"games": games, "seconds": found["seconds"]}  # its workers are not our children

            yield f"{name}, ray nodes, {n}", on_ray
    games = 10_000
    while games <= arguments.largest:
        yield f"cost, games, {games}", lambda games=games: cost_in_a_fresh_process(games)  # type: ignore[misc]
        games *= 10


def measure(arguments: argparse.Namespace, kept: Path | None) -> Points:
    """Measure what *kept* lacks, and keep every figure at once."""
    known: Points = json.loads(kept.read_text()) if kept and kept.exists() and not arguments.again else {}
    for name, take in plan(arguments):
        if name in known:
            continue
        load = os.getloadavg()[0]
        known[name] = take() | {"load": load}
        print(f"{name}: {json.dumps(known[name])}", flush=True)
        if kept:
            kept.write_text(json.dumps(known, indent=1) + "\n")
    return known


# --- Showing --------------------------------------------------------------------------------------------------------


def ways(points: Points, game: str) -> dict[str, dict[int, Point]]:
    """Return the figures of a game by way and number of cores."""
    found: dict[str, dict[int, Point]] = {}
    for name, point in points.items():
        which, way, n = name.split(", ")
        if which == game and way in ("threads", "processes", "programs", "ray nodes"):
            found.setdefault(way, {})[int(n)] = point
    return found


def costs(points: Points) -> list[Point]:
    return sorted((p for name, p in points.items() if name.startswith("cost, ")), key=lambda p: p["games"])


def fit(found: list[Point], what: str = "seconds") -> tuple[float, float]:
    """Return a start and a cost for each game, such that their sum is near every figure in ratio."""
    games, values = (np.array([point[key] for point in found]) for key in ("games", what))
    rows = np.stack([np.ones(len(games)), games], axis=1) / values[:, None]
    start, each = np.linalg.lstsq(rows, np.ones(len(games)))[0]
    if start < 0:  # noise: nothing starts before it is asked to
        start, each = 0.0, rows[:, 1].sum() / (rows[:, 1] ** 2).sum()
    return float(start), float(each)


def draw_cores(path: Path, points: Points) -> None:
    looks = {
        "threads": (plots.BLUE, "o-"),
        "processes": (plots.ORANGE, "s--"),
        "programs": (plots.GREY, "d-."),
        "ray nodes": (plots.GREEN, "^:"),
    }
    with plots.figure(path, plots.WIDTH, 3.3 * len(PAIRS), rows=len(PAIRS)) as (_, panels):
        for axes, game in zip(panels, PAIRS, strict=True):
            found = ways(points, game)
            most = max(n for by_cores in found.values() for n in by_cores)
            one = found["threads"][1]
            ideal = np.array([1, most]) * one["games"] / one["seconds"]
            axes.plot([1, most], ideal, color=plots.GREY, lw=0.8, label="one core, times cores")
            for way, by_cores in found.items():
                color, line = looks[way]
                rate = [point["games"] / point["seconds"] for point in by_cores.values()]
                axes.plot(list(by_cores), rate, line, color=color, label=way)
            axes.set(xlabel="cores", title=f"{game}: {' – '.join(PAIRS[game])}", ylim=(0, None))
            axes.set(xticks=range(1, most + 1), ylabel="games a second")
            axes.legend(loc="lower right")


def draw_cost(path: Path, points: Points) -> None:
    found = costs(points)
    games = np.array([point["games"] for point in found])
    line = np.geomspace(games.min(), max(1e8, games.max()))
    with plots.figure(path, plots.WIDTH, 6.2, rows=2) as (_, (left, right)):
        for what, color, sign in (("seconds", plots.BLUE, "o"), ("cpu", plots.ORANGE, "s")):
            start, each = fit(found, what)
            left.plot(games, [point[what] for point in found], sign, color=color)
            label = f"{'time' if what == 'seconds' else 'CPU time'}: {start:.2f} s + {1e6 * each:.1f} µs a game"
            left.plot(line, start + each * line, color=color, lw=1.0, label=label)
        left.set(xscale="log", yscale="log", xlabel="games", ylabel="seconds", title="Time of a match")
        left.legend(loc="upper left")
        right.plot(games, [point["megabytes"] for point in found], "o-", color=plots.BLUE)
        right.axhline(MOST_MEGABYTES, color=plots.GREY, lw=0.8)
        below: Any = {"xytext": (0, -11), "textcoords": "offset points", "color": plots.GREY}
        right.annotate("goal: below", (games[0], MOST_MEGABYTES), **below)
        right.set(xscale="log", xlabel="games", ylabel="memory, in MB", title="Peak memory of a match", ylim=(0, None))
        right.set(xlim=left.get_xlim())


def page(points: Points) -> str:
    """Return the results as Markdown."""
    largest = max((point["games"] for point in costs(points)), default=0)
    sizes = " ".join(f"--{game} {points[f'{game}, threads, 1']['games']}" for game in PAIRS) + f" --largest {largest}"
    loads = [point["load"] for point in points.values()]
    lines = [
        "# Scale",
        "",
        f"Measured with `python benchmarks/bench_scale.py --write docs/results {sizes}` on",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.",
        f"The load was {min(loads):.1f} to {max(loads):.1f} before the runs: above 1, times and speed-ups are those of",
        "a shared machine, and CPU seconds say more.",
        "",
        "| | cores | games | games a second | CPU µs a game | over one core |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for game, agents in PAIRS.items():
        for way, by_cores in ways(points, game).items():
            for n, point in by_cores.items():
                cpu = f"{1e6 * point['cpu'] / point['games']:.1f}" if "cpu" in point else "-"
                base = ways(points, game)["threads"][1]
                gain = point["games"] / point["seconds"] * base["seconds"] / base["games"]
                rate = f"{point['games'] / point['seconds']:,.0f}"
                lines.append(
                    f"| {game}: {' / '.join(agents)}, {way} | {n} | {point['games']:,} | {rate} | {cpu} | {gain:.2f} |"
                )
    lines += [
        "",
        f"Two workers should be worth {LEAST_SPEED_UP} of one. Compiled games use threads. Programs are matches",
        "started side by side that know nothing of each other: what this machine's cores are worth together.",
        "",
    ]
    lines += ["![games a second against cores](scale-cores.svg)", ""]
    for game in PAIRS:
        one, stored, size = (points.get(f"{game}, {what}, 1") for what in ("threads", "store", "store size"))
        if one and stored and size:
            share = max(0.0, stored["cpu"] / one["cpu"] - 1)  # Below the noise, it can come out negative.
            bytes_a_game = size["bytes"] / size["games"]
            lines += [
                f"A store adds {share:.1%} of CPU time in {game}, and {bytes_a_game:.0f} MB for a million games.",
                "",
            ]
    if found := costs(points):
        lines += _cost_lines(found)
    return "\n".join(lines)


def _cost_lines(found: list[Point]) -> list[str]:
    start, each = fit(found)
    name, *agents = ALONE
    lines = [f"One long match ({name}, {' against '.join(agents)}) on all cores, in a fresh process:", ""]
    lines += ["| games | seconds | CPU seconds | peak MB |", "|---:|---:|---:|---:|"]
    for point in found:
        row = (f"{point['games']:,}", *(f"{point[what]:,.1f}" for what in ("seconds", "cpu", "megabytes")))
        lines.append(f"| {' | '.join(row)} |")
    hours = STUDY * each / 3600
    lines += [
        "",
        f"The fit: {start:.2f} s and {1e6 * each:.1f} µs a game; by it 10^9 games take {hours:,.1f} h on these cores.",
        f"Memory should stay below {MOST_MEGABYTES} MB: it is a flat line, since a match keeps sums and not games.",
        "",
        "![time and memory against games](scale-cost.svg)",
        "",
    ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="keep scale.json, scale.md and the charts in this directory")
    parser.add_argument("--gin", type=int, default=400_000, help="games of Gin in each measurement of cores")
    parser.add_argument(
        "--indian", type=int, default=100_000, help="deals of Indian Rummy in each measurement of cores"
    )
    parser.add_argument("--largest", type=float, default=1e7, help="games of the longest match; 1e8 takes half an hour")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-ray", dest="ray", action="store_false", help="leave the Ray nodes out")
    parser.add_argument("--again", action="store_true", help="measure what is kept already, too")
    parser.add_argument("--cost-of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--alone", choices=PAIRS, help=argparse.SUPPRESS)
    parser.add_argument("--games", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        alone(arguments.alone, arguments.games)
        return
    if arguments.cost_of:
        print(json.dumps(cost_of(arguments.cost_of)))
        return
    where: Path | None = arguments.write
    points = measure(arguments, where / "scale.json" if where else None)
    if where:
        (where / "scale.md").write_text(page(points))
        draw_cores(where / "scale-cores.svg", points)
        draw_cost(where / "scale-cost.svg", points)


if __name__ == "__main__":
    main()
