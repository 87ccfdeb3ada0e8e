"""Measure how long the bridge takes for an answer: ``python benchmarks/bench_bridge.py champion --games 3``.

Two bridges play whole games under the scripted referee of the tests, each in a process of its own, as under a foreign
referee. Processor time of the answering process is measured, from the question to the next line, so other work on the
machine does not count. Linux keeps it in ``/proc``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bridge_referee import conduct, referee  # type: ignore[import-not-found]
from rummylab.games.gin.view import gin


def processor_ms(pid: int) -> float:
    """Return the processor time that all threads of the process *pid* have used, in milliseconds."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def timed(process: subprocess.Popen[str], taken: list[tuple[float, str]]) -> Callable[[str], str | None]:
    """Return a player that passes lines to *process* and times its answers; the first includes the start."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines, answers = process.stdin, process.stdout

    pending: list[tuple[float, str]] = []

    def hear(line: str) -> str | None:
        now = processor_ms(process.pid)
        while pending:
            before, question = pending.pop()
            taken.append((now - before, question))
        lines.write(line + "\n")
        lines.flush()
        if not line.split()[0].endswith("?"):
            return None
        pending.append((now, line))
        return answers.readline().strip()

    return hear


def start(agent: str, seed: int) -> subprocess.Popen[str]:
    """Return a bridge in a process of its own. It reads its first line after the warm-up."""
    command = [sys.executable, "-m", "rummylab", "bridge", "gin", agent, "--seed", str(seed)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def main() -> None:
    """Print the slowest answers as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent")
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    processes = [start(given.agent, given.seed + seat) for seat in range(2)]
    notes: list[list[tuple[float, str]]] = [[], []]
    players = [timed(process, taken) for process, taken in zip(processes, notes, strict=True)]
    hands = conduct(referee(gin("eaai"), given.seed, games=given.games), players)
    for process in processes:
        process.wait()
    for seat, taken in enumerate(notes):
        (first, _), rest = taken[0], taken[1:]
        times = np.array([one for one, _ in rest])
        found = {
            "seat": seat,
            "hands": len(hands),
            "answers": len(taken),
            "first_ms_with_start": round(first, 1),
            "median_ms": round(float(np.median(times)), 2),
            "p99_ms": round(float(np.quantile(times, 0.99)), 2),
            "worst": [(round(one, 1), line) for one, line in sorted(rest, reverse=True)[:5]],
        }
        print(json.dumps(found))


if __name__ == "__main__":
    main()
