"""Speed of the Python table and of the start: ``python benchmarks/bench_table.py [--write DIR | --check DIR]``.

Whole hands of fixed seeds at the Python table of every game, what a decision and a hand's set-up consist of, and the
processor time of short commands. Everything is processor time, the best of many repetitions. A ratio compares with a
plain loop of Python in the same run, so that it says little about the machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from harness import Results, Row, best_times, main
from rummylab import Seat, State, agent, play
from rummylab.engine.streams import player_stream
from rummylab.games.registry import game

PLAYERS = {
    "gin": ("simple", "random"),
    "gin_pass": ("keats", "random"),
    "indian": ("mindist", "random"),
    "contract": ("chinese-heuristic", "random"),
}
SEEDS = range(8)
REPEATS = 30
PASSES = 100
"""Passes of the loop that a decision is compared with."""
COMMANDS = ("--help", "agents", "games", "match gin simple random --games 20 --quiet")


def measure() -> Results:
    """Return all figures."""
    figures: dict[str, float | None] = {}
    rows = [table_row(name, player, figures) for name, players in PLAYERS.items() for player in players]
    return Results([*rows, *part_rows(figures), *start_rows(figures)], figures)


def loop() -> None:
    """Do the work that decisions are compared with: 100 passes of a Python loop."""
    total = 0
    for number in range(PASSES):
        total += number & 3


def table_row(name: str, player: str, figures: dict[str, float | None]) -> Row:
    """Return the decisions a second of *player* against itself, hand by hand, set-up included."""
    rules = game(name).rules()
    players = [agent(name, player) for _ in range(rules.seats)]
    decisions = sum(play(rules, players, seed).n_moves for seed in SEEDS)
    ways: dict[str, Callable[[], object]] = {str(seed): partial(play, rules, players, seed) for seed in SEEDS}
    best = best_times(ways | {"loop": loop}, REPEATS)
    one = (sum(best.values()) - best["loop"]) / decisions
    figures[f"{name}_{player}_table_decisions_per_s"] = 1 / one
    return Row(
        what=f"{name}: {player} against {player} at the Python table",
        measured=f"{1 / one:,.0f} decisions/s",
        compared=f"{best['loop'] * 1e6:.1f} µs for {PASSES} passes of a loop, {one * 1e6:.1f} µs for a decision",
        ratio=best["loop"] / one,
        name=f"{name} {player} table to a Python loop",
    )


def part_rows(figures: dict[str, float | None]) -> list[Row]:
    """Return what a decision of Gin's `simple` and a hand consist of."""
    rules, player = game("gin").rules(), agent("gin", "simple")
    state = State.deal(rules, 7)
    player.sit(rules, Seat(0), player_stream(7))
    seen = state.observe()
    action = player.act(seen)

    def push_and_pop() -> None:
        state.push(action)
        state.pop()

    parts: dict[str, Callable[[], object]] = {
        "observe": state.observe,
        "act": partial(player.act, seen),
        "push and pop": push_and_pop,
        "observe and list the legal moves": lambda: state.observe().codes,
        "deal a hand": partial(State.deal, rules, 7),
    }
    loops = 100
    best = best_times({name: partial(_repeat, run, loops) for name, run in parts.items()}, REPEATS)
    figures |= {f"{name.replace(' ', '_')}_us": 1e6 * seconds / loops for name, seconds in best.items()}
    return [Row(what=f"gin: {name}", measured=f"{1e6 * seconds / loops:.1f} µs") for name, seconds in best.items()]


def _repeat(run: Callable[[], object], times: int) -> None:
    for _ in range(times):
        run()


def start_rows(figures: dict[str, float | None]) -> list[Row]:
    """Return the processor time of short commands, compiled before."""
    rows = []
    for words in COMMANDS:
        seconds = min(_processor_time(words.split()) for _ in range(5))
        figures[f"start_{words.split()[0].strip('-')}_s"] = seconds
        rows.append(Row(what=f"`rummylab {words}`", measured=f"{seconds:.2f} s of processor time"))
    return rows


def _processor_time(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "rummylab", *words], check=True, capture_output=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main({"table": measure}, __doc__)
